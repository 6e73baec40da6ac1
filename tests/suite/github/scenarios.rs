//! What the mock of GitHub shows: who wrote, linked and edited what, and every fault.

use serde_json::{Value, json};

/// Returns every scenario by its name.
pub(super) fn scenarios() -> Value {
    let mut all = worlds();
    let members = all.as_object_mut().expect("an object");
    for more in [faults(), graphql_faults()] {
        for (name, scenario) in more.as_object().expect("an object") {
            assert!(members.insert(name.clone(), scenario.clone()).is_none(), "{name} is there twice");
        }
    }
    all
}

/// The contract that every issue of the scenarios holds.
pub const CONTRACT: &str = "Fix it.\r\n\r\n```acceptance\r\n{\"max_added_lines\": 10}\r\n```\r\n";

/// A contract that asks for tests.
const TESTS: &str = "```acceptance\n{\"tests\": [{\"command\": \"node --test\", \"passed\": 2}]}\n```\n";

fn issue(author: &str, association: &str, edits: &Value) -> Value {
    json!({ "body": CONTRACT, "author": { "login": author }, "association": association, "edits": edits })
}

fn edit(editor: &str, at: &str) -> Value {
    json!({ "editor": { "login": editor }, "at": at })
}

/// The pull request of every scenario was opened on 2026-01-02.
fn pull(body: &str, linked: &Value) -> Value {
    json!({ "body": body, "createdAt": "2026-01-02T00:00:00Z", "linked": linked })
}

fn fault(path: &str, fault: Value) -> Value {
    let mut fault = fault;
    fault["path"] = json!(path);
    json!({ "issues": { "12": issue("alice", "MEMBER", &json!([])) }, "faults": [fault] })
}

