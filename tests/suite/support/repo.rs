//! Builds small git repositories.

use super::environment;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A git repository in a temporary folder, removed with the value. Its first branch is `main`.
#[derive(Debug)]
pub struct Repo {
    folder: TempDir,
}

impl Repo {
    /// Makes an empty repository.
    pub fn new() -> Self {
        Self::with_init_args(&[])
    }

    /// Makes an empty repository with further arguments to `git init`: `--object-format=sha256`.
    pub fn with_init_args(args: &[&str]) -> Self {
        let repo = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        repo.git(&[&["init", "--quiet", "--initial-branch=main"], args].concat());
        repo
    }

    /// Returns the root of the work tree.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the absolute path of a file.
    pub fn file(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    /// Writes a file, with the folders above it.
    pub fn write(&self, path: &str, text: impl AsRef<[u8]>) -> &Self {
        let file = self.file(path);
        std::fs::create_dir_all(file.parent().expect("a file has a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
        self
    }

    /// Removes a file.
    pub fn remove(&self, path: &str) -> &Self {
        std::fs::remove_file(self.file(path)).expect("the file was there");
        self
    }

    /// Commits everything in the work tree and returns the commit's hash. An empty commit is fine.
    pub fn commit(&self, subject: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--no-verify", "-m", subject]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Makes a branch here and goes to it.
    pub fn branch(&self, name: &str) -> &Self {
        self.git(&["checkout", "--quiet", "-b", name]);
        self
    }

    /// Goes to a branch or commit.
    pub fn checkout(&self, name: &str) -> &Self {
        self.git(&["checkout", "--quiet", name]);
        self
    }

    /// Runs git and returns what it prints, without the last line end. Panics when it fails.
    pub fn git(&self, args: &[&str]) -> String {
        let output = assert_cmd::Command::new("git")
            .current_dir(self.path())
            .env_clear()
            .envs(environment(self.path()))
            .args(args)
            .output()
            .expect("git can be started");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {args:?} failed: {stderr}");
        String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned()
    }
}
