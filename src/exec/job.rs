//! What is asked of a run and what comes back; knows nothing of how processes are started or ended.

use crate::error::{Failure, Kind};
use crate::facts::ProcessEnd;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// The variable that tells a process where its records go; `channel` describes its value.
pub const CHANNEL_VARIABLE: &str = "AGENT_ACCEPTANCE_CHANNEL";

/// The variable that marks every process of one run, so that what is left of it can be found.
pub const RUN_VARIABLE: &str = "AGENT_ACCEPTANCE_RUN";

/// The variables that this tool gives to what it starts. They are no settings: whoever reads
/// `AGENT_ACCEPTANCE_*` as flags must pass over these.
pub const OWN_VARIABLES: &[&str] = &[CHANNEL_VARIABLE, RUN_VARIABLE];

/// The hidden first argument that makes the tool a supervisor; see [`crate::exec::supervisor_main`].
pub const SUPERVISOR_ARGUMENT: &str = "__exec";

/// The program that supervises runs: one that calls [`crate::exec::supervisor_main`] when its first argument
/// is [`SUPERVISOR_ARGUMENT`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supervisor {
    /// Its executable.
    pub program: PathBuf,
}

impl Supervisor {
    /// Names the running executable. A library's host that does not answer to [`SUPERVISOR_ARGUMENT`] must
    /// name the tool's executable instead.
    pub fn this_program() -> Result<Self, Failure> {
        match std::env::current_exe() {
            Ok(program) => Ok(Self { program }),
            Err(error) => Err(Failure::new(Kind::ProcessFailed, "failed to find this program's own executable")
                .detail("cause", error.to_string())),
        }
    }
}

/// A process to run under the supervisor.
#[derive(Debug, Clone)]
pub struct Job {
    /// The program, absolute; a bare name is not looked up.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The whole environment that it gets, beside [`OWN_VARIABLES`].
    pub env: Vec<(OsString, OsString)>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// How long it may take.
    pub deadline: Duration,
    /// How many bytes of its output are kept: the first and the last half of this.
    pub output_cap: usize,
    /// How records leave it.
    pub channel: ChannelKind,
    /// A private folder of this job, best inside a [`crate::exec::Scratch`]: sockets, temporary files.
    pub private: PathBuf,
    /// Who supervises it.
    pub supervisor: Supervisor,
}

/// How records leave a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelKind {
    /// They do not.
    None,
    /// One connection to a private socket; every further one is refused and told as a fault.
    Once,
    /// Several connections, each of a process that runs the supervisor's own executable.
    Many,
    /// The process's stdout is one end of a socket pair; each line is a record of connection 0.
    Stdout,
}

/// What happens while a process runs. Called from one thread, the one that called [`crate::exec::run()`].
pub trait Observer {
    /// Takes one line of records, without its line end. `connection` counts from 0.
    fn record(&mut self, connection: usize, line: &[u8]);

    /// Takes a piece of what the process prints, as it comes.
    fn output(&mut self, _piece: &[u8]) {}

    /// Is called a few times a second, for progress.
    fn tick(&mut self) {}
}

/// An observer for jobs without a channel, whose output is only kept.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoObserver;

impl Observer for NoObserver {
    fn record(&mut self, _connection: usize, _line: &[u8]) {}
}

/// How a job ended.
#[derive(Debug, Clone)]
pub struct Ended {
    /// The process's end.
    pub end: ProcessEnd,
    /// What was wrong with the channel itself, in words. Records that came before the fault were delivered;
    /// a run with a fault is never whole.
    pub channel_fault: Option<String>,
}