/// What people wrote, linked and edited.
fn worlds() -> Value {
    let before = "2026-01-01T12:00:00Z";
    let after = "2026-01-03T00:00:00Z";
    let bot = json!({ "body": CONTRACT, "author": { "login": "helper", "type": "Bot" }, "association": "MEMBER", "edits": [] });
    let ghost = json!({ "body": CONTRACT, "author": null, "association": "OWNER", "edits": [] });
    json!({
        "plain": {
            "issues": {
                "12": issue("alice", "MEMBER", &json!([])),
                "13": issue("passer-by", "NONE", &json!([])),
                "14": bot,
                "15": ghost,
                "16": issue("alice", "MEMBER", &json!([edit("alice", before)])),
                "17": issue("alice", "MEMBER", &json!([edit("mallory", before)])),
                "18": issue("alice", "MEMBER", &json!([edit("alice", after)])),
                "19": issue("alice", "MEMBER", &Value::Null),
                "20": issue("alice", "MEMBER", &json!([edit("carol", before)])),
                "21": issue("alice", "MEMBER", &json!([{ "editor": { "login": "alice" }, "at": before, "redacted": true }])),
                "22": issue("alice", "MEMBER", &json!([{ "editor": null, "at": before }])),
                "23": issue("alice", "MEMBER", &json!([{ "editor": { "login": "helper", "type": "Bot" }, "at": before }])),
                "24": { "body": CONTRACT, "author": { "login": "alice" }, "association": "MEMBER", "edits": [edit("alice", before), edit("mallory", after)], "pageSize": 1 },
                "25": { "body": CONTRACT, "author": { "login": "alice" }, "association": "MEMBER", "edits": [], "lastEditedAt": after },
                "26": { "body": null, "author": { "login": "alice" }, "association": "MEMBER", "edits": [] },
                "28": issue("helper[bot]", "MEMBER", &json!([])),
                "29": { "body": CONTRACT, "author": { "login": "imported", "type": "Mannequin" }, "association": "MEMBER", "edits": [] },
                "30": { "body": CONTRACT, "author": { "login": "a_corp", "type": "EnterpriseUserAccount" }, "association": "MEMBER", "edits": [] },
                "31": issue("ghost", "OWNER", &json!([])),
                "32": { "body": CONTRACT, "author": { "login": "alice" }, "association": "MEMBER", "edits": [], "viaApp": "Helper" },
                "33": { "body": CONTRACT, "author": { "login": "alice" }, "association": "MEMBER", "edits": [], "nodes": null },
                "50": { "body": CONTRACT, "author": { "login": "alice" }, "association": "MEMBER", "edits": [], "nodes": [] },
                "51": issue("alice", "MEMBER", &json!([edit("carol", after), edit("mallory", before), edit("alice", "2026-01-01T00:00:00Z")])),
                "52": issue("alice", "MEMBER", &json!([edit("carol", "sometime")])),
                "53": { "body": format!("{}\n{CONTRACT}", "\u{1f980}".repeat(65_000)), "author": { "login": "alice" }, "association": "MEMBER", "edits": [] },
                "27": { "body": CONTRACT, "author": { "login": "mallory" }, "association": "OWNER", "edits": [], "repo": "mallory/own" }
            },
            "permissions": { "carol": "write", "alice": "read" },
            "pulls": {
                "34": pull("Fixes #12", &json!([12])),
                "35": pull("Fixes #12 and fixes #16", &json!([12, 16])),
                "36": pull("`Fixes #12`", &json!([])),
                "37": pull("Fixes mallory/own#27", &json!([27])),
                "38": { "body": "Fixes #12", "createdAt": "2026-01-02T00:00:00Z", "linked": [], "base": "next" },
                "39": { "body": "Fixes #12", "createdAt": "2026-01-02T00:00:00Z", "linked": null },
                "40": { "body": "Fixes #12", "createdAt": "2026-01-02T00:00:00Z", "linked": [12], "totalLinked": 21 },
                "41": pull("Nothing.", &json!([])),
                "42": pull("Fixes #13", &json!([13])),
                "43": { "body": "Fixes #12", "createdAt": "2026-01-02T00:00:00Z", "linked": [12], "linkedAfter": 1 },
                "44": pull("Fixes #17", &json!([17])),
                "45": pull(CONTRACT, &json!([26])),
                "46": pull("Fixes https://github.com/o/r/pull/34", &json!([])),
                "47": { "body": "", "createdAt": "2026-01-02T00:00:00Z", "linked": [12], "byHand": [12], "base": "next" },
                "48": pull("Fixes #12", &json!([12, null])),
                "49": pull("", &json!([12, 26, 27]))
            }
        },
        "requests": { "issues": { "12": issue("alice", "MEMBER", &json!([])) }, "pulls": { "34": pull("Fixes #12", &json!([12])) } },
        "anonymous-requests": { "issues": { "12": issue("alice", "MEMBER", &json!([])) }, "pulls": { "34": pull("Fixes #12", &json!([12])) } }
    })
}

