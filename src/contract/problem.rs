//! A problem at its place in the text that a human wrote.

use crate::json::Problem;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What is wrong with a contract, and where. All problems of a contract are told at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlacedProblem {
    /// The line, from 1. LF, CRLF and a lone CR end a line.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// The bytes of [`shown_text`] that are wrong; empty where the text as a whole is.
    pub span: Range<usize>,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// A few words under the underline; empty where no place can be shown.
    pub label: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl PlacedProblem {
    /// Puts one problem at its line and column. `shown` is [`shown_text`].
    pub fn place(problem: Problem, shown: &str) -> Self {
        let before = shown.get(..problem.span.start).unwrap_or(shown);
        let (line, column) = step((1, 1), before);
        let Problem { span, message, label, help } = problem;
        Self { line, column, span, message, label, help }
    }
}

/// Puts problems at their lines and columns, in the order of their places. `shown` is [`shown_text`].
pub(super) fn place_all(mut problems: Vec<Problem>, shown: &str) -> Vec<PlacedProblem> {
    problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
    // One walk through the text for all of them: a hostile text has very many.
    let (mut place, mut at) = ((1, 1), 0);
    problems
        .into_iter()
        .map(|Problem { span, message, label, help }| {
            place = step(place, shown.get(at..span.start).unwrap_or(""));
            at = span.start.max(at);
            let (line, column) = place;
            PlacedProblem { line, column, span, message, label, help }
        })
        .collect()
}

/// Moves a line and a column past a text.
fn step((line, column): (usize, usize), past: &str) -> (usize, usize) {
    match past.rfind('\n') {
        Some(end) => (line + past.matches('\n').count(), past[end + 1..].chars().count() + 1),
        None => (line, column + past.chars().count()),
    }
}

/// Returns the text that spans of problems point into: the bytes as UTF-8 without a byte-order mark at the
/// start, each lone CR as LF, and what is not UTF-8 replaced. Fit for showing snippets.
pub fn shown_text(text: &[u8]) -> String {
    let text = text.strip_prefix("\u{feff}".as_bytes()).unwrap_or(text);
    let text = String::from_utf8_lossy(text);
    if !text.contains('\r') {
        return text.into_owned();
    }
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let lone = character == '\r' && characters.peek() != Some(&'\n');
        shown.push(if lone { '\n' } else { character });
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{place_all, shown_text};
    use crate::json::Problem;

    #[test]
    fn columns_count_characters_and_every_line_end_counts() {
        let shown = shown_text("\u{feff}é\r\nb\rcé\"x\"".as_bytes());
        let at = shown.find("\"x\"").expect("it is there");
        let problems = vec![Problem::new(at..at + 3, "second", ""), Problem::new(0..2, "first", "")];
        let placed = place_all(problems, &shown);
        let found: Vec<_> = placed.iter().map(|p| (p.message.as_str(), p.line, p.column)).collect();
        assert_eq!(found, [("first", 1, 1), ("second", 3, 3)]);
    }

    #[test]
    fn a_lone_cr_is_shown_as_a_line_end_of_the_same_length() {
        assert_eq!(shown_text(b"a\rb\r\nc\r\r\n\r"), "a\nb\r\nc\n\r\n\n");
    }
}
