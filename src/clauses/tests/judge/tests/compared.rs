//! Comparing with the merge base: more tests, nothing lost, nothing newly soft.

use super::*;

#[test]
fn more_than_base_needs_more_passes_and_new_names() {
    for (n, base, head, expected) in [
        (1, "a b", "a b c", "passed"),
        (2, "a b", "a b c", "count"),
        (1, "a b", "a renamed", "count"),
        (1, "a b", "a c", "count"),
        (1, "a b:failed", "a b", "count"),
        (1, "a b:skipped", "a b", "count"),
        (1, "a b:todo", "a b", "passed"),
        (0, "a b", "a b", "passed"),
        (0, "a b", "a c", "passed"),
        (0, "a b", "a", "count"),
        (1, "a b", "a b c:xfail", "count"),
        (1, "", "a", "passed"),
        (1, "a:failed", "a b", "unknown"),
    ] {
        check(&asking(Passed::MoreThanBase(n)), with_base(test_facts(run_of(head)), run_of(base)), expected);
    }
    check(&asking(Passed::MoreThanBase(0)), test_facts(run_of("a")), "unknown");
    let mut copied = records_of("t.test.ts", "a b");
    copied.extend(records_of("copy.test.ts", "a b"));
    check(&asking(Passed::MoreThanBase(2)), with_base(test_facts(run(copied)), run_of("a b")), "count");
    let mut repeated = records_of("t.test.ts", "a b new new");
    repeated[3].id.ordinal = 1;
    check(&asking(Passed::MoreThanBase(2)), with_base(test_facts(run(repeated)), run_of("a b")), "count");
}

#[test]
fn what_passes_at_the_merge_base_must_still_pass() {
    for (base, head, expected) in [
        ("a b", "a b c", "passed"),
        ("a b", "a", "lost"),
        ("a b", "a b:skipped", "lost"),
        ("a b", "a b:todo", "lost"),
        ("a b", "a b:xfail", "lost"),
        ("a b", "a b:failed", "failed_tests exit_status lost"),
        ("a b:failed", "a", "passed"),
        ("a b:failed c:skipped", "a b:failed", "failed_tests exit_status"),
        ("a b", "a renamed", "lost"),
        ("a:failed", "a b", "unknown"),
        ("", "a b", "unknown"),
    ] {
        let tests = with_base(test_facts(run_of(head)), run_of(base));
        check(&keeping(Vec::new()), tests.clone(), expected);
        let strict = TestFacts { strict: true, ..tests };
        let without_tests = if base.is_empty() { "passed" } else { expected };
        let clause = TestClause { max_skipped: Some(9), ..asking(Passed::AtLeast(1)) };
        check(&clause, strict, without_tests);
    }
    check(&keeping(Vec::new()), test_facts(run_of("a")), "unknown");
}

#[test]
fn a_run_at_the_merge_base_must_be_whole_but_need_not_pass() {
    type Spoil = fn(&mut TestRun);
    let table: &[(Spoil, &str)] = &[
        (|run| run.end.exit_status = Some(1), "passed"),
        (|run| run.unhandled.push("late".to_owned()), "passed"),
        (|run| run.end.timed_out = true, "unknown"),
        (|run| run.end.signal = Some(11), "unknown"),
        (|run| run.completeness = Completeness::NoReport, "unknown"),
        (|run| run.completeness = Completeness::Incomplete { why: "cut".to_owned() }, "unknown"),
        (|run| run.load_errors.push(LoadError { file: None, message: String::new(), missing: None }), "unknown"),
        (|run| run.records.push(run.records[0].clone()), "unknown"),
    ];
    for (spoil, expected) in table {
        let mut base = run_of("a b");
        spoil(&mut base);
        check(&keeping(Vec::new()), with_base(test_facts(run_of("a b")), base), expected);
    }
    let mut tests = test_facts(run_of("a"));
    tests.base = Some(unknown());
    check(&keeping(Vec::new()), tests, "unknown");
}

#[test]
fn cases_of_a_parametrised_test_are_compared_as_one_group() {
    let cases = |words: &str| {
        let mut records = records_of("t.py", words);
        for record in &mut records {
            record.group = Some("x".to_owned());
        }
        run(records)
    };
    for (base, head, expected) in [
        ("x[0] x[1]", "x[0] x[new] x[1]", "passed"),
        ("x[0-a] x[1-b]", "x[0-a] x[1-new] x[2-b]", "passed"),
        ("x[0] x[1]", "x[0]", "lost"),
        ("x[0] x[1]", "x[0] x[2]", "passed"),
        ("x[0] x[1]", "x[0] x[1]:skipped x[2]", "lost"),
    ] {
        check(&keeping(Vec::new()), with_base(test_facts(cases(head)), cases(base)), expected);
    }
}

