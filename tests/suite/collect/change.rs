//! A small repository with a change on a branch, and a contract beside it.

use crate::suite::support::{Answer, Repo, Tool, node_modules, python_with};
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Path and text; an empty text takes the file away.
pub type Files<'a> = &'a [(&'a str, &'a str)];

/// A repository whose branch `pr` changes what `main` has.
#[derive(Debug)]
pub struct Change {
    pub repo: Repo,
    /// The home, which is no part of the checkout.
    home: tempfile::TempDir,
    /// Folders put before `PATH`.
    programs: Vec<PathBuf>,
}

/// A project of vitest with one function and three tests, of which a fourth asks for more.
pub const SLUG: Files<'static> = &[
    ("package.json", "{\"name\": \"demo\", \"private\": true, \"type\": \"module\"}\n"),
    (".gitignore", "node_modules\n.cargo-home\n"),
    ("src/slug.js", "export const slug = (text) => text.toLowerCase().replace(/ /g, '-');\n"),
    (
        "tests/slug.test.js",
        "import { expect, it } from 'vitest';\nimport { slug } from '../src/slug.js';\n\
         it('lowers', () => { expect(slug('A')).toBe('a'); });\n\
         it('joins', () => { expect(slug('a b')).toBe('a-b'); });\n",
    ),
];

/// The honest work on it: one more test, and the code that it needs.
pub const HONEST: Files<'static> = &[
    ("src/slug.js", "export const slug = (text) => text.toLowerCase().replace(/ +/g, '-');\n"),
    (
        "tests/slug.test.js",
        "import { expect, it } from 'vitest';\nimport { slug } from '../src/slug.js';\n\
         it('lowers', () => { expect(slug('A')).toBe('a'); });\n\
         it('joins', () => { expect(slug('a b')).toBe('a-b'); });\n\
         it('joins runs', () => { expect(slug('a  b')).toBe('a-b'); });\n",
    ),
];

/// The test of the honest work without its code.
pub const CLAIMED: Files<'static> = &[HONEST[1]];

impl Change {
    /// Commits `base` to `main` and `head` over it to `pr`, which is checked out.
    pub fn new(base: Files<'_>, head: Files<'_>) -> Self {
        let repo = Repo::new();
        write(&repo, base);
        repo.commit("base");
        repo.branch("pr");
        write(&repo, head);
        repo.git(&["add", "--all", "--force"]);
        repo.commit("change");
        let exclude = repo.file(".git/info/exclude");
        std::fs::write(exclude, "/contract.json\n/.cargo\n/.cache\n/.config\n/.npm\n").expect("an exclude file");
        Self { repo, home: tempfile::tempdir().expect("a folder"), programs: Vec::new() }
    }

    /// Puts a folder of programs before `PATH`.
    pub fn with_programs(mut self, folder: &Path) -> Self {
        self.programs.push(folder.to_path_buf());
        self
    }

    /// Checks a contract given as JSON.
    pub fn check(&self, contract: &Value, flags: &[&str]) -> Answer {
        self.repo.write("contract.json", contract.to_string());
        let args = ["check", "contract.json", "--base", "main", "--head", "pr", "--format", "json", "--timeout", "60"];
        let path = search_path(&self.programs);
        let tool =
            Tool::new(self.repo.path(), args.iter().chain(flags)).env("PATH", path).env("HOME", self.home.path());
        toolchain_homes().into_iter().fold(tool, |tool, (name, folder)| tool.env(name, folder)).run()
    }

    /// Checks, and panics with all that was said when it does not end as `status` with these failing clauses.
    #[track_caller]
    pub fn ends(&self, contract: &Value, flags: &[&str], status: &str, failing: &[&str]) -> Value {
        let answer = self.check(contract, flags);
        let verdict = answer.json();
        let found: Vec<&str> = verdict["checks"]
            .as_array()
            .map(|checks| checks.iter().filter(|check| check["ok"] != true).filter_map(|check| check["check"].as_str()))
            .into_iter()
            .flatten()
            .collect();
        assert_eq!((verdict["status"].as_str(), found.as_slice()), (Some(status), failing), "{flags:?}: {verdict:#}");
        verdict
    }
}

fn write(repo: &Repo, files: Files<'_>) {
    for (path, text) in files {
        if text.is_empty() {
            repo.remove(path);
        } else {
            repo.write(path, text);
        }
    }
}

/// Where rustup and cargo keep what is installed, since the home is an empty folder.
fn toolchain_homes() -> Vec<(&'static str, PathBuf)> {
    #[expect(clippy::disallowed_methods, reason = "the tests use the toolchain that the user has")]
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let home = variable(if cfg!(windows) { "USERPROFILE" } else { "HOME" });
    [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")]
        .into_iter()
        .filter_map(|(name, below)| {
            let folder = variable(name).or_else(|| Some(home.as_ref()?.join(below)))?;
            folder.is_dir().then_some((name, folder))
        })
        .collect()
}

fn search_path(first: &[PathBuf]) -> OsString {
    #[expect(clippy::disallowed_methods, reason = "the tests look for runners where the user has them")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(first.iter().cloned().chain(std::env::split_paths(&path))).expect("a search path")
}

/// Makes a change of a project with vitest, installed in a folder of links; `None`, aloud, without node.
pub fn vitest(base: Files<'_>, head: Files<'_>) -> Option<Change> {
    let shared = node_modules("vitest3")?;
    let change = Change::new(base, head);
    let folder = change.repo.file("node_modules");
    if !folder.exists() {
        link(&shared, &folder);
    }
    Some(change)
}

/// Makes a change of a project with pytest; `None`, aloud, without Python.
pub fn pytest(base: Files<'_>, head: Files<'_>) -> Option<Change> {
    let interpreter = python_with("pytest9")?;
    Some(Change::new(base, head).with_programs(interpreter.parent()?))
}

/// Makes a symbolic link.
pub fn link(target: &Path, place: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(target, place).expect("a link");
    #[cfg(windows)]
    std::os::windows::fs::symlink_dir(target, place).expect("a link");
}
