//! The remotes that a repository's own configuration names. Only its text is read: no include, no rewriting
//! of URLs, nothing is contacted.

use crate::error::{Failure, Kind};
use crate::git::Repository;

/// A remote. Its URL may hold a password; it is never to be shown whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    /// Its name: `origin`.
    pub name: String,
    /// Its first URL as it is written.
    pub url: String,
}

impl Repository {
    /// Returns the remotes: `upstream` first, then `origin`, then the others as they are written.
    ///
    /// # Errors
    /// [`Kind::NotARepository`] when git cannot read the configuration.
    pub fn remotes(&self) -> Result<Vec<Remote>, Failure> {
        let file = self.location.common_dir.join("config");
        let mut command = self.objects.command();
        command.args(["config", "--null", "--no-includes", "--file"]).arg(&file);
        command.args(["--get-regexp", r"^remote\..*\.url$"]);
        let answer = self.objects.git().run(&mut command)?;
        // 1 says that there is none.
        if !matches!(answer.code, Some(0 | 1)) {
            return Err(Failure::new(Kind::NotARepository, "git could not read the repository's configuration")
                .detail("file", file.to_string_lossy())
                .detail("git", answer.complaint("no reason given")));
        }
        let mut remotes: Vec<Remote> = Vec::new();
        for record in answer.stdout.split(|&byte| byte == 0) {
            let record = String::from_utf8_lossy(record);
            let Some(remote) = parse(&record) else { continue };
            if remotes.iter().all(|known| known.name != remote.name) {
                remotes.push(remote);
            }
        }
        remotes.sort_by_key(|remote| match remote.name.as_str() {
            "upstream" => 0,
            "origin" => 1,
            _ => 2,
        });
        Ok(remotes)
    }
}

fn parse(record: &str) -> Option<Remote> {
    let (key, url) = record.split_once('\n')?;
    let name = key.strip_prefix("remote.")?.strip_suffix(".url")?;
    (!url.is_empty()).then(|| Remote { name: name.to_owned(), url: url.to_owned() })
}
