//! A path rule: one literal path, or a glob pattern. Matching is pure and on bytes.

use crate::facts::path::RepoPath;
use crate::facts::pattern::Pattern;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which paths a contract speaks of.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct PathRule {
    written: Written,
    pattern: Option<Pattern>,
}

/// The rule as it stands in a contract: a string is a literal, an object with `glob` a pattern.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", untagged)]
enum Written {
    Literal(String),
    Glob { glob: String },
}

impl PathRule {
    /// Makes a rule for exactly one path, which must be normalised already.
    pub fn literal(path: impl Into<String>) -> Self {
        Self { written: Written::Literal(path.into()), pattern: None }
    }

    /// Makes a rule from a globset pattern in which `*` does not cross `/`.
    ///
    /// # Errors
    /// Returns globset's explanation when the pattern cannot be parsed.
    pub fn glob(pattern: impl Into<String>) -> Result<Self, globset::Error> {
        let glob = pattern.into();
        let pattern = Pattern::new(&glob)?;
        Ok(Self { written: Written::Glob { glob }, pattern: Some(pattern) })
    }

    /// Returns whether the path matches. A path that is not UTF-8 matches no literal.
    pub fn matches(&self, path: &RepoPath) -> bool {
        match (&self.written, &self.pattern) {
            (Written::Literal(literal), _) => literal.as_bytes() == path.as_bytes(),
            (Written::Glob { .. }, pattern) => pattern.as_ref().is_some_and(|pattern| pattern.matches(path)),
        }
    }

    /// Returns pairs of which every path that matches starts and ends with at least one; either part may be empty.
    pub(crate) fn ends(&self) -> Vec<(&str, &str)> {
        match (&self.written, &self.pattern) {
            (Written::Glob { .. }, Some(pattern)) => pattern.ends(),
            (Written::Literal(text) | Written::Glob { glob: text }, _) => vec![(text, "")],
        }
    }

    /// Returns the literal path, or `None` for a pattern.
    pub fn as_literal(&self) -> Option<&str> {
        match &self.written {
            Written::Literal(path) => Some(path),
            Written::Glob { .. } => None,
        }
    }

    /// Returns the pattern, or `None` for a literal path.
    pub fn as_glob(&self) -> Option<&str> {
        match &self.written {
            Written::Glob { glob } => Some(glob),
            Written::Literal(_) => None,
        }
    }
}

impl fmt::Debug for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.written, f)
    }
}

impl fmt::Display for PathRule {
    /// Writes the path or the pattern, as the original tool's lists do.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.written {
            Written::Literal(text) | Written::Glob { glob: text } => f.write_str(text),
        }
    }
}

/// The rule's text, so that lists of rules can be written as lists of words.
impl AsRef<str> for PathRule {
    fn as_ref(&self) -> &str {
        match &self.written {
            Written::Literal(text) | Written::Glob { glob: text } => text,
        }
    }
}

impl std::hash::Hash for PathRule {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.written.hash(state);
    }
}

impl PartialEq for PathRule {
    fn eq(&self, other: &Self) -> bool {
        self.written == other.written
    }
}

impl Eq for PathRule {}

impl PartialOrd for PathRule {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for PathRule {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.written.cmp(&other.written)
    }
}

impl TryFrom<Written> for PathRule {
    type Error = globset::Error;
    fn try_from(written: Written) -> Result<Self, globset::Error> {
        match written {
            Written::Literal(path) => Ok(Self::literal(path)),
            Written::Glob { glob } => Self::glob(glob),
        }
    }
}

impl From<PathRule> for Written {
    fn from(rule: PathRule) -> Self {
        rule.written
    }
}
