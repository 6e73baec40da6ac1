//! Why there is no verdict, or why no contract applies: what happened, what was found, what to do.

use super::page::Page;
use crate::error::{Detail, Failure};
use crate::report::escape::visible;
use crate::report::model::Unchecked;
use owo_colors::OwoColorize as _;

pub(super) fn write(page: &mut Page, failure: &Failure) {
    page.line(&format!("{}: {}", "error".red().bold(), visible(&failure.message)));
    write_details(page, &failure.details);
    if !failure.details.is_empty() && !failure.next.is_empty() {
        page.blank();
    }
    write_next(page, &failure.next);
    page.blank();
}

pub(super) fn write_in_block(page: &mut Page, failure: &Failure) {
    page.labelled("unknown", &failure.message);
    write_details(page, &failure.details);
    write_next(page, &failure.next);
}

pub(super) fn write_unchecked(page: &mut Page, unchecked: &Unchecked) {
    write_details(page, &unchecked.details);
    if !unchecked.next.is_empty() {
        page.blank();
        write_next(page, &unchecked.next);
    }
    page.blank();
}

fn write_details(page: &mut Page, details: &[Detail]) {
    let mut last = "";
    let shown = details.len().min(page.entries());
    for detail in &details[..shown] {
        let label = if detail.label == last { "" } else { &detail.label };
        // Cut, a reason would lose its point. Only what has its own layout keeps it.
        if detail.text.starts_with(' ') {
            page.under(label, &detail.text);
        } else {
            page.labelled(label, &detail.text);
        }
        last = &detail.label;
    }
    if details.len() > shown {
        page.under("", &format!("... and {} more (--format json has all)", details.len() - shown));
    }
}

fn write_next(page: &mut Page, next: &[String]) {
    for (index, line) in next.iter().enumerate() {
        let label = if index == 0 { "next" } else { "" };
        if line.starts_with(' ') { page.under(label, line) } else { page.labelled(label, line) }
    }
}
