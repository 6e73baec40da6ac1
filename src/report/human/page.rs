//! A text that grows line by line, with labels in one column. Knows the terminal's width and nothing else.

use super::{Look, Verbosity};
use crate::report::escape::visible;
use owo_colors::OwoColorize as _;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// The column in which text after a label starts.
const INDENT: usize = 12;

/// A line of a block is cut here, in columns, also where there is no edge: it may be a whole minified file.
const LONGEST: usize = 2000;

/// The text of a report.
#[derive(Debug)]
pub(super) struct Page {
    text: String,
    width: Option<usize>,
    is_verbose: bool,
}

impl Page {
    pub(super) fn new(look: &Look) -> Self {
        Self { text: String::new(), width: look.width, is_verbose: look.verbosity == Verbosity::Verbose }
    }

    pub(super) fn into_text(self) -> String {
        self.text
    }

    /// Returns whether nothing is cut.
    pub(super) const fn is_verbose(&self) -> bool {
        self.is_verbose
    }

    /// Returns how many entries of a list are shown.
    pub(super) const fn entries(&self) -> usize {
        if self.is_verbose { usize::MAX } else { 10 }
    }

    /// Returns how many lines of a quoted passage are shown.
    pub(super) const fn quoted_lines(&self) -> usize {
        if self.is_verbose { usize::MAX } else { 8 }
    }

    /// Adds text that is complete with line ends and colours.
    pub(super) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Adds one line of our own.
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    /// Parts blocks by one empty line, never by two.
    pub(super) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds `label     text` at the left edge, wrapped under the text.
    pub(super) fn headed(&mut self, label: &str, text: &str) {
        self.labelled_at(0, 10, label, text);
    }

    /// Adds `  label     text` inside a block, wrapped under the text.
    pub(super) fn labelled(&mut self, label: &str, text: &str) {
        self.labelled_at(2, INDENT, label, text);
    }

    /// Adds a line under the text of a block, kept on one line and cut at the terminal's edge.
    pub(super) fn under(&mut self, label: &str, text: &str) {
        let label = format!("  {label:<width$}  ", width = INDENT - 4);
        let text = cut(&self.cut(&visible(text), INDENT), LONGEST);
        self.line(&format!("{}{text}", label.dimmed()));
    }

    /// Adds a line under a text of a block that has its colours already.
    pub(super) fn under_painted(&mut self, text: &str) {
        self.line(&format!("{:INDENT$}{text}", ""));
    }

    /// Adds `note: text`, wrapped under the text.
    pub(super) fn note(&mut self, text: &str) {
        self.wrapped("note: ", text);
    }

    fn labelled_at(&mut self, indent: usize, column: usize, label: &str, text: &str) {
        let label = format!("{:indent$}{label}", "");
        let pad = column.saturating_sub(label.width()).max(2);
        self.wrapped(&format!("{label}{:pad$}", ""), text);
    }

    /// Adds a label, dimmed, and a text that is wrapped under itself.
    pub(super) fn wrapped(&mut self, label: &str, text: &str) {
        let column = label.width();
        for (index, part) in self.wrap(&visible(text), column).iter().enumerate() {
            if index == 0 {
                self.line(&format!("{}{part}", label.dimmed()));
            } else {
                self.line(&format!("{:column$}{part}", ""));
            }
        }
    }

    /// Returns the text cut at the terminal's edge when it starts in `column`.
    pub(super) fn cut(&self, text: &str, column: usize) -> String {
        match self.width {
            Some(width) => cut(text, width.saturating_sub(column).max(8)),
            None => text.to_owned(),
        }
    }

    /// Returns how many columns are left after `column`, where there is an edge.
    pub(super) fn room(&self, column: usize) -> Option<usize> {
        self.width.map(|width| width.saturating_sub(column).max(8))
    }

    fn wrap(&self, text: &str, column: usize) -> Vec<String> {
        match self.room(column) {
            Some(room) => wrap(text, room),
            None => vec![text.to_owned()],
        }
    }
}

/// Returns the text in at most `room` columns, with `...` where it is cut.
pub(super) fn cut(text: &str, room: usize) -> String {
    if text.width() <= room {
        return text.to_owned();
    }
    let mut shown = String::new();
    let mut used = 3;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > room {
            break;
        }
        shown.push(c);
    }
    shown + "..."
}

/// Breaks a text at spaces. A word that is longer than a line stays whole.
fn wrap(text: &str, room: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let last = lines.last_mut().map(|line| (line.width(), line));
        match last {
            Some((0, line)) => line.push_str(word),
            Some((width, line)) if width + 1 + word.width() <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{cut, wrap};

    #[test]
    fn text_is_cut_by_columns() {
        for (text, room, shown) in [("abcdef", 6, "abcdef"), ("abcdefg", 6, "abc..."), ("日本語日本", 8, "日本...")]
        {
            assert_eq!(cut(text, room), shown);
        }
    }

    #[test]
    fn text_is_wrapped_at_spaces() {
        assert_eq!(wrap("a bb ccc dddddddd e", 5), ["a bb", "ccc", "dddddddd", "e"]);
    }
}
