//! Facts about documents that a change must produce.

use crate::facts::Known;
use serde::{Deserialize, Serialize};

/// An artifact's bytes and its sources.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactFacts {
    /// The document.
    pub document: Document,
    /// The sources, in the plan's order.
    pub sources: Vec<Known<SourceFile>>,
    /// Where the document came from: a blob's hash, or the word of the flag.
    pub origin: String,
    /// The file that was handed over in its place, as whoever did so named it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

/// A document as it was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Document {
    /// Its bytes, base64 in JSON when they are not UTF-8.
    Bytes(Bytes),
    /// It is larger than allowed and was not read.
    TooLarge(u64),
    /// There is no regular file; the text says what is there instead.
    NoFile(String),
}

/// Bytes that stay readable in JSON when they are text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Bytes {
    /// UTF-8.
    Text(String),
    /// Anything else, in base64.
    Base64(String),
}

/// A file with source facts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceFile {
    /// Its path as the contract names it.
    pub path: String,
    /// Its text, line ends LF.
    pub text: String,
    /// The hash of the blob at the merge base, or `None` when the operator supplied it.
    pub blob: Option<String>,
    /// Whether the change under test changes the file too.
    pub changed_at_head: bool,
    /// Whether it lies outside the repository, so that its values are not told.
    pub withheld: bool,
}
