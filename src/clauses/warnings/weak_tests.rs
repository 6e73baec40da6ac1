//! W3xx of test clauses: what a lazy answer passes.

use super::asked::Asked;
use super::paths::{base_tree, file_name, is_test, known_paths};
use super::warning;
use crate::clauses::tests::Passed;
use crate::clauses::{Clause as _, Counted, TestClause, Warning};
use crate::facts::{Facts, Known, PathRule, RepoPath};

pub(super) fn warnings(asked: &Asked<'_>, harness_changes: &[PathRule], facts: &Facts) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for (index, clause) in asked.tests.iter().enumerate() {
        // Strict mode keeps what passes at the merge base, and lets nothing be skipped that was not.
        let is_strict = matches!(facts.previews.get(index), Some(Known::Known(preview)) if preview.strict);
        let counts_only = clause.passed.is_some() && clause.pass_to_pass.is_none() && clause.names.is_empty();
        if counts_only && !is_strict {
            let message = "a count cannot see which tests passed; add pass_to_pass or names";
            warnings.push(warning("W302", clause.at(), message));
        }
        if clause.fail_to_pass.is_none() && asks_for_new_tests(clause) {
            let message = "nothing proves that the new tests test the change; add fail_to_pass";
            warnings.push(warning("W303", clause.at(), message));
        }
        warnings.extend(editable_tests(clause, asked, facts));
        if clause.max_skipped.is_none() && !is_strict {
            let message = "no max_skipped: skipped tests are told but not refused";
            warnings.push(warning("W311", clause.at(), message));
        }
    }
    warnings.extend(scripts(asked, harness_changes));
    warnings
}

fn asks_for_new_tests(clause: &TestClause) -> bool {
    match clause.passed {
        Some(Passed::Exactly(_) | Passed::AtLeast(_)) => true,
        Some(Passed::MoreThanBase(n)) => n > 0,
        None => !clause.names.is_empty(),
    }
}

fn editable_tests(clause: &TestClause, asked: &Asked<'_>, facts: &Facts) -> Option<Warning> {
    let tree = base_tree(facts)?;
    if asked.cap(Counted::Deleted).is_some() {
        return None;
    }
    let paths: Vec<&str> = match asked.only {
        Some(only) => only.rules().iter().flat_map(|rule| known_paths(rule, facts)).collect(),
        None => tree.iter().filter_map(RepoPath::as_str).collect(),
    };
    let is_there = |path: &str| tree.iter().any(|at_base| at_base.as_str() == Some(path));
    let path = paths
        .into_iter()
        .filter(|path| asked.limit_of(path, Counted::Deleted).is_none())
        .filter(|path| is_test(path, &clause.command, clause.test_files.as_deref()))
        .find(|path| is_there(path))?;
    let message = format!("existing tests may be edited: {path} is allowed and its lines are not limited");
    Some(warning("W304", clause.at(), message))
}

fn scripts(asked: &Asked<'_>, harness_changes: &[PathRule]) -> Option<Warning> {
    if asked.tests.is_empty() && asked.commands.is_empty() {
        return None;
    }
    let named = asked.only?.rules().iter().filter_map(PathRule::as_literal);
    let path = named
        .filter(|path| file_name(path) == "package.json")
        .find(|path| !harness_changes.iter().any(|rule| rule.matches(&RepoPath::from(*path))))?;
    let message = format!(
        "changed_files_only names {path}, whose scripts decide how the tests run; say so in harness_changes if that is meant"
    );
    Some(warning("W306", asked.only?.at(), message))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{base, check};
    use super::super::warnings;
    use crate::clauses::samples;
    use crate::facts::{Channel, Known, PathRule, Place, TestPreview};

    fn contract(only: &str, more: &str, test: &str) -> String {
        format!(
            r#"{{"changed_files_only": [{only}]{more}, "tests": [{{"command": "npx vitest run", "max_skipped": 0, {test}}}]}}"#
        )
    }

    #[test]
    fn counts_see_little_and_new_tests_need_a_proof() {
        let facts = base(&[]);
        for (test, expected) in [
            (r#""passed": 4"#, &["W302 /tests/0", "W303 /tests/0"][..]),
            (r#""passed": {"more_than_base": 1}, "pass_to_pass": true"#, &["W303 /tests/0"]),
            (r#""passed": {"more_than_base": 0}"#, &["W302 /tests/0"]),
            (r#""names": ["a"]"#, &["W303 /tests/0"]),
            (r#""pass_to_pass": true"#, &[]),
            (r#""passed": 1, "pass_to_pass": true, "fail_to_pass": ["a"]"#, &[]),
        ] {
            check(&contract(r#""a.ts""#, "", test), &facts, "W3", expected);
        }
        check(
            r#"{"changed_files_only": ["a.ts"], "tests": [{"command": "npx vitest run", "pass_to_pass": true}]}"#,
            &facts,
            "W3",
            &["W311 /tests/0"],
        );
    }

    #[test]
    fn strict_mode_sees_what_a_count_does_not() {
        let mut facts = base(&[]);
        facts.previews = vec![Known::Known(TestPreview {
            runner: "vitest".to_owned(),
            version: None,
            argv: Vec::new(),
            channel: Channel::Private,
            place: Place::Clone,
            strict: true,
            harness: Vec::new(),
            limits: String::new(),
        })];
        let contract = r#"{"changed_files_only": ["a.ts"], "tests": [{"command": "npx vitest run", "passed": 4}]}"#;
        check(contract, &facts, "W3", &["W303 /tests/0"]);
    }

    #[test]
    fn tests_that_may_be_edited() {
        let facts = base(&[("a.test.ts", "x"), ("a.ts", "x")]);
        let keep = r#""pass_to_pass": true"#;
        for (only, more, expected) in [
            (r#""a.test.ts""#, "", &["W304 /tests/0"][..]),
            (r#"{"glob": "*.ts"}"#, "", &["W304 /tests/0"]),
            (r#""a.ts""#, "", &[]),
            (r#""new.test.ts""#, "", &[]),
            (r#""a.test.ts""#, r#", "max_deleted_lines": 9"#, &[]),
            (r#""a.test.ts""#, r#", "line_limits": [{"path": "a.test.ts", "max_deleted": 0}]"#, &[]),
        ] {
            check(&contract(only, more, keep), &facts, "W304", expected);
        }
    }

    #[test]
    fn a_named_package_json_wants_a_word_in_harness_changes() {
        let text = contract(r#""package.json""#, "", r#""pass_to_pass": true"#);
        check(&text, &base(&[]), "W306", &["W306 /changed_files_only"]);
        let allowed = [PathRule::literal("package.json")];
        let found = warnings(&samples::clauses(&text), &allowed, None, &base(&[]));
        assert!(found.iter().all(|warning| warning.code != "W306"), "{found:?}");
    }
}
