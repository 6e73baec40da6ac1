//! The report as Markdown: for a pull request's comment, a job summary, an issue. The first line and the
//! list have the original tool's form; everything else is folded away below them.
//!
//! Text from outside stands in code spans and fences that it cannot end, or is escaped word by word.

use super::escape::{code_block, code_cell, code_span, markdown, visible};
use super::human::{last_line, short_digest, short_hash, size};
use super::model::{Command, Report, Status};
use super::problems::snippet;
use super::subject::subject;
use super::words::count_of;
use crate::clauses::{Block, Finding, FindingStatus, Found};
use crate::error::{Detail, Failure};
use std::fmt::Write as _;

/// A forge's summary may hold 1 MiB; what goes beyond this is left out, aloud.
const MAX_BYTES: usize = 900 * 1024;
/// How many entries of a list are told.
const MAX_ENTRIES: usize = 50;
/// How many bytes of one text from outside are told.
const MAX_TEXT: usize = 4096;

/// Returns the report as Markdown, under 900 KiB.
pub fn render(report: &Report) -> String {
    let mut page = Page::default();
    match (report.command, report.status) {
        _ if report.problems.is_some() => problems(&mut page, report),
        (Command::Check, Status::Passed | Status::Failed | Status::Incomplete) => verdict(&mut page, report),
        (Command::Check, Status::Error) if !report.findings.is_empty() => verdict(&mut page, report),
        (_, Status::Error) => {
            page.add(&format!("**{}**\n\n", markdown(&last_line::plain(report))));
            if let Some(failure) = &report.error {
                page.add(&of_failure(failure));
            }
        }
        (_, Status::Unchecked | Status::UncheckedAllowed) => unchecked(&mut page, report),
        (Command::Parse, _) => parsed(&mut page, report),
        (Command::Explain, _) => explained(&mut page, report),
    }
    what_was_checked(&mut page, report);
    page.into_text()
}

/// A text that stops growing before it is too large.
#[derive(Debug, Default)]
struct Page {
    text: String,
    is_full: bool,
}

impl Page {
    /// Adds a part that is complete in itself, or nothing of it.
    fn add(&mut self, part: &str) {
        if self.text.len() + part.len() > MAX_BYTES {
            self.is_full = true;
        } else {
            self.text.push_str(part);
        }
    }

    fn into_text(mut self) -> String {
        if self.is_full {
            self.text.push_str("\n_This report is cut: it would be larger than a forge shows. The JSON has all._\n");
        }
        self.text
    }
}

fn verdict(page: &mut Page, report: &Report) {
    let passed = report.count(FindingStatus::Passed);
    let all = report.findings.len();
    page.add(&format!(
        "Acceptance: {passed}/{all} checks passed (re-run by the checker, not reported by the author).\n\n"
    ));
    for finding in &report.findings {
        let mark = match finding.status {
            FindingStatus::Passed => "✅",
            FindingStatus::Failed => "❌",
            FindingStatus::Unknown => "❔",
        };
        page.add(&format!("- {mark} {} — {}\n", code_span(&finding.check), markdown(&cut(&finding.detail, 1000))));
    }
    let line = last_line::plain(report);
    page.add(&format!("\n**{}**\n", markdown(line.trim_start_matches("acceptance: "))));
    if report.findings.iter().any(|finding| !finding.is_ok()) {
        page.add("\n<details open><summary>What to repair</summary>\n\n");
        for finding in report.findings.iter().filter(|finding| !finding.is_ok()) {
            page.add(&of_finding(finding));
        }
        page.add("</details>\n");
    }
    let is_told = |error: &Failure| report.findings.iter().any(|finding| finding.failure.as_deref() == Some(error));
    if let Some(error) = report.error.as_ref().filter(|error| !is_told(error)) {
        page.add(&format!("\n{}", of_failure(error)));
    }
    notes(page, report);
}

fn notes(page: &mut Page, report: &Report) {
    let of_findings = report.findings.iter().flat_map(|finding| &finding.notes);
    let mut told: Vec<&str> = Vec::new();
    for note in report.notes.iter().chain(of_findings) {
        if !told.contains(&note.as_str()) {
            told.push(note);
        }
    }
    if !told.is_empty() {
        let list: Vec<String> = told.iter().map(|note| format!("- {}", markdown(&cut(note, MAX_TEXT)))).collect();
        let list = list.join("\n");
        page.add(&format!("\n<details><summary>Notes</summary>\n\n{list}\n\n</details>\n"));
    }
}

