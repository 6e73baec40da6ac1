//! rspec 3 as it really behaves.

use super::support::{check_observed, missing, on_path};

#[track_caller]
fn check(fixture: &str, command: &str) {
    let (Some(rspec), Some(sh)) = (on_path("rspec"), on_path("sh")) else { return missing("rspec") };
    let folders = [rspec, sh].map(|program| program.parent().expect("a folder").to_owned());
    let path = std::env::join_paths(folders).expect("a path");
    check_observed(&format!("rspec/{fixture}"), "", &path, command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    // Also: equal names, a try that failed before, output that looks like a summary, and a report of the project's own.
    check("mix", "rspec");
    check("pass", "rspec spec");
    check("focus", "rspec");
}

#[test]
fn a_run_that_is_cut_short_leaves_no_whole_report() {
    check("exit0", "rspec");
    check("exit-softly", "rspec");
}

#[test]
fn files_that_fail_to_load_are_told() {
    check("load", "rspec");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check("empty", "rspec");
    check("skipped", "rspec");
    check("dry", "rspec");
    check("skipped", "rspec --fail-fast --order rand:1");
}

#[test]
#[cfg(target_os = "linux")]
fn what_a_test_writes_to_the_open_connection_is_a_fault() {
    check("written-to-the-socket", "rspec");
}

#[test]
fn code_of_the_runner_that_was_replaced_is_told() {
    check("replaced-code", "rspec");
}
