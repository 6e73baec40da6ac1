//! Judging: a pure function from a contract and facts to a verdict. Does no I/O and knows no format.

use crate::clauses::{Finding, FindingStatus};
use crate::contract::Contract;
use crate::facts::Facts;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Whether the change meets the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictStatus {
    /// Every clause holds.
    Passed,
    /// A clause does not hold.
    Failed,
    /// No clause fails, but a fact is unknown.
    Unknown,
}

/// The verdict: a status and one finding a clause, in the contract's order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the contract is met.
    pub status: VerdictStatus,
    /// One finding a clause.
    pub findings: Vec<Finding>,
}

/// Judges a contract on facts. The same contract and facts always give the same verdict.
pub fn judge(contract: &Contract, facts: &Facts) -> Verdict {
    let mut counted: HashMap<&'static str, usize> = HashMap::new();
    let findings: Vec<Finding> = contract
        .clauses
        .iter()
        .map(|clause| {
            let index = counted.entry(clause.check()).or_default();
            let finding = clause.judge(facts, *index);
            *index += 1;
            finding
        })
        .collect();
    let any = |status| findings.iter().any(|finding| finding.status == status);
    let status = if any(FindingStatus::Failed) {
        VerdictStatus::Failed
    } else if any(FindingStatus::Unknown) || findings.is_empty() {
        VerdictStatus::Unknown
    } else {
        VerdictStatus::Passed
    };
    Verdict { status, findings }
}

#[cfg(test)]
mod tests {
    use super::{Verdict, VerdictStatus, judge};
    use crate::clauses::samples;
    use crate::contract::{Contract, Reading, read};
    use crate::error::{Failure, Kind};
    use crate::facts::ChangeStatus::{Added, Deleted, ModeChanged, Modified, TypeChanged};
    use crate::facts::{AddedLines, Facts, FileAt, FileContent, FileKind, Known, RepoPath, TestFacts};
    use proptest::prelude::*;
    use serde_json::json;
    use std::sync::LazyLock;

    static CONTRACT: LazyLock<Contract> = LazyLock::new(|| {
        let text = json!({
            "changed_files_only": [{ "glob": "src/**" }, { "glob": "tests/**" }],
            "changed_files_required": ["src/a.ts"],
            "changed_files_forbidden": [{ "glob": "src/locked/**" }],
            "max_added_lines": 20,
            "max_deleted_lines": 20,
            "max_changed_files": 4,
            "line_limits": [{ "path": "src/a.ts", "max_added": 9, "max_deleted": 9 }],
            "file_contains": [{ "path": "src/a.ts", "text": "good" }, { "path": { "glob": "tests/*" }, "regex": "go+d" }],
            "file_excludes": [{ "path": "src/a.ts", "text": "bad" }],
            "added_lines_exclude": [{ "text": ".only(" }],
            "tests": [{ "command": "npx vitest run", "passed": 1 }],
        });
        match read(text.to_string().as_bytes()) {
            Reading::Valid(contract) => *contract,
            other => panic!("not a contract: {other:?}"),
        }
    });

    fn content() -> impl Strategy<Value = FileAt> {
        let text = prop::sample::select(vec!["good", "x\ngood bad", "", "Good", "bad"]);
        prop_oneof![
            4 => text.prop_map(|text| FileAt::Text { text: text.to_owned() }),
            1 => prop::sample::select(vec![
                FileAt::NotText,
                FileAt::NoFile,
                FileAt::Directory,
                FileAt::Symlink { at: "src".into() },
                FileAt::Submodule { at: "src/a.ts".into() },
            ]),
        ]
    }

    fn test_facts() -> impl Strategy<Value = TestFacts> {
        let status = prop::sample::select(vec!["passed", "passed", "passed", "failed", "skipped", "flaky"]);
        let records = prop::collection::vec(status, 0..3);
        (records, 0..2_i32).prop_map(|(statuses, exit_status)| {
            let record = |(index, status): (usize, &&str)| {
                let id = json!({ "project": null, "file": "t.ts", "path": [format!("t{index}")], "ordinal": 0 });
                json!({ "id": id, "status": status, "line": null, "message": null, "group": null })
            };
            let records: Vec<_> = statuses.iter().enumerate().map(record).collect();
            let run = json!({
                "argv": ["vitest"],
                "end": { "exit_status": exit_status, "signal": null, "timed_out": false, "seconds": 0.5 },
                "records": records, "load_errors": [], "unhandled": [], "completeness": { "state": "complete" },
            });
            let facts = json!({
                "runner": "vitest", "version": "3.0.0", "channel": "private", "place": "checkout",
                "head": [run], "harness": [], "tree_after": [],
            });
            serde_json::from_value(facts).expect("facts of a test run")
        })
    }

    prop_compose! {
        fn facts()(
            files in prop::collection::vec((
                prop::sample::select(vec!["src/a.ts", "src/b.ts", "tests/a.ts", "src/locked/x", "README.md"]),
                prop::sample::select(vec![Added, Modified, Deleted, TypeChanged, ModeChanged]),
                prop::sample::select(vec![FileKind::Text, FileKind::Text, FileKind::Binary, FileKind::Submodule]),
                0..12_u64,
                0..12_u64,
            ), 0..4),
            source in content(),
            test in content(),
            lines in prop::collection::vec(prop::sample::select(vec!["it('a')", "it.only('a')", ""]), 0..2),
            run in test_facts(),
        ) -> Facts {
            let mut files: Vec<_> = files.into_iter().map(|(path, status, kind, added, deleted)| {
                let mut file = samples::file(path, status, added, deleted);
                file.kind = kind;
                file
            }).collect();
            files.sort_by(|left, right| left.path.cmp(&right.path));
            files.dedup_by(|left, right| left.path == right.path);
            let mut facts = samples::facts(files);
            let contents = vec![
                FileContent { path: "src/a.ts".into(), at: source },
                FileContent { path: "tests/a.ts".into(), at: test },
            ];
            facts.contents = Known::Known(contents);
            let lines = (1..).zip(lines.into_iter().map(str::to_owned)).collect();
            facts.added_lines = Known::Known(vec![AddedLines { path: "src/a.ts".into(), lines }]);
            facts.tests = vec![Known::Known(run)];
            facts
        }
    }

