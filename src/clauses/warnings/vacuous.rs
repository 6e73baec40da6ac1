//! W1xx: a clause that holds before any work, or cannot fail.

use super::asked::Asked;
use super::paths::{base_files, base_lines, base_tree};
use super::warning;
use crate::clauses::tests::{FailToPass, PassToPass, Passed};
use crate::clauses::{ChangedFilesForbidden, Clause as _, Counted, FileContains, FileExcludes, TestClause, Warning};
use crate::facts::{Facts, FileAt, FileContent, Known};

pub(super) fn warnings(asked: &Asked<'_>, facts: &Facts) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for clause in &asked.contains {
        warnings.extend(already_there(clause, facts));
    }
    for clause in &asked.excludes {
        warnings.extend(never_there(clause, facts));
    }
    warnings.extend(forbids_nothing(asked, facts));
    warnings.extend(allows_everything(asked));
    warnings.extend(asks_for_nothing(asked, facts));
    for (index, clause) in asked.tests.iter().enumerate() {
        warnings.extend(keeps_nothing(clause, index, facts));
    }
    warnings.extend(limits_nothing(asked, facts));
    warnings
}

fn already_there(clause: &FileContains, facts: &Facts) -> Option<Warning> {
    let files = base_files(clause.entry().path(), facts)?;
    let path = clause.entry().path();
    let message = format!("the text is already in {path} at the merge base; this asks for nothing");
    clause.holds(&files).then(|| warning("W101", clause.at(), message))
}

fn never_there(clause: &FileExcludes, facts: &Facts) -> Option<Warning> {
    let path = clause.entry().path();
    let files = base_files(path, facts)?;
    if files.iter().all(|file| matches!(file.at, FileAt::NoFile)) {
        let message = match path.as_literal() {
            Some(_) => format!("{path} does not exist at the merge base; a misspelt path would pass unseen"),
            None => format!("no file matches {path} at the merge base; a misspelt pattern would pass unseen"),
        };
        return Some(warning("W103", clause.at(), message));
    }
    let message = format!("{path} does not hold the text at the merge base; only a new use can fail this");
    clause.holds(&files).then(|| warning("W102", clause.at(), message))
}

fn forbids_nothing(asked: &Asked<'_>, facts: &Facts) -> Vec<Warning> {
    let Some(tree) = base_tree(facts) else { return Vec::new() };
    let rules = asked.forbidden.map(ChangedFilesForbidden::rules).unwrap_or_default();
    let unmatched = rules.iter().enumerate().filter(|(_, rule)| !tree.iter().any(|path| rule.matches(path)));
    let told = |(index, rule)| {
        let message = format!("no file matches {rule} at the merge base; is the path right?");
        warning("W104", format!("/changed_files_forbidden/{index}"), message)
    };
    unmatched.map(told).collect()
}

fn allows_everything(asked: &Asked<'_>) -> Option<Warning> {
    let only = asked.only?;
    let is_everything = |pattern: &str| matches!(pattern, "**" | "**/*" | "**/**");
    let pattern = only.rules().iter().filter_map(|rule| rule.as_glob()).find(|pattern| is_everything(pattern))?;
    Some(warning("W105", only.at(), format!("\"{pattern}\" allows every file")))
}

/// An empty change would pass. A clause of which that is not known counts as one that asks for something.
fn asks_for_nothing(asked: &Asked<'_>, facts: &Facts) -> Option<Warning> {
    let is_met = |files: Option<Vec<&FileContent>>, holds: &dyn Fn(&[&FileContent]) -> bool| {
        files.is_some_and(|files| holds(&files))
    };
    let asks = asked.required.is_some()
        || asked.n_artifacts > 0
        || !asked.commands.is_empty()
        || asked.tests.iter().any(|clause| test_asks(clause))
        || asked
            .contains
            .iter()
            .any(|clause| !is_met(base_files(clause.entry().path(), facts), &|files| clause.holds(files)))
        || asked
            .excludes
            .iter()
            .any(|clause| !is_met(base_files(clause.entry().path(), facts), &|files| clause.holds(files)));
    let message = "no clause asks for any change; an empty change would pass all but the empty-change check";
    (!asks).then(|| warning("W106", "", message))
}

/// Returns whether a test clause may fail at the merge base.
fn test_asks(clause: &TestClause) -> bool {
    let count = match clause.passed {
        Some(Passed::Exactly(_) | Passed::AtLeast(_)) => true,
        Some(Passed::MoreThanBase(n)) => n > 0,
        None => false,
    };
    let proof = matches!(clause.fail_to_pass, Some(FailToPass::Names(_) | FailToPass::AtLeast(_)));
    count || proof || !clause.names.is_empty() || matches!(clause.pass_to_pass, Some(PassToPass::Names(_)))
}

