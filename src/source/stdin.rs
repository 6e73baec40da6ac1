//! A contract on stdin: used as it is.

use super::MAX_BYTES;
use crate::error::{Failure, Kind};
use std::io::Read as _;

/// Reads the text that is piped in.
pub fn read_stdin() -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    match std::io::stdin().lock().take(MAX_BYTES).read_to_end(&mut text) {
        Ok(_) => Ok(text),
        Err(error) => Err(Failure::new(Kind::ContractNotFound, "failed to read the contract from stdin")
            .detail("cause", error.to_string())),
    }
}
