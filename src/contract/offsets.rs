//! Where a byte of the JSON stands in the text that a human wrote. Knows nothing of JSON or Markdown.
//!
//! A code block's text reaches us in pieces: the prefixes of lists are skipped, CRLF has become LF, and a tab
//! that belongs only partly to the indentation has become spaces that stand nowhere. One base offset
//! would point at the wrong place.

use std::ops::Range;

/// A text that was put together from pieces of another, and where each piece came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    text: String,
    /// In the order of `text`; never empty pieces.
    pieces: Vec<Piece>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Piece {
    /// Where it begins in the text that was put together.
    at: usize,
    /// The bytes that it came from; shorter than the piece when its text stands nowhere.
    origin: Range<usize>,
}

impl Pieces {
    /// Makes a text that is one piece of the other.
    pub(super) fn whole(text: &str, origin: usize) -> Self {
        let mut pieces = Self::default();
        pieces.push(text, origin..origin + text.len());
        pieces
    }

    /// Adds a piece.
    pub(super) fn push(&mut self, text: &str, origin: Range<usize>) {
        if !text.is_empty() {
            self.pieces.push(Piece { at: self.text.len(), origin });
            self.text.push_str(text);
        }
    }

    /// Returns the text that was put together.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Returns where the last piece ends in the other text.
    pub(super) fn origin_end(&self) -> Option<usize> {
        self.pieces.last().map(|piece| piece.origin.end)
    }

    /// Returns the bytes of the other text that a range of this one came from. It may span what was skipped.
    pub(super) fn origin(&self, range: &Range<usize>) -> Range<usize> {
        let start = self.origin_of(range.start);
        let end = match range.end.checked_sub(1) {
            // The end of the last byte, not the start of the next piece, which may be lines further on.
            Some(last) if range.end > range.start => self.origin_of(last) + 1,
            _ => start,
        };
        start..end.max(start)
    }

    fn origin_of(&self, at: usize) -> usize {
        let after = self.pieces.partition_point(|piece| piece.at <= at);
        match after.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            Some(piece) => (piece.origin.start + (at - piece.at)).min(piece.origin.end),
            None => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pieces;

    #[test]
    fn ranges_lead_back_over_skipped_prefixes() {
        let original = "- {\n  \"a\"\r\n  }";
        let mut pieces = Pieces::default();
        pieces.push("{\n", 2..4);
        pieces.push("\"a\"", 6..9);
        pieces.push("\n", 10..11);
        pieces.push("}", 13..14);
        assert_eq!(pieces.text(), "{\n\"a\"\n}");
        assert_eq!(&original[pieces.origin(&(2..5))], "\"a\"");
        assert_eq!(&original[pieces.origin(&(6..7))], "}");
        assert_eq!(&original[pieces.origin(&(0..7))], &original[2..]);
    }

    #[test]
    fn text_that_stands_nowhere_leads_to_where_it_was_put_in() {
        let mut pieces = Pieces::default();
        pieces.push("  ", 5..5);
        pieces.push("x", 5..6);
        assert_eq!(pieces.origin(&(1..3)), 5..6);
        assert_eq!(pieces.origin(&(3..3)), 6..6);
    }
}
