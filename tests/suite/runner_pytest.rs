//! pytest 8 and 9 as they really behave, with xdist, asyncio and rerunfailures installed.

use super::support::{Fixture, check_observed, python_with};
use agent_acceptance::facts::{Completeness, Status};
use std::path::{Path, PathBuf};

const VERSIONS: [&str; 2] = ["pytest8", "pytest9"];

/// The folders in which the programs of an environment and the system's own are found.
fn search_path(interpreter: &Path) -> std::ffi::OsString {
    let bin = interpreter.parent().expect("a folder").to_owned();
    std::env::join_paths([bin, PathBuf::from("/usr/bin"), PathBuf::from("/bin")]).expect("a path")
}

/// Runs a fixture with both versions.
#[track_caller]
fn check(fixture: &str, command: &str) {
    check_as(fixture, "", command);
}

/// The same, with an expectation of its own for a variant: `expected-xdist.txt`.
#[track_caller]
fn check_as(fixture: &str, variant: &str, command: &str) {
    for version in VERSIONS {
        if let Some(python) = python_with(version) {
            let variant = if variant.is_empty() { version } else { variant };
            check_observed(&format!("pytest/{fixture}"), variant, &search_path(&python), command);
        }
    }
}

#[test]
fn every_status_is_kept_apart_and_every_name_is_told() {
    check("pass", "pytest");
    check("mix", "python -m pytest");
    check("dup", "pytest -q");
    check("unittest-style", "pytest");
}

#[test]
fn results_come_from_xdists_workers_too() {
    check_as("mix", "xdist", "python -m pytest -n 2");
    check_as("flaky", "xdist", "pytest -n 2");
    check_as("exit0", "xdist", "pytest -n 2");
    check_as("load", "xdist", "pytest -n 2");
}

#[test]
fn a_test_that_passes_after_a_rerun_is_flaky() {
    check("flaky", "pytest");
}

#[test]
fn a_run_that_is_cut_short_leaves_no_whole_report() {
    check("exit0", "pytest");
    check("pytest-exit0", "pytest");
    check("sysexit", "pytest");
    check("segv", "pytest");
}

#[test]
fn modules_that_fail_to_load_and_modules_that_are_skipped_are_told() {
    check("load", "pytest");
    check_as("load", "continued", "pytest --continue-on-collection-errors");
    check("skipped-module", "pytest");
}

#[test]
fn nothing_collected_is_nothing_passed() {
    check("empty", "pytest");
    check_as("pass", "deselected", "pytest -k nothing_of_this_name");
}

#[test]
fn what_tests_print_and_what_the_configuration_asks_for_is_no_evidence() {
    check("spoof", "pytest -s");
    check("addopts", "pytest");
    check("addopts-empty", "pytest");
}

#[test]
fn results_that_were_rewritten_are_told() {
    check("forged-reports", "pytest");
    check("exitstatus0", "pytest");
    check("replaced-code", "pytest");
    check("registered-plugin", "pytest");
    check("shadowed-plugin", "python -m pytest");
}

#[test]
fn what_the_launcher_adds_does_not_change_the_run() {
    check("odd", "python -m pytest -q");
    check("subtests", "pytest");
}

#[test]
fn bytecode_beside_the_sources_is_not_run() {
    let Some(python) = python_with("pytest9") else { return };
    let fixture = Fixture::new("pytest/stale-bytecode", &search_path(&python));
    // Bytecode of another source, which Python does not compare with the file.
    let script = "import py_compile, sys, os\n\
        source = os.path.join(sys.argv[1], 'other.py')\n\
        open(source, 'w').write('def slug(text):\\n    return \"-\".join(text.split())\\n')\n\
        target = os.path.join(sys.argv[1], '__pycache__', f'slug.{sys.implementation.cache_tag}.pyc')\n\
        py_compile.compile(source, cfile=target, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)\n";
    assert_cmd::Command::new(&python).args(["-c", script]).arg(fixture.root()).assert().success();
    let observed = fixture.observe("python -m pytest test_slug.py");
    assert_eq!(observed.readout.completeness, Completeness::Complete);
    assert_eq!(observed.readout.records[0].status, Status::Failed, "{}", observed.end.output);
    assert!(!fixture.root().join("__pycache__/test_slug.pyc").exists());
}

#[test]
fn the_files_that_were_loaded_are_told() {
    let Some(python) = python_with("pytest9") else { return };
    for command in ["pytest", "pytest -n 2"] {
        let fixture = Fixture::new("pytest/dup", &search_path(&python));
        let loaded = fixture.observe(command).readout.loaded;
        for file in ["p/test_x.py", "q/test_x.py", "q/test_y.py"] {
            assert!(loaded.contains(&fixture.root().join(file)), "{command}: {file} is not in {loaded:?}");
        }
    }
}
