//! Reads `cargo nextest list --message-format json`: which tests each binary has, and which of them will run.

use crate::runners::cargo_test::messages::{Listed, Suite};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Answer {
    rust_suites: BTreeMap<String, OfBinary>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct OfBinary {
    binary_path: PathBuf,
    #[serde(default)]
    testcases: BTreeMap<String, Case>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Case {
    ignored: bool,
    filter_match: Match,
}

#[derive(Deserialize)]
struct Match {
    status: String,
}

/// Reads the answer; `None` when it is none.
pub(crate) fn read(text: &[u8]) -> Option<Vec<Suite>> {
    let answer: Answer = serde_json::from_slice(text).ok()?;
    let suite = |of_binary: OfBinary| Suite {
        path: of_binary.binary_path,
        n_all: of_binary.testcases.len(),
        tests: of_binary
            .testcases
            .into_iter()
            .map(|(name, case)| Listed { name, ignored: case.ignored, runs: case.filter_match.status == "matches" })
            // What a filter leaves out is nobody's business; what is ignored is told.
            .filter(|test| test.runs || test.ignored)
            .collect(),
    };
    Some(answer.rust_suites.into_values().map(suite).collect())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn tests_that_run_and_tests_that_are_ignored_are_listed() {
        let text =
            br#"{"rust-build-meta":{},"test-count":3,"rust-suites":{"mix":{"package-name":"mix","binary-id":"mix",
            "binary-name":"mix","kind":"lib","binary-path":"/t/mix-1","status":"listed","testcases":{
            "a":{"kind":"test","ignored":false,"filter-match":{"status":"matches"}},
            "b":{"kind":"test","ignored":true,"filter-match":{"status":"mismatch","reason":"ignored"}},
            "c":{"ignored":false,"filter-match":{"status":"mismatch","reason":"string"}}}},
            "x":{"binary-path":"/t/x","status":"skipped"}}}"#;
        let suites = read(text).unwrap();
        let told: Vec<_> = suites[0].tests.iter().map(|test| (test.name.as_str(), test.ignored, test.runs)).collect();
        assert_eq!(told, [("a", false, true), ("b", true, false)]);
        assert_eq!((suites[0].n_all, suites[1].n_all, suites[1].tests.len()), (3, 0, 0));
        assert!(read(b"error: nothing").is_none());
    }
}
