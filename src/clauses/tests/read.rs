//! Reads one entry of `tests`, with every problem at its place. Knows nothing of judging.

use super::{Except, FailToPass, PassToPass, Passed, TestClause, schema};
use crate::clauses::commands::refuse;
use crate::clauses::{Clause, ClauseKind};
use crate::json::{Member, Node, Object, Problem, Reader, Value};
use crate::runners::{self, Refusal};

/// The key `tests`.
pub(in crate::clauses) const KIND: ClauseKind = ClauseKind { key: "tests", read, schema: schema::schema };

pub(super) const KEYS: [&str; 11] = [
    "command",
    "cwd",
    "passed",
    "names",
    "fail_to_pass",
    "pass_to_pass",
    "test_files",
    "max_skipped",
    "repeat",
    "timeout_seconds",
    "junit",
];

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let entries = reader.each(&member.value, "test commands", entry).unwrap_or_default();
    entries.into_iter().map(|clause| Box::new(clause) as Box<dyn Clause>).collect()
}

/// Reads one entry. Every field is read before any problem ends it, so that all are told at once.
fn entry(reader: &mut Reader, node: &Node) -> Option<TestClause> {
    let object = reader.object(node, &KEYS)?;
    let at = reader.pointer().to_owned();
    let junit = optional(reader, &object, "junit", Reader::path);
    let command = required_command(reader, &object);
    let cwd = optional(reader, &object, "cwd", Reader::folder);
    let passed = optional(reader, &object, "passed", passed);
    let names = optional(reader, &object, "names", test_names);
    let fail_to_pass = optional(reader, &object, "fail_to_pass", fail_to_pass);
    let pass_to_pass = optional(reader, &object, "pass_to_pass", pass_to_pass);
    let test_files = optional(reader, &object, "test_files", Reader::path_rules);
    let max_skipped = optional(reader, &object, "max_skipped", |reader, node| reader.integer(node, 0, u64::MAX));
    let repeat = optional(reader, &object, "repeat", |reader, node| reader.integer(node, 1, 20));
    let timeout_seconds = optional(reader, &object, "timeout_seconds", |reader, node| reader.integer(node, 1, 86_400));
    asks_for_something(reader, &object);
    Some(TestClause {
        at,
        command: command?,
        cwd: cwd.ok()?.unwrap_or_default(),
        passed: passed.ok()?,
        names: names.ok()?.unwrap_or_default(),
        fail_to_pass: fail_to_pass.ok()?,
        pass_to_pass: pass_to_pass.ok()?,
        test_files: test_files.ok()?.map(sorted),
        max_skipped: max_skipped.ok()?,
        repeat: u32::try_from(repeat.ok()?.unwrap_or(1)).unwrap_or(1),
        timeout_seconds: timeout_seconds.ok()?,
        junit: junit.ok()?,
    })
}

/// A field that is wrong; the reader has the problem.
struct Wrong;

/// Reads a field that may be absent.
fn optional<'a, T>(
    reader: &mut Reader,
    object: &Object<'a>,
    key: &str,
    read: impl FnOnce(&mut Reader, &'a Node) -> Option<T>,
) -> Result<Option<T>, Wrong> {
    match object.get(key) {
        None => Ok(None),
        Some(node) => reader.within(key, |reader| read(reader, node)).map(Some).ok_or(Wrong),
    }
}

fn required_command(reader: &mut Reader, object: &Object<'_>) -> Option<Vec<String>> {
    let node = reader.required(object, "command")?;
    let has_own_report = object.get("junit").is_some();
    reader.within("command", |reader| {
        let words = command_words(reader, node)?;
        let checked = if has_own_report {
            // No runner is known, so that the change must not be able to say what runs.
            runners::command::argv(&words).and_then(|()| refuse::check(&words))
        } else {
            runners::recognise(&words).map(|_| ())
        };
        match checked {
            Ok(()) => Some(words),
            Err(refusal) => refused(reader, node, refusal),
        }
    })
}

