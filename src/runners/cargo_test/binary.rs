//! The process that cargo hands one test binary to: it lists the binary's tests and runs them one at a time, each in
//! a process of its own. In parallel processes, tests that a static mutex serialises failed.

use super::libtest::{List, Tail, failure, is_one_passed, read_list};
use super::messages::{Message, OneTest};
use super::telling::Telling;
use crate::error::Failure;
use crate::exec::channel::Connection;
use crate::exec::{CHANNEL_VARIABLE, Direct, Output, run_direct};
use crate::facts::Status;
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::Path;
use std::process::ExitStatus;

const FAILED: u8 = 101;

/// A test binary, and how it is started.
struct Binary<'a> {
    /// The configured runner's words and the binary.
    command: &'a [OsString],
    /// What cargo gives it.
    args: &'a [OsString],
    /// Variables that the tests do not get: cargo would use them when a test runs cargo.
    without: Vec<&'a str>,
}

/// Runs one binary. The arguments are the name of the variable that named this runner, the number of the configured
/// runner's words, these, the binary and its arguments. Returns the exit status.
pub(crate) fn main(args: &[OsString]) -> u8 {
    let Some((variable, n_words, rest)) = split(args) else { return FAILED };
    let (command, args) = rest.split_at((n_words + 1).min(rest.len()));
    let without = vec![CHANNEL_VARIABLE, "CARGO_TARGET_DIR", variable];
    let binary = Binary { command, args, without };
    let connection = match Connection::of_environment() {
        Ok(Some(connection)) => connection,
        // A cargo that a test started: it is nobody's business.
        Ok(None) => return binary.pass_through(),
        Err(failure) => return complain(&failure),
    };
    match binary.run(&mut Telling::new(connection)) {
        Ok(true) => 0,
        Ok(false) => FAILED,
        Err(failure) => complain(&failure),
    }
}

fn split(args: &[OsString]) -> Option<(&str, usize, &[OsString])> {
    let [variable, n_words, rest @ ..] = args else { return None };
    let n_words: usize = n_words.to_str()?.parse().ok()?;
    (rest.len() > n_words).then_some((variable.to_str()?, n_words, rest))
}

fn complain(failure: &Failure) -> u8 {
    // Nobody is left to tell when stderr is closed.
    let _ = writeln!(std::io::stderr(), "error: {failure}");
    FAILED
}

impl Binary<'_> {
    /// Starts the binary with arguments; returns how it ended and the end of its stdout.
    fn start(&self, args: &[OsString], output: Output) -> std::io::Result<(ExitStatus, Tail)> {
        let (program, words) = self.command.split_first().ok_or(std::io::ErrorKind::InvalidInput)?;
        let args: Vec<OsString> = words.iter().chain(args).cloned().collect();
        let direct = Direct { program, args: &args, without: &self.without, with: &[] };
        let mut tail = Tail::default();
        let status = run_direct(&direct, output, &mut |piece| tail.push(piece))?;
        Ok((status, tail))
    }

    fn pass_through(&self) -> u8 {
        match self.start(self.args, Output::Inherited) {
            Ok((status, _)) => status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED),
            Err(_) => FAILED,
        }
    }

    fn list(&self, args: &[OsString]) -> Result<List, Failure> {
        let mut whole = Vec::new();
        let (program, words) = self.command.split_first().ok_or_else(|| not_started("nothing"))?;
        let tail = ["--list", "--format", "terse"].map(OsString::from);
        let args: Vec<OsString> = words.iter().chain(args).chain(&tail).cloned().collect();
        let direct = Direct { program, args: &args, without: &self.without, with: &[] };
        let status = run_direct(&direct, Output::Stdout, &mut |piece| {
            // No list is longer; what floods here is none.
            if whole.len() < 64 << 20 {
                whole.extend_from_slice(piece);
            }
        })
        .map_err(|error| not_started(&error.to_string()))?;
        Ok(read_list(&whole, status.success()))
    }

    /// Returns whether everything passed.
    fn run(&self, telling: &mut Telling) -> Result<bool, Failure> {
        let path = Path::new(self.command.last().map_or(OsStr::new(""), OsString::as_os_str));
        telling.tell(&Message::Binary(path.canonicalize().unwrap_or_else(|_| path.to_owned())))?;
        let List::Tests(chosen) = self.list(self.args)? else { return self.own_harness(telling) };
        let has = |flag: &str| self.args.iter().any(|arg| arg == flag);
        let runs_ignored = has("--ignored") || has("--include-ignored");
        let ignored = if runs_ignored || chosen.is_empty() {
            Vec::new()
        } else {
            let args: Vec<OsString> = self.args.iter().cloned().chain(["--ignored".into()]).collect();
            match self.list(&args)? {
                List::Tests(ignored) => ignored,
                List::NoList => return self.own_harness(telling),
            }
        };
        let n_all = match self.list(&[])? {
            List::Tests(all) => all.len(),
            List::NoList => return self.own_harness(telling),
        };
        let mut all_passed = true;
        for name in &chosen {
            let test = if ignored.contains(name) {
                OneTest { name: name.clone(), status: Status::Skipped, line: None, message: None }
            } else {
                self.one(name, runs_ignored, n_all)
            };
            all_passed &= !test.status.is_bad();
            telling.test(test)?;
        }
        telling.flush()?;
        telling.tell(&Message::BinaryEnd { total: chosen.len() })?;
        Ok(all_passed)
    }

    fn one(&self, name: &str, runs_ignored: bool, n_all: usize) -> OneTest {
        let mut args: Vec<OsString> = vec!["--exact".into(), name.into()];
        if runs_ignored {
            args.push("--include-ignored".into());
        }
        let failed =
            |message: Option<String>, line| OneTest { name: name.to_owned(), status: Status::Failed, line, message };
        let (status, tail) = match self.start(&args, Output::Stdout) {
            Ok(ended) => ended,
            Err(error) => return failed(Some(format!("it could not be started: {error}")), None),
        };
        let output = tail.text();
        if status.success() && is_one_passed(&output, n_all.saturating_sub(1)) {
            return OneTest { name: name.to_owned(), status: Status::Passed, line: None, message: None };
        }
        // For whoever reads the output of the run.
        let _ = std::io::stdout().write_all(output.as_bytes());
        if status.success() {
            return failed(Some("it ended its process with status 0 before libtest told its result".to_owned()), None);
        }
        let (said, line) = failure(&output, name);
        match status.code() {
            Some(101) => failed(said, line),
            Some(code) => {
                failed(Some(format!("its process ended with status {code}\n{}", said.unwrap_or_default())), line)
            }
            None => {
                failed(Some(format!("its process ended by a signal ({status})\n{}", said.unwrap_or_default())), line)
            }
        }
    }

    /// A binary that does not list tests is one test.
    fn own_harness(&self, telling: &mut Telling) -> Result<bool, Failure> {
        let (status, tail) = match self.start(self.args, Output::Stdout) {
            Ok(ended) => ended,
            Err(error) => return Err(not_started(&error.to_string())),
        };
        let _ = std::io::stdout().write_all(tail.text().as_bytes());
        let passed = status.success();
        let message = (!passed).then(|| crate::runners::protocol::message(&format!("{status}\n{}", tail.text())));
        let status = if passed { Status::Passed } else { Status::Failed };
        telling.tell(&Message::OwnHarness { status, message })?;
        telling.tell(&Message::BinaryEnd { total: 1 })?;
        Ok(passed)
    }
}

fn not_started(cause: &str) -> Failure {
    Failure::new(crate::error::Kind::ProcessFailed, "a test binary could not be started").detail("cause", cause)
}
