//! Lock files on Windows: a file that is open without sharing, which the system closes when the owner ends.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Result};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

/// What opening reports while another process holds the file.
const ERROR_SHARING_VIOLATION: i32 = 32;

/// A held lock.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Makes the lock file and takes its lock. `None` when the name is taken.
    pub(super) fn create(path: &Path) -> Result<Option<Self>> {
        match OpenOptions::new().read(true).write(true).create_new(true).share_mode(0).open(path) {
            Ok(file) => Ok(Some(Self { file })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes the lock of a file that is there. `None` when somebody holds it, or it is not a file.
    pub(super) fn take(path: &Path) -> Result<Option<Self>> {
        if !std::fs::symlink_metadata(path)?.is_file() {
            return Ok(None);
        }
        match OpenOptions::new().read(true).write(true).share_mode(0).open(path) {
            Ok(file) => Ok(Some(Self { file })),
            Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Lets go of the lock and removes its file. An open file without sharing cannot be removed, so the order is
    /// the other way round than on Unix; a cleaner in between removes it for us.
    pub(super) fn discard(self, path: &Path) {
        drop(self.file);
        let _ = std::fs::remove_file(path);
    }
}

/// Makes a folder. Folders for temporary files belong to one user on Windows.
pub(super) fn make_folder(path: &Path) -> Result<()> {
    std::fs::create_dir(path)
}