fn command_words(reader: &mut Reader, node: &Node) -> Option<Vec<String>> {
    match &node.value {
        Value::String(text) => match runners::command::words(text) {
            Ok(words) => Some(words),
            Err(refusal) => refused(reader, node, refusal),
        },
        Value::Array(_) => reader.each(node, "strings", |reader, item| {
            if let Value::String(word) = &item.value {
                Some(word.clone())
            } else {
                reader.wrong_type(item, "must be a string");
                None
            }
        }),
        _ => {
            reader.wrong_type(node, "must be a string or a list of strings");
            None
        }
    }
}

fn refused<T>(reader: &mut Reader, node: &Node, refusal: Refusal) -> Option<T> {
    let mut problem = Problem::new(node.span.clone(), refusal.message, refusal.label);
    problem.help = refusal.help;
    reader.problem(problem);
    None
}

fn passed(reader: &mut Reader, node: &Node) -> Option<Passed> {
    if !matches!(node.value, Value::Object(_)) {
        return reader.integer(node, 1, u64::MAX).map(Passed::Exactly);
    }
    let object = reader.object(node, &["at_least", "more_than_base"])?;
    let at_least = optional(reader, &object, "at_least", |reader, node| reader.integer(node, 1, u64::MAX)).ok()?;
    let more = optional(reader, &object, "more_than_base", |reader, node| reader.integer(node, 0, u64::MAX)).ok()?;
    match (at_least, more) {
        (Some(n), None) => Some(Passed::AtLeast(n)),
        (None, Some(n)) => Some(Passed::MoreThanBase(n)),
        (Some(_), Some(_)) => {
            let help = "an exact number, {\"at_least\": n} or {\"more_than_base\": n}";
            let problem = Problem::new(node.span.clone(), "\"passed\" says two things at once", "two rules");
            reader.problem(problem.help(help));
            None
        }
        // An unknown key in it is told already.
        (None, None) if matches!(&node.value, Value::Object(members) if !members.is_empty()) => None,
        (None, None) => {
            let help = "write a number, {\"at_least\": n} or {\"more_than_base\": n}";
            reader.problem(Problem::new(node.span.clone(), "\"passed\" asks for nothing", "no rule").help(help));
            None
        }
    }
}

fn test_names(reader: &mut Reader, node: &Node) -> Option<Vec<String>> {
    reader.each(node, "test names", |reader, item| reader.string(item).map(str::to_owned)).map(sorted)
}

fn fail_to_pass(reader: &mut Reader, node: &Node) -> Option<FailToPass> {
    if matches!(node.value, Value::Object(_)) {
        let object = reader.object(node, &["at_least"])?;
        let number = reader.required(&object, "at_least")?;
        return reader.within("at_least", |reader| reader.integer(number, 1, u64::MAX)).map(FailToPass::AtLeast);
    }
    if !matches!(node.value, Value::Array(_)) {
        reader.wrong_type(node, "must be a list of test names or {\"at_least\": n}");
        return None;
    }
    test_names(reader, node).map(FailToPass::Names)
}

fn pass_to_pass(reader: &mut Reader, node: &Node) -> Option<PassToPass> {
    match &node.value {
        Value::Bool(true) => Some(PassToPass::All { except: Vec::new() }),
        Value::Bool(false) => {
            let problem = Problem::new(node.span.clone(), "\"pass_to_pass\" is false", "asks for nothing");
            reader.problem(problem.help("leave the key out"));
            None
        }
        Value::Array(_) => test_names(reader, node).map(PassToPass::Names),
        Value::Object(_) => {
            let object = reader.object(node, &["except"])?;
            let list = reader.required(&object, "except")?;
            let except = reader.within("except", |reader| reader.each(list, "test names or path rules", except))?;
            Some(PassToPass::All { except: sorted(except) })
        }
        _ => {
            reader.wrong_type(node, "must be true, a list of test names or {\"except\": [...]}");
            None
        }
    }
}

