//! Lock files on Unix: `flock`, which the kernel lets go of when the last holder ends.

use rustix::fs::{FlockOperation, Mode, OFlags};
use std::io::{Error, Result};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::Path;

/// A held lock.
#[derive(Debug)]
pub(super) struct Lock {
    file: OwnedFd,
}

impl Lock {
    /// Makes the lock file and takes its lock. `None` when the name is taken, or a cleaner was quicker.
    pub(super) fn create(path: &Path) -> Result<Option<Self>> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW;
        match rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR) {
            Ok(file) => Self { file }.lock(path),
            Err(rustix::io::Errno::EXIST) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes the lock of a file that is there. `None` when somebody holds it, or it is not a file of ours.
    pub(super) fn take(path: &Path) -> Result<Option<Self>> {
        // Without NONBLOCK a named pipe of that name would keep us waiting.
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let lock = Self { file: rustix::fs::open(path, flags, Mode::empty())? };
        let stat = rustix::fs::fstat(&lock.file)?;
        let is_file = rustix::fs::FileType::from_raw_mode(stat.st_mode).is_file();
        if !is_file || stat.st_uid != rustix::process::geteuid().as_raw() {
            return Ok(None);
        }
        lock.lock(path)
    }

    /// Takes the lock, and makes sure that the file still is the one of that name: a cleaner may have removed it
    /// between opening and locking.
    fn lock(self, path: &Path) -> Result<Option<Self>> {
        match rustix::fs::flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        let held = rustix::fs::fstat(&self.file)?;
        match std::fs::symlink_metadata(path) {
            #[expect(clippy::useless_conversion, reason = "the width of these numbers differs between systems")]
            Ok(named)
                if named.dev() == u64::try_from(held.st_dev).map_err(Error::other)?
                    && named.ino() == u64::from(held.st_ino) =>
            {
                Ok(Some(self))
            }
            Ok(_) | Err(_) => Ok(None),
        }
    }

    /// Removes the lock file, then lets go of the lock.
    pub(super) fn discard(self, path: &Path) {
        // A file that stays is taken and removed by the next run.
        let _ = std::fs::remove_file(path);
        drop(self.file);
    }
}

/// Makes a folder that only its owner can enter.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)
}
