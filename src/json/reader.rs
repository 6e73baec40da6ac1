//! Reads located JSON into what a key means, and gathers every problem instead of stopping at the first.

use super::written_path::{normalize_glob, normalize_path};
use super::{Decimal, Member, Node, Problem, Value};
use crate::facts::PathRule;
use regex::{Regex, RegexBuilder};
use std::ops::Range;

/// A compiled regular expression takes at most so many bytes of memory.
const LARGEST_REGEX: usize = 1 << 20;

/// Gathers problems, and knows the JSON Pointer of the value that is being read.
#[derive(Debug, Default)]
pub struct Reader {
    problems: Vec<Problem>,
    pointer: String,
}

/// An object whose keys are all known ones.
#[derive(Debug, Clone, Copy)]
pub struct Object<'a> {
    members: &'a [Member],
    span: &'a Range<usize>,
}

impl<'a> Object<'a> {
    /// Returns the value at a key.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.member(key).map(|member| &member.value)
    }

    /// Returns a key together with its value.
    pub fn member(&self, key: &str) -> Option<&'a Member> {
        self.members.iter().find(|member| member.key == key)
    }

    /// Returns the bytes of the whole object.
    pub const fn span(&self) -> &'a Range<usize> {
        self.span
    }
}

impl Reader {
    /// Makes a reader that stands at the root.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the problems in the order of their places.
    pub fn into_problems(mut self) -> Vec<Problem> {
        self.problems.sort_by_key(|problem| (problem.span.start, problem.span.end));
        self.problems
    }

    /// Returns whether no problem was noted so far.
    pub const fn is_clean(&self) -> bool {
        self.problems.is_empty()
    }

    /// Returns the JSON Pointer of the value being read: `/tests/0/passed`.
    pub fn pointer(&self) -> &str {
        &self.pointer
    }

    /// Reads something one level deeper, at a key or an index.
    pub fn within<T>(&mut self, segment: &str, read: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        self.pointer.push('/');
        self.pointer.push_str(&segment.replace('~', "~0").replace('/', "~1"));
        let value = read(self);
        self.pointer.truncate(length);
        value
    }

