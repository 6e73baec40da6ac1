//! The supervisor of one run: what it is told, what it reports, and how it is started.
//! Knows nothing of records.
//!
//! On Unix it is this program started again, in a session of its own: it gets an order over a socket, starts the
//! process, and ends everything when the process ends, when its time is up, or when the socket closes, be it that
//! the tool was killed. On Windows a job object does that, and the tool starts the process itself.

#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_supervisor;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub(super) use system::{Stopper, end_marked, protect_this_process, start};
#[cfg(unix)]
pub(super) use unix_supervisor::supervisor_main;
#[cfg(windows)]
pub(super) use windows::supervisor_main;

use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::io::Read;

/// What a supervisor is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) program: OsString,
    pub(super) args: Vec<OsString>,
    pub(super) env: Vec<(OsString, OsString)>,
    pub(super) cwd: OsString,
    pub(super) deadline_ms: u64,
    /// The value of the variable that marks the run's processes; it stands in `env` too.
    pub(super) mark: String,
}

/// What a supervisor reports when everything has ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Report {
    /// Why the process could not be started, and whether its program is not there.
    pub(super) not_started: Option<(String, bool)>,
    pub(super) exit_status: Option<i32>,
    pub(super) signal: Option<i32>,
    pub(super) timed_out: bool,
    /// Whether it was told to stop.
    pub(super) is_stopped: bool,
    /// Wall time of the process.
    pub(super) milliseconds: u64,
    /// How many processes lived on when the process had ended.
    pub(super) left_running: u32,
    /// Processes that could not be ended.
    pub(super) survivors: Vec<i32>,
    /// Why it is not known whether everything has ended.
    pub(super) fault: Option<String>,
}

/// How a supervisor came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Conclusion {
    /// It did its work.
    Reported(Report),
    /// It ended without a report: somebody killed it. What was under it has been ended since.
    #[cfg_attr(windows, expect(dead_code, reason = "there is no supervisor process that could be killed"))]
    Vanished {
        /// The signal that ended it.
        signal: Option<i32>,
        /// What was found left.
        report: Report,
    },
}

/// Where stdout and stderr of the process go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streams {
    /// Both into one pipe, which comes back as `stderr`.
    Merged,
    /// Each into a pipe of its own.
    Separate,
    /// stdout into a socket, which cannot be opened again through `/proc` as a pipe can, and stderr into a pipe.
    Records,
}

/// What a started process is read from.
pub(super) struct Outlets {
    pub(super) stdout: Option<Box<dyn Read + Send>>,
    pub(super) stderr: Box<dyn Read + Send>,
}
