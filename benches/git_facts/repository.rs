//! Repositories of a wanted size, made in one stream.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// A repository with the branches `main` and `pr`, and a contract beside its files.
pub(crate) struct BenchRepository {
    folder: TempDir,
}

impl BenchRepository {
    /// Makes `n_files` files of `n_lines` lines on `main`, of which `pr` edits the first `n_changed`.
    pub(crate) fn new(n_files: usize, n_changed: usize, n_lines: usize) -> Self {
        let repository = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let mut stream = String::new();
        commit(&mut stream, "main", 1, None);
        for number in 0..n_files {
            file(&mut stream, number, n_lines, "");
        }
        commit(&mut stream, "pr", 2, Some(1));
        for number in 0..n_changed {
            file(&mut stream, number, n_lines, "one more line\nand another\n");
        }
        repository.git(&["init", "--quiet", "--initial-branch=main", "."], "");
        repository.git(&["fast-import", "--quiet"], &stream);
        repository.git(&["repack", "--quiet", "-a", "-d"], "");
        let contract = "{\"changed_files_only\": [{\"glob\": \"src/**\"}], \"max_added_lines\": 1000000}";
        std::fs::write(repository.contract(), contract).expect("a contract");
        repository
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn contract(&self) -> PathBuf {
        self.path().join("task.acceptance.json")
    }

    fn git(&self, args: &[&str], input: &str) {
        #[expect(clippy::disallowed_methods, reason = "a benchmark prepares its repository")]
        let mut command = Command::new("git");
        let child = command.current_dir(self.path()).args(args).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut child = child.expect("git can be started");
        child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("git reads");
        assert!(child.wait().expect("git ends").success(), "git {args:?} failed");
    }
}

fn commit(stream: &mut String, branch: &str, mark: u32, parent: Option<u32>) {
    let head =
        format!("commit refs/heads/{branch}\nmark :{mark}\ncommitter a <a@example.org> 1700000000 +0000\ndata 1\nx\n");
    stream.push_str(&head);
    if let Some(parent) = parent {
        writeln!(stream, "from :{parent}").expect("memory");
    }
}

fn file(stream: &mut String, number: usize, n_lines: usize, end: &str) {
    let mut text = String::new();
    for line in 0..n_lines {
        writeln!(text, "    let value_{line} = compute({number}, {});", (number * 31 + line * 17) % 997)
            .expect("memory");
    }
    text.push_str(end);
    let path = format!("src/module_{}/part_{}/file_{number}.rs", number % 37, number % 11);
    writeln!(stream, "M 100644 inline {path}\ndata {}\n{text}", text.len()).expect("memory");
}
