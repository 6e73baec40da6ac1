//! `cargo test` as it really behaves.

use super::support::{Fixture, check_observed, compare_observed, missing, on_path};
use agent_acceptance::facts::Completeness;
use std::ffi::OsString;
use std::path::PathBuf;

fn search_path() -> Option<OsString> {
    let Some(cargo) = on_path("cargo") else {
        missing("cargo");
        return None;
    };
    let folders = [cargo.parent()?.to_owned(), PathBuf::from("/usr/local/bin"), "/usr/bin".into(), "/bin".into()];
    std::env::join_paths(folders).ok()
}

#[track_caller]
fn check(fixture: &str, variant: &str, command: &str) {
    if let Some(path) = search_path() {
        check_observed(&format!("cargo/{fixture}"), variant, &path, command);
    }
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    check("pass", "", "cargo test --offline");
    check("mix", "", "cargo test --offline --no-fail-fast");
    check("dup", "", "cargo t --offline");
}

#[test]
fn filters_and_ignored_tests_are_chosen_as_cargo_does() {
    let Some(path) = search_path() else { return };
    // Built once for all of them.
    let fixture = Fixture::new("cargo/mix", &path);
    for (variant, more) in [
        ("nested", "nested"),
        ("ignored", "--lib -- --ignored"),
        ("all", "--lib -- --include-ignored --skip returns --skip should ignored adds"),
        ("exact", "--test it -- --exact tests::adds"),
        ("doc", "--doc"),
        ("targets", "--all-targets"),
        ("nothing", "nothing_of_this_name"),
    ] {
        compare_observed("cargo/mix", variant, &fixture.observe(&format!("cargo test --offline {more}")));
    }
}

#[test]
fn a_test_that_ends_its_process_takes_no_other_result_away() {
    check("crash", "", "cargo test --offline");
}

#[test]
fn what_tests_and_their_children_print_is_no_evidence() {
    check("spoof", "", "cargo test --offline");
}

#[test]
fn targets_that_do_not_compile_are_told_and_the_others_run() {
    check("load", "", "cargo test --offline");
}

#[test]
fn nothing_there_is_nothing_passed() {
    check("empty", "", "cargo test --offline");
}

#[test]
fn a_binary_with_a_harness_of_its_own_is_one_test() {
    check("harness", "", "cargo test --offline");
}

#[test]
fn members_of_a_workspace_are_kept_apart() {
    check("workspace", "", "cargo test --offline --workspace");
    check("workspace", "member", "cargo test --offline -p b --bins");
}

#[test]
fn a_configured_runner_is_called_by_ours() {
    check("runner", "", "cargo test --offline");
}

#[test]
fn the_sources_that_were_compiled_are_told_and_the_tree_is_left_alone() {
    let Some(path) = search_path() else { return };
    let fixture = Fixture::new("cargo/workspace", &path);
    let observed = fixture.observe("cargo test --offline");
    assert_eq!(observed.readout.completeness, Completeness::Complete);
    for file in ["a/src/lib.rs", "b/src/lib.rs", "b/src/main.rs"] {
        let path = fixture.root().join(file);
        assert!(observed.readout.loaded.contains(&path), "{file} is not in {:?}", observed.readout.loaded);
    }
    assert!(!fixture.root().join("target").exists());
    assert!(observed.readout.version.is_some());
}
