//! The change between two commits: which files, what kind, how many lines. Every object that git's count
//! reads is proven here at the same time.

use crate::error::{Failure, Kind};
use crate::facts::{Change, ChangeStatus, ChangedFile, FileKind, RepoPath};
use crate::git::Repository;
use crate::git::inspect::Inspected;
use crate::git::merge_base::History;
use crate::git::numstat::{Count, Counting, failed};
use crate::git::oid::Oid;
use crate::git::tree::Mode;
use crate::git::tree_diff::Pair;

impl Repository {
    /// Finds out the change of `head` since it left `base`.
    ///
    /// # Errors
    /// Those of [`Repository::resolve`], [`Repository::merge_base`] and [`Repository::diff`].
    pub fn change(&self, base: &str, head: &str) -> Result<Change, Failure> {
        let revisions = self.resolve(&[base, head])?;
        let Ok([base, head]) = <[_; 2]>::try_from(revisions) else {
            return Err(Failure::new(Kind::Bug, "two names did not give two commits"));
        };
        let merge_base = self.merge_base(&base.commit, &head.commit)?;
        let files = self.diff(&merge_base, &head.commit)?;
        Ok(Change { base, merge_base, head, files })
    }

    /// Returns the only merge base of two commits.
    ///
    /// # Errors
    /// [`Kind::NoMergeBase`] where history is cut off or the commits are unrelated,
    /// [`Kind::SeveralMergeBases`] for a criss-cross history.
    pub fn merge_base(&self, base: &str, head: &str) -> Result<String, Failure> {
        let common = History::new(&self.objects).common(self.oid(base)?, self.oid(head)?)?;
        if let Some(missing) = common.missing {
            return Err(if self.is_shallow() {
                Failure::new(Kind::NoMergeBase, "base and head have no merge base in this shallow clone")
                    .detail("why", format!("history is cut off before commit {missing}"))
                    .next("fetch the whole history: git fetch --unshallow")
                    .next("in GitHub Actions: actions/checkout with `fetch-depth: 0`")
            } else {
                crate::git::objects::missing(&missing.to_string())
            });
        }
        match common.bases.as_slice() {
            [only] => Ok(only.to_string()),
            [] => {
                Err(Failure::new(Kind::NoMergeBase, "base and head have no merge base: their histories are unrelated")
                    .detail("base", base)
                    .detail("head", head)
                    .next("name the branch that the change was started from: `--base BRANCH`"))
            }
            several => {
                let message = format!("base and head have {} merge bases", several.len());
                let failure = Failure::new(Kind::SeveralMergeBases, message)
                    .detail("why", "both histories were merged into each other, so the change has no single start");
                let failure =
                    several.iter().take(5).fold(failure, |failure, oid| failure.detail("merge base", oid.to_string()));
                Err(failure.next("rebase the change on its base, or name the commit it starts from: `--base COMMIT`"))
            }
        }
    }

    /// Compares two commits. A rename is a deletion and an addition.
    ///
    /// # Errors
    /// [`Kind::ObjectUnreadable`] for missing, forged or malformed objects, [`Kind::DiffUncountable`] for a
    /// file that is too large to count and is no media.
    pub fn diff(&self, old: &str, new: &str) -> Result<Vec<ChangedFile>, Failure> {
        let (old_tree, new_tree) = (self.root_tree(old)?, self.root_tree(new)?);
        if old_tree == new_tree {
            return Ok(Vec::new());
        }
        let counting = Counting::start(&self.objects, old_tree, new_tree)?;
        let pairs = self.tree_diff(old_tree, new_tree)?;
        let inspected = self.inspect(&pairs)?;
        let counts = counting.finish()?;
        if counts.len() != pairs.len() {
            return Err(failed("it counts other files than the trees hold"));
        }
        pairs.iter().zip(counts).map(|(pair, count)| changed_file(pair, count, &inspected)).collect()
    }
}

fn changed_file(pair: &Pair, count: Count, inspected: &Inspected) -> Result<ChangedFile, Failure> {
    if pair.path != count.path {
        return Err(failed("it counts other files than the trees hold"));
    }
    let kind = kind(pair, inspected);
    let path = RepoPath::from_bytes(count.path);
    let (added, deleted) = match (kind, count.lines) {
        (FileKind::Binary, _) => (0, 0),
        (FileKind::Text | FileKind::Symlink | FileKind::Submodule, Some(lines)) => lines,
        (FileKind::Text | FileKind::Symlink | FileKind::Submodule, None) => {
            return Err(Failure::new(Kind::DiffUncountable, format!("the lines of `{path}` cannot be counted"))
                .detail("why", "the file is larger than git counts (512 MiB), and is neither media nor an archive"));
        }
    };
    let longest_line = inspected.longest_added_line(pair).filter(|_| kind == FileKind::Text);
    let entry = |side: Option<(Mode, Oid)>| side.map(|(mode, oid)| mode.entry(oid));
    let (old, new) = (entry(pair.old), entry(pair.new));
    Ok(ChangedFile { path, status: status(pair), kind, added, deleted, old, new, longest_line })
}

fn status(pair: &Pair) -> ChangeStatus {
    match (pair.old, pair.new) {
        (None, _) => ChangeStatus::Added,
        (_, None) => ChangeStatus::Deleted,
        (Some((old, _)), Some((new, _))) if old != new && !(old.is_file() && new.is_file()) => {
            ChangeStatus::TypeChanged
        }
        (Some((_, old)), Some((_, new))) if old == new => ChangeStatus::ModeChanged,
        (Some(_), Some(_)) => ChangeStatus::Modified,
    }
}

fn kind(pair: &Pair, inspected: &Inspected) -> FileKind {
    let sides = || pair.old.into_iter().chain(pair.new);
    match pair.new.or(pair.old).map(|(mode, _)| mode) {
        Some(Mode::Symlink) => FileKind::Symlink,
        Some(Mode::Submodule) => FileKind::Submodule,
        // Text that became an image, or the other way round, has lines that count.
        Some(Mode::File | Mode::Executable)
            if sides().all(|(mode, oid)| mode.is_file() && inspected.is_media(oid, &pair.path)) =>
        {
            FileKind::Binary
        }
        Some(Mode::File | Mode::Executable | Mode::Directory) | None => FileKind::Text,
    }
}
