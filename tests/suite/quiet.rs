//! What the tool leaves alone when no contract on GitHub was named: the network, and the system's certificates.
//! Watched from outside, system call by system call.

use super::support::{Repo, environment, missing, on_path};
use std::collections::BTreeSet;
use std::path::Path;

/// Runs the tool under `strace`, and returns its own calls: a line each, without those of programs that it
/// started, whose processes begin as copies of it. `None`, aloud, where strace is missing or may not watch.
fn calls(repo: &Repo, args: &[&str], more: &[(&str, &Path)]) -> Option<Vec<String>> {
    let Some(strace) = on_path("strace") else {
        missing("strace");
        return None;
    };
    let folder = tempfile::tempdir().expect("a folder");
    let log = folder.path().join("calls");
    let mut command = assert_cmd::Command::new(strace);
    command.current_dir(repo.path()).env_clear().envs(environment(folder.path())).envs(more.iter().copied());
    command.args(["-f", "-qq", "-s", "200", "-e", "trace=execve,%network,openat,open", "-o"]).arg(&log);
    command.arg(assert_cmd::cargo::cargo_bin!("agent-acceptance")).args(args);
    let output = command.timeout(std::time::Duration::from_secs(120)).output().expect("strace starts");
    let told = String::from_utf8_lossy(&output.stderr);
    if told.contains("Operation not permitted") {
        missing("the right to trace processes");
        return None;
    }
    assert_eq!(output.status.code(), Some(0), "{}{told}", String::from_utf8_lossy(&output.stdout));
    let log = std::fs::read_to_string(&log).expect("strace has written its log");
    let mut others = BTreeSet::new();
    let mut calls = Vec::new();
    let mut is_first = true;
    for line in log.lines() {
        let (process, call) = line.split_once(' ').expect("a process and a call");
        let call = call.trim_start();
        if call.starts_with("execve(") && !std::mem::take(&mut is_first) {
            others.insert(process.to_owned());
        } else if !others.contains(process) {
            calls.push(call.to_owned());
        }
    }
    Some(calls)
}

fn sockets(calls: &[String]) -> Vec<&String> {
    calls.iter().filter(|call| call.starts_with("socket")).collect()
}

fn change(name: &str, text: &str, more: &str) -> Repo {
    let repo = Repo::new();
    repo.write(name, text).commit("First");
    repo.branch("topic").write(name, format!("{text}{more}")).commit("Second");
    repo
}

#[test]
fn a_check_of_a_file_opens_no_socket_and_reads_no_certificate() {
    let repo = change("a.txt", "1\n", "2\n");
    let folder = tempfile::tempdir().expect("a folder");
    let contract = folder.path().join("contract.md");
    std::fs::write(&contract, "```acceptance\n{\"max_added_lines\": 5}\n```\n").expect("a file");
    let bundle = folder.path().join("bundle.pem");
    let Some(calls) =
        calls(&repo, &["check", contract.to_str().expect("text"), "--base", "main"], &[("SSL_CERT_FILE", &bundle)])
    else {
        return;
    };
    assert!(calls.iter().any(|call| call.contains("contract.md")), "nothing was watched: {calls:#?}");
    assert_eq!(sockets(&calls), [""; 0]);
    let read: Vec<&String> = calls.iter().filter(|call| call.contains("ssl") || call.contains(".pem")).collect();
    assert_eq!(read, [""; 0]);
}

#[test]
fn a_check_with_tests_opens_its_private_channel_alone() {
    if on_path("node").is_none() {
        missing("node");
        return;
    }
    let text = "import test from 'node:test';\ntest('a', () => {});\n";
    let repo = change("a.test.mjs", text, "test('b', () => {});\n");
    let folder = tempfile::tempdir().expect("a folder");
    let contract = folder.path().join("contract.md");
    let tests = "```acceptance\n{\"tests\": [{\"command\": \"node --test\", \"passed\": 2}]}\n```\n";
    std::fs::write(&contract, tests).expect("a file");
    let Some(calls) = calls(&repo, &["check", contract.to_str().expect("text"), "--base", "main"], &[]) else { return };
    let opened = sockets(&calls);
    assert!(!opened.is_empty(), "the channel was not seen: {calls:#?}");
    for socket in opened {
        assert!(socket.starts_with("socket(AF_UNIX") || socket.starts_with("socketpair(AF_UNIX"), "{socket}");
    }
    for call in calls.iter().filter(|call| call.starts_with("connect(") || call.starts_with("bind(")) {
        assert!(call.contains("AF_UNIX"), "{call}");
    }
}

#[cfg(feature = "github")]
#[test]
fn what_was_opened_to_ask_github_is_gone_before_a_test_starts() {
    let Some(mock) = super::github::mock::mock() else { return };
    let text = "import test from 'node:test';\ntest('a', () => {});\n";
    let repo = change(
        "a.test.mjs",
        text,
        "import fs from 'node:fs';\ntest('b', () => {\n  const links = fs.readdirSync('/proc/self/fd').flatMap((fd) => { try { return [fs.readlinkSync(`/proc/self/fd/${fd}`)]; } catch { return []; } });\n  const ports = fs.readFileSync('/proc/net/tcp', 'utf8');\n  if (links.some((link) => link.startsWith('socket:') && ports.includes(link.slice(8, -1)))) throw new Error(String(links));\n});\n",
    );
    let address = mock.base("tests");
    let variables = [("GITHUB_API_URL", Path::new(&address)), ("GITHUB_REPOSITORY", Path::new("o/r"))];
    let Some(calls) = calls(&repo, &["check", "--issue", "12", "--base", "main"], &variables) else { return };
    let at = |wanted: &str| calls.iter().rposition(|call| call.starts_with(wanted) && call.contains("AF_INET"));
    let unix = calls.iter().position(|call| call.starts_with("socket(AF_UNIX"));
    assert!(at("socket(") < unix && at("connect(") < unix, "{calls:#?}");
    assert!(at("socket(").is_some(), "GitHub was not asked: {calls:#?}");
}
