//! The wish to stop, from Ctrl-C or a termination signal; knows nothing of what is running.

use crate::error::{Failure, Kind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether somebody asked the tool to stop. Clones share one answer.
#[derive(Debug, Clone, Default)]
pub struct Interrupt {
    raised: Arc<AtomicBool>,
}

impl Interrupt {
    /// Listens for Ctrl-C (Unix: SIGINT, SIGTERM, SIGHUP) from now on. The first one raises the flag, and
    /// whoever works ends what it started; a second one ends this process at once (supervisors notice).
    ///
    /// Only a program may call this, once; a library's host raises an interrupt of its own.
    pub fn listen() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let heard = interrupt.clone();
        ctrlc::set_handler(move || {
            if heard.raised.swap(true, Ordering::SeqCst) {
                #[expect(clippy::disallowed_methods, reason = "nobody answered the first signal")]
                std::process::exit(i32::from(crate::exit::Exit::Interrupted.code()));
            }
        })
        .map_err(|error| {
            Failure::new(Kind::ProcessFailed, "failed to listen for signals").detail("cause", error.to_string())
        })?;
        Ok(interrupt)
    }

    /// Asks to stop.
    pub fn raise(&self) {
        self.raised.store(true, Ordering::SeqCst);
    }

    /// Returns whether somebody asked to stop.
    pub fn is_raised(&self) -> bool {
        self.raised.load(Ordering::SeqCst)
    }

    /// Returns the failure to end with when somebody asked to stop; for the time between two steps.
    pub fn check(&self) -> Result<(), Failure> {
        if self.is_raised() { Err(Self::failure()) } else { Ok(()) }
    }

    /// Returns the failure of an interrupted step.
    pub(crate) fn failure() -> Failure {
        Failure::new(Kind::Interrupted, "interrupted")
    }
}
