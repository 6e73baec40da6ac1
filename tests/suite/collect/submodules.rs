//! Submodules that are populated in the checkout hold what their commits hold, whatever git is told to say.

use super::change::Change;
use crate::suite::support::{Repo, missing, on_path};
use serde_json::{Value, json};

const TEST: &str = "import { test } from 'node:test';\nimport assert from 'node:assert';\n\
                    import { two } from '../vendor/lib/deep/two.mjs';\ntest('two', () => assert.equal(two, 2));\n";

fn two_passes() -> Value {
    json!({"tests": [{"command": "node --test tests/a.mjs", "passed": 1}]})
}

/// A project with a submodule, populated, in which lies another one.
fn project() -> Option<Change> {
    if on_path("node").is_none() {
        missing("node");
        return None;
    }
    let (deep, lib) = (Repo::new(), Repo::new());
    deep.write("two.mjs", "export const two = 2;\n").commit("two");
    let add = |repo: &Repo, from: &Repo, place: &str| {
        let from = from.path().to_str().expect("a path");
        repo.git(&["-c", "protocol.file.allow=always", "submodule", "add", "--quiet", from, place]);
    };
    lib.write(".gitignore", "built/\n").write("readme", "x\n");
    add(&lib, &deep, "deep");
    lib.commit("lib");
    let change = Change::new(&[("package.json", "{\"private\": true}\n")], &[]);
    add(&change.repo, &lib, "vendor/lib");
    change.repo.commit("with a submodule");
    change.repo.git(&["-c", "protocol.file.allow=always", "submodule", "update", "--quiet", "--init", "--recursive"]);
    change.repo.checkout("main").git(&["merge", "--quiet", "--ff-only", "pr"]);
    change.repo.checkout("pr").write("tests/a.mjs", TEST).commit("a test");
    Some(change)
}

#[track_caller]
fn check_dirty(change: &Change) {
    let verdict = change.ends(&two_passes(), &[], "error", &["tests"]);
    assert_eq!(verdict["error"]["kind"], "dirty_tree", "{verdict:#}");
    assert!(verdict["error"]["next"].to_string().contains("git submodule update"), "{verdict:#}");
}

#[test]
fn a_submodule_at_its_commit_passes_and_every_edit_of_it_is_seen() {
    let Some(change) = project() else { return };
    let repo = &change.repo;
    change.ends(&two_passes(), &[], "passed", &[]);
    // Told to overlook it, in every place that can be told.
    for (name, value) in [("diff.ignoreSubmodules", "all"), ("submodule.vendor/lib.ignore", "all")] {
        repo.git(&["config", name, value]);
    }
    let deep = "vendor/lib/deep/two.mjs";
    let inside = repo.file("vendor/lib/deep");
    repo.git(&["-C", inside.to_str().expect("a path"), "update-index", "--assume-unchanged", "two.mjs"]);
    repo.write(deep, "export const two = 1 + 1;\n");
    assert_eq!(repo.git(&["status", "--porcelain"]), "");
    check_dirty(&change);
    repo.write(deep, "export const two = 2;\n");
    change.ends(&two_passes(), &[], "passed", &[]);
    repo.remove("vendor/lib/readme");
    check_dirty(&change);
    repo.write("vendor/lib/readme", "x\n");
    // What its own rules ignore is the author's as everywhere in a checkout.
    repo.write("vendor/lib/built/package.json", "{}\n");
    change.ends(&two_passes(), &[], "passed", &[]);
}

#[test]
fn a_submodule_at_another_commit_and_a_folder_that_is_none_are_seen() {
    let Some(change) = project() else { return };
    let inside = change.repo.file("vendor/lib/deep");
    let at = inside.to_str().expect("a path");
    change.repo.write("vendor/lib/deep/two.mjs", "export const two = 1 + 1;\n");
    change.repo.git(&["-C", at, "commit", "--quiet", "--all", "--message", "another"]);
    check_dirty(&change);
    change.repo.git(&["-C", at, "checkout", "--quiet", "HEAD~1"]);
    change.ends(&two_passes(), &[], "passed", &[]);
    // Files without a repository that could say what they are.
    std::fs::remove_file(inside.join(".git")).expect("a file");
    check_dirty(&change);
    std::fs::remove_dir_all(&inside).expect("a folder");
    change.ends(&two_passes(), &[], "failed", &["tests"]);
}
