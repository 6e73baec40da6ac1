//! Whether the checkout holds exactly head's tree, compared file by file by hash.
//!
//! Git is not asked: `assume-unchanged` and `skip-worktree` hide edits from its index, and `filter.clean`
//! of `.git/config` runs programs. Must not know what is run in the checkout.

mod content;
mod ignore;
mod stamp;
mod untracked;

pub(crate) use content::{LfsPointer, ReadObject, hash_of_blob, hex};
pub(crate) use ignore::Ignored;
pub(crate) use untracked::{is_python_environment, untracked_harness};

use crate::collect::local_path;
use crate::error::{Failure, Kind};
use crate::facts::{Entry, RepoPath, TreeDifference};
use stamp::Stamp;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// A comparison of one checkout with one tree, remembering what need not be read again.
pub(crate) struct Checkout<'a> {
    root: PathBuf,
    files: Vec<(RepoPath, Entry)>,
    read: ReadObject<'a>,
    /// For each file the stamp under which it was found equal.
    equal: Vec<Option<Stamp>>,
}

/// What one file of the tree turned out to be in the checkout.
enum Found {
    Equal(Option<Stamp>),
    /// Equal but for the executable bit.
    OtherBit(bool),
    Different(&'static str),
}

impl<'a> Checkout<'a> {
    /// Takes the root of a checkout and every file, link and submodule of the tree.
    pub(crate) fn new(root: &Path, mut files: Vec<(RepoPath, Entry)>, read: ReadObject<'a>) -> Self {
        files.sort_by(|(a, _), (b, _)| a.cmp(b));
        let equal = vec![None; files.len()];
        Self { root: root.to_path_buf(), files, read, equal }
    }

    /// Returns the checkout's root.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the tree's files.
    pub(crate) fn files(&self) -> &[(RepoPath, Entry)] {
        &self.files
    }

    /// Compares and returns every file that differs. The first call reads all files, later ones those whose
    /// stamp changed.
    /// `scratch` is a private folder, written to learn the file system's time.
    ///
    /// # Errors
    /// Fails when a file that is there cannot be read.
    pub(crate) fn differences(&mut self, scratch: &Path) -> Result<Vec<TreeDifference>, Failure> {
        let now = file_system_time(scratch)?;
        let folders = self.replaced_folders();
        let half = self.files.len().div_ceil(2).max(1);
        let (root, read) = (&self.root, self.read);
        let compare = |files: &[(RepoPath, Entry)], equal: &[Option<Stamp>]| -> Result<Vec<Found>, Failure> {
            files
                .iter()
                .zip(equal)
                .map(|((path, entry), seen)| {
                    if folders.iter().any(|folder| is_below(path.as_bytes(), folder)) {
                        return Ok(Found::Different("in a folder that was replaced"));
                    }
                    if entry.mode == "160000" && !self.has_files_below(path) {
                        return Ok(compare_unpopulated(root, path));
                    }
                    compare_one(root, path, entry, seen.as_ref(), now, read)
                })
                .collect()
        };
        // Two threads: reading waits for the disk about as long as hashing takes.
        let found: Result<Vec<Vec<Found>>, Failure> = std::thread::scope(|scope| {
            let workers: Vec<_> = self
                .files
                .chunks(half)
                .zip(self.equal.chunks(half))
                .map(|(files, equal)| scope.spawn(|| compare(files, equal)))
                .collect();
            workers
                .into_iter()
                .map(|worker| {
                    worker.join().unwrap_or_else(|_| Err(Failure::new(Kind::Bug, "comparing the checkout panicked")))
                })
                .collect()
        });
        Ok(self.remember(found?.into_iter().flatten().collect()))
    }

    /// Returns whether the tree has the path.
    pub(crate) fn has(&self, path: &RepoPath) -> bool {
        self.files.binary_search_by(|(known, _)| known.cmp(path)).is_ok()
    }

    fn has_files_below(&self, folder: &RepoPath) -> bool {
        let start = [folder.as_bytes(), b"/"].concat();
        let next = self.files.partition_point(|(known, _)| known.as_bytes() < start.as_slice());
        self.files.get(next).is_some_and(|(path, _)| path.as_bytes().starts_with(&start))
    }

    fn remember(&mut self, found: Vec<Found>) -> Vec<TreeDifference> {
        // A file system without executable bits shows every file as executable.
        let has_bits = found
            .iter()
            .zip(&self.files)
            .any(|(found, (_, entry))| matches!(found, Found::Equal(_)) && entry.mode == "100644");
        let mut differences = Vec::new();
        for (index, found) in found.into_iter().enumerate() {
            self.equal[index] = None;
            let what = match found {
                Found::Equal(stamp) => {
                    self.equal[index] = stamp;
                    continue;
                }
                Found::OtherBit(true) if !has_bits => continue,
                Found::OtherBit(_) => "other executable bit",
                Found::Different(what) => what,
            };
            differences.push(TreeDifference { path: self.files[index].0.clone(), what: what.to_owned() });
        }
        differences
    }

