//! The files that run on other machines: hosted workflows and `.ci/run`.

use serde_yaml_ng::Value;
use std::path::Path;

fn text(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("the file is there")
}

#[test]
fn the_last_job_needs_all_others() {
    let workflow: Value = serde_yaml_ng::from_str(&text(".github/workflows/ci.yml")).expect("YAML");
    let jobs = workflow["jobs"].as_mapping().expect("jobs");
    let names: Vec<&str> = jobs.keys().filter_map(Value::as_str).filter(|name| *name != "done").collect();
    let needed = workflow["jobs"]["done"]["needs"].as_sequence().expect("needs");
    assert_eq!(needed.iter().filter_map(Value::as_str).collect::<Vec<_>>(), names);
    assert_eq!(workflow["permissions"]["contents"], "read");
    for name in names {
        let steps = workflow["jobs"][name]["steps"].as_sequence().expect("steps");
        let checkout = steps.iter().find(|step| step["uses"].as_str().is_some_and(|uses| uses.contains("/checkout@")));
        assert_eq!(checkout.expect("a checkout")["with"]["persist-credentials"], false, "{name}");
        assert!(workflow["jobs"][name]["timeout-minutes"].is_number(), "{name} may run for ever");
    }
}

#[test]
fn the_local_run_stops_at_the_first_fault() {
    let script = text(".ci/run");
    assert!(script.starts_with("#!/usr/bin/env bash\n") && script.contains("\nset -euo pipefail\n"));
    assert!(!script.contains("|| true"), "a fault would go unseen");
    for needed in
        ["cargo fmt --check", "-D warnings", "--no-default-features", "cargo test", "cargo doc", "windows", "darwin"]
    {
        assert!(script.contains(needed), "{needed} is not run");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(".ci/run");
        let mode = std::fs::metadata(file).expect("the file is there").permissions().mode();
        assert_ne!(mode & 0o100, 0, "it cannot be started");
    }
}
