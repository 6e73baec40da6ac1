//! From a text to a contract, or to every problem that it has.

use super::{Contract, PlacedProblem, Reading, block, digest, problem, shown_text};
use crate::clauses::{Clause, KINDS};
use crate::json::{self, Member, Node, Problem, Reader, Value};

/// Texts over this many bytes are refused: nobody reads such an issue.
const LARGEST_TEXT: usize = 1 << 20;

/// Lists and objects may be nested this deep.
const DEEPEST: usize = 64;

/// Keys that are no clause.
const OTHER_KEYS: [&str; 2] = ["harness_changes", "$schema"];

/// Reads a contract from a Markdown text or from bare JSON.
pub fn read(text: &[u8]) -> Reading {
    if let Some(problem) = unreadable(text) {
        return Reading::Invalid(vec![problem]);
    }
    let shown = shown_text(text);
    let place = |problems| Reading::Invalid(problem::place_all(problems, &shown));
    let json = match block::find(&shown) {
        Ok(Some(json)) => json,
        Ok(None) => return Reading::Absent,
        Err(problems) => return place(problems),
    };
    match json::parse(json.text(), DEEPEST).and_then(|node| contract(&node)) {
        Ok(contract) => Reading::Valid(Box::new(contract)),
        Err(mut problems) => {
            for problem in &mut problems {
                problem.span = json.origin(&problem.span);
            }
            place(problems)
        }
    }
}

fn unreadable(text: &[u8]) -> Option<PlacedProblem> {
    let whole = |message: String, help: &str| {
        let label = String::new();
        PlacedProblem { line: 1, column: 1, span: 0..0, message, label, help: Some(help.to_owned()) }
    };
    if text.len() > LARGEST_TEXT {
        let message = format!("the text has {} bytes, more than the {LARGEST_TEXT} that are read", text.len());
        return Some(whole(message, "write the contract into a file or an issue of its own"));
    }
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return Some(whole("the text is UTF-16, not UTF-8".to_owned(), "save it as UTF-8"));
    }
    if text.contains(&0) {
        return Some(whole("the text holds a NUL byte: it is not a text".to_owned(), "name a Markdown or JSON file"));
    }
    let error = std::str::from_utf8(text).err()?;
    let shown = shown_text(text);
    // Up to the wrong byte nothing was replaced, but a byte-order mark was taken off.
    let taken_off = if text.starts_with("\u{feff}".as_bytes()) { 3 } else { 0 };
    let at = error.valid_up_to() - taken_off;
    let span = at..at + '\u{fffd}'.len_utf8();
    let problem = Problem::new(span, "the text is not UTF-8", "this byte").help("save it as UTF-8");
    Some(PlacedProblem::place(problem, &shown))
}

fn contract(root: &Node) -> Result<Contract, Vec<Problem>> {
    let mut reader = Reader::new();
    let known: Vec<&str> = KINDS.iter().map(|kind| kind.key).chain(OTHER_KEYS).collect();
    let Some(object) = reader.object(root, &known) else {
        return Err(reader.into_problems());
    };
    let mut clauses: Vec<Box<dyn Clause>> = Vec::new();
    for kind in KINDS {
        if let Some(member) = object.member(kind.key) {
            clauses.extend(reader.within(kind.key, |reader| (kind.read)(reader, member)));
        }
    }
    if let Some(Member { value, .. }) = object.member("$schema") {
        reader.within("$schema", |reader| reader.string(value).map(str::len));
    }
    let harness_changes = match object.get("harness_changes") {
        Some(node) => reader.within("harness_changes", |reader| reader.path_rules(node)).unwrap_or_default(),
        None => Vec::new(),
    };
    let declares = KINDS.iter().any(|kind| object.get(kind.key).is_some());
    if !declares && reader.is_clean() {
        let label = match &root.value {
            Value::Object(members) if members.is_empty() => "an empty object",
            _ => "no clause in it",
        };
        let help = format!("say what must hold, with one of: {}", known[..KINDS.len()].join(", "));
        reader.problem(Problem::new(root.span.clone(), "the contract declares no check", label).help(help));
    }
    let problems = reader.into_problems();
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut contract = Contract { clauses, harness_changes, digest: String::new() };
    contract.digest = digest::digest(&contract.normalized());
    Ok(contract)
}

#[cfg(test)]
mod tests {
    use super::{Reading, read};