fn except(reader: &mut Reader, node: &Node) -> Option<Except> {
    match &node.value {
        Value::Object(_) => reader.path_rule(node).map(Except::Files),
        _ => reader.string(node).map(|name| Except::Name(name.to_owned())),
    }
}

/// A command alone asks for nothing that the run could fail to show.
fn asks_for_something(reader: &mut Reader, object: &Object<'_>) {
    if ["passed", "names", "fail_to_pass", "pass_to_pass"].iter().all(|key| object.get(key).is_none()) {
        let name = reader.name();
        let problem =
            Problem::new(object.span().clone(), format!("{name} does not say what must pass"), "asks for nothing");
        reader.problem(problem.help("add \"passed\", \"names\", \"fail_to_pass\" or \"pass_to_pass\""));
    }
}

/// The order and repeats of a list of names or rules mean nothing, so they do not change the digest either.
fn sorted<T: Ord>(mut items: Vec<T>) -> Vec<T> {
    items.sort_unstable();
    items.dedup();
    items
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    fn read_text(text: &str) -> (Vec<Box<dyn Clause>>, Vec<Problem>) {
        let node = json::parse(text, 64).expect("the sample is JSON");
        let Value::Object(members) = node.value else { panic!("the sample is an object") };
        let mut reader = Reader::new();
        let clauses = reader.within("tests", |reader| read(reader, &members[0]));
        (clauses, reader.into_problems())
    }

    /// A command with its own report needs no known runner, so that these tables hold for every list of runners.
    fn entry_with(fields: &str) -> String {
        format!(r#"{{"tests": [{{"command": ["x"], "junit": "r.xml", {fields}}}]}}"#)
    }

    fn normalized(fields: &str, key: &str) -> String {
        let (clauses, problems) = read_text(&entry_with(fields));
        assert_eq!(problems, [], "{fields}");
        clauses[0].normalized()[key].to_string()
    }

    #[test]
    fn fields_are_understood_and_defaults_written_out() {
        for (fields, key, expected) in [
            (r#""passed": 4"#, "passed", "4"),
            (r#""passed": 4"#, "command", r#"["x"]"#),
            (r#""passed": 4"#, "cwd", r#"".""#),
            (r#""passed": 4"#, "repeat", "1"),
            (r#""passed": 4"#, "timeout_seconds", "900"),
            (r#""passed": 4"#, "junit", r#""r.xml""#),
            (r#""passed": 4.0, "cwd": "./web/""#, "cwd", r#""web""#),
            (r#""passed": {"at_least": 1e1}"#, "passed", r#"{"at_least":10}"#),
            (r#""passed": {"more_than_base": 0}"#, "passed", r#"{"more_than_base":0}"#),
            (r#""names": ["b", "a", "b"]"#, "names", r#"["a","b"]"#),
            (r#""fail_to_pass": ["b", "a"]"#, "fail_to_pass", r#"["a","b"]"#),
            (r#""fail_to_pass": {"at_least": 2}"#, "fail_to_pass", r#"{"at_least":2}"#),
            (r#""pass_to_pass": true"#, "pass_to_pass", "true"),
            (r#""pass_to_pass": ["a"]"#, "pass_to_pass", r#"["a"]"#),
            (
                r#""pass_to_pass": {"except": [{"glob": "t/**"}, "a"]}"#,
                "pass_to_pass",
                r#"{"except":["a",{"glob":"t/**"}]}"#,
            ),
            (r#""passed": 1, "test_files": ["b", "a"]"#, "test_files", r#"["a","b"]"#),
            (r#""passed": 1, "max_skipped": 0"#, "max_skipped", "0"),
            (r#""passed": 1, "timeout_seconds": 86400"#, "timeout_seconds", "86400"),
            (r#""passed": 1, "repeat": 20"#, "repeat", "20"),
        ] {
            assert_eq!(normalized(fields, key), expected, "{fields}");
        }
    }

    #[test]
    fn every_problem_is_told_at_its_place() {
        for (fields, place, message) in [
            (r#""passed": 0"#, "0", "\"passed\" must be a whole number, 1 or more"),
            (r#""passed": "4""#, "\"4\"", "\"passed\" must be a whole number, 1 or more"),
            (r#""passed": true"#, "true", "\"passed\" must be a whole number, 1 or more"),
            (r#""passed": {}"#, "{}", "\"passed\" asks for nothing"),
            (r#""passed": {"at_least": 0}"#, "0", "\"at_least\" must be a whole number, 1 or more"),
            (
                r#""passed": {"at_least": 1, "more_than_base": 1}"#,
                r#"{"at_least": 1, "more_than_base": 1}"#,
                "\"passed\" says two things at once",
            ),
            (r#""passed": {"atleast": 1}"#, "\"atleast\"", "unknown key \"atleast\""),
            (r#""names": []"#, "[]", "\"names\" is an empty list"),
            (r#""names": [""]"#, "\"\"", "entry 1 of \"names\" is empty"),
            (r#""fail_to_pass": true"#, "true", "\"fail_to_pass\" must be a list of test names or {\"at_least\": n}"),
            (r#""fail_to_pass": {}"#, "{}", "\"fail_to_pass\" has no \"at_least\""),
            (r#""pass_to_pass": false"#, "false", "\"pass_to_pass\" is false"),
            (r#""pass_to_pass": {"except": []}"#, "[]", "\"except\" is an empty list"),
            (r#""passed": 1, "repeat": 21"#, "21", "\"repeat\" must be a whole number, from 1 to 20"),
            (r#""passed": 1, "repeat": 0"#, "0", "\"repeat\" must be a whole number, from 1 to 20"),
            (
                r#""passed": 1, "timeout_seconds": 86401"#,
                "86401",
                "\"timeout_seconds\" must be a whole number, from 1 to 86400",
            ),
            (r#""passed": 1, "cwd": "../..""#, "\"../..\"", "\"../..\" is not a path inside the repository"),
            (r#""passed": 1, "dir": "web""#, "\"dir\"", "unknown key \"dir\""),
        ] {
            let text = entry_with(fields);
            let (clauses, problems) = read_text(&text);
            assert_eq!(problems.len(), 1, "{fields}: {problems:?}");
            assert_eq!(&text[problems[0].span.clone()], place, "{fields}");
            assert_eq!(problems[0].message, message, "{fields}");
            assert!(clauses.is_empty() || problems[0].message.starts_with("unknown key"), "{fields}");
        }
    }

    #[test]
    fn an_entry_that_asks_for_nothing_is_a_problem() {
        for (text, message) in [
            (
                r#"{"tests": [{"command": ["x"], "junit": "r.xml"}]}"#,
                "entry 1 of \"tests\" does not say what must pass",
            ),
            (r#"{"tests": [{"passed": 4}]}"#, "entry 1 of \"tests\" has no \"command\""),
            (r#"{"tests": []}"#, "\"tests\" is an empty list"),
            (r#"{"tests": [{"command": 4, "passed": 4}]}"#, "\"command\" must be a string or a list of strings"),
            (r#"{"tests": [{"command": ["x", 4], "passed": 4}]}"#, "entry 2 of \"command\" must be a string"),
            (
                r#"{"tests": [{"command": "npx vitest run $(id)", "passed": 4}]}"#,
                "the command holds `$`, and no shell reads it",
            ),
            (
                r#"{"tests": [{"command": "some-unheard-of-runner", "passed": 4}]}"#,
                "`some-unheard-of-runner` is not a test runner that can be observed",
            ),
        ] {
            let (_, problems) = read_text(text);
            let messages: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
            assert_eq!(messages, [message], "{text}");
        }
    }

    #[test]
    fn all_problems_of_all_entries_are_told_together() {
        let text =
            r#"{"tests": [{"command": 1, "passed": 0, "x": 1}, {"command": ["x"], "junit": "../x", "repeat": 0}]}"#;
        let (_, problems) = read_text(text);
        assert_eq!(problems.len(), 6, "{problems:?}");
    }
}
