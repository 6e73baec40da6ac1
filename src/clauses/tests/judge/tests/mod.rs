//! Tables over hand-made facts: what each reason needs, and that nothing unknown or bad ever becomes a pass.

mod compared;
mod laws;
mod proven;
mod run;

use crate::clauses::tests::samples::{
    clause, facts, record, records_of, run, run_of, test_facts, with_base, with_taken_back,
};
use crate::clauses::tests::{Except, FailToPass, PassToPass, Passed, TestClause};
use crate::clauses::{Clause as _, Finding, FindingStatus, Found};
use crate::error::{Failure, Kind};
use crate::facts::{
    ChangeStatus, Completeness, Facts, HarnessChange, HarnessWeight, Known, LoadError, PathRule, RepoPath, Status,
    TestFacts, TestRun, TreeDifference,
};
use proptest::prelude::*;
use serde_json::json;

fn judged(clause: &TestClause, tests: TestFacts) -> Finding {
    clause.judge(&facts(tests), 0)
}

/// Returns `passed`, `unknown`, or the reasons of a failure.
fn outcome(finding: &Finding) -> String {
    match finding.status {
        FindingStatus::Passed => "passed".to_owned(),
        FindingStatus::Unknown => "unknown".to_owned(),
        FindingStatus::Failed => {
            let reasons = finding.evidence["reasons"].as_array().expect("reasons are a list");
            assert!(!reasons.is_empty(), "a failure has a reason");
            assert!(!finding.blocks.is_empty(), "a failure is shown");
            reasons.iter().filter_map(|reason| reason.as_str()).collect::<Vec<_>>().join(" ")
        }
    }
}

#[track_caller]
fn check(clause: &TestClause, tests: TestFacts, expected: &str) -> Finding {
    let finding = judged(clause, tests);
    assert_eq!(outcome(&finding), expected, "{finding:#?}");
    finding
}

fn asking(passed: Passed) -> TestClause {
    TestClause { passed: Some(passed), ..clause() }
}

fn keeping(except: Vec<Except>) -> TestClause {
    TestClause { pass_to_pass: Some(PassToPass::All { except }), ..clause() }
}

fn proving(names: &[&str]) -> TestClause {
    let names = names.iter().map(|&name| name.to_owned()).collect();
    TestClause { fail_to_pass: Some(FailToPass::Names(names)), ..clause() }
}

fn named(names: &[&str]) -> TestClause {
    TestClause { names: names.iter().map(|&name| name.to_owned()).collect(), ..clause() }
}

fn unknown<T>() -> Known<T> {
    Known::Unknown(Box::new(Failure::new(Kind::SetupFailed, "the set-up failed")))
}
