//! `cargo nextest` as it really behaves.

use super::support::{check_observed, missing, on_path};
use std::ffi::OsString;
use std::path::PathBuf;

fn search_path() -> Option<OsString> {
    let (Some(cargo), Some(nextest)) = (on_path("cargo"), on_path("cargo-nextest")) else {
        missing("cargo with nextest");
        return None;
    };
    let folders = [cargo.parent()?.to_owned(), nextest.parent()?.to_owned(), "/usr/bin".into(), PathBuf::from("/bin")];
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
    check("pass", "nextest", "cargo nextest run --offline");
    check("mix", "nextest", "cargo nextest run --offline");
    check("dup", "nextest", "cargo nextest r --offline");
}

#[test]
fn filters_and_ignored_tests_are_chosen_as_nextest_does() {
    check("mix", "nextest-nested", "cargo nextest run --offline nested");
    check("mix", "nextest-ignored", "cargo nextest run --offline --run-ignored only");
    check("mix", "nextest-exact", "cargo nextest run --offline --test it -- --exact tests::adds");
}

#[test]
fn a_test_that_ends_its_process_before_its_result_has_failed() {
    check("crash", "nextest", "cargo nextest run --offline");
}

#[test]
fn what_tests_and_their_children_print_is_no_evidence() {
    check("spoof", "nextest", "cargo nextest run --offline");
}

#[test]
fn targets_that_do_not_compile_are_told_and_the_others_run() {
    check("load", "nextest", "cargo nextest run --offline");
}

#[test]
fn nothing_there_is_nothing_passed() {
    check("empty", "nextest", "cargo nextest run --offline");
}

#[test]
fn members_of_a_workspace_are_kept_apart() {
    check("workspace", "nextest", "cargo nextest run --offline --workspace");
}

#[test]
fn retries_of_the_configuration_and_aliases_are_not_followed() {
    check("flaky", "nextest", "cargo nextest run --offline");
}
