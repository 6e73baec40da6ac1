//! `python -m unittest` as it really behaves.

use super::support::{check_observed, missing, on_path, python_with};
use std::path::PathBuf;

#[track_caller]
fn check(fixture: &str, command: &str) {
    // Any interpreter will do; one of its own folder keeps shims out.
    let Some(python) = python_with("pytest9") else { return missing("python") };
    let folders = [python.parent().map(PathBuf::from), on_path("sh").and_then(|sh| Some(sh.parent()?.to_owned()))];
    let path = std::env::join_paths(folders.into_iter().flatten()).expect("a path");
    check_observed(&format!("unittest/{fixture}"), "", &path, command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    check("pass", "python -m unittest");
    check("mix", "python -m unittest discover -v");
}

#[test]
fn a_run_that_is_cut_short_leaves_no_whole_report() {
    check("exit0", "python -m unittest");
    check("exit-at-import", "python -m unittest test_a");
}

#[test]
fn modules_that_fail_to_load_are_told_and_nothing_there_is_nothing_passed() {
    check("load", "python -m unittest");
    check("empty", "python -m unittest");
}

#[test]
fn a_body_that_nobody_runs_is_no_pass() {
    check("never-run", "python -m unittest");
}

#[test]
fn code_of_the_runner_that_was_replaced_is_told() {
    check("replaced-code", "python -m unittest");
}
