//! `tests` entries whose command writes a JUnit XML report by itself.

use super::support::{Repo, Tool, missing, on_path};
use serde_json::{Value, json};
use std::path::Path;

/// A test tool that no runner knows: it reads what its tests do from `results.txt`, and writes a report.
const TOOL: &str = r#"import os, sys
for name in sys.argv[1:]:
    open(name, "a").close()
lines = [line.split() for line in open("results.txt").read().splitlines()]
status = 0
if lines[:1] == [["link"]]:
    os.makedirs("out", exist_ok=True)
    os.symlink("../kept.xml", "out/report.xml")
    sys.exit(0)
if lines[:1] == [["silent"]]:
    print('<testsuite><testcase name="a"/><testcase name="b"/></testsuite>')
    sys.exit(0)
if lines[:1] == [["exit"]]:
    lines, status = lines[1:], 3
cases = ""
for name, outcome in lines:
    child = {"passed": "", "skipped": "<skipped/>"}.get(outcome, "<failure message='no'/>")
    cases += f"<testcase name='{name}'>{child}</testcase>"
os.makedirs("out", exist_ok=True)
open("out/report.xml", "w").write(f"<testsuite name='s'>{cases}</testsuite>")
sys.exit(status)
"#;

const CONTRACT: &str = "```acceptance\n{\"tests\": [{\"command\": [\"python3\", \"tool.py\"], \"junit\": \"out/report.xml\", \"passed\": 2}]}\n```\n";

const REPORT: &str = "<testsuite><testcase name='a'/><testcase name='b'/></testsuite>";

fn repo(contract: &str) -> Repo {
    let repo = Repo::new();
    repo.write("tool.py", TOOL).write("results.txt", "a passed\n").write("issue.md", contract);
    repo.write(".gitignore", "out/\n").write("kept.xml", REPORT).commit("Start");
    repo.branch("work");
    repo
}

fn checked(repo: &Repo, more: &[&str]) -> (i32, Value) {
    let args = ["check", "issue.md", "--base", "main", "--format", "json"];
    let answer = Tool::new(repo.path(), args.iter().chain(more)).run();
    (answer.code, answer.json())
}

/// Whether the machine has what these tests need.
fn has_python() -> bool {
    let found = on_path("python3").is_some();
    if !found {
        missing("python3");
    }
    found
}

#[track_caller]
fn check(results: &str, code: i32, told: &str) {
    if !has_python() {
        return;
    }
    for mode in [&[][..], &["--isolate"]] {
        let repo = repo(CONTRACT);
        repo.write("results.txt", results).commit("Work");
        repo.write("out/report.xml", REPORT);
        let (found, report) = checked(&repo, mode);
        assert_eq!(found, code, "{results} {mode:?} {report:#}");
        assert!(report.to_string().contains(told), "{results} {mode:?}: {report:#}");
    }
}

#[test]
fn a_fresh_report_is_counted_and_its_channel_is_told() {
    check("a passed\nb passed\n", 0, "in a report file, which the code under test could write too");
    check("a passed\nb passed\nc skipped\n", 0, "1 skipped");
}

#[test]
fn what_does_not_add_up_is_no_pass() {
    check("a passed\n", 1, "1 passed");
    check("a passed\nb passed\nc failed\n", 1, "1 failed");
    check("exit\na passed\nb passed\n", 1, "exit 3");
}

#[test]
fn an_old_report_a_link_and_what_is_printed_are_no_results() {
    check("silent\n", 1, "no_report");
    check("link\n", 1, "not a regular file");
}

#[test]
fn the_tool_that_writes_the_report_is_harness() {
    if !has_python() {
        return;
    }
    let repo = repo(CONTRACT);
    repo.write("results.txt", "a passed\nb passed\n").write("tool.py", format!("{TOOL}# more\n")).commit("Work");
    let (code, report) = checked(&repo, &[]);
    assert_eq!(code, 1, "{report:#}");
    assert!(report.to_string().contains("tool.py"), "{report:#}");
}

#[test]
fn strict_mode_refuses_it_before_anything_runs() {
    if !has_python() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let marks = ["own", "command"].map(|name| folder.path().join(name));
    let argv = |mark: &Path| json!(["python3", "tool.py", mark]);
    let contract = json!({
        "tests": [
            { "command": "pytest", "passed": 1 },
            { "command": argv(&marks[0]), "junit": "out/report.xml", "passed": 2 },
        ],
        "commands": [{ "command": argv(&marks[1]) }],
    });
    let repo = repo(&format!("```acceptance\n{contract}\n```\n"));
    repo.write("results.txt", "a passed\nb passed\n").commit("Work");
    let told = "tests/1 reads a report that its own command writes (`junit`), which `--strict` does not accept";

    let (code, report) = checked(&repo, &["--strict"]);
    assert_eq!((code, &report["error"]["kind"]), (4, &json!("runner_unsupported")), "{report:#}");
    for check in report["checks"].as_array().expect("checks") {
        assert_eq!(check["status"], "unknown", "{check:#}");
        let detail = check["detail"].as_str().expect("a detail");
        assert!(detail.contains(told) && detail.ends_with("nothing was run"), "{detail}");
    }
    assert!(report["error"]["next"].to_string().contains("in tests/1 of the contract"), "{report:#}");
    let explained = Tool::new(repo.path(), ["explain", "issue.md", "--base", "main", "--strict"]).run().code(0);
    assert!(explained.stdout.contains(&format!("check will run nothing: {told}")), "{}", explained.stdout);
    assert!(!marks.iter().any(|mark| mark.exists()), "something was run");

    checked(&repo, &["--isolate"]);
    assert!(marks[0].exists() && marks[1].exists(), "the marks would show a run");
}

#[test]
fn a_report_of_the_repository_is_refused() {
    if !has_python() {
        return;
    }
    let tracked = repo(&CONTRACT.replace("out/report.xml", "kept.xml"));
    tracked.write("results.txt", "a passed\nb passed\n").commit("Work");
    let (code, report) = checked(&tracked, &[]);
    assert_eq!(code, 4, "{report:#}");
    assert!(report.to_string().contains("is a file of the repository"), "{report:#}");
    assert_eq!(std::fs::read_to_string(tracked.file("kept.xml")).expect("it is still there"), REPORT);
}

#[test]
fn commands_that_the_change_could_define_are_refused() {
    for command in ["make test", "sh run.sh", "npm test", "./run", "env X=1 pytest", "npx -c x"] {
        let words: Vec<String> = command.split(' ').map(|word| format!("\"{word}\"")).collect();
        let contract = CONTRACT.replace("\"python3\", \"tool.py\"", &words.join(", "));
        let (code, report) = checked(&repo(&contract), &[]);
        assert_eq!((code, &report["error"]["kind"]), (2, &Value::from("contract_invalid")), "{command} {report:#}");
    }
}