    fn known<T>(fact: &mut Known<T>) -> &mut T {
        match fact {
            Known::Known(value) => value,
            Known::Unknown(failure) => panic!("unknown: {failure}"),
        }
    }

    /// Every way to add a fact that fails, or to lose one.
    const WORSE: &[fn(&mut Facts)] = &[
        |facts| known(&mut facts.change).files.push(samples::file("zzz", Added, 1, 0)),
        |facts| known(&mut facts.change).files.push(samples::file("src/locked/z", Modified, 0, 1)),
        |facts| {
            let mut odd = samples::file("x", Added, 0, 0);
            odd.path = RepoPath::from_bytes(*b"src\xff/a.ts");
            known(&mut facts.change).files.push(odd);
        },
        |facts| known(&mut facts.change).files.push(samples::file("src/long", Added, 21, 0)),
        |facts| known(&mut facts.change).files.push(samples::file("src/gone", Deleted, 0, u64::MAX)),
        |facts| known(&mut facts.change).files.retain(|file| file.path != RepoPath::from("src/a.ts")),
        |facts| known(&mut facts.contents)[0].at = FileAt::NoFile,
        |facts| known(&mut facts.contents)[0].at = FileAt::NotText,
        |facts| known(&mut facts.contents)[0].at = FileAt::Text { text: "good, but bad".to_owned() },
        |facts| known(&mut facts.contents).push(samples::content("tests/z", "gd")),
        |facts| known(&mut facts.contents).truncate(1),
        |facts| known(&mut facts.contents).clear(),
        |facts| known(&mut facts.added_lines)[0].lines.push((9, "describe.only('x')".to_owned())),
        |facts| {
            let run = &mut known(&mut facts.tests[0]).head[0];
            run.end.exit_status = Some(1);
        },
        |facts| known(&mut facts.tests[0]).head[0].records.clear(),
        |facts| known(&mut facts.tests[0]).head.clear(),
        |facts| facts.tests.clear(),
        |facts| facts.change = lost(),
        |facts| facts.contents = lost(),
        |facts| facts.added_lines = lost(),
        |facts| facts.tests[0] = lost(),
    ];

    fn lost<T>() -> Known<T> {
        Known::Unknown(Box::new(Failure::new(Kind::ObjectUnreadable, "an object is missing")))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(96))]

        #[test]
        fn a_failing_fact_never_turns_failed_into_passed(facts in facts(), which in prop::sample::subsequence(WORSE.to_vec(), 1..4)) {
            let before = judge(&CONTRACT, &facts).status;
            for worsen in which {
                let mut worse = facts.clone();
                worsen(&mut worse);
                let after = judge(&CONTRACT, &worse);
                prop_assert_ne!(after.status, VerdictStatus::Passed, "before: {:?}, after: {:?}", before, after);
            }
        }

        #[test]
        fn facts_and_verdicts_survive_json(facts in facts()) {
            let text = serde_json::to_string(&facts).expect("facts are written");
            let read: Facts = serde_json::from_str(&text).expect("facts are read");
            prop_assert_eq!(&read, &facts);
            let verdict = judge(&CONTRACT, &facts);
            let text = serde_json::to_string(&verdict).expect("a verdict is written");
            prop_assert_eq!(&serde_json::from_str::<Verdict>(&text).expect("a verdict is read"), &verdict);
            prop_assert_eq!(judge(&CONTRACT, &read), verdict);
        }

        #[test]
        fn advice_is_there_exactly_where_a_clause_does_not_hold(facts in facts()) {
            for finding in judge(&CONTRACT, &facts).findings {
                let is_failed = finding.status == crate::clauses::FindingStatus::Failed;
                prop_assert_eq!(finding.next.is_some(), is_failed, "{:?}", finding);
                prop_assert_eq!(!finding.blocks.is_empty(), is_failed, "{:?}", finding);
                let next = finding.next.unwrap_or_default();
                for word in ["edit the", "limit", "skip ", "delete ", "harness", "--"] {
                    prop_assert!(!next.contains(word), "{}", next);
                }
            }
        }
    }

    #[test]
    fn an_honest_change_passes() {
        let mut facts = samples::facts([samples::file("src/a.ts", Modified, 1, 1)]);
        let contents = vec![samples::content("src/a.ts", "good"), samples::content("tests/a.ts", "good")];
        facts.contents = Known::Known(contents);
        let mut runner = proptest::test_runner::TestRunner::deterministic();
        let run = test_facts()
            .prop_filter("one passes", |facts| {
                let run = &facts.head[0];
                run.end.exit_status == Some(0)
                    && run.records.len() == 1
                    && run.records[0].status == crate::facts::Status::Passed
            })
            .new_tree(&mut runner)
            .map(|tree| proptest::strategy::ValueTree::current(&tree))
            .expect("such a run is generated");
        facts.tests = vec![Known::Known(run)];
        let verdict = judge(&CONTRACT, &facts);
        assert_eq!(verdict.status, VerdictStatus::Passed, "{verdict:?}");
    }

    #[test]
    fn nothing_known_is_no_pass() {
        assert_eq!(judge(&CONTRACT, &Facts::none()).status, VerdictStatus::Unknown);
    }
}
