//! `check --demo`: the story of the tests that were never written, in a temporary repository. A change that
//! only claims its test fails; the honest one passes.

mod story;

use super::check;
use super::deliver::Delivery;
use super::runs;
use super::world::{World, git};
use crate::cli::{CheckArgs, RangeArgs, SourceArgs};
use crate::contract::{self, Reading};
use crate::error::{Failure, Kind};
use crate::exec::Scratch;
use crate::facts::Known;
use crate::git::{Git, NewCommit};
use crate::report::{Report, Status};
use crate::settings::Settings;
use std::path::Path;
use story::{README, README_WITH_CLAIM, Story, TELLINGS};

const CONTRACT: &str = "issue.md";
const CLAIM: &str = "claim";
const HONEST: &str = "honest";

/// Tells the story. It ends as it always does, or something is wrong with this tool or this machine.
pub(super) fn run(settings: &Settings, args: &CheckArgs) -> Result<(), Failure> {
    let delivery = Delivery::to_streams(&settings.output);
    let git = git(settings)?;
    let scratch = Scratch::create(&std::env::temp_dir())?;
    let Told { story, claimed, honest } = told(settings, args, &git, &scratch)?;
    Delivery::say(&opening(&story))?;
    Delivery::say("1. An agent changes the code, and writes into README.md that it added a test.\n\n")?;
    delivery.show(&claimed)?;
    Delivery::say("\n2. An agent changes the code and adds the test.\n\n")?;
    delivery.show(&honest)?;
    Delivery::say(&format!("\n{}", closing(&story)))?;
    match (claimed.status, honest.status) {
        (Status::Failed, Status::Passed) => Ok(()),
        (_, Status::Error) => Err(honest.error.unwrap_or_else(unexpected)),
        _ => Err(unexpected()),
    }
}

/// The story and how both changes were judged.
struct Told {
    story: Story,
    claimed: Report,
    honest: Report,
}

fn unexpected() -> Failure {
    Failure::new(Kind::Bug, "the story did not end as it should")
}

/// Tells the story with the first runner that is here and works.
fn told(settings: &Settings, args: &CheckArgs, git: &Git, scratch: &Scratch) -> Result<Told, Failure> {
    for (index, story) in TELLINGS.into_iter().enumerate().filter(|(_, story)| is_readable(story)) {
        let folder = scratch.folder(&format!("story-{index}"))?;
        make(git, &folder, &story)?;
        let is_last = story.command.is_none();
        if !is_last && !can_run(settings, args, git, &folder)? {
            continue;
        }
        // An installation can be broken in ways that only a run shows.
        let honest = judged(settings, args, git, &folder, HONEST)?;
        if honest.status == Status::Passed || is_last {
            let claimed = judged(settings, args, git, &folder, CLAIM)?;
            return Ok(Told { story, claimed, honest });
        }
    }
    Err(unexpected())
}

/// Returns whether the contract is one: whether this build knows the story's runner.
fn is_readable(story: &Story) -> bool {
    matches!(contract::read(story.issue().as_bytes()), Reading::Valid(_))
}

fn make(git: &Git, folder: &Path, story: &Story) -> Result<(), Failure> {
    let issue = story.issue();
    let ([source, before, after], [tests, tests_before, tests_after]) = (story.source, story.tests);
    let start: Vec<(&str, &str)> =
        [(CONTRACT, issue.as_str()), ("README.md", README), (source, before), (tests, tests_before)]
            .into_iter()
            .chain(story.others.iter().copied())
            .collect();
    git.make_repository(
        folder,
        &[
            NewCommit { branch: "main", parent: None, subject: "Start", files: &start },
            NewCommit {
                branch: CLAIM,
                parent: Some("main"),
                subject: "Fix slugify and add a test",
                files: &[(source, after), ("README.md", README_WITH_CLAIM)],
            },
            NewCommit {
                branch: HONEST,
                parent: Some("main"),
                subject: "Collapse runs of separators",
                files: &[(source, after), (tests, tests_after)],
            },
        ],
    )
}

fn in_folder(settings: &Settings, args: &CheckArgs, folder: &Path) -> (Settings, CheckArgs) {
    let settings = Settings {
        command: settings.command.clone(),
        output: settings.output.clone(),
        directory: folder.to_owned(),
        environment: settings.environment.clone(),
    };
    let args = CheckArgs {
        source: SourceArgs { contract: Some(CONTRACT.into()), ..SourceArgs::default() },
        range: RangeArgs { base: Some("main".to_owned()), head: None },
        run: args.run.clone(),
        ..CheckArgs::default()
    };
    (settings, args)
}

fn can_run(settings: &Settings, args: &CheckArgs, git: &Git, folder: &Path) -> Result<bool, Failure> {
    git.switch(folder, HONEST)?;
    let (settings, args) = in_folder(settings, args, folder);
    let world = World::new(&settings, &args.range);
    let Reading::Valid(contract) = contract::read(&std::fs::read(folder.join(CONTRACT)).unwrap_or_default()) else {
        return Ok(false);
    };
    let options = runs::options(&settings, &args.run)?;
    let previews = runs::previews(&contract.plan(), &world, &options)?;
    Ok(previews.iter().all(|preview| matches!(preview, Known::Known(_))))
}

fn judged(settings: &Settings, args: &CheckArgs, git: &Git, folder: &Path, branch: &str) -> Result<Report, Failure> {
    git.switch(folder, branch)?;
    let (settings, args) = in_folder(settings, args, folder);
    Ok(check::run(&settings, &args))
}

fn opening(story: &Story) -> String {
    let issue: String = story.issue().lines().fold(String::new(), |all, line| {
        let line = format!("    {line}");
        all + line.trim_end() + "\n"
    });
    let missing = match story.command {
        Some(_) => "",
        None => "No test runner of this story is installed here, so no test is run.\n\n",
    };
    format!("A maintainer writes an issue, with a contract, before the work starts:\n\n{issue}\n{missing}")
}

fn closing(story: &Story) -> String {
    let tests = if story.command.is_some() { ", and the tests were run here" } else { "" };
    format!(
        "Nobody's word was taken: files and lines were read from git{tests}.\nNext: put an acceptance block into an \
         issue or a file, and say\n\n    agent-acceptance explain FILE --base main\n"
    )
}
