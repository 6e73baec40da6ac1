//! Reads trees, each proven by its hash, and refuses those that git's own tools read in different ways.
//! Knows nothing of files' contents.

use crate::error::{Failure, Kind};
use crate::git::objects::{ObjectKind, Objects, cut_off};
use crate::git::oid::{ObjectFormat, Oid};
use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

/// No honest repository has more paths. A few trees that hold each other many times can claim billions.
pub(super) const MOST_PATHS: usize = 2_000_000;

/// The longest path in bytes that systems take.
pub(super) const LONGEST_PATH: usize = 4096;

/// No honest folder is larger, in bytes.
const LARGEST: u64 = 256 << 20;

/// What a tree entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// A folder, `040000`.
    Directory,
    /// A file, `100644`.
    File,
    /// A file that can be started, `100755`.
    Executable,
    /// A symbolic link, `120000`.
    Symlink,
    /// A pointer to a commit of another repository, `160000`.
    Submodule,
}

impl Mode {
    /// Returns git's octal notation.
    pub const fn octal(self) -> &'static str {
        match self {
            Self::Directory => "040000",
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
            Self::Submodule => "160000",
        }
    }

    /// Returns whether it is a regular file.
    pub const fn is_file(self) -> bool {
        matches!(self, Self::File | Self::Executable)
    }

    fn parse(digits: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
        match u32::from_str_radix(text, 8).ok()? {
            0o040_000 => Some(Self::Directory),
            // Very old gits wrote a file's group bit; every git reads it as a plain file.
            0o100_644 | 0o100_664 => Some(Self::File),
            0o100_755 => Some(Self::Executable),
            0o120_000 => Some(Self::Symlink),
            0o160_000 => Some(Self::Submodule),
            _ => None,
        }
    }
}

/// One entry of one tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawEntry {
    pub(super) name: Vec<u8>,
    pub(super) mode: Mode,
    pub(super) oid: Oid,
}

/// One tree's entries, in git's order.
pub(super) type RawTree = Arc<Vec<RawEntry>>;

/// Trees that were read already.
#[derive(Debug, Default)]
pub(super) struct TreeCache(Mutex<HashMap<Oid, RawTree>>);

/// A tree and the path where it stands, for messages.
pub(super) type TreeAt = (Vec<u8>, Oid);

impl Objects {
    /// Reads many trees.
    pub(super) fn trees(&self, cache: &TreeCache, wanted: &[TreeAt]) -> Result<Vec<RawTree>, Failure> {
        let mut known = cache.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut seen = HashSet::new();
        let new: Vec<&TreeAt> =
            wanted.iter().filter(|(_, oid)| !known.contains_key(oid) && seen.insert(*oid)).collect();
        let oids: Vec<Oid> = new.iter().map(|(_, oid)| *oid).collect();
        self.each(&oids, &mut |object| {
            let (at, oid) = new[object.index];
            if object.kind != ObjectKind::Tree || object.size > LARGEST {
                return Err(malformed(at, b"", "it is no tree, or far too large"));
            }
            let content = object.content().map_err(|error| cut_off(&error))?;
            let entries = parse_tree(&content, self.format()).map_err(|(name, why)| malformed(at, &name, why))?;
            known.insert(*oid, Arc::new(entries));
            Ok(())
        })?;
        wanted
            .iter()
            .map(|(_, oid)| known.get(oid).cloned())
            .collect::<Option<_>>()
            .ok_or_else(|| Failure::new(Kind::Bug, "a tree was read and not kept"))
    }
}

/// Joins a folder's path and a name.
pub(super) fn join(folder: &[u8], name: &[u8]) -> Vec<u8> {
    if folder.is_empty() { name.to_vec() } else { [folder, b"/", name].concat() }
}

/// Says that a tree cannot be trusted to mean one thing.
pub(super) fn malformed(folder: &[u8], name: &[u8], why: &str) -> Failure {
    let path = String::from_utf8_lossy(&join(folder, name)).into_owned();
    Failure::new(Kind::ObjectUnreadable, format!("malformed tree: `{path}`: {why}"))
        .next("`git fsck` lists malformed objects; commit the folder again")
}

/// Parses a tree; an error tells the entry's name and what is wrong with it.
fn parse_tree(content: &[u8], format: ObjectFormat) -> Result<Vec<RawEntry>, (Vec<u8>, &'static str)> {
    let mut entries: Vec<RawEntry> = Vec::new();
    let mut rest = content;
    while !rest.is_empty() {
        let torn = || (Vec::new(), "an entry is cut off");
        let space = rest.iter().position(|&byte| byte == b' ').ok_or_else(torn)?;
        let end = rest.iter().position(|&byte| byte == 0).filter(|end| *end > space).ok_or_else(torn)?;
        let name = &rest[space + 1..end];
        let mode = Mode::parse(&rest[..space]).ok_or_else(|| (name.to_vec(), "its mode is unknown"))?;
        let oid = rest.get(end + 1..end + 1 + format.length()).and_then(|raw| Oid::from_raw(raw, format));
        let oid = oid.ok_or_else(torn)?;
        if let Some(why) = fault_of_name(name) {
            return Err((name.to_vec(), why));
        }
        let entry = RawEntry { name: name.to_vec(), mode, oid };
        if entries.last().is_some_and(|last| !is_sorted(last, &entry)) {
            let is_same = entries.last().is_some_and(|last| last.name == entry.name);
            return Err((entry.name, if is_same { "a duplicate entry" } else { "its entries are not sorted" }));
        }
        entries.push(entry);
        rest = &rest[end + 1 + format.length()..];
    }
    // A file and a folder of one name need not stand side by side.
    let is_folder = |entry: &&RawEntry| entry.mode == Mode::Directory;
    let folders: HashSet<&[u8]> = entries.iter().filter(is_folder).map(|entry| entry.name.as_slice()).collect();
    match entries.iter().find(|entry| !is_folder(entry) && folders.contains(entry.name.as_slice())) {
        Some(twice) => Err((twice.name.clone(), "a duplicate entry")),
        None => Ok(entries),
    }
}

