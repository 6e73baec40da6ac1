//! The name of a contract: a digest over what it means, not over how it is written.

use crate::json::Decimal;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;

/// The number rises when the meaning of a clause changes, or what a default stands for.
const PREFIX: &str = "agent-acceptance/contract/1\n";

/// Returns `sha256:` and 64 hexadecimal digits over the canonical form of a contract as understood.
pub(super) fn digest(normalized: &Value) -> String {
    let mut canonical = String::from(PREFIX);
    write_canonical(normalized, &mut canonical);
    let mut digest = String::from("sha256:");
    for byte in Sha256::digest(canonical.as_bytes()) {
        let _ = write!(digest, "{byte:02x}");
    }
    digest
}

/// Writes JSON in its one form: no white space, members sorted by their bytes, numbers as exact decimals.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_string()),
        Value::Number(number) => {
            let text = number.to_string();
            match Decimal::parse(&text) {
                Some(decimal) => {
                    let _ = write!(out, "{decimal}");
                }
                None => out.push_str(&text),
            }
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_canonical(item, out);
            }
            out.push(']');
        }
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by(|(left, _), (right, _)| left.as_bytes().cmp(right.as_bytes()));
            out.push('{');
            for (index, (key, member)) in members.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write_canonical(member, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{digest, write_canonical};

    fn canonical(text: &str) -> String {
        let mut out = String::new();
        write_canonical(&serde_json::from_str(text).expect("JSON"), &mut out);
        out
    }

    #[test]
    fn one_meaning_has_one_form() {
        assert_eq!(canonical("{\"b\": [1.0, 10e-1, 0.5], \"a\": \"é\\n\"}"), "{\"a\":\"é\\n\",\"b\":[1,1,5e-1]}");
        assert_eq!(canonical("9007199254740993"), "9007199254740993");
    }

    #[test]
    fn a_digest_names_the_algorithm() {
        let digest = digest(&serde_json::json!({"max_added_lines": 1}));
        assert_eq!(digest.len(), "sha256:".len() + 64);
        assert!(digest.starts_with("sha256:"));
    }
}
