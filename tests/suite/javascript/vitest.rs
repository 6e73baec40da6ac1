//! vitest, every version that people use, as it really behaves.

use super::support::{check_fixture, check_nothing_green};

const VERSIONS: [&str; 6] = ["vitest0", "vitest1", "vitest2", "vitest3", "vitest4", "vitest5"];

#[track_caller]
fn check(fixture: &str, command: &str, versions: &[&str]) {
    check_fixture(versions, &format!("vitest/{fixture}"), command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    check("pass", "pnpm exec vitest run", &VERSIONS);
    // Also: equal names, and output that looks like a summary or like records.
    check("mix", "yarn vitest run", &VERSIONS);
}

#[test]
fn a_test_that_passes_after_a_retry_is_flaky() {
    check("flaky-0", "npx vitest run", &VERSIONS[..2]);
    check("flaky", "npx vitest run", &VERSIONS[2..]);
}

#[test]
fn files_that_fail_to_load_and_unhandled_errors_are_told() {
    check("load", "npx vitest run", &VERSIONS);
    check("unhandled", "npx vitest run", &VERSIONS);
    check("only", "npx vitest run", &VERSIONS);
}

#[test]
fn a_run_that_is_cut_short_leaves_no_pass_behind() {
    check("exit0", "npx vitest run", &VERSIONS);
    check_nothing_green(&VERSIONS, "vitest/kill", "npx vitest run");
    check("bail", "npx vitest run --bail=1", &VERSIONS);
}

#[test]
fn nothing_run_is_nothing_passed() {
    check_nothing_green(&VERSIONS[..3], "vitest/empty", "npx vitest run");
    check("empty", "npx vitest run", &VERSIONS[3..]);
    check("nothing-matches", "npx vitest run -t zzz", &VERSIONS);
}

#[test]
fn a_result_that_is_rewritten_and_a_report_of_the_configuration_are_no_evidence() {
    check("forged", "npx vitest run", &VERSIONS);
}

#[test]
fn the_same_file_in_two_projects_is_two_tests() {
    check("projects", "npx vitest run", &VERSIONS);
}
