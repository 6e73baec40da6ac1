//! The only room that starts processes: supervisor, deadline, private channel, environment.
//! Knows nothing of runners, contracts or git.

use crate::facts::ProcessEnd;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// A process to run under the supervisor.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The whole environment that it gets.
    pub env: Vec<(OsString, OsString)>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// How long it may take.
    pub deadline: Duration,
    /// How many bytes of its output are kept: the first and the last half of this.
    pub output_cap: usize,
    /// How records leave it.
    pub channel: ChannelKind,
    /// A private folder of this job: sockets, temporary files.
    pub private: PathBuf,
}

/// How records leave a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelKind {
    /// They do not.
    None,
    /// One connection to a private socket, which is closed to others once it is accepted.
    Once,
    /// Several connections, each of a process that runs this program's own executable.
    Many,
    /// The process's stdout is one end of a socket pair.
    Stdout,
}

/// What happens while a process runs. Called from one thread.
pub trait Observer {
    /// Takes one line of records. `connection` counts from 0.
    fn record(&mut self, connection: usize, line: &[u8]);

    /// Takes a piece of what the process prints, as it comes.
    fn output(&mut self, _piece: &[u8]) {}

    /// Is called a few times a second, for progress.
    fn tick(&mut self) {}
}

/// How a job ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The process's end.
    pub end: ProcessEnd,
    /// What was wrong with the channel itself.
    pub channel_fault: Option<String>,
}
