//! Every recipe of the documentation, the issue form and the action's own script, run as they stand.

use super::support::{Answer, Repo, Tool, environment};
use serde_yaml_ng::Value;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

const CONTRACT: &str = "```acceptance\n{\"changed_files_only\": [\"a.txt\"], \"max_added_lines\": 1}\n```\n";

fn document(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a document")
}

/// Returns the block that follows `<!-- test: NAME -->`.
fn recipe(name: &str) -> String {
    block("docs/recipes.md", &format!("<!-- test: {name} -->"))
}

/// Returns the block that follows a mark.
fn block(path: &str, mark: &str) -> String {
    let text = document(path);
    let after = text.split(mark).nth(1).expect("the mark is there");
    let block = after.split("```").nth(1).expect("a fenced block");
    block.split_once('\n').expect("a language line").1.to_owned()
}

/// A repository whose branch `work` adds `lines` lines, with `origin/main` where it started.
fn repo(lines: &str) -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", "1\n").commit("First");
    repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    repo.branch("work").write("a.txt", format!("1\n{lines}")).commit("Second");
    repo.write("contract.md", CONTRACT);
    repo
}

/// Runs a shell script in a folder, with the tool on `PATH`.
fn shell(shell: &str, script: &str, folder: &Path, more: &[(&str, &str)], stdin: &str) -> Answer {
    let program = assert_cmd::cargo::cargo_bin!("agent-acceptance");
    let mut variables = environment(folder);
    for (name, value) in &mut variables {
        if *name == "PATH" {
            let mut path = program.parent().expect("a folder").as_os_str().to_owned();
            path.push(":");
            path.push(&value);
            *value = path;
        }
    }
    #[expect(clippy::disallowed_methods, reason = "the recipes are scripts")]
    let mut command = Command::new(shell);
    command.args(["-c", script]).current_dir(folder).env_clear().envs(variables).envs(more.iter().copied());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("a shell");
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), stdin.as_bytes()).expect("it reads");
    let output = child.wait_with_output().expect("an end");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Answer { code: output.status.code().unwrap_or(-1), stdout: text(&output.stdout), stderr: text(&output.stderr) }
}

fn plain(script: &str, folder: &Path) -> Answer {
    shell("sh", script, folder, &[], "")
}

#[test]
fn a_plain_step_is_a_gate() {
    for (lines, code) in [("2\n", 0), ("2\n3\n", 1)] {
        let repo = repo(lines);
        plain(&recipe("step"), repo.path()).code(code);
        assert!(fs::read_to_string(repo.path().join("acceptance.md")).expect("a report").starts_with("Acceptance: "));
    }
}

#[test]
fn the_gitlab_job_is_a_gate() {
    let job: Value = serde_yaml_ng::from_str(&recipe("gitlab")).expect("YAML");
    let script = job["acceptance"]["script"][0].as_str().expect("a script");
    for (lines, code) in [("2\n", 0), ("2\n3\n", 1)] {
        let repo = repo(lines);
        let commits = repo.git(&["rev-parse", "main", "work"]);
        let (base, head) = commits.trim().split_once('\n').expect("two commits");
        let variables = [("CI_MERGE_REQUEST_DIFF_BASE_SHA", base), ("CI_COMMIT_SHA", head)];
        shell("sh", script, repo.path(), &variables, "").code(code);
        let report: Value =
            serde_yaml_ng::from_str(&fs::read_to_string(repo.path().join("acceptance.json")).expect("a report"))
                .expect("JSON");
        assert_eq!(report["schema_version"], 1);
    }
}

#[test]
fn the_pre_push_hook_checks_what_is_pushed_and_skips_deletions() {
    let zeros = "0".repeat(40);
    for (lines, code) in [("2\n", 0), ("2\n3\n", 1)] {
        let repo = repo(lines);
        let head = repo.git(&["rev-parse", "work"]).trim().to_owned();
        repo.checkout("main");
        let stdin =
            format!("(delete) {zeros} refs/heads/old {zeros}\nrefs/heads/work {head} refs/heads/work {zeros}\n");
        let hook = [("GIT_DIR", ".git"), ("GIT_INDEX_FILE", ".git/other-index")];
        shell("sh", &recipe("pre-push"), repo.path(), &hook, &stdin).code(code);
    }
    let repo = repo("2\n3\n");
    let only_deleted = format!("(delete) {zeros} refs/heads/old {zeros}\n");
    shell("sh", &recipe("pre-push"), repo.path(), &[], &only_deleted).code(0);
}

#[test]
fn the_pre_commit_entry_is_a_gate() {
    let hooks: Value = serde_yaml_ng::from_str(&recipe("pre-commit")).expect("YAML");
    let entry = hooks["repos"][0]["hooks"][0]["entry"].as_str().expect("an entry");
    for (lines, code) in [("2\n", 0), ("2\n3\n", 1)] {
        plain(entry, repo(lines).path()).code(code);
    }
}

