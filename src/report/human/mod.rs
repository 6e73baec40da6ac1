//! The report for people at a terminal: calm, aligned, understandable without colour.
//!
//! The text always holds its colours; whoever writes it out strips them where they are not wanted. That
//! loses nothing, because text from outside never holds an escape sequence here.

mod blocks;
mod explain;
mod failure;
mod head;
pub(super) mod last_line;
mod list;
mod page;

pub(super) use head::{short_digest, short_hash, size};

use super::model::{Report, Status};
use crate::error::Failure;
use page::Page;

/// How much is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Verbosity {
    /// Nothing when passed; otherwise only what does not hold.
    Quiet,
    /// What the mock-ups show.
    #[default]
    Normal,
    /// Nothing is cut.
    Verbose,
}

/// How a report is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Look {
    /// Columns of the terminal; `None` when it goes elsewhere, and then no line is cut or wrapped.
    pub width: Option<usize>,
    /// How much is told.
    pub verbosity: Verbosity,
}

/// Returns the report for people.
pub fn render(report: &Report, look: &Look) -> String {
    let mut page = Page::new(look);
    let is_quiet = look.verbosity == Verbosity::Quiet;
    if is_quiet && matches!(report.status, Status::Passed | Status::UncheckedAllowed) {
        return String::new();
    }
    if let Some(problems) = &report.problems {
        for problem in &problems.problems {
            page.raw(&super::problems::snippet(problems, problem));
            page.blank();
        }
        page.line(&last_line::of(report));
        return page.into_text();
    }
    if !is_quiet {
        head::write(&mut page, report);
    }
    if let Some(unchecked) = &report.unchecked {
        failure::write_unchecked(&mut page, unchecked);
    }
    if let Some(parsed) = &report.parsed {
        page.raw(&super::escape::json(&format!("{:#}\n", parsed.normalized)));
        page.blank();
    }
    if let Some(explained) = &report.explained {
        explain::write(&mut page, explained);
    }
    list::write(&mut page, report, look);
    blocks::write(&mut page, report);
    if let Some(error) = &report.error
        && !is_told_in_a_block(report, error)
    {
        failure::write(&mut page, error);
    }
    if !is_quiet {
        head::write_notes(&mut page, report);
    }
    page.line(&last_line::of(report));
    page.into_text()
}

/// The reason of an unknown clause stands in its block.
fn is_told_in_a_block(report: &Report, error: &Failure) -> bool {
    report.findings.iter().any(|finding| finding.failure.as_deref() == Some(error))
}

/// Returns the blocks of what does not hold, or the reason why there is no verdict.
pub(super) fn what_to_repair(report: &Report, look: &Look) -> String {
    let mut page = Page::new(look);
    blocks::write(&mut page, report);
    if let Some(error) = report.error.as_ref().filter(|error| !is_told_in_a_block(report, error)) {
        failure::write(&mut page, error);
    }
    page.into_text()
}
