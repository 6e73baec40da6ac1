//! The files of submodules that are populated in the checkout, as their own repositories have them in the commits that
//! head names.
//! Must not ask `.gitmodules` or git's settings anything: whoever made the change can write both.

use crate::collect::checkout::Ignored;
use crate::collect::local_path;
use crate::collect::trees::Trees;
use crate::error::Failure;
use crate::facts::{Entry, RepoPath};
use crate::git::Repository;
use std::collections::BTreeMap;
use std::path::Path;

/// A file of a submodule larger than this is compared by its hash alone, in bytes.
const LARGEST: u64 = 16 << 20;

/// Submodules in submodules are followed this deep.
const DEEPEST: usize = 16;

/// The mode of a submodule in a tree.
pub(crate) const SUBMODULE: &str = "160000";

/// What populated submodules have to hold.
#[derive(Debug, Default)]
pub(crate) struct Submodules {
    repositories: Vec<Repository>,
    /// Every file, link and submodule in them, its path from the checkout's root.
    pub(crate) files: BTreeMap<RepoPath, Entry>,
    /// What the rules of those ignore that the change leaves at their commits.
    pub(crate) ignored: Ignored,
}

/// One to read.
struct Waiting {
    path: RepoPath,
    commit: String,
    depth: usize,
    is_changed: bool,
}

impl Submodules {
    /// Reads the submodules of head's tree that are populated below `root`. One whose folder is no repository, or whose
    /// repository lacks the commit, has no files here; a comparison takes what lies in its folder for a difference.
    pub(crate) fn load(repository: &Repository, root: &Path, trees: &Trees<'_>) -> Self {
        let mut found = Self::default();
        let mut rules = Vec::new();
        let mut open: Vec<Waiting> = submodules(&trees.head)
            .map(|(path, entry)| Waiting {
                path: path.clone(),
                commit: entry.object.clone(),
                depth: 0,
                is_changed: trees.base.get(path) != Some(entry),
            })
            .collect();
        while let Some(Waiting { path, commit, depth, is_changed }) = open.pop() {
            let Some(folder) = local_path::below(root, &path) else { continue };
            let Some((nested, entries)) = read(repository, &folder, &commit) else { continue };
            let entries: BTreeMap<RepoPath, Entry> = entries
                .into_iter()
                .map(|(inside, entry)| (local_path::joined(path.as_bytes(), inside.as_bytes()), entry))
                .collect();
            if depth < DEEPEST {
                open.extend(submodules(&entries).map(|(path, entry)| Waiting {
                    path: path.clone(),
                    commit: entry.object.clone(),
                    depth: depth + 1,
                    is_changed,
                }));
            }
            let ignores = entries.iter().filter(|(path, entry)| {
                !is_changed && path.file_name() == b".gitignore" && entry.mode.starts_with("100")
            });
            for (path, entry) in ignores {
                let Some(text) = nested.blob(&entry.object, LARGEST).ok().flatten() else { continue };
                let folder = path.to_lossy().rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned());
                rules.push((folder, String::from_utf8_lossy(&text).into_owned()));
            }
            found.files.extend(entries);
            found.repositories.push(nested);
        }
        found.ignored = Ignored::new(rules.iter().map(|(folder, text)| (folder.as_str(), text.as_str())));
        found
    }

    /// Reads a blob of any of them.
    pub(crate) fn read(&self, object: &str) -> Option<Vec<u8>> {
        self.repositories.iter().find_map(|repository| repository.blob(object, LARGEST).ok().flatten())
    }
}

fn submodules(tree: &BTreeMap<RepoPath, Entry>) -> impl Iterator<Item = (&RepoPath, &Entry)> {
    tree.iter().filter(|(_, entry)| entry.mode == SUBMODULE)
}

type Entries = Vec<(RepoPath, Entry)>;

fn read(parent: &Repository, folder: &Path, commit: &str) -> Option<(Repository, Entries)> {
    let is_populated = std::fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir())
        && std::fs::symlink_metadata(folder.join(".git")).is_ok();
    if !is_populated {
        return None;
    }
    let nested = parent.at(folder).ok()?;
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    // Without a repository of its own there, git finds the one around it.
    if nested.root().and_then(real)? != real(folder)? {
        return None;
    }
    let tree = nested.tree(commit).ok()?;
    let entry = |mode: &str, object: String| Entry { mode: mode.to_owned(), object };
    let entries = tree.into_iter().map(|found| (found.path, entry(found.mode.octal(), found.object))).collect();
    Some((nested, entries))
}

/// Returns the failure's advice for a submodule that is not at its commit.
pub(crate) fn with_advice(failure: Failure) -> Failure {
    failure.next("bring the submodules to the commits that head names: git submodule update --init --recursive")
}
