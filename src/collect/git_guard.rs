//! Keeps what a run in the checkout does to git's own settings from staying: a planted `core.fsmonitor` or hook would
//! run with the user's next git command.
//! Must not run git.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Settings files are small; what is larger is left alone.
const LARGEST: u64 = 1 << 20;
const MOST_HOOKS: usize = 256;

/// Files with which git can be made to run programs or to hide changes, as they were.
#[derive(Debug)]
pub(crate) struct GitGuard {
    folders: Vec<PathBuf>,
    single: Vec<PathBuf>,
    before: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl GitGuard {
    /// Remembers the settings of a repository: its own folder, and the one that worktrees share.
    pub(crate) fn new(git_dir: &Path, common_dir: &Path) -> Self {
        let single = vec![
            common_dir.join("config"),
            git_dir.join("config.worktree"),
            common_dir.join("info").join("attributes"),
            common_dir.join("info").join("exclude"),
        ];
        let mut guard = Self { folders: vec![common_dir.join("hooks")], single, before: BTreeMap::new() };
        guard.before = guard.look();
        guard
    }

    /// Puts back what differs, and names it.
    pub(crate) fn restore(&self) -> Vec<String> {
        let after = self.look();
        let mut restored = Vec::new();
        for (path, now) in &after {
            let was = self.before.get(path).cloned().flatten();
            if *now == was {
                continue;
            }
            let put_back = match &was {
                Some(bytes) => std::fs::remove_file(path).and_then(|()| std::fs::write(path, bytes)),
                None => std::fs::remove_file(path),
            };
            let outcome = if put_back.is_ok() { "it was put back" } else { "it could not be put back" };
            restored.push(format!("the run changed `{}`; {outcome}", shown(path)));
        }
        for (path, was) in self.before.iter().filter(|(path, was)| was.is_some() && !after.contains_key(*path)) {
            let outcome = match was.as_ref().map(|bytes| std::fs::write(path, bytes)) {
                Some(Ok(())) => "it was put back",
                Some(Err(_)) | None => "it could not be put back",
            };
            restored.push(format!("the run took `{}` away; {outcome}", shown(path)));
        }
        restored
    }

    fn look(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let in_folders = self
            .folders
            .iter()
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flat_map(|entries| entries.flatten().take(MOST_HOOKS))
            .map(|entry| entry.path());
        self.single.iter().cloned().chain(in_folders).map(|path| (path.clone(), read(&path))).collect()
    }
}

/// Reads a small regular file; a link is what it is, not what it leads to.
fn read(path: &Path) -> Option<Vec<u8>> {
    let found = std::fs::symlink_metadata(path).ok()?;
    if found.is_symlink() {
        let target = std::fs::read_link(path).ok()?;
        return Some([b"link to ".as_slice(), target.as_os_str().as_encoded_bytes()].concat());
    }
    if found.is_file() && found.len() <= LARGEST { std::fs::read(path).ok() } else { None }
}

fn shown(path: &Path) -> String {
    let parts: Vec<String> = path.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let from = parts.iter().rposition(|part| part == ".git").unwrap_or(parts.len().saturating_sub(2));
    parts[from..].join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_settings_and_hooks_do_not_stay() {
        let folder = tempfile::tempdir().unwrap();
        let git = folder.path().join(".git");
        std::fs::create_dir_all(git.join("hooks")).unwrap();
        std::fs::create_dir_all(git.join("info")).unwrap();
        std::fs::write(git.join("config"), "[core]\n").unwrap();
        std::fs::write(git.join("hooks/mine"), "x").unwrap();
        let guard = GitGuard::new(&git, &git);
        assert_eq!(guard.restore(), Vec::<String>::new());
        std::fs::write(git.join("config"), "[core]\nfsmonitor = /evil\n").unwrap();
        std::fs::write(git.join("hooks/post-checkout"), "evil").unwrap();
        std::fs::remove_file(git.join("hooks/mine")).unwrap();
        assert_eq!(
            guard.restore(),
            [
                "the run changed `.git/config`; it was put back",
                "the run changed `.git/hooks/post-checkout`; it was put back",
                "the run took `.git/hooks/mine` away; it was put back",
            ]
        );
        assert_eq!(std::fs::read_to_string(git.join("config")).unwrap(), "[core]\n");
        assert_eq!(std::fs::read_to_string(git.join("hooks/mine")).unwrap(), "x");
        assert!(!git.join("hooks/post-checkout").exists());
    }
}
