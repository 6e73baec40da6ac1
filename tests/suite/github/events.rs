//! Real payloads of GitHub's webhooks lead to their pull request.

use super::mock::mock;
use crate::suite::support::{Answer, Repo, Tool, node_modules};
use agent_acceptance::github::pull_of_event;
use serde_json::{Value, json};

fn payloads(name: &str) -> Option<Vec<Value>> {
    let file = node_modules("github")?.join("@octokit/webhooks-examples/api.github.com/index.json");
    let hooks: Value = serde_json::from_slice(&std::fs::read(file).expect("a file")).expect("JSON");
    let hook = hooks.as_array().expect("a list").iter().find(|hook| hook["name"] == name).expect("a hook");
    Some(hook["examples"].as_array().expect("a list").clone())
}

#[test]
fn every_published_pull_request_payload_is_understood() {
    let Some(payloads) = payloads("pull_request") else { return };
    assert!(payloads.len() > 10);
    for payload in payloads {
        let found = pull_of_event("pull_request", &payload).expect("a pull request");
        assert_eq!(Some(found.number), payload["number"].as_u64());
        assert_eq!(found.head.len(), 40);
    }
}

#[test]
fn a_merge_group_names_its_pull_request() {
    let Some(payloads) = payloads("merge_group") else { return };
    for payload in payloads {
        let found = pull_of_event("merge_group", &payload).expect("a pull request");
        let branch = payload["merge_group"]["head_ref"].as_str().expect("a branch");
        assert!(branch.contains(&format!("/pr-{}-", found.number)), "{branch}");
    }
}

#[test]
fn other_events_name_no_pull_request() {
    let Some(payloads) = payloads("issues") else { return };
    for payload in payloads {
        assert!(pull_of_event("issues", &payload).is_err());
        assert!(pull_of_event("pull_request", &payload).is_err());
    }
    assert!(pull_of_event("merge_group", &serde_json::json!({ "repository": { "full_name": "o/r" }, "merge_group": { "head_ref": "x", "head_sha": "a", "base_sha": "b" } })).is_err());
}

/// A repository in which one line was added to one file, its base and its head.
fn change() -> (Repo, String, String) {
    let repo = Repo::new();
    let base = repo.write("a.txt", "1\n").commit("First");
    let head = repo.branch("topic").write("a.txt", "1\n2\n").commit("Second");
    (repo, base, head)
}

/// Runs a check as GitHub Actions does for an event, with no source named.
fn run(repo: &Repo, name: &str, payload: impl AsRef<[u8]>, more: &[&str]) -> Option<Answer> {
    let mock = mock()?;
    let folder = tempfile::tempdir().expect("a folder");
    let event = folder.path().join("event.json");
    std::fs::write(&event, payload).expect("a file");
    let tool = Tool::new(repo.path(), [&["check"], more].concat()).env("GITHUB_ACTIONS", "true");
    let tool = tool.env("GITHUB_EVENT_NAME", name).env("GITHUB_EVENT_PATH", &event);
    Some(tool.env("GITHUB_API_URL", mock.base("plain")).env("GITHUB_TOKEN", "t").run())
}

#[track_caller]
fn check(answer: Option<Answer>, code: i32, told: &str) {
    let Some(answer) = answer else { return };
    let answer = answer.code(code);
    let all = format!("{}{}", answer.stdout, answer.stderr);
    assert!(all.contains(told), "{told:?} is not said:\n{all}");
}

#[test]
fn an_event_names_its_pull_request_and_base_and_wants_its_head() {
    let (repo, base, head) = change();
    let of_pull = |number: Value, proposed: &str| {
        json!({
            "repository": { "full_name": "o/r" },
            "pull_request": {
                "number": number, "head": { "sha": proposed, "ref": "$(exit 1)", "repo": null }, "base": { "sha": base },
                "body": "Fixes #13", "author_association": "OWNER"
            }
        })
        .to_string()
    };
    for name in ["pull_request", "pull_request_target"] {
        check(run(&repo, name, of_pull(json!(34), &head), &[]), 0, "o/r#12, by alice");
        check(run(&repo, name, of_pull(json!(34), &base), &[]), 4, "not at the head");
        check(run(&repo, name, of_pull(json!(99), &head), &[]), 4, "no pull request o/r#99");
        check(run(&repo, name, of_pull(json!("34"), &head), &[]), 2, "has no number");
        // Named by hand, the event is only a hint for the base.
        check(run(&repo, name, of_pull(json!(34), &head), &["--issue", "o/r#16"]), 0, "o/r#16");
    }
    let queued = |number: &str| {
        let branch = format!("refs/heads/gh-readonly-queue/main/pr-{number}-{base}");
        json!({
            "repository": { "full_name": "o/r" },
            "merge_group": { "head_ref": branch, "head_sha": head, "base_sha": base, "base_ref": "refs/heads/main" }
        })
        .to_string()
    };
    check(run(&repo, "merge_group", queued("34"), &[]), 0, "o/r#12, by alice");
    check(run(&repo, "merge_group", queued("99999999999999999999999"), &[]), 2, "no number");
    check(run(&repo, "merge_group", queued("99999999999"), &[]), 4, "GitHub");
    check(run(&repo, "merge_group", queued("x"), &[]), 2, "no number");
}

#[test]
fn an_event_without_a_pull_request_asks_for_a_contract() {
    let (repo, _, _) = change();
    for name in ["push", "workflow_dispatch", "schedule", "issues", "\u{1b}[31m::error::x"] {
        let answer = run(&repo, name, "{}", &["--base", "main"]);
        assert!(answer.as_ref().is_none_or(|answer| !answer.stderr.contains("\n::error::x")));
        check(answer, 2, "which has no pull request");
    }
    check(run(&repo, "push", "{}", &["--base", "main", "--issue", "o/r#12"]), 0, "PASSED");
}

#[test]
fn a_payload_that_is_none_is_told() {
    let (repo, _, _) = change();
    let deep = "[".repeat(100_000);
    for (payload, told) in [
        ("", "EOF"),
        ("{", "EOF"),
        ("null", "has no /repository/full_name"),
        ("[]", "has no /repository/full_name"),
        (r#"{"repository":{"full_name":"../../x"}}"#, "pull_request"),
        (r#"{"repository":{"full_name":"o/r"},"pull_request":null}"#, "has no number"),
        (r#"{"repository":{"full_name":"o/r"},"pull_request":{"number":34,"head":{},"base":{}}}"#, "/head/sha"),
        (deep.as_str(), "recursion"),
    ] {
        check(run(&repo, "pull_request", payload, &[]), 2, told);
    }
    check(run(&repo, "pull_request", vec![b' '; (25 << 20) + 1], &[]), 2, "larger than any payload");
    let Some(mock) = mock() else { return };
    let tool = Tool::new(repo.path(), ["check"]).env("GITHUB_ACTIONS", "true").env("GITHUB_EVENT_NAME", "pull_request");
    let tool = tool.env("GITHUB_API_URL", mock.base("plain"));
    assert!(tool.run().code(2).stderr.contains("GITHUB_EVENT_PATH is not set"));
}
