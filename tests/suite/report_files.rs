//! `bun test`, `deno test`, `ctest` and `bats` as they really behave.

use super::support::{Fixture, Repo, Tool, check_observed, compare_observed, missing, node_modules, on_path};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The folder of a program, with those of a shell's tools behind it.
fn path_of(program: Option<PathBuf>) -> Option<OsString> {
    let shell = on_path("sh")?.parent()?.to_owned();
    std::env::join_paths([program?.parent()?.to_owned(), shell]).ok()
}

/// A program that an npm package holds for this system, in a package of its own.
#[track_caller]
fn of_package(packages: &str, scope: &str, names: &[&str]) -> Option<OsString> {
    let folders = std::fs::read_dir(node_modules(packages)?.join(scope)).expect("the package");
    let files =
        folders.flat_map(|folder| names.iter().map(move |name| folder.as_ref().expect("a folder").path().join(name)));
    path_of(files.into_iter().find(|file| file.is_file()))
}

fn bun() -> Option<OsString> {
    of_package("bun1", "@oven", &["bin/bun", "bin/bun.exe"])
}

fn deno() -> Option<OsString> {
    of_package("deno2", "@deno", &["deno", "deno.exe"])
}

fn installed(name: &str) -> Option<OsString> {
    let path = path_of(on_path(name));
    if path.is_none() {
        missing(name);
    }
    path
}

#[test]
fn bun_tells_every_status_and_name() {
    let Some(path) = bun() else { return };
    for (fixture, command) in [
        ("pass", "bun test"),
        ("mix", "bun test"),
        ("skipped", "bun test"),
        ("own-setting", "bun test"),
        ("load", "bun test"),
        ("exit0", "bun test"),
        ("spoof", "bun test"),
        ("empty", "bun test"),
    ] {
        check_observed(&format!("bun/{fixture}"), "", &path, command);
    }
}

#[test]
fn deno_tells_every_status_and_name() {
    let Some(path) = deno() else { return };
    for fixture in ["pass", "mix", "skipped", "load", "syntax", "exit0", "spoof", "empty"] {
        check_observed(&format!("deno/{fixture}"), "", &path, "deno test");
    }
}

#[test]
fn bats_tells_every_status_and_name() {
    let Some(path) = installed("bats") else { return };
    for (fixture, command) in [
        ("pass", "bats --timing test"),
        ("mix", "bats -r test"),
        ("flaky", "bats ."),
        ("skipped", "bats ."),
        ("load", "bats a.bats b.bats"),
        ("exit0", "bats a.bats"),
        ("hooks", "bats ."),
        ("spoof", "bats a.bats"),
        ("empty", "bats -r test"),
    ] {
        check_observed(&format!("bats/{fixture}"), "", &path, command);
    }
}

#[test]
fn ctest_tells_every_status_and_name() {
    let (Some(path), Some(cmake)) = (installed("ctest"), on_path("cmake")) else { return };
    for fixture in ["pass", "mix", "skipped", "missing", "spoof", "empty"] {
        let name = format!("ctest/{fixture}");
        let copy = Fixture::new(&name, &path);
        let args = ["-S", ".", "-B", "build"];
        assert_cmd::Command::new(&cmake).current_dir(copy.root()).args(args).assert().success();
        compare_observed(&name, "", &copy.observe("ctest --test-dir build"));
    }
}

/// A repository with one passing test, and a branch `work` with one more and `file` changed.
fn repo(command: &str, test: (&str, &str, &str), file: Option<(&str, &str)>) -> Repo {
    let (name, one, two) = test;
    let repo = Repo::new();
    let words: Vec<String> = command.split(' ').map(|word| format!("\"{word}\"")).collect();
    let clause = format!(
        "{{\"command\": [{}], \"passed\": {{\"more_than_base\": 1}}, \"pass_to_pass\": true}}",
        words.join(", ")
    );
    repo.write("issue.md", format!("```acceptance\n{{\"tests\": [{clause}]}}\n```\n"));
    repo.write(name, one).write(".gitignore", "node_modules\n").commit("Start");
    repo.branch("work").write(name, format!("{one}{two}"));
    if let Some((path, text)) = file {
        repo.write(path, text);
    }
    repo.commit("Add a test");
    repo
}

