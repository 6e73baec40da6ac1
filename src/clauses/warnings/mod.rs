//! The warnings of `explain`: a contract that asks for nothing (1xx), that nobody can meet (2xx), or that a lazy answer
//! meets (3xx). For whoever writes the contract; never part of a verdict. What is not known is not warned of.

mod asked;
mod impossible;
mod paths;
mod vacuous;
mod weak_files;
mod weak_tests;

use super::{ChangedFilesOnly, Clause, Warning};
use crate::facts::{Facts, PathRule, Plan};
use asked::Asked;

/// Literal paths whose content at the merge base is asked for beside the plan's, so many at most.
const MAX_EXTRA_CONTENTS: usize = 100;

/// Adds to a plan the facts at the merge base that warnings look at.
pub fn warning_needs(clauses: &[Box<dyn Clause>], plan: &mut Plan) {
    plan.base_tree = true;
    let allowed = Asked::of(clauses).only.map(ChangedFilesOnly::rules).unwrap_or_default();
    let literal = allowed.iter().filter(|rule| rule.as_literal().is_some()).take(MAX_EXTRA_CONTENTS);
    for rule in plan.contents.iter().chain(literal) {
        if !plan.base_contents.contains(rule) {
            plan.base_contents.push(rule.clone());
        }
    }
}

/// Returns the warnings on a contract, in the order of their codes. `issue` is the number of the issue that holds it.
pub fn warnings(
    clauses: &[Box<dyn Clause>],
    harness_changes: &[PathRule],
    issue: Option<u64>,
    facts: &Facts,
) -> Vec<Warning> {
    let asked = Asked::of(clauses);
    let mut warnings = vacuous::warnings(&asked, facts);
    warnings.extend(impossible::warnings(&asked, facts));
    warnings.extend(weak_tests::warnings(&asked, harness_changes, facts));
    warnings.extend(weak_files::warnings(&asked, issue, facts));
    warnings.sort_unstable();
    warnings.dedup();
    warnings
}

/// Makes one warning.
fn warning(code: &str, at: impl Into<String>, message: impl Into<String>) -> Warning {
    Warning { code: code.to_owned(), at: at.into(), message: message.into() }
}

#[cfg(test)]
mod samples {
    use super::warnings;
    use crate::clauses::samples;
    use crate::facts::{Facts, FileAt, FileContent, Known, RepoPath};

    /// Makes facts of a merge base: each path with its text.
    pub(super) fn base(files: &[(&str, &str)]) -> Facts {
        let mut facts = samples::facts([]);
        facts.base_tree = Known::Known(files.iter().map(|(path, _)| RepoPath::from(*path)).collect());
        facts.base_contents = Known::Known(files.iter().map(|(path, text)| samples::content(path, text)).collect());
        facts
    }

    /// Adds a path that is not there at the merge base.
    pub(super) fn without(mut facts: Facts, path: &str) -> Facts {
        if let Known::Known(contents) = &mut facts.base_contents {
            contents.push(FileContent { path: path.into(), at: FileAt::NoFile });
        }
        facts
    }

    /// Returns `W101 /file_contains/0` for each warning whose code begins so.
    pub(super) fn codes(contract: &str, facts: &Facts, family: &str) -> Vec<String> {
        let found = warnings(&samples::clauses(contract), &[], None, facts);
        let of_family = found.iter().filter(|warning| warning.code.starts_with(family));
        of_family.map(|warning| format!("{} {}", warning.code, warning.at)).collect()
    }

    #[track_caller]
    pub(super) fn check(contract: &str, facts: &Facts, family: &str, expected: &[&str]) {
        assert_eq!(codes(contract, facts, family), expected, "{contract}");
    }
}

#[cfg(test)]
mod tests {
    use super::samples::base;
    use super::{warning_needs, warnings};
    use crate::clauses::samples;
    use crate::facts::{Facts, Plan};

    const CONTRACT: &str = r#"{
        "changed_files_only": ["src/a.ts", {"glob": "t/**"}],
        "file_contains": [{"path": "src/a.ts", "text": "x"}],
        "tests": [{"command": "npx vitest run", "passed": 4}]
    }"#;

    #[test]
    fn what_is_not_known_is_not_warned_of() {
        let known = warnings(&samples::clauses(CONTRACT), &[], None, &base(&[("src/a.ts", "x")]));
        let unknown = warnings(&samples::clauses(CONTRACT), &[], None, &Facts::none());
        let codes = |warnings: &[crate::clauses::Warning]| {
            warnings.iter().map(|warning| warning.code.clone()).collect::<Vec<_>>()
        };
        assert!(codes(&known).contains(&"W101".to_owned()), "{known:?}");
        assert!(!codes(&unknown).iter().any(|code| code.starts_with("W1")), "{unknown:?}");
        assert!(codes(&unknown).contains(&"W203".to_owned()), "{unknown:?}");
    }

    #[test]
    fn the_order_is_that_of_the_codes() {
        let found = warnings(&samples::clauses(CONTRACT), &[], None, &base(&[("src/a.ts", "x")]));
        let mut sorted = found.clone();
        sorted.sort_unstable();
        assert_eq!(found, sorted);
    }

    #[test]
    fn facts_of_the_merge_base_are_asked_for() {
        let mut plan = Plan::default();
        warning_needs(&samples::clauses(CONTRACT), &mut plan);
        assert!(plan.base_tree);
        assert_eq!(plan.base_contents.len(), 1);
    }
}