    /// Reads each element of a list that must not be empty; `what` completes `must be a list of ...`.
    pub fn each<'a, T>(
        &mut self,
        node: &'a Node,
        what: &str,
        mut read: impl FnMut(&mut Self, &'a Node) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Value::Array(items) = &node.value else {
            self.wrong_type(node, &format!("must be a list of {what}"));
            return None;
        };
        if items.is_empty() {
            let name = self.name();
            self.problem(
                Problem::new(node.span.clone(), format!("{name} is an empty list"), "asks for nothing")
                    .help("leave the key out"),
            );
            return None;
        }
        let read_items: Vec<Option<T>> = items
            .iter()
            .enumerate()
            .map(|(index, item)| self.within(&index.to_string(), |reader| read(reader, item)))
            .collect();
        read_items.into_iter().collect()
    }

    /// Notes a problem.
    pub fn problem(&mut self, problem: Problem) {
        self.problems.push(problem);
    }

    /// Notes that a value has the wrong type: `"max_added_lines" must be a whole number`.
    pub fn wrong_type(&mut self, node: &Node, must: &str) {
        let name = self.name();
        self.problem(Problem::new(node.span.clone(), format!("{name} {must}"), node.kind()));
    }

    /// Returns how people call the value being read: its key in quotes, or `entry 2 of "tests"`.
    pub fn name(&self) -> String {
        let mut segments: Vec<String> =
            self.pointer.split('/').skip(1).map(|segment| segment.replace("~1", "/").replace("~0", "~")).collect();
        match segments.pop() {
            None => "the contract".to_owned(),
            Some(last) => match (last.parse::<usize>(), segments.pop()) {
                (Ok(index), Some(key)) => format!("entry {} of {key:?}", index + 1),
                _ => format!("{last:?}"),
            },
        }
    }

    /// Reads an object and refuses unknown keys, with the nearest known one as help.
    pub fn object<'a>(&mut self, node: &'a Node, known: &[&str]) -> Option<Object<'a>> {
        let Value::Object(members) = &node.value else {
            self.wrong_type(node, "must be an object");
            return None;
        };
        for member in members {
            if !known.contains(&member.key.as_str()) {
                self.unknown_key(member, known);
            }
        }
        Some(Object { members, span: &node.span })
    }

    /// Notes an unknown key.
    pub fn unknown_key(&mut self, member: &Member, known: &[&str]) {
        let nearest = known
            .iter()
            .map(|key| (strsim::damerau_levenshtein(key, &member.key), *key))
            .min()
            .filter(|(distance, key)| *distance <= 1 + key.len() / 4);
        let help = match nearest {
            Some((_, key)) => format!("did you mean {key:?}?"),
            None => format!("known here: {}", known.join(", ")),
        };
        let message = format!("unknown key {:?}", member.key);
        self.problem(Problem::new(member.key_span.clone(), message, "no such key").help(help));
    }

    /// Returns the value at a key that must be there.
    pub fn required<'a>(&mut self, object: &Object<'a>, key: &str) -> Option<&'a Node> {
        let found = object.get(key);
        if found.is_none() {
            let name = self.name();
            let message = format!("{name} has no {key:?}");
            self.problem(Problem::new(object.span().clone(), message, format!("{key:?} is missing")));
        }
        found
    }

    /// Reads a string that is not empty.
    pub fn string<'a>(&mut self, node: &'a Node) -> Option<&'a str> {
        match &node.value {
            Value::String(text) if text.is_empty() => {
                let name = self.name();
                self.problem(Problem::new(node.span.clone(), format!("{name} is empty"), "an empty string"));
                None
            }
            Value::String(text) => Some(text),
            _ => {
                self.wrong_type(node, "must be a string");
                None
            }
        }
    }

    /// Reads `true` or `false`.
    pub fn boolean(&mut self, node: &Node) -> Option<bool> {
        if let Value::Bool(value) = node.value {
            Some(value)
        } else {
            self.wrong_type(node, "must be true or false");
            None
        }
    }

    /// Reads a whole number from `min` to `max`; beyond `u64` it becomes its largest value, if `max` allows that.
    pub fn integer(&mut self, node: &Node, min: u64, max: u64) -> Option<u64> {
        let range = if max == u64::MAX { format!("{min} or more") } else { format!("from {min} to {max}") };
        let must = format!("must be a whole number, {range}");
        match &node.value {
            Value::Number(text) => {
                let value = Decimal::parse(text).and_then(|number| number.to_u64_saturating());
                match value {
                    Some(value) if (min..=max).contains(&value) => Some(value),
                    _ => {
                        let name = self.name();
                        let label = if text.starts_with('-') {
                            "a negative number"
                        } else if value.is_none() {
                            "not a whole number"
                        } else {
                            "out of range"
                        };
                        self.problem(Problem::new(node.span.clone(), format!("{name} {must}"), label));
                        None
                    }
                }
            }
            Value::String(text) if Decimal::parse(text).is_some() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                let name = self.name();
                let problem = Problem::new(node.span.clone(), format!("{name} {must}"), "a string");
                self.problem(problem.help(format!("write it without quotes: {text}")));
                None
            }
            _ => {
                self.wrong_type(node, &must);
                None
            }
        }
    }

    /// Reads a repository-relative path and normalises it.
    pub fn path(&mut self, node: &Node) -> Option<String> {
        let text = self.string(node)?;
        match normalize_path(text) {
            Ok(path) => Some(path),
            Err((label, help)) => {
                let message = format!("{text:?} is not a path inside the repository");
                self.problem(Problem::new(node.span.clone(), message, label).help(help));
                None
            }
        }
    }

    /// Reads a folder: a path, or `.` for the root (as the empty string).
    pub fn folder(&mut self, node: &Node) -> Option<String> {
        match &node.value {
            Value::String(text) if matches!(text.trim_end_matches('/'), "." | "") && !text.is_empty() => {
                Some(String::new())
            }
            Value::String(text) if text.len() > 1 && text.ends_with('/') => {
                let trimmed =
                    Node { value: Value::String(text.trim_end_matches('/').to_owned()), span: node.span.clone() };
                self.path(&trimmed)
            }
            _ => self.path(node),
        }
    }

    /// Reads a path rule: a string is a literal path, `{"glob": ...}` a pattern.
    pub fn path_rule(&mut self, node: &Node) -> Option<PathRule> {
        match &node.value {
            Value::String(_) => self.path(node).map(PathRule::literal),
            Value::Object(_) => {
                let object = self.object(node, &["glob"])?;
                let pattern = self.required(&object, "glob")?;
                let text = self.within("glob", |reader| reader.string(pattern))?;
                let problem = match normalize_glob(text) {
                    Ok(normal) => match PathRule::glob(normal) {
                        Ok(rule) => return Some(rule),
                        Err(error) => {
                            let reason = error.kind().to_string();
                            Problem::new(pattern.span.clone(), "this pattern cannot be read", reason)
                        }
                    },
                    Err((label, help)) => {
                        let message = format!("{text:?} is not a pattern for paths inside the repository");
                        Problem::new(pattern.span.clone(), message, label).help(help)
                    }
                };
                self.problem(problem);
                None
            }
            _ => {
                self.wrong_type(node, "must be a path or {\"glob\": \"...\"}");
                None
            }
        }
    }

    /// Reads a list of path rules that is not empty.
    pub fn path_rules(&mut self, node: &Node) -> Option<Vec<PathRule>> {
        self.each(node, "paths", Self::path_rule)
    }

    /// Reads a regular expression in which `^` and `$` match at lines.
    pub fn regex(&mut self, node: &Node) -> Option<Regex> {
        let text = self.string(node)?;
        match RegexBuilder::new(text).multi_line(true).size_limit(LARGEST_REGEX).build() {
            Ok(regex) => Some(regex),
            Err(error) => {
                let full = error.to_string();
                let reason = full.lines().last().unwrap_or("").trim().trim_start_matches("error: ").to_owned();
                let problem = Problem::new(node.span.clone(), "this regular expression cannot be read", reason);
                self.problem(
                    problem.help("the syntax is that of the Rust crate regex: no look-around, no backreferences"),
                );
                None
            }
        }
    }
}
