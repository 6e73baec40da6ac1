//! A contract in a file.

use super::MAX_BYTES;
use crate::error::{Failure, Kind};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// Reads a file as it lies on the disk; `shown` is how the user called it.
pub fn read_file(path: &Path, shown: &str) -> Result<Vec<u8>, Failure> {
    let not_found = |message: String| Failure::new(Kind::ContractNotFound, message);
    let unreadable = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => not_found(format!("there is no file named `{shown}`")),
        io::ErrorKind::IsADirectory => not_found(format!("`{shown}` is a folder, not a contract")),
        _ => not_found(format!("failed to read `{shown}`")).detail("cause", error.to_string()),
    };
    // A pipe without a writer would never answer, and a device never end.
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    if metadata.is_dir() {
        return Err(unreadable(&io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Err(not_found(format!("`{shown}` is not a regular file")).next("pipe the contract in: use - for stdin"));
    }
    let mut text = Vec::new();
    let mut file = File::open(path).map_err(|error| unreadable(&error))?;
    file.by_ref().take(MAX_BYTES).read_to_end(&mut text).map_err(|error| unreadable(&error))?;
    Ok(text)
}
