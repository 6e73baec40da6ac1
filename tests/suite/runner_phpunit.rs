//! `PHPUnit` 9 as it really behaves.

use super::support::{check_observed, missing, on_path};

#[track_caller]
fn check(fixture: &str, command: &str) {
    let (Some(phpunit), Some(sh)) = (on_path("phpunit"), on_path("sh")) else { return missing("phpunit") };
    let folders = [phpunit, sh].map(|program| program.parent().expect("a folder").to_owned());
    let path = std::env::join_paths(folders).expect("a path");
    check_observed(&format!("phpunit/{fixture}"), "", &path, command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    // Also: a process of a test's own, output that looks like a summary, and arguments as the command has them.
    check("mix", "phpunit .");
    check("hooks", "phpunit .");
}

#[test]
fn printers_and_reports_of_the_configuration_change_nothing() {
    check("pass", "phpunit");
    check("testdox", "phpunit --static-backup");
    check("testdox", "phpunit --process-isolation");
}

#[test]
fn a_run_that_is_cut_short_leaves_no_whole_report() {
    check("exit0", "phpunit .");
    check("load", "phpunit .");
}

#[test]
fn what_a_test_writes_to_the_open_connection_is_a_fault() {
    check("written-to-the-socket", "phpunit .");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check("empty", "phpunit .");
    check("skipped", "phpunit .");
}