/// Only where a run at the merge base is known, from a cache or from facts that were supplied.
fn keeps_nothing(clause: &TestClause, index: usize, facts: &Facts) -> Option<Warning> {
    clause.pass_to_pass.as_ref()?;
    let Some(Known::Known(tests)) = facts.tests.get(index) else { return None };
    let Some(Known::Known(base)) = &tests.base else { return None };
    let passes = base.records.iter().any(|record| record.status == crate::facts::Status::Passed);
    let message = "this command passes no test at the merge base, so pass_to_pass keeps nothing";
    (!passes).then(|| warning("W107", clause.at(), message))
}

fn limits_nothing(asked: &Asked<'_>, facts: &Facts) -> Option<Warning> {
    let cap = asked.caps.iter().find(|cap| cap.counted() == Counted::Added)?;
    let mut all: u64 = 0;
    for rule in asked.only?.rules() {
        // A file that is new, or a pattern, can hold any number of lines.
        all = all.saturating_add(base_lines(rule.as_literal()?, facts)?);
    }
    let limit = cap.limit();
    let message = format!("{limit} is more than all lines of the allowed files together ({all}); it limits nothing");
    (limit > all).then(|| warning("W108", cap.at(), message))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{base, check, without};

    #[test]
    fn texts_that_are_already_as_asked() {
        let facts = without(base(&[("a.ts", "old text"), ("b.ts", "old")]), "gone.ts");
        for (contract, expected) in [
            (r#"{"file_contains": [{"path": "a.ts", "text": "old text"}]}"#, &["W101 /file_contains/0", "W106 "][..]),
            (r#"{"file_contains": [{"path": "a.ts", "text": "new"}]}"#, &[]),
            (r#"{"file_excludes": [{"path": "a.ts", "text": "new"}]}"#, &["W102 /file_excludes/0", "W106 "]),
            (r#"{"file_excludes": [{"path": "a.ts", "text": "old"}]}"#, &[]),
            (r#"{"file_excludes": [{"path": "gone.ts", "text": "old"}]}"#, &["W103 /file_excludes/0", "W106 "]),
        ] {
            check(contract, &facts, "W1", expected);
        }
        let pattern = r#"{"file_contains": [{"path": {"glob": "*.ts"}, "text": "old"}]}"#;
        check(pattern, &base(&[("a.ts", "old"), ("b.ts", "old")]), "W1", &["W101 /file_contains/0", "W106 "]);
        check(pattern, &base(&[("a.ts", "old"), ("b.ts", "new")]), "W1", &[]);
    }

    #[test]
    fn rules_that_match_nothing_or_everything() {
        let facts = base(&[("a.ts", "x\n")]);
        check(
            r#"{"changed_files_forbidden": ["a.ts", "b.ts"], "changed_files_required": ["a.ts"]}"#,
            &facts,
            "W1",
            &["W104 /changed_files_forbidden/1"],
        );
        check(
            r#"{"changed_files_only": ["a.ts", {"glob": "**"}], "changed_files_required": ["a.ts"]}"#,
            &facts,
            "W1",
            &["W105 /changed_files_only"],
        );
    }

    #[test]
    fn contracts_that_an_empty_change_meets() {
        for (contract, warned) in [
            (r#"{"max_added_lines": 3}"#, true),
            (r#"{"tests": [{"command": "npx vitest run", "pass_to_pass": true}]}"#, true),
            (r#"{"tests": [{"command": "npx vitest run", "passed": {"more_than_base": 0}}]}"#, true),
            (r#"{"tests": [{"command": "npx vitest run", "passed": {"more_than_base": 1}}]}"#, false),
            (r#"{"tests": [{"command": "npx vitest run", "passed": 4}]}"#, false),
            (r#"{"commands": [{"command": ["tsc"]}]}"#, false),
            (r#"{"changed_files_required": ["a.ts"]}"#, false),
        ] {
            check(contract, &base(&[]), "W106", if warned { &["W106 "] } else { &[] });
        }
    }

    #[test]
    fn a_cap_above_all_lines_of_the_allowed_files() {
        let facts = base(&[("a.ts", "1\n2\n3\n"), ("b.ts", "1\n")]);
        let contract = |cap: u64, only: &str| {
            format!(r#"{{"changed_files_only": {only}, "changed_files_required": ["a.ts"], "max_added_lines": {cap}}}"#)
        };
        check(&contract(5, r#"["a.ts", "b.ts"]"#), &facts, "W108", &["W108 /max_added_lines"]);
        check(&contract(4, r#"["a.ts", "b.ts"]"#), &facts, "W108", &[]);
        check(&contract(99, r#"["a.ts", "new.ts"]"#), &facts, "W108", &[]);
        check(&contract(99, r#"["a.ts", {"glob": "b.*"}]"#), &facts, "W108", &[]);
    }
}
