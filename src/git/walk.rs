//! Finds paths in a commit's tree, one or all. Paths are compared as bytes, and nothing is followed: a
//! link or a submodule in the way is an answer of its own.

use crate::error::{Failure, Kind};
use crate::facts::{Entry, RepoPath};
use crate::git::Repository;
use crate::git::oid::Oid;
use crate::git::tree::{LONGEST_PATH, MOST_PATHS, Mode, RawTree, join, malformed};
use std::collections::BTreeMap;

/// One path of a commit: a file, a link or a submodule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeEntry {
    /// The path.
    pub path: RepoPath,
    /// What it is; never a folder.
    pub mode: Mode,
    /// The full hash of the object; a submodule's is a commit of the other repository.
    pub object: String,
}

/// What stands at a path in a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Located {
    /// A regular file.
    File {
        /// Whether it can be started.
        executable: bool,
        /// The full hash of its content.
        object: String,
    },
    /// Nothing.
    NoFile,
    /// A symbolic link, there or on the way.
    Symlink {
        /// Where the link stands.
        at: RepoPath,
        /// The full hash of the text that says where it leads.
        object: String,
    },
    /// A folder, or a file stands where a folder is needed.
    Directory,
    /// A submodule, there or on the way.
    Submodule {
        /// Where the submodule stands.
        at: RepoPath,
    },
}

/// A path with what it is and its object.
pub(super) type Leaf = (Vec<u8>, Mode, Oid);

impl Mode {
    pub(super) fn entry(self, oid: Oid) -> Entry {
        Entry { mode: self.octal().to_owned(), object: oid.to_hex() }
    }
}

impl Repository {
    /// Lists every file, link and submodule of a commit, sorted by the bytes of the path.
    ///
    /// # Errors
    /// [`Kind::ObjectUnreadable`] for a missing, forged or malformed object, and for more than two
    /// million paths.
    pub fn tree(&self, commit: &str) -> Result<Vec<TreeEntry>, Failure> {
        let leaves = self.leaves(self.root_tree(commit)?)?;
        let entry =
            |(path, mode, oid): Leaf| TreeEntry { path: RepoPath::from_bytes(path), mode, object: oid.to_hex() };
        Ok(leaves.into_iter().map(entry).collect())
    }

    /// Tells what stands at each of these paths in a commit.
    ///
    /// # Errors
    /// [`Kind::ObjectUnreadable`] for a missing, forged or malformed tree.
    pub fn locate(&self, commit: &str, paths: &[&RepoPath]) -> Result<Vec<Located>, Failure> {
        let root = self.root_tree(commit)?;
        // The trees that lie on the way to many paths are asked for level by level, not path by path.
        let mut folders: BTreeMap<Vec<u8>, Option<RawTree>> = BTreeMap::new();
        let mut level = vec![(Vec::new(), root)];
        let mut depth = 0;
        while !level.is_empty() {
            let trees = self.objects.trees(&self.trees, &level)?;
            folders.extend(level.drain(..).zip(trees).map(|((path, _), tree)| (path, Some(tree))));
            depth += 1;
            for path in paths {
                let Some(folder) = prefix(path.as_bytes(), depth) else { continue };
                if folders.contains_key(folder) {
                    continue;
                }
                let found = find(&folders, folder).filter(|(mode, _)| *mode == Mode::Directory);
                folders.insert(folder.to_vec(), None);
                level.extend(found.map(|(_, oid)| (folder.to_vec(), oid)));
            }
        }
        Ok(paths.iter().map(|path| classify(&folders, path.as_bytes())).collect())
    }

    /// Reads the commit and returns its tree's name.
    pub(super) fn root_tree(&self, commit: &str) -> Result<Oid, Failure> {
        Ok(self.objects.commit(self.oid(commit)?)?.tree)
    }

    /// Lists a tree, level by level, so that each level costs one exchange with git.
    pub(super) fn leaves(&self, root: Oid) -> Result<Vec<Leaf>, Failure> {
        let mut leaves: Vec<Leaf> = Vec::new();
        let mut level = vec![(Vec::new(), root)];
        while !level.is_empty() {
            let trees = self.objects.trees(&self.trees, &level)?;
            // Before the paths are made: a few trees that hold each other many times claim billions.
            check_count(leaves.len() + trees.iter().map(|tree| tree.len()).sum::<usize>())?;
            let mut next = Vec::new();
            for ((folder, _), tree) in level.iter().zip(trees) {
                for entry in tree.iter() {
                    let path = checked_join(folder, &entry.name)?;
                    if entry.mode == Mode::Directory {
                        next.push((path, entry.oid));
                    } else {
                        leaves.push((path, entry.mode, entry.oid));
                    }
                }
            }
            level = next;
        }
        leaves.sort_unstable();
        Ok(leaves)
    }
}

/// Joins a path that is not longer than systems allow.
pub(super) fn checked_join(folder: &[u8], name: &[u8]) -> Result<Vec<u8>, Failure> {
    if folder.len() + name.len() >= LONGEST_PATH {
        return Err(malformed(&folder[..folder.len().min(200)], b"...", "a path longer than 4096 bytes"));
    }
    Ok(join(folder, name))
}

/// Fails when there are more paths than any honest repository has.
pub(super) fn check_count(n_paths: usize) -> Result<(), Failure> {
    if n_paths > MOST_PATHS {
        return Err(Failure::new(Kind::ObjectUnreadable, format!("the tree holds more than {MOST_PATHS} paths")));
    }
    Ok(())
}

/// Returns the path's first `depth` components, where at least one more follows.
fn prefix(path: &[u8], depth: usize) -> Option<&[u8]> {
    let end = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').nth(depth - 1)?.0;
    Some(&path[..end])
}

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|&byte| byte == b'/') {
        Some(slash) => (&path[..slash], &path[slash + 1..]),
        None => (b"", path),
    }
}

fn find(folders: &BTreeMap<Vec<u8>, Option<RawTree>>, path: &[u8]) -> Option<(Mode, Oid)> {
    let (folder, name) = split(path);
    let tree = folders.get(folder)?.as_ref()?;
    tree.iter().find(|entry| entry.name == name).map(|entry| (entry.mode, entry.oid))
}

fn classify(folders: &BTreeMap<Vec<u8>, Option<RawTree>>, path: &[u8]) -> Located {
    // The first component that is no folder decides.
    let ends = path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end).chain([path.len()]);
    for end in ends {
        let here = &path[..end];
        let is_last = end == path.len();
        let at = RepoPath::from_bytes(here);
        match find(folders, here) {
            None => return Located::NoFile,
            Some((Mode::Directory, _)) if !is_last => {}
            Some((Mode::Directory, _)) => return Located::Directory,
            Some((Mode::Symlink, oid)) => return Located::Symlink { at, object: oid.to_string() },
            Some((Mode::Submodule, _)) => return Located::Submodule { at },
            Some((Mode::File | Mode::Executable, _)) if !is_last => return Located::Directory,
            Some((mode, oid)) => {
                return Located::File { executable: mode == Mode::Executable, object: oid.to_string() };
            }
        }
    }
    Located::NoFile
}
