//! The reasons `failed_tests`, `flaky` and `load_error`: tests that did not pass, and files that did not load.

use super::Seen;
use crate::clauses::running::{Part, Reason, counted};
use crate::clauses::tests::groups::shown;
use crate::clauses::tests::outcome::Merged;
use crate::clauses::{Block, Found};
use crate::facts::Status;
use serde_json::json;
use std::collections::BTreeSet;

/// People are shown so many of a kind; evidence holds all.
const MAX_SHOWN: usize = 1_000;

/// Judges what failed.
pub(super) fn look(seen: &Seen<'_>, part: &mut Part, block: &mut Block) {
    failed_tests(seen, part, block);
    load_errors(seen, part, block);
}

fn failed_tests(seen: &Seen<'_>, part: &mut Part, block: &mut Block) {
    let bad: Vec<&Merged<'_>> = seen.head.tests.iter().filter(|test| test.is_bad()).collect();
    let (flaky, failed): (Vec<&Merged<'_>>, Vec<_>) = bad.iter().partition(|test| test.status == Status::Flaky);
    if !failed.is_empty() {
        part.reasons.push(Reason::FailedTests);
        block.next.push(format!("make the failing {}{} pass", tests_word(failed.len()), in_files(&failed)));
    }
    if !flaky.is_empty() {
        part.reasons.push(Reason::Flaky);
        block.next.push(format!(
            "make the flaky {}{} pass at the first try",
            tests_word(flaky.len()),
            in_files(&flaky)
        ));
    }
    let mut n_also_at_base = 0;
    for (index, test) in bad.iter().enumerate() {
        let fails_at_base = fails_at_base(seen, test);
        n_also_at_base += usize::from(fails_at_base == Some(true));
        let record = test.record;
        let entry = json!({
            "id": shown(&record.id),
            "status": test.status,
            "file": record.id.file,
            "line": record.line,
            "message": record.message,
            "fails_at_base": fails_at_base,
        });
        part.evidence.push(("failed_tests", entry));
        if index < MAX_SHOWN {
            block.found.push(Found::Quoted(quoted(test)));
            if fails_at_base == Some(true) {
                block.found.push(Found::Text("also fails at the merge base".to_owned()));
            }
        }
    }
    more(bad.len(), block);
    if n_also_at_base > 0 {
        let verb = if n_also_at_base == 1 { "fails" } else { "fail" };
        part.detail.push(format!("{n_also_at_base} of these also {verb} at the merge base"));
    }
}

/// `None` when there is no run at the merge base to look at.
fn fails_at_base(seen: &Seen<'_>, test: &Merged<'_>) -> Option<bool> {
    let base = seen.base.told()?;
    Some(base.get(&test.record.id).is_some_and(Merged::is_bad))
}

fn quoted(test: &Merged<'_>) -> String {
    let record = test.record;
    let word = match test.status {
        Status::Failed => "failed",
        Status::UnexpectedPass => "passed although it is declared to fail",
        Status::Flaky => "flaky",
        Status::Errored => "set-up or tear-down failed",
        Status::Unfinished => "did not end",
        Status::Passed | Status::Skipped | Status::Todo | Status::ExpectedFailure => "not passed",
    };
    let mut lines = vec![format!("{word}: {}", record.id.full_name())];
    match (&record.id.file, record.line) {
        (Some(file), Some(line)) => lines.push(format!("  {file}:{line}")),
        (Some(file), None) => lines.push(format!("  {file}")),
        (None, _) => {}
    }
    let message = record.message.as_deref().unwrap_or_default().trim();
    lines.extend(message.lines().map(|line| format!("  {line}")));
    lines.join("\n")
}

fn load_errors(seen: &Seen<'_>, part: &mut Part, block: &mut Block) {
    let errors = seen.head.load_errors();
    let unhandled = seen.head.unhandled();
    if errors.is_empty() && unhandled.is_empty() {
        return;
    }
    part.reasons.push(Reason::LoadError);
    if !errors.is_empty() {
        part.detail.push(format!("{} to load", counted(errors.len(), "file failed", "files failed")));
        block.next.push("make every test file load".to_owned());
    }
    if !unhandled.is_empty() {
        let what = counted(unhandled.len(), "error that belongs to no test", "errors that belong to no test");
        part.detail.push(what);
        block.next.push("repair what fails outside of the tests".to_owned());
    }
    for error in errors.iter().take(MAX_SHOWN) {
        let file = error.file.as_deref().unwrap_or("a file");
        block.found.push(Found::Quoted(format!("could not be loaded: {file}\n  {}", error.message.trim())));
    }
    more(errors.len(), block);
    for message in unhandled.iter().take(MAX_SHOWN) {
        block.found.push(Found::Quoted(format!("outside of any test: {}", message.trim())));
    }
    more(unhandled.len(), block);
    for error in errors {
        part.evidence.push(("load_errors", json!({ "file": error.file, "message": error.message })));
    }
    for message in unhandled {
        part.evidence.push(("load_errors", json!({ "file": null, "message": message })));
    }
}

fn more(all: usize, block: &mut Block) {
    if all > MAX_SHOWN {
        block.found.push(Found::Text(format!("and {} more in the evidence", all - MAX_SHOWN)));
    }
}

fn tests_word(number: usize) -> String {
    if number == 1 { "test".to_owned() } else { format!("{number} tests") }
}

/// Names the files of some tests, where they are known and few.
fn in_files(tests: &[&Merged<'_>]) -> String {
    let files: BTreeSet<&str> = tests.iter().filter_map(|test| test.record.id.file.as_deref()).collect();
    if files.is_empty() || files.len() > 3 {
        return String::new();
    }
    format!(" in {}", files.into_iter().collect::<Vec<_>>().join(", "))
}
