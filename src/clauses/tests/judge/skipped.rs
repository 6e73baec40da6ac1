//! The reason `skipped`: tests that did not do their work but made no noise, and repeats of one name. Limited by
//! `max_skipped`, and under strict mode by the merge base.

use super::Seen;
use crate::clauses::running::{Part, Reason, counted, merge_base_name};
use crate::clauses::tests::groups::shown;
use crate::clauses::tests::outcome::{Merged, Outcome};
use crate::clauses::{Block, Found};
use crate::facts::{Status, TestId};
use serde_json::json;
use std::collections::BTreeMap;

/// People are shown so many; evidence holds all.
const MAX_SHOWN: usize = 1_000;

/// Judges soft and repeated tests.
pub(super) fn part(seen: &Seen<'_>) -> Part {
    let mut part = Part::default();
    let soft: Vec<&Merged<'_>> = seen.head.soft().collect();
    let base = seen.base.healthy().ok().filter(|_| seen.tests.strict);
    if let Some(limit) = seen.clause.max_skipped {
        if u64::try_from(soft.len()).unwrap_or(u64::MAX) > limit {
            let expected = format!("at most {limit} skipped, announced or expected to fail");
            part.add(too_many(&soft, soft.len(), expected));
        }
    } else if let Some(base) = base {
        let before = base.soft().count();
        let counted_before = base.tests.iter().filter(|test| test.is_counted_failure()).count();
        let counted_now = soft.iter().filter(|test| test.is_counted_failure()).count();
        if soft.len() > before || counted_now > counted_before {
            let was_soft = |test: &&&Merged<'_>| base.get(&test.record.id).is_some_and(Merged::is_soft);
            let new: Vec<&Merged<'_>> = soft.iter().filter(|test| !was_soft(test)).copied().collect();
            let base_name = merge_base_name(seen.change);
            let expected =
                format!("strict mode: no more skipped, announced or expected to fail than at {base_name}, {before}");
            part.add(too_many(if new.is_empty() { &soft } else { &new }, soft.len(), expected));
        }
    }
    if let Some(base) = base {
        part.add(repeated(base, seen));
    }
    part
}

fn too_many(listed: &[&Merged<'_>], number: usize, expected: String) -> Part {
    let mut part = Part { reasons: vec![Reason::Skipped], ..Part::default() };
    part.detail.push(format!("too many are skipped, announced or expected to fail ({number})"));
    let mut block = Block {
        expected: vec![expected],
        found: vec![Found::Text(format!("{number} such"))],
        next: vec!["let the tests that are skipped or declared to fail run, and make them pass".to_owned()],
    };
    for (index, test) in listed.iter().enumerate() {
        let id = shown(&test.record.id);
        part.evidence.push(("skipped", json!({ "id": id, "status": test.status, "message": test.record.message })));
        if index < MAX_SHOWN {
            block.found.push(Found::Path(id, word(test.status).to_owned()));
        }
    }
    part.blocks.push(block);
    part
}

/// Repeats of one name pad a count: there must not be more than at the merge base.
fn repeated(base: &Outcome<'_>, seen: &Seen<'_>) -> Part {
    let before = repeats(base);
    let now = repeats(&seen.head);
    let n_before: usize = before.values().sum();
    let n_now: usize = now.values().sum();
    if n_now <= n_before {
        return Part::default();
    }
    let mut part = Part { reasons: vec![Reason::Skipped], ..Part::default() };
    part.detail.push(format!("{} of a test's name", counted(n_now - n_before, "new repeat", "new repeats")));
    let mut block = Block {
        expected: vec![format!(
            "strict mode: no more tests with the same name than at {}, {n_before}",
            merge_base_name(seen.change)
        )],
        found: vec![Found::Text(format!("{n_now} such"))],
        next: vec!["give each new test a name of its own".to_owned()],
    };
    for (id, number) in now.iter().filter(|(id, number)| before.get(*id).unwrap_or(&0) < *number) {
        part.evidence.push(("repeated", json!({ "id": shown(id), "times": number.saturating_add(1) })));
        block.found.push(Found::Path(shown(id), counted(number.saturating_add(1), "time", "times")));
    }
    part.blocks.push(block);
    part
}

/// Counts how often each test stands beside its first one, ordinals left out.
fn repeats(outcome: &Outcome<'_>) -> BTreeMap<TestId, usize> {
    let mut repeats = BTreeMap::new();
    for test in outcome.tests.iter().filter(|test| test.record.id.ordinal > 0) {
        let first = TestId { ordinal: 0, ..test.record.id.clone() };
        *repeats.entry(first).or_default() += 1;
    }
    repeats
}

const fn word(status: Status) -> &'static str {
    match status {
        Status::Skipped => "skipped",
        Status::Todo => "only announced",
        Status::ExpectedFailure => "declared to fail",
        Status::UnexpectedPass => "passes although it is declared to fail",
        Status::Passed | Status::Failed | Status::Flaky | Status::Errored | Status::Unfinished => "not passed",
    }
}
