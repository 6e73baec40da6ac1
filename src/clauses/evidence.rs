//! Builds the `evidence` of a finding: lists are cut at a length that any reader can take, and the cut is told.

use super::words;
use crate::facts::{ChangedFile, RepoPath};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

/// Lists longer than this are cut; `omitted` says by how much.
const LONGEST_LIST: usize = 10_000;

/// The evidence of one finding, key by key.
#[derive(Debug, Default)]
pub(super) struct Evidence {
    members: Map<String, Value>,
    omitted: u64,
}

impl Evidence {
    /// Makes evidence with nothing in it.
    pub(super) fn new() -> Self {
        Self::default()
    }

    /// Adds a value.
    #[must_use]
    pub(super) fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.members.insert(key.to_owned(), value.into());
        self
    }

    /// Adds all members of an object.
    #[must_use]
    pub(super) fn merge(mut self, members: Map<String, Value>) -> Self {
        self.members.extend(members);
        self
    }

    /// Adds a list, cut at its longest length.
    #[must_use]
    pub(super) fn list<V: Into<Value>>(mut self, key: &str, items: impl IntoIterator<Item = V>) -> Self {
        let mut items = items.into_iter();
        let kept: Vec<Value> = items.by_ref().take(LONGEST_LIST).map(Into::into).collect();
        self.omitted += items.count() as u64;
        self.members.insert(key.to_owned(), Value::Array(kept));
        self
    }

    /// Returns the evidence.
    pub(super) fn into_value(mut self) -> Value {
        if self.omitted > 0 {
            self.members.insert("omitted".to_owned(), json!(self.omitted));
        }
        Value::Object(self.members)
    }
}

/// Returns the members that tell a path: `path`, and `path_base64` beside it when it is not UTF-8.
pub(super) fn path(path: &RepoPath) -> Map<String, Value> {
    let mut members = Map::new();
    members.insert("path".to_owned(), Value::String(path.to_lossy()));
    if path.as_str().is_none() {
        members.insert("path_base64".to_owned(), Value::String(STANDARD.encode(path.as_bytes())));
    }
    members
}

/// Returns the members that tell a changed file: its path, what happened to it and how many lines.
pub(super) fn changed_file(file: &ChangedFile) -> Map<String, Value> {
    let mut members = path(&file.path);
    members.insert("status".to_owned(), Value::String(words::status(file.status).to_owned()));
    members.insert("added".to_owned(), json!(file.added));
    members.insert("deleted".to_owned(), json!(file.deleted));
    members
}

#[cfg(test)]
mod tests {
    use super::{Evidence, LONGEST_LIST, path};
    use crate::facts::RepoPath;
    use serde_json::json;

    #[test]
    fn long_lists_tell_what_is_left_out() {
        let evidence = Evidence::new().list("paths", vec!["a"; LONGEST_LIST + 3]).into_value();
        assert_eq!(evidence["omitted"], json!(3));
        assert_eq!(evidence["paths"].as_array().map(Vec::len), Some(LONGEST_LIST));
    }

    #[test]
    fn a_path_that_is_not_text_is_told_in_base64_too() {
        let members = path(&RepoPath::from_bytes(*b"a\xff"));
        assert_eq!(serde_json::Value::Object(members), json!({"path": "a\u{fffd}", "path_base64": "Yf8="}));
    }
}
