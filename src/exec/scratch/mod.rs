//! Private temporary folders that go away with their owner, also when the owner was killed.
//! Knows nothing of what is kept in them.
//!
//! A scratch is a folder `agent-acceptance-<16 hex>` with a file `agent-acceptance-<16 hex>.lock` beside it.
//! The owner holds a lock on the file for as long as it lives; the system lets go of it whatever ends the owner.
//! So a lock that can be taken belongs to nobody, and its folder is removed by the next run.

mod remove;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

use crate::error::{Failure, Kind};
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const PREFIX: &str = "agent-acceptance-";
const LOCK: &str = ".lock";
const ID_LENGTH: usize = 16;
/// So many names are tried before the folder is called unusable.
const ATTEMPTS: usize = 16;

/// A private folder, removed when it is dropped.
#[derive(Debug)]
pub struct Scratch {
    path: PathBuf,
    lock_path: PathBuf,
    /// Keeps the lock; taken out when the folder is removed.
    lock: Option<system::Lock>,
}

impl Scratch {
    /// Makes a private folder (Unix: mode 0700) below `parent`, the folder for temporary files, and removes
    /// what killed runs left there, their processes included.
    ///
    /// # Errors
    /// The folder cannot be made. What cannot be removed is left alone.
    pub fn create(parent: &Path) -> Result<Self, Failure> {
        let parent = std::path::absolute(parent).map_err(|error| unusable(parent, &error))?;
        remove_leftovers(&parent);
        Self::create_beside(&parent)
    }

    /// Makes the folder without looking for leftovers.
    pub(crate) fn create_beside(parent: &Path) -> Result<Self, Failure> {
        for _ in 0..ATTEMPTS {
            let name = format!("{PREFIX}{}", crate::exec::random_hex(ID_LENGTH)?);
            let (path, lock_path) = (parent.join(&name), parent.join(name + LOCK));
            // The lock first: a folder that is there without its owner's lock would look left over.
            let lock = match system::Lock::create(&lock_path) {
                Ok(Some(lock)) => lock,
                Ok(None) => continue,
                Err(error) => return Err(unusable(parent, &error)),
            };
            match system::make_folder(&path) {
                Ok(()) => return Ok(Self { path, lock_path, lock: Some(lock) }),
                Err(error) => {
                    lock.discard(&lock_path);
                    if error.kind() != ErrorKind::AlreadyExists {
                        return Err(unusable(parent, &error));
                    }
                }
            }
        }
        Err(Failure::new(Kind::Io, format!("failed to find a free name in `{}`", parent.display())))
    }

    /// Returns the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Makes a private folder inside, and returns its path.
    pub fn folder(&self, name: &str) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        match system::make_folder(&path) {
            Ok(()) => Ok(path),
            Err(error) => Err(unusable(&path, &error)),
        }
    }

    /// Removes the folder now, and tells what cannot be removed.
    pub fn close(mut self) -> Result<(), Failure> {
        self.remove().map_err(|error| {
            Failure::new(Kind::Io, format!("failed to remove the temporary folder `{}`", self.path.display()))
                .detail("cause", error.to_string())
        })
    }

    fn remove(&mut self) -> std::io::Result<()> {
        let Some(lock) = self.lock.take() else { return Ok(()) };
        // A folder that stays keeps its lock file too, so that the next run tries again.
        remove::remove_tree(&self.path)?;
        lock.discard(&self.lock_path);
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Nobody is left to be told; the next run tries again.
        let _ = self.remove();
    }
}

/// Removes the folders of owners that no longer live. Other users' files, and what only looks like ours, stay.
fn remove_leftovers(parent: &Path) {
    let Ok(entries) = std::fs::read_dir(parent) else { return };
    for entry in entries.flatten() {
        let Some(name) = folder_name(&entry.file_name()) else { continue };
        let lock_path = entry.path();
        let Ok(Some(lock)) = system::Lock::take(&lock_path) else { continue };
        let folder = parent.join(name);
        crate::exec::end_marked(&folder);
        if remove::remove_tree(&folder).is_ok() {
            lock.discard(&lock_path);
        }
    }
}

/// Returns the name of the folder that a lock file stands for.
fn folder_name(lock_name: &OsStr) -> Option<String> {
    let name = lock_name.to_str()?.strip_suffix(LOCK)?;
    let id = name.strip_prefix(PREFIX)?;
    let is_id = id.len() == ID_LENGTH && id.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_id.then(|| name.to_owned())
}

fn unusable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Kind::Io, format!("failed to make a private folder in `{}`", path.display()))
        .detail("cause", error.to_string())
        .next("free some space there, or point TMPDIR (Windows: TEMP) at a folder that can be written")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_and_its_lock_go_away_with_the_owner() {
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(parent.path()).unwrap();
        std::fs::create_dir_all(scratch.folder("job").unwrap().join("deep/er")).unwrap();
        assert!(scratch.path().join("job").is_dir());
        drop(scratch);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn the_next_run_removes_what_nobody_owns_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        let living = Scratch::create(parent.path()).unwrap();
        let left = parent.path().join("agent-acceptance-0123456789abcdef");
        std::fs::create_dir(&left).unwrap();
        std::fs::write(left.join("file"), "x").unwrap();
        std::fs::write(parent.path().join("agent-acceptance-0123456789abcdef.lock"), "").unwrap();
        let alien = ["agent-acceptance-other.lock", "agent-acceptance-0123456789ABCDEF.lock", "other.lock"];
        for name in alien {
            std::fs::write(parent.path().join(name), "").unwrap();
        }
        let next = Scratch::create(parent.path()).unwrap();
        assert!(!left.exists());
        assert!(living.path().is_dir() && next.path().is_dir());
        for name in alien {
            assert!(parent.path().join(name).exists(), "{name}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_that_look_like_leftovers_are_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let precious = parent.path().join("precious");
        std::fs::create_dir(&precious).unwrap();
        std::fs::write(precious.join("file"), "x").unwrap();
        let name = parent.path().join("agent-acceptance-0123456789abcdef");
        std::os::unix::fs::symlink(&precious, &name).unwrap();
        std::fs::write(parent.path().join("agent-acceptance-0123456789abcdef.lock"), "").unwrap();
        std::os::unix::fs::symlink(precious.join("file"), parent.path().join("agent-acceptance-aaaaaaaaaaaaaaaa.lock"))
            .unwrap();
        drop(Scratch::create(parent.path()).unwrap());
        assert!(precious.join("file").is_file());
        assert!(parent.path().join("agent-acceptance-aaaaaaaaaaaaaaaa.lock").is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_is_closed_to_other_users() {
        use std::os::unix::fs::PermissionsExt as _;
        let parent = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(parent.path()).unwrap();
        for path in [scratch.path().to_owned(), scratch.folder("job").unwrap()] {
            assert_eq!(std::fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn a_parent_that_is_not_there_is_an_error_with_advice() {
        let failure = Scratch::create(Path::new("/nonexistent/of/course")).unwrap_err();
        assert_eq!(failure.kind, Kind::Io);
        assert_eq!(failure.next.len(), 1);
    }
}
