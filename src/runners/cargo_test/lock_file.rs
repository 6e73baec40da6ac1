//! Keeps `Cargo.lock` as it was: cargo writes it anew when it would write it otherwise, if only for a comment at its
//! top, and a run must leave tracked files alone. Knows nothing of cargo's own doings.

use std::fs::Permissions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// Larger lock files are left to whoever writes them, in bytes.
const MAX_BYTES: u64 = 64 << 20;

/// The lock files that a run may write, as they were before.
#[derive(Debug)]
pub(crate) struct LockFiles {
    before: Vec<(PathBuf, Before)>,
}

#[derive(Debug)]
enum Before {
    Absent,
    File(Vec<u8>, Permissions),
}

impl LockFiles {
    /// Remembers the lock files of the folders from `start` up to `root`.
    pub(crate) fn remember(starts: &[&Path], root: &Path) -> Self {
        let mut before: Vec<(PathBuf, Before)> = Vec::new();
        for folder in starts.iter().flat_map(|start| start.ancestors().take_while(|it| it.starts_with(root))) {
            let path = folder.join("Cargo.lock");
            if before.iter().any(|(known, _)| *known == path) {
                continue;
            }
            match std::fs::symlink_metadata(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => before.push((path, Before::Absent)),
                Ok(data) if data.is_file() && data.len() <= MAX_BYTES => {
                    if let Ok(bytes) = std::fs::read(&path) {
                        before.push((path, Before::File(bytes, data.permissions())));
                    }
                }
                _ => {}
            }
        }
        Self { before }
    }

    /// Puts them back, and returns those whose content, comments apart, was changed. One that is no plain file any
    /// more is left as it is: whoever compares the tree tells it.
    pub(crate) fn restore(self) -> Vec<PathBuf> {
        let mut changed = Vec::new();
        for (path, before) in self.before {
            let is_file = std::fs::symlink_metadata(&path).is_ok_and(|data| data.is_file());
            if !is_file {
                continue;
            }
            let Ok(after) = std::fs::read(&path) else { continue };
            match before {
                // Many libraries keep none. What cannot be removed is told by whoever compares the tree.
                Before::Absent => drop(std::fs::remove_file(&path)),
                Before::File(bytes, permissions) if bytes != after => {
                    let is_other = without_comments(&bytes) != without_comments(&after);
                    // Renamed into place: nobody can lead this write to another file.
                    if replace(&path, &bytes, permissions).is_ok() && is_other {
                        changed.push(path);
                    }
                }
                Before::File(..) => {}
            }
        }
        changed
    }
}

fn replace(path: &Path, bytes: &[u8], permissions: Permissions) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.as_file().set_permissions(permissions)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

fn without_comments(bytes: &[u8]) -> Vec<&[u8]> {
    let lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")).collect()
}

#[cfg(test)]
mod tests {
    use super::LockFiles;

    #[test]
    fn lock_files_are_put_back_and_what_cargo_made_of_them_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let (root, member) = (folder.path(), folder.path().join("a/b"));
        std::fs::create_dir_all(&member).unwrap();
        let (top, middle, low) = (root.join("Cargo.lock"), root.join("a/Cargo.lock"), member.join("Cargo.lock"));
        std::fs::write(&top, "version = 4\n").unwrap();
        std::fs::write(&middle, "version = 3\n").unwrap();
        let files = LockFiles::remember(&[&member, root], root);
        std::fs::write(&top, "# made by cargo\nversion = 4\n").unwrap();
        std::fs::write(&middle, "version = 4\n").unwrap();
        std::fs::write(&low, "version = 4\n").unwrap();
        assert_eq!(files.restore(), std::slice::from_ref(&middle));
        assert_eq!(std::fs::read_to_string(&top).unwrap(), "version = 4\n");
        assert_eq!(std::fs::read_to_string(&middle).unwrap(), "version = 3\n");
        assert!(!low.exists());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_place_of_a_lock_file_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let (root, other) = (folder.path(), folder.path().join("other"));
        std::fs::write(root.join("Cargo.lock"), "a").unwrap();
        std::fs::write(&other, "b").unwrap();
        let files = LockFiles::remember(&[root], root);
        std::fs::remove_file(root.join("Cargo.lock")).unwrap();
        std::os::unix::fs::symlink(&other, root.join("Cargo.lock")).unwrap();
        assert!(files.restore().is_empty());
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "b");
    }
}