#[test]
fn except_lets_tests_go_by_name_or_file() {
    let lost_b = || with_base(test_facts(run_of("a")), run_of("a b"));
    let glob = |pattern: &str| Except::Files(PathRule::glob(pattern).unwrap());
    for (except, expected) in [
        (Except::Name("b".to_owned()), "passed"),
        (Except::Name("t.test.ts > b".to_owned()), "passed"),
        (Except::Name("t.test.ts".to_owned()), "passed"),
        (glob("*.test.ts"), "passed"),
        (Except::Name("a".to_owned()), "lost"),
        (glob("u/*"), "lost"),
    ] {
        let clause = keeping(vec![except.clone()]);
        check(&clause, lost_b(), expected);
        check(&clause, TestFacts { strict: true, ..lost_b() }, expected);
    }
}

#[test]
fn a_moved_test_is_found_by_its_name_when_the_contract_names_the_old_file() {
    let base = || run(records_of("old.test.ts", "a b"));
    let head = |words: &str| {
        let mut tests = with_base(test_facts(run(records_of("new.test.ts", words))), base());
        tests.named_deletions = vec![RepoPath::from("old.test.ts")];
        tests
    };
    check(&keeping(Vec::new()), head("a b c"), "passed");
    check(&keeping(Vec::new()), head("a c"), "lost");
    check(&keeping(Vec::new()), head("a b:skipped"), "lost");
    check(&keeping(Vec::new()), TestFacts { named_deletions: Vec::new(), ..head("a b") }, "lost");
    // One test at head cannot stand for two of the merge base.
    let mut two = head("a b");
    let mut records = records_of("old.test.ts", "a b");
    records.extend(records_of("older.test.ts", "a"));
    two.base = Some(Known::Known(run(records)));
    two.named_deletions.push(RepoPath::from("older.test.ts"));
    check(&keeping(Vec::new()), two, "lost");
}

#[test]
fn kept_names_must_pass_at_head() {
    let clause =
        TestClause { pass_to_pass: Some(PassToPass::Names(vec!["a".to_owned()])), ..asking(Passed::AtLeast(1)) };
    for (base, head, expected) in
        [("a b", "a", "passed"), ("a b", "b", "lost"), ("a b", "a:skipped b", "lost"), ("b", "a b", "passed")]
    {
        check(&clause, with_base(test_facts(run_of(head)), run_of(base)), expected);
    }
}

#[test]
fn soft_tests_are_limited_by_the_contract_and_by_the_merge_base_under_strict_mode() {
    let limited = |limit| TestClause { max_skipped: Some(limit), ..asking(Passed::AtLeast(1)) };
    check(&limited(0), test_facts(run_of("a")), "passed");
    check(&limited(0), test_facts(run_of("a b:skipped")), "skipped");
    check(&limited(1), test_facts(run_of("a b:todo c:xfail")), "skipped");
    let strict =
        |base: &str, head: &str| TestFacts { strict: true, ..with_base(test_facts(run_of(head)), run_of(base)) };
    let one = asking(Passed::AtLeast(1));
    check(&one, strict("a b:skipped", "a b:skipped"), "passed");
    check(&one, strict("a", "a b:skipped"), "skipped");
    check(&one, strict("a", "a b:todo"), "skipped");
    check(&limited(1), strict("a", "a b:skipped"), "passed");
    check(&one, strict("a b:skipped", "a b:xfail"), "passed");
}

#[test]
fn repeated_names_may_not_grow_under_strict_mode() {
    let twice = || {
        let mut records = records_of("t.test.ts", "a b b");
        records[2].id.ordinal = 1;
        run(records)
    };
    let one = asking(Passed::AtLeast(1));
    let strict = |base| TestFacts { strict: true, ..with_base(test_facts(twice()), base) };
    check(&one, strict(run_of("a b")), "skipped");
    check(&one, strict(twice()), "passed");
    check(&one, with_base(test_facts(twice()), run_of("a b")), "passed");
}
