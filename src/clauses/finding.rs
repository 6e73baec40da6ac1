//! What judging one clause finds, and how a clause stands before the tests are run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Whether a clause holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingStatus {
    /// It holds.
    Passed,
    /// It does not hold.
    Failed,
    /// A fact that it needs is unknown.
    Unknown,
}

/// What was found for one clause. Formats add nothing to it; they only show it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The clause's key: `changed_files_only`.
    pub check: String,
    /// JSON Pointer into the contract: `/tests/0`.
    pub at: String,
    /// Whether it holds.
    pub status: FindingStatus,
    /// One line, the original tool's wording for the original's keys.
    pub detail: String,
    /// The command that `detail` begins with: where there is little room, it is cut rather than what came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// One imperative sentence for the author of the change, of our own words and of paths only.
    pub next: Option<String>,
    /// What EVIDENCE fixes for this kind of clause.
    pub evidence: Value,
    /// What people are shown for a clause that does not hold, one block a reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<Block>,
    /// Remarks that do not change the verdict.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Why a fact is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Box<crate::error::Failure>>,
}

impl Finding {
    /// Makes the finding of a clause that was judged: it holds, or it does not.
    pub fn judged(check: &str, at: &str, holds: bool, detail: impl Into<String>, evidence: Value) -> Self {
        Self {
            check: check.to_owned(),
            at: at.to_owned(),
            status: if holds { FindingStatus::Passed } else { FindingStatus::Failed },
            detail: detail.into(),
            command: None,
            next: None,
            evidence,
            blocks: Vec::new(),
            notes: Vec::new(),
            failure: None,
        }
    }

    /// Adds why the clause does not hold and what to do; `next` is one sentence, the block shows it in full.
    #[must_use]
    pub fn because(mut self, next: impl Into<String>, block: Block) -> Self {
        self.next = Some(next.into());
        self.blocks.push(block);
        self
    }

    /// Adds remarks that do not change the verdict.
    #[must_use]
    pub fn noting(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }

    /// Returns whether the clause holds.
    pub fn is_ok(&self) -> bool {
        self.status == FindingStatus::Passed
    }

    /// Makes the finding of a clause that needs an unknown fact.
    pub fn unknown(check: &str, at: &str, failure: &crate::error::Failure) -> Self {
        Self {
            check: check.to_owned(),
            at: at.to_owned(),
            status: FindingStatus::Unknown,
            detail: format!("could not be checked: {}", failure.message),
            command: None,
            next: None,
            evidence: Value::Object(serde_json::Map::new()),
            blocks: Vec::new(),
            notes: Vec::new(),
            failure: Some(Box::new(failure.clone())),
        }
    }
}

/// `expected`, `found`, `next`: one reason why a clause does not hold. Lines hold text from outside,
/// unescaped; each format escapes it for its medium.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What the contract asks.
    pub expected: Vec<String>,
    /// What is true, with its place.
    pub found: Vec<Found>,
    /// What the author of the change does.
    pub next: Vec<String>,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// A line of text.
    Text(String),
    /// A path and what is said of it, shown in two columns.
    Path(String, String),
    /// The nearest line to a text that is missing: line number, the line, and the text expected.
    Nearest(u64, String, String),
    /// A quoted passage of foreign text: a test's message, a command's output. Cut for people.
    Quoted(String),
}

/// How a clause stands before any test is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Holds, and did not hold at the merge base.
    Met,
    /// Holds, and later commits can break it.
    MetSoFar,
    /// Does not hold.
    NotMet,
    /// Only a run decides it.
    NeedsRun,
    /// A fact that it needs is unknown.
    Unknown,
}

/// What `explain` says of one clause.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The clause's key.
    pub check: String,
    /// JSON Pointer into the contract.
    pub at: String,
    /// How it stands.
    pub standing: Standing,
    /// What it asks and how things are, in plain words, line by line; indented lines are lists.
    pub lines: Vec<String>,
    /// What to do about it when it is not met, a line each.
    #[serde(default)]
    pub next: Vec<String>,
}

/// A warning of `explain`, with a stable code. Never part of a verdict.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Warning {
    /// `W203`.
    pub code: String,
    /// JSON Pointer into the contract.
    pub at: String,
    /// What is wrong and what to write instead.
    pub message: String,
}
