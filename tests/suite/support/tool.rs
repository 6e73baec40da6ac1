//! Runs the tool as a user does, with an environment that holds only what a test gives it.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Returns the environment that git and the tool get: `PATH`, what the system itself needs, and nothing of
/// the user's. `home` is where `HOME` points.
pub fn environment(home: &Path) -> Vec<(OsString, OsString)> {
    const KEPT: [&str; 8] = ["PATH", "SystemRoot", "SystemDrive", "TEMP", "TMP", "PATHEXT", "ComSpec", "TMPDIR"];
    const FIXED: [(&str, &str); 10] = [
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_AUTHOR_NAME", "A"),
        ("GIT_AUTHOR_EMAIL", "a@example.org"),
        ("GIT_AUTHOR_DATE", "2026-01-01T00:00:00Z"),
        ("GIT_COMMITTER_NAME", "A"),
        ("GIT_COMMITTER_EMAIL", "a@example.org"),
        ("GIT_COMMITTER_DATE", "2026-01-01T00:00:00Z"),
        ("LC_ALL", "C.UTF-8"),
    ];
    #[expect(clippy::disallowed_methods, reason = "the tests choose what the tool's environment holds")]
    let kept = KEPT.iter().filter_map(|name| Some(((*name).into(), std::env::var_os(name)?)));
    let fixed = FIXED.iter().map(|(name, value)| ((*name).into(), (*value).into()));
    kept.chain(fixed).chain([("HOME".into(), home.into()), ("USERPROFILE".into(), home.into())]).collect()
}

/// The tool, about to be run.
#[derive(Debug)]
pub struct Tool {
    command: assert_cmd::Command,
}

/// What a run of the tool gave.
#[derive(Debug)]
pub struct Answer {
    /// The exit status, or -1 after a signal.
    pub code: i32,
    /// What it printed to stdout.
    pub stdout: String,
    /// What it printed to stderr.
    pub stderr: String,
}

impl Tool {
    /// Prepares a run in a folder with arguments: `Tool::new(repo.path(), ["check", "contract.md"])`.
    pub fn new(folder: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Self {
        let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("agent-acceptance"));
        command.current_dir(folder).env_clear().envs(environment(folder)).args(args);
        Self { command }
    }

    /// Sets an environment variable.
    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Gives it something on stdin.
    pub fn stdin(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.command.write_stdin(text);
        self
    }

    /// Runs it. Two minutes are the most that any test may take.
    pub fn run(mut self) -> Answer {
        let output = self.command.timeout(std::time::Duration::from_secs(120)).output().expect("the tool starts");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Answer { code: output.status.code().unwrap_or(-1), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }
}

impl Answer {
    /// Returns the answer when it ended with `code`; panics with all it said otherwise.
    #[track_caller]
    pub fn code(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }

    /// Returns stdout as JSON.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {:?}\n{}", self.stdout, self.stderr))
    }
}
