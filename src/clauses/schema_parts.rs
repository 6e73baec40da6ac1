//! Pieces of JSON Schema that kinds of clauses share. The whole is put together by the contract.

use serde_json::{Value, json};

/// Adds what editors show of a key.
pub(super) fn described(mut schema: Value, description: &str, markdown: &str, examples: &Value) -> Value {
    if let Value::Object(members) = &mut schema {
        members.insert("description".to_owned(), Value::String(description.to_owned()));
        members.insert("markdownDescription".to_owned(), Value::String(markdown.to_owned()));
        members.insert("examples".to_owned(), examples.clone());
    }
    schema
}

/// A literal path or a pattern; defined once by the contract's schema.
pub(super) fn path_rule() -> Value {
    json!({ "$ref": "#/definitions/path_rule" })
}

/// A list of path rules that is not empty.
pub(super) fn path_rules() -> Value {
    json!({ "type": "array", "items": path_rule(), "minItems": 1 })
}

/// A list of objects that is not empty.
pub(super) fn entries(properties: &Value, required: &[&str], further: &Value) -> Value {
    let mut items = json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    });
    if let (Value::Object(items), Value::Object(further)) = (&mut items, further) {
        items.extend(further.clone());
    }
    json!({ "type": "array", "items": items, "minItems": 1 })
}

/// A whole number, 0 or more.
pub(super) fn whole_number() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

/// The members `text` and `regex`.
pub(super) fn rule_text() -> Value {
    json!({
        "text": {
            "type": "string",
            "minLength": 1,
            "description": "Word for word; line ends are LF on both sides.",
        },
        "regex": {
            "type": "string",
            "minLength": 1,
            "description": "A regular expression of the Rust crate regex; ^ and $ match at lines, . stays in one.",
        },
    })
}
