//! The reason `count`: how many tests passed, against how many should.

use super::Seen;
use crate::clauses::Block;
use crate::clauses::running::{Part, Reason, counted, merge_base_name};
use crate::clauses::tests::Passed;
use crate::clauses::tests::outcome::Outcome;
use crate::facts::Status;
use std::collections::HashSet;

/// Returns what the contract asks of the run: `exactly 17 passed, 0 failed, exit status 0`.
pub(super) fn expected(seen: &Seen<'_>) -> String {
    let passed = match seen.clause.passed {
        Some(Passed::Exactly(n)) => format!("exactly {n} passed"),
        Some(Passed::AtLeast(n)) => format!("at least {n} passed"),
        Some(Passed::MoreThanBase(n)) => {
            let base = seen.base.told().map(|base| format!(" ({} passed there)", base.passed())).unwrap_or_default();
            format!("{n} more passed than at {}{base}, with names of their own", merge_base_name(seen.change))
        }
        None => "at least 1 passed".to_owned(),
    };
    format!("{passed}, 0 failed, exit status 0")
}

/// Returns what came of it: `14 passed, 1 failed, 0 skipped, exit status 1, in 2.1 s`.
pub(super) fn found(seen: &Seen<'_>) -> String {
    let mut pieces = vec![
        format!("{} passed", seen.head.passed()),
        format!("{} failed", seen.head.count(Status::Failed)),
        format!("{} skipped", seen.head.count(Status::Skipped)),
    ];
    pieces.extend(super::detail::other_counts(&seen.head, &[Status::Passed, Status::Failed, Status::Skipped]));
    pieces.push(super::detail::end_in_words(&seen.head, "exit status"));
    format!("{}, in {:.1} s", pieces.join(", "), seen.head.seconds())
}

/// Judges the number of passed tests.
pub(super) fn look(seen: &Seen<'_>, part: &mut Part, block: &mut Block) {
    let passed = seen.head.passed();
    if passed == 0 {
        part.reasons.push(Reason::Count);
        if seen.head.tests.is_empty() {
            part.detail.push("no test ran".to_owned());
        }
    }
    match seen.clause.passed {
        Some(Passed::Exactly(n)) if passed > n => {
            part.reasons.push(Reason::Count);
            let more = counted(size(passed - n), "more test passes", "more tests pass");
            block.next.push(format!("ask the maintainer: {more} than the contract asks for"));
        }
        Some(Passed::Exactly(n) | Passed::AtLeast(n)) if passed < n => {
            part.reasons.push(Reason::Count);
            block.next.extend(not_there_yet(n - passed, &seen.head));
        }
        Some(Passed::Exactly(_) | Passed::AtLeast(_)) | None => {}
        Some(Passed::MoreThanBase(n)) => more_than_base(n, seen, part, block),
    }
}

fn more_than_base(n: u64, seen: &Seen<'_>, part: &mut Part, block: &mut Block) {
    let base = match seen.base.healthy() {
        Ok(base) => base,
        Err(failure) => return part.unknown.push(failure),
    };
    let (at_base, at_head) = (base.passed(), seen.head.passed());
    let new = new_names(base, &seen.head);
    part.detail.push(format!("{at_base} passed at the merge base, {} new", counted(size(new), "name is", "names are")));
    let wanted = at_base.saturating_add(n);
    if at_head < wanted {
        part.reasons.push(Reason::Count);
        block.next.extend(not_there_yet(wanted - at_head, &seen.head));
    } else if new < n {
        part.reasons.push(Reason::Count);
        let missing =
            counted(size(n - new), "test that the contract asks for is", "tests that the contract asks for are");
        block.next.push(format!("{missing} not there yet: a test of another name or place is not a new one"));
    }
}

/// Counts the names of passed tests that the merge base does not have. A name is a test's names without its file, so that
/// a copied or moved test is not a new one; one that was only announced there was not there.
fn new_names(base: &Outcome<'_>, head: &Outcome<'_>) -> u64 {
    let is_there = |status| status != Status::Todo;
    let old: HashSet<&[String]> =
        base.tests.iter().filter(|test| is_there(test.status)).map(|test| test.record.id.path.as_slice()).collect();
    let new: HashSet<&[String]> = head
        .tests
        .iter()
        .filter(|test| test.status == Status::Passed)
        .map(|test| test.record.id.path.as_slice())
        .filter(|path| !old.contains(path))
        .collect();
    u64::try_from(new.len()).unwrap_or(u64::MAX)
}

/// Says which tests are missing beside those that fail: asking for more tests would ask for padding. A filter or `.only`
/// keeps a test from any record, so that nobody can tell it from one that was never written.
fn not_there_yet(missing: u64, head: &Outcome<'_>) -> Vec<String> {
    let bad = head.tests.iter().filter(|test| test.is_bad()).count();
    let beside = size(missing).saturating_sub(bad);
    let waiting = beside.min(head.soft().filter(|test| !test.counts_as_passed()).count());
    let absent = beside - waiting;
    let mut steps = Vec::new();
    if waiting > 0 {
        let tests = counted(waiting, "test that is", "tests that are");
        steps.push(format!("let {tests} skipped, announced or declared to fail run, and pass"));
    }
    if absent > 0 {
        let tests = counted(absent, "test that the contract asks for is", "tests that the contract asks for are");
        steps.push(format!("{tests} not there yet, or did not run"));
    }
    steps
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
