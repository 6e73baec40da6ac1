//! Turns: one holder of a folder at a time, where two would disturb each other. The system ends a turn with its
//! holder, whatever ends that one.
//! Knows nothing of what is done in a turn.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

use crate::error::{Failure, Kind};
use crate::exec::Interrupt;
use std::path::Path;
use std::time::{Duration, Instant};

/// How often is looked whether the turn has come.
const LOOK: Duration = Duration::from_millis(20);

/// A turn, which ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Turn {
    /// `None` where the file system has no locks: nobody waits for anybody then.
    _held: Option<system::Held>,
}

/// Who waits for longer does not wait for an honest run.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// What one look gives.
enum Look {
    Held(system::Held),
    Taken,
    NoLocks,
}

impl Turn {
    /// Waits for the turn with a folder. `temp_dir` is for systems that cannot lock a folder itself; `waiting` is
    /// called as long as somebody else holds it.
    ///
    /// # Errors
    /// Fails when somebody asks to stop, or the turn does not come within an hour.
    pub(crate) fn wait(
        folder: &Path,
        temp_dir: &Path,
        interrupt: &Interrupt,
        mut waiting: impl FnMut(),
    ) -> Result<Self, Failure> {
        let began = Instant::now();
        while began.elapsed() < LONGEST_WAIT {
            interrupt.check()?;
            match system::look(folder, temp_dir) {
                Look::Held(held) => return Ok(Self { _held: Some(held) }),
                Look::NoLocks => return Ok(Self { _held: None }),
                Look::Taken => waiting(),
            }
            std::thread::sleep(LOOK);
        }
        Err(Failure::new(Kind::ProcessFailed, "another check has been running in this checkout for an hour")
            .detail("locked", folder.display().to_string())
            .next("end it, or run the tests in private clones: --isolate"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_waited_for_and_an_interrupt_ends_the_wait() {
        let folder = tempfile::tempdir().unwrap();
        let interrupt = Interrupt::default();
        let never = || panic!("nobody else holds it");
        let first = Turn::wait(folder.path(), folder.path(), &interrupt, never).unwrap();
        let mut n_looks = 0;
        let stopped = Turn::wait(folder.path(), folder.path(), &interrupt, || {
            n_looks += 1;
            if n_looks == 3 {
                interrupt.raise();
            }
        });
        assert_eq!(stopped.unwrap_err().kind, Kind::Interrupted);
        drop(first);
        Turn::wait(folder.path(), folder.path(), &Interrupt::default(), never).unwrap();
    }
}
