//! The only room that starts processes: supervisor, deadline, private channel, environment.
//! Knows nothing of runners, contracts or git.
//!
//! [`run()`] starts a [`Job`] under a supervisor process of its own and delivers its records and output to an
//! [`Observer`] while it runs; [`capture()`] is the short form for questions such as `node --version`. Whatever
//! they started is ended when they return, also what detached itself.

mod capture;
pub mod channel;
mod clip;
mod direct;
pub mod environment;
mod find;
mod interrupt;
mod job;
#[cfg(unix)]
mod private_temp;
#[cfg(unix)]
mod processes;
mod run;
mod scratch;
mod supervise;
mod turn;

pub use capture::{Captured, Probe, capture};
pub use direct::{Direct, Output, run_direct};
pub use environment::Environment;
pub use find::find_program;
pub use interrupt::Interrupt;
pub use job::{
    CHANNEL_VARIABLE, ChannelKind, Ended, Job, NoObserver, OWN_VARIABLES, Observer, RUN_VARIABLE, SUPERVISOR_ARGUMENT,
    Supervisor,
};
pub use run::run;
pub use scratch::Scratch;
pub(crate) use turn::Turn;

use crate::error::{Failure, Kind};

/// Keeps this process's environment and memory from those it starts (Linux), and makes orphans of a killed
/// supervisor fall to it. For a program, as early as possible; a library must not do so to its host.
///
/// # Errors
/// The system refused; nothing under test should be started then.
pub fn protect_this_process() -> Result<(), Failure> {
    supervise::protect_this_process()
}

/// Is the supervisor of one run, and returns its exit status: to be called first of all when the first argument is
/// [`SUPERVISOR_ARGUMENT`], with the arguments after it.
pub fn supervisor_main(args: &[std::ffi::OsString]) -> u8 {
    supervise::supervisor_main(args)
}

/// Ends processes that a killed run has left, known by a private folder that was its.
pub(crate) fn end_marked(folder: &std::path::Path) {
    supervise::end_marked(folder);
}

/// Returns so many random hexadecimal digits; an even number of them.
pub(crate) fn random_hex(n_digits: usize) -> Result<String, Failure> {
    let mut bytes = vec![0; n_digits / 2];
    getrandom::fill(&mut bytes).map_err(|error| {
        Failure::new(Kind::ProcessFailed, "failed to get random bytes from the system")
            .detail("cause", error.to_string())
    })?;
    Ok(bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .filter_map(|digit| char::from_digit(digit.into(), 16))
        .collect())
}
