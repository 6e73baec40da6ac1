//! A glob pattern, ready to match. The usual shapes are compared as bytes; a regular expression, which takes
//! time and memory, is made only for the others, and only when it is first needed.

use crate::facts::path::RepoPath;
use globset::{Candidate, Glob, GlobBuilder, GlobMatcher};
use std::sync::OnceLock;

/// A pattern of globset's syntax in which `*` does not cross `/`.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    glob: Glob,
    shape: Shape,
}

/// What a pattern comes down to. Texts are literal.
#[derive(Debug, Clone)]
enum Shape {
    /// `LITERAL`
    Whole(String),
    /// `LEFT*RIGHT`
    Star { left: String, right: String },
    /// `LEFT/**`, and `**` with nothing left; the text ends with the slash.
    Below(String),
    /// `**/RIGHT`
    AtAnyDepth(String),
    /// `LEFT/**/*RIGHT`, and `**/*RIGHT` with nothing left; `left` ends with the slash.
    Ending { left: String, right: String },
    /// Any of these: what braces stand for.
    Any(Vec<Shape>),
    /// Anything else.
    Other(OnceLock<GlobMatcher>),
}

impl Pattern {
    /// Reads a pattern.
    pub(super) fn new(text: &str) -> Result<Self, globset::Error> {
        let glob = GlobBuilder::new(text).literal_separator(true).backslash_escape(true).build()?;
        Ok(Self { glob, shape: Shape::of(text) })
    }

    /// Returns the pattern as it is written.
    pub(super) fn text(&self) -> &str {
        self.glob.glob()
    }

    /// Returns whether a path matches.
    pub(super) fn matches(&self, path: &RepoPath) -> bool {
        self.shape.matches(path.as_bytes(), &self.glob)
    }

    /// Returns pairs of which every path that matches starts and ends with at least one; either part may be empty.
    pub(super) fn ends(&self) -> Vec<(&str, &str)> {
        self.shape.ends(self.text())
    }
}

/// Characters that start something that is not literal.
const SPECIAL: [char; 5] = ['*', '?', '[', '{', '\\'];

/// The same, and those that end it. Inside braces a comma separates.
const SPECIAL_OR_END: [char; 7] = ['*', '?', '[', ']', '{', '}', '\\'];

/// Returns where the literal text after a special character starts. What a backslash escapes is left out too.
fn after(text: &str, at: usize) -> usize {
    let rest = &text[at..];
    let taken = if rest.starts_with('\\') { 2 } else { 1 };
    at + rest.chars().take(taken).map(char::len_utf8).sum::<usize>()
}

fn middle<'a>(path: &'a [u8], left: &str, right: &str) -> Option<&'a [u8]> {
    path.strip_prefix(left.as_bytes())?.strip_suffix(right.as_bytes())
}

/// So many alternatives of braces are compared one by one.
const MOST_ALTERNATIVES: usize = 16;

impl Shape {
    fn matches(&self, path: &[u8], glob: &Glob) -> bool {
        match self {
            Self::Whole(literal) => path == literal.as_bytes(),
            Self::Star { left, right } => middle(path, left, right).is_some_and(|rest| !rest.contains(&b'/')),
            Self::Below(left) => path.starts_with(left.as_bytes()),
            Self::AtAnyDepth(right) => {
                path.strip_suffix(right.as_bytes()).is_some_and(|rest| rest.is_empty() || rest.ends_with(b"/"))
            }
            Self::Ending { left, right } => middle(path, left, right).is_some(),
            Self::Any(shapes) => shapes.iter().any(|shape| shape.matches(path, glob)),
            Self::Other(matcher) => {
                matcher.get_or_init(|| glob.compile_matcher()).is_match_candidate(&Candidate::from_bytes(path))
            }
        }
    }

