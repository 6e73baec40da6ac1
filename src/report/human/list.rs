//! One line a clause: whether it holds, its name, what was found.

use super::page::Page;
use super::{Look, Verbosity};
use crate::clauses::{Finding, FindingStatus};
use crate::report::escape::visible;
use crate::report::model::Report;
use owo_colors::OwoColorize as _;

pub(super) fn write(page: &mut Page, report: &Report, look: &Look) {
    let is_shown = |finding: &&Finding| look.verbosity > Verbosity::Quiet || !finding.is_ok();
    let findings: Vec<&Finding> = report.findings.iter().filter(is_shown).collect();
    let status_width = findings.iter().map(|finding| word(finding.status).len()).max().unwrap_or(0).max(6);
    let name_width = findings.iter().map(|finding| finding.check.len()).max().unwrap_or(0).max(22);
    for finding in &findings {
        let column = 2 + status_width + 2 + name_width + 3;
        let detail = page.cut(&visible(&finding.detail), column);
        let status = painted(finding.status, status_width);
        page.line(&format!("  {status}  {:name_width$}   {detail}", finding.check));
    }
    page.blank();
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
