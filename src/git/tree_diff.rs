//! Compares two trees by their proven entries. Renames are not looked for. Knows nothing of lines.

use crate::error::Failure;
use crate::git::Repository;
use crate::git::oid::Oid;
use crate::git::tree::{Mode, RawEntry, RawTree};
use crate::git::walk::{check_count, checked_join};

/// A path that differs, with what it is on both sides; at least one side is there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Pair {
    pub(super) path: Vec<u8>,
    pub(super) old: Option<(Mode, Oid)>,
    pub(super) new: Option<(Mode, Oid)>,
}

/// A folder that differs.
struct Folder {
    path: Vec<u8>,
    old: Option<Oid>,
    new: Option<Oid>,
}

impl Repository {
    /// Lists what differs, sorted by the bytes of the path as git's diff is.
    pub(super) fn tree_diff(&self, old: Oid, new: Oid) -> Result<Vec<Pair>, Failure> {
        let mut pairs = Vec::new();
        let mut level = vec![Folder { path: Vec::new(), old: Some(old), new: Some(new) }];
        level.retain(|folder| folder.old != folder.new);
        while !level.is_empty() {
            let both = |folder: &Folder| {
                let at = |oid: Option<Oid>| oid.map(|oid| (folder.path.clone(), oid));
                [at(folder.old), at(folder.new)]
            };
            let wanted: Vec<_> = level.iter().flat_map(both).flatten().collect();
            let trees = self.objects.trees(&self.trees, &wanted)?;
            // An old and a new tree of one folder differ in one entry at least, and in all of both at most.
            check_count(pairs.len() + trees.iter().map(|tree| tree.len()).sum::<usize>() / 2)?;
            let mut trees = trees.into_iter();
            let mut next = Vec::new();
            for folder in &level {
                let old = folder.old.and_then(|_| trees.next());
                let new = folder.new.and_then(|_| trees.next());
                compare(&folder.path, old.as_ref(), new.as_ref(), &mut pairs, &mut next)?;
            }
            level = next;
        }
        pairs.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(pairs)
    }
}

fn compare<'a>(
    path: &[u8],
    old: Option<&'a RawTree>,
    new: Option<&'a RawTree>,
    pairs: &mut Vec<Pair>,
    next: &mut Vec<Folder>,
) -> Result<(), Failure> {
    let side = |tree: Option<&'a RawTree>, is_new: bool| {
        tree.into_iter().flat_map(|tree| tree.iter()).map(move |entry| (entry, is_new))
    };
    // Both sides are nearly sorted by name already, so that this is little more than a merge.
    let mut entries: Vec<(&RawEntry, bool)> = side(old, false).chain(side(new, true)).collect();
    entries.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
    for namesakes in entries.chunk_by(|(one, _), (other, _)| one.name == other.name) {
        let at = |wanted: bool| namesakes.iter().find(|(_, is_new)| *is_new == wanted);
        let [old, new] = [at(false), at(true)].map(|found| found.map(|(entry, _)| (entry.mode, entry.oid)));
        if old == new {
            continue;
        }
        let path = checked_join(path, &namesakes[0].0.name)?;
        let folder = |side: Option<(Mode, Oid)>| side.filter(|(mode, _)| *mode == Mode::Directory).map(|(_, oid)| oid);
        let leaf = |side: Option<(Mode, Oid)>| side.filter(|(mode, _)| *mode != Mode::Directory);
        let (old_leaf, new_leaf) = (leaf(old), leaf(new));
        let (old, new) = (folder(old), folder(new));
        if old.is_some() || new.is_some() {
            next.push(Folder { path: path.clone(), old, new });
        }
        if old_leaf.is_some() || new_leaf.is_some() {
            pairs.push(Pair { path, old: old_leaf, new: new_leaf });
        }
    }
    Ok(())
}
