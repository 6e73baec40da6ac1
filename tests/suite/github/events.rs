//! Real payloads of GitHub's webhooks lead to their pull request.

use crate::suite::support::node_modules;
use agent_acceptance::github::pull_of_event;
use serde_json::Value;

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
