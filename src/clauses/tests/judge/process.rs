//! The reasons `exit_status`, `no_report`, `incomplete_report` and `timeout`: how the process and its report ended.

use super::Seen;
use crate::clauses::running::{Part, Reason, ended_well};
use crate::clauses::tests::DEFAULT_TIMEOUT_SECONDS;
use crate::clauses::{Block, Found};
use serde_json::json;

/// Judges how the process and its report ended.
pub(super) fn look(seen: &Seen<'_>, part: &mut Part, block: &mut Block) {
    let ends = || seen.head.runs.iter().map(|run| &run.end);
    let timed_out = ends().any(|end| end.timed_out);
    if timed_out {
        part.reasons.push(Reason::Timeout);
        block.next.push(match seen.clause.timeout_seconds {
            Some(seconds) => format!("make the tests end within {seconds} s"),
            None => format!("make the tests end in time (by default within {DEFAULT_TIMEOUT_SECONDS} s)"),
        });
    }
    if ends().any(|end| !ended_well(end) && !end.timed_out) {
        part.reasons.push(Reason::ExitStatus);
    }
    if seen.head.has_no_report {
        part.reasons.push(Reason::NoReport);
        block.found.push(Found::Text("no test report was written".to_owned()));
        block.next.push("let the tests run to their end: the runner told no result".to_owned());
    }
    if !seen.head.report_faults.is_empty() {
        part.reasons.push(Reason::IncompleteReport);
        part.detail.push("the report is not whole".to_owned());
        for why in &seen.head.report_faults {
            block.found.push(Found::Text(format!("the report is not whole: {why}")));
            part.evidence.push(("report_faults", json!(why)));
        }
        if !seen.head.has_no_report {
            block.next.push("let the tests run to their end, each with one result".to_owned());
        }
    }
    let explanations = [
        Reason::FailedTests,
        Reason::Flaky,
        Reason::LoadError,
        Reason::NoReport,
        Reason::IncompleteReport,
        Reason::Timeout,
    ];
    let is_explained = part.reasons.iter().any(|reason| explanations.contains(reason));
    if part.reasons.contains(&Reason::ExitStatus) && !is_explained {
        part.detail.push("exit status and report disagree".to_owned());
        block.found.push(Found::Text("no test failed, and yet the command did".to_owned()));
        block.next.push("find out what fails outside of the tests, and repair it".to_owned());
    }
    let needs_output =
        [Reason::NoReport, Reason::IncompleteReport, Reason::ExitStatus, Reason::Timeout, Reason::LoadError];
    let no_failures = !part.reasons.contains(&Reason::FailedTests);
    let shows_output = no_failures && part.reasons.iter().any(|reason| needs_output.contains(reason));
    if let (true, Some(output)) = (shows_output, output(seen)) {
        block.found.push(Found::Quoted(format!("the end of what it printed:\n{output}")));
    }
}

/// Returns the end of what the run printed, where it printed something.
pub(super) fn output<'a>(seen: &Seen<'a>) -> Option<&'a str> {
    let output = seen.head.end()?.output.trim_end();
    (!output.is_empty()).then(|| crate::clauses::running::tail(output))
}
