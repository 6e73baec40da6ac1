//! Short questions to other programs (`node --version`), answered on stdout; knows nothing of what is asked.

use crate::error::Failure;
use crate::exec::{Interrupt, Supervisor};
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

/// Runs a probe and returns what it answered, whatever its exit status.
pub fn capture(_probe: &Probe<'_>, _interrupt: &Interrupt) -> Result<Captured, Failure> {
    Err(Failure::new(crate::error::Kind::ProcessFailed, "not built yet"))
}
