//! Maven with Surefire as it really behaves, from Debian's own repository.

use super::support::{check_observed, missing, on_path};
use std::path::Path;

#[track_caller]
fn check(fixture: &str, variant: &str, command: &str) {
    let has_surefire = Path::new("/usr/share/maven-repo/org/apache/maven/plugins/maven-surefire-plugin").is_dir();
    let (Some(mvn), Some(sh), true) = (on_path("mvn"), on_path("sh"), has_surefire) else { return missing("maven") };
    let folders = [mvn, sh].map(|program| program.parent().expect("a folder").to_owned());
    let path = std::env::join_paths(folders).expect("a path");
    check_observed(&format!("maven/{fixture}"), variant, &path, command);
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    // Also: output that looks like a summary.
    check("mix", "", "mvn -q test");
    check("mix", "rerun", "mvn -q test -Dsurefire.rerunFailingTestsCount=2");
}

#[test]
fn a_run_that_is_cut_short_is_not_green() {
    check("exit0", "", "mvn -q test");
}

#[test]
fn sources_that_do_not_compile_are_told() {
    check("load", "", "mvn -q test");
}

#[test]
fn nothing_run_is_nothing_passed() {
    check("empty", "", "mvn -q test");
    check("skipped", "", "mvn -q test");
}
