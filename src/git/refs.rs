//! From names to commits. A name means exactly one ref; nothing is guessed where git would pick one.
//! Knows nothing of what commits hold.

use crate::error::{Failure, Kind};
use crate::facts::Revision;
use crate::git::Repository;
use crate::git::commit::Commit;
use crate::git::name::{Name, Stem, Step, candidates, is_abbreviated_hash};
use crate::git::oid::Oid;
use crate::git::program::finish;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::PoisonError;

/// What the base is taken to be when nobody names one, in this order.
const DEFAULT_BASES: [&str; 2] = ["upstream/HEAD", "origin/HEAD"];
/// The next choice, when only one of them is there.
const DEFAULT_BRANCHES: [&str; 2] = ["origin/main", "origin/master"];
/// Files beside `HEAD` that hold a hash and can be named.
const PSEUDO_REFS: [&str; 3] = ["FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD"];
/// How many steps back a name may ask for in all.
const MOST_STEPS: u32 = 1_000_000;

impl Repository {
    /// Resolves names to commits, with one question for all refs that they can mean.
    ///
    /// # Errors
    /// [`Kind::Usage`] for an empty name, [`Kind::RefUnknown`], [`Kind::RefAmbiguous`].
    pub fn resolve(&self, names: &[&str]) -> Result<Vec<Revision>, Failure> {
        let digits = self.objects.format().length() * 2;
        let parsed = names.iter().map(|name| Name::parse(name, digits)).collect::<Result<Vec<_>, _>>()?;
        let wanted = parsed.iter().filter_map(|name| match &name.stem {
            Stem::Ref(name) => Some(candidates(name)),
            Stem::Head | Stem::Hash(_) => None,
        });
        self.look_up(&wanted.flatten().collect::<Vec<_>>())?;
        let resolve = |(name, parsed): (&&str, &Name)| {
            let start = self.objects.peel(name, self.stem(name, &parsed.stem)?)?;
            let commit = self.step_back(name, start, &parsed.steps)?;
            Ok(Revision { name: (*name).to_owned(), commit: commit.to_string() })
        };
        names.iter().zip(&parsed).map(resolve).collect()
    }

    /// Returns the name of the base when none is given: `upstream/HEAD`, `origin/HEAD`, or the only one
    /// of `origin/main` and `origin/master`.
    ///
    /// # Errors
    /// [`Kind::Usage`] when there is no such ref, or both of the last two.
    pub fn default_base(&self) -> Result<String, Failure> {
        let names = [DEFAULT_BASES, DEFAULT_BRANCHES].concat();
        // Every form of the names is asked for now, so that `resolve` need not ask again.
        self.look_up(&names.iter().flat_map(|name| candidates(name)).collect::<Vec<_>>())?;
        let is_there = |name: &&&str| self.known(&format!("refs/remotes/{name}")).is_some();
        if let Some(name) = DEFAULT_BASES.iter().find(is_there) {
            return Ok((*name).to_owned());
        }
        match *DEFAULT_BRANCHES.iter().filter(is_there).collect::<Vec<_>>().as_slice() {
            [name] => Ok((*name).to_owned()),
            _ => Err(Failure::new(Kind::Usage, "there is no base to compare with")
                .detail("looked for", "upstream/HEAD, origin/HEAD, and only one of origin/main and origin/master")
                .next("name the branch that the change is meant for: `--base main`")),
        }
    }

    /// Returns whether nothing was ever committed here, on any branch: an orphan branch alone says nothing.
    ///
    /// # Errors
    /// Fails when git cannot list the refs.
    pub fn is_without_history(&self) -> Result<bool, Failure> {
        if self.location.head.is_some() {
            return Ok(false);
        }
        let mut command = self.target_command();
        command.args(["for-each-ref", "--count=1", "--format=%(refname)"]);
        let answer = finish(self.objects.git().start(&mut command)?)?;
        Ok(answer.is_success() && answer.stdout.is_empty())
    }

    fn stem(&self, name: &str, stem: &Stem) -> Result<Oid, Failure> {
        match stem {
            Stem::Head => self.location.head.ok_or_else(|| self.no_commits()),
            Stem::Hash(hash) => self.oid(hash),
            Stem::Ref(stem) => self.named(name, stem),
        }
    }

    fn named(&self, name: &str, stem: &str) -> Result<Oid, Failure> {
        let mut found: BTreeMap<String, Oid> =
            candidates(stem).into_iter().filter_map(|full| self.known(&full).map(|oid| (full, oid))).collect();
        if PSEUDO_REFS.contains(&stem) {
            found.extend(self.pseudo_ref(stem).map(|oid| (stem.to_owned(), oid)));
        }
        if is_abbreviated_hash(stem, self.objects.format().length() * 2) {
            found.extend(self.objects.expand(&stem.to_ascii_lowercase())?.map(|oid| (oid.to_string(), oid)));
        }
        let mut each = found.iter();
        match (each.next(), each.next()) {
            (Some((_, oid)), None) => Ok(*oid),
            (None, _) => Err(self.unknown(name, stem)),
            (Some((first, _)), Some(_)) => {
                let all = found.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
                Err(Failure::new(Kind::RefAmbiguous, format!("`{name}` is ambiguous"))
                    .detail("candidates", all)
                    .next(format!("write the one that is meant in full: `{first}`")))
            }
        }
    }

