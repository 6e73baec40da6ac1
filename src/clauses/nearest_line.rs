//! The line that comes nearest to a text that is missing, and in what it differs. A hint, never a verdict.

use super::text_search::clip;
use regex::RegexBuilder;
use serde_json::{Value, json};
use std::collections::HashMap;

/// Texts longer than this are not looked for in other spellings.
const LONGEST_TEXT: usize = 2_000;

/// So much of a file is looked at, in bytes: the hint is not worth more.
const LARGEST_FILE: usize = 2 << 20;

/// From this share of common pairs of letters on, a line is like the text.
const ALIKE: f64 = 0.6;

/// In what the nearest line differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reason {
    /// In upper and lower case.
    Case,
    /// In spaces and tabs.
    WhiteSpace,
    /// In where lines end.
    LineBreak,
    /// In some characters.
    Similar,
}

/// The line that comes nearest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Nearest {
    /// The line, from 1.
    pub(super) line: u64,
    /// Its text.
    pub(super) text: String,
    /// What was expected there: the line of the missing text that it is nearest to.
    pub(super) expected: String,
    /// In what it differs.
    pub(super) reason: Reason,
}

impl Nearest {
    /// Looks for a text that is not in a file.
    pub(super) fn find(wanted: &str, file: &str) -> Option<Self> {
        let mut cut = file.len().min(LARGEST_FILE);
        while !file.is_char_boundary(cut) {
            cut -= 1;
        }
        let file = &file[..cut];
        let words: Vec<&str> = wanted.split_whitespace().collect();
        if words.is_empty() {
            return None;
        }
        respelt(wanted, &words, file).or_else(|| similar(wanted, file))
    }

    /// Returns the evidence.
    pub(super) fn evidence(&self) -> Value {
        let reason = match self.reason {
            Reason::Case => "case",
            Reason::WhiteSpace => "white_space",
            Reason::LineBreak => "line_break",
            Reason::Similar => "similar",
        };
        json!({ "line": self.line, "text": self.text, "reason": reason })
    }

    /// Returns what the author does about it.
    pub(super) fn next(&self, path: &str) -> String {
        let line = self.line;
        match self.reason {
            Reason::Case => format!("make upper and lower case in line {line} of {path} as expected"),
            Reason::WhiteSpace => format!("make the white space in line {line} of {path} as expected"),
            Reason::LineBreak => format!("make the line breaks from line {line} of {path} on as expected"),
            Reason::Similar => format!("make line {line} of {path} read as expected"),
        }
    }
}

/// The same characters in another case, or the same words with other white space.
fn respelt(wanted: &str, words: &[&str], file: &str) -> Option<Nearest> {
    if wanted.len() > LONGEST_TEXT {
        return None;
    }
    let escaped: Vec<String> = words.iter().map(|word| regex::escape(word)).collect();
    let patterns = [
        (Reason::Case, regex::escape(wanted), true),
        (Reason::WhiteSpace, escaped.join(r"[^\S\n]+"), false),
        (Reason::LineBreak, escaped.join(r"\s+"), false),
    ];
    patterns.into_iter().find_map(|(reason, pattern, ignores_case)| {
        let regex = RegexBuilder::new(&pattern).case_insensitive(ignores_case).size_limit(1 << 22).build().ok()?;
        let at = regex.find(file)?.start();
        let line = file[..at].matches('\n').count() as u64 + 1;
        let start = file[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let text = file[start..].split('\n').next().unwrap_or("");
        let expected = wanted.split('\n').find(|line| !line.trim().is_empty()).unwrap_or(wanted);
        let column = file[start..at].chars().count();
        Some(Nearest { line, text: clip(text, column), expected: clip(expected, 0), reason })
    })
}

/// The line that shares most pairs of letters with the longest line of the text.
fn similar(wanted: &str, file: &str) -> Option<Nearest> {
    let wanted = wanted.split('\n').map(str::trim).max_by_key(|line| line.len())?;
    let wanted_pairs = pairs(wanted);
    let total: usize = wanted_pairs.values().sum();
    if total < 4 {
        return None;
    }
    let score = |line: &str| {
        let mut left = wanted_pairs.clone();
        let (mut common, mut of_line) = (0_u32, 0_u32);
        for pair in pairs_of(line.trim()) {
            of_line += 1;
            if let Some(count) = left.get_mut(&pair).filter(|count| **count > 0) {
                *count -= 1;
                common += 1;
            }
        }
        let total = f64::from(u32::try_from(total).unwrap_or(u32::MAX));
        let dice = 2.0 * f64::from(common) / (total + f64::from(of_line));
        // A short text may stand changed in a long line; but not its letters all over it.
        let within = if f64::from(of_line) <= 4.0 * total { 0.8 * f64::from(common) / total } else { 0.0 };
        dice.max(within)
    };
    let (line, text, _) = file
        .split('\n')
        .zip(1_u64..)
        .filter(|(text, _)| text.len() >= total / 4 && text.len() <= 16 * (wanted.len() + 16))
        .map(|(text, line)| (line, text, score(text)))
        .filter(|(.., score)| *score >= ALIKE)
        // The first of equals, so that the answer is always the same.
        .min_by(|(line, _, score), (other_line, _, other)| other.total_cmp(score).then(line.cmp(other_line)))?;
    Some(Nearest { line, text: clip(text, 0), expected: clip(wanted, 0), reason: Reason::Similar })
}

fn pairs_of(text: &str) -> impl Iterator<Item = (char, char)> + '_ {
    text.chars().zip(text.chars().skip(1))
}

fn pairs(text: &str) -> HashMap<(char, char), usize> {
    let mut pairs = HashMap::new();
    for pair in pairs_of(text) {
        *pairs.entry(pair).or_default() += 1;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::{Nearest, Reason};

    #[track_caller]
    fn check(wanted: &str, file: &str, expected: Option<(u64, Reason)>) {
        let found = Nearest::find(wanted, file).map(|nearest| (nearest.line, nearest.reason));
        assert_eq!(found, expected, "{wanted:?} in {file:?}");
    }

    #[test]
    fn the_reason_is_told_where_it_is_clear() {
        check("Code of Conduct", "# Readme\n\nSee the code of conduct.", Some((3, Reason::Case)));
        check("a b", "x\na  \tb", Some((2, Reason::WhiteSpace)));
        check("closes issue 12", "x\nIt closes\nissue 12.", Some((2, Reason::LineBreak)));
        check(
            "export function slugify(input: string): string {",
            "\n\n\nexport function slugify(text: string): string {\n",
            Some((4, Reason::Similar)),
        );
    }

    #[test]
    fn what_is_only_a_little_alike_is_no_hint() {
        check("export function slugify", "import fs from 'fs';\n", None);
        check("xy", "ab", None);
        check(" ", "ab", None);
        check("anything", "", None);
    }

    #[test]
    fn of_several_lines_the_longest_is_compared() {
        let nearest = Nearest::find("{\n  collapses runs of separators\n}", "{\n  collapse runs of separators\n}");
        let nearest = nearest.expect("a line is near");
        assert_eq!((nearest.line, nearest.expected.as_str()), (2, "collapses runs of separators"));
        assert_eq!(nearest.next("a.ts"), "make line 2 of a.ts read as expected");
    }
}
