//! The way to GitHub: real TLS with an authority of the tests' own, proxies, and everything that stands in it.

use super::mock::{Mock, forge, mock, rule};
use crate::suite::support::{Answer, Repo, Tool};
use agent_acceptance::error::Kind;
use agent_acceptance::facts::RepoName;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn authority() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/github/tls/authority.pem")
}

/// What a proxy does with a request for a tunnel.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conduct {
    /// Opens it, to this machine's port of the same number whatever the host.
    Open,
    /// Wants a user and a password.
    AskWho,
    /// Refuses.
    Refuse,
    /// Ends the connection.
    HangUp,
}

/// A proxy on loopback.
struct Proxy {
    port: u16,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Proxy {
    fn start(conduct: Conduct) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&heads);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let seen = Arc::clone(&seen);
                std::thread::spawn(move || serve(stream, conduct, &seen));
            }
        });
        Self { port, heads }
    }

    fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Returns the head of each request that it got.
    fn heads(&self) -> Vec<String> {
        self.heads.lock().expect("no panic").clone()
    }
}

fn serve(mut stream: TcpStream, conduct: Conduct, seen: &Mutex<Vec<String>>) -> Option<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?;
    seen.lock().expect("no panic").push(head.clone());
    match conduct {
        Conduct::Open => {}
        Conduct::AskWho => {
            return stream
                .write_all(b"HTTP/1.1 407 Who?\r\nProxy-Authenticate: Basic realm=x\r\nContent-Length: 0\r\n\r\n")
                .ok();
        }
        Conduct::Refuse => return stream.write_all(b"HTTP/1.1 403 No\r\nContent-Length: 0\r\n\r\n").ok(),
        Conduct::HangUp => return stream.shutdown(Shutdown::Both).ok(),
    }
    let target = head.split(' ').nth(1)?;
    let port: u16 = target.rsplit(':').next()?.parse().ok()?;
    let mut server = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").ok()?;
    let (mut from, mut to) = (stream.try_clone().ok()?, server.try_clone().ok()?);
    std::thread::spawn(move || {
        let _ = std::io::copy(&mut from, &mut to);
        let _ = to.shutdown(Shutdown::Write);
    });
    let _ = std::io::copy(&mut server, &mut stream);
    stream.shutdown(Shutdown::Both).ok()
}

/// Runs a check of issue 12 with these variables.
fn run(variables: &[(&str, String)]) -> Answer {
    let repo = Repo::new();
    repo.write("a.txt", "1\n").commit("First");
    repo.branch("topic").write("a.txt", "1\n2\n").commit("Second");
    let tool = Tool::new(repo.path(), ["check", "--base", "main", "--issue", "12"])
        .env("GITHUB_REPOSITORY", "o/r")
        .env("GH_TOKEN", "secret-token");
    variables.iter().fold(tool, |tool, (name, value)| tool.env(name, value)).run()
}

/// Checks how a run ends and what it says; never anything secret.
#[track_caller]
fn check(variables: &[(&str, String)], code: i32, told: &[&str]) {
    let answer = run(variables).code(code);
    let all = format!("{}{}", answer.stdout, answer.stderr);
    for text in told {
        assert!(all.contains(text), "{variables:?} does not say {text:?}:\n{all}");
    }
    for secret in ["secret-token", "hunter", "dXNlcjpo"] {
        assert!(!all.to_lowercase().contains(&secret.to_lowercase()), "{variables:?} shows {secret}:\n{all}");
    }
    assert!(code == 0 || all.contains("next"), "{variables:?} does not say what to do:\n{all}");
}

fn var(name: &'static str, value: impl Into<String>) -> (&'static str, String) {
    (name, value.into())
}

fn tls(mock: &Mock, host: &str, scenario: &str) -> (&'static str, String) {
    var("GITHUB_API_URL", format!("https://{host}:{}/s/{scenario}", mock.tls_port()))
}

fn trusting() -> (&'static str, String) {
    var("SSL_CERT_FILE", authority().display().to_string())
}

#[test]
fn github_is_asked_over_tls_where_its_authority_is_trusted() {
    let Some(mock) = mock() else { return };
    check(&[tls(mock, "127.0.0.1", "tls"), trusting()], 0, &["alice (MEMBER)"]);
    let requests = mock.requests("tls");
    assert_eq!(requests.len(), 1, "{requests:?}");
    assert_eq!(requests[0]["authorization"], "Bearer secret-token");
}