    /// Folders of the tree in whose place stands something else: a link there shows equal files of elsewhere.
    fn replaced_folders(&self) -> Vec<Vec<u8>> {
        let mut folders = BTreeSet::new();
        for (path, _) in &self.files {
            let mut rest = path.as_bytes();
            while let Some(slash) = rest.iter().rposition(|&byte| byte == b'/') {
                rest = &rest[..slash];
                if !folders.insert(rest.to_vec()) {
                    break;
                }
            }
        }
        folders
            .into_iter()
            .filter(|folder| {
                let place = local_path::below(&self.root, &RepoPath::from_bytes(folder.clone()));
                place.is_some_and(|place| std::fs::symlink_metadata(place).is_ok_and(|found| !found.is_dir()))
            })
            .collect()
    }
}

fn is_below(path: &[u8], folder: &[u8]) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.first() == Some(&b'/'))
}

/// A submodule whose files nobody knows: there must be none.
fn compare_unpopulated(root: &Path, path: &RepoPath) -> Found {
    let Some(place) = local_path::below(root, path) else { return Found::Different("not possible on this system") };
    match std::fs::symlink_metadata(&place) {
        // One that was never fetched has not even a folder in a sparse checkout.
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            Found::Equal(None)
        }
        Ok(found) if !found.is_dir() => Found::Different("not a folder"),
        Ok(_) | Err(_) => {
            let is_empty = std::fs::read_dir(&place)
                .is_ok_and(|entries| entries.flatten().all(|entry| entry.file_name() == ".git"));
            if is_empty { Found::Equal(None) } else { Found::Different("not the submodule's commit") }
        }
    }
}

fn compare_one(
    root: &Path,
    path: &RepoPath,
    entry: &Entry,
    seen: Option<&Stamp>,
    now: i128,
    read: ReadObject<'_>,
) -> Result<Found, Failure> {
    let Some(place) = local_path::below(root, path) else {
        return Ok(Found::Different("not possible on this system"));
    };
    let metadata = match std::fs::symlink_metadata(&place) {
        Ok(metadata) => metadata,
        Err(error) if matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {
            return Ok(Found::Different("missing"));
        }
        Err(error) => {
            return Err(Failure::new(Kind::Io, format!("failed to look at `{}`: {error}", place.display())));
        }
    };
    let stamp = Stamp::from(&metadata);
    if seen == Some(&stamp) {
        return Ok(Found::Equal(Some(stamp)));
    }
    let settled = stamp.is_settled(now).then_some(stamp);
    match entry.mode.as_str() {
        "120000" => link_holds(&place, &metadata, &entry.object, read)
            .map(|equal| if equal { Found::Equal(settled) } else { Found::Different("modified") }),
        "160000" => Ok(if metadata.is_dir() { Found::Equal(None) } else { Found::Different("not a folder") }),
        _ if !metadata.is_file() => Ok(Found::Different("not a file")),
        mode => {
            let holds = content::holds(&place, &entry.object, read)?
                || path.file_name() == b"Cargo.lock" && content::holds_same_toml(&place, &entry.object, read)?;
            if !holds {
                return Ok(Found::Different("modified"));
            }
            Ok(match executable_bit(&metadata) {
                Some(bit) if bit != (mode == "100755") => Found::OtherBit(bit),
                _ => Found::Equal(settled),
            })
        }
    }
}

fn link_holds(place: &Path, metadata: &std::fs::Metadata, object: &str, read: ReadObject<'_>) -> Result<bool, Failure> {
    if metadata.is_symlink() {
        let target = std::fs::read_link(place)
            .map_err(|error| Failure::new(Kind::Io, format!("failed to read `{}`: {error}", place.display())))?;
        let mut bytes = local_path::name_bytes(target.as_os_str());
        if cfg!(windows) {
            bytes.iter_mut().filter(|byte| **byte == b'\\').for_each(|byte| *byte = b'/');
        }
        return Ok(hash_of_blob(&bytes, object.len()) == object);
    }
    // Without the right to make links, git on Windows writes a file that holds the target.
    if cfg!(windows) && metadata.is_file() { content::holds(place, object, read) } else { Ok(false) }
}

#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other platforms have no such bit")]
fn executable_bit(metadata: &std::fs::Metadata) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(metadata.permissions().mode() & 0o100 != 0)
}

#[cfg(not(unix))]
fn executable_bit(_: &std::fs::Metadata) -> Option<bool> {
    None
}

/// Returns the time by which the file system stamps a file that is written now.
fn file_system_time(scratch: &Path) -> Result<i128, Failure> {
    let place = scratch.join("now");
    std::fs::write(&place, b"now")
        .and_then(|()| std::fs::symlink_metadata(&place))
        .map(|metadata| Stamp::from(&metadata).latest())
        .map_err(|error| {
            Failure::new(Kind::Io, format!("failed to write `{}`: {error}", place.display())).caused_by(&error)
        })
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