/// Returns whether two entries stand in git's order, which takes a folder as if its name ended in a slash.
fn is_sorted(first: &RawEntry, second: &RawEntry) -> bool {
    let n_common = first.name.len().min(second.name.len());
    let (start, end) = first.name.split_at(n_common);
    let (other_start, other_end) = second.name.split_at(n_common);
    let slash = |entry: &RawEntry| (entry.mode == Mode::Directory).then_some(b'/');
    start.cmp(other_start).then_with(|| {
        let (next, other) = (end.first().copied(), other_end.first().copied());
        next.or_else(|| slash(first)).cmp(&other.or_else(|| slash(second)))
    }) == Ordering::Less
}

/// Returns what is wrong with a name that could reach outside its folder, or into `.git`.
fn fault_of_name(name: &[u8]) -> Option<&'static str> {
    match name {
        b"" => return Some("an entry without a name"),
        b"." | b".." => return Some("a name that leads elsewhere"),
        _ if name.contains(&b'/') => return Some("a name with a slash"),
        // Nearly every name ends here: what stands for `.git` begins as it or `git~1` does, or is not ASCII.
        [first, ..] if name.is_ascii() && !matches!(first, b'.' | b'g' | b'G') => return None,
        _ => {}
    }
    // HFS+ ignores these characters (U+200C..200F, 202A..202E, 206A..206F, FEFF), so `.g\u{200c}it` is `.git` there.
    let plain: String = String::from_utf8_lossy(name)
        .chars()
        .filter(
            |c| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'),
        )
        .collect();
    // NTFS drops dots and spaces at the end, and what follows a colon names a stream of the same file.
    let stem = plain.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    let is_git = stem.eq_ignore_ascii_case(".git") || stem.eq_ignore_ascii_case("git~1");
    is_git.then_some("a name that stands for git's own folder")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(entries: &[(&str, &[u8])]) -> Vec<u8> {
        let encode = |(mode, name): &(&str, &[u8])| [mode.as_bytes(), b" ", *name, b"\0", &[7; 20]].concat();
        entries.iter().flat_map(encode).collect()
    }

    fn check(entries: &[(&str, &[u8])], want: Result<usize, &str>) {
        let got = parse_tree(&tree(entries), ObjectFormat::Sha1).map(|entries| entries.len()).map_err(|(_, why)| why);
        assert_eq!(got, want, "{entries:?}");
    }

    #[test]
    fn honest_trees_are_read() {
        check(&[], Ok(0));
        check(&[("100644", b"a"), ("100755", b"a.b"), ("40000", b"a.c"), ("120000", b"l"), ("160000", b"s")], Ok(5));
        // Git's order: `a-b` before the folder `a`, which counts as `a/`, before `a0`.
        check(&[("100644", b"a-b"), ("040000", b"a"), ("100664", b"a0")], Ok(3));
        check(&[("100644", b"\xff\xfe \n\t\"")], Ok(1));
        check(&[("100644", b".gitignore"), ("100644", b".gitmodules"), ("100644", b"git")], Ok(3));
    }

    #[test]
    fn trees_that_mean_two_things_are_refused() {
        check(&[("100644", b"a"), ("100644", b"a")], Err("a duplicate entry"));
        check(&[("100644", b"a"), ("100644", b"a-b"), ("40000", b"a")], Err("a duplicate entry"));
        check(&[("100644", b"b"), ("100644", b"a")], Err("its entries are not sorted"));
        check(&[("40000", b"a"), ("100644", b"a-b")], Err("its entries are not sorted"));
        check(&[("100600", b"a")], Err("its mode is unknown"));
        check(&[("+100644", b"a")], Err("its mode is unknown"));
        check(&[("100644", b"a/b")], Err("a name with a slash"));
        check(&[("100644", b"")], Err("an entry without a name"));
        for name in [b".".as_slice(), b".."] {
            check(&[("40000", name)], Err("a name that leads elsewhere"));
        }
        for name in [".git", ".GIT", ".git ", ".git.", "git~1", "GIT~1", ".g\u{200c}it", ".git::$INDEX_ALLOCATION"] {
            check(&[("40000", name.as_bytes())], Err("a name that stands for git's own folder"));
        }
    }

    #[test]
    fn a_torn_tree_is_refused() {
        let whole = tree(&[("100644", b"a")]);
        for end in 1..whole.len() {
            assert!(parse_tree(&whole[..end], ObjectFormat::Sha1).is_err(), "{end}");
        }
    }
}