fn of_finding(finding: &Finding) -> String {
    let about = subject(finding).map(|subject| format!(" {}", code_span(&cut(&subject, 400)))).unwrap_or_default();
    let mut text = format!("**{}**{about}\n\n", code_span(&finding.check));
    if let Some(failure) = &finding.failure {
        text.push_str(&of_failure(failure));
        return text;
    }
    for block in &finding.blocks {
        text.push_str(&of_block(block));
    }
    if finding.blocks.is_empty()
        && let Some(next) = &finding.next
    {
        let _ = write!(text, "Next: {}\n\n", markdown(next));
    }
    text
}

fn of_block(block: &Block) -> String {
    let mut text = String::new();
    if !block.expected.is_empty() {
        let expected = cut(&block.expected.join("\n"), MAX_TEXT);
        let _ = write!(text, "Expected:\n\n{}\n\n", code_block("text", &expected));
    }
    let shown = &block.found[..block.found.len().min(MAX_ENTRIES)];
    let mut rows = String::new();
    let mut lines = String::new();
    let mut nearest = String::new();
    for found in shown {
        match found {
            Found::Text(line) => lines.extend([cut(line, MAX_TEXT).as_str(), "\n"]),
            Found::Path(path, said) => drop(writeln!(rows, "| {} | {} |", code_cell(path), code_cell(&cut(said, 400)))),
            Found::Nearest(number, found, expected) => {
                let lines = format!("-{}\n+{}", visible(&cut(expected, 1000)), visible(&cut(found, 1000)));
                let _ = write!(nearest, "Line {number} is the nearest:\n\n{}\n\n", code_block("diff", &lines));
            }
            Found::Quoted(passage) => lines.extend([cut(passage, MAX_TEXT).as_str(), "\n"]),
        }
    }
    if !rows.is_empty() {
        let _ = write!(text, "| found | |\n|---|---|\n{rows}\n");
    }
    if !lines.is_empty() {
        let _ = write!(text, "Found:\n\n{}\n\n", code_block("text", &lines));
    }
    text.push_str(&nearest);
    if block.found.len() > shown.len() {
        let _ = write!(text, "... and {} more (the JSON has all).\n\n", block.found.len() - shown.len());
    }
    if !block.next.is_empty() {
        text.push_str(&of_steps(&block.next));
    }
    text
}

/// Steps are a list where there are several, so that each can be told from the next.
fn of_steps(next: &[String]) -> String {
    if let [only] = next {
        return format!("Next: {}\n\n", markdown(only.trim()));
    }
    let shown = &next[..next.len().min(MAX_ENTRIES)];
    let steps: Vec<String> = shown.iter().map(|line| format!("- {}\n", markdown(line.trim()))).collect();
    let more = next.len() - shown.len();
    let more = if more > 0 { format!("- ... and {more} more like these\n") } else { String::new() };
    format!("Next:\n\n{}{more}\n", steps.concat())
}

fn of_failure(failure: &Failure) -> String {
    let mut text = format!("{}.\n\n", markdown(&cut(&failure.message, MAX_TEXT)));
    text.push_str(&of_details(&failure.details));
    text.push_str(&of_next(&failure.advice()));
    text
}

fn of_details(details: &[Detail]) -> String {
    if details.is_empty() {
        return String::new();
    }
    let row = |detail: &Detail| {
        let lines: Vec<String> = cut(&detail.text, 400).lines().map(code_cell).collect();
        format!("| {} | {} |\n", markdown(&detail.label), lines.join("<br>"))
    };
    let rows: String = details.iter().take(MAX_ENTRIES).map(row).collect();
    let more = details.len().saturating_sub(MAX_ENTRIES);
    let more = if more > 0 { format!("... and {more} more (the JSON has all).\n\n") } else { String::new() };
    format!("| | |\n|---|---|\n{rows}\n{more}")
}

fn of_next(next: &[&str]) -> String {
    if next.is_empty() {
        return String::new();
    }
    format!("Next:\n\n{}\n\n", code_block("text", &cut(&next.join("\n"), MAX_TEXT)))
}

