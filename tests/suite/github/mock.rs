//! Starts the mock of GitHub once for all tests, and asks it.

use crate::suite::support::{node_modules, on_path};
use agent_acceptance::github::{Api, GitHub, Proxies, Token};
use agent_acceptance::source::Forge;
use agent_acceptance::source::trust::TrustRule;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

/// The running mock. It ends when this process does: it waits for the end of its stdin.
#[derive(Debug)]
pub struct Mock {
    port: u16,
    tls_port: u16,
    _child: Child,
}

/// Returns the mock, or `None`, aloud, where node is missing.
pub fn mock() -> Option<&'static Mock> {
    static MOCK: OnceLock<Option<Mock>> = OnceLock::new();
    MOCK.get_or_init(start).as_ref()
}

fn start() -> Option<Mock> {
    let modules = node_modules("github")?;
    let scenarios =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("github-scenarios-{}.json", std::process::id()));
    std::fs::write(&scenarios, scenarios_json().to_string()).expect("a file");
    #[expect(clippy::disallowed_methods, reason = "the mock is a process of the tests")]
    let mut command = std::process::Command::new(on_path("node")?);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/github/mock.mjs");
    command.arg(script).arg(modules).arg(&scenarios).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("node starts");
    let mut line = String::new();
    let stdout = child.stdout.as_mut().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("the mock prints its port");
    std::fs::remove_file(&scenarios).expect("the mock has read it");
    let ports: Vec<u16> = line.split_whitespace().map(|port| port.parse().expect("a port")).collect();
    let [port, tls_port] = ports[..] else { panic!("the mock says {line:?}") };
    Some(Mock { port, tls_port, _child: child })
}

impl Mock {
    /// Returns where a scenario is served.
    pub fn base(&self, scenario: &str) -> String {
        format!("http://127.0.0.1:{}/s/{scenario}", self.port)
    }

    /// Returns the port of https, whose certificate is for 127.0.0.1 and github.test.
    pub fn tls_port(&self) -> u16 {
        self.tls_port
    }

    /// Returns the port of http.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns a way to ask a scenario.
    pub fn github(&self, scenario: &str, token: Option<&str>, max_wait: Duration) -> GitHub {
        let lookup = |name: &str| match name {
            "GITHUB_API_URL" => Some(self.base(scenario)),
            "GH_TOKEN" => token.map(str::to_owned),
            _ => None,
        };
        let api = Api::choose(None, &lookup).expect("a server");
        let token = Token::for_host(&api, &lookup);
        GitHub {
            api,
            token,
            proxies: Proxies::default(),
            request_time: Duration::from_secs(20),
            max_wait,
            on_wait: |_| {},
        }
    }

    /// Returns the requests that a scenario got.
    pub fn requests(&self, scenario: &str) -> Vec<Value> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the mock listens");
        write!(stream, "GET /s/{scenario}/log HTTP/1.0\r\n\r\n").expect("a request");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let body = answer.split_once("\r\n\r\n").expect("a head and a body").1;
        serde_json::from_str(body).expect("JSON")
    }
}

/// Returns how GitHub is asked with a rule.
pub fn forge<'a>(github: &'a GitHub, rule: &'a TrustRule) -> Forge<'a> {
    Forge { github, rule, require_edit_history: false }
}

/// The default rule.
pub fn rule() -> TrustRule {
    let associations = ["OWNER", "MEMBER", "COLLABORATOR"].map(str::to_owned).to_vec();
    TrustRule { associations, users: Vec::new(), write_permission: false }
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

fn scenarios_json() -> Value {
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
                "45": pull(CONTRACT, &json!([26]))
            }
        },
        "requests": { "issues": { "12": issue("alice", "MEMBER", &json!([])) }, "pulls": { "34": pull("Fixes #12", &json!([12])) } },
        "anonymous-requests": { "issues": { "12": issue("alice", "MEMBER", &json!([])) }, "pulls": { "34": pull("Fixes #12", &json!([12])) } },
        "tls": { "issues": { "12": issue("alice", "MEMBER", &json!([])) } },
        "proxied": { "issues": { "12": issue("alice", "MEMBER", &json!([])) } },
        "untrusted": { "issues": { "12": issue("alice", "MEMBER", &json!([])) } },
        "never": {},
        "tests": { "issues": { "12": { "body": TESTS, "author": { "login": "alice" }, "association": "MEMBER", "edits": [] } } },
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
        "refuses": fault("/", json!({ "refuse": true })),
        "partial": fault("/graphql", json!({ "status": 200, "body": {
            "data": { "repository": { "issueOrPullRequest": null } },
            "errors": [{ "type": "FORBIDDEN", "message": "Resource not accessible by integration" }]
        } })),
        "graphql-limited": fault("/graphql", json!({ "status": 200, "body": { "errors": [{ "type": "RATE_LIMITED", "message": "API rate limit exceeded" }] } })),
        "graphql-absent": fault("/graphql", json!({ "status": 200, "body": { "data": null, "errors": [{ "type": "NOT_FOUND", "message": "Could not resolve" }] } })),
        "graphql-null": fault("/graphql", json!({ "status": 200, "body": { "data": { "repository": null } } }))
    })
}