#[test]
fn a_server_that_cannot_prove_who_it_is_gets_no_token() {
    let Some(mock) = mock() else { return };
    let own = "not trusted here";
    check(&[tls(mock, "127.0.0.1", "untrusted")], 4, &[own, "SSL_CERT_FILE"]);
    check(&[tls(mock, "localhost", "untrusted"), trusting()], 4, &[own, "localhost"]);
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        var("SSL_CERT_FILE", file.display().to_string())
    };
    check(&[tls(mock, "127.0.0.1", "untrusted"), file("empty", "")], 4, &["SSL_CERT_FILE"]);
    check(&[tls(mock, "127.0.0.1", "untrusted"), file("prose", "no certificate\n")], 4, &["SSL_CERT_FILE"]);
    let absent = var("SSL_CERT_FILE", folder.path().join("absent").display().to_string());
    check(&[tls(mock, "127.0.0.1", "untrusted"), absent], 4, &["SSL_CERT_FILE"]);
    let plain = var("GITHUB_API_URL", format!("https://127.0.0.1:{}/s/untrusted", mock.port()));
    check(&[plain, trusting()], 4, &["could not be reached"]);
    assert!(mock.requests("untrusted").is_empty(), "something was sent to it");
}

#[test]
fn each_name_of_a_proxy_and_of_those_without_is_known() {
    let Some(mock) = mock() else { return };
    let connect = format!("CONNECT 127.0.0.1:{} HTTP/1.1", mock.tls_port());
    let asked_of = |proxy: &Proxy| -> Vec<String> {
        proxy.heads().iter().filter_map(|head| head.lines().next().map(str::to_owned)).collect()
    };
    let direct = [tls(mock, "127.0.0.1", "proxied"), trusting()];
    for (name, is_proxied) in [
        ("HTTPS_PROXY", true),
        ("https_proxy", true),
        ("ALL_PROXY", true),
        ("all_proxy", true),
        ("HTTP_PROXY", false),
        ("http_proxy", false),
    ] {
        let proxy = Proxy::start(Conduct::Open);
        check(&[&direct[..], &[var(name, proxy.address())]].concat(), 0, &["alice (MEMBER)"]);
        let expected: Vec<&String> = is_proxied.then_some(&connect).into_iter().collect();
        assert_eq!(asked_of(&proxy).iter().collect::<Vec<_>>(), expected, "{name}");
    }
    let proxy = Proxy::start(Conduct::Open);
    for (name, hosts) in [
        ("NO_PROXY", "127.0.0.1"),
        ("no_proxy", "example.org, 127.0.0.1"),
        ("NO_PROXY", "*"),
        ("no_proxy", "10.0.0.0/8,127.0.0.0/8"),
    ] {
        let variables = [&direct[..], &[var("HTTPS_PROXY", proxy.address()), var(name, hosts)]].concat();
        check(&variables, 0, &["alice (MEMBER)"]);
        assert_eq!(asked_of(&proxy), [""; 0], "{name}={hosts}");
    }
}

#[test]
fn the_proxy_finds_the_host_and_sees_no_request() {
    let Some(mock) = mock() else { return };
    let proxy = Proxy::start(Conduct::Open);
    let address = format!("http://user:hunter%212@127.0.0.1:{}", proxy.port);
    // Nothing on this machine has that name: only the proxy can reach it.
    check(&[tls(mock, "github.test", "proxied"), trusting(), var("HTTPS_PROXY", &address)], 0, &["PASSED"]);
    let heads = proxy.heads();
    assert_eq!(heads.len(), 1);
    assert!(heads[0].starts_with(&format!("CONNECT github.test:{} ", mock.tls_port())), "{heads:?}");
    assert!(heads[0].contains("Basic dXNlcjpodW50ZXIhMg=="), "{heads:?}");
    assert!(!heads[0].contains("secret-token"));
}

#[test]
fn a_proxy_that_does_not_help_is_told_without_its_password() {
    let Some(mock) = mock() else { return };
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    let asks = Proxy::start(Conduct::AskWho).port;
    let refuses = Proxy::start(Conduct::Refuse).port;
    let hangs_up = Proxy::start(Conduct::HangUp).port;
    let open = Proxy::start(Conduct::Open);
    for (address, code, told) in [
        (format!("http://user:hunter2@127.0.0.1:{asks}"), 4, "wants a user"),
        (format!("http://user:hunter2@127.0.0.1:{refuses}"), 4, "check the proxy in https_proxy"),
        (format!("http://user:hunter2@127.0.0.1:{hangs_up}"), 4, "check the proxy in https_proxy"),
        (format!("http://user:hunter2@127.0.0.1:{closed}"), 4, "check the proxy in https_proxy"),
        (format!("socks5://user:hunter2@127.0.0.1:{}", open.port), 2, "socks5:// is not known here"),
        (format!("https://user:hunter2@127.0.0.1:{}", open.port), 2, "https:// is not known here"),
        ("ftp://user:hunter2@127.0.0.1".to_owned(), 2, "it is not an address"),
        ("user:hunter2@ host".to_owned(), 2, "it is not an address"),
    ] {
        check(&[tls(mock, "github.test", "never"), trusting(), var("https_proxy", &address)], code, &[told]);
    }
    assert!(open.heads().is_empty() && mock.requests("never").is_empty());
}

