//! Finds where two histories part, over commits that are proven one by one; `git merge-base` would take a
//! forged commit for what its name says, and costs a process. Knows nothing of refs.

use crate::error::Failure;
use crate::git::commit::Commit;
use crate::git::objects::Objects;
use crate::git::oid::Oid;
use std::collections::{BinaryHeap, HashMap};

/// What two commits have in common.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Common {
    /// The best common ancestors, in the order of their names.
    pub(super) bases: Vec<Oid>,
    /// A commit that would have been needed and is not there.
    pub(super) missing: Option<Oid>,
}

const ONE: u8 = 1;
const OTHER: u8 = 2;
const STALE: u8 = 4;
const RESULT: u8 = 8;

/// The part of history that was read.
pub(super) struct History<'a> {
    objects: &'a Objects,
    commits: HashMap<Oid, Option<Commit>>,
}

impl<'a> History<'a> {
    pub(super) fn new(objects: &'a Objects) -> Self {
        Self { objects, commits: HashMap::new() }
    }

    /// Returns the best common ancestors: those that are no ancestor of another.
    pub(super) fn common(&mut self, one: Oid, other: Oid) -> Result<Common, Failure> {
        let (marks, missing) = self.paint(one, &[other])?;
        let mut bases: Vec<Oid> =
            marks.iter().filter(|(_, mark)| *mark & (RESULT | STALE) == RESULT).map(|(oid, _)| *oid).collect();
        bases.sort_unstable();
        if bases.len() > 1 {
            // Clocks that go wrong can let an ancestor of another result through.
            bases = self.without_ancestors(&bases)?;
        }
        Ok(Common { bases, missing })
    }

    fn without_ancestors(&mut self, bases: &[Oid]) -> Result<Vec<Oid>, Failure> {
        let mut kept = Vec::new();
        for &base in bases {
            let others: Vec<Oid> = bases.iter().copied().filter(|other| *other != base).collect();
            let (marks, _) = self.paint(base, &others)?;
            if marks.get(&base).is_none_or(|mark| mark & OTHER == 0) {
                kept.push(base);
            }
        }
        Ok(kept)
    }

    /// Walks both histories from the newest commit down until all that is left is common to both, as
    /// git's own walk does. A commit reached from both sides is a result; what lies below one is stale.
    fn paint(&mut self, one: Oid, others: &[Oid]) -> Result<(HashMap<Oid, u8>, Option<Oid>), Failure> {
        let mut marks = HashMap::from([(one, ONE)]);
        let mut queue = BinaryHeap::new();
        for &other in others {
            *marks.entry(other).or_default() |= OTHER;
        }
        let starts = [&[one], others].concat();
        self.load(&starts)?;
        for start in starts {
            queue.push((self.time(start), start));
        }
        let mut missing = None;
        while queue.iter().any(|(_, oid)| marks[oid] & STALE == 0) {
            let Some((_, oid)) = queue.pop() else { break };
            let mut mark = marks[&oid] & (ONE | OTHER | STALE);
            let Some(commit) = self.commits.get(&oid).and_then(Option::as_ref) else {
                // Below a common commit nothing is needed any more.
                if mark & STALE == 0 {
                    missing = Some(oid);
                }
                continue;
            };
            if mark == ONE | OTHER {
                marks.entry(oid).and_modify(|all| *all |= RESULT);
                mark |= STALE;
            }
            let parents = commit.parents.clone();
            self.load(&parents)?;
            for parent in parents {
                let all = marks.entry(parent).or_default();
                if *all & mark != mark {
                    *all |= mark;
                    queue.push((self.time(parent), parent));
                }
            }
        }
        Ok((marks, missing))
    }

    fn time(&self, oid: Oid) -> i64 {
        self.commits.get(&oid).and_then(Option::as_ref).map_or(i64::MIN, |commit| commit.time)
    }

    fn load(&mut self, oids: &[Oid]) -> Result<(), Failure> {
        let new: Vec<Oid> = oids.iter().copied().filter(|oid| !self.commits.contains_key(oid)).collect();
        if !new.is_empty() {
            let commits = self.objects.commits_if_there(&new)?;
            self.commits.extend(new.into_iter().zip(commits));
        }
        Ok(())
    }
}
