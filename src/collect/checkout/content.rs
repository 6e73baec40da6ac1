//! Whether one file of the file system holds what an object of a tree holds, by hash, without filters.
//! Knows nothing of trees, stamps or who asks.

use crate::error::{Failure, Kind};
use sha1::Digest as _;
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Reads an object's bytes by its hash.
pub(crate) type ReadObject<'a> = &'a (dyn Fn(&str) -> Result<Vec<u8>, Failure> + Sync);

/// A file larger than this is not compared as text; no text file of a repository is.
const MAX_TEXT: u64 = 64 << 20;

/// Git calls a file text when this many first bytes hold no NUL byte.
const TEXT_PROBE: usize = 8000;

/// Returns whether the file holds the object's content, or text that differs in CRLF and LF only, or what
/// the object, a Git LFS pointer, points to.
///
/// # Errors
/// Fails when the file or the object cannot be read.
pub(super) fn holds(file: &Path, object: &str, read: ReadObject<'_>) -> Result<bool, Failure> {
    let opened = File::open(file).map_err(|error| unreadable(file, &error))?;
    let length = opened.metadata().map_err(|error| unreadable(file, &error))?.len();
    if hash_of_file(opened, length, object.len()).map_err(|error| unreadable(file, &error))? == object {
        return Ok(true);
    }
    let bytes =
        if length <= MAX_TEXT { std::fs::read(file).map_err(|error| unreadable(file, &error))? } else { Vec::new() };
    let text = is_text(&bytes) && length <= MAX_TEXT;
    if text && bytes.contains(&b'\r') && hash_of_blob(&with_lf(&bytes), object.len()) == object {
        return Ok(true);
    }
    let wanted = read(object)?;
    if let Some(pointer) = LfsPointer::parse(&wanted) {
        let opened = File::open(file).map_err(|error| unreadable(file, &error))?;
        return Ok(pointer.size == length && pointer.is_hash_of(opened).map_err(|error| unreadable(file, &error))?);
    }
    Ok(text && is_text(&wanted) && with_lf(&bytes) == with_lf(&wanted))
}

/// Returns whether the file says the same as the object in TOML: cargo puts its own header over a `Cargo.lock`.
///
/// # Errors
/// Fails when the file or the object cannot be read.
pub(super) fn holds_same_toml(file: &Path, object: &str, read: ReadObject<'_>) -> Result<bool, Failure> {
    let found = std::fs::read(file).map_err(|error| unreadable(file, &error))?;
    let table = |bytes: &[u8]| std::str::from_utf8(bytes).ok()?.parse::<toml::Table>().ok();
    Ok(table(&found).is_some_and(|found| read(object).is_ok_and(|wanted| table(&wanted) == Some(found))))
}

/// Returns the hash of a blob in hexadecimal; `digits` is 40 for SHA-1 and 64 for SHA-256.
pub(crate) fn hash_of_blob(bytes: &[u8], digits: usize) -> String {
    let header = format!("blob {}\0", bytes.len());
    if digits == 64 {
        hex(&sha2::Sha256::new().chain_update(header).chain_update(bytes).finalize())
    } else {
        hex(&sha1::Sha1::new().chain_update(header).chain_update(bytes).finalize())
    }
}

fn hash_of_file(file: File, length: u64, digits: usize) -> std::io::Result<String> {
    let header = format!("blob {length}\0");
    if digits == 64 {
        let mut hasher = sha2::Sha256::new().chain_update(header);
        each_piece(file, |piece| hasher.update(piece))?;
        Ok(hex(&hasher.finalize()))
    } else {
        let mut hasher = sha1::Sha1::new().chain_update(header);
        each_piece(file, |piece| hasher.update(piece))?;
        Ok(hex(&hasher.finalize()))
    }
}

fn each_piece(mut file: File, mut take: impl FnMut(&[u8])) -> std::io::Result<()> {
    let mut piece = vec![0; 64 << 10];
    loop {
        match file.read(&mut piece)? {
            0 => return Ok(()),
            n => take(&piece[..n]),
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn is_text(bytes: &[u8]) -> bool {
    !bytes.iter().take(TEXT_PROBE).any(|&byte| byte == 0)
}

fn with_lf(bytes: &[u8]) -> Vec<u8> {
    let mut lf = Vec::with_capacity(bytes.len());
    for (index, &byte) in bytes.iter().enumerate() {
        if byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            lf.push(byte);
        }
    }
    lf
}

fn unreadable(file: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Kind::Io, format!("failed to read `{}`: {error}", file.display()))
}

/// What stands in a tree in place of a large file.
/// <https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md>
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LfsPointer {
    sha256: String,
    size: u64,
}

impl LfsPointer {
    /// Reads a pointer, or returns `None` when the bytes are none.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() < 1024)?;
        let mut lines = text.lines();
        if lines.next()? != "version https://git-lfs.github.com/spec/v1" {
            return None;
        }
        let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key));
        let sha256 = value("oid sha256:")?.to_owned();
        let size = value("size ")?.parse().ok()?;
        (sha256.len() == 64 && sha256.bytes().all(|byte| byte.is_ascii_hexdigit())).then_some(Self { sha256, size })
    }

    /// Returns where the content lies in a repository that has fetched it.
    pub(crate) fn place_in(&self, common_dir: &Path) -> std::path::PathBuf {
        common_dir.join("lfs/objects").join(&self.sha256[..2]).join(&self.sha256[2..4]).join(&self.sha256)
    }

    /// Returns whether a file has the content.
    pub(crate) fn is_held_by(&self, file: &Path) -> std::io::Result<bool> {
        let opened = File::open(file)?;
        Ok(opened.metadata()?.len() == self.size && self.is_hash_of(opened)?)
    }

    fn is_hash_of(&self, file: File) -> std::io::Result<bool> {
        let mut hasher = sha2::Sha256::new();
        each_piece(file, |piece| hasher.update(piece))?;
        Ok(hex(&hasher.finalize()) == self.sha256)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTER: &str = "version https://git-lfs.github.com/spec/v1\n\
         oid sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\nsize 5\n";

    fn check(blob: &[u8], file: &[u8], expected: bool) {
        for digits in [40, 64] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("file");
            std::fs::write(&path, file).unwrap();
            let object = hash_of_blob(blob, digits);
            let read = |_: &str| Ok(blob.to_vec());
            assert_eq!(holds(&path, &object, &read).unwrap(), expected, "{blob:?} {file:?}");
        }
    }

    #[test]
    fn a_file_holds_a_blob_when_only_line_ends_differ() {
        check(b"a\nb\n", b"a\nb\n", true);
        check(b"a\nb\n", b"a\r\nb\r\n", true);
        check(b"a\r\nb\r\n", b"a\nb\n", true);
        check(b"a\r\nb\n", b"a\r\nb\r\n", true);
        check(b"a\nb\n", b"a\nc\n", false);
        check(b"a\rb\n", b"a\nb\n", false);
        check(b"a\0\nb\n", b"a\0\r\nb\r\n", false);
        check(b"", b"", true);
        check(b"", b"\r\n", false);
    }

    #[test]
    fn a_file_holds_a_pointer_when_it_is_what_the_pointer_names() {
        check(POINTER.as_bytes(), b"hello", true);
        check(POINTER.as_bytes(), b"hellO", false);
        check(POINTER.as_bytes(), POINTER.as_bytes(), true);
    }

    #[test]
    fn a_blob_is_hashed_as_git_does() {
        assert_eq!(hash_of_blob(b"", 40), "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391");
        assert_eq!(hash_of_blob(b"", 64), "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813");
    }
}
