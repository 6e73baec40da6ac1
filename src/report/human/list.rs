//! One line a clause: whether it holds, its name, what was found.

use super::page::{Page, cut};
use super::{Look, Verbosity};
use crate::clauses::{Finding, FindingStatus};
use crate::report::escape::visible;
use crate::report::model::Report;
use owo_colors::OwoColorize as _;
use unicode_width::UnicodeWidthStr as _;

pub(super) fn write(page: &mut Page, report: &Report, look: &Look) {
    let is_shown = |finding: &&Finding| look.verbosity > Verbosity::Quiet || !finding.is_ok();
    let findings: Vec<&Finding> = report.findings.iter().filter(is_shown).collect();
    let status_width = findings.iter().map(|finding| word(finding.status).len()).max().unwrap_or(0).max(6);
    let name_width = findings.iter().map(|finding| finding.check.len()).max().unwrap_or(0).max(22);
    for finding in &findings {
        let column = 2 + status_width + 2 + name_width + 3;
        let detail = match page.room(column) {
            Some(room) => in_one_line(finding, room),
            None => visible(&finding.detail).into_owned(),
        };
        let status = painted(finding.status, status_width);
        page.line(&format!("  {status}  {:name_width$}   {detail}", finding.check));
    }
    page.blank();
}

/// Returns the detail in at most `room` columns. Of a command and what came of it, the counts are what is looked for.
fn in_one_line(finding: &Finding, room: usize) -> String {
    const SHORTEST_COMMAND: usize = 8;
    let detail = visible(&finding.detail);
    let command = finding.command.as_deref().map(visible);
    let Some((command, result)) = command.as_deref().and_then(|command| Some((command, detail.strip_prefix(command)?)))
    else {
        return cut(&detail, room);
    };
    if detail.width() <= room {
        return detail.into_owned();
    }
    let counts = result.find([';', '(']).map_or(result, |end| result[..end].trim_end());
    let more = format!("{counts} ...");
    let fitting = [result, &more].into_iter().find(|result| result.width() + SHORTEST_COMMAND <= room);
    let result = fitting.unwrap_or(result);
    let command = cut(command, room.saturating_sub(result.width()).max(SHORTEST_COMMAND));
    cut(&format!("{command}{result}"), room)
}

const fn word(status: FindingStatus) -> &'static str {
    match status {
        FindingStatus::Passed => "ok",
        FindingStatus::Failed => "FAILED",
        FindingStatus::Unknown => "unknown",
    }
}

fn painted(status: FindingStatus, width: usize) -> String {
    let padded = format!("{:width$}", word(status));
    match status {
        FindingStatus::Passed => padded.green().to_string(),
        FindingStatus::Failed => padded.red().bold().to_string(),
        FindingStatus::Unknown => padded.yellow().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::in_one_line;
    use crate::clauses::Finding;
    use serde_json::Value;

    #[track_caller]
    fn check(command: &str, result: &str, room: usize, expected: &str) {
        let finding = Finding::judged("tests", "/tests/0", true, format!("{command}{result}"), Value::Null);
        let finding = Finding { command: Some(command.to_owned()), ..finding };
        assert_eq!(in_one_line(&finding, room), expected);
        assert!(expected.len() <= room);
    }

    #[test]
    fn counts_survive_where_there_is_little_room_and_the_command_is_cut() {
        let command = "npx vitest run tests/slugify.test.ts";
        let result = ": exit 0, 3 passed, 0 failed (expected 4 passed); 2 skipped";
        check(
            command,
            result,
            95,
            "npx vitest run tests/slugify.test.ts: exit 0, 3 passed, 0 failed (expected 4 passed); 2 skipped",
        );
        check(command, result, 70, "npx vite...: exit 0, 3 passed, 0 failed (expected 4 passed); 2 skipped");
        check(command, result, 45, "npx vitest...: exit 0, 3 passed, 0 failed ...");
        check(command, result, 20, "npx v...: exit 0,...");
        check("tsc", ": exit 2 (exit status only)", 22, "tsc: exit 2 ...");
        check(command, ": not run: `vitest` is not installed", 40, "npx v...: not run: `vitest` is not in...");
    }
}
