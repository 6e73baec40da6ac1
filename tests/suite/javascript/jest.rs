//! jest 29 and 30, as they really behave.

use super::support::{check_fixture, check_nothing_green};

const VERSIONS: [&str; 2] = ["jest29", "jest30"];

#[track_caller]
fn check(fixture: &str, command: &str) {
    check_fixture(&VERSIONS, &format!("jest/{fixture}"), command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    // Also: equal names, and output that looks like a summary or like records.
    check("mix", "yarn jest");
    check("mix", "npx jest -w 2");
}

#[test]
fn tests_see_the_arguments_of_the_command_and_nothing_of_ours() {
    check("pass", "npx jest --ci --runInBand");
}

#[test]
fn a_test_that_passes_after_a_retry_is_flaky() {
    check("flaky", "npx jest");
}

#[test]
fn files_that_fail_to_load_are_told() {
    check("load", "npx jest");
    check("unhandled", "npx jest");
}

#[test]
fn a_run_that_is_cut_short_leaves_no_pass_behind() {
    check_nothing_green(&VERSIONS, "jest/exit0", "npx jest -i");
    check_nothing_green(&VERSIONS, "jest/kill", "npx jest -i");
    check("exit0", "npx jest -w 2");
    check("kill", "npx jest -w 2");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check("empty", "npx jest");
    check("nothing-matches", "npx jest -t zzz");
}

#[test]
fn a_results_processor_of_the_project_changes_nothing() {
    check("forged", "npx jest");
}

#[test]
fn the_same_file_in_two_projects_is_two_tests() {
    check("projects", "npx jest");
}
