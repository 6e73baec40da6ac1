//! Documents through the whole tool: handed over or committed, published, recorded, repaired.

use super::support::{Answer, Repo, Tool};
use std::fs;
use std::path::Path;

const CONTRACT: &str = r#"{"artifacts": [{
  "path": "incident.json",
  "max_bytes": 4096,
  "schema": {"required": ["timeline", "owner"], "properties": {"owner": {"const": null}}},
  "records": [{"at": "/timeline", "key": "source_id", "source": {"E1": {"time": "09:00Z"}, "E2": {"time": "09:20Z"}}}]
}]}"#;

const COMPLETE: &str =
    r#"{"timeline": [{"source_id": "E1", "time": "09:00Z"}, {"source_id": "E2", "time": "09:20Z"}], "owner": null}"#;
const OMITTED: &str =
    r#"{"status": "complete", "timeline": [{"source_id": "E1", "time": "09:00Z"}], "owner": "J. Doe"}"#;

/// A folder that is no repository, with the contract in it.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("contract.json"), CONTRACT).expect("a file");
    folder
}

fn check(folder: &Path, document: &str, args: &[&str]) -> Answer {
    fs::write(folder.join("out.json"), document).expect("a file");
    let fixed = ["check", "contract.json", "--artifact", "incident.json=out.json", "--format", "json"];
    Tool::new(folder, fixed.iter().chain(args)).run()
}

#[test]
fn a_document_is_judged_without_a_repository() {
    let folder = folder();
    check(folder.path(), COMPLETE, &[]).code(0);
    let failed = check(folder.path(), OMITTED, &[]).code(1).json();
    assert_eq!(failed["next"], "needs_repair");
    let faults = failed["checks"][0]["evidence"]["faults"].as_array().expect("faults").clone();
    let told: Vec<&str> = faults.iter().filter_map(|fault| fault["pointer"].as_str()).collect();
    assert_eq!(told, ["/timeline", "/owner"]);
    let again = check(folder.path(), OMITTED, &[]).json();
    assert_eq!(
        again["checks"][0]["evidence"]["faults"], failed["checks"][0]["evidence"]["faults"],
        "the order is stable"
    );
    let missing = Tool::new(folder.path(), ["check", "contract.json", "--artifact", "incident.json=absent.json"]).run();
    assert!(missing.code(1).stdout.contains("absent.json"));
    let stdin = ["check", "contract.json", "--artifact", "incident.json=-"];
    Tool::new(folder.path(), stdin).stdin(COMPLETE).run().code(0);
    Tool::new(folder.path(), stdin).stdin("x".repeat(5000)).run().code(1);
}

#[test]
fn a_document_that_is_not_handed_over_needs_the_repository() {
    let folder = folder();
    let answer = Tool::new(folder.path(), ["check", "contract.json"]).run().code(4);
    assert!(format!("{answer:?}").contains("--artifact incident.json=FILE"), "{answer:?}");
}

#[test]
fn a_committed_document_is_compared_with_a_source_of_the_merge_base() {
    let repo = Repo::new();
    let facts = r#"{"E1": {"time": "09:00Z"}}"#;
    repo.write("facts.json", facts).write("log.txt", "disk full\n").commit("Facts");
    let document = r#"{"timeline": [{"source_id": "E1", "time": "09:05Z"}], "quote": "disk empty"}"#;
    repo.branch("work").write("facts.json", facts.replace("09:00", "09:05")).write("log.txt", "disk empty\n");
    repo.write("incident.json", document).commit("A convincing summary, with facts to match");
    let contract = r#"{"artifacts": [{"path": "incident.json",
        "records": [{"at": "/timeline", "key": "source_id", "source_file": "facts.json"}],
        "quotes": [{"at": "/quote", "source_file": "log.txt"}]}]}"#;
    let check = || Tool::new(repo.path(), ["check", "-", "--base", "main", "--format", "json"]).stdin(contract).run();
    let failed = check().code(1).json();
    let kinds: Vec<&str> = failed["checks"][0]["evidence"]["faults"]
        .as_array()
        .expect("faults")
        .iter()
        .filter_map(|fault| fault["kind"].as_str())
        .collect();
    assert_eq!(kinds, ["field_differs", "quote_not_found"]);
    let notes = failed["checks"][0]["notes"].to_string();
    assert!(
        notes.contains("facts.json") && notes.contains("log.txt"),
        "the changes to the sources are named: {failed}"
    );
    let honest = r#"{"timeline": [{"source_id": "E1", "time": "09:00Z"}], "quote": "disk full"}"#;
    repo.write("incident.json", honest).commit("What happened");
    check().code(0);
}

