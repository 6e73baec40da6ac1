//! From names to commits. A name means exactly one ref; nothing is guessed where git would pick one.
//! Knows nothing of what commits hold.

use crate::error::{Failure, Kind};
use crate::facts::Revision;
use crate::git::Repository;
use crate::git::commit::Commit;
use crate::git::name::{Name, Stem, Step, candidates, is_abbreviated_hash};
use crate::git::oid::{ObjectFormat, Oid};
use crate::git::program::{Output, finish};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::process::Command;
use std::sync::PoisonError;

/// Files beside `HEAD` that hold a hash and can be named.
const PSEUDO_REFS: [&str; 3] = ["FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD"];
/// How many steps back a name may ask for in all.
const MOST_STEPS: u32 = 1_000_000;

/// Returns the full names of all refs that these names of commits can mean. One that is no name is passed over.
pub(super) fn full_names(names: &[&str]) -> BTreeSet<String> {
    // A full hash has more digits where objects are named by SHA-256, and is looked for as a ref in vain then.
    let digits = ObjectFormat::Sha1.length() * 2;
    let parsed = names.iter().filter_map(|name| Name::parse(name, digits).ok());
    parsed.filter_map(|name| name.refs()).flatten().collect()
}

/// Makes a command of the target ask for refs.
pub(super) fn list_refs(mut command: Command, names: &BTreeSet<String>) -> Command {
    command.args(["for-each-ref", "--format=%(objectname) %(refname)", "--"]).args(names);
    command
}

/// Reads what refs mean. `for-each-ref` takes a name as the name of a folder of refs too, so only exact answers count.
pub(super) fn read(answer: &Output, asked: BTreeSet<String>, format: ObjectFormat) -> HashMap<String, Option<Oid>> {
    let mut refs: HashMap<String, Option<Oid>> = asked.into_iter().map(|name| (name, None)).collect();
    for line in String::from_utf8_lossy(&answer.stdout).lines() {
        if let Some((oid, name)) = line.split_once(' ')
            && let Some(meaning) = refs.get_mut(name)
        {
            *meaning = Oid::parse(oid.as_bytes(), format);
        }
    }
    refs
}

impl Repository {
    /// Resolves names to commits, with one question for all refs that they can mean.
    ///
    /// # Errors
    /// [`Kind::Usage`] for an empty name, [`Kind::RefUnknown`], [`Kind::RefAmbiguous`].
    pub fn resolve(&self, names: &[&str]) -> Result<Vec<Revision>, Failure> {
        let digits = self.objects.format().length() * 2;
        let parsed = names.iter().map(|name| Name::parse(name, digits)).collect::<Result<Vec<_>, _>>()?;
        self.look_up(&parsed.iter().filter_map(Name::refs).flatten().collect::<Vec<_>>())?;
        let resolve = |(name, parsed): (&&str, &Name)| {
            let start = self.objects.peel(name, self.stem(name, &parsed.stem)?)?;
            let commit = self.step_back(name, start, &parsed.steps)?;
            Ok(Revision { name: (*name).to_owned(), commit: commit.to_string() })
        };
        names.iter().zip(&parsed).map(resolve).collect()
    }

    /// The names that [`Self::default_base`] looks for.
    pub const DEFAULT_BASES: [&str; 4] = ["upstream/HEAD", "origin/HEAD", "origin/main", "origin/master"];

    /// Returns the name of the base when none is given: `upstream/HEAD`, `origin/HEAD`, or the only one
    /// of `origin/main` and `origin/master`.
    ///
    /// # Errors
    /// [`Kind::Usage`] when there is no such ref, or both of the last two.
    pub fn default_base(&self) -> Result<String, Failure> {
        // Every form of the names is asked for now, so that `resolve` need not ask again.
        self.look_up(&Self::DEFAULT_BASES.iter().flat_map(|name| candidates(name)).collect::<Vec<_>>())?;
        let is_there = |name: &&&str| self.known(&format!("refs/remotes/{name}")).is_some();
        // The first two are somebody's choice and come in this order; of the others only one may be there.
        let (chosen, usual) = Self::DEFAULT_BASES.split_at(2);
        if let Some(name) = chosen.iter().find(is_there) {
            return Ok((*name).to_owned());
        }
        match *usual.iter().filter(is_there).collect::<Vec<_>>().as_slice() {
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

    /// Asks for those refs that were not asked for yet.
    fn look_up(&self, names: &[String]) -> Result<(), Failure> {
        let mut refs = self.refs.lock().unwrap_or_else(PoisonError::into_inner);
        let new: BTreeSet<String> = names.iter().filter(|name| !refs.contains_key(*name)).cloned().collect();
        if new.is_empty() {
            return Ok(());
        }
        let answer = self.objects.git().run(&mut list_refs(self.target_command(), &new))?;
        if !answer.is_success() {
            return Err(Failure::new(Kind::NotARepository, "git could not list the refs of the repository")
                .detail("git", answer.complaint("no reason given")));
        }
        refs.extend(read(&answer, new, self.objects.format()));
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
        let answer = self.objects.git().run(&mut command).ok().filter(Output::is_success)?;
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
