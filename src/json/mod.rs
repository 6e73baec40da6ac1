//! Strict JSON with places: every value knows where it stands in the text. Knows nothing of contracts.
//!
//! `serde_json` decides what is JSON; `jsonc-parser` only locates it. Neither refuses duplicate keys, so
//! that is done here.

mod number;
mod parse;
mod pointer;
mod reader;
mod written_path;

pub use number::Decimal;
pub use parse::parse;
pub use pointer::{Place, Pointer, join};
pub use reader::{Object, Reader};

use std::ops::Range;

/// A value and the bytes of the text that it stands in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The value.
    pub value: Value,
    /// Its bytes in the JSON text.
    pub span: Range<usize>,
}

/// A JSON value. A number keeps its text, so that nothing is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as it is written.
    Number(String),
    /// A string, escapes resolved.
    String(String),
    /// A list.
    Array(Vec<Node>),
    /// An object, in the order of the text.
    Object(Vec<Member>),
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The key, escapes resolved.
    pub key: String,
    /// The bytes of the key with its quotes.
    pub key_span: Range<usize>,
    /// The value.
    pub value: Node,
}

/// What is wrong with a text, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the text that are wrong.
    pub span: Range<usize>,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// A few words under the underline.
    pub label: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl Problem {
    /// Makes a problem without help.
    pub fn new(span: Range<usize>, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self { span, message: message.into(), label: label.into(), help: None }
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl Node {
    /// Returns what kind of value it is, with its article: `a string`.
    pub const fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
        }
    }

    /// Returns the value that stands at a key of an object.
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.value {
            Value::Object(members) => members.iter().find(|member| member.key == key).map(|member| &member.value),
            _ => None,
        }
    }

    /// Returns whether two values are equal: numbers as exact decimals, objects without regard to order.
    pub fn same_as(&self, other: &Self) -> bool {
        match (&self.value, &other.value) {
            (Value::Number(left), Value::Number(right)) => Decimal::parse(left) == Decimal::parse(right),
            (Value::Array(left), Value::Array(right)) => {
                left.len() == right.len() && left.iter().zip(right).all(|(left, right)| left.same_as(right))
            }
            (Value::Object(left), Value::Object(right)) => {
                let same = |member: &Member| other.get(&member.key).is_some_and(|found| member.value.same_as(found));
                left.len() == right.len() && left.iter().all(same)
            }
            (left, right) => left == right,
        }
    }

    /// Returns the value without its places. Numbers stay exact.
    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => serde_json::Value::Bool(*value),
            Value::Number(text) => serde_json::from_str(text).unwrap_or(serde_json::Value::Null),
            Value::String(text) => serde_json::Value::String(text.clone()),
            Value::Array(items) => items.iter().map(Self::to_json).collect(),
            Value::Object(members) => {
                members.iter().map(|member| (member.key.clone(), member.value.to_json())).collect()
            }
        }
    }
}
