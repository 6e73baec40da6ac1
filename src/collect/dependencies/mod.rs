//! What a clone needs beside its commit: installed packages copied, a Python environment used in place.
//! Must not know what runs in the clone.

mod copy;
mod differ;
mod fingerprint;
pub(crate) mod python;

pub(crate) use copy::{Copied, Roots, copy};
pub(crate) use differ::{Kinds, differing};
pub(crate) use fingerprint::fingerprint;

use crate::collect::local_path;
use crate::error::{Failure, Kind};
use crate::facts::RepoPath;
use std::path::{Path, PathBuf};

/// Finds every folder of installed packages in the checkout, also those of workspaces' packages. A link in place of one
/// counts. `names` are such as `node_modules` or `vendor/bundle`.
///
/// # Errors
/// Fails when a folder cannot be listed.
pub(crate) fn folders(
    checkout: &Path,
    names: &[&str],
    is_tracked: &dyn Fn(&RepoPath) -> bool,
) -> Result<Vec<Copied>, Failure> {
    let is_wanted = |path: &RepoPath| {
        names.iter().any(|name| {
            let before = path.as_bytes().strip_suffix(name.as_bytes());
            before.is_some_and(|before| before.is_empty() || before.ends_with(b"/"))
        })
    };
    let mut found = Vec::new();
    let mut open: Vec<Vec<u8>> = vec![Vec::new()];
    while let Some(folder) = open.pop() {
        let place = if folder.is_empty() {
            Some(checkout.to_path_buf())
        } else {
            local_path::below(checkout, &RepoPath::from_bytes(folder.clone()))
        };
        let Some(place) = place else { continue };
        let entries = match std::fs::read_dir(&place) {
            Ok(entries) => entries,
            Err(error) if folder.is_empty() => {
                return Err(Failure::new(Kind::Io, format!("failed to list `{}`: {error}", place.display())));
            }
            // What we may not read, a run of the author's could not read either.
            Err(_) => continue,
        };
        for entry in entries.flatten() {
            let name = local_path::name_bytes(&entry.file_name());
            let path = local_path::joined(&folder, &name);
            let Ok(kind) = entry.file_type() else { continue };
            if is_wanted(&path) {
                if !is_tracked(&path) && (kind.is_dir() || kind.is_symlink()) {
                    let relative = entry.path().strip_prefix(checkout).map(Path::to_path_buf);
                    found.extend(relative.ok().map(|path| Copied { path }));
                }
            } else if kind.is_dir() && !is_passed_over(&name) && name != b"node_modules" {
                open.push(path.as_bytes().to_vec());
            }
        }
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// Folders in which no package of the project lies.
fn is_passed_over(name: &[u8]) -> bool {
    matches!(name, b".git" | b"target" | b".venv" | b"venv" | b"__pycache__" | b".tox" | b".nox" | b".cache")
}

/// Returns the folders that copies are made of, as they lie in the checkout: what a run must not change.
pub(crate) fn originals(checkout: &Path, copied: &[Copied]) -> Vec<PathBuf> {
    copied
        .iter()
        .map(|folder| {
            let place = checkout.join(&folder.path);
            std::fs::canonicalize(&place).unwrap_or(place)
        })
        .collect()
}
