//! The evidence of a test clause: machine-readable, its keys fixed as schema version 1. Keys are only ever added.

use super::Seen;
use crate::clauses::running::{self, Part};
use crate::clauses::tests::outcome::Outcome;
use crate::clauses::tests::{Passed, TestClause};
use crate::facts::Status;
use serde_json::{Map, Value, json};

/// Lists that are always there.
const LISTS: [&str; 6] = ["failed_tests", "load_errors", "names", "not_proven", "lost", "harness"];

/// Lists that are there when they hold something.
const FURTHER_LISTS: [&str; 4] = ["skipped", "repeated", "report_faults", "tree_after"];

/// Returns the evidence; what the parts gathered is taken out of them.
pub(super) fn evidence(seen: &Seen<'_>, part: &mut Part) -> Value {
    let end = seen.head.end();
    let argv = seen.tests.head.first().map_or(&seen.clause.command, |run| &run.argv);
    let base_passed = seen.base.told().map(Outcome::passed);
    let mut evidence = json!({
        "argv": argv,
        "cwd": seen.clause.cwd,
        "runner": { "name": seen.tests.runner, "version": seen.tests.version },
        "channel": seen.tests.channel,
        "exit_status": end.and_then(|end| end.exit_status),
        "signal": end.and_then(|end| end.signal),
        "timed_out": end.is_some_and(|end| end.timed_out),
        "seconds": running::milliseconds(seen.head.seconds()),
        "counts": counts(&seen.head),
        "expected": { "passed": expected(seen.clause), "base_passed": base_passed },
        "reasons": [],
    });
    for key in LISTS {
        part.take_list(key, &mut evidence);
    }
    for key in FURTHER_LISTS {
        if part.evidence.iter().any(|(of, _)| *of == key) {
            part.take_list(key, &mut evidence);
        }
    }
    if let (false, Some(output)) = (part.reasons.is_empty(), super::process::output(seen)) {
        evidence["output_tail"] = json!(output);
    }
    let withheld = super::notes::withheld(seen);
    if !part.reasons.is_empty() && !withheld.is_empty() {
        evidence["withheld_environment"] = json!(withheld);
    }
    evidence
}

/// Returns the evidence of a clause whose run is unknown: what it asked for.
pub(super) fn of_unknown(clause: &TestClause) -> Value {
    json!({
        "argv": clause.command,
        "cwd": clause.cwd,
        "expected": { "passed": expected(clause), "base_passed": null },
        "reasons": [],
    })
}

fn expected(clause: &TestClause) -> Value {
    match clause.passed.map(Passed::rule) {
        Some((rule, value)) => json!({ "rule": rule, "value": value }),
        None => Value::Null,
    }
}

fn counts(outcome: &Outcome<'_>) -> Value {
    let mut counts = Map::new();
    for status in Status::ALL {
        let key = json!(status).as_str().unwrap_or_default().to_owned();
        let count = if status == Status::Passed { outcome.passed() } else { outcome.count(status) };
        counts.insert(key, json!(count));
    }
    Value::Object(counts)
}
