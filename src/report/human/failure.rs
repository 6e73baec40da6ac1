//! Why there is no verdict, or why no contract applies: what happened, what was found, what to do.

use super::page::Page;
use crate::error::{Detail, Failure};
use crate::report::escape::{visible, visible_lines};
use crate::report::model::Unchecked;
use owo_colors::OwoColorize as _;

pub(super) fn write(page: &mut Page, failure: &Failure) {
    page.line(&format!("{}: {}", "error".red().bold(), visible(&failure.message)));
    write_details(page, &failure.details);
    if !failure.details.is_empty() {
        page.blank();
    }
    write_next(page, &failure.advice());
    page.blank();
}

pub(super) fn write_in_block(page: &mut Page, failure: &Failure) {
    page.labelled("unknown", &failure.message);
    write_details(page, &failure.details);
    write_next(page, &failure.advice());
}

pub(super) fn write_unchecked(page: &mut Page, unchecked: &Unchecked) {
    write_details(page, &unchecked.details);
    if !unchecked.next.is_empty() {
        page.blank();
        write_next(page, &unchecked.next.iter().map(String::as_str).collect::<Vec<_>>());
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
        } else if detail.text.contains('\n') {
            // What a command printed: its lines stay lines.
            for (index, line) in visible_lines(&detail.text).iter().enumerate() {
                page.under(if index == 0 { label } else { "" }, line);
            }
        } else {
            page.labelled(label, &detail.text);
        }
        last = &detail.label;
    }
    if details.len() > shown {
        page.under("", &format!("... and {} more (--format json has all)", details.len() - shown));
    }
}

fn write_next(page: &mut Page, next: &[&str]) {
    for (index, line) in next.iter().enumerate() {
        let label = if index == 0 { "next" } else { "" };
        if line.starts_with(' ') { page.under(label, line) } else { page.labelled(label, line) }
    }
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::error::{Failure, Kind};
    use crate::report::human::page::Page;
    use crate::report::human::{Look, Verbosity};

    #[test]
    fn what_a_command_printed_keeps_its_lines_and_something_to_do_is_always_said() {
        let failure = Failure::new(Kind::SetupFailed, "the set-up command `x` exited with 3");
        let mut page = Page::new(&Look { width: None, verbosity: Verbosity::Normal });
        write(&mut page, &failure.detail("output", "one\r\ntwo\u{1b}[1m\n"));
        let told = anstream::adapter::strip_str(&page.into_text()).to_string();
        let expected = "error: the set-up command `x` exited with 3\n  output    one\n            two\\u{1b}[1m\n\n  next      \
                        make the command of --setup work in a fresh clone of the commit, then run this again\n\n";
        assert_eq!(told, expected);
    }
}