#[track_caller]
fn check(path: &OsString, command: &str, test: (&str, &str, &str), harness: (&str, &str), channel: &str) {
    let checked = |repo: &Repo, more: &[&str], code: i32| -> String {
        let args = ["check", "issue.md", "--base", "main", "--format", "json"];
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR")).join("deno-cache");
        let tool = Tool::new(repo.path(), args.iter().chain(more)).env("PATH", path_with_git(path));
        tool.env("DENO_DIR", cache).run().code(code).stdout
    };
    let honest = repo(command, test, None);
    for mode in [&[][..], &["--strict"]] {
        let told = checked(&honest, mode, 0);
        assert!(told.contains(channel), "{command} {mode:?}: {told}");
    }
    let changed = repo(command, test, Some(harness));
    let told = checked(&changed, &[], 1);
    assert!(told.contains(harness.0), "{command}: {told}");
    let nothing = repo(command, (test.0, test.1, ""), Some(("notes.txt", "more\n")));
    checked(&nothing, &[], 1);
}

fn path_with_git(path: &OsString) -> OsString {
    let git = on_path("git").and_then(|git| Some(git.parent()?.to_owned()));
    std::env::join_paths(std::env::split_paths(path).chain(git)).expect("a path")
}

const IN_A_FILE: &str = "in a report file, which the code under test could write too";

#[test]
fn base_runs_strict_mode_and_the_harness_lock_hold_for_bun() {
    let Some(path) = bun() else { return };
    let one = "import { test } from 'bun:test'\ntest('one', () => {})\n";
    let test = ("a.test.ts", one, "test('two', () => {})\n");
    check(&path, "bun test", test, ("bunfig.toml", "[test]\npreload = [\"./x.ts\"]\n"), IN_A_FILE);
}

#[test]
fn base_runs_strict_mode_and_the_harness_lock_hold_for_deno() {
    let Some(path) = deno() else { return };
    let test = ("a_test.ts", "Deno.test('one', () => {})\n", "Deno.test('two', () => {})\n");
    check(&path, "deno test", test, ("deno.json", "{\"imports\": {}}\n"), IN_A_FILE);
}

#[test]
fn base_runs_strict_mode_and_the_harness_lock_hold_for_bats() {
    let Some(path) = installed("bats") else { return };
    let test = ("test/a.bats", "@test \"one\" { true; }\n", "@test \"two\" { true; }\n");
    check(&path, "bats test", test, ("test/setup_suite.bash", "setup_suite() { :; }\n"), "(private channel)");
}

#[test]
fn base_runs_strict_mode_and_the_harness_lock_hold_for_ctest() {
    let (Some(path), Some(_)) = (installed("ctest"), on_path("cmake")) else { return };
    let start = "cmake_minimum_required(VERSION 3.10)\nproject(x NONE)\nenable_testing()\n\
                 add_test(NAME one COMMAND ${CMAKE_COMMAND} -E true)\n";
    let test = ("CMakeLists.txt", start, "add_test(NAME two COMMAND ${CMAKE_COMMAND} -E true)\n");
    let honest = repo("ctest --test-dir build", test, None);
    honest.write(".gitignore", "build/\n").commit("Ignore what is built");
    let setup = ["--setup", "cmake -S . -B build"];
    let checked = |repo: &Repo, mode: &str, code: i32| -> String {
        let args = ["check", "issue.md", "--base", "main", "--format", "json", mode];
        let tool = Tool::new(repo.path(), args.iter().chain(&setup)).env("PATH", path_with_git(&path));
        tool.run().code(code).stdout
    };
    let told = checked(&honest, "--strict", 0);
    assert!(told.contains(IN_A_FILE), "{told}");
    let changed =
        repo("ctest --test-dir build", test, Some(("CTestCustom.cmake", "set(CTEST_CUSTOM_TESTS_IGNORE two)\n")));
    let told = checked(&changed, "--isolate", 1);
    assert!(told.contains("CTestCustom.cmake"), "{told}");
}
