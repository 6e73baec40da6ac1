//! Reads what `go test -json` prints: which packages could not be built and what failed tests said. Never which tests
//! passed: what tests print stands in the same stream.

use super::messages::Message;
use crate::runners::protocol::message as cut;
use regex::Regex;
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

static SOURCE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^(?:vet: )?([^\s:]+\.go):\d+").ok());
static NOT_BUILT: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^FAIL\t(\S+) \[(?:build|setup) failed\]").ok());

/// So many bytes of what one test prints are kept, and of everything together.
const OF_ONE: usize = 16 << 10;
const OF_ALL: usize = 16 << 20;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Event {
    action: String,
    #[serde(default)]
    package: Option<String>,
    #[serde(default)]
    test: Option<String>,
    #[serde(default)]
    output: Option<String>,
    #[serde(default)]
    import_path: Option<String>,
}

/// What was read so far.
#[derive(Debug, Default)]
pub(super) struct Events {
    waiting: Vec<u8>,
    /// What the compiler said, by package.
    blocks: BTreeMap<String, String>,
    /// The package whose text comes now, where it comes as plain lines.
    current: Option<String>,
    not_built: Vec<String>,
    said: HashMap<(String, String), String>,
    n_said: usize,
    other: String,
    has_failed: bool,
    /// What is to be told.
    pub(super) messages: Vec<Message>,
}

impl Events {
    /// Takes a piece, and returns what people would see of it.
    pub(super) fn push(&mut self, piece: &[u8]) -> String {
        self.waiting.extend_from_slice(piece);
        let Some(end) = self.waiting.iter().rposition(|byte| *byte == b'\n') else { return String::new() };
        let rest = self.waiting.split_off(end + 1);
        let whole = std::mem::replace(&mut self.waiting, rest);
        let mut shown = String::new();
        for line in String::from_utf8_lossy(&whole).lines() {
            if let Ok(event) = serde_json::from_str::<Event>(line) {
                shown.push_str(event.output.as_deref().unwrap_or_default());
                self.event(event);
            } else {
                shown.push_str(line);
                shown.push('\n');
                self.line(line);
            }
        }
        shown
    }

    fn event(&mut self, event: Event) {
        self.current = None;
        let Event { action, package, test, output, import_path } = event;
        match (action.as_str(), package, test, import_path) {
            ("build-output", _, _, Some(path)) => {
                let block = self.blocks.entry(path).or_default();
                if block.len() < OF_ONE {
                    block.push_str(output.as_deref().unwrap_or_default());
                }
            }
            ("build-fail", _, _, Some(path)) => self.not_built.push(path),
            ("output", Some(package), Some(test), _) => {
                self.say(package, test, output.as_deref().unwrap_or_default());
            }
            ("output", Some(_), None, _) => {
                self.not_built(output.as_deref().unwrap_or_default());
            }
            ("fail", Some(package), Some(test), _) => {
                self.has_failed = true;
                if let Some(text) = self.said.remove(&(package.clone(), test.clone())) {
                    self.n_said = self.n_said.saturating_sub(text.len());
                    self.messages.push(Message::Said { package, test, text: cut(text.trim()) });
                }
            }
            ("fail", _, None, _) => self.has_failed = true,
            ("pass" | "skip", Some(package), Some(test), _) => {
                let forgotten = self.said.remove(&(package, test)).unwrap_or_default();
                self.n_said = self.n_said.saturating_sub(forgotten.len());
            }
            _ => {}
        }
    }

    fn say(&mut self, package: String, test: String, output: &str) {
        let is_frame = ["=== ", "--- ", "    --- "].iter().any(|frame| output.starts_with(frame));
        let so_far = self.said.entry((package, test)).or_default();
        if !is_frame && so_far.len() + output.len() <= OF_ONE && self.n_said <= OF_ALL {
            so_far.push_str(output);
            self.n_said += output.len();
        }
    }

    /// Older versions print a line for a package that is not built.
    fn not_built(&mut self, line: &str) -> bool {
        let found = NOT_BUILT.as_ref().and_then(|pattern| pattern.captures(line)?.get(1));
        if let Some(package) = found {
            self.not_built.push(package.as_str().to_owned());
        }
        found.is_some()
    }

    fn line(&mut self, line: &str) {
        if let Some(package) = line.strip_prefix("# ") {
            self.current = Some(package.to_owned());
        } else if self.not_built(line) {
            self.current = None;
        } else {
            let block = match &self.current {
                Some(package) => self.blocks.entry(package.clone()).or_default(),
                None => &mut self.other,
            };
            if block.len() < OF_ONE {
                block.push_str(line);
                block.push('\n');
            }
        }
    }

    /// Ends reading; `status` is how go ended.
    pub(super) fn finish(mut self, status: u8) -> Vec<Message> {
        let mut messages = std::mem::take(&mut self.messages);
        // A package is named alone or with the test binary that it is built for: `a/b [a/b.test]`.
        let name = |path: &str| path.split(' ').next().unwrap_or(path).trim_end_matches("_test").to_owned();
        let mut is_told = std::collections::HashSet::new();
        for (path, text) in &self.blocks {
            let is_failed = self.not_built.iter().any(|failed| failed == path || name(failed) == name(path));
            // What a package is built of may be what is broken: then nobody else says that it is not built.
            if (is_failed || !self.not_built.is_empty() && SOURCE.as_ref().is_some_and(|it| it.is_match(text)))
                && is_told.insert(path.clone())
            {
                messages.push(load(text));
            }
        }
        if is_told.is_empty() {
            let mut failed = std::mem::take(&mut self.not_built);
            failed.sort_unstable();
            failed.dedup();
            for package in failed {
                let why = self.other.trim();
                let text = if why.is_empty() { "go could not build it" } else { why };
                messages.push(load(&format!("{package}: {text}")));
            }
        }
        let has_load = messages.iter().any(|message| matches!(message, Message::Load { .. }));
        if status != 0 && !has_load && !self.has_failed {
            let why = self.other.trim();
            let why = if why.is_empty() { format!("go ended with status {status}") } else { why.to_owned() };
            messages.push(Message::Unhandled(cut(&why)));
        }
        messages
    }
}

fn load(text: &str) -> Message {
    let file = SOURCE.as_ref().and_then(|pattern| Some(pattern.captures(text)?.get(1)?.as_str().to_owned()));
    Message::Load { file, message: cut(text.trim()) }
}
