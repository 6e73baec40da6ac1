//! Turns on Unix: `flock` on the folder itself, so that nothing is written anywhere.

use super::Look;
use rustix::fs::{FlockOperation, Mode, OFlags};
use std::os::fd::OwnedFd;
use std::path::Path;

/// A held turn.
#[derive(Debug)]
pub(super) struct Held {
    _folder: OwnedFd,
}

/// Takes the turn if it is free.
pub(super) fn look(folder: &Path, _temp_dir: &Path) -> Look {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(opened) = rustix::fs::open(folder, flags, Mode::empty()) else { return Look::NoLocks };
    match rustix::fs::flock(&opened, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Look::Held(Held { _folder: opened }),
        Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => Look::Taken,
        Err(_) => Look::NoLocks,
    }
}
