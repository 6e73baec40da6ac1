//! The JSON Schema of `tests`, for editors. Knows nothing of how the key is read.

use crate::clauses::schema_parts;
use serde_json::{Value, json};

/// Returns the schema of the key's value.
pub(super) fn schema() -> Value {
    let rule = schema_parts::path_rule();
    let names = json!({"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1});
    let at_least = json!({
        "type": "object",
        "properties": {"at_least": {"type": "integer", "minimum": 1}},
        "required": ["at_least"],
        "additionalProperties": false
    });
    let entry = json!({
        "type": "object",
        "properties": {
            "command": {
                "description": "A known test runner: a string that is split at white space, or a list of arguments. Never a shell.",
                "oneOf": [
                    {"type": "string", "minLength": 1},
                    {"type": "array", "items": {"type": "string"}, "minItems": 1}
                ],
                "examples": ["npx vitest run tests/slugify.test.ts", ["pytest", "-k", "a or b"]]
            },
            "cwd": {"type": "string", "description": "The folder to run in. Default: the root.", "default": "."},
            "passed": {
                "description": "How many tests pass: exactly, at least, or more than at the merge base.",
                "oneOf": [
                    {"type": "integer", "minimum": 1},
                    at_least,
                    {
                        "type": "object",
                        "properties": {"more_than_base": {"type": "integer", "minimum": 0}},
                        "required": ["more_than_base"],
                        "additionalProperties": false
                    }
                ],
                "examples": [4, {"at_least": 4}, {"more_than_base": 2}]
            },
            "names": with(&names, "Tests that ran and passed: a full name, its last part, or `file > full name`."),
            "fail_to_pass": {
                "description": "Tests that pass, and fail when the change's source is taken back to the merge base.",
                "oneOf": [names, at_least]
            },
            "pass_to_pass": {
                "description": "Tests that pass at the merge base still exist and pass.",
                "oneOf": [
                    {"const": true},
                    names,
                    {
                        "type": "object",
                        "properties": {"except": {"type": "array", "items": rule, "minItems": 1}},
                        "required": ["except"],
                        "additionalProperties": false
                    }
                ]
            },
            "test_files": {
                "description": "Which changed files are tests. Default: the runner's conventions.",
                "type": "array",
                "items": rule,
                "minItems": 1
            },
            "max_skipped": {
                "description": "At most that many skipped, todo or expected-to-fail tests.",
                "type": "integer",
                "minimum": 0
            },
            "repeat": {
                "description": "Run that often; a test whose results differ is flaky and not passed.",
                "type": "integer",
                "minimum": 1,
                "maximum": 20,
                "default": 1
            },
            "timeout_seconds": {
                "description": "Wall time of one run in seconds.",
                "type": "integer",
                "minimum": 1,
                "maximum": 86400,
                "default": super::DEFAULT_TIMEOUT_SECONDS
            },
            "junit": {
                "description": "A JUnit XML report that the command itself writes, relative to `cwd`. Any command may be named then.",
                "type": "string",
                "minLength": 1
            }
        },
        "required": ["command"],
        "anyOf": [
            {"required": ["passed"]},
            {"required": ["names"]},
            {"required": ["fail_to_pass"]},
            {"required": ["pass_to_pass"]}
        ],
        "additionalProperties": false
    });
    json!({
        "description": "Test commands that are run again, and what their tests must show.",
        "markdownDescription": "Test commands that are run again, and what their tests must show: `passed` counts, `names` \
            and `pass_to_pass` name tests, `fail_to_pass` proves that a test tests the change.",
        "type": "array",
        "items": entry,
        "minItems": 1,
        "examples": [[{"command": "npx vitest run", "passed": {"more_than_base": 1}, "pass_to_pass": true}]]
    })
}

fn with(schema: &Value, description: &str) -> Value {
    let mut described = schema.clone();
    described["description"] = json!(description);
    described
}