fn unchecked(page: &mut Page, report: &Report) {
    page.add(&format!("**{}**\n\n", markdown(&last_line::plain(report))));
    if let Some(unchecked) = &report.unchecked {
        page.add(&of_details(&unchecked.details));
        page.add(&of_next(&unchecked.next.iter().map(String::as_str).collect::<Vec<_>>()));
    }
}

fn problems(page: &mut Page, report: &Report) {
    page.add(&format!("**{}**\n\n", markdown(&last_line::plain(report))));
    let Some(problems) = &report.problems else { return };
    for problem in &problems.problems {
        let shown = anstream::adapter::strip_str(&snippet(problems, problem)).to_string();
        page.add(&format!("{}\n\n", code_block("text", &shown)));
    }
}

fn parsed(page: &mut Page, report: &Report) {
    page.add(&format!("**{}**\n\n", markdown(&last_line::plain(report))));
    if let Some(parsed) = &report.parsed {
        let block = code_block("json", &super::escape::json(&format!("{:#}", parsed.normalized)));
        page.add(&format!("The contract as it is understood:\n\n{block}\n\n"));
    }
    if let Some(digest) = report.contract.as_ref().and_then(|contract| contract.digest.as_ref()) {
        page.add(&format!("Pin it with {}\n", code_span(&format!("--expect-digest {digest}"))));
    }
}

fn explained(page: &mut Page, report: &Report) {
    let Some(explained) = &report.explained else { return };
    page.add(&format!("**{}**\n\n", markdown(&last_line::plain(report))));
    for (index, clause) in explained.clauses.iter().enumerate() {
        let standing = super::words::standing(clause.standing);
        page.add(&format!("{}. {} — {standing}\n\n", index + 1, code_span(&clause.check)));
        let block = code_block("text", &cut(&clause.lines.join("\n"), MAX_TEXT));
        let next = clause.next.iter().fold(String::new(), |all, next| format!("{all}   {}\n\n", markdown(next)));
        page.add(&format!(
            "{}\n\n{next}",
            block.lines().map(|line| format!("   {line}")).collect::<Vec<_>>().join("\n")
        ));
    }
    if !explained.warnings.is_empty() {
        page.add("Warnings for whoever writes the contract:\n\n");
        for warning in &explained.warnings {
            let at = code_span(warning.at.trim_start_matches('/'));
            page.add(&format!("- {} {at}: {}\n", warning.code, markdown(&cut(&warning.message, MAX_TEXT))));
        }
    }
}

fn what_was_checked(page: &mut Page, report: &Report) {
    let mut rows = String::new();
    if let Some(contract) = &report.contract {
        let author = contract.author.as_ref().map(|author| format!(" by {}", code_cell(author))).unwrap_or_default();
        let association =
            contract.association.as_ref().map(|word| format!(" ({})", markdown(word))).unwrap_or_default();
        let remarks = contract.remarks.iter().fold(String::new(), |all, remark| format!("{all}, {}", markdown(remark)));
        let _ = writeln!(rows, "| contract | {}{author}{association}{remarks} |", code_cell(&contract.source));
        if let Some(digest) = &contract.digest {
            let _ = writeln!(rows, "| digest | `{}…` (whole in the JSON) |", short_digest(digest));
        }
        for note in &contract.notes {
            let _ = writeln!(rows, "| note | {} |", markdown(note));
        }
    }
    if let Some(change) = &report.change {
        let (base, head) = (code_cell(&change.base.name), code_cell(&change.head.name));
        let (from, to) = (short_hash(&change.merge_base), short_hash(&change.head.commit));
        let _ = writeln!(rows, "| change | {base} {from} → {head} {to}, {} |", size(change).replace('-', "−"));
    }
    let version = env!("CARGO_PKG_VERSION");
    let _ = writeln!(rows, "| tool | agent-acceptance {version} |");
    page.add(&format!("\n<details><summary>What was checked</summary>\n\n| | |\n|---|---|\n{rows}\n</details>\n"));
}

/// Returns at most `max` bytes of a text, and says how much is missing.
pub(super) fn cut(text: &str, max: usize) -> String {
    if text.len() <= max {
        return text.to_owned();
    }
    let end = (0..=max).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}... ({} more)", &text[..end], count_of(text.len() - end, "byte", "bytes"))
}