    fn outcome(text: &str) -> String {
        match read(text.as_bytes()) {
            Reading::Absent => "absent".to_owned(),
            Reading::Valid(contract) => format!("valid: {}", contract.normalized()),
            Reading::Invalid(problems) => problems
                .iter()
                .map(|problem| format!("{}:{}: {}", problem.line, problem.column, problem.message))
                .collect::<Vec<_>>()
                .join("; "),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(outcome(text), expected, "{text}");
    }

    fn fenced(json: &str) -> String {
        format!("```acceptance\n{json}\n```\n")
    }

    #[track_caller]
    fn digest(text: &str) -> String {
        match read(text.as_bytes()) {
            Reading::Valid(contract) => contract.digest,
            other => panic!("not a contract: {other:?}"),
        }
    }

    fn first_problem(text: &[u8]) -> (usize, usize, String) {
        match read(text) {
            Reading::Invalid(mut problems) => {
                let problem = problems.swap_remove(0);
                (problem.line, problem.column, problem.message)
            }
            other => panic!("not invalid: {other:?}"),
        }
    }

    #[test]
    fn a_text_without_a_block_has_no_contract() {
        for text in ["", "Just words about `acceptance`.", "Use ```acceptance {\"max_added_lines\": 1}``` here"] {
            check(text, "absent");
        }
    }

    #[test]
    fn whole_numbers_have_many_spellings() {
        for (written, value) in
            [("15", "15"), ("15.0", "15"), ("1e1", "10"), ("-0", "0"), ("99999999999999999999", "18446744073709551615")]
        {
            let expected = format!("valid: {{\"max_added_lines\":{value}}}");
            check(&fenced(&format!("{{\"max_added_lines\": {written}}}")), &expected);
        }
        for written in ["-1", "1.5", "true", "null", "[1]"] {
            let expected = "2:21: \"max_added_lines\" must be a whole number, 0 or more";
            check(&fenced(&format!("{{\"max_added_lines\": {written}}}")), expected);
        }
    }

    #[test]
    fn all_problems_are_told_at_once() {
        check(
            &fenced("{\n  \"changed_file_only\": [\"a\"],\n  \"max_added_lines\": \"60\"\n}"),
            "3:3: unknown key \"changed_file_only\"; 4:22: \"max_added_lines\" must be a whole number, 0 or more",
        );
        check(
            &fenced("{\"line_limits\": [{\"path\": \"../a\", \"max_added\": -1, \"x\": 1}], \"harness_changes\": []}"),
            "2:27: \"../a\" is not a path inside the repository; \
             2:48: \"max_added\" must be a whole number, 0 or more; \
             2:52: unknown key \"x\"; 2:81: \"harness_changes\" is an empty list",
        );
    }

    #[test]
    fn places_are_those_of_the_text_that_was_written() {
        let text = "\u{feff}# Täsk\r\n\r\n- do\r\n\r\n  ```acceptance\r\n  {\r\n  \t\"é\": 1\r\n  }\r\n  ```\r\n";
        check(text, "7:4: unknown key \"é\"");
        check("words\r```acceptance\r{\r  \"x\": 1}\r```", "4:3: unknown key \"x\"");
    }

    #[test]
    fn a_contract_must_ask_for_something() {
        check("{}", "1:1: the contract declares no check");
        check("{\"harness_changes\": [\"vitest.config.ts\"]}", "1:1: the contract declares no check");
        check("{\"$schema\": \"x\"}", "1:1: the contract declares no check");
        check("[1]", "1:1: the contract must be an object");
        check(&fenced("null"), "2:1: the contract must be an object");
    }

    #[test]
    fn editors_may_name_their_schema() {
        check("{\"$schema\": \"x\", \"max_added_lines\": 1}", "valid: {\"max_added_lines\":1}");
        check("{\"$schema\": 1, \"max_added_lines\": 1}", "1:13: \"$schema\" must be a string");
    }

    #[test]
    fn what_is_no_text_is_refused_with_the_reason() {
        assert_eq!(first_problem(b"ab\xffc"), (1, 3, "the text is not UTF-8".to_owned()));
        assert_eq!(first_problem("\u{feff}\ré\u{e9}".as_bytes().split_last().expect("bytes").1).0, 2);
        assert_eq!(first_problem(b"\xff\xfea\0").2, "the text is UTF-16, not UTF-8");
        assert_eq!(first_problem(b"\x7fELF\0\xff").2, "the text holds a NUL byte: it is not a text");
        let large = vec![b'a'; (1 << 20) + 1];
        assert_eq!(first_problem(&large).2, "the text has 1048577 bytes, more than the 1048576 that are read");
        check(&"a".repeat(1 << 20), "absent");
    }

    #[test]
    fn the_digest_names_the_meaning_and_not_the_spelling() {
        let one = digest("{\"changed_files_only\": [\"b\", \"./a\", \"b\"], \"max_added_lines\": 15}");
        let same =
            fenced("{\"max_added_lines\": 1.5e1,\n\"$schema\": \"x\", \"changed_files_only\": [\"/a\", \"\\u0062\"]}");
        assert_eq!(one, digest(&same));
        for other in [
            "{\"changed_files_only\": [\"a\", \"b\"], \"max_added_lines\": 16}",
            "{\"changed_files_only\": [\"a\", {\"glob\": \"b\"}], \"max_added_lines\": 15}",
            "{\"changed_files_only\": [\"a\", \"b\"], \"max_added_lines\": 15, \"harness_changes\": [\"c\"]}",
            "{\"changed_files_required\": [\"a\", \"b\"], \"max_added_lines\": 15}",
        ] {
            assert_ne!(one, digest(other), "{other}");
        }
    }

    #[test]
    fn the_digest_is_stable() {
        // Changing it makes every pinned contract fail: raise the number in `digest.rs` and say so in the changelog.
        assert_eq!(
            digest("{\"changed_files_only\": [\"a\", {\"glob\": \"b/**\"}]}"),
            "sha256:f8cba221e619d9e65b889dfe1c47911cebc367174b7a1982f98ffc02857a6010"
        );
    }

    #[test]
    fn clauses_come_in_the_originals_order() {
        let Reading::Valid(contract) = read(
            br#"{"file_excludes": [{"path": "a", "text": "x"}], "max_deleted_lines": 1, "changed_files_required": ["a"],
                "file_contains": [{"path": "a", "text": "y"}, {"path": "b", "text": "y"}], "changed_files_only": ["a"]}"#,
        ) else {
            panic!("it is a contract");
        };
        let order: Vec<&str> = contract.clauses.iter().map(|clause| clause.at()).collect();
        let expected = [
            "/changed_files_only",
            "/changed_files_required",
            "/max_deleted_lines",
            "/file_contains/0",
            "/file_contains/1",
            "/file_excludes/0",
        ];
        assert_eq!(order, expected);
        let plan = contract.plan();
        assert!(plan.change);
        assert_eq!(plan.contents.len(), 3);
        assert_eq!(plan.harness_named.len(), 2);
    }
}
