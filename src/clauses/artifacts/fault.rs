//! One fault of a document: what a repair step needs to know of it.

use crate::json::Node;
use serde_json::{Value, json};
use std::ops::Range;

/// What is wrong at one place of a document.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    /// `syntax`, `schema`, `record_missing`, ...: fixed by `schema_version` 1.
    pub(super) kind: &'static str,
    /// JSON Pointer into the document.
    pub(super) pointer: String,
    /// The bytes of the document, where it could be read.
    pub(super) span: Option<Range<usize>>,
    /// The keyword of the schema.
    pub(super) keyword: Option<String>,
    /// The key of the record.
    pub(super) key: Option<String>,
    /// What ought to be there.
    pub(super) expected: Expected,
    /// What is there.
    pub(super) found: Option<Value>,
    /// One sentence of our own words, lower case, no full stop.
    pub(super) message: String,
}

/// What ought to be there, as far as it may be told.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expected {
    /// Nothing that can be said as a value.
    Absent,
    /// A value.
    Value(Value),
    /// A value from a source outside the repository, which is not told.
    Withheld,
}

impl Fault {
    /// Makes a fault at a value.
    pub(super) fn at(kind: &'static str, pointer: &str, node: &Node, message: impl Into<String>) -> Self {
        Self {
            kind,
            pointer: pointer.to_owned(),
            span: Some(node.span.clone()),
            keyword: None,
            key: None,
            expected: Expected::Absent,
            found: None,
            message: message.into(),
        }
    }

    /// Makes a fault of the whole document.
    pub(super) fn whole(kind: &'static str, message: impl Into<String>) -> Self {
        Self {
            kind,
            pointer: String::new(),
            span: None,
            keyword: None,
            key: None,
            expected: Expected::Absent,
            found: None,
            message: message.into(),
        }
    }

    /// Adds the record's key.
    pub(super) fn key(mut self, key: &str) -> Self {
        self.key = Some(key.to_owned());
        self
    }

    /// Adds what ought to be there.
    pub(super) fn expected(mut self, expected: Expected) -> Self {
        self.expected = expected;
        self
    }

    /// Adds what is there.
    pub(super) fn found(mut self, node: &Node) -> Self {
        self.found = Some(node.to_json());
        self
    }

    /// Returns the fault as EVIDENCE has it.
    pub(super) fn to_evidence(&self, lines: &Lines<'_>) -> Value {
        let (line, column) = match &self.span {
            Some(span) => {
                let (line, column) = lines.place(span.start);
                (json!(line), json!(column))
            }
            None => (Value::Null, Value::Null),
        };
        let mut fault = json!({
            "kind": self.kind,
            "pointer": self.pointer,
            "line": line,
            "column": column,
            "keyword": self.keyword,
            "key": self.key,
        });
        match &self.expected {
            Expected::Absent => {}
            Expected::Value(value) => fault["expected"] = value.clone(),
            Expected::Withheld => fault["expected_withheld"] = Value::Bool(true),
        }
        if let Some(found) = &self.found {
            fault["found"] = found.clone();
        }
        fault["message"] = Value::String(self.message.clone());
        fault
    }
}

/// Turns offsets of a text into lines and columns.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(super) fn of(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// Returns the line and the column in characters, both from 1.
    pub(super) fn place(&self, offset: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        (line, self.text[start..offset].chars().count() + 1)
    }
}
