//! A text or a regular expression that a contract looks for, and the places where it stands.
//! Knows nothing of files or changes.

use super::schema_parts::rule_text;
use crate::json::{Object, Problem, Reader};
use regex::Regex;
use serde_json::{Map, Value, json};
use std::ops::Range;

/// So much of a line is shown, in characters; minified files have lines of megabytes.
const LONGEST_SHOWN: usize = 300;

/// What is looked for.
#[derive(Debug, Clone)]
pub enum Needle {
    /// These characters, line ends LF.
    Text(String),
    /// A match of this expression; `^` and `$` match at lines.
    Regex(Regex),
}

/// Where something stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The line, from 1.
    pub(super) line: u64,
    /// The column in characters, from 1.
    pub(super) column: u64,
    /// The line's text, cut around the place when it is very long.
    pub(super) text: String,
}

impl Needle {
    /// Reads `text` or `regex` of an entry: exactly one of the two.
    pub(super) fn read(reader: &mut Reader, object: &Object<'_>) -> Option<Self> {
        match (object.member("text"), object.member("regex")) {
            (Some(text), None) => {
                let text = reader.within("text", |reader| reader.string(&text.value))?;
                Some(Self::Text(text.replace("\r\n", "\n").replace('\r', "\n")))
            }
            (None, Some(regex)) => reader.within("regex", |reader| reader.regex(&regex.value)).map(Self::Regex),
            (Some(_), Some(regex)) => {
                let message = format!("{} has both \"text\" and \"regex\"", reader.name());
                reader.problem(Problem::new(regex.key_span.clone(), message, "one of the two").help("leave one out"));
                None
            }
            (None, None) => {
                let message = format!("{} has neither \"text\" nor \"regex\"", reader.name());
                let problem = Problem::new(object.span().clone(), message, "looks for nothing");
                reader.problem(problem.help("add \"text\": \"...\", or \"regex\" for a regular expression"));
                None
            }
        }
    }

    /// Returns whether it stands in the text.
    pub fn is_in(&self, text: &str) -> bool {
        match self {
            Self::Text(needle) => text.contains(needle.as_str()),
            Self::Regex(regex) => regex.is_match(text),
        }
    }

    /// Returns where it stands, in order; places do not overlap.
    pub(super) fn spans<'a>(&'a self, text: &'a str) -> Box<dyn Iterator<Item = Range<usize>> + 'a> {
        match self {
            Self::Text(needle) => Box::new(text.match_indices(needle.as_str()).map(|(at, _)| at..at + needle.len())),
            Self::Regex(regex) => Box::new(regex.find_iter(text).map(|found| found.range())),
        }
    }

    /// Returns the lines and columns where it stands, in order.
    pub(super) fn places<'a>(&'a self, text: &'a str) -> impl Iterator<Item = Place> + 'a {
        let mut lines = Lines { text, line: 1, start: 0 };
        self.spans(text).map(move |span| lines.place(span.start))
    }

    /// Returns the members that name it: `text` or `regex`.
    pub(super) fn members(&self) -> Map<String, Value> {
        let (key, text) = match self {
            Self::Text(text) => ("text", text.as_str()),
            Self::Regex(regex) => ("regex", regex.as_str()),
        };
        Map::from_iter([(key.to_owned(), json!(text))])
    }

    /// Returns how a sentence names it: `"TEXT"` as a JSON string, or `a match of /REGEX/`.
    pub(super) fn named(&self) -> String {
        match self {
            Self::Text(text) => json!(text).to_string(),
            Self::Regex(regex) => format!("a match of /{}/", regex.as_str()),
        }
    }

    /// Returns the lines that show it to people.
    pub(super) fn shown(&self) -> Vec<String> {
        match self {
            Self::Text(text) => text.trim_end_matches('\n').split('\n').map(|line| clip(line, 0)).collect(),
            Self::Regex(regex) => vec![format!("a match of /{}/", regex.as_str())],
        }
    }

    /// Returns the schema of the two members.
    pub(super) fn schema() -> (Value, Value) {
        (rule_text(), json!({ "oneOf": [{ "required": ["text"] }, { "required": ["regex"] }] }))
    }
}

/// Counts lines while walking through a text once.
struct Lines<'a> {
    text: &'a str,
    line: u64,
    start: usize,
}

impl Lines<'_> {
    /// Returns the place of an offset that is not before the last one.
    fn place(&mut self, at: usize) -> Place {
        while let Some(end) = self.text[self.start..at].find('\n') {
            self.start += end + 1;
            self.line += 1;
        }
        let line = self.text[self.start..].split('\n').next().unwrap_or("");
        let column = self.text[self.start..at].chars().count();
        Place { line: self.line, column: column as u64 + 1, text: clip(line, column) }
    }
}

/// Cuts a long line around a column, counted from 0.
pub(super) fn clip(line: &str, column: usize) -> String {
    if line.len() <= LONGEST_SHOWN || line.chars().nth(LONGEST_SHOWN).is_none() {
        return line.to_owned();
    }
    let first = column.saturating_sub(LONGEST_SHOWN / 3);
    let mut shown = String::new();
    if first > 0 {
        shown.push_str("... ");
    }
    let mut rest = line.chars().skip(first);
    shown.extend(rest.by_ref().take(LONGEST_SHOWN));
    if rest.next().is_some() {
        shown.push_str(" ...");
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{LONGEST_SHOWN, Needle, Place, clip};

    fn regex(pattern: &str) -> Needle {
        let regex = regex::RegexBuilder::new(pattern).multi_line(true).build();
        Needle::Regex(regex.expect("a regular expression"))
    }

    #[track_caller]
    fn check(needle: &Needle, text: &str, places: &[(u64, u64)]) {
        let found: Vec<(u64, u64)> = needle.places(text).map(|place| (place.line, place.column)).collect();
        assert_eq!(found, places, "{text:?}");
        assert_eq!(needle.is_in(text), !places.is_empty());
    }

    #[test]
    fn places_are_lines_and_columns_in_characters() {
        let text = Needle::Text("x".to_owned());
        check(&text, "", &[]);
        check(&text, "x\néx x\n\nx", &[(1, 1), (2, 2), (2, 4), (4, 1)]);
        check(&Needle::Text("a\nb".to_owned()), "x\na\nb", &[(2, 1)]);
        check(&regex("^b.$"), "abc\nbc\nb\nbd", &[(2, 1), (4, 1)]);
        check(&regex("a.b"), "a\nb", &[]);
    }

    #[test]
    fn a_place_shows_its_line() {
        let found: Vec<Place> = Needle::Text(".only(".to_owned()).places("a\n  it.only('x')\nb").collect();
        assert_eq!(found, [Place { line: 2, column: 5, text: "  it.only('x')".to_owned() }]);
    }

    #[test]
    fn very_long_lines_are_cut_around_the_place() {
        let line = format!("{}needle{}", "a".repeat(5_000), "b".repeat(5_000));
        let shown = clip(&line, 5_000);
        assert!(shown.contains("needle") && shown.len() <= LONGEST_SHOWN + 8, "{shown}");
    }
}
