//! Many path rules matched at once: a hash table for literal paths, one automaton for patterns.
//! Knows nothing of clauses.

use crate::facts::{PathRule, RepoPath};
use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};
use std::collections::{HashMap, HashSet};

/// Path rules in the contract's order without repeats, ready for many paths.
#[derive(Debug)]
pub(super) struct RuleSet {
    rules: Vec<PathRule>,
    literals: HashMap<Vec<u8>, usize>,
    globs: Globs,
}

#[derive(Debug)]
enum Globs {
    /// One automaton; the second part leads from its indices to the rules'.
    Set(GlobSet, Vec<usize>),
    /// So many patterns that one automaton would be too large: one after the other.
    Each(Vec<usize>),
}

impl RuleSet {
    /// Prepares rules. A rule that is written twice counts once.
    pub(super) fn new(mut rules: Vec<PathRule>) -> Self {
        let mut seen = HashSet::new();
        rules.retain(|rule| seen.insert((rule.as_literal().is_some(), rule.to_string())));
        let mut literals = HashMap::new();
        let mut patterns = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            match rule.as_literal() {
                Some(path) => {
                    literals.entry(path.as_bytes().to_vec()).or_insert(index);
                }
                None => patterns.push(index),
            }
        }
        let globs = match glob_set(&rules, &patterns) {
            Ok(set) => Globs::Set(set, patterns),
            Err(_) => Globs::Each(patterns),
        };
        Self { rules, literals, globs }
    }

    /// Returns the rules in the contract's order.
    pub(super) fn rules(&self) -> &[PathRule] {
        &self.rules
    }

    /// Returns whether any rule matches.
    pub(super) fn contains(&self, path: &RepoPath) -> bool {
        self.literals.contains_key(path.as_bytes())
            || match &self.globs {
                Globs::Set(set, _) => set.is_match_candidate(&Candidate::from_bytes(path.as_bytes())),
                Globs::Each(indices) => indices.iter().any(|&index| self.rules[index].matches(path)),
            }
    }

    /// Returns of each rule, in the contract's order, whether it matches any of the paths.
    pub(super) fn matched<'a>(&self, paths: impl IntoIterator<Item = &'a RepoPath>) -> Vec<bool> {
        let mut is_matched = vec![false; self.rules.len()];
        for path in paths {
            for index in self.matches(path) {
                is_matched[index] = true;
            }
        }
        is_matched
    }

    /// Returns the rules that match none of the paths, in the contract's order.
    pub(super) fn unmatched<'a>(&self, paths: impl IntoIterator<Item = &'a RepoPath>) -> Vec<&PathRule> {
        let is_matched = self.matched(paths);
        self.rules.iter().zip(is_matched).filter(|(_, is_matched)| !is_matched).map(|(rule, _)| rule).collect()
    }

    /// Returns the index of the first rule that matches.
    pub(super) fn first_match(&self, path: &RepoPath) -> Option<usize> {
        let literal = self.literals.get(path.as_bytes()).copied();
        literal.into_iter().chain(self.glob_matches(path)).min()
    }

    /// Returns the indices of all rules that match.
    pub(super) fn matches(&self, path: &RepoPath) -> Vec<usize> {
        let literal = self.literals.get(path.as_bytes()).copied();
        literal.into_iter().chain(self.glob_matches(path)).collect()
    }

    fn glob_matches(&self, path: &RepoPath) -> Vec<usize> {
        match &self.globs {
            Globs::Set(set, _) if set.is_empty() => Vec::new(),
            Globs::Set(set, indices) => set
                .matches_candidate(&Candidate::from_bytes(path.as_bytes()))
                .into_iter()
                .filter_map(|index| indices.get(index).copied())
                .collect(),
            Globs::Each(indices) => indices.iter().copied().filter(|&index| self.rules[index].matches(path)).collect(),
        }
    }
}

fn glob_set(rules: &[PathRule], patterns: &[usize]) -> Result<GlobSet, globset::Error> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns.iter().filter_map(|&index| rules[index].as_glob()) {
        // The same settings as `PathRule::glob`; a test holds the two together.
        builder.add(GlobBuilder::new(pattern).literal_separator(true).backslash_escape(true).build()?);
    }
    builder.build()
}

#[cfg(test)]
mod tests {
    use super::RuleSet;
    use crate::facts::{PathRule, RepoPath};

    fn rules(written: &[&str]) -> RuleSet {
        let rule = |text: &&str| match text.strip_prefix("glob:") {
            Some(pattern) => PathRule::glob(pattern).expect("a pattern"),
            None => PathRule::literal(*text),
        };
        RuleSet::new(written.iter().map(rule).collect())
    }

    #[test]
    fn a_set_matches_what_each_rule_matches() {
        let set = rules(&["a.ts", "glob:*.ts", "src/[a].ts", "glob:src/**", "glob:{x,y}/*", "glob:**/z", "glob:\\*"]);
        let paths = ["a.ts", "b.ts", "src/a.ts", "src/[a].ts", "src/b/c", "x/1", "x/1/2", "z", "q/z", "*", "b"];
        for path in paths.iter().copied().map(RepoPath::from).chain([RepoPath::from_bytes(*b"src/\xff")]) {
            let each: Vec<usize> = set
                .rules()
                .iter()
                .enumerate()
                .filter(|(_, rule)| rule.matches(&path))
                .map(|(index, _)| index)
                .collect();
            let mut found = set.matches(&path);
            found.sort_unstable();
            assert_eq!(found, each, "{path}");
            assert_eq!(set.first_match(&path), each.first().copied(), "{path}");
            assert_eq!(set.contains(&path), !each.is_empty(), "{path}");
        }
    }

    #[test]
    fn a_rule_that_is_written_twice_counts_once() {
        assert_eq!(rules(&["a", "glob:a", "a"]).rules().len(), 2);
    }
}
