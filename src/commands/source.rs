//! Gets the contract that the command line names, and reads it.

use super::check::Ended;
use super::hidden_runner;
use super::world::World;
use crate::cli::{Cli, SourceArgs};
use crate::contract::{self, Contract, Reading};
use crate::error::{Detail, Failure, Kind};
use crate::report::{Command, ContractInfo, Problems, Report, Unchecked, UncheckedReason};
use crate::source;
use clap::CommandFactory as _;
use std::path::Path;

/// A text that may hold a contract, and what is known of where it came from.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) bytes: Vec<u8>,
    pub(super) info: ContractInfo,
}

/// Gets the text as it is, wherever it lies.
fn text(args: &SourceArgs, directory: &Path, command: Command) -> Result<Text, Failure> {
    let Some(path) = &args.contract else { return Err(none_named(command)) };
    let info = |source: String| ContractInfo { source, ..ContractInfo::default() };
    if path.as_os_str() == "-" {
        return Ok(Text { bytes: source::read_stdin()?, info: info("stdin".to_owned()) });
    }
    let shown = path.display().to_string();
    let bytes = source::read_file(&directory.join(path), &shown).map_err(|failure| hinted(failure, &shown, command))?;
    Ok(Text { bytes, info: info(shown) })
}

/// Gets the text that the command line or the event names, under the rules for where it is.
pub(super) fn text_for(args: &SourceArgs, world: &World<'_>, command: Command) -> Result<Text, Ended> {
    #[cfg(feature = "github")]
    if let Some(text) = super::forge::text(args, world, command)? {
        return Ok(text);
    }
    if command == Command::Parse {
        return Ok(text(args, &world.settings().directory, command)?);
    }
    Ok(trusted_text(args, world, command)?)
}

/// Gets the text under the rule for files: what the merge base has counts, and a change brings none of its
/// own. `explain` and `parse` only tell what `check` would refuse.
fn trusted_text(args: &SourceArgs, world: &World<'_>, command: Command) -> Result<Text, Failure> {
    let directory = &world.settings().directory;
    let Some(path) = args.contract.as_ref().filter(|path| path.as_os_str() != "-") else {
        return text(args, directory, command);
    };
    let paths = match world.repository() {
        Ok(repository) => repository.root().map(|root| source::paths_inside(root, &directory.join(path))),
        Err(failure) if failure.kind == Kind::NotARepository => None,
        Err(failure) => return Err(failure),
    };
    let Some(paths) = paths.filter(|paths| !paths.is_empty()) else { return text(args, directory, command) };
    let change = match world.change() {
        Ok(change) => change,
        // Before the first commit nothing is tracked, and no change can have brought anything.
        Err(_) if world.repository()?.is_without_history()? => return text(args, directory, command),
        // That there is no such file is the simpler answer.
        Err(failure) => {
            let failure = match failure.kind {
                Kind::Usage => {
                    failure.next("where documents alone are judged: `--base HEAD` takes the contract as committed")
                }
                _ => failure,
            };
            return Err(text(args, directory, command).err().unwrap_or(failure));
        }
    };
    let shown = path.display().to_string();
    let read = source::read_trusted(&directory.join(path), &shown, &paths, world.repository()?, change);
    let mut info = ContractInfo { source: shown.clone(), ..ContractInfo::default() };
    match read {
        Ok(read) => {
            if read.is_of_merge_base {
                let short = change.merge_base.get(..7).unwrap_or(&change.merge_base);
                info.remarks.push(format!("as at {short}"));
            }
            info.notes = read.notes;
            Ok(Text { bytes: read.bytes, info })
        }
        Err(failure) if failure.kind == Kind::ContractSelfWritten && command == Command::Explain => {
            let mut text = text(args, directory, command)?;
            text.info.notes.push(format!("check will refuse this: {}", failure.message));
            Ok(text)
        }
        Err(failure) => Err(hinted(failure, &shown, command)),
    }
}

/// Reads the contract in a text, or makes the report that ends the command.
pub(super) fn read(
    text: &Text,
    args: &SourceArgs,
    world: &World<'_>,
    command: Command,
) -> Result<Contract, Box<Report>> {
    let mut report = match contract::read(&text.bytes) {
        Reading::Valid(contract) => match check_digest(&contract, args) {
            Ok(()) => return Ok(*contract),
            Err(failure) => Report::failure(command, failure),
        },
        Reading::Invalid(mut problems) => {
            let failure = Failure::new(Kind::ContractInvalid, "the contract is not valid");
            let shown = contract::shown_text(&text.bytes);
            hidden_runner::name(&mut problems, &shown, world);
            let problems = Problems { origin: text.info.source.clone(), text: shown, problems };
            Report { problems: Some(problems), ..Report::failure(command, failure) }
        }
        // What was pinned is not there: that is more than "no contract".
        Reading::Absent if args.expect_digest.is_some() => {
            let message = format!("there is no contract in {}, and one was expected", text.info.source);
            Report::failure(command, Failure::new(Kind::DigestDiffers, message))
        }
        Reading::Absent => return Err(Box::new(Report::unchecked(command, absent(text)))),
    };
    report.contract = Some(text.info.clone());
    Err(Box::new(report))
}

fn check_digest(contract: &Contract, args: &SourceArgs) -> Result<(), Failure> {
    match &args.expect_digest {
        Some(expected) if *expected != contract.digest => {
            Err(Failure::new(Kind::DigestDiffers, "this is not the contract that was expected")
                .detail("expected", expected)
                .detail("found", &contract.digest)
                .next("ask whoever wrote the contract whether it was changed on purpose"))
        }
        _ => Ok(()),
    }
}

fn absent(text: &Text) -> Unchecked {
    let detail = |text: String| Detail { label: "read".to_owned(), text };
    Unchecked {
        reason: UncheckedReason::NoContract,
        details: vec![detail(format!("{}, no acceptance block", text.info.source))],
        next: vec!["a maintainer adds an acceptance block, before the work starts".to_owned()],
    }
}

pub(super) fn none_named(command: Command) -> Failure {
    let word = command.word();
    let mut failure = Failure::new(Kind::NoContractNamed, "no contract was named")
        .next("name one:")
        .next(format!("  agent-acceptance {word} contract.md       a file, or - for stdin"));
    if has_flag("issue") {
        failure = failure
            .next(format!("  agent-acceptance {word} --issue 12        an issue of this repository"))
            .next(format!("  agent-acceptance {word} --pr 31           the issue that #31 closes"));
    }
    failure
}

/// Adds what may have been meant when there is no such file.
fn hinted(failure: Failure, named: &str, command: Command) -> Failure {
    let number = named.rsplit('#').next().unwrap_or(named);
    let is_issue = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let is_url = named.starts_with("https://") || named.starts_with("http://");
    if has_flag("issue") && (is_issue || is_url) {
        let flag = if named.contains("/pull/") { "pr" } else { "issue" };
        return failure.next(format!("did you mean the issue?  agent-acceptance {} --{flag} {named}", command.word()));
    }
    failure
}

/// Returns whether this build knows a flag: contracts from GitHub can be left out.
fn has_flag(long: &str) -> bool {
    Cli::command().get_subcommands().any(|command| command.get_arguments().any(|arg| arg.get_long() == Some(long)))
}
