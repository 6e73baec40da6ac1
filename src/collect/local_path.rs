//! Turns a path of a tree into one of this system's file system, and back.
//! Knows nothing of what stands there.

use crate::facts::RepoPath;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// Returns the path below `root`, or `None` when this system cannot name it so.
///
/// A path with `..`, an empty component, or (on Windows) a colon or backslash would leave the root.
pub(crate) fn below(root: &Path, path: &RepoPath) -> Option<PathBuf> {
    let mut full = root.to_path_buf();
    for part in path.as_bytes().split(|&byte| byte == b'/') {
        if matches!(part, b"" | b"." | b"..") || part.contains(&0) {
            return None;
        }
        full.push(component(part)?);
    }
    Some(full)
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems cannot name every component")]
fn component(part: &[u8]) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt as _;
    Some(OsStr::from_bytes(part).to_owned())
}

#[cfg(not(unix))]
fn component(part: &[u8]) -> Option<OsString> {
    let text = std::str::from_utf8(part).ok()?;
    (!text.contains([':', '\\'])).then(|| OsString::from(text))
}

/// Returns a file name's bytes as a tree would hold them.
#[cfg(unix)]
pub(crate) fn name_bytes(name: &OsStr) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt as _;
    name.as_bytes().to_vec()
}

/// Returns a file name's bytes as a tree would hold them.
#[cfg(not(unix))]
pub(crate) fn name_bytes(name: &OsStr) -> Vec<u8> {
    name.to_string_lossy().into_owned().into_bytes()
}

/// Joins a folder of a tree, empty for the root, and a name.
pub(crate) fn joined(folder: &[u8], name: &[u8]) -> RepoPath {
    let mut bytes = Vec::with_capacity(folder.len() + 1 + name.len());
    bytes.extend_from_slice(folder);
    if !folder.is_empty() {
        bytes.push(b'/');
    }
    bytes.extend_from_slice(name);
    RepoPath::from_bytes(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_would_leave_the_root_has_no_place() {
        for path in ["../x", "a/../../x", "a//b", "/a", "a/.", "a\0b", ""] {
            assert_eq!(below(Path::new("/root"), &RepoPath::from(path)), None, "{path:?}");
        }
        assert_eq!(below(Path::new("/srv"), &RepoPath::from("a/b")), Some(PathBuf::from("/srv/a/b")));
    }
}
