//! Many path rules matched at once: a hash table for literal paths, and for patterns one by what every path
//! that matches starts or ends with, so that few patterns are tried on a path. Knows nothing of clauses.

use crate::facts::{PathRule, RepoPath};
use std::collections::{HashMap, HashSet};

/// Path rules in the contract's order without repeats, ready for many paths.
#[derive(Debug)]
pub(super) struct RuleSet {
    rules: Vec<PathRule>,
    literals: HashMap<Vec<u8>, usize>,
    by_start: Patterns,
    by_end: Patterns,
}

/// Indices of patterns by a part that every path that matches has.
#[derive(Debug, Default)]
struct Patterns {
    by_part: HashMap<Vec<u8>, Vec<usize>>,
    /// The lengths of the parts, each once.
    lengths: Vec<usize>,
}

impl Patterns {
    fn add(&mut self, part: &str, index: usize) {
        self.by_part.entry(part.as_bytes().to_vec()).or_default().push(index);
        if !self.lengths.contains(&part.len()) {
            self.lengths.push(part.len());
        }
    }

    /// Returns the patterns whose part is what `part` cuts out of a path for some length.
    fn candidates<'a>(&'a self, part: impl Fn(usize) -> Option<&'a [u8]> + 'a) -> impl Iterator<Item = usize> + 'a {
        let of_length = move |length: &usize| part(*length).and_then(|part| self.by_part.get(part));
        self.lengths.iter().filter_map(of_length).flatten().copied()
    }
}

impl RuleSet {
    /// Prepares rules. A rule that is written twice counts once.
    pub(super) fn new(mut rules: Vec<PathRule>) -> Self {
        let mut seen = HashSet::new();
        rules.retain(|rule| seen.insert((rule.as_literal().is_some(), rule.to_string())));
        let mut literals = HashMap::new();
        let (mut starts, mut ends): (HashMap<_, usize>, HashMap<_, usize>) = (HashMap::new(), HashMap::new());
        let mut parts = Vec::new();
        for (index, rule) in rules.iter().enumerate() {
            if let Some(path) = rule.as_literal() {
                literals.insert(path.as_bytes().to_vec(), index);
                continue;
            }
            for (start, end) in rule.ends() {
                *starts.entry(start).or_default() += 1;
                *ends.entry(end).or_default() += 1;
                parts.push((start, end, index));
            }
        }
        let (mut by_start, mut by_end) = (Patterns::default(), Patterns::default());
        for (start, end, index) in parts {
            // Rules of one folder start alike, rules of one language end alike: the rarer part leaves fewer to try.
            if starts.get(start) < ends.get(end) {
                by_start.add(start, index);
            } else {
                by_end.add(end, index);
            }
        }
        Self { rules, literals, by_start, by_end }
    }

    /// Returns the rules in the contract's order.
    pub(super) fn rules(&self) -> &[PathRule] {
        &self.rules
    }

    /// Returns whether any rule matches.
    pub(super) fn contains(&self, path: &RepoPath) -> bool {
        self.matching(path).next().is_some()
    }

    /// Returns of each rule, in the contract's order, whether it matches any of the paths.
    pub(super) fn matched<'a>(&self, paths: impl IntoIterator<Item = &'a RepoPath>) -> Vec<bool> {
        let mut is_matched = vec![false; self.rules.len()];
        for path in paths {
            for index in self.matching(path) {
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
        self.matching(path).min()
    }

    /// Returns the indices of all rules that match, in no order; one may come twice.
    fn matching<'a>(&'a self, path: &'a RepoPath) -> impl Iterator<Item = usize> + 'a {
        let bytes = path.as_bytes();
        let starts = self.by_start.candidates(move |length| bytes.get(..length));
        let ends = self.by_end.candidates(move |length| bytes.get(bytes.len().checked_sub(length)?..));
        let patterns = starts.chain(ends).filter(move |&index| self.rules[index].matches(path));
        self.literals.get(bytes).copied().into_iter().chain(patterns)
    }
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
            let mut found: Vec<usize> = set.matching(&path).collect();
            found.sort_unstable();
            found.dedup();
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
