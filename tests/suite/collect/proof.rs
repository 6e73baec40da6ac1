//! Every runner in node tells what it loaded: a clone tests the packages of its own commit, and a way back into the
//! checkout is an error and never a result.

use super::change::{Change, Files, link};
use crate::suite::support::{missing, node_modules, on_path};
use serde_json::{Value, json};
use std::path::Path;

/// A runner: its packages, its command, and how a test is written for it.
struct Runner {
    packages: Option<&'static str>,
    command: &'static str,
    first_lines: &'static str,
}

const RUNNERS: [Runner; 4] = [
    Runner { packages: Some("jest30"), command: "npx jest", first_lines: "" },
    Runner {
        packages: Some("mocha12"),
        command: "npx mocha packages/app",
        first_lines: "const { it: test } = require('mocha');\n",
    },
    Runner {
        packages: Some("playwright1"),
        command: "npx playwright test",
        first_lines: "const { test } = require('@playwright/test');\n",
    },
    Runner { packages: None, command: "node --test", first_lines: "const { test } = require('node:test');\n" },
];

/// A workspace whose test at `main` passes with either side's source, and at `pr` has a second one for head's alone.
fn workspace(runner: &Runner, spy: Option<&dyn Fn(&Path) -> String>) -> Option<Change> {
    if on_path("node").is_none() {
        missing("node");
        return None;
    }
    let shared = match runner.packages {
        Some(name) => Some(node_modules(name)?),
        None => None,
    };
    let start = format!("{}const assert = require('node:assert');\n", runner.first_lines);
    let test = format!(
        "{start}const {{ side }} = require('@w/core');\n\
         test('has a side', () => {{ assert.ok(side === 'base' || side === 'head'); }});\n"
    );
    let more = format!("{test}test('is head', () => {{ assert.equal(side, 'head'); }});\n");
    let base: Files<'_> = &[
        ("package.json", "{\"private\": true, \"workspaces\": [\"packages/*\"]}\n"),
        (".gitignore", "node_modules/\ntest-results/\n"),
        ("packages/core/package.json", "{\"name\": \"@w/core\", \"main\": \"index.js\"}\n"),
        ("packages/core/index.js", "exports.side = 'base';\n"),
        ("packages/app/package.json", "{\"name\": \"@w/app\"}\n"),
        ("packages/app/app.test.js", &test),
    ];
    let head: Files<'_> =
        &[("packages/core/index.js", "exports.side = 'head';\n"), ("packages/app/app.test.js", &more)];
    let change = Change::new(base, head);
    let folder = change.repo.file("node_modules");
    std::fs::create_dir_all(folder.join("@w")).expect("a folder");
    for entry in shared.iter().flat_map(|shared| std::fs::read_dir(shared).expect("packages").flatten()) {
        link(&entry.path(), &folder.join(entry.file_name()));
    }
    link(Path::new("../../packages/core"), &folder.join("@w/core"));
    if let Some(spy) = spy {
        let root = change.repo.path().canonicalize().expect("a path");
        change.repo.checkout("main");
        change.repo.write("packages/app/spy.test.js", format!("{start}{}", spy(&root))).commit("base with a spy");
        change.repo.checkout("pr");
        change.repo.git(&["rebase", "--quiet", "main"]);
    }
    Some(change)
}

fn more_than_base(runner: &Runner) -> Value {
    json!({"tests": [{"command": runner.command, "passed": {"more_than_base": 1}, "pass_to_pass": true}]})
}

#[track_caller]
fn check_leak(runners: &[Runner], spy: &dyn Fn(&Path) -> String) {
    for runner in runners {
        let Some(change) = workspace(runner, Some(spy)) else { continue };
        let verdict = change.ends(&more_than_base(runner), &["--strict"], "error", &["tests"]);
        assert_eq!(verdict["error"]["kind"], "source_leaked", "{}: {verdict:#}", runner.command);
    }
}

#[test]
fn a_workspace_tests_the_packages_of_its_own_commit_with_every_runner() {
    for runner in &RUNNERS {
        let Some(change) = workspace(runner, None) else { continue };
        for flags in [&[][..], &["--strict"]] {
            change.ends(&more_than_base(runner), flags, "passed", &[]);
        }
    }
}

#[test]
fn a_path_into_the_checkout_that_a_test_loads_is_an_error() {
    check_leak(&RUNNERS, &|root| {
        let file = root.join("packages/core/index.js");
        format!("require({file:?});\ntest('spies', () => {{}});\n")
    });
}

#[test]
fn a_path_into_the_checkout_that_a_test_puts_together_is_an_error() {
    // The others do not tell what they loaded, and such a path stands in no text.
    let tells = |runner: &Runner| matches!(runner.command, "node --test" | "npx mocha packages/app");
    let runners: Vec<Runner> = RUNNERS.into_iter().filter(tells).collect();
    check_leak(&runners, &|root| {
        let (start, end) = (root.join("packages"), "index.js");
        format!("test('spies', () => {{ require([{start:?}, 'core', {end:?}].join('/')); }});\n")
    });
}

#[cfg(unix)]
#[test]
fn a_link_into_the_checkout_that_set_up_makes_is_an_error() {
    for runner in &RUNNERS {
        let Some(change) = workspace(runner, None) else { continue };
        let root = change.repo.path().canonicalize().expect("a path");
        let set_up = format!("ln -sfn {} node_modules/@w/core", root.join("packages/core").display());
        let verdict = change.ends(&more_than_base(runner), &["--strict", "--setup", &set_up], "error", &["tests"]);
        assert_eq!(verdict["error"]["kind"], "source_leaked", "{}: {verdict:#}", runner.command);
    }
}

#[test]
fn a_file_that_head_does_not_have_is_seen_when_it_is_loaded_in_the_checkout() {
    for runner in &RUNNERS {
        let Some(change) = workspace(runner, None) else { continue };
        let contract = json!({"tests": [{"command": runner.command, "passed": 2}]});
        change.repo.write("packages/core/index.js", "exports.side = require('./more.js').side;\n");
        change.repo.git(&["commit", "--quiet", "--all", "--message", "half of the work"]);
        change.repo.write("packages/core/more.js", "exports.side = 'head';\n");
        change.ends(&contract, &[], "failed", &["tests"]);
        change.repo.write("packages/core/more.js", "exports.side = 'head';\n").commit("the other half");
        change.ends(&contract, &[], "passed", &[]);
    }
}
