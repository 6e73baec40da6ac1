//! From text to located values, or every reason why it is not strict JSON.

use super::{Decimal, Member, Node, Problem, Value};
use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::collections::HashMap;
use std::ops::Range;

/// Parses strict JSON.
///
/// `max_depth` is how deep lists and objects may be nested.
///
/// # Errors
/// Returns the first mistake in the notation, or all duplicate keys and numbers that are not finite.
pub fn parse(text: &str, max_depth: usize) -> Result<Node, Vec<Problem>> {
    if let Some(at) = too_deep(text, max_depth) {
        let message = format!("lists and objects are nested deeper than {max_depth}");
        return Err(vec![Problem::new(at..at + 1, message, "too deep")]);
    }
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        return Err(vec![syntax_problem(text, &error)]);
    }
    let strict = ParseOptions {
        allow_comments: false,
        allow_loose_object_property_names: false,
        allow_trailing_commas: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = match parse_to_ast(text, &CollectOptions::default(), &strict) {
        Ok(parsed) => parsed,
        Err(error) => {
            let range = error.range();
            return Err(vec![Problem::new(range.start..range.end, "this is not JSON", error.kind().to_string())]);
        }
    };
    let Some(root) = parsed.value else {
        return Err(vec![Problem::new(0..text.len(), "there is no JSON value", "nothing here")]);
    };
    let mut problems = Vec::new();
    let node = convert(root, &mut problems);
    if problems.is_empty() { Ok(node) } else { Err(problems) }
}

/// Returns the offset of the bracket that goes too deep. Runs before any recursive parser.
fn too_deep(text: &str, max_depth: usize) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (true, b'"') => in_string = false,
            (false, b'"') => in_string = true,
            (false, b'[' | b'{') => {
                depth += 1;
                if depth > max_depth {
                    return Some(at);
                }
            }
            (false, b']' | b'}') => depth = depth.saturating_sub(1),
            (true | false, _) => {}
        }
    }
    None
}

fn syntax_problem(text: &str, error: &serde_json::Error) -> Problem {
    let at = offset_of(text, error.line(), error.column());
    let full = error.to_string();
    let message = full.split(" at line ").next().unwrap_or(&full);
    if let Some(span) = lone_surrogate(text, at).filter(|_| message.contains("hex escape")) {
        let problem = Problem::new(span, "this is not JSON", "half a character (a lone surrogate)");
        return problem.help("write the character itself, or both halves of it");
    }
    let end = text[at..].chars().next().map_or(at, |c| at + c.len_utf8());
    Problem::new(at..end, "this is not JSON", message)
}

/// Finds the `\uD800` to `\uDFFF` that ends shortly before a place.
fn lone_surrogate(text: &str, at: usize) -> Option<Range<usize>> {
    let before = text.get(..at.min(text.len()))?;
    let start = before.rfind("\\u")?;
    let digits = text.get(start + 2..start + 6)?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    (at - start <= 12 && (0xd800..0xe000).contains(&value)).then_some(start..start + 6)
}

/// Turns serde_json's line and column (in bytes, from 1; column 0 is a line's end) into an offset.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let start = match line {
        0 | 1 => 0,
        _ => text.match_indices('\n').nth(line - 2).map_or(text.len(), |(at, _)| at + 1),
    };
    let mut at = (start + column.saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn convert(value: ast::Value<'_>, problems: &mut Vec<Problem>) -> Node {
    let range = value.range();
    let span = range.start..range.end;
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::StringLit(literal) => Value::String(literal.value.into_owned()),
        ast::Value::NumberLit(literal) => {
            if Decimal::parse(literal.value).is_none() {
                problems.push(Problem::new(span.clone(), "this number is not finite", "too large or too small"));
            }
            Value::Number(literal.value.to_owned())
        }
        ast::Value::Array(array) => {
            Value::Array(array.elements.into_iter().map(|element| convert(element, problems)).collect())
        }
        ast::Value::Object(object) => Value::Object(members(object, problems)),
    };
    Node { value, span }
}

fn members(object: ast::Object<'_>, problems: &mut Vec<Problem>) -> Vec<Member> {
    let mut seen: HashMap<String, Range<usize>> = HashMap::new();
    let mut members = Vec::with_capacity(object.properties.len());
    for property in object.properties {
        let range = property.name.range();
        let key_span = range.start..range.end;
        let key = property.name.as_str().to_owned();
        if seen.insert(key.clone(), key_span.clone()).is_some() {
            let problem =
                Problem::new(key_span.clone(), format!("the key {key:?} stands here a second time"), "duplicate key");
            problems.push(problem.help("keep one of the two: a reader cannot know which counts"));
        }
        members.push(Member { key, key_span, value: convert(property.value, problems) });
    }
    members
}

#[cfg(test)]
mod tests {
    use super::parse;

    fn first_problem(text: &str) -> String {
        let problems = parse(text, 64).expect_err("the text is wrong");
        let problem = &problems[0];
        format!("{:?}: {}", &text[problem.span.clone()], problem.label)
    }

    #[test]
    fn values_stand_where_they_are_written() {
        let text = "{\"a\": [1, \"é\", {\"b\": true}]}";
        let node = parse(text, 64).expect("strict JSON");
        let list = node.get("a").expect("a list");
        assert_eq!(&text[list.span.clone()], "[1, \"é\", {\"b\": true}]");
    }

    #[test]
    fn what_is_not_strict_json_is_refused_at_its_place() {
        for text in [
            "",
            "{",
            "{\"a\":1,}",
            "// x\n1",
            "{'a':1}",
            "[01]",
            "[1 2]",
            "NaN",
            "[+1]",
            "\u{a0}1",
            "[\"\u{1}\"]",
            "1 x",
            "[\"\\ud800\"]",
            "[.5]",
            "0x1",
        ] {
            assert!(parse(text, 64).is_err(), "{text:?} was taken");
        }
        assert_eq!(first_problem("{\"a\": 1,}"), "\"}\": trailing comma");
        assert_eq!(first_problem("[\"é\\ud800\"]"), "\"\\\\ud800\": half a character (a lone surrogate)");
        assert_eq!(first_problem("[\"\\udc00x\"]"), "\"\\\\udc00\": half a character (a lone surrogate)");
    }

    #[test]
    fn duplicate_keys_are_refused_at_any_level() {
        assert_eq!(first_problem("{\"a\": {\"b\": 1, \"\\u0062\": 2}}"), "\"\\\"\\\\u0062\\\"\": duplicate key");
    }

    #[test]
    fn nesting_is_bounded_before_anything_recurses() {
        let deep = "[".repeat(100_000);
        assert_eq!(parse(&deep, 64).expect_err("too deep")[0].span, 64..65);
    }

    proptest::proptest! {
        #[test]
        fn located_values_are_those_that_serde_reads(
            tokens in proptest::collection::vec(proptest::sample::select(vec![
                "{", "}", "[", "]", ":", ",", "\"a\"", "\"\\ud83d\\ude00\"", "\"\\u0000\\n\\/\"", "1", "-0.5e+2", "null",
                "true", " ", "\n", "\"é\"", "\"\\\\\"",
            ]), 0..24),
        ) {
            let text = tokens.concat();
            if let Ok(node) = parse(&text, 64) {
                let read: serde_json::Value = serde_json::from_str(&text).expect("it was taken as JSON");
                proptest::prop_assert_eq!(node.to_json(), read);
            }
        }
    }
}
