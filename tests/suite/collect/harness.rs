//! The lock as real runners' rules make it: each row a kind of change to what decides how tests run.

use super::change::{CLAIMED, Files, HONEST, SLUG, pytest};
use super::vitest;
use crate::suite::support::{Repo, Tool};
use serde_json::json;

#[track_caller]
fn check_vitest(more: Files<'_>) {
    let head = [CLAIMED, more].concat();
    let Some(change) = vitest(SLUG, &head) else { return };
    let contract = json!({"tests": [{"command": "npx vitest run", "passed": 3}]});
    for flags in [&[][..], &["--strict"]] {
        let verdict = change.ends(&contract, flags, "failed", &["tests"]);
        let found = verdict["checks"][0]["evidence"]["harness"].to_string();
        assert!(found.contains(more[0].0), "{found}");
    }
}

#[test]
fn files_that_bend_vitest_are_named() {
    check_vitest(&[("vitest.config.mjs", "export default { test: { exclude: ['**'] } };\n")]);
    check_vitest(&[("postcss.config.cjs", "process.exit(0);\n")]);
    check_vitest(&[("tests/package.json", "{\"type\": \"commonjs\"}\n")]);
    check_vitest(&[("tsconfig.json", "{\"compilerOptions\": {\"paths\": {\"vitest\": [\"./fake\"]}}}\n")]);
    check_vitest(&[(".env.test", "NODE_OPTIONS=--require=./x.js\n")]);
    check_vitest(&[("patches/vitest@3.patch", "x\n")]);
}

const PYTHON: Files<'static> = &[
    (".gitignore", "__pycache__/\n"),
    ("pytest.ini", "[pytest]\npythonpath = src\naddopts = -p helper\n"),
    ("src/helper.py", "# nothing\n"),
    ("src/slug.py", "def slug(text):\n    return text.lower()\n"),
    ("conftest.py", "import pytest\n\n\n@pytest.fixture\ndef word():\n    return 'W'\n"),
    ("tests/test_slug.py", "from slug import slug\n\n\ndef test_lower(word):\n    assert slug(word) == 'w'\n"),
];

#[track_caller]
fn check_pytest(head: Files<'_>, status: &str) {
    let Some(change) = pytest(PYTHON, head) else { return };
    let contract = json!({"tests": [{"command": "pytest", "passed": 1}]});
    let failing: &[&str] = if status == "failed" { &["tests"] } else { &[] };
    change.ends(&contract, &[], status, failing);
}

#[test]
fn files_that_bend_pytest_are_named_and_plain_fixtures_are_not() {
    check_pytest(&[("src/helper.py", "def pytest_collection_modifyitems(items):\n    pass\n")], "failed");
    check_pytest(&[("tests/conftest.py", "def pytest_runtest_makereport():\n    pass\n")], "failed");
    check_pytest(
        &[("conftest.py", "import pytest\n\n\n@pytest.fixture(autouse=True)\ndef word():\n    return 'W'\n")],
        "failed",
    );
    check_pytest(&[("setup.cfg", "[tool:pytest]\naddopts = -x\n")], "failed");
    check_pytest(&[("unittest.py", "raise SystemExit(0)\n")], "failed");
    check_pytest(
        &[("tests/conftest.py", "import pytest\n\n\n@pytest.fixture\ndef other():\n    return 1\n")],
        "passed",
    );
    check_pytest(&[("pyproject.toml", "[tool.ruff]\nline-length = 100\n")], "passed");
}

#[test]
fn whoever_wrote_the_contract_or_runs_the_tool_may_allow_a_file() {
    let config = ("vitest.config.js", "export default { test: { testTimeout: 9000 } };\n");
    let Some(change) = vitest(SLUG, &[HONEST, &[config]].concat()) else { return };
    let mut contract = json!({"tests": [{"command": "npx vitest run", "passed": 3}]});
    change.ends(&contract, &[], "failed", &["tests"]);
    change.ends(&contract, &["--allow-harness", "vitest.config.js"], "passed", &[]);
    contract["harness_changes"] = json!(["vitest.config.js"]);
    change.ends(&contract, &["--strict"], "passed", &[]);
    contract["harness_changes"] = json!(["other.js"]);
    contract["changed_files_only"] = json!(["src/slug.js", "tests/slug.test.js", {"glob": "*.js"}]);
    change.ends(&contract, &[], "failed", &["tests"]);
    contract["changed_files_only"] = json!(["src/slug.js", "tests/slug.test.js", "vitest.config.js"]);
    change.ends(&contract, &[], "passed", &[]);
}

#[test]
fn what_cannot_be_run_beside_a_changed_harness_is_told_as_not_run() {
    let repo = Repo::new();
    repo.write("package.json", "{}\n").write("tests/a.test.js", "\n").commit("Start");
    repo.branch("work").write("vitest.config.js", "\n").write("tsconfig.json", "{}\n").commit("Work");
    let contract = json!({
        "tests": [{"command": "npx vitest run", "passed": 2, "names": ["a"], "pass_to_pass": true}],
        "commands": [{"command": ["npx", "tsc", "--outDir", "a b"]}],
    });
    for format in ["human", "markdown", "json"] {
        let args = ["check", "-", "--base", "main", "--format", format];
        let told = Tool::new(repo.path(), args).stdin(contract.to_string()).run().code(1).stdout.replace("\\`", "`");
        for line in [
            "npx vitest run: not run: `vitest` is not installed; 1 harness file changed",
            "npx tsc --outDir \"a b\": not run: the program `tsc` is not installed; 1 harness file changed",
        ] {
            let line = if format == "json" { line.replace('"', "\\\"") } else { line.to_owned() };
            assert!(told.contains(&line), "{told}");
        }
        for odd in ["-0.0", "no plan asked", "no exit status", "no test report", "not there yet"] {
            assert!(!told.contains(odd), "{odd}: {told}");
        }
    }
}
