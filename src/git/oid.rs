//! The name of an object, and the hash that proves it. Knows nothing of where objects lie.

use sha1::{Digest as _, Sha1};
use sha2::Sha256;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::io::{Cursor, Write as _};

/// How a repository names its objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectFormat {
    /// 40 hexadecimal digits.
    Sha1,
    /// 64 hexadecimal digits.
    Sha256,
}

impl ObjectFormat {
    /// Returns the length of a name in bytes.
    pub const fn length(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha256 => 32,
        }
    }

    /// Returns git's word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha256 => "sha256",
        }
    }
}

/// The full name of one object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Oid {
    bytes: [u8; 32],
    format: ObjectFormat,
}

impl Oid {
    /// Makes a name of raw bytes, which must have the format's length.
    pub(super) fn from_raw(raw: &[u8], format: ObjectFormat) -> Option<Self> {
        let mut bytes = [0; 32];
        bytes.get_mut(..format.length())?.copy_from_slice(raw.get(..format.length())?);
        (raw.len() == format.length()).then_some(Self { bytes, format })
    }

    /// Reads a full name of hexadecimal digits in either case.
    pub(super) fn parse(text: &[u8], format: ObjectFormat) -> Option<Self> {
        if text.len() != format.length() * 2 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(text.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(Self { bytes, format })
    }

    /// Writes the digits, in lower case, into `text`, and returns how many there are.
    pub(super) fn write_digits(&self, text: &mut [u8; 64]) -> usize {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        for (pair, byte) in text.chunks_exact_mut(2).zip(&self.bytes) {
            pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
        self.format.length() * 2
    }

    /// Returns the digits, in lower case.
    pub(super) fn to_hex(self) -> String {
        let mut text = [0; 64];
        let length = self.write_digits(&mut text);
        String::from_utf8_lossy(&text[..length]).into_owned()
    }
}

impl Hash for Oid {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The name is a hash already: nobody makes many that begin alike.
        let mut start = [0; 8];
        start.copy_from_slice(&self.bytes[..8]);
        state.write_u64(u64::from_ne_bytes(start));
    }
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_hex())
    }
}

impl fmt::Debug for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Hashes one object as git does: kind, size, content.
pub(super) enum ObjectHasher {
    Sha1(Sha1),
    Sha256(Sha256),
}

impl ObjectHasher {
    /// Starts with the header of an object.
    pub(super) fn new(format: ObjectFormat, kind: &str, size: u64) -> Self {
        let mut hasher = match format {
            ObjectFormat::Sha1 => Self::Sha1(Sha1::new()),
            ObjectFormat::Sha256 => Self::Sha256(Sha256::new()),
        };
        hasher.update(kind.as_bytes());
        // On the stack: there are many objects, and most are small.
        let mut rest = Cursor::new([0; 24]);
        write!(rest, " {size}\0").ok();
        let length = usize::try_from(rest.position()).unwrap_or_default();
        hasher.update(&rest.get_ref()[..length]);
        hasher
    }

    /// Takes a piece of the content.
    pub(super) fn update(&mut self, piece: &[u8]) {
        match self {
            Self::Sha1(hasher) => hasher.update(piece),
            Self::Sha256(hasher) => hasher.update(piece),
        }
    }

    /// Returns the name that the content has by right.
    pub(super) fn finish(self) -> Option<Oid> {
        match self {
            Self::Sha1(hasher) => Oid::from_raw(&hasher.finalize(), ObjectFormat::Sha1),
            Self::Sha256(hasher) => Oid::from_raw(&hasher.finalize(), ObjectFormat::Sha256),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blob_has_the_name_that_git_gives_it() {
        let mut hasher = ObjectHasher::new(ObjectFormat::Sha1, "blob", 6);
        hasher.update(b"hel");
        hasher.update(b"lo\n");
        assert_eq!(hasher.finish().unwrap().to_string(), "ce013625030ba8dba906f756967f9e9ca394464a");
        let hasher = ObjectHasher::new(ObjectFormat::Sha256, "blob", 0);
        assert_eq!(
            hasher.finish().unwrap().to_string(),
            "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
        );
    }

    #[test]
    fn only_a_full_name_of_the_right_format_is_read() {
        let text = "CE013625030ba8dba906f756967f9e9ca394464a";
        assert_eq!(Oid::parse(text.as_bytes(), ObjectFormat::Sha1).unwrap().to_string(), text.to_ascii_lowercase());
        for wrong in ["", "ce01", "zz013625030ba8dba906f756967f9e9ca394464a", "é0013625030ba8dba906f756967f9e9ca394464"]
        {
            assert!(Oid::parse(wrong.as_bytes(), ObjectFormat::Sha1).is_none(), "{wrong}");
        }
        assert!(Oid::parse(text.as_bytes(), ObjectFormat::Sha256).is_none());
    }
}
