//! Remarks that change no verdict: what cannot be seen, what was not told by head, what may explain a failure.

use super::Seen;
use crate::clauses::running::counted;
use crate::clauses::tests::groups::shown;
use crate::facts::{Channel, Place};
use std::collections::BTreeSet;

/// So many names are told in one remark.
const MAX_NAMES: usize = 20;

/// Returns the remarks for one test clause.
pub(super) fn notes(seen: &Seen<'_>, has_failed: bool) -> Vec<String> {
    let tests = seen.tests;
    let mut notes = Vec::new();
    for sign in &tests.signs {
        notes.push(format!("{}:{}: {}", sign.path.to_lossy(), sign.line, sign.why));
    }
    let counted_failures: Vec<String> =
        seen.head.tests.iter().filter(|test| test.is_counted_failure()).map(|test| shown(&test.record.id)).collect();
    if !counted_failures.is_empty() {
        let names = listed(&counted_failures);
        notes.push(format!("counted as passed by the runner although declared to fail: {names}"));
    }
    if !tests.untracked_test_files.is_empty() {
        let files = listed(&tests.untracked_test_files);
        notes.push(format!("not tracked at head, so built by whoever made the change: {files}"));
    }
    notes.extend(seen.head.runs.iter().flat_map(|run| run.notes.iter().cloned()));
    let left: u32 = seen.head.runs.iter().map(|run| run.end.left_running).sum();
    if left > 0 {
        let processes = counted(usize::try_from(left).unwrap_or(usize::MAX), "process", "processes");
        notes.push(format!("the run left {processes} running; ended"));
    }
    if has_failed && !tests.withheld.is_empty() {
        notes.push(environment(&withheld(seen)));
    }
    if !has_failed {
        notes.push(limits(seen));
        if tests.place == Place::Checkout {
            notes.push("files that git ignores were whatever the checkout holds".to_owned());
        }
    }
    notes
}

/// Returns the names of the environment's variables that the tests did not get, each once.
pub(super) fn withheld<'a>(seen: &Seen<'a>) -> Vec<&'a str> {
    let names: BTreeSet<&str> = seen.tests.withheld.iter().map(String::as_str).collect();
    names.into_iter().collect()
}

/// Names as many variables as one line of a terminal holds, and counts the rest: there can be very many, and the evidence
/// has all.
fn environment(names: &[&str]) -> String {
    const LONGEST: usize = 74;
    let told = |number: usize| {
        let more = match names.len() - number {
            0 => String::new(),
            more => format!(" and {more} more (-v)"),
        };
        format!("variables not passed to the tests: {}{more}", names[..number].join(", "))
    };
    let fitting = (1..=names.len()).rev().map(told).find(|note| note.chars().count() <= LONGEST);
    fitting.unwrap_or_else(|| told(names.len().min(1)))
}

/// What no check inside one machine user can see.
fn limits(seen: &Seen<'_>) -> String {
    let tests = seen.tests;
    let runner = match &tests.version {
        Some(version) => format!("{} {version}", tests.runner),
        None => tests.runner.clone(),
    };
    let channel = match tests.channel {
        Channel::Private => format!("The run was watched through {runner}'s own reporter interface (private channel)."),
        Channel::ReportFile => {
            format!("The results of {runner} came in a report file, which the code under test could write too.")
        }
    };
    format!(
        "the tests and the code they test ran as one user; a change that is made to deceive can forge that. {channel}"
    )
}

fn listed(names: &[String]) -> String {
    let first = names.iter().take(MAX_NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(MAX_NAMES) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