    fn step_back(&self, name: &str, start: Oid, steps: &[Step]) -> Result<Oid, Failure> {
        let mut current = start;
        let mut left = MOST_STEPS;
        let too_far = || {
            Failure::new(Kind::RefUnknown, format!("`{name}` goes back further than history"))
                .detail("why", "the commit that it starts at has no such ancestor")
        };
        let parent = |commit: &Commit, number: u32| {
            let index = usize::try_from(number).unwrap_or(usize::MAX).wrapping_sub(1);
            commit.parents.get(index).copied().ok_or_else(too_far)
        };
        for step in steps {
            match *step {
                Step::Parent(0) => {}
                Step::Parent(number) => current = parent(&self.objects.commit(current)?, number)?,
                Step::Ancestor(number) => {
                    left = left.checked_sub(number).ok_or_else(too_far)?;
                    for _ in 0..number {
                        current = parent(&self.objects.commit(current)?, 1)?;
                    }
                }
            }
        }
        // Proves that the commit is there.
        self.objects.commit(current)?;
        Ok(current)
    }

    /// Returns what a full ref name was found to mean.
    fn known(&self, full: &str) -> Option<Oid> {
        self.refs.lock().unwrap_or_else(PoisonError::into_inner).get(full).copied().flatten()
    }

    /// Asks for those refs that were not asked for yet. `for-each-ref` takes a name as the name of a
    /// folder of refs too, so only exact answers count.
    fn look_up(&self, names: &[String]) -> Result<(), Failure> {
        let mut refs = self.refs.lock().unwrap_or_else(PoisonError::into_inner);
        let new: BTreeSet<&String> = names.iter().filter(|name| !refs.contains_key(*name)).collect();
        if new.is_empty() {
            return Ok(());
        }
        let mut command = self.target_command();
        command.args(["for-each-ref", "--format=%(objectname) %(refname)", "--"]).args(&new);
        let answer = finish(self.objects.git().start(&mut command)?)?;
        if !answer.is_success() {
            return Err(Failure::new(Kind::NotARepository, "git could not list the refs of the repository")
                .detail("git", answer.complaint("no reason given")));
        }
        for line in String::from_utf8_lossy(&answer.stdout).lines() {
            let Some((oid, name)) = line.split_once(' ') else { continue };
            if new.iter().any(|wanted| *wanted == name) {
                refs.insert(name.to_owned(), Oid::parse(oid.as_bytes(), self.objects.format()));
            }
        }
        for name in new {
            refs.entry(name.clone()).or_default();
        }
        Ok(())
    }

    fn pseudo_ref(&self, name: &str) -> Option<Oid> {
        let text = std::fs::read(self.location.git_dir.join(name)).ok()?;
        let hash = text.split(u8::is_ascii_whitespace).next()?;
        Oid::parse(hash, self.objects.format())
    }

    fn no_commits(&self) -> Failure {
        Failure::new(Kind::RefUnknown, "`HEAD` names no commit: nothing is committed yet")
            .detail("repository", self.location.git_dir.to_string_lossy())
            .next("commit the change first")
    }

    fn unknown(&self, name: &str, stem: &str) -> Failure {
        let failure = Failure::new(Kind::RefUnknown, format!("`{name}` names no commit"))
            .detail("looked for", candidates(stem).join(", "));
        match self.similar_ref(stem) {
            None if self.location.head.is_none() => failure.detail("HEAD", "names no commit either"),
            Some(similar) => failure.next(format!("did you mean `{similar}`?")),
            None => failure.next("fetch it first: git fetch origin, or name a commit by its hash"),
        }
    }

    /// Returns a branch or tag that a misspelt name may mean.
    fn similar_ref(&self, stem: &str) -> Option<String> {
        let mut command = self.target_command();
        command.args(["for-each-ref", "--count=5000", "--format=%(refname)"]);
        command.args(["--", "refs/heads", "refs/tags", "refs/remotes"]);
        let answer = self.objects.git().run(&mut command).ok().filter(crate::git::program::Output::is_success)?;
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let short = |full: &str| full.splitn(3, '/').nth(2).map(str::to_owned);
        let names = text.lines().filter_map(short);
        let tail = |name: &str| name.rsplit('/').next().unwrap_or_default().to_owned();
        let rate = |name: &String| {
            strsim::normalized_damerau_levenshtein(name, stem).max(
                // `main` for `origin/main`, and the other way round.
                if tail(name) == tail(stem) { 0.9 } else { 0.0 },
            )
        };
        names
            .map(|name| (rate(&name), name))
            .filter(|(rate, _)| *rate > 0.7)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, name)| name)
    }
}