    fn ends<'a>(&'a self, text: &'a str) -> Vec<(&'a str, &'a str)> {
        let pair = match self {
            Self::Whole(literal) => (literal.as_str(), ""),
            Self::Star { left, right } | Self::Ending { left, right } => (left.as_str(), right.as_str()),
            Self::Below(left) => (left.as_str(), ""),
            Self::AtAnyDepth(right) => ("", right.as_str()),
            Self::Any(shapes) => return shapes.iter().flat_map(|shape| shape.ends(text)).collect(),
            Self::Other(_) => {
                let first = text.find(SPECIAL).unwrap_or(text.len());
                // `a/**/b` is also `a/b`, and `**/b` also `b`: a slash beside `**` is not sure to be there.
                let left = text[..first].trim_end_matches('/');
                let last = text.rfind(SPECIAL_OR_END).map_or(0, |at| after(text, at));
                let right = text[last.max(first)..].trim_start_matches('/');
                (left, right)
            }
        };
        vec![pair]
    }

    /// Writes out one pair of braces with literal alternatives: `*.{ts,tsx}`.
    fn of_braces(text: &str) -> Option<Self> {
        let (before, rest) = text.split_once('{')?;
        let (inside, after) = rest.split_once('}')?;
        let is_plain = |part: &str| !part.is_empty() && !part.contains('/') && !part.contains(SPECIAL_OR_END);
        let alternatives: Vec<&str> = inside.split(',').collect();
        if before.contains(['[', ']', '}', '\\']) || after.contains('{') || alternatives.len() > MOST_ALTERNATIVES {
            return None;
        }
        let of = |alternative: &&str| match Self::of(&format!("{before}{alternative}{after}")) {
            Self::Any(_) | Self::Other(_) => None,
            simple if is_plain(alternative) => Some(simple),
            _ => None,
        };
        alternatives.iter().map(of).collect::<Option<Vec<_>>>().map(Self::Any)
    }

    fn of(text: &str) -> Self {
        let is_literal = |text: &str| !text.contains(SPECIAL_OR_END);
        let owned = str::to_owned;
        if is_literal(text) {
            return Self::Whole(owned(text));
        }
        if let Some(left) =
            text.strip_suffix("**").filter(|left| (left.is_empty() || left.ends_with('/')) && is_literal(left))
        {
            return Self::Below(owned(left));
        }
        if let Some(right) = text.strip_prefix("**/") {
            if is_literal(right) && !right.is_empty() && !right.starts_with('/') {
                return Self::AtAnyDepth(owned(right));
            }
            if let Some(right) = right.strip_prefix('*').filter(|right| is_literal(right) && !right.contains('/')) {
                return Self::Ending { left: String::new(), right: owned(right) };
            }
        }
        if let Some((left, right)) = text.split_once("/**/*")
            && is_literal(left)
            && is_literal(right)
            && !right.contains('/')
        {
            return Self::Ending { left: format!("{left}/"), right: owned(right) };
        }
        match text.split_once('*') {
            Some((left, right)) if is_literal(left) && is_literal(right) => {
                Self::Star { left: owned(left), right: owned(right) }
            }
            _ => Self::of_braces(text).unwrap_or_else(|| Self::Other(OnceLock::new())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Shape};
    use globset::{Candidate, GlobBuilder};
    use proptest::prelude::*;

    #[test]
    fn the_usual_patterns_need_no_regular_expression() {
        for text in [
            "**",
            "src/**",
            "**/a.ts",
            "**/*.ts",
            "src/**/*.ts",
            "src/*",
            "src/a*.ts",
            "*.lock",
            "a",
            "src/**/*.{ts,tsx}",
        ] {
            let pattern = Pattern::new(text).expect("a pattern");
            assert!(!matches!(pattern.shape, Shape::Other(_)), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn every_shape_matches_what_globset_matches(
            parts in prop::collection::vec(prop::sample::select(vec![
                "a", "b", "/", "*", "**", "**/", "/**", "/**/", "/**/*", "?", "[ab]", "[!a]", "{a,b}", "{a,b}", "{a,b/}", "{,a}", "{a*,b/}", "{{a,b},ab}", "\\*", ".",
                "\\", "]", "}", ",", "é",
            ]), 1..6),
            path in prop::collection::vec(prop::sample::select(vec!["a", "b", "/", ".", "*", ",", "é", "ab"]), 1..7),
        ) {
            let (text, path) = (parts.concat(), path.concat());
            let by_globset = GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).build();
            match (Pattern::new(&text), by_globset) {
                (Ok(pattern), Ok(glob)) => {
                    let expected = glob.compile_matcher().is_match_candidate(&Candidate::from_bytes(path.as_bytes()));
                    let repo_path = path.as_str().into();
                    prop_assert_eq!(pattern.matches(&repo_path), expected, "{} on {}", text, path);
                    let fits = |(left, right): &(&str, &str)| path.starts_with(left) && path.ends_with(right);
                    prop_assert!(!expected || pattern.ends().iter().any(fits), "{} on {}", text, path);
                }
                (Err(_), Err(_)) => {}
                other => prop_assert!(false, "{other:?}"),
            }
        }
    }
}
