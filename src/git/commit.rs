//! Reads commits and tags, each proven by its hash. Knows nothing of refs or histories.

use crate::error::{Failure, Kind};
use crate::git::objects::{Object, ObjectKind, Objects, cut_off};
use crate::git::oid::{ObjectFormat, Oid};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// A tag may point to a tag; no honest chain is longer.
const MOST_TAGS: usize = 32;

/// No honest commit or tag is larger, in bytes.
const LARGEST: u64 = 16 << 20;

/// So many commits are kept: those that names lead to and their trees are asked for, not whole histories.
const MOST_KEPT: usize = 256;

/// Commits that were proven already.
#[derive(Debug, Default)]
pub(super) struct CommitCache(Mutex<HashMap<Oid, Commit>>);

impl CommitCache {
    fn get(&self, oid: Oid) -> Option<Commit> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&oid).cloned()
    }

    fn keep(&self, oid: Oid, commit: &Commit) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() < MOST_KEPT {
            known.insert(oid, commit.clone());
        }
    }
}

/// What a commit says that matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    /// Its tree.
    pub(super) tree: Oid,
    /// The commits before it.
    pub(super) parents: Vec<Oid>,
    /// What the committer's clock said; anybody can write anything here, so it only orders work.
    pub(super) time: i64,
}

impl Objects {
    /// Reads one commit.
    pub(super) fn commit(&self, oid: Oid) -> Result<Commit, Failure> {
        self.commits_if_there(&[oid])?.pop().flatten().ok_or_else(|| crate::git::objects::missing(&oid.to_string()))
    }

    /// Reads commits, `None` for those that are not there.
    pub(super) fn commits_if_there(&self, oids: &[Oid]) -> Result<Vec<Option<Commit>>, Failure> {
        let mut commits: Vec<Option<Commit>> = oids.iter().map(|oid| self.commits().get(*oid)).collect();
        let new: Vec<usize> = (0..oids.len()).filter(|place| commits[*place].is_none()).collect();
        let names: Vec<Oid> = new.iter().map(|place| oids[*place]).collect();
        self.each_or_absent(
            &names,
            &mut |object| {
                commits[new[object.index]] = Some(self.read_commit(names[object.index], object)?);
                Ok(())
            },
            &mut |_| Ok(()),
        )?;
        // Only now they are proven.
        for place in new {
            if let Some(commit) = &commits[place] {
                self.commits().keep(oids[place], commit);
            }
        }
        Ok(commits)
    }

    fn read_commit(&self, oid: Oid, object: &mut Object<'_>) -> Result<Commit, Failure> {
        let content = read_small(object)?;
        if object.kind != ObjectKind::Commit {
            return Err(not_a_commit(oid, object.kind));
        }
        parse_commit(&content, self.format()).ok_or_else(|| malformed(oid))
    }

    /// Follows tags to the commit that they mean.
    pub(super) fn peel(&self, name: &str, oid: Oid) -> Result<Oid, Failure> {
        let mut current = oid;
        for _ in 0..MOST_TAGS {
            if self.commits().get(current).is_some() {
                return Ok(current);
            }
            let (mut next, mut commit) = (None, None);
            self.each(&[current], &mut |object| {
                let kind = object.kind;
                match kind {
                    ObjectKind::Commit => commit = Some(self.read_commit(current, object)?),
                    ObjectKind::Tag => {
                        let content = read_small(object)?;
                        next = Some(parse_tag(&content, self.format()).ok_or_else(|| malformed(current))?);
                    }
                    ObjectKind::Tree | ObjectKind::Blob => return Err(not_a_commit(current, kind)),
                }
                Ok(())
            })
            .map_err(|failure| failure.detail("name", name))?;
            if let Some(commit) = commit {
                self.commits().keep(current, &commit);
            }
            match next {
                Some(next) => current = next,
                None => return Ok(current),
            }
        }
        Err(Failure::new(Kind::ObjectUnreadable, format!("`{name}` is a tag of a tag of a tag without end")))
    }
}

fn read_small(object: &mut Object<'_>) -> Result<Vec<u8>, Failure> {
    if object.size > LARGEST {
        return Err(Failure::new(Kind::ObjectUnreadable, format!("a {} is over 16 MiB", object.kind.name())));
    }
    object.content().map_err(|error| cut_off(&error))
}

fn not_a_commit(oid: Oid, kind: ObjectKind) -> Failure {
    Failure::new(Kind::RefUnknown, format!("{oid} is a {}, not a commit", kind.name()))
}

fn malformed(oid: Oid) -> Failure {
    Failure::new(Kind::ObjectUnreadable, format!("object {oid} is malformed"))
}

fn parse_commit(content: &[u8], format: ObjectFormat) -> Option<Commit> {
    let mut lines = content.split(|&byte| byte == b'\n');
    let tree = Oid::parse(lines.next()?.strip_prefix(b"tree ")?, format)?;
    let mut parents = Vec::new();
    let mut line = lines.next()?;
    while let Some(parent) = line.strip_prefix(b"parent ") {
        parents.push(Oid::parse(parent, format)?);
        line = lines.next()?;
    }
    let committer = lines.next().filter(|_| line.starts_with(b"author "));
    let time = committer.and_then(|line| parse_time(line.strip_prefix(b"committer ")?)).unwrap_or_default();
    Some(Commit { tree, parents, time })
}

/// Reads the seconds in `Name <mail> 1700000000 +0000`.
fn parse_time(line: &[u8]) -> Option<i64> {
    let after = line.iter().rposition(|&byte| byte == b'>')?;
    std::str::from_utf8(&line[after + 1..]).ok()?.split_whitespace().next()?.parse().ok()
}

fn parse_tag(content: &[u8], format: ObjectFormat) -> Option<Oid> {
    Oid::parse(content.split(|&byte| byte == b'\n').next()?.strip_prefix(b"object ")?, format)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

    fn check(text: &str, want: Option<(usize, i64)>) {
        let commit = parse_commit(text.as_bytes(), ObjectFormat::Sha1);
        assert_eq!(commit.map(|commit| (commit.parents.len(), commit.time)), want, "{text}");
    }

    #[test]
    fn a_commit_is_read_as_git_reads_it() {
        check(&format!("tree {TREE}\nauthor a <a> 1 +0\ncommitter b <b> 7 +0100\n\nmessage"), Some((0, 7)));
        check(&format!("tree {TREE}\nparent {TREE}\nparent {TREE}\nauthor a\ncommitter > <b> x\n"), Some((2, 0)));
        check(&format!("tree {TREE}\nauthor a\n\nparent {TREE}\n"), Some((0, 0)));
        check(&format!("tree {TREE}\nparent short\nauthor a\n"), None);
        check(&format!("parent {TREE}\n"), None);
        check("", None);
    }
}
