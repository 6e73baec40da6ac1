//! The detail line, in the original tool's words: `COMMAND: exit 0, 4 passed, 0 failed (expected 4 passed)`.

use super::Seen;
use crate::clauses::tests::Passed;
use crate::clauses::tests::outcome::Outcome;
use crate::facts::Status;

/// Returns the line up to what other parts add.
pub(super) fn detail(seen: &Seen<'_>) -> String {
    let place = place(seen);
    let end = end_in_words(&seen.head, "exit");
    if seen.head.has_no_report {
        return format!("{place}: {end}, no test report written");
    }
    let passed = seen.head.passed();
    let failed = seen.head.count(Status::Failed);
    let expected = match seen.clause.passed {
        Some(Passed::Exactly(n)) => format!(" (expected {n} passed)"),
        Some(Passed::AtLeast(n)) => format!(" (expected at least {n} passed)"),
        Some(Passed::MoreThanBase(n)) => format!(" (expected {n} more than at the merge base)"),
        None => String::new(),
    };
    let mut line = format!("{place}: {end}, {passed} passed, {failed} failed{expected}");
    for piece in other_counts(&seen.head, &[Status::Passed, Status::Failed]) {
        line.push_str("; ");
        line.push_str(&piece);
    }
    line
}

/// Returns the command and where it runs.
pub(super) fn place(seen: &Seen<'_>) -> String {
    let command = seen.clause.command_line();
    if seen.clause.cwd.is_empty() { command } else { format!("{command} (in {})", seen.clause.cwd) }
}

/// Returns the counts of all other statuses that occur: `2 skipped`.
pub(super) fn other_counts(outcome: &Outcome<'_>, told: &[Status]) -> Vec<String> {
    let others = Status::ALL.into_iter().filter(|status| !told.contains(status));
    others
        .filter_map(|status| match outcome.count(status) {
            0 => None,
            number => Some(format!("{number} {}", words(status, number))),
        })
        .collect()
}

/// Returns how the process ended: `exit 0`, `timed out`, `signal 9`; `exit` is how the exit status is called.
pub(super) fn end_in_words(outcome: &Outcome<'_>, exit: &str) -> String {
    let Some(end) = outcome.end() else { return "not run".to_owned() };
    match (end.timed_out, end.signal, end.exit_status) {
        (true, _, _) => "timed out".to_owned(),
        (false, Some(signal), _) => format!("signal {signal}"),
        (false, None, Some(status)) => format!("{exit} {status}"),
        (false, None, None) => format!("no {exit}"),
    }
}

const fn words(status: Status, number: u64) -> &'static str {
    match (status, number) {
        (Status::Passed, _) => "passed",
        (Status::Failed, _) => "failed",
        (Status::Skipped, _) => "skipped",
        (Status::Todo, _) => "todo",
        (Status::ExpectedFailure, 1) => "expected failure",
        (Status::ExpectedFailure, _) => "expected failures",
        (Status::UnexpectedPass, 1) => "unexpected pass",
        (Status::UnexpectedPass, _) => "unexpected passes",
        (Status::Flaky, _) => "flaky",
        (Status::Errored, _) => "errored",
        (Status::Unfinished, _) => "unfinished",
    }
}
