//! The reason `names`: each named test ran and passed.

use super::Seen;
use crate::clauses::running::{Part, Reason, counted};
use crate::clauses::tests::names::{Named, find};
use crate::clauses::tests::outcome::Merged;
use crate::clauses::{Block, Found};
use crate::facts::Status;
use serde_json::json;

/// Judges the named tests.
pub(super) fn part(seen: &Seen<'_>) -> Part {
    let mut part = Part::default();
    let mut n_bad = 0;
    for name in &seen.clause.names {
        let (state, candidates) = match find(name, &seen.head.tests) {
            Named::Tests(tests) => (state_of(&tests), Vec::new()),
            Named::Absent(nearest) => ("absent", nearest),
            Named::Ambiguous(candidates) => ("ambiguous", candidates),
        };
        part.evidence.push(entry(name, state, &candidates));
        if state != "passed" {
            n_bad += 1;
            part.blocks.push(block(name, state, &candidates));
        }
    }
    if n_bad > 0 {
        part.reasons.push(Reason::Names);
        part.detail.push(format!("{} not passed", counted(n_bad, "named test has", "named tests have")));
    }
    part
}

/// Makes the part of a name in another field that means several tests.
pub(super) fn ambiguous(name: &str, candidates: &[String]) -> Part {
    Part {
        reasons: vec![Reason::Names],
        detail: vec!["a name means several tests".to_owned()],
        blocks: vec![block(name, "ambiguous", candidates)],
        evidence: vec![entry(name, "ambiguous", candidates)],
        ..Part::default()
    }
}

fn entry(name: &str, state: &str, candidates: &[String]) -> (&'static str, serde_json::Value) {
    ("names", json!({ "name": name, "state": state, "candidates": candidates }))
}

/// The worst case decides over all cases of a name.
fn state_of(tests: &[&Merged<'_>]) -> &'static str {
    let has = |wanted: fn(Status) -> bool| tests.iter().any(|test| wanted(test.status));
    if has(|status| status.is_bad() || status == Status::ExpectedFailure) {
        "failed"
    } else if has(Status::is_soft) {
        "skipped"
    } else {
        "passed"
    }
}

fn block(name: &str, state: &str, candidates: &[String]) -> Block {
    let (found, next) = match state {
        "absent" => (
            "no test of this name ran",
            "the test that the contract names is not there yet, or did not run: let it run under that name",
        ),
        "ambiguous" => ("several tests are called so", "give the tests names that tell them apart"),
        "skipped" => ("it was not run", "let the named test run, and make it pass"),
        _ => ("it did not pass", "make the named test pass"),
    };
    let mut block = Block {
        expected: vec![format!("this test runs and passes: {name}")],
        found: vec![Found::Text(found.to_owned())],
        next: vec![next.to_owned()],
    };
    let said = if state == "ambiguous" { "is called so" } else { "is near" };
    block.found.extend(candidates.iter().map(|candidate| Found::Path(candidate.clone(), said.to_owned())));
    block
}
