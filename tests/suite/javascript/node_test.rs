//! `node --test`, as it really behaves.

use super::support::{NODE_ALONE, check_fixture};

#[track_caller]
fn check(fixture: &str, command: &str) {
    check_fixture(&[NODE_ALONE], &format!("node-test/{fixture}"), command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    // Also: equal names, and output that looks like a summary or like records.
    check("mix", "node --test");
}

#[test]
fn tests_see_nothing_of_ours_and_may_start_processes() {
    check("modules", "node --test");
}

#[test]
fn files_that_fail_to_load_are_told() {
    check("load", "node --test");
    check("unhandled", "node --test");
}

#[test]
fn a_file_that_is_cut_short_is_no_pass() {
    check("exit0", "node --test");
    check("kill", "node --test");
    check("forged", "node --test");
    check("bent", "node --test");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check("empty", "node --test");
    check("nothing-matches", "node --test --test-name-pattern=zzz");
}
