//! The git room on real repositories, honest and hostile ones.

mod change;
mod clones;
mod contents;
mod discovery;
mod hostile;
mod refs;

use super::support::{Repo, environment};
use agent_acceptance::collect::static_facts;
use agent_acceptance::error::{Failure, Kind};
use agent_acceptance::facts::{ChangedFile, Facts, Plan};
use agent_acceptance::git::{Git, Repository};
use std::path::Path;

/// Finds git where the tests find it.
fn git(dir: &Path) -> Git {
    #[expect(clippy::disallowed_methods, reason = "the tests look for git where the user has it")]
    let path = std::env::var_os("PATH").expect("a search path");
    let git = Git::locate(&path, dir).expect("git");
    #[expect(clippy::disallowed_methods, reason = "Windows programs do not start without it")]
    match std::env::var_os("SystemRoot") {
        Some(root) => git.with_variable("SystemRoot", root),
        None => git,
    }
}

fn open(dir: &Path) -> Repository {
    Repository::discover(dir, git(dir)).expect("a repository")
}

/// Returns the change of the branch `pr` since it left `main`.
fn changed(repo: &Repo) -> Result<Vec<ChangedFile>, Failure> {
    open(repo.path()).change("main", "pr").map(|change| change.files)
}

fn facts(repo: &Repo, plan: &Plan) -> Result<Facts, Failure> {
    static_facts(&open(repo.path()), "main", "pr", plan)
}

/// Returns files as `path status +added -deleted`.
fn told(files: &[ChangedFile]) -> Vec<String> {
    let tell = |file: &ChangedFile| format!("{} {:?} +{} -{}", file.path, file.status, file.added, file.deleted);
    files.iter().map(tell).collect()
}

#[track_caller]
fn check_fails<T: std::fmt::Debug>(result: Result<T, Failure>, kind: Kind, words: &str) {
    let failure = result.expect_err("a failure");
    assert_eq!(failure.kind, kind, "{failure:?}");
    let text = format!("{failure} {:?} {:?}", failure.details, failure.next);
    assert!(text.contains(words), "{words:?} is not in {text}");
}

/// Makes a repository whose branch `main` holds `src/app.js` with ten lines; `pr` is checked out.
fn start() -> Repo {
    let repo = Repo::new();
    repo.write("src/app.js", lines("app", 10)).write("README.md", "one\ntwo\n").commit("Start");
    repo.branch("pr");
    repo
}

fn lines(word: &str, n_lines: usize) -> String {
    use std::fmt::Write as _;
    (1..=n_lines).fold(String::new(), |mut text, number| {
        writeln!(text, "{word} {number}").expect("memory");
        text
    })
}

fn git_command(repo: &Repo, args: &[&str]) -> assert_cmd::Command {
    let mut command = assert_cmd::Command::new("git");
    command.current_dir(repo.path()).env_clear().envs(environment(repo.path())).args(args);
    command
}

/// Runs git with something on its stdin and returns what it prints.
fn git_with_input(repo: &Repo, args: &[&str], input: &[u8]) -> String {
    let output = git_command(repo, args).write_stdin(input).output().expect("git");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

/// Runs git, which may say that there is nothing, and returns its lines.
fn git_lines(repo: &Repo, args: &[&str]) -> Vec<String> {
    let output = git_command(repo, args).output().expect("git");
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

/// Writes a blob and returns its name.
fn blob(repo: &Repo, content: &[u8]) -> String {
    git_with_input(repo, &["hash-object", "-w", "--stdin"], content)
}

/// Writes a tree of entries that no honest tool would write, and returns its name.
fn raw_tree(repo: &Repo, entries: &[(&str, &str, &str)]) -> String {
    let mut content = Vec::new();
    for (mode, name, object) in entries {
        content.extend_from_slice(format!("{mode} {name}\0").as_bytes());
        let digit = |at: usize| u8::from_str_radix(&object[at..at + 2], 16).expect("hexadecimal");
        content.extend((0..object.len()).step_by(2).map(digit));
    }
    git_with_input(repo, &["hash-object", "-t", "tree", "-w", "--literally", "--stdin"], &content)
}

/// Commits a tree on top of `main` and lets `pr` point there.
fn commit_tree(repo: &Repo, tree: &str) -> String {
    let commit = repo.git(&["commit-tree", tree, "-p", "main", "-m", "odd"]);
    repo.git(&["update-ref", "refs/heads/pr", &commit]);
    commit
}

/// Commits everything and a submodule, and returns the commit's hash.
fn commit_with_submodule(repo: &Repo, path: &str) -> String {
    let pointer = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["add", "--all"]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{pointer},{path}")]);
    repo.git(&["commit", "--quiet", "-m", "With a submodule"]);
    repo.git(&["rev-parse", "HEAD"])
}
