//! Seals on records: each line carries a code that only who was given the key can make, so that a process which writes
//! to the reporter's open socket, from inside the reporter's own process even, adds nothing.
//! Does no I/O but to write the key where the reporter finds it.

use crate::error::{Failure, Kind};
use sha2::{Digest as _, Sha256};
use std::path::Path;

/// The file in the private folder that holds the key, in hexadecimal. The reporter reads it and takes it away before
/// any code of the change is loaded; it stands in no variable, which a process could read back.
const KEY_FILE: &str = "channel-key";

const KEY_LENGTH: usize = 64;

/// The length of SHA-256's blocks, in bytes.
const BLOCK: usize = 64;

/// How long a code is in hexadecimal.
const CODE_LENGTH: usize = 64;

/// The key of one channel.
#[derive(Debug, Clone)]
pub(in crate::exec) struct Key(String);

impl Key {
    /// Makes a key and leaves it in the private folder.
    ///
    /// # Errors
    /// Fails when it cannot be written.
    pub(in crate::exec) fn leave_in(private: &Path) -> Result<Self, Failure> {
        let key = crate::exec::random_hex(KEY_LENGTH)?;
        let place = private.join(KEY_FILE);
        std::fs::write(&place, &key).map_err(|error| {
            Failure::new(Kind::Io, format!("failed to write `{}`: {error}", place.display())).caused_by(&error)
        })?;
        Ok(Self(key))
    }

    /// Takes away a key that no reporter took.
    pub(in crate::exec) fn remove_from(private: &Path) {
        // It is in a private folder, which is removed anyway.
        let _ = std::fs::remove_file(private.join(KEY_FILE));
    }
}

/// The seal of one connection: every line has its number, so that none can be repeated or left out.
#[derive(Debug)]
pub(super) struct Seal {
    key: Key,
    next: u64,
}

impl Seal {
    pub(super) const fn new(key: Key) -> Self {
        Self { key, next: 0 }
    }

    /// Opens a sealed line: `CODE RECORD`. `None` when the code is not the one of this line.
    pub(super) fn open<'a>(&mut self, line: &'a [u8]) -> Option<&'a [u8]> {
        let (code, rest) = line.split_at_checked(CODE_LENGTH)?;
        let record = rest.strip_prefix(b" ")?;
        let expected = code_of(self.key.0.as_bytes(), self.next, record);
        self.next += 1;
        (code == expected.as_bytes()).then_some(record)
    }
}

/// HMAC-SHA256 (RFC 2104) over `NUMBER:RECORD`, in hexadecimal. The key is as long as a block.
fn code_of(key: &[u8], number: u64, record: &[u8]) -> String {
    use std::fmt::Write as _;
    let padded = |pad: u8| -> [u8; BLOCK] { std::array::from_fn(|at| key.get(at).copied().unwrap_or(0) ^ pad) };
    let inner = Sha256::new()
        .chain_update(padded(0x36))
        .chain_update(number.to_string())
        .chain_update(b":")
        .chain_update(record)
        .finalize();
    let outer = Sha256::new().chain_update(padded(0x5c)).chain_update(inner).finalize();
    outer.iter().fold(String::with_capacity(CODE_LENGTH), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Seals lines as a reporter does.
    pub(in crate::exec) fn sealed(key: &str, records: &[&str]) -> Vec<String> {
        let code = |(number, record): (usize, &&str)| {
            format!("{} {record}", code_of(key.as_bytes(), number as u64, record.as_bytes()))
        };
        records.iter().enumerate().map(code).collect()
    }

    pub(in crate::exec) fn key(text: &str) -> Key {
        Key(text.to_owned())
    }

    #[test]
    fn codes_are_those_of_the_standard() {
        // Made with Python's `hmac.new(b"k" * 64, b"7:record", "sha256").hexdigest()`.
        let expected = "5ea6c6dd54c210e238a3f8f663fc0e223190a97da5b4c3d68ad9be0f781c1661";
        assert_eq!(code_of(&[b'k'; 64], 7, b"record"), expected);
    }

    #[test]
    fn a_line_is_opened_once_in_its_turn_and_no_other_is() {
        let lines = sealed(&"k".repeat(64), &["a", "b"]);
        let open = |order: &[&str]| -> Vec<Option<Vec<u8>>> {
            let mut seal = Seal::new(key(&"k".repeat(64)));
            order.iter().map(|line| seal.open(line.as_bytes()).map(<[u8]>::to_vec)).collect()
        };
        let a = Some(b"a".to_vec());
        assert_eq!(open(&[&lines[0], &lines[1]]), [a.clone(), Some(b"b".to_vec())]);
        assert_eq!(open(&[&lines[0], &lines[0]]), [a, None]);
        assert_eq!(open(&[&lines[1]]), [None]);
        for line in ["", "{}", "a", &lines[0][1..], &lines[0].replace(' ', "  ")] {
            assert_eq!(open(&[line]), [None], "{line}");
        }
    }
}
