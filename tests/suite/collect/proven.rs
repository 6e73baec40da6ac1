//! Tests that stand in the source itself: the change goes back and they stay, so that they can prove it.

use super::change::Change;
use crate::suite::support::{missing, on_path};
use serde_json::{Value, json};

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = \"slug\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
const LOCK: (&str, &str) = ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"slug\"\nversion = \"0.1.0\"\n");

fn source(function: &str, tests: &str) -> String {
    format!(
        "//! Makes names for addresses.\n\n{function}\n\n#[cfg(test)]\nmod tests {{\n    use super::*;\n\n    \
         #[test]\n    fn lowers() {{\n        assert_eq!(slug(\"A\"), \"a\");\n    }}\n{tests}}}\n"
    )
}

const BEFORE: &str = "pub fn slug(text: &str) -> String {\n    text.to_lowercase().replace(' ', \"-\")\n}";
const AFTER: &str = "pub fn slug(text: &str) -> String {\n    text.split_whitespace().collect::<Vec<_>>().join(\"-\").to_lowercase()\n}";
const NEW_TEST: &str = "\n    #[test]\n    fn joins_runs() {\n        assert_eq!(slug(\"a  b\"), \"a-b\");\n    }\n";
const EMPTY_TEST: &str = "\n    #[test]\n    fn joins_runs() {\n        assert_eq!(slug(\"a b\"), \"a-b\");\n    }\n";

#[track_caller]
fn check(function: &str, tests: &str, contract: &Value, status: &str) {
    if on_path("cargo").is_none() {
        return missing("cargo");
    }
    let (base, head) = (source(BEFORE, ""), source(function, tests));
    let ignore = (".gitignore", "target/\n");
    let change = Change::new(&[MANIFEST, LOCK, ignore, ("src/lib.rs", &base)], &[("src/lib.rs", &head)]);
    let failing: &[&str] = if status == "failed" { &["tests"] } else { &[] };
    let verdict = change.ends(contract, &[], status, failing);
    if status == "failed" {
        let evidence = verdict["checks"][0]["evidence"].to_string();
        assert!(evidence.contains("joins_runs"), "{verdict:#}");
    }
}

#[test]
fn rust_tests_in_the_source_prove_the_change_that_stands_beside_them() {
    let by_name = json!({"tests": [{"command": "cargo test --offline --lib", "fail_to_pass": ["tests::joins_runs"]}]});
    let by_number = json!({"tests": [{"command": "cargo test --offline --lib", "fail_to_pass": {"at_least": 1},
                                      "test_files": ["src/lib.rs"]}]});
    check(AFTER, NEW_TEST, &by_name, "passed");
    check(AFTER, NEW_TEST, &by_number, "passed");
    // It passes without the change too.
    check(AFTER, EMPTY_TEST, &by_name, "failed");
    // The change is not there.
    check(BEFORE, NEW_TEST, &by_name, "failed");
}
