//! The process that nextest hands one test to: it runs the test, passes what it prints on, and tells the result.
//! nextest itself calls a test passed when its process ends with status 0, also before libtest told a result.

use crate::exec::channel::Connection;
use crate::exec::{CHANNEL_VARIABLE, Direct, Output, run_direct};
use crate::facts::Status;
use crate::runners::cargo_test::libtest::{Tail, failure, one_passed};
use crate::runners::cargo_test::messages::{Message, OneTest};
use crate::runners::protocol::message as cut;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;
use std::process::ExitStatus;

const FAILED: u8 = 101;

/// Runs one test. The arguments are the names of the variables that named this runner, with commas; the number of
/// the configured runner's words; these; the binary and its arguments. Returns the exit status.
pub(crate) fn main(args: &[OsString]) -> u8 {
    run(args).unwrap_or_else(|why| {
        // Nobody is left to tell when stderr is closed.
        let _ = writeln!(std::io::stderr(), "error: {why}");
        FAILED
    })
}

fn run(args: &[OsString]) -> Result<u8, String> {
    let [variables, n_words, rest @ ..] = args else { return Err("nothing to run".to_owned()) };
    let n_words: usize = n_words.to_str().and_then(|it| it.parse().ok()).unwrap_or_default();
    let (command, args) = rest.split_at((n_words + 1).min(rest.len()));
    let [program, words @ ..] = command else { return Err("nothing to run".to_owned()) };
    let variables = variables.to_string_lossy();
    let mut without: Vec<&str> = variables.split(',').collect();
    without.extend([CHANNEL_VARIABLE, "CARGO_TARGET_DIR"]);
    let all: Vec<OsString> = words.iter().chain(args).cloned().collect();
    let direct = Direct { program, args: &all, without: &without, with: &[] };
    let name = test_name(args);
    let connection = match name {
        Some(_) => Connection::of_environment().map_err(|failure| failure.to_string())?,
        None => None,
    };
    let (Some(name), Some(mut connection)) = (name, connection) else {
        let status = run_direct(&direct, Output::Inherited, &mut |_| {}).map_err(|error| error.to_string())?;
        return Ok(code_of(status));
    };
    let mut tail = Tail::default();
    let mut stdout = std::io::stdout();
    let status = run_direct(&direct, Output::Stdout, &mut |piece| {
        tail.push(piece);
        // nextest may stop reading; the test goes on.
        let _ = stdout.write_all(piece);
    })
    .map_err(|error| error.to_string())?;
    let _ = stdout.flush();
    let output = tail.text();
    let n_filtered = one_passed(&output);
    let passed = status.success() && n_filtered.is_some();
    let (said, line) = if passed { (None, None) } else { failure(&output, &name) };
    let message = if passed {
        None
    } else if status.success() {
        Some("it ended its process with status 0 before libtest told its result".to_owned())
    } else {
        Some(cut(&said.unwrap_or_else(|| format!("its process ended with {status}"))))
    };
    let outcome = if passed { Status::Passed } else { Status::Failed };
    let path = Path::new(command.last().unwrap_or(program));
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let record = Message::One { path, test: OneTest { name, status: outcome, line, message }, n_filtered };
    let text = serde_json::to_vec(&record).unwrap_or_default();
    connection.send(&text).map_err(|failure| failure.to_string())?;
    if !passed && status.success() {
        return Err("the test ended its process before libtest told its result".to_owned());
    }
    Ok(code_of(status))
}

fn code_of(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED)
}

/// nextest starts a test as `--exact NAME --nocapture`, and lists as `--list --format terse`.
fn test_name(args: &[OsString]) -> Option<String> {
    if args.iter().any(|word| word == "--list") {
        return None;
    }
    let at = args.iter().position(|word| word == "--exact")?;
    args.get(at + 1)?.to_str().map(str::to_owned)
}
