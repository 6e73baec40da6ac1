//! Makes a small repository from commits given as data: what the demonstration works on.

use crate::error::{Failure, Kind};
use crate::git::Git;
use crate::git::program::{Output, finish};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// A commit to make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommit<'a> {
    /// The branch that it becomes the tip of.
    pub branch: &'a str,
    /// The branch that it builds on, made before.
    pub parent: Option<&'a str>,
    /// What was done.
    pub subject: &'a str,
    /// Files that it adds or replaces: path and text.
    pub files: &'a [(&'a str, &'a str)],
}

impl Git {
    /// Makes a repository in an empty folder, with these commits and nothing checked out.
    ///
    /// # Errors
    /// [`Kind::GitUnusable`] when git does not do it.
    pub fn make_repository(&self, folder: &Path, commits: &[NewCommit<'_>]) -> Result<(), Failure> {
        let mut init = self.command(folder);
        init.args(["init", "--quiet", "--template=", "--initial-branch=main", "."]);
        self.succeed(&mut init)?;
        let mut import = self.command(folder);
        import.args(["fast-import", "--quiet", "--date-format=raw"]).stdin(Stdio::piped());
        let mut child = self.start(&mut import)?;
        let written = child.stdin.take().map(|mut stdin| stdin.write_all(stream(commits).as_bytes()));
        let output = finish(child)?;
        if output.is_success() && matches!(written, Some(Ok(()))) { Ok(()) } else { Err(refused(&output)) }
    }

    /// Checks a branch out, whatever lies there.
    ///
    /// # Errors
    /// [`Kind::GitUnusable`] when git does not do it.
    pub fn switch(&self, folder: &Path, branch: &str) -> Result<(), Failure> {
        self.succeed(self.command(folder).args(["checkout", "--quiet", "--force", branch, "--"]))
    }

    fn succeed(&self, command: &mut Command) -> Result<(), Failure> {
        let output = self.run(command)?;
        if output.is_success() { Ok(()) } else { Err(refused(&output)) }
    }
}

fn refused(output: &Output) -> Failure {
    Failure::new(Kind::GitUnusable, "git did not make a repository").detail("answer", output.complaint("nothing"))
}

/// Writes commits as `git fast-import` reads them. All are of one moment: nobody asks when.
fn stream(commits: &[NewCommit<'_>]) -> String {
    let data = |text: &str| format!("data {}\n{text}\n", text.len());
    let mut parts = Vec::new();
    for commit in commits {
        parts.push(format!("commit refs/heads/{}\n", commit.branch));
        parts.push("committer Story <story@example.org> 1767225600 +0000\n".to_owned());
        parts.push(data(commit.subject));
        parts.extend(commit.parent.map(|parent| format!("from refs/heads/{parent}\n")));
        parts.extend(commit.files.iter().map(|(path, text)| format!("M 100644 inline {path}\n{}", data(text))));
    }
    parts.concat()
}
