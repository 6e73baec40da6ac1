//! From a text to a contract, or to every problem that it has.

use super::{Contract, PlacedProblem, Reading, block, digest, shown_text};
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
    let place = |problems: Vec<Problem>| {
        Reading::Invalid(problems.into_iter().map(|problem| PlacedProblem::place(problem, &shown)).collect())
    };
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

    #[test]
    fn a_text_without_a_block_has_no_contract() {
        for text in ["", "Just words about `acceptance`.", "Use ```acceptance {\"max_added_lines\": 1}``` here"] {
            check(text, "absent");
        }
    }

    #[test]
    fn whole_numbers_have_many_spellings() {
        check(&fenced("{\"max_added_lines\": 15.0}"), "valid: {\"max_added_lines\":15}");
        check(&fenced("{\"max_added_lines\": 1e1}"), "valid: {\"max_added_lines\":10}");
    }

    #[test]
    fn all_problems_are_told_at_once() {
        check(
            &fenced("{\n  \"changed_file_only\": [\"a\"],\n  \"max_added_lines\": \"60\"\n}"),
            "3:3: unknown key \"changed_file_only\"; 4:22: \"max_added_lines\" must be a whole number, 0 or more",
        );
    }
}
