//! The record stream of our own reporters: JSON lines over the private channel, one record a line.
//!
//! ```text
//! {"hello": NONCE}                                              the first line; the channel itself checks the nonce
//! {"missing_runner": "pytest cannot be imported by ..."}        in place of all that follows
//! {"start": {"runner": "vitest", "version": "3.2.4"}}           at most once
//! {"expected": {"project": P?, "file": F, "count": 3}}          how many tests a file holds, before they run
//! {"tests": [{"project": P?, "file": F?, "path": [..], "at": 0, "status": "passed", "counted_as_passed": true?,
//!             "each": true?, "line": 7?, "message": M?, "group": G?}, ...]}
//! {"load": {"file": F?, "message": M, "missing": X?}}           a file that could not be loaded
//! {"unhandled": ["..."]}                                        errors that belong to no test
//! {"loaded": ["/abs/file", ...]}                                files that the run loaded
//! {"note": "..."}                                               a remark for the finding
//! {"end": {"total": 3, "reason": "passed"?, "exit_status": 0?}} the last line; `total` counts the tests
//! ```
//!
//! `at` numbers a file's tests in the order in which they are defined. With project, file and path it names a test, once.
//! `status` is one of [`Status`]'s names. Files are absolute, or relative to the folder that the runner ran in.
//!
//! What arrives is hostile: the code under test may share the reporter's process. Nothing here panics, everything is
//! capped, and the first thing that is wrong makes the stream incomplete. Knows no runner.

mod groups;
mod missing;
mod place;
mod reader;

pub(crate) use groups::{FILE_BYTES as SOURCE_BYTES, is_title};
pub use missing::missing_module;
pub use place::Places;
pub use reader::Reader;

use crate::facts::Status;
use serde::Deserialize;

/// One line. Externally tagged, since numbers inside other tagged enums cannot be read with exact numbers on.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Message {
    Hello(serde::de::IgnoredAny),
    MissingRunner(String),
    Start(Start),
    Expected(Expected),
    Tests(Vec<TestMessage>),
    Load(Load),
    Unhandled(Vec<String>),
    Loaded(Vec<String>),
    Note(String),
    End(End),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Start {
    /// For people who look at the stream; which runner it is was known before.
    #[serde(rename = "runner")]
    _runner: serde::de::IgnoredAny,
    version: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    #[serde(default)]
    project: Option<String>,
    file: String,
    count: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct TestMessage {
    #[serde(default)]
    project: Option<String>,
    #[serde(default)]
    file: Option<String>,
    path: Vec<String>,
    at: u32,
    status: Status,
    #[serde(default)]
    counted_as_passed: bool,
    #[serde(default)]
    each: bool,
    #[serde(default)]
    line: Option<u64>,
    #[serde(default)]
    message: Option<String>,
    #[serde(default)]
    group: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Load {
    #[serde(default)]
    file: Option<String>,
    message: String,
    #[serde(default)]
    missing: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    total: u64,
    #[serde(default)]
    reason: Option<String>,
    /// The status that the runner returned; the process must end with the same.
    #[serde(default)]
    exit_status: Option<i32>,
}

/// Messages are cut at this many bytes.
pub const MESSAGE_BYTES: usize = 4096;

/// Cuts a message at [`MESSAGE_BYTES`] and takes colours out of it: nobody reads them in a report.
pub fn message(text: &str) -> String {
    let mut plain = String::with_capacity(text.len().min(MESSAGE_BYTES));
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after.find(|character: char| !(character.is_ascii_digit() || character == ';'));
        rest = match end {
            Some(end) if after[end..].starts_with('m') => &after[end + 1..],
            _ => {
                plain.push_str("\u{1b}[");
                after
            }
        };
    }
    plain.push_str(rest);
    if plain.len() > MESSAGE_BYTES {
        let end = (0..=MESSAGE_BYTES).rev().find(|&at| plain.is_char_boundary(at)).unwrap_or(0);
        plain.truncate(end);
    }
    plain
}

#[cfg(test)]
mod tests;
