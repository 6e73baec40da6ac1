//! Laws that hold for every clause and all facts.

use super::*;

fn any_status() -> impl Strategy<Value = Status> {
    (0..Status::ALL.len()).prop_map(|index| Status::ALL[index])
}

fn any_run() -> impl Strategy<Value = TestRun> {
    let records = proptest::collection::vec((0..5_u8, any_status()), 0..6);
    (records, 0..8_u8).prop_map(|(statuses, spoiled)| {
        let mut records = Vec::new();
        for (name, status) in statuses {
            let name = char::from(b'a' + name).to_string();
            if records.iter().all(|old: &crate::facts::TestRecord| old.id.path[0] != name) {
                records.push(record("t.test.ts", &[&name], status));
            }
        }
        let mut run = run(records);
        match spoiled {
            0 => run.completeness = Completeness::NoReport,
            1 => run.end.timed_out = true,
            _ => {}
        }
        run
    })
}

fn any_clause() -> impl Strategy<Value = TestClause> {
    (0..4_u8, 0..3_u64, any::<[bool; 4]>()).prop_map(|(passed, n, has)| TestClause {
        passed: match passed {
            0 => Some(Passed::Exactly(n + 1)),
            1 => Some(Passed::AtLeast(n + 1)),
            2 => Some(Passed::MoreThanBase(n)),
            _ => None,
        },
        names: if has[0] { vec!["a".to_owned()] } else { Vec::new() },
        fail_to_pass: has[1].then(|| FailToPass::Names(vec!["b".to_owned()])),
        pass_to_pass: has[2].then_some(PassToPass::All { except: Vec::new() }),
        max_skipped: has[3].then_some(n),
        ..clause()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_failing_or_unknown_fact_never_turns_failed_into_passed(
        clause in any_clause(),
        head in any_run(),
        base in any_run(),
        taken_back in any_run(),
        strict in any::<bool>(),
        worse in 0..9_u8,
    ) {
        let mut tests = with_base(with_taken_back(test_facts(head), taken_back), base);
        tests.strict = strict;
        let before = judged(&clause, tests.clone());
        match worse {
            0 => tests.base = Some(unknown()),
            1 => tests.taken_back = Some(unknown()),
            2 => tests.base = None,
            3 => tests.head[0].records.push(record("z.test.ts", &["z"], Status::Failed)),
            4 => tests.head[0].end.exit_status = Some(1),
            5 => tests.head[0].completeness = Completeness::Incomplete { why: "cut".to_owned() },
            6 => tests.head[0].unhandled.push("boom".to_owned()),
            7 => tests.tree_after.push(TreeDifference { path: RepoPath::from("a"), what: "modified".to_owned() }),
            _ => tests.head.clear(),
        }
        let after = judged(&clause, tests);
        prop_assert!(before.status == FindingStatus::Passed || after.status != FindingStatus::Passed);
        if worse >= 3 {
            prop_assert_eq!(after.status, FindingStatus::Failed);
        }
    }

    #[test]
    fn a_pass_has_a_passing_test_and_no_bad_one(
        clause in any_clause(),
        head in any_run(),
        base in any_run(),
        taken_back in any_run(),
        strict in any::<bool>(),
    ) {
        let mut tests = with_base(with_taken_back(test_facts(head.clone()), taken_back), base);
        tests.strict = strict;
        if judged(&clause, tests).status == FindingStatus::Passed {
            prop_assert!(head.records.iter().any(|record| record.status == Status::Passed));
            prop_assert!(head.records.iter().all(|record| !record.status.is_bad()));
            prop_assert_eq!(head.completeness, Completeness::Complete);
            prop_assert_eq!(head.end.exit_status, Some(0));
        }
    }

    #[test]
    fn the_same_facts_always_give_the_same_finding(clause in any_clause(), head in any_run(), base in any_run()) {
        let tests = with_base(test_facts(head), base);
        prop_assert_eq!(judged(&clause, tests.clone()), judged(&clause, tests));
    }
}

#[test]
fn twenty_thousand_tests_are_judged_in_a_moment() {
    let records = |from: u32| {
        let numbered = |number: u32| record("t.test.ts", &["group", &format!("test {number}")], Status::Passed);
        run((from..from + 20_000).map(numbered).collect())
    };
    let tests = with_base(with_taken_back(test_facts(records(0)), records(0)), records(10_000));
    let clause = TestClause {
        names: (0..200).map(|number| format!("test {number}")).collect(),
        fail_to_pass: Some(FailToPass::AtLeast(1)),
        ..keeping(vec![Except::Files(PathRule::glob("u/**").unwrap())])
    };
    let finding = check(&clause, tests, "not_proven lost");
    assert_eq!(finding.evidence["lost"].as_array().map(Vec::len), Some(10_000));
}
