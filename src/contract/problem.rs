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
    /// Puts a problem whose span is in `shown` at its line and column.
    pub fn place(problem: Problem, shown: &str) -> Self {
        let Problem { span, message, label, help } = problem;
        let before = shown.get(..span.start).unwrap_or(shown);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.bytes().filter(|&byte| byte == b'\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        Self { line, column, span, message, label, help }
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
    use super::{PlacedProblem, shown_text};
    use crate::json::Problem;

    #[test]
    fn columns_count_characters_and_every_line_end_counts() {
        let shown = shown_text("\u{feff}é\r\nb\rcé\"x\"".as_bytes());
        let at = shown.find("\"x\"").expect("it is there");
        let placed = PlacedProblem::place(Problem::new(at..at + 3, "", ""), &shown);
        assert_eq!((placed.line, placed.column), (3, 3));
    }
}
