//! The process that go hands one package's test binary to: it starts the binary with a pipe in place of its standard
//! input, over which package `testing` tells results, and passes them on.

use super::messages::{LISTENING, Message};
use crate::exec::channel::{Connection, LINE_CAP};
use crate::exec::{CHANNEL_VARIABLE, Direct, Output, run_direct};
use std::ffi::OsString;
use std::io::Write as _;

/// The status of a binary that was ended by a signal, as Go's own for a panic.
const FAILED: u8 = 2;

/// Runs one test binary; the arguments are its path and its own. Returns the exit status.
pub(crate) fn main(args: &[OsString]) -> u8 {
    run(args).unwrap_or_else(|why| {
        // Nobody is left to tell when stderr is closed.
        let _ = writeln!(std::io::stderr(), "error: {why}");
        FAILED
    })
}

fn run(args: &[OsString]) -> Result<u8, String> {
    let [program, args @ ..] = args else { return Err("nothing to run".to_owned()) };
    let connection = Connection::of_environment().map_err(|failure| failure.to_string())?;
    let mut connection = connection.ok_or_else(|| "no channel".to_owned())?;
    let with = [(OsString::from(LISTENING), OsString::from("1"))];
    let direct = Direct { program, args, without: &[CHANNEL_VARIABLE], with: &with };
    let mut lines = Lines::default();
    let mut lost = None;
    let status = run_direct(&direct, Output::FromStdin, &mut |piece| {
        let told = lines.take(piece);
        if let Err(failure) = send(&mut connection, told) {
            lost.get_or_insert(failure);
        }
    })
    .map_err(|error| error.to_string())?;
    if let Some(failure) = lost {
        return Err(failure);
    }
    if !lines.waiting.is_empty() {
        return Err("the tests' results stop in the middle of a line".to_owned());
    }
    let exit_status = status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED);
    let end = serde_json::to_vec(&Message::BinaryEnd { exit_status: exit_status.into() }).unwrap_or_default();
    connection.send(&end).map_err(|failure| failure.to_string())?;
    Ok(exit_status)
}

fn send(connection: &mut Connection, lines: Vec<String>) -> Result<(), String> {
    if lines.is_empty() {
        return Ok(());
    }
    let text = serde_json::to_vec(&Message::Lines(lines)).unwrap_or_default();
    connection.send(&text).map_err(|failure| failure.to_string())
}

/// Whole lines of what comes in pieces.
#[derive(Debug, Default)]
struct Lines {
    waiting: Vec<u8>,
}

impl Lines {
    fn take(&mut self, piece: &[u8]) -> Vec<String> {
        self.waiting.extend_from_slice(piece);
        let Some(end) = self.waiting.iter().rposition(|byte| *byte == b'\n') else {
            // A line that never ends is nobody's; the rest is dropped, and so is the run.
            self.waiting.truncate(LINE_CAP);
            return Vec::new();
        };
        let rest = self.waiting.split_off(end + 1);
        let whole = std::mem::replace(&mut self.waiting, rest);
        String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn lines_are_whole_however_they_come() {
        let mut lines = Lines::default();
        assert_eq!(lines.take(b"a\nb"), ["a"]);
        assert!(lines.take(b"c").is_empty());
        assert_eq!(lines.take(b"\nd\n"), ["bc", "d"]);
        assert!(lines.waiting.is_empty());
    }
}
