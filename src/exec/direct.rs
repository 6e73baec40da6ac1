//! Starts one process and waits for it, for programs of this tool that already run under a supervisor: they pass
//! tests on one by one, and a supervisor for each would cost more than the test. Whatever is left running is ended
//! with the run. Knows nothing of what is started.

use std::ffi::{OsStr, OsString};
use std::io::{PipeReader, Read as _, Result};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// Output that comes later than this after a process's end is somebody else's, who inherited its stdout.
const GRACE: Duration = Duration::from_millis(200);

/// A process to start in this one's environment and folder.
#[derive(Debug, Clone)]
pub struct Direct<'a> {
    /// The program.
    pub program: &'a OsStr,
    /// Its arguments.
    pub args: &'a [OsString],
    /// Variables that it does not inherit.
    pub without: &'a [&'a str],
    /// Variables that are set for it.
    pub with: &'a [(OsString, OsString)],
}

/// What happens to what it prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// It goes where this process's goes.
    Inherited,
    /// Its stdout is read.
    Stdout,
    /// Its stdout and stderr are read, in the order in which they are written.
    Both,
    /// What it writes to its *stdin*, which is a pipe to here, is read; its stdout and stderr go where this process's go.
    FromStdin,
}

/// How many pieces may wait to be taken; a process that prints more waits itself.
const QUEUE: usize = 16;

enum Event {
    Piece(Vec<u8>),
    End,
    Exited(Result<ExitStatus>),
}

/// Runs a process to its own end, not to the end of its output: what it started may hold that open.
///
/// # Errors
/// It could not be started or waited for.
pub fn run_direct(direct: &Direct<'_>, output: Output, take: &mut dyn FnMut(&[u8])) -> Result<ExitStatus> {
    let (mut child, reader) = start(direct, output)?;
    let Some(reader) = reader else { return child.wait() };
    let (sender, events) = sync_channel(QUEUE);
    let of_reader = sender.clone();
    std::thread::spawn(move || read(reader, &of_reader));
    std::thread::spawn(move || {
        // Nobody listens any more when the receiver is gone; then nothing is left to tell.
        let _ = sender.send(Event::Exited(child.wait()));
    });
    let mut status = None;
    let mut has_ended = false;
    loop {
        let event = match &status {
            None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(_) if has_ended => Err(RecvTimeoutError::Disconnected),
            Some(_) => events.recv_timeout(GRACE),
        };
        match (event, status.take()) {
            (Ok(Event::Piece(piece)), before) => {
                take(&piece);
                status = before;
            }
            (Ok(Event::End), before) => {
                has_ended = true;
                status = before;
            }
            (Ok(Event::Exited(end)), _) => status = Some(end),
            (Err(_), Some(end)) => return end,
            (Err(_), None) => return Err(std::io::Error::other("the process was lost")),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "`exec` is the room that starts processes")]
fn start(direct: &Direct<'_>, output: Output) -> Result<(Child, Option<PipeReader>)> {
    let mut command = Command::new(direct.program);
    command.args(direct.args).stdin(Stdio::null());
    for name in direct.without {
        command.env_remove(name);
    }
    command.envs(direct.with.iter().map(|(name, value)| (name, value)));
    if output == Output::Inherited {
        return Ok((command.spawn()?, None));
    }
    let (reader, writer) = std::io::pipe()?;
    if output == Output::FromStdin {
        command.stdin(writer);
        return Ok((command.spawn()?, Some(reader)));
    }
    if output == Output::Both {
        command.stderr(writer.try_clone()?);
    }
    command.stdout(writer);
    // The command keeps its ends of the pipe open until it is dropped, which is at the end of this function.
    Ok((command.spawn()?, Some(reader)))
}

fn read(mut reader: PipeReader, events: &SyncSender<Event>) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let event = match reader.read(&mut buffer) {
            Ok(0) => Event::End,
            Ok(n_bytes) => Event::Piece(buffer[..n_bytes].to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => Event::End,
        };
        let is_end = matches!(event, Event::End);
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::{Direct, Output, run_direct};
    use std::ffi::{OsStr, OsString};
    use std::time::{Duration, Instant};

    fn shell(script: &str, output: Output) -> (Option<i32>, String) {
        let args = ["-c", script].map(OsString::from);
        let with = [(OsString::from("GIVEN"), OsString::from("yes"))];
        let direct = Direct { program: OsStr::new("/bin/sh"), args: &args, without: &["HOME"], with: &with };
        let mut text = Vec::new();
        let status = run_direct(&direct, output, &mut |piece| text.extend_from_slice(piece)).unwrap();
        (status.code(), String::from_utf8(text).unwrap())
    }

    #[test]
    fn status_output_and_environment_are_as_asked_for() {
        assert_eq!(shell("echo $GIVEN$HOME; exit 3", Output::Stdout), (Some(3), "yes\n".to_owned()));
        assert_eq!(shell("echo a; echo b >&2; echo c", Output::Both), (Some(0), "a\nb\nc\n".to_owned()));
        assert_eq!(shell("exit 4", Output::Inherited), (Some(4), String::new()));
        assert_eq!(shell("kill -9 $$", Output::Stdout).0, None);
        assert_eq!(shell("echo a >&0; exit 5", Output::FromStdin), (Some(5), "a\n".to_owned()));
    }

    #[test]
    fn a_child_that_holds_stdout_open_does_not_hold_the_run() {
        let started = Instant::now();
        assert_eq!(shell("sleep 30 & echo a", Output::Stdout), (Some(0), "a\n".to_owned()));
        assert!(started.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn a_program_that_is_not_there_is_an_error() {
        let direct = Direct { program: OsStr::new("/nowhere/at-all"), args: &[], without: &[], with: &[] };
        assert!(run_direct(&direct, Output::Stdout, &mut |_| {}).is_err());
    }
}
