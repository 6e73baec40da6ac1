//! Gradle as it really behaves: Debian's 4.4.

use super::support::{Fixture, check_observed, missing, on_path};
use agent_acceptance::facts::Status;
use std::ffi::OsString;

#[track_caller]
fn path() -> Option<OsString> {
    let (Some(gradle), Some(sh)) = (on_path("gradle"), on_path("sh")) else {
        missing("gradle");
        return None;
    };
    let folders = [gradle, sh].map(|program| program.parent().expect("a folder").to_owned());
    Some(std::env::join_paths(folders).expect("a path"))
}

#[track_caller]
fn check(fixture: &str, command: &str) {
    if let Some(path) = path() {
        check_observed(&format!("gradle/{fixture}"), "", &path, command);
    }
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    // Also: output that looks like a summary, and a project that wants results from its cache.
    check("mix", "gradle --offline -q test");
}

#[test]
fn the_same_class_in_two_projects_is_two_classes() {
    check("projects", "gradle --offline -q test --continue");
}

#[test]
fn a_test_that_ends_its_process_has_not_passed() {
    let Some(path) = path() else { return };
    // Gradle takes status 0 for success; how much of what was told before arrives depends on the machine's load.
    let observed = Fixture::new("gradle/exit0", &path).observe("gradle --offline -q test");
    assert_eq!(observed.end.exit_status, Some(0), "{:?}", observed.lines());
    let is_of_it = |class: &str| class == "t.CTest";
    let passed = observed.readout.records.iter().filter(|record| record.status == Status::Passed);
    assert!(passed.clone().all(|record| !is_of_it(&record.id.path[0])), "{:?}", observed.lines());
}

#[test]
fn sources_that_do_not_compile_are_told() {
    check("load", "gradle --offline -q check");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check("empty", "gradle --offline -q test");
}
