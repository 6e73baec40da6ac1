//! What a forge tells of an issue: who wrote it, who edited it, where it is. Plain data.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A repository on a GitHub host.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RepoName {
    /// The user or organization.
    pub owner: String,
    /// The repository.
    pub name: String,
}

/// Who wrote or edited something on GitHub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Person {
    /// A person's account.
    User(String),
    /// An account that a program acts through, whatever association it has.
    Bot(String),
    /// An account of another kind: an imported one, an organization.
    Other(String),
    /// A deleted account.
    Deleted,
}

impl Person {
    /// Returns the account's name for people.
    pub fn name(&self) -> &str {
        match self {
            Self::User(login) | Self::Bot(login) | Self::Other(login) => login,
            Self::Deleted => "a deleted account",
        }
    }
}

/// One entry of an issue's edit history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    /// Who edited.
    pub editor: Person,
    /// When, by the server's clock: `2026-01-03T00:00:00Z`.
    pub at: String,
    /// Whether somebody removed this revision from the history.
    pub redacted: bool,
}

/// What is known about edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// Every edit, the creation not among them.
    Complete(Vec<Edit>),
    /// It could not be read, or not whole; the text says why.
    Unknown(String),
}

/// What GitHub says of an account's rights on the repository.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Permission {
    /// `admin`, `write`, `read` or `none`.
    Level(String),
    /// It could not be read; the text says why.
    Unknown(String),
}

impl RepoName {
    /// Reads `owner/name`.
    ///
    /// # Errors
    /// Returns what is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a repository; write owner/name");
        let (owner, name) = text.split_once('/').ok_or_else(wrong)?;
        if is_owner(owner) && is_name(name) {
            Ok(Self { owner: owner.to_owned(), name: name.to_owned() })
        } else {
            Err(wrong())
        }
    }

    /// Returns whether two names mean the same repository; GitHub's names know no case.
    pub fn is_same(&self, other: &Self) -> bool {
        self.owner.eq_ignore_ascii_case(&other.owner) && self.name.eq_ignore_ascii_case(&other.name)
    }
}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.owner, self.name)
    }
}

fn is_owner(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    (1..=100).contains(&text.len()) && text.bytes().all(allowed) && !text.starts_with('-')
}

fn is_name(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=100).contains(&text.len()) && text.bytes().all(allowed) && !matches!(text, "." | "..")
}
