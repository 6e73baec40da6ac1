//! One side of a change as the harness lock sees it: paths, what stands there, and text.
//! Knows nothing of git; a test makes one from a table.

use crate::collect::checkout::ReadObject;
use crate::error::Failure;
use crate::facts::{Entry, RepoPath};
use std::collections::BTreeMap;

/// The tree of one commit.
#[derive(Clone, Copy)]
pub(crate) struct Tree<'a> {
    /// Every file, link and submodule.
    pub(crate) entries: &'a BTreeMap<RepoPath, Entry>,
    /// Reads a blob.
    pub(crate) read: ReadObject<'a>,
}

/// How many links are followed one after the other, as file systems do.
const MAX_LINKS: usize = 8;

impl Tree<'_> {
    /// Returns whether a file or link stands at the path.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.entries.contains_key(&RepoPath::from(path))
    }

    /// Returns a regular file's text, or `None` when none stands there. What is not UTF-8 is replaced: no
    /// configuration depends on it.
    pub(crate) fn text(&self, path: &RepoPath) -> Result<Option<String>, Failure> {
        match self.entries.get(path) {
            Some(entry) if entry.mode.starts_with("100") => {
                Ok(Some(String::from_utf8_lossy(&(self.read)(&entry.object)?).into_owned()))
            }
            _ => Ok(None),
        }
    }

    /// Returns whether any file lies in the folder, empty for the root.
    pub(crate) fn has_folder(&self, folder: &str) -> bool {
        if folder.is_empty() {
            return !self.entries.is_empty();
        }
        let prefix = format!("{folder}/");
        self.below(&prefix).next().is_some()
    }

    /// Returns every path that starts with the prefix.
    pub(crate) fn below<'b>(&'b self, prefix: &'b str) -> impl Iterator<Item = &'b RepoPath> {
        let start = RepoPath::from(prefix);
        self.entries
            .range(start..)
            .map(|(path, _)| path)
            .take_while(|path| path.as_bytes().starts_with(prefix.as_bytes()))
    }

    /// Returns every symbolic link and where it leads: a path of the repository, or `None` for elsewhere.
    pub(crate) fn links(&self) -> Result<Vec<(String, Option<String>)>, Failure> {
        self.entries
            .iter()
            .filter(|(_, entry)| entry.mode == "120000")
            .map(|(path, entry)| {
                let path = path.to_lossy();
                let target = (self.read)(&entry.object)?;
                let target = String::from_utf8_lossy(&target).into_owned();
                let resolved = if target.starts_with('/') { None } else { resolve(parent(&path), &target) };
                Ok((path, resolved))
            })
            .collect()
    }
}

/// Returns the folder of a path, empty for the root.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the last component.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Resolves a relative path against a folder of the repository; `None` when it leads out of it.
pub(crate) fn resolve(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// The other names under which the files of a tree can be reached through its links.
pub(crate) struct Aliases {
    links: Vec<(String, String)>,
}

impl Aliases {
    /// Reads the links of both sides.
    pub(crate) fn new(sides: [&Tree<'_>; 2]) -> Result<Self, Failure> {
        let mut links = Vec::new();
        for side in sides {
            links.extend(side.links()?.into_iter().filter_map(|(link, target)| Some((link, target?))));
        }
        links.sort_unstable();
        links.dedup();
        Ok(Self { links })
    }

    /// Returns the path and every other name of it.
    pub(crate) fn of(&self, path: &str) -> Vec<String> {
        let mut names = vec![path.to_owned()];
        let mut next = 0;
        while next < names.len() && names.len() < 64 {
            for (link, target) in &self.links {
                let rest = match names[next].strip_prefix(target.as_str()) {
                    Some("") => "",
                    Some(rest) if target.is_empty() || rest.starts_with('/') => rest,
                    _ => continue,
                };
                let name = if target.is_empty() { format!("{link}/{rest}") } else { format!("{link}{rest}") };
                if !names.contains(&name) && name.matches('/').count() < 64 {
                    names.push(name);
                }
            }
            next += 1;
            if next > MAX_LINKS * 8 {
                break;
            }
        }
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_stay_in_the_repository_or_lead_nowhere() {
        assert_eq!(resolve("a/b", "../c"), Some("a/c".to_owned()));
        assert_eq!(resolve("a", "./x/./y"), Some("a/x/y".to_owned()));
        assert_eq!(resolve("a", "../../x"), None);
        assert_eq!(resolve("", "x"), Some("x".to_owned()));
    }
}
