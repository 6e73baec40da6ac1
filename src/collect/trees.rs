//! Both sides of a change, read once for all that test runs ask of them.
//! Knows nothing of what is asked.

use crate::collect::build_folders;
use crate::collect::checkout::Ignored;
use crate::collect::harness::Tree;
use crate::collect::signs;
use crate::error::{Failure, Kind};
use crate::facts::{AddedLines, Change, Entry, RepoPath};
use crate::git::Repository;
use std::collections::{BTreeMap, BTreeSet};

/// No file that decides how tests run is larger, in bytes; what is, is read as far as that it is.
const LARGEST: u64 = 16 << 20;

/// The trees of the merge base and of head.
pub(crate) struct Trees<'a> {
    repository: &'a Repository,
    pub(crate) base: BTreeMap<RepoPath, Entry>,
    pub(crate) head: BTreeMap<RepoPath, Entry>,
    /// What the merge base's rules ignore.
    pub(crate) ignored: Ignored,
    /// The lines that the change adds.
    pub(crate) added: Vec<AddedLines>,
}

impl<'a> Trees<'a> {
    /// Reads both sides.
    ///
    /// # Errors
    /// Fails when an object is missing or damaged.
    pub(crate) fn load(repository: &'a Repository, change: &Change) -> Result<Self, Failure> {
        let list = |commit: &str| -> Result<BTreeMap<RepoPath, Entry>, Failure> {
            Ok(repository
                .tree(commit)?
                .into_iter()
                .map(|entry| (entry.path, Entry { mode: entry.mode.octal().to_owned(), object: entry.object }))
                .collect())
        };
        let base = list(&change.merge_base)?;
        let head = list(&change.head.commit)?;
        let mut rules = Vec::new();
        for (path, entry) in base.iter().filter(|(path, _)| path.file_name() == b".gitignore") {
            if entry.mode.starts_with("100") {
                let text = read(repository, &entry.object)?;
                let path = path.to_lossy();
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
                rules.push((folder, String::from_utf8_lossy(&text).into_owned()));
            }
        }
        let ignored = Ignored::new(rules.iter().map(|(folder, text)| (folder.as_str(), text.as_str())));
        let added = repository.added_lines(&change.merge_base, &change.head.commit, &change.files, &signs::is_read)?;
        Ok(Self { repository, base, head, ignored, added })
    }

    /// Reads a blob of either side.
    pub(crate) fn read(&self, object: &str) -> Result<Vec<u8>, Failure> {
        read(self.repository, object)
    }

    /// Calls `use_them` with the merge base and head as the harness lock sees them.
    pub(crate) fn with_sides<T>(&self, use_them: impl FnOnce(Tree<'_>, Tree<'_>) -> T) -> T {
        let read = |object: &str| self.read(object);
        use_them(Tree { entries: &self.base, read: &read }, Tree { entries: &self.head, read: &read })
    }

    /// Returns the names of everything that cargo builds of either side itself.
    pub(crate) fn names_built(&self) -> Result<BTreeSet<String>, Failure> {
        let mut names = BTreeSet::new();
        for side in [&self.base, &self.head] {
            for (_, entry) in
                side.iter().filter(|(path, entry)| path.file_name() == b"Cargo.toml" && entry.mode.starts_with("100"))
            {
                names.extend(build_folders::names_built(&String::from_utf8_lossy(&self.read(&entry.object)?)));
            }
            // Targets that cargo finds by itself.
            for path in side.keys().filter_map(RepoPath::as_str) {
                let target = path.strip_suffix(".rs").map(|stem| stem.strip_suffix("/main").unwrap_or(stem));
                if let Some((folder, name)) = target.and_then(|target| target.rsplit_once('/')) {
                    let is_of_targets = ["tests", "benches", "examples", "src/bin"].iter().any(|known| {
                        folder == *known || folder.strip_suffix(known).is_some_and(|before| before.ends_with('/'))
                    });
                    names.extend(is_of_targets.then(|| name.replace('-', "_")));
                }
            }
        }
        Ok(names)
    }

    /// Returns a file's text at one side, `None` when no file is there.
    pub(crate) fn text(&self, side: &BTreeMap<RepoPath, Entry>, path: &str) -> Result<Option<String>, Failure> {
        match side.get(&RepoPath::from(path)) {
            Some(entry) if entry.mode.starts_with("100") => {
                Ok(Some(String::from_utf8_lossy(&self.read(&entry.object)?).into_owned()))
            }
            _ => Ok(None),
        }
    }
}

fn read(repository: &Repository, object: &str) -> Result<Vec<u8>, Failure> {
    repository.blob(object, LARGEST)?.ok_or_else(|| {
        Failure::new(Kind::ObjectUnreadable, format!("the object `{object}` is larger than {} MiB", LARGEST >> 20))
    })
}