#[test]
fn the_stop_hook_blocks_until_a_human_is_needed() {
    let hooks: serde_json::Value = serde_json::from_str(&recipe("stop-hook")).expect("JSON");
    let command =
        hooks.pointer("/hooks/Stop/0/hooks/0/command").and_then(serde_json::Value::as_str).expect("a command");
    assert_eq!(plain(command, repo("2\n").path()).code(0).stdout, "");
    let repo = repo("2\n3\n");
    for (attempt, key, value) in
        [(1, "decision", "block"), (2, "decision", "block"), (3, "continue", "false"), (4, "continue", "false")]
    {
        let answer = plain(command, repo.path()).code(0).json();
        assert_eq!(answer[key].to_string().trim_matches('"'), value, "attempt {attempt}: {answer}");
    }
}

#[test]
fn the_repair_loop_ends() {
    let contract = r#"{"artifacts": [{"path": "incident.json", "schema": {"required": ["owner"]}}]}"#;
    // Without faults in hand it produces a wrong document; with them, what `repaired` says.
    let produce = "#!/bin/sh\nif grep -q '\"faults\"' \"$1\" 2> /dev/null; then cat repaired; else echo '{}'; fi\n";
    for (repaired, code, attempts) in [("{\"owner\": null}", 0, 2), ("{}", 5, 3)] {
        let folder = tempfile::tempdir().expect("a folder");
        for (file, text) in [("contract.json", contract), ("produce", produce), ("repaired", repaired)] {
            fs::write(folder.path().join(file), text).expect("a file");
        }
        plain(&format!("chmod +x produce\n{}", block("README.md", "<!-- incident: loop -->")), folder.path())
            .code(code);
        let index = fs::read_to_string(folder.path().join("attempts/INDEX.txt")).expect("an index");
        assert_eq!(index.lines().count() - 1, attempts, "{index}");
        assert_eq!(folder.path().join("published.json").exists(), code == 0);
    }
}

#[test]
fn the_incident_is_told_as_the_tool_tells_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for file in ["contract.json", "candidate.json"] {
        fs::write(folder.path().join(file), block("README.md", &format!("<!-- incident: {file} -->"))).expect("a file");
    }
    let told = block("README.md", "<!-- incident: answer -->");
    let (command, expected) = told.split_once('\n').expect("a command and its answer");
    let answer = plain(command.strip_prefix("$ ").expect("a command"), folder.path()).code(1);
    let mut rest = answer.stdout.as_str();
    for piece in expected.split("...") {
        let at = rest.find(piece).unwrap_or_else(|| panic!("{piece:?} is not in {}", answer.stdout));
        rest = &rest[at + piece.len()..];
    }
    let honest = r#"{"timeline": [{"source_id": "E2", "time": "09:20Z", "event": "recovered"},
        {"source_id": "E1", "time": "09:00Z", "event": "outage"}], "owner": null, "unresolved": ["cause"]}"#;
    fs::write(folder.path().join("candidate.json"), honest).expect("a file");
    plain(command.strip_prefix("$ ").expect("a command"), folder.path()).code(0);
}

#[test]
fn the_workflow_is_safe_and_fits_the_action() {
    let workflow: Value = serde_yaml_ng::from_str(&block("README.md", "<!-- workflow -->")).expect("YAML");
    let action: Value = serde_yaml_ng::from_str(&document("action.yml")).expect("YAML");
    assert!(workflow["on"]["pull_request"]["types"].as_sequence().expect("types").contains(&"edited".into()));
    let rights = workflow["permissions"].as_mapping().expect("permissions");
    assert!(rights.values().all(|right| right == "read"), "{rights:?}");
    let steps = workflow["jobs"]["acceptance"]["steps"].as_sequence().expect("steps");
    assert_eq!(steps[0]["with"]["ref"], "${{ github.event.pull_request.head.sha }}");
    assert_eq!(steps[0]["with"]["fetch-depth"], 0);
    let last = steps.last().expect("a step");
    for input in last["with"].as_mapping().expect("inputs").keys() {
        assert!(
            action["inputs"].as_mapping().expect("inputs").contains_key(input),
            "the action has no input {input:?}"
        );
    }
    for name in
        ["require-contract", "trusted-associations", "github-token", "working-directory", "strict", "base", "format"]
    {
        assert!(!action["inputs"][name].is_null(), "{name}");
    }
}

#[test]
fn the_issue_form_holds_a_contract() {
    let form: Value = serde_yaml_ng::from_str(&document("docs/agent-task.yml")).expect("YAML");
    let fields = form["body"].as_sequence().expect("fields");
    let value = fields.iter().find_map(|field| field["attributes"]["value"].as_str()).expect("a value");
    // GitHub puts the label before each field's text.
    let body = format!("### Task\r\n\r\nx\r\n\r\n### Contract\r\n\r\n{}", value.replace('\n', "\r\n"));
    Tool::new(std::env::temp_dir().as_path(), ["parse", "-"]).stdin(body).run().code(0);
}
