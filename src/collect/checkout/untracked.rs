//! Files of the checkout that head does not have, and that would decide how tests run.
//! Knows nothing of which files those are.

use super::Checkout;
use crate::collect::local_path;
use crate::error::{Failure, Kind};
use crate::facts::{RepoPath, TreeDifference};
use std::collections::BTreeSet;
use std::path::Path;

/// Folders that package managers and interpreters fill; as dependencies they are the operator's.
const FILLED_BY_TOOLS: [&[u8]; 7] = [b"node_modules", b".venv", b"venv", b".tox", b".nox", b"__pycache__", b".git"];

/// Returns whether a folder is an environment of Python, whatever its name.
pub(crate) fn is_python_environment(folder: &Path) -> bool {
    folder.join("pyvenv.cfg").exists() || folder.join("conda-meta").exists()
}

/// Finds files that head does not have, that the merge base does not ignore, and that are harness.
///
/// # Errors
/// Fails when a folder cannot be read.
pub(crate) fn untracked_harness(
    checkout: &Checkout<'_>,
    ignored: &dyn Fn(&str, bool) -> bool,
    is_harness: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<TreeDifference>, Failure> {
    let mut tracked_folders = BTreeSet::new();
    for (path, _) in checkout.files() {
        for (index, _) in path.as_bytes().iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            tracked_folders.insert(path.as_bytes()[..index].to_vec());
        }
    }
    let mut found = Vec::new();
    let mut open: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(folder) = open.pop() {
        let place = match folder.as_slice() {
            b"" => Some(checkout.root().to_path_buf()),
            bytes => local_path::below(checkout.root(), &RepoPath::from_bytes(bytes)),
        };
        let Some(place) = place else { continue };
        let unreadable =
            |error: std::io::Error| Failure::new(Kind::Io, format!("failed to list `{}`: {error}", place.display()));
        for entry in std::fs::read_dir(&place).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = local_path::name_bytes(&entry.file_name());
            let path = local_path::joined(&folder, &name);
            let is_folder = entry.file_type().map_err(unreadable)?.is_dir();
            if is_folder && tracked_folders.contains(path.as_bytes()) {
                open.push(path.as_bytes().to_vec());
                continue;
            }
            if checkout.has(&path) || ignored(&path.to_lossy(), is_folder) {
                continue;
            }
            if !is_folder {
                if is_harness(&path) {
                    found.push(TreeDifference { path, what: "untracked harness file".to_owned() });
                }
            } else if !FILLED_BY_TOOLS.contains(&name.as_slice())
                && !entry.path().join(".git").exists()
                && !is_python_environment(&entry.path())
            {
                open.push(path.as_bytes().to_vec());
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collect::checkout::Ignored;
    use crate::facts::Entry;

    #[test]
    fn only_harness_files_that_the_base_does_not_ignore_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for path in [
            "a.ini",
            "sub/b.ini",
            "known/c.ini",
            "known/tracked.ini",
            "node_modules/x/d.ini",
            "built/e.ini",
            "notes.md",
            "nested/.git/HEAD",
            "nested/f.ini",
            "env/pyvenv.cfg",
            "env/g.ini",
        ] {
            std::fs::create_dir_all(root.join(path).parent().unwrap()).unwrap();
            std::fs::write(root.join(path), "").unwrap();
        }
        let entry = Entry { mode: "100644".to_owned(), object: String::new() };
        let read = |_: &str| Ok(Vec::new());
        let checkout = Checkout::new(root, vec![(RepoPath::from("known/tracked.ini"), entry)], &read);
        let ignored = Ignored::new([("", "built/\n")]);
        let found = untracked_harness(&checkout, &|path, is_folder| ignored.matches(path, is_folder), &|path| {
            path.as_bytes().ends_with(b".ini")
        })
        .unwrap();
        let found: Vec<_> = found.iter().map(|difference| difference.path.to_lossy()).collect();
        assert_eq!(found, ["a.ini", "known/c.ini", "sub/b.ini"]);
    }
}
