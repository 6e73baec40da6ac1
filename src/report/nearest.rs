//! Which part of a line differs from the text that was expected there.

use similar::algorithms::{Capture, Compact, Replace, patience};
use similar::{DiffOp, DiffableStr as _};
use std::ops::Range;

/// Longer texts are not compared word by word, in bytes: nobody finds a mark in such a line.
const LONGEST_COMPARED: usize = 2000;

/// Returns the character ranges of `found` that differ from `expected`, joined where only a space parts
/// them. Where `found` only lacks something, the range is the character at which it is missing.
pub(super) fn differences(expected: &str, found: &str) -> Vec<Range<usize>> {
    if expected.len() > LONGEST_COMPARED || found.len() > LONGEST_COMPARED {
        return Vec::new();
    }
    let (old, new) = (expected.tokenize_unicode_words(), found.tokenize_unicode_words());
    let lengths: Vec<usize> = new.iter().map(|word| word.chars().count()).collect();
    let start_of = |index: usize| lengths[..index].iter().sum::<usize>();
    let indent = found.chars().take_while(|c| c.is_whitespace()).count();
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for op in operations(&old, &new) {
        let new = op.new_range();
        let range = match op {
            DiffOp::Equal { .. } => continue,
            DiffOp::Delete { .. } => start_of(new.start)..start_of(new.start) + 1,
            DiffOp::Insert { .. } | DiffOp::Replace { .. } => start_of(new.start)..start_of(new.end),
        };
        // What stands around the expected text on its line is no difference worth a mark: `contains` is asked.
        if range.end <= indent {
            continue;
        }
        match ranges.last_mut() {
            Some(last) if range.start <= last.end + 1 => last.end = range.end.max(last.end),
            _ => ranges.push(range),
        }
    }
    ranges
}

/// One algorithm is asked by name: `TextDiff`, which can be told any, makes every program larger by all of them.
fn operations(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let mut hook = Compact::new(Replace::new(Capture::new()), old, new);
    let Ok(()) = patience::diff(&mut hook, old, 0..old.len(), new, 0..new.len());
    hook.into_inner().into_inner().into_ops()
}

#[cfg(test)]
mod tests {
    use super::differences;

    fn marked(expected: &str, found: &str) -> String {
        let ranges = differences(expected, found);
        let is_marked = |at: usize| ranges.iter().any(|range| range.contains(&at));
        let end = ranges.last().map_or(0, |range| range.end);
        (0..end).map(|at| if is_marked(at) { '^' } else { ' ' }).collect()
    }

    #[test]
    fn the_differing_words_are_marked() {
        for (expected, found, marks) in [
            ("function slugify(input: string)", "function slugify(text: string)", "                 ^^^^"),
            ("a b c", "a c", "  ^"),
            ("same", "same", ""),
            ("let x = 1;", "    let x = 2;", "            ^"),
        ] {
            assert_eq!(marked(expected, found), marks, "{expected:?} {found:?}");
        }
    }
}
