//! A fingerprint of folders that a run must not change: names, sizes and times, not content.
//! Knows nothing of what the folders are.

use crate::collect::local_path;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};

/// Folders that tools write as they run; what lies there decides nothing.
const CACHES: [&str; 9] = [
    ".vite",
    ".vite-temp",
    ".vitest",
    ".cache",
    "__pycache__",
    ".pytest_cache",
    ".package-lock.json",
    ".modules.yaml",
    ".tmp",
];

/// Takes the fingerprint of folders. What cannot be read is part of it as such.
pub(crate) fn fingerprint(folders: &[PathBuf]) -> [u8; 32] {
    let mut hasher = Sha256::new();
    for folder in folders {
        hasher.update(local_path::name_bytes(folder.as_os_str()));
        let mut lines = Vec::new();
        let mut open = vec![folder.clone()];
        while let Some(folder) = open.pop() {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                lines.push(format!("{} unreadable", folder.display()));
                continue;
            };
            for entry in entries.flatten() {
                if CACHES.iter().any(|cache| entry.file_name() == *cache) {
                    continue;
                }
                match entry.metadata() {
                    Ok(found) if found.is_dir() => open.push(entry.path()),
                    Ok(found) => lines.push(line(&entry.path(), &found)),
                    Err(_) => lines.push(format!("{} gone", entry.path().display())),
                }
            }
        }
        lines.sort_unstable();
        for line in lines {
            hasher.update(line);
            hasher.update([0]);
        }
    }
    hasher.finalize().into()
}

#[cfg(unix)]
fn line(path: &Path, found: &std::fs::Metadata) -> String {
    use std::os::unix::fs::MetadataExt as _;
    format!("{} {} {} {}.{}", path.display(), found.size(), found.ino(), found.mtime(), found.mtime_nsec())
}

#[cfg(not(unix))]
fn line(path: &Path, found: &std::fs::Metadata) -> String {
    format!("{} {} {:?}", path.display(), found.len(), found.modified().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_changes_with_any_file_but_those_of_caches() {
        let folder = tempfile::tempdir().unwrap();
        let folders = [folder.path().to_path_buf()];
        std::fs::write(folder.path().join("a"), "1").unwrap();
        let first = fingerprint(&folders);
        std::fs::create_dir(folder.path().join(".vite")).unwrap();
        std::fs::write(folder.path().join(".vite/results.json"), "1").unwrap();
        assert_eq!(fingerprint(&folders), first);
        std::fs::write(folder.path().join("b"), "1").unwrap();
        assert_ne!(fingerprint(&folders), first);
    }
}
