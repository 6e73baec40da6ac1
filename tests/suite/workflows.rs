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

/// Returns each job of the hosted workflows with the name of its file and its own.
fn jobs() -> Vec<(String, Value)> {
    let workflows = ["ci", "release"].map(|name| {
        let workflow: Value = serde_yaml_ng::from_str(&text(&format!(".github/workflows/{name}.yml"))).expect("YAML");
        assert_eq!(
            workflow["permissions"],
            serde_yaml_ng::from_str::<Value>("contents: read").expect("YAML"),
            "{name}"
        );
        let jobs = workflow["jobs"].as_mapping().expect("jobs").clone();
        jobs.into_iter().map(move |(job, value)| (format!("{name} {}", job.as_str().expect("a name")), value))
    });
    workflows.into_iter().flatten().collect()
}

#[test]
fn what_others_wrote_is_pinned_to_a_commit() {
    for name in ["ci", "release"] {
        for line in text(&format!(".github/workflows/{name}.yml")).lines().filter(|line| line.contains("uses:")) {
            let (commit, version) = line.split_once('@').and_then(|(_, pin)| pin.split_once(" # v")).expect(line);
            assert!(commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit()), "{line}");
            assert_eq!(version.split('.').filter(|part| part.parse::<u32>().is_ok()).count(), 3, "{line}");
        }
    }
}

#[test]
fn a_job_may_do_what_it_does_and_no_more() {
    for (name, job) in jobs() {
        assert!(job["timeout-minutes"].is_number(), "{name} may run for ever");
        let allowed = match name.as_str() {
            "release build" => "{ contents: read, id-token: write, attestations: write }",
            "release publish" => "{ contents: write }",
            _ => "null",
        };
        assert_eq!(job["permissions"], serde_yaml_ng::from_str::<Value>(allowed).expect("YAML"), "{name}");
        let steps = job["steps"].as_sequence().expect("steps");
        for step in steps {
            let script = step["run"].as_str().unwrap_or_default();
            assert!(!script.contains("${{"), "a branch's name could become a command: {name}: {script}");
            if step["uses"].as_str().is_some_and(|uses| uses.starts_with("actions/checkout@")) {
                assert_eq!(step["with"]["persist-credentials"], false, "{name}");
                assert!(job["permissions"]["contents"] != "write", "{name} runs code that it could then release");
            }
        }
    }
}

#[test]
fn a_release_has_an_archive_for_each_machine_that_the_action_knows() {
    let release: Value = serde_yaml_ng::from_str(&text(".github/workflows/release.yml")).expect("YAML");
    let built = release["jobs"]["build"]["strategy"]["matrix"]["include"].as_sequence().expect("targets");
    let built: Vec<&str> = built.iter().filter_map(|entry| entry["target"].as_str()).collect();
    let action = text("action.yml");
    let known: Vec<&str> =
        action.lines().filter_map(|line| line.split_once("target=")?.1.strip_suffix(" ;;")).collect();
    assert_eq!(known.len(), 6, "{known:?}");
    for target in known.iter().filter(|target| **target != "unknown") {
        assert!(built.contains(target), "{target} is never built");
    }
    let steps = release["jobs"]["build"]["steps"].as_sequence().expect("steps");
    let pack = steps.iter().find(|step| step["name"] == "Pack").expect("a step")["run"].as_str().expect("a script");
    for part in ["completions", "man", "README.md", "CHANGELOG.md", "LICENSE", ".sha256"] {
        assert!(pack.contains(part), "{part} is not in the archive");
    }
    assert!(
        steps.iter().any(|step| step["uses"].as_str().is_some_and(|uses| uses.contains("attest-build-provenance")))
    );
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
