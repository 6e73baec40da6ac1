//! Takes launchers off a command: `npx vitest run` is vitest's own command `run`. Refuses what hides the runner behind
//! something that the change under test could define: package scripts, make targets, shells.
//! Knows the launchers, not the runners.

use super::{Call, Refusal};
mod javascript;
mod php;
mod python;

/// Takes every launcher off and returns which program is meant.
///
/// `Call::launcher` holds the words before the runner's name. Where the runner was written as a path
/// (`node_modules/.bin/vitest`, `.venv/bin/pytest`, `node node_modules/vitest/vitest.mjs`), the path is the launcher's last word
/// and the program is the runner's bare name. For `cargo +nightly test` the launcher is `["+nightly"]`.
///
/// # Errors
/// Returns a refusal when the command hides its runner, or asks a launcher for something that calling the runner
/// directly would not do.
pub fn take_off(words: &[String]) -> Result<Call, Refusal> {
    let mut rest = Rest { taken: Vec::new(), words };
    // Each round takes at least one word, so this ends.
    loop {
        let Some(first) = rest.peek() else {
            return Err(refuse("the command names a launcher but no test runner", "no runner", RUNNER_FIRST));
        };
        let name = bare_name(first);
        if first.contains('=') && is_assignment(first) {
            return Err(refuse(
                "the command sets an environment variable, which is not a program",
                "not a program",
                "leave it out; the operator passes variables on with `--pass-env NAME`",
            ));
        }
        if is_path(first) && !is_trusted_place(first) {
            return Err(refuse(
                &format!("`{first}` is a program that the change itself could bring along"),
                "a path into the repository",
                "name the runner: `npx vitest run`, `pytest`, `cargo test`",
            ));
        }
        if let Some(refusal) = hidden(&name, rest.words) {
            return Err(refusal);
        }
        let is_launcher =
            javascript::take(&name, &mut rest)? || python::take(&name, &mut rest)? || php::take(&name, &mut rest)?;
        if !is_launcher {
            return Ok(rest.into_call(&name));
        }
        if rest.is_finished() {
            return Ok(rest.finished_call());
        }
    }
}

/// What is left of a command, and what was taken off it.
struct Rest<'a> {
    taken: Vec<String>,
    words: &'a [String],
}

impl Rest<'_> {
    fn peek(&self) -> Option<&str> {
        self.words.first().map(String::as_str)
    }

    fn take(&mut self) {
        if let [first, rest @ ..] = self.words {
            self.taken.push(first.clone());
            self.words = rest;
        }
    }

    /// A launcher that names its target by a path leaves the runner's name as an entry of its own.
    fn is_finished(&self) -> bool {
        self.taken.last().is_some_and(|word| word.starts_with(RESOLVED))
    }

    fn finished_call(mut self) -> Call {
        let program = self.taken.pop().map(|word| word.trim_start_matches(RESOLVED).to_owned()).unwrap_or_default();
        Call { launcher: self.taken, program, args: self.words.to_vec(), report: None }
    }

    fn resolve(&mut self, program: &str) {
        self.taken.push(format!("{RESOLVED}{program}"));
    }

    fn into_call(mut self, name: &str) -> Call {
        let written = self.peek().unwrap_or_default().to_owned();
        self.words = self.words.get(1..).unwrap_or_default();
        if is_path(&written) {
            self.taken.push(written);
        }
        if name == "cargo" && self.peek().is_some_and(|word| word.starts_with('+')) {
            self.take();
        }
        Call { launcher: self.taken, program: name.to_owned(), args: self.words.to_vec(), report: None }
    }
}

/// Marks a program that a launcher's path stood for; a NUL is in no word, see `command::argv`.
const RESOLVED: char = '\0';

const RUNNER_FIRST: &str = "name the runner itself, such as `npx vitest run`, `pytest` or `cargo test`";

fn refuse(message: &str, label: &str, help: &str) -> Refusal {
    Refusal { message: message.to_owned(), label: label.to_owned(), help: Some(help.to_owned()) }
}

fn is_path(word: &str) -> bool {
    word.contains(['/', '\\'])
}

/// Returns the file name of a word without what Windows adds to programs.
fn bare_name(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let lower = name.to_ascii_lowercase();
    for ending in [".cmd", ".exe", ".ps1", ".bat"] {
        if lower.ends_with(ending) {
            return name[..name.len() - ending.len()].to_owned();
        }
    }
    name.to_owned()
}

/// `NAME=value` in front of a command.
fn is_assignment(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default();
    !name.is_empty()
        && !name.starts_with(|first: char| first.is_ascii_digit())
        && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

/// Folders into which package managers install programs. Whether the folder is tracked is the harness lock's question.
fn is_trusted_place(word: &str) -> bool {
    let normal = word.replace('\\', "/");
    let folder = normal.rsplit_once('/').map_or("", |(folder, _)| folder);
    let is_wrapper = matches!(normal.as_str(), "./gradlew" | "./mvnw" | "./gradlew.bat" | "./mvnw.cmd");
    is_wrapper
        || ["node_modules/.bin", "vendor/bin"]
            .iter()
            .any(|place| folder == *place || folder.ends_with(&format!("/{place}")))
        || folder.ends_with("/bin")
        || folder.ends_with("/Scripts")
        || folder == "/bin"
}

/// Programs that only pass a command on, or that look up what to run in a file of the repository.
fn hidden(name: &str, words: &[String]) -> Option<Refusal> {
    let shown = words.iter().take(2).cloned().collect::<Vec<_>>().join(" ");
    let second = words.get(1).map(String::as_str).unwrap_or_default();
    match name {
        "sh" | "bash" | "zsh" | "dash" | "ksh" | "fish" | "cmd" | "powershell" | "pwsh" => {
            Some(refuse(&format!("`{name}` is a shell, and a shell can run anything"), "a shell", RUNNER_FIRST))
        }
        "make" | "gmake" | "just" | "task" | "rake" | "tox" | "nox" | "invoke" | "inv" | "doit" | "ninja" | "turbo"
        | "nx" | "lerna" | "lage" | "moon" | "wireit" | "ant" | "bazel" | "earthly" => Some(refuse(
            &format!("`{shown}` hides which test runner is run"),
            "hides the runner",
            &format!(
                "write the command that `{name}` runs at the merge base, such as `npx vitest run`, `pytest` or `cargo test`"
            ),
        )),
        "env" | "cross-env" | "dotenv" | "export" | "set" => Some(refuse(
            &format!("`{name}` changes the environment, which the checker sets itself"),
            "changes the environment",
            "write the command without it; the operator passes variables on with `--pass-env NAME`",
        )),
        "sudo" | "doas" | "time" | "timeout" | "nice" | "nohup" | "exec" | "command" | "xargs" | "setsid"
        | "stdbuf" | "docker" | "podman" | "xvfb-run" | "nyc" | "c8" | "coverage" | "cross-env-shell"
        | "concurrently" | "dotenvx" | "op" | "doppler" | "strace" => Some(refuse(
            &format!("`{name}` stands between the checker and the test runner"),
            "a wrapper",
            "write the runner's own command",
        )),
        "composer" | "hatch" | "bundler" if second != "exec" => {
            Some(refuse(&format!("`{shown}` hides which test runner is run"), "hides the runner", RUNNER_FIRST))
        }
        "deno" if second == "task" => {
            Some(refuse("`deno task` hides which test runner is run", "hides the runner", "write `deno test`"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
