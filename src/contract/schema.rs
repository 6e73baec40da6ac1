//! The JSON Schema of contracts, for editors, put together from what each kind of clause says of its key.
//! It helps while writing; whether a contract is valid, only `read` decides.

use crate::clauses::KINDS;
use serde_json::{Map, Value, json};

/// Returns the JSON Schema of a contract.
///
/// Draft 7, which every editor understands.
pub fn json_schema() -> Value {
    let mut properties = Map::new();
    properties.insert(
        "$schema".to_owned(),
        json!({ "type": "string", "description": "The schema that editors check this file with. Means nothing else." }),
    );
    for kind in KINDS {
        properties.insert(kind.key.to_owned(), (kind.schema)());
    }
    properties.insert("harness_changes".to_owned(), harness_changes());
    let clauses: Vec<Value> = KINDS.iter().map(|kind| json!({ "required": [kind.key] })).collect();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "$id": "urn:agent-acceptance:contract:1",
        "title": "agent-acceptance contract",
        "description": "What a change must do to be accepted, written by a human before the work starts.",
        "markdownDescription": "What a change must do to be accepted, written by a human before the work starts: \
            a fenced `acceptance` block in an issue or a Markdown file, or a JSON file.",
        "examples": [{
            "changed_files_only": ["src/slugify.ts", "tests/slugify.test.ts"],
            "max_added_lines": 15,
            "tests": [{ "command": "npx vitest run tests/slugify.test.ts", "passed": 4 }],
        }],
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "anyOf": clauses,
        "definitions": { "path_rule": path_rule() },
    })
}

fn harness_changes() -> Value {
    json!({
        "type": "array",
        "items": { "$ref": "#/definitions/path_rule" },
        "minItems": 1,
        "description": "Files that decide how tests run and count, and that may change all the same.",
        "markdownDescription": "Files that decide how tests run and count (runner configuration, `package.json`, \
            `conftest.py`, ...) and that may change all the same. Asks for nothing itself.",
        "examples": [["vitest.config.ts"]],
    })
}

fn path_rule() -> Value {
    json!({
        "description": "A path from the root of the repository, or a pattern.",
        "markdownDescription": "A path from the root of the repository, in which `*` and `[` are ordinary characters, \
            or `{\"glob\": \"src/**/*.ts\"}`, a pattern whose `*` does not cross `/`.",
        "examples": ["src/slugify.ts", { "glob": "tests/**/*.ts" }],
        "oneOf": [
            { "type": "string", "minLength": 1, "not": { "pattern": "(^|[/\\\\])\\.\\.([/\\\\]|$)|[/\\\\]$" } },
            {
                "type": "object",
                "properties": { "glob": { "type": "string", "minLength": 1 } },
                "required": ["glob"],
                "additionalProperties": false,
            },
        ],
    })
}

#[cfg(test)]
mod tests {
    use super::json_schema;
    use crate::clauses::KINDS;
    use crate::contract::{Reading, read};
    use serde_json::{Value, json};

    fn validator() -> jsonschema::Validator {
        jsonschema::validator_for(&json_schema()).expect("a schema")
    }

    #[test]
    fn every_key_is_described_with_an_example_that_is_a_contract() {
        let schema = json_schema();
        let validator = validator();
        for kind in KINDS {
            let key = kind.key;
            let property = &schema["properties"][key];
            for member in ["description", "markdownDescription", "examples"] {
                assert!(!property[member].is_null(), "{key} has no {member}");
            }
            for example in property["examples"].as_array().expect("examples") {
                let contract = json!({ key: example });
                assert!(validator.is_valid(&contract), "by the schema not valid: {contract}");
                let reading = read(contract.to_string().as_bytes());
                assert!(matches!(reading, Reading::Valid(_)), "{contract}: {reading:?}");
            }
        }
    }

    #[test]
    fn what_the_reader_refuses_the_schema_refuses_too() {
        let validator = validator();
        for contract in [
            "{}",
            "[]",
            r#"{"harness_changes": ["a"]}"#,
            r#"{"changed_file_only": ["a"]}"#,
            r#"{"changed_files_only": []}"#,
            r#"{"changed_files_only": ["src/../a"]}"#,
            r#"{"changed_files_only": [{"glob": 1}]}"#,
            r#"{"max_added_lines": -1}"#,
            r#"{"max_added_lines": 1.5}"#,
            r#"{"line_limits": [{"path": "a"}]}"#,
            r#"{"file_contains": [{"path": "a", "text": "x", "regex": "y"}]}"#,
            r#"{"file_contains": [{"path": "a", "text": ""}]}"#,
            r#"{"added_lines_exclude": [{"path": "a"}]}"#,
            r#"{"tests": [{"command": "npx vitest run"}]}"#,
            r#"{"tests": [{"command": "npx vitest run", "passed": 0}]}"#,
            r#"{"commands": [{"command": "tsc"}]}"#,
            r#"{"artifacts": [{"path": "a.json"}]}"#,
        ] {
            let value: Value = serde_json::from_str(contract).expect("JSON");
            assert!(!validator.is_valid(&value), "by the schema valid: {contract}");
            assert!(matches!(read(contract.as_bytes()), Reading::Invalid(_) | Reading::Absent), "{contract}");
        }
    }

    #[test]
    fn an_editor_may_check_what_is_understood() {
        let Reading::Valid(contract) = read(
            br#"{"$schema": "x", "changed_files_only": ["/b", {"glob": "./a/**"}], "max_added_lines": 1e1,
                "line_limits": [{"path": "a", "max_deleted": 0}], "harness_changes": ["c"],
                "tests": [{"command": "npx vitest run", "passed": 4, "cwd": "."}]}"#,
        ) else {
            panic!("it is a contract");
        };
        let errors: Vec<String> =
            validator().iter_errors(&contract.normalized()).map(|error| error.to_string()).collect();
        assert_eq!(errors, [""; 0]);
    }
}