#[test]
fn an_operators_source_is_not_told() {
    let folder = folder();
    let outside = tempfile::tempdir().expect("a folder");
    fs::write(outside.path().join("facts.json"), r#"{"E1": {"pin": "4711"}}"#).expect("a file");
    let contract =
        r#"{"artifacts": [{"path": "a.json", "records": [{"at": "", "key": "id", "source_file": "facts.json"}]}]}"#;
    fs::write(folder.path().join("contract.json"), contract).expect("a file");
    fs::write(folder.path().join("out.json"), "[]").expect("a file");
    let source = format!("facts.json={}", outside.path().join("facts.json").display());
    for format in ["human", "json", "markdown", "hook"] {
        let args = ["check", "contract.json", "--artifact", "a.json=out.json", "--source", &source, "--format", format];
        let answer = Tool::new(folder.path(), args).run();
        assert!(!format!("{answer:?}").contains("4711"), "{format} tells the source: {answer:?}");
    }
}

#[test]
fn only_a_passed_document_is_published() {
    let folder = folder();
    let published = folder.path().join("published.json");
    let publish = ["--publish", "incident.json=published.json"];
    check(folder.path(), OMITTED, &publish).code(1);
    assert!(!published.exists());
    fs::write(&published, "old").expect("a file");
    check(folder.path(), OMITTED, &publish).code(1);
    assert_eq!(fs::read_to_string(&published).expect("a file"), "old");
    check(folder.path(), COMPLETE, &publish).code(0);
    assert_eq!(fs::read_to_string(&published).expect("a file"), COMPLETE);
    check(folder.path(), COMPLETE, &["--publish", "incident.json=absent/published.json"]).code(4);
    check(folder.path(), COMPLETE, &["--publish", "other.json=x.json"]).code(2);
}

#[test]
fn what_is_published_is_not_written_over_and_writes_over_nothing() {
    let folder = folder();
    for more in [
        ["--output", "published.json"],
        ["--report", "json=./published.json"],
        ["--write-facts", "published.json"],
        ["--publish", "incident.json=published.json"],
    ] {
        let args = [&["--publish", "incident.json=published.json"][..], &more].concat();
        check(folder.path(), COMPLETE, &args).code(2);
    }
    check(folder.path(), COMPLETE, &["--publish", "incident.json=contract.json"]).code(2);
    check(folder.path(), COMPLETE, &["--report", "markdown=contract.json"]).code(2);
    assert!(!folder.path().join("published.json").exists());
}

#[test]
fn attempts_are_kept_and_used_up() {
    let folder = folder();
    let record = ["--record", "attempts", "--max-attempts", "2"];
    assert_eq!(check(folder.path(), OMITTED, &record).code(1).json()["next"], "needs_repair");
    assert_eq!(check(folder.path(), "not JSON", &record).code(5).json()["next"], "incomplete");
    let late = check(folder.path(), COMPLETE, &record).code(5).json();
    assert_eq!(late["next"], "incomplete");
    assert!(late["summary"].as_str().is_some_and(|line| line.contains("every check holds, but")), "{late}");
    assert!(late["notes"][0].as_str().is_some_and(|note| note.ends_with("takes it away to allow more")), "{late}");
    let hook = ["--record", "attempts", "--max-attempts", "2", "--report", "hook=hook.json"];
    check(folder.path(), OMITTED, &hook).code(5);
    let told = fs::read_to_string(folder.path().join("hook.json")).expect("a hook's answer");
    assert!(told.contains("a human looks at what the folder of --record holds"), "{told}");
    let published = ["--record", "attempts", "--max-attempts", "2", "--publish", "incident.json=published.json"];
    check(folder.path(), COMPLETE, &published).code(5);
    assert!(!folder.path().join("published.json").exists());
    let index = fs::read_to_string(folder.path().join("attempts/INDEX.txt")).expect("an index");
    assert_eq!(index.lines().filter(|line| line.contains("incident.json")).count(), 5, "{index}");
    let contracts = fs::read_dir(folder.path().join("attempts")).expect("a folder");
    let contract =
        contracts.filter_map(Result::ok).find(|entry| entry.path().is_dir()).expect("a contract's folder").path();
    assert_eq!(fs::read_to_string(contract.join("0002/candidate-1")).expect("a candidate"), "not JSON");
    let verdict = fs::read_to_string(contract.join("0003/verdict.json")).expect("a verdict");
    assert!(verdict.contains("\"incomplete\""), "{verdict}");
    check(folder.path(), COMPLETE, &["--max-attempts", "2"]).code(2);
}

#[test]
fn attempts_at_code_are_counted_too() {
    let repo = Repo::new();
    repo.write("a.txt", "1\n").commit("First");
    repo.branch("work").write("a.txt", "2\n").commit("Second");
    let args = ["check", "-", "--base", "main", "--record", ".git/attempts", "--max-attempts", "1"];
    Tool::new(repo.path(), args).stdin(r#"{"max_added_lines": 0}"#).run().code(5);
    Tool::new(repo.path(), args).stdin(r#"{"max_added_lines": 1}"#).run().code(0);
    let index = fs::read_to_string(repo.path().join(".git/attempts/INDEX.txt")).expect("an index");
    assert!(index.contains("commit "), "{index}");
}

#[test]
fn a_kill_at_any_moment_leaves_whole_attempts() {
    let folder = folder();
    fs::write(folder.path().join("out.json"), OMITTED).expect("a file");
    let mut finished = 0;
    for moment in 0..50_u64 {
        #[expect(clippy::disallowed_methods, reason = "the tool is killed in the middle")]
        let mut command = std::process::Command::new(assert_cmd::cargo::cargo_bin!("agent-acceptance"));
        command.current_dir(folder.path()).env_clear().envs(super::support::environment(folder.path()));
        command.args(["check", "contract.json", "--artifact", "incident.json=out.json", "--record", "attempts"]);
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        let mut child = command.spawn().expect("the tool starts");
        let until = std::time::Instant::now() + std::time::Duration::from_micros(moment * 400);
        while std::time::Instant::now() < until && child.try_wait().expect("a child").is_none() {
            std::hint::spin_loop();
        }
        let _ = child.kill();
        finished += usize::from(child.wait().expect("a child").code() == Some(1));
    }
    check(folder.path(), OMITTED, &["--record", "attempts"]).code(1);
    let index = fs::read_to_string(folder.path().join("attempts/INDEX.txt")).expect("an index");
    let listed = index.lines().filter(|line| line.contains("incident.json")).count();
    assert!(listed > finished, "{finished} runs ended, {listed} attempts are listed");
    let contracts: Vec<_> = fs::read_dir(folder.path().join("attempts"))
        .expect("a folder")
        .filter_map(Result::ok)
        .filter(|entry| entry.path().is_dir())
        .collect();
    assert_eq!(contracts.len(), 1, "nothing unfinished is left: {contracts:?}");
    for attempt in fs::read_dir(contracts[0].path()).expect("a folder") {
        let attempt = attempt.expect("an entry").path();
        for file in ["candidate-1", "contract.json", "verdict.json", "about.json"] {
            assert!(fs::metadata(attempt.join(file)).is_ok_and(|file| file.len() > 0), "{attempt:?} lacks {file}");
        }
    }
}

#[test]
fn places_name_the_file_that_was_handed_over() {
    let folder = folder();
    let failed = check(folder.path(), OMITTED, &[]).code(1).json();
    assert_eq!(failed["checks"][0]["evidence"]["file"], "out.json", "{failed:#}");
    assert!(
        failed["checks"][0]["next"].as_str().is_some_and(|next| next.starts_with("correct out.json")),
        "{failed:#}"
    );
    let args = ["check", "contract.json", "--artifact", "incident.json=-"];
    let told = Tool::new(folder.path(), args).stdin(OMITTED).run().code(1).stdout;
    assert!(told.contains("correct incident.json at these places"), "{told}");
    let args = ["check", "contract.json", "--artifact", "incident.json=out.json"];
    let told = Tool::new(folder.path(), args).run().code(1).stdout;
    assert!(told.contains("  found     out.json:") && told.contains("correct out.json at these places"), "{told}");
}

#[test]
fn a_repository_without_a_remote_is_no_obstacle_where_nothing_is_committed_and_is_asked_about_otherwise() {
    let repo = Repo::new();
    repo.write("contract.json", CONTRACT);
    check(repo.path(), COMPLETE, &[]).code(0);
    repo.commit("All");
    let asked = check(repo.path(), COMPLETE, &[]).code(2).json();
    assert!(asked["error"]["next"].to_string().contains("--base HEAD"), "{asked:#}");
    check(repo.path(), COMPLETE, &["--base", "HEAD"]).code(0);
    // An orphan branch has no commit either, and history all the same.
    repo.git(&["checkout", "-q", "--orphan", "new"]);
    check(repo.path(), COMPLETE, &[]).code(2);
}