#[test]
fn plain_http_stays_on_this_machine() {
    let Some(mock) = mock() else { return };
    let proxy = Proxy::start(Conduct::Open);
    let mut variables = vec![var("GITHUB_API_URL", mock.base("plain"))];
    variables.extend(["HTTPS_PROXY", "http_proxy", "HTTP_PROXY", "ALL_PROXY"].map(|name| var(name, proxy.address())));
    check(&variables, 0, &["PASSED"]);
    assert!(proxy.heads().is_empty());
    check(&[var("GITHUB_API_URL", "http://github.test")], 2, &["it is not https"]);
    check(&[var("GITHUB_API_URL", "https://user:hunter2@github.test")], 2, &["holds a user name"]);
}

#[test]
fn a_host_that_is_not_there_is_told() {
    let closed = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port").port();
    for address in [format!("http://127.0.0.1:{closed}"), "https://host.invalid".to_owned()] {
        check(&[var("GITHUB_API_URL", &address)], 4, &["could not be reached", &address, "HTTPS_PROXY"]);
    }
}

/// A server that says only so much, slowly, and then nothing more.
fn silent(said: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        let mut held = Vec::new();
        for mut stream in listener.incoming().map_while(Result::ok) {
            // An answer counts only once something was asked.
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(said.as_bytes());
            held.push(stream);
        }
    });
    port
}

#[test]
fn a_server_that_hangs_is_not_waited_for() {
    let Some(mock) = mock() else { return };
    for said in ["", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"data\":"] {
        let mut github = mock.github("plain", Some("t"), Duration::from_secs(60));
        github.api.graphql = format!("http://127.0.0.1:{}/graphql", silent(said));
        github.request_time = Duration::from_millis(300);
        let rule = rule();
        let failure = forge(&github, &rule).issue(&RepoName::parse("o/r").expect("a name"), 12).expect_err("no answer");
        assert_eq!(failure.kind, Kind::Network, "{said:?}: {failure:?}");
        assert!(failure.message.contains("in time"), "{failure:?}");
    }
}

#[test]
fn a_server_that_speaks_nonsense_is_told() {
    let Some(mock) = mock() else { return };
    for said in
        ["nonsense\r\n\r\n", "HTTP/1.1 999999 x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "\0\0\0\0"]
    {
        let mut github = mock.github("plain", Some("t"), Duration::ZERO);
        github.api.graphql = format!("http://127.0.0.1:{}/graphql", silent(said));
        github.request_time = Duration::from_secs(1);
        let rule = rule();
        let failure = forge(&github, &rule).issue(&RepoName::parse("o/r").expect("a name"), 12).expect_err("no answer");
        assert_eq!(failure.kind, Kind::Network, "{said:?}: {failure:?}");
        assert!(!failure.next.is_empty(), "{failure:?}");
    }
}

#[test]
fn a_server_of_ones_own_gets_the_token_that_is_meant_for_it_and_no_other() {
    let Some(mock) = mock() else { return };
    let host = format!("127.0.0.1:{}", mock.tls_port());
    let server = format!("https://{host}");
    let repo = Repo::new();
    for (variables, token) in [
        (&[("GH_TOKEN", "secret"), ("GITHUB_TOKEN", "secret"), ("GH_ENTERPRISE_TOKEN", "secret")][..], None),
        (&[("GH_HOST", host.as_str()), ("GH_TOKEN", "secret"), ("GH_ENTERPRISE_TOKEN", "own")], Some("Bearer own")),
        (&[("GH_HOST", host.as_str()), ("GITHUB_ENTERPRISE_TOKEN", "own")], Some("Bearer own")),
        (&[("GITHUB_SERVER_URL", server.as_str()), ("GITHUB_TOKEN", "own")], Some("Bearer own")),
        (&[("GITHUB_API_URL", "https://api.github.com"), ("GITHUB_TOKEN", "secret")], None),
    ] {
        let seen = mock.requests("enterprise").len();
        let tool = Tool::new(repo.path(), ["parse", "--issue", &format!("{server}/o/r/issues/12")]);
        let tool = tool.env("SSL_CERT_FILE", authority());
        variables.iter().fold(tool, |tool, (name, value)| tool.env(name, value)).run().code(0);
        let requests = mock.requests("enterprise").split_off(seen);
        assert_eq!(requests.len(), 1, "{variables:?}");
        assert_eq!(requests[0]["authorization"].as_str(), token, "{variables:?}");
        let path = if token.is_some() { "/graphql" } else { "/repos/o/r/issues/12" };
        assert_eq!(requests[0]["path"], path, "{variables:?}");
    }
}
