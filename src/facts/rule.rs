//! A path rule: one literal path, or a glob pattern. Matching is pure and on bytes.

use crate::facts::path::RepoPath;
use globset::{GlobBuilder, GlobMatcher};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which paths a contract speaks of.
#[derive(Clone, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct PathRule {
    written: Written,
    matcher: Option<GlobMatcher>,
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
        Self { written: Written::Literal(path.into()), matcher: None }
    }

    /// Makes a rule from a globset pattern in which `*` does not cross `/`.
    ///
    /// # Errors
    /// Returns globset's explanation when the pattern cannot be parsed.
    pub fn glob(pattern: impl Into<String>) -> Result<Self, globset::Error> {
        let glob = pattern.into();
        let matcher = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build()?.compile_matcher();
        Ok(Self { written: Written::Glob { glob }, matcher: Some(matcher) })
    }

    /// Returns whether the path matches. A path that is not UTF-8 matches no literal.
    pub fn matches(&self, path: &RepoPath) -> bool {
        match (&self.written, &self.matcher) {
            (Written::Literal(literal), _) => literal.as_bytes() == path.as_bytes(),
            (Written::Glob { .. }, Some(matcher)) => match path.as_str() {
                Some(text) => matcher.is_match(text),
                None => matcher.is_match(bytes_as_path(path.as_bytes())),
            },
            (Written::Glob { .. }, None) => false,
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

#[cfg(unix)]
fn bytes_as_path(bytes: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt as _;
    std::ffi::OsStr::from_bytes(bytes).into()
}

#[cfg(not(unix))]
fn bytes_as_path(bytes: &[u8]) -> std::path::PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
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
