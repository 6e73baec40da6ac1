//! Short questions to other programs (`node --version`), answered on stdout; knows nothing of what is asked.

use crate::error::Failure;
use crate::exec::run::{Sink, Stream, Task, drive};
use crate::exec::supervise::Streams;
use crate::exec::{ChannelKind, Interrupt, Supervisor};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

/// A short process whose stdout is the answer.
#[derive(Debug, Clone, Copy)]
pub struct Probe<'a> {
    /// The program, absolute.
    pub program: &'a Path,
    /// Its arguments.
    pub args: &'a [OsString],
    /// The whole environment that it gets.
    pub env: &'a [(OsString, OsString)],
    /// Where it runs.
    pub cwd: &'a Path,
    /// How long it may take.
    pub deadline: Duration,
    /// How many bytes of stdout and of stderr are kept, each; more is cut and told.
    pub output_cap: usize,
    /// Who supervises it.
    pub supervisor: &'a Supervisor,
}

/// What a probe answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes of stdout.
    pub stdout: Vec<u8>,
    /// The first bytes of stderr.
    pub stderr: Vec<u8>,
    /// Whether there was more of either.
    pub is_cut: bool,
    /// The exit status, `None` when a signal or the deadline ended it.
    pub exit_status: Option<i32>,
    /// Whether its time was up.
    pub timed_out: bool,
}

/// Runs a probe and returns what it answered, whatever its exit status. Everything that it started has ended then:
/// a question to a program that the change under test configures may start anything.
///
/// # Errors
/// It could not be started, or what it started could not be ended; or `interrupt` was raised.
pub fn capture(probe: &Probe<'_>, interrupt: &Interrupt) -> Result<Captured, Failure> {
    let task = Task {
        program: probe.program,
        args: probe.args,
        env: probe.env,
        cwd: probe.cwd,
        deadline: probe.deadline,
        supervisor: probe.supervisor,
        streams: Streams::Separate,
        private: Path::new("probe"),
    };
    let mut answer = Answer { cap: probe.output_cap, stdout: Vec::new(), stderr: Vec::new(), is_cut: false };
    let (report, _) = drive(&task, ChannelKind::None, &mut answer, interrupt)?;
    Ok(Captured {
        stdout: answer.stdout,
        stderr: answer.stderr,
        is_cut: answer.is_cut,
        exit_status: report.exit_status,
        timed_out: report.timed_out,
    })
}

struct Answer {
    cap: usize,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    is_cut: bool,
}

impl Sink for Answer {
    fn record(&mut self, _connection: usize, _line: &[u8]) {}

    fn output(&mut self, stream: Stream, piece: &[u8]) {
        let kept = match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        };
        let n_kept = piece.len().min(self.cap - kept.len());
        kept.extend_from_slice(&piece[..n_kept]);
        self.is_cut |= n_kept < piece.len();
    }

    fn tick(&mut self) {}
}
