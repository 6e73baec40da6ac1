//! The last line of a report, which alone says the outcome.

use crate::clauses::{FindingStatus, Standing};
use crate::report::model::{Command, Report, Status, UncheckedReason};
use crate::report::words::{self, count_of, short_reason};
use owo_colors::OwoColorize as _;

/// Returns the line with its colour.
pub(super) fn of(report: &Report) -> String {
    let line = plain(report);
    match report.status {
        Status::Passed => line.green().to_string(),
        Status::Failed | Status::Incomplete | Status::Error => line.red().bold().to_string(),
        Status::Unchecked | Status::UncheckedAllowed => line.yellow().to_string(),
    }
}

/// Returns the line: `acceptance: FAILED, 4 of 6 checks do not hold`.
pub fn plain(report: &Report) -> String {
    if report.status == Status::Error {
        let reason = error_reason(report);
        return match (report.command, &report.problems) {
            (Command::Parse, Some(problems)) => {
                let errors = count_of(problems.problems.len(), "error", "errors");
                format!("parse: {errors}; the contract is not valid, nothing can be checked with it")
            }
            (Command::Parse | Command::Explain, _) => format!("{}: ERROR, {reason}", report.command.word()),
            (Command::Check, _) => format!("acceptance: ERROR, {reason}"),
        };
    }
    match report.command {
        Command::Check => format!("acceptance: {}", outcome(report)),
        Command::Parse => match &report.parsed {
            Some(parsed) => format!("parse: {}; the contract is valid", count_of(parsed.clauses, "clause", "clauses")),
            None => format!("parse: {}", outcome(report)),
        },
        Command::Explain => match &report.explained {
            Some(_) => format!("explain: {}", standings(report)),
            None => format!("explain: {}", outcome(report)),
        },
    }
}

fn outcome(report: &Report) -> String {
    let all = report.findings.len();
    let failed = report.count(FindingStatus::Failed);
    let verb = if failed == 1 { "does" } else { "do" };
    let missed = format!("{failed} of {} {verb} not hold", count_of(all, "check", "checks"));
    let unknown = match report.count(FindingStatus::Unknown) {
        0 => String::new(),
        unknown => format!(", {unknown} could not be checked"),
    };
    let code = report.exit().code();
    match report.status {
        Status::Passed if all == 1 => {
            "PASSED, the one check holds (re-run here, not reported by the author)".to_owned()
        }
        Status::Passed => format!("PASSED, all {all} checks hold (re-run here, not reported by the author)"),
        Status::Failed => format!("FAILED, {missed}{unknown}"),
        Status::Incomplete if failed == 0 && unknown.is_empty() => {
            format!("FAILED, every check holds, but the attempts were used up before; ask a human (exit {code})")
        }
        Status::Incomplete => {
            format!("FAILED, {missed}{unknown}; the attempts are used up, ask a human (exit {code})")
        }
        Status::Unchecked | Status::UncheckedAllowed => {
            match report.unchecked.as_ref().map(|unchecked| unchecked.reason) {
                Some(UncheckedReason::AuthorNotTrusted) => {
                    format!("UNCHECKED, the contract's author is not trusted (exit {code})")
                }
                Some(UncheckedReason::NoContract) | None if report.status == Status::UncheckedAllowed => {
                    "UNCHECKED, no contract applies (exit 0, by --allow-unchecked)".to_owned()
                }
                Some(UncheckedReason::NoContract) | None if report.command == Command::Check => {
                    format!("UNCHECKED, no contract applies (exit {code}; 0 with --allow-unchecked)")
                }
                Some(UncheckedReason::NoContract) | None => format!("UNCHECKED, no contract applies (exit {code})"),
            }
        }
        Status::Error => format!("ERROR, {}", error_reason(report)),
    }
}

fn error_reason(report: &Report) -> String {
    let code = report.exit().code();
    match (&report.problems, &report.error) {
        (Some(problems), _) => {
            format!("the contract has {} (exit {code})", count_of(problems.problems.len(), "error", "errors"))
        }
        (None, Some(failure)) => format!("{} (exit {code})", short_reason(failure.kind)),
        (None, None) => format!("a bug of this tool (exit {code})"),
    }
}

fn standings(report: &Report) -> String {
    let Some(explained) = &report.explained else { return String::new() };
    let clauses = &explained.clauses;
    let mut parts = Vec::new();
    for standing in [Standing::Met, Standing::MetSoFar, Standing::NotMet, Standing::NeedsRun, Standing::Unknown] {
        let count = clauses.iter().filter(|clause| clause.standing == standing).count();
        let is_always_told = matches!(standing, Standing::Met | Standing::MetSoFar | Standing::NotMet);
        if count > 0 || is_always_told {
            let is_plural = standing == Standing::NeedsRun && count > 1;
            let word = if is_plural { "need a run" } else { words::standing(standing) };
            parts.push(format!("{count} {word}"));
        }
    }
    let all = count_of(clauses.len(), "clause", "clauses");
    let warnings = count_of(explained.warnings.len(), "warning", "warnings");
    format!("{all}: {}; {warnings}", parts.join(", "))
}
