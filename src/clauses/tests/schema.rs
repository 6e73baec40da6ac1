//! The JSON Schema of `tests`, for editors. Knows nothing of how the key is read.

use crate::clauses::schema_parts::{described, entries, path_rule, path_rules, whole_number};
use serde_json::{Map, Value, json};

/// Returns the schema of the key's value.
pub(super) fn schema() -> Value {
    let mut properties = Map::new();
    properties.extend(command());
    properties.extend(results());
    properties.extend(limits());
    let asks = ["passed", "names", "fail_to_pass", "pass_to_pass"].map(|key| json!({ "required": [key] }));
    described(
        entries(&Value::Object(properties), &["command"], &json!({ "anyOf": asks })),
        "Test commands that are run again, and what their tests must show.",
        "Test commands that are run again, and what their tests must show: a count (`passed`), `names`, proof that a test \
         tests the change (`fail_to_pass`), and that nothing was lost (`pass_to_pass`).",
        &json!([[{ "command": "npx vitest run", "passed": { "more_than_base": 1 }, "pass_to_pass": true }]]),
    )
}

type Properties = [(String, Value); 3];

fn command() -> Properties {
    let command = one_of(&[
        json!({ "type": "string", "minLength": 1 }),
        json!({ "type": "array", "items": { "type": "string" }, "minItems": 1 }),
    ]);
    [
        property(
            "command",
            command,
            "A known test runner: a string that is split at white space, or a list of arguments. Never a shell.",
            &json!(["npx vitest run tests/slugify.test.ts", ["pytest", "-k", "a or b"]]),
        ),
        property(
            "cwd",
            json!({ "type": "string", "default": "." }),
            "The folder to run in. Default: the root.",
            &json!(["packages/web"]),
        ),
        property(
            "junit",
            json!({ "type": "string", "minLength": 1 }),
            "A JUnit XML report that the command itself writes, relative to `cwd` and not tracked by git. Any installed program may be \
             named then; what it runs could write the report too, and `--strict` does not accept it.",
            &json!(["build/report.xml"]),
        ),
    ]
}

fn results() -> [(String, Value); 4] {
    let names = json!({ "type": "array", "items": { "type": "string", "minLength": 1 }, "minItems": 1 });
    let one_or_more = json!({ "type": "integer", "minimum": 1 });
    let at_least = object("at_least", &one_or_more);
    let more = object("more_than_base", &whole_number());
    let except = json!({
        "type": "array",
        "items": { "anyOf": [{ "type": "string", "minLength": 1 }, path_rule()] },
        "minItems": 1,
    });
    [
        property(
            "passed",
            one_of(&[one_or_more, at_least.clone(), more]),
            "How many tests pass: exactly, at least, or more than at the merge base under names of their own.",
            &json!([4, { "at_least": 4 }, { "more_than_base": 2 }]),
        ),
        property(
            "names",
            names.clone(),
            "Tests that ran and passed: a full name, its last part, or `file > full name`.",
            &json!([["slugify > collapses runs"]]),
        ),
        property(
            "fail_to_pass",
            one_of(&[names.clone(), at_least]),
            "Tests that pass, and fail when the change's source is taken back to the merge base.",
            &json!([["collapses runs"], { "at_least": 1 }]),
        ),
        property(
            "pass_to_pass",
            one_of(&[json!({ "const": true }), names, object("except", &except)]),
            "Tests that pass at the merge base still exist and pass.",
            &json!([true, { "except": ["old behaviour", { "glob": "tests/legacy/**" }] }]),
        ),
    ]
}

fn limits() -> [(String, Value); 4] {
    let between =
        |most: u64, default: u64| json!({ "type": "integer", "minimum": 1, "maximum": most, "default": default });
    [
        property(
            "test_files",
            path_rules(),
            "Which changed files are tests. Default: the runner's conventions.",
            &json!([[{ "glob": "checks/**/*.ts" }]]),
        ),
        property(
            "max_skipped",
            whole_number(),
            "At most that many skipped, todo or expected-to-fail tests.",
            &json!([0]),
        ),
        property(
            "repeat",
            between(20, 1),
            "Run that often; a test whose results differ is flaky and not passed.",
            &json!([3]),
        ),
        property(
            "timeout_seconds",
            between(86_400, super::DEFAULT_TIMEOUT_SECONDS),
            "Wall time of one run in seconds.",
            &json!([120]),
        ),
    ]
}

fn property(key: &str, schema: Value, description: &str, examples: &Value) -> (String, Value) {
    (key.to_owned(), described(schema, description, description, examples))
}

fn one_of(schemas: &[Value]) -> Value {
    json!({ "oneOf": schemas })
}

fn object(key: &str, value: &Value) -> Value {
    json!({ "type": "object", "properties": { key: value }, "required": [key], "additionalProperties": false })
}

#[cfg(test)]
mod tests {
    use crate::clauses::tests::read;

    #[test]
    fn every_key_that_is_read_is_described() {
        let schema = super::schema();
        let mut described: Vec<&String> = schema["items"]["properties"].as_object().unwrap().keys().collect();
        let mut known = read::KEYS.to_vec();
        described.sort_unstable();
        known.sort_unstable();
        assert_eq!(described, known);
    }
}
