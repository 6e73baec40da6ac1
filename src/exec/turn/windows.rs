//! Turns on Windows, where a folder cannot be locked: a file in the folder for temporary files, which belongs to one
//! user, open without sharing.

use super::Look;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::os::windows::fs::OpenOptionsExt as _;
use std::path::Path;

/// What opening reports while another process holds the file.
const ERROR_SHARING_VIOLATION: i32 = 32;

/// A held turn.
#[derive(Debug)]
pub(super) struct Held {
    _file: File,
}

/// Takes the turn if it is free.
pub(super) fn look(folder: &Path, temp_dir: &Path) -> Look {
    let digest = Sha256::digest(folder.as_os_str().as_encoded_bytes());
    let mut name = "agent-acceptance-turn-".to_owned();
    for byte in digest.iter().take(16) {
        let _ = write!(name, "{byte:02x}");
    }
    match OpenOptions::new().write(true).create(true).truncate(false).share_mode(0).open(temp_dir.join(name)) {
        Ok(file) => Look::Held(Held { _file: file }),
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Look::Taken,
        Err(_) => Look::NoLocks,
    }
}
