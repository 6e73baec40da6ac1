//! Which parts of a `tsconfig.json` decide what the code under test is when it runs.
//! Knows nothing of other files or of who may change them.

use super::part::Part;
use jsonc_parser::JsonValue;
use serde_json::Value;

/// Compiler options that change which files are loaded or what their code means when it runs. Checks such as
/// `strict` change nothing there.
const OPTIONS: [&str; 16] = [
    "paths",
    "baseUrl",
    "rootDirs",
    "jsx",
    "jsxFactory",
    "jsxFragmentFactory",
    "jsxImportSource",
    "experimentalDecorators",
    "emitDecoratorMetadata",
    "useDefineForClassFields",
    "customConditions",
    "moduleSuffixes",
    "preserveSymlinks",
    "plugins",
    "verbatimModuleSyntax",
    "importsNotUsedAsValues",
];

/// Compares two versions, `None` where there is none.
pub(crate) fn compare(base: Option<&str>, head: Option<&str>) -> Vec<Part> {
    let (Some(base), Some(head)) = (parse(base), parse(head)) else {
        return vec![Part::unreadable("JSON with comments")];
    };
    let mut found = Vec::new();
    for key in ["extends", "ts-node", "tsx"] {
        if base.get(key) != head.get(key) {
            found.push(Part::fault(key, "it decides how the code is compiled for the tests"));
        }
    }
    let option = |side: &Value, key: &str| side.get("compilerOptions").and_then(|options| options.get(key)).cloned();
    for key in OPTIONS {
        if option(&base, key) != option(&head, key) {
            found.push(Part::fault(
                format!("compilerOptions.{key}"),
                "it decides which files are loaded, or what their code means",
            ));
        }
    }
    found
}

fn parse(text: Option<&str>) -> Option<Value> {
    let Some(text) = text else { return Some(Value::Object(serde_json::Map::new())) };
    let parsed =
        jsonc_parser::parse_to_value(text.trim_start_matches('\u{feff}'), &jsonc_parser::ParseOptions::default());
    let value = parsed.ok()?.map_or_else(|| Value::Object(serde_json::Map::new()), plain);
    value.is_object().then_some(value)
}

fn plain(value: JsonValue<'_>) -> Value {
    match value {
        JsonValue::Null => Value::Null,
        JsonValue::Boolean(value) => Value::Bool(value),
        JsonValue::Number(text) => Value::String(format!("number {text}")),
        JsonValue::String(text) => Value::String(text.into_owned()),
        JsonValue::Array(items) => Value::Array(items.into_iter().map(plain).collect()),
        JsonValue::Object(members) => {
            Value::Object(members.into_iter().map(|(key, value)| (key.to_string(), plain(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, head: &str, expected: &[&str]) {
        let found = compare(Some(base), Some(head));
        let found: Vec<_> = found.iter().map(|part| part.section.as_deref().unwrap_or("-")).collect();
        assert_eq!(found, expected, "{base} -> {head}");
    }

    #[test]
    fn options_that_change_what_runs_are_seen_and_checks_are_not() {
        check("{}", r#"{"compilerOptions": {"strict": false, "noEmit": true}, "include": ["x"]}"#, &[]);
        check("{}", r#"{"compilerOptions": {"paths": {"a": ["./evil"]}}}"#, &["compilerOptions.paths"]);
        check("{}", r#"{"extends": "./evil.json"}"#, &["extends"]);
        check("{ // c\n \"compilerOptions\": {\"jsx\": \"react\",},}", r#"{"compilerOptions": {"jsx": "react"}}"#, &[]);
        check("{}", "{", &["-"]);
    }
}
