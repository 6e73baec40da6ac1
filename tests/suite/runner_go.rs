//! `go test` as it really behaves.

use super::support::{Repo, Tool, check_observed, missing, on_path, python_with};
use std::path::{Path, PathBuf};

/// The system's Go, whatever its version, and one of the newest.
fn toolchains() -> Vec<(&'static str, PathBuf)> {
    let newest = python_with("go1").and_then(|python| Some(python.parent()?.join("go")));
    let own = on_path("go").or_else(|| {
        missing("go");
        None
    });
    [("", own), ("newest", newest)].into_iter().filter_map(|(name, go)| Some((name, go?))).collect()
}

#[track_caller]
fn check(fixture: &str, command: &str) {
    for (variant, go) in toolchains() {
        let folders = [go.parent().map(Path::to_owned), on_path("sh").and_then(|sh| Some(sh.parent()?.to_owned()))];
        let path = std::env::join_paths(folders.into_iter().flatten()).expect("a path");
        check_observed(&format!("go/{fixture}"), variant, &path, command);
    }
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    check("pass", "go test ./...");
    check("pass", "go test -v -cover -trimpath -shuffle=on -vet off ./...");
    check("mix", "go test -v ./...");
    check("skipped", "go test -short");
}

#[test]
fn a_run_that_is_cut_short_leaves_no_whole_report() {
    check("exit0", "go test ./...");
    check("panic", "go test ./...");
    check("hang", "go test -timeout 1s");
}

#[test]
fn packages_that_are_not_built_are_told_and_nothing_there_is_nothing_passed() {
    check("load", "go test ./...");
    check("empty", "go test ./...");
}

#[test]
fn what_tests_print_is_no_result() {
    check("spoof", "go test");
}

#[test]
fn a_main_of_the_tests_that_hides_their_status_is_seen() {
    check("tmain", "go test ./...");
}

/// A repository with the contract that one more test is added, and a branch `work`.
fn repo() -> Repo {
    let repo = Repo::new();
    let contract = "```acceptance\n{\"tests\": [{\"command\": \"go test ./...\", \"passed\": {\"more_than_base\": 1}, \
                    \"fail_to_pass\": {\"at_least\": 1}, \"pass_to_pass\": true}]}\n```\n";
    repo.write("go.mod", "module example.com/story\n\ngo 1.19\n").write("issue.md", contract);
    repo.write("a.go", "package story\n\n// Add adds.\nfunc Add(a, b int) int { return a }\n");
    repo.write("a_test.go", "package story\n\nimport \"testing\"\n\nfunc TestZero(t *testing.T) {\n\tif Add(1, 0) != 1 {\n\t\tt.Fail()\n\t}\n}\n");
    repo.commit("Start");
    repo.branch("work");
    repo
}

const FIXED: &str = "package story\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n";
const NEW_TEST: &str = "package story\n\nimport \"testing\"\n\nfunc TestOne(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Fail()\n\t}\n}\n";

#[track_caller]
fn checked(repo: &Repo, more: &[&str], code: i32) -> String {
    let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-cache");
    let args = ["check", "issue.md", "--base", "main", "--format", "json"];
    let tool = Tool::new(repo.path(), args.iter().chain(more)).env("GOCACHE", &cache);
    tool.run().code(code).stdout
}

#[test]
fn an_added_test_is_proved_in_every_mode() {
    if on_path("go").is_none() {
        return missing("go");
    }
    let honest = repo();
    honest.write("a.go", FIXED).write("b_test.go", NEW_TEST).commit("Add");
    for mode in [&[][..], &["--strict"]] {
        let told = checked(&honest, mode, 0);
        assert!(told.contains("private channel"), "{told}");
    }
    let claimed = repo();
    claimed.write("a.go", FIXED).commit("Fix");
    checked(&claimed, &[], 1);
    let printed = repo();
    let print = "package story\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n)\n\nfunc TestOne(t *testing.T) {\n\tfmt.Println(\"=== RUN   TestTwo\\n--- PASS: TestTwo (0.00s)\")\n}\n";
    printed.write("a.go", FIXED).write("b_test.go", print).commit("Print");
    checked(&printed, &[], 1);
}

#[test]
fn what_replaces_a_dependency_or_go_itself_is_harness() {
    if on_path("go").is_none() {
        return missing("go");
    }
    for (file, text) in [
        ("go.mod", "module example.com/story\n\ngo 1.19\n\nreplace example.com/x => ./x\n"),
        ("go.work", "go 1.19\n\nuse .\n"),
        ("vendor/modules.txt", "\n"),
    ] {
        let repo = repo();
        repo.write("a.go", FIXED).write("b_test.go", NEW_TEST).write(file, text).commit("Add");
        let told = checked(&repo, &[], 1);
        assert!(told.contains(file), "{file}: {told}");
    }
}
