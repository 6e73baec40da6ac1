//! The git program: where it is, whether it is new enough, and the environment that each of its
//! processes gets. The only file that may start git. Knows nothing of what git is asked.

use crate::error::{Failure, Kind};
use crate::git::os;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The oldest git that can be cut off from the user's configuration (`GIT_CONFIG_GLOBAL`).
const OLDEST: (u32, u32) = (2, 32);

/// Where nothing can lie. `GIT_GRAFT_FILE` must not exist: with `/dev/null` git prints hints.
const NOWHERE: &str = "/nonexistent";

/// The git program and what its processes need of the caller's environment.
#[derive(Debug, Clone)]
pub struct Git {
    program: PathBuf,
    search_path: OsString,
    variables: Vec<(OsString, OsString)>,
    temporary: Option<PathBuf>,
    home: Option<PathBuf>,
}

impl Git {
    /// Looks git up in a search path.
    ///
    /// Relative entries, and entries inside the repository that encloses `dir`, are passed over: what
    /// stands there may belong to the change under test (`node_modules/.bin/git`).
    ///
    /// # Errors
    /// [`Kind::GitUnusable`] when no entry holds the program.
    pub fn locate(search_path: &OsStr, dir: &Path) -> Result<Self, Failure> {
        let enclosing = os::real_path(dir)
            .ok()
            .and_then(|dir| dir.ancestors().find(|place| place.join(".git").exists()).map(Path::to_path_buf));
        let is_trusted = |entry: &PathBuf| {
            let real = os::real_path(entry).unwrap_or_else(|_| entry.clone());
            entry.is_absolute() && !enclosing.as_ref().is_some_and(|root| real.starts_with(root))
        };
        let entries: Vec<PathBuf> = std::env::split_paths(search_path).filter(is_trusted).collect();
        let program = entries.iter().map(|entry| entry.join(os::PROGRAM)).find(|program| os::is_executable(program));
        let Some(program) = program else {
            return Err(Failure::new(Kind::GitUnusable, "git was not found in `PATH`").next(install_advice()));
        };
        let search_path = std::env::join_paths(entries).unwrap_or_default();
        Ok(Self { program, search_path, variables: Vec::new(), temporary: None, home: None })
    }

    /// Passes one variable of the caller's environment on, such as `SystemRoot` on Windows.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// Puts private folders below `dir` instead of the system's folder for temporary files.
    #[must_use]
    pub fn with_temporary(mut self, dir: impl Into<PathBuf>) -> Self {
        self.temporary = Some(dir.into());
        self
    }

    /// Names the user's home, whose git configuration is read for one thing: `safe.directory`.
    #[must_use]
    pub fn with_home(mut self, home: impl Into<PathBuf>) -> Self {
        self.home = Some(home.into());
        self
    }

    /// Returns the program's path.
    pub fn program(&self) -> &Path {
        &self.program
    }

    pub(super) fn temporary(&self) -> Option<&Path> {
        self.temporary.as_deref()
    }

    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Makes a command whose environment holds nothing of the caller's but the search path, and which
    /// obeys no configuration of user or system.
    pub(super) fn command(&self, cwd: &Path) -> Command {
        #[expect(clippy::disallowed_methods, reason = "this room runs git")]
        let mut command = Command::new(&self.program);
        command.env_clear().envs(self.variables.iter().map(|(name, value)| (name, value)));
        command.env("PATH", &self.search_path).envs([
            ("LC_ALL", "C"),
            ("HOME", NOWHERE),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_CONFIG_GLOBAL", "/dev/null"),
            ("GIT_ATTR_NOSYSTEM", "1"),
            ("GIT_NO_REPLACE_OBJECTS", "1"),
            ("GIT_GRAFT_FILE", "/nonexistent/grafts"),
            ("GIT_NO_LAZY_FETCH", "1"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ALLOW_PROTOCOL", ""),
            ("GIT_LITERAL_PATHSPECS", "1"),
        ]);
        command.args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"]);
        command.args(["-c", "core.attributesFile=/dev/null", "-c", "core.commitGraph=false"]);
        command.args(["-c", "protocol.allow=never"]).current_dir(cwd).stdin(Stdio::null());
        command
    }

    /// Starts a command whose output is collected later by [`finish`].
    pub(super) fn start(&self, command: &mut Command) -> Result<Child, Failure> {
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(|error| self.not_started(&error))
    }

    /// Runs a command to its end.
    pub(super) fn run(&self, command: &mut Command) -> Result<Output, Failure> {
        finish(self.start(command)?)
    }

    /// Says that the program could not be started.
    pub(super) fn not_started(&self, error: &std::io::Error) -> Failure {
        Failure::new(Kind::GitUnusable, format!("git could not be started: {error}"))
            .detail("program", self.program.to_string_lossy())
            .next(install_advice())
    }

    /// Starts the question for the version.
    pub(super) fn start_version(&self, cwd: &Path) -> Result<Child, Failure> {
        self.start(self.command(cwd).arg("version"))
    }

    /// Fails unless the answer names a version that is new enough.
    pub(super) fn check_version(&self, answer: &Output) -> Result<(), Failure> {
        let text = String::from_utf8_lossy(&answer.stdout);
        let failure = |message: String| {
            Failure::new(Kind::GitUnusable, message)
                .detail("program", self.program.to_string_lossy())
                .next(install_advice())
        };
        match parse_version(&text) {
            Some(version) if version >= OLDEST => Ok(()),
            Some((major, minor)) => Err(failure(format!("git {major}.{minor} is too old"))),
            None => Err(failure("git did not tell its version".to_owned()).detail("answer", answer.complaint(&text))),
        }
    }
}

fn install_advice() -> String {
    format!("install git {}.{} or newer", OLDEST.0, OLDEST.1)
}

/// Reads `git version 2.39.5 (Apple Git-154)`.
fn parse_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().strip_prefix("git version ")?.split(['.', ' ']);
    Some((numbers.next()?.parse().ok()?, numbers.next()?.parse().ok()?))
}

/// What a git process said.
pub(super) struct Output {
    /// The exit status, `None` when a signal ended it.
    pub(super) code: Option<i32>,
    /// What it printed.
    pub(super) stdout: Vec<u8>,
    /// What it complained about.
    pub(super) stderr: String,
}

impl Output {
    /// Returns whether it exited with 0.
    pub(super) fn is_success(&self) -> bool {
        self.code == Some(0)
    }

    /// Returns the first lines of what it complained about, or `instead` where it was silent.
    pub(super) fn complaint(&self, instead: &str) -> String {
        let text = self.stderr.trim();
        let text = if text.is_empty() { instead.trim() } else { text };
        text.lines().take(3).collect::<Vec<_>>().join("; ").chars().take(600).collect()
    }
}

/// Waits for a process that was started by [`Git::start`].
pub(super) fn finish(child: Child) -> Result<Output, Failure> {
    let output = child
        .wait_with_output()
        .map_err(|error| Failure::new(Kind::GitUnusable, format!("git could not be waited for: {error}")))?;
    Ok(Output {
        code: output.status.code(),
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_every_vendor_are_read() {
        for (text, want) in [
            ("git version 2.47.3\n", Some((2, 47))),
            ("git version 2.39.5 (Apple Git-154)", Some((2, 39))),
            ("git version 2.45.1.windows.1", Some((2, 45))),
            ("git version 3.0", Some((3, 0))),
            ("git version 2.31.8", Some((2, 31))),
            ("xcode-select: note: no developer tools were found", None),
            ("", None),
        ] {
            assert_eq!(parse_version(text), want, "{text}");
        }
    }
}
