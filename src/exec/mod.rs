//! The only room that starts processes: supervisor, deadline, private channel, environment.
//! Knows nothing of runners, contracts or git.
//!
//! [`run`] starts a [`Job`] under a supervisor process of its own and delivers its records and output to an
//! [`Observer`] while it runs; [`capture`] is the short form for questions such as `node --version`. Whatever
//! they started is ended when they return, also what detached itself.

mod capture;
pub mod channel;
pub mod environment;
mod find;
mod interrupt;
mod job;
mod run;
mod scratch;

pub use capture::{Captured, Probe, capture};
pub use environment::Environment;
pub use find::find_program;
pub use interrupt::Interrupt;
pub use job::{
    CHANNEL_VARIABLE, ChannelKind, Ended, Job, NoObserver, OWN_VARIABLES, Observer, RUN_VARIABLE, SUPERVISOR_ARGUMENT,
    Supervisor,
};
pub(crate) use run::end_marked;
pub use run::{protect_this_process, run, supervisor_main};
pub use scratch::Scratch;

use crate::error::{Failure, Kind};

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