/// Servers that are not there as they should be.
fn faults() -> Value {
    let before = "2026-01-01T12:00:00Z";
    json!({
        "tls": { "issues": { "12": issue("alice", "MEMBER", &json!([])) } },
        "proxied": { "issues": { "12": issue("alice", "MEMBER", &json!([])) } },
        "untrusted": { "issues": { "12": issue("alice", "MEMBER", &json!([])) } },
        "never": {},
        "tests": { "issues": { "12": { "body": TESTS, "author": { "login": "alice" }, "association": "MEMBER", "edits": [] } } },
        "enterprise": { "issues": { "12": issue("alice", "MEMBER", &json!([])) } },
        "followed": {
            "moved": { "5": { "body": CONTRACT, "author": { "login": "alice" }, "association": "MEMBER", "repo": "new/home" } },
            "faults": [{ "path": "/repos/o/r/issues/12", "status": 301, "location": "HOST/repositories/7/issues/5" }]
        },
        "renamed": { "renamed": "new/home", "pulls": { "34": pull("Fixes #12", &json!([])) } },
        "second-page": {
            "issues": { "24": { "body": CONTRACT, "author": { "login": "alice" }, "association": "MEMBER", "edits": [edit("alice", before), edit("alice", before)], "pageSize": 1 } },
            "faults": [{ "path": "/graphql", "text": "\"after\":\"next\"", "status": 502, "body": "<html>" }]
        },
        "sso": fault("/", json!({ "status": 403, "headers": { "x-github-sso": "required; url=https://github.com/orgs/o/sso" }, "body": { "message": "Resource protected by organization SAML enforcement." } })),
        "teapot": fault("/", json!({ "status": 418, "body": "short and stout" })),
        "graphql-odd-type": fault("/graphql", json!({ "status": 200, "body": { "data": { "repository": { "issueOrPullRequest": { "__typename": "Issue", "number": "12" } } } } })),
        "graphql-list": fault("/graphql", json!({ "status": 200, "body": [{ "data": {} }] })),
        "graphql-errors-odd": fault("/graphql", json!({ "status": 200, "body": { "data": {}, "errors": "no" } })),
        "graphql-errors-empty": fault("/graphql", json!({ "status": 200, "body": { "data": {}, "errors": [] } })),
        "rest-list": fault("/repos", json!({ "status": 200, "body": [] })),
        "rest-null": fault("/repos", json!({ "status": 200, "body": "null" })),
        "rest-deep": fault("/repos", json!({ "status": 200, "body": "[".repeat(200_000) })),
        "rest-odd-repo": fault("/repos", json!({ "status": 200, "body": { "number": 12, "html_url": "x", "repository_url": "https://x/repos/../..", "user": null } })),
        "moved": fault("/repos/o/r/issues/12", json!({ "status": 301, "location": "HOST/repositories/7/issues/12" })),
        "elsewhere": fault("/repos/o/r/issues/12", json!({ "status": 301, "location": "http://127.0.0.1:9/repos/o/r/issues/12" })),
        "loop": fault("/issues/12", json!({ "status": 301, "location": "HOST/repos/o/r/issues/12" })),
        "unauthorized": fault("/", json!({ "status": 401, "body": { "message": "Bad credentials" } })),
        "forbidden": fault("/", json!({ "status": 403, "body": { "message": "Resource not accessible" } })),
        "limited": fault("/", json!({ "status": 403, "headers": { "x-ratelimit-remaining": "0", "x-ratelimit-limit": "60" }, "resetIn": 3600 })),
        "limited-briefly": fault("/", json!({ "status": 429, "headers": { "retry-after": "0" }, "times": 1 })),
        "secondary": fault("/", json!({ "status": 429, "headers": { "retry-after": "3600" } })),
        "absent": fault("/", json!({ "status": 404, "body": { "message": "Not Found" } })),
        "gone": fault("/", json!({ "status": 410, "body": { "message": "This issue was deleted" } })),
        "broken": fault("/", json!({ "status": 502, "body": "<html>bad gateway</html>" })),
        "broken-once": fault("/", json!({ "status": 502, "body": "<html>bad gateway</html>", "times": 1 })),
        "html": fault("/", json!({ "status": 200, "body": "<html>sign in</html>" })),
        "empty": fault("/", json!({ "status": 200, "body": "{}" })),
        "huge": fault("/", json!({ "huge": true })),
        "refuses": fault("/", json!({ "refuse": true }))
    })
}

/// GraphQL tells its faults with status 200.
fn graphql_faults() -> Value {
    json!({
        "partial": fault("/graphql", json!({ "status": 200, "body": {
            "data": { "repository": { "issueOrPullRequest": null } },
            "errors": [{ "type": "FORBIDDEN", "message": "Resource not accessible by integration" }]
        } })),
        "graphql-limited": fault("/graphql", json!({ "status": 200, "body": { "errors": [{ "type": "RATE_LIMITED", "message": "API rate limit exceeded" }] } })),
        "graphql-absent": fault("/graphql", json!({ "status": 200, "body": { "data": null, "errors": [{ "type": "NOT_FOUND", "message": "Could not resolve" }] } })),
        "graphql-null": fault("/graphql", json!({ "status": 200, "body": { "data": { "repository": null } } }))
    })
}
