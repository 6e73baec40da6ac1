//! Tests that must show that the change did something.

use super::*;

#[test]
fn a_proof_is_a_test_that_ran_and_failed_without_the_change() {
    for (head, taken_back, expected) in [
        ("a b", "a b:failed", "passed"),
        ("a b", "a b", "not_proven"),
        ("a b", "a b:skipped", "not_proven"),
        ("a b", "a b:flaky", "not_proven"),
        ("a b", "a", "not_proven"),
        ("a b", "a b:errored", "unknown"),
        ("a b", "a b:unfinished", "unknown"),
        ("a", "a", "not_proven"),
        ("a b:skipped", "a b:failed", "not_proven"),
        ("a b:failed", "a b:failed", "failed_tests exit_status not_proven"),
    ] {
        check(&proving(&["b"]), with_taken_back(test_facts(run_of(head)), run_of(taken_back)), expected);
    }
    check(&proving(&["b"]), test_facts(run_of("a b")), "unknown");
    let mut tests = test_facts(run_of("a b"));
    tests.taken_back = Some(unknown());
    check(&proving(&["b"]), tests.clone(), "unknown");
    check(&proving(&["absent"]), tests, "not_proven");
}

#[test]
fn a_test_whose_own_file_went_back_proves_nothing_unless_its_tests_were_kept() {
    let tests = |kept: bool| {
        let mut tests = test_facts(run(records_of("src/slugify.ts", "a b")));
        tests = with_taken_back(tests, run(records_of("src/slugify.ts", "a b:failed")));
        if let Some(Known::Known(taken)) = &mut tests.taken_back {
            taken.tests_kept_in = if kept { vec![RepoPath::from("src/slugify.ts")] } else { Vec::new() };
        }
        tests
    };
    let finding = check(&proving(&["b"]), tests(false), "not_proven");
    assert_eq!(finding.evidence["not_proven"], json!([{ "name": "b", "why": "own_file_taken_back" }]));
    check(&proving(&["b"]), tests(true), "passed");
}

#[test]
fn a_load_failure_is_proof_only_for_want_of_the_changes_own() {
    let with_error = |missing: Option<&str>, strict: bool| {
        let mut run = run_of("");
        run.load_errors.push(LoadError {
            file: Some("t.test.ts".to_owned()),
            message: "cannot load".to_owned(),
            missing: missing.map(str::to_owned),
        });
        let tests = with_taken_back(test_facts(run_of("a b")), run);
        TestFacts { strict, base: Some(Known::Known(run_of("a"))), ..tests }
    };
    check(&proving(&["b"]), with_error(Some("../src/slugify.js"), false), "passed");
    check(&proving(&["b"]), with_error(Some("../src/slugify.js"), true), "not_proven");
    check(&proving(&["b"]), with_error(Some("left-pad"), false), "unknown");
    check(&proving(&["b"]), with_error(None, false), "unknown");
    let mut facts = facts(with_error(Some("collapse"), false));
    assert_eq!(outcome(&proving(&["b"]).judge(&facts, 0)), "unknown");
    facts.added_lines = Known::Known(vec![crate::facts::AddedLines {
        path: RepoPath::from("src/slugify.ts"),
        lines: vec![(3, "export function collapse(text) {".to_owned())],
    }]);
    assert_eq!(outcome(&proving(&["b"]).judge(&facts, 0)), "passed");
}

#[test]
fn at_least_counts_new_and_edited_tests_of_changed_files() {
    let clause = TestClause { fail_to_pass: Some(FailToPass::AtLeast(1)), ..clause() };
    for (base, head, taken_back, expected) in [
        ("a", "a b", "a b:failed", "passed"),
        ("a b", "a b", "a b:failed", "passed"),
        ("a b:failed", "a b", "a b:failed", "not_proven"),
        ("a", "a b", "a b", "not_proven"),
        ("a", "a", "a", "not_proven"),
        ("a", "a b", "a b:unfinished", "unknown"),
        ("", "b", "b:failed", "passed"),
    ] {
        let tests = with_base(with_taken_back(test_facts(run_of(head)), run_of(taken_back)), run_of(base));
        check(&clause, tests.clone(), expected);
        let elsewhere = TestFacts { test_files: vec![RepoPath::from("u.test.ts")], ..tests };
        check(&clause, elsewhere, "not_proven");
    }
    check(&clause, with_taken_back(test_facts(run_of("a b")), run_of("a b:failed")), "unknown");
}
