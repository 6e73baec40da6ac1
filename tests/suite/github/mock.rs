//! Starts the mock of GitHub once for all tests, and asks it.

use super::scenarios;
use crate::suite::support::{node_modules, on_path};
use agent_acceptance::github::{Api, GitHub, Proxies, Token};
use agent_acceptance::source::Forge;
use agent_acceptance::source::trust::TrustRule;
use serde_json::Value;
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
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("github-scenarios-{}.json", std::process::id()));
    std::fs::write(&file, scenarios::scenarios().to_string()).expect("a file");
    #[expect(clippy::disallowed_methods, reason = "the mock is a process of the tests")]
    let mut command = std::process::Command::new(on_path("node")?);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/github/mock.mjs");
    command.arg(script).arg(modules).arg(&file).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().expect("node starts");
    let mut line = String::new();
    let stdout = child.stdout.as_mut().expect("a pipe");
    BufReader::new(stdout).read_line(&mut line).expect("the mock prints its port");
    std::fs::remove_file(&file).expect("the mock has read it");
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
