//! `--issue`, `--pr` and the event of GitHub Actions, through the whole tool.

use super::mock::mock;
use crate::suite::support::{Answer, Repo, Tool};
use serde_json::json;

/// A repository in which one line was added to one file.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", "1\n").commit("First");
    repo.branch("topic").write("a.txt", "1\n2\n").commit("Second");
    repo
}

fn run(repo: &Repo, scenario: &str, token: &str, args: &[&str]) -> Option<Answer> {
    let mock = mock()?;
    let tool = Tool::new(repo.path(), args).env("GITHUB_API_URL", mock.base(scenario)).env("GITHUB_REPOSITORY", "o/r");
    Some(tool.env("GH_TOKEN", token).run())
}

#[test]
fn a_contract_from_github_is_judged_or_refused_with_its_exit_code() {
    if mock().is_none() {
        return;
    }
    let repo = repo();
    for (scenario, token, args, code, told) in [
        ("plain", "t", &["check", "--base", "main", "--issue", "12"][..], 0, "contract  o/r#12, by alice (MEMBER)"),
        ("plain", "", &["check", "--base", "main", "--issue", "12"], 0, "edits unknown"),
        ("plain", "", &["check", "--base", "main", "--issue", "12", "--require-edit-history"], 4, "edits of o/r#12"),
        ("plain", "t", &["check", "--base", "main", "--issue", "o/r#12"], 0, "PASSED"),
        ("plain", "t", &["check", "--base", "main", "--issue", "13"], 3, "not trusted"),
        ("plain", "t", &["check", "--base", "main", "--issue", "13", "--allow-unchecked"], 3, "not trusted"),
        ("plain", "t", &["check", "--base", "main", "--issue", "13", "--trust-user", "passer-by"], 0, "PASSED"),
        (
            "plain",
            "t",
            &["check", "--base", "main", "--issue", "13", "--trust-associations", "none,member"],
            0,
            "PASSED",
        ),
        ("plain", "t", &["check", "--base", "main", "--issue", "12", "--trust-permission", "write"], 3, "not trusted"),
        ("plain", "t", &["check", "--base", "main", "--issue", "17"], 4, "mallory"),
        ("plain", "t", &["check", "--base", "main", "--issue", "26"], 3, "UNCHECKED"),
        ("plain", "t", &["check", "--base", "main", "--issue", "26", "--allow-unchecked"], 0, "UNCHECKED"),
        ("plain", "t", &["check", "--base", "main", "--issue", "34"], 4, "pull request"),
        ("plain", "t", &["check", "--base", "main", "--issue", "99"], 4, "o/r#99"),
        ("plain", "t", &["check", "--base", "main", "--pr", "34"], 0, "PASSED"),
        ("plain", "t", &["check", "--base", "main", "--pr", "35"], 2, "o/r#12, o/r#16"),
        ("plain", "t", &["check", "--base", "main", "--pr", "36"], 3, "code, a comment or a quotation"),
        ("plain", "t", &["check", "--base", "main", "--pr", "37"], 3, "in another repository"),
        ("plain", "t", &["check", "--base", "main", "--pr", "38"], 3, "default branch"),
        ("plain", "t", &["check", "--base", "main", "--pr", "39"], 4, "which issues"),
        ("plain", "t", &["check", "--base", "main", "--issue", "12", "--pr", "34"], 2, "cannot be used with"),
        ("plain", "t", &["check", "--base", "main", "--issue", "x"], 2, "not the number"),
        ("plain", "t", &["check", "--base", "main", "--pr", "https://github.com/o/r/issues/12"], 2, "--issue"),
        ("plain", "t", &["parse", "--issue", "12"], 0, "sha256:"),
        ("plain", "t", &["explain", "--base", "main", "--pr", "34"], 0, "o/r#12"),
        ("limited", "t", &["check", "--base", "main", "--issue", "12"], 4, "for the token in GH_TOKEN"),
        ("unauthorized", "secret-token", &["check", "--base", "main", "--issue", "12"], 4, "does not know this token"),
    ] {
        let answer = run(&repo, scenario, token, args).expect("the mock runs").code(code);
        let all = format!("{}{}", answer.stdout, answer.stderr);
        assert!(all.contains(told), "{args:?} does not say {told:?}:\n{all}");
        assert!(!all.contains("secret-token"), "{args:?} shows the token");
    }
}

#[test]
fn a_github_flag_without_a_contract_on_github_is_a_usage_error() {
    let repo = repo();
    repo.write("contract.md", super::mock::CONTRACT);
    let answer = Tool::new(repo.path(), ["check", "contract.md", "--base", "main", "--trust-user", "x"]).run().code(2);
    assert!(answer.stderr.contains("--trust-user"), "{}", answer.stderr);
}

#[test]
fn an_event_names_its_pull_request_and_base_and_wants_its_head() {
    let Some(mock) = mock() else { return };
    let repo = repo();
    let commits = repo.git(&["rev-parse", "main", "topic"]);
    let (base, head) = commits.trim().split_once('\n').expect("two commits");
    let event = repo.path().join("../event.json");
    for (proposed, code, told) in [(head, 0, "PASSED"), (base, 4, "not at the head")] {
        let payload = json!({
            "repository": { "full_name": "o/r" },
            "pull_request": { "number": 34, "head": { "sha": proposed }, "base": { "sha": base } }
        });
        let event = event.with_file_name(format!("event-{}-{code}.json", std::process::id()));
        std::fs::write(&event, payload.to_string()).expect("a file");
        let tool =
            Tool::new(repo.path(), ["check"]).env("GITHUB_ACTIONS", "true").env("GITHUB_EVENT_NAME", "pull_request");
        let tool =
            tool.env("GITHUB_EVENT_PATH", &event).env("GITHUB_API_URL", mock.base("plain")).env("GITHUB_TOKEN", "t");
        let answer = tool.run().code(code);
        std::fs::remove_file(&event).expect("a file");
        assert!(format!("{}{}", answer.stdout, answer.stderr).contains(told), "{answer:?}");
    }
}
