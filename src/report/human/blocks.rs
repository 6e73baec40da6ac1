//! A block for each clause that does not hold: expected, found, next.

use super::page::{Page, cut};
use crate::clauses::{Block, Finding, FindingStatus, Found};
use crate::error::Failure;
use crate::report::escape::{visible, visible_lines};
use crate::report::model::Report;
use crate::report::nearest::differences;
use crate::report::subject::subject;
use owo_colors::OwoColorize as _;
use unicode_width::UnicodeWidthStr as _;

pub(super) fn write(page: &mut Page, report: &Report) {
    let mut told: Vec<&Failure> = Vec::new();
    for finding in &report.findings {
        match finding.status {
            FindingStatus::Passed => {}
            FindingStatus::Failed => {
                heading(page, finding);
                write_blocks(page, finding);
            }
            FindingStatus::Unknown => {
                let Some(failure) = finding.failure.as_deref() else { continue };
                // One reason often leaves many clauses unknown: it is told once.
                if told.contains(&failure) {
                    continue;
                }
                told.push(failure);
                heading(page, finding);
                super::failure::write_in_block(page, failure);
            }
        }
        page.blank();
    }
}

fn heading(page: &mut Page, finding: &Finding) {
    match subject(finding) {
        Some(subject) => {
            let name = format!("{:<34}", finding.check);
            let subject = page.cut(&visible(&subject), name.len() + 1);
            page.line(&format!("{} {subject}", name.bold()));
        }
        None => page.line(&finding.check.bold().to_string()),
    }
}

fn write_blocks(page: &mut Page, finding: &Finding) {
    if finding.blocks.is_empty() {
        page.labelled("found", &finding.detail);
        if let Some(next) = &finding.next {
            page.labelled("next", next);
        }
    }
    for (index, block) in finding.blocks.iter().enumerate() {
        if index > 0 {
            page.blank();
        }
        write_block(page, block);
    }
}

fn write_block(page: &mut Page, block: &Block) {
    labelled_lines(page, "expected", &block.expected);
    write_found(page, &block.found);
    let shown = block.next.len().min(page.entries());
    labelled_lines(page, "next", &block.next[..shown]);
    if block.next.len() > shown {
        page.under("", &format!("... and {} more like these", block.next.len() - shown));
    }
}

fn labelled_lines(page: &mut Page, label: &str, lines: &[String]) {
    for (index, line) in lines.iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        // An indented line is an entry of a list or a piece of text: it keeps its place.
        if line.starts_with(' ') { page.under(label, line) } else { page.labelled(label, line) }
    }
}

fn write_found(page: &mut Page, found: &[Found]) {
    let path_width = found.iter().map(path_width).max().unwrap_or(0).min(40);
    let shown = found.len().min(page.entries());
    let mut label = "found";
    for entry in &found[..shown] {
        match entry {
            Found::Text(text) => page.under(label, text),
            Found::Path(path, said) => {
                let path = visible(path);
                let pad = (path_width + 3).saturating_sub(path.width()).max(2);
                page.under(label, &format!("{path}{:pad$}{said}", ""));
            }
            Found::Nearest(line, found, expected) => write_nearest(page, *line, found, expected),
            Found::Quoted(text) => write_quoted(page, label, text),
        }
        label = "";
    }
    if found.len() > shown {
        let more = found.len() - shown;
        page.under("", &format!("... and {more} more (--format json has all)"));
    }
}

fn path_width(found: &Found) -> usize {
    match found {
        Found::Path(path, _) => visible(path).width(),
        Found::Text(_) | Found::Nearest(..) | Found::Quoted(_) => 0,
    }
}

/// Shows the nearest line, and carets under what differs from the expected text.
fn write_nearest(page: &mut Page, number: u64, found: &str, expected: &str) {
    let found = found.replace('\t', "    ");
    page.under(&format!("line {number}"), &found);
    let room = page.room(12).unwrap_or(usize::MAX);
    let mut marks = String::new();
    let mut ranges = differences(expected, &found).into_iter().peekable();
    for (at, c) in found.chars().enumerate() {
        let shown = visible(c.encode_utf8(&mut [0; 4])).width();
        while ranges.peek().is_some_and(|range| range.end <= at) {
            ranges.next();
        }
        let mark = if ranges.peek().is_some_and(|range| range.contains(&at)) { "^" } else { " " };
        marks.push_str(&mark.repeat(shown));
    }
    if ranges.peek().is_some_and(|range| range.end > found.chars().count()) {
        marks.push('^');
    }
    let marks: String = marks.trim_end().chars().take(room).collect();
    if marks.contains('^') {
        page.under_painted(&marks.red().to_string());
    }
}

fn write_quoted(page: &mut Page, label: &str, text: &str) {
    let lines = visible_lines(text);
    let shown = lines.len().min(page.quoted_lines());
    for (index, line) in lines[..shown].iter().enumerate() {
        page.under(if index == 0 { label } else { "" }, &cut(line, 400));
    }
    if lines.len() > shown {
        page.under("", &format!("... and {} more lines", lines.len() - shown));
    }
}
