//! mocha 11 and 12, as they really behave.

use super::support::{check_fixture, check_nothing_green};

const VERSIONS: &[&str] = &["mocha11", "mocha12"];

#[track_caller]
fn check(fixture: &str, command: &str) {
    check_fixture(VERSIONS, &format!("mocha/{fixture}"), command);
}

#[track_caller]
fn check_not_green(fixture: &str, command: &str) {
    check_nothing_green(VERSIONS, &format!("mocha/{fixture}"), command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    // Also: equal names, output that looks like a summary, and a report that the configuration asks for.
    check("mix", "npx mocha");
    check("only", "yarn mocha");
}

#[test]
fn tests_see_the_arguments_of_the_command_and_nothing_of_ours() {
    check("pass", "npx mocha --timeout 5000");
    check("node-option", "npx mocha");
}

#[test]
fn a_test_that_passes_after_a_retry_is_flaky() {
    check("flaky", "npx mocha");
    check("flaky", "npx mocha --parallel --jobs 2");
}

#[test]
fn a_run_that_is_cut_short_is_not_green() {
    check("load", "npx mocha");
    check_not_green("exit0", "npx mocha");
    check_not_green("exit0", "npx mocha --parallel");
    check("kill", "npx mocha");
    check("unhandled", "npx mocha");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check_not_green("empty", "npx mocha");
    check("nothing-matches", "npx mocha -g zzz");
}
