//! Playwright Test, as it really behaves.

use super::support::check_fixture;

#[track_caller]
fn check(fixture: &str, command: &str) {
    check_fixture(&["playwright1"], &format!("playwright/{fixture}"), command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    check("pass", "npx playwright test");
    check("mix", "npx playwright test");
}

#[test]
fn a_test_that_passes_after_a_retry_is_flaky() {
    check("flaky", "npx playwright test --retries=2");
}

#[test]
fn files_that_fail_to_load_are_told() {
    check("load", "npx playwright test");
    check("duplicate", "npx playwright test");
}

#[test]
fn a_test_that_ends_its_process_has_failed() {
    check("exit0", "npx playwright test");
    check("kill", "npx playwright test");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check("empty", "npx playwright test");
}
