//! Folders for build output, one a side: fresh ones of a check, or ones that are kept for the next check.
//! Must not know what is built.

use crate::collect::checkout::hex;
use crate::error::{Failure, Kind};
use sha2::{Digest as _, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The build folders of one check.
#[derive(Debug)]
pub(crate) struct BuildFolders {
    scratch: PathBuf,
    kept: Option<PathBuf>,
    /// Names of the packages under test, whose output is never taken from an earlier check.
    members: BTreeSet<String>,
    open: Mutex<BTreeMap<String, (PathBuf, Option<File>)>>,
}

impl BuildFolders {
    /// Takes the folder of this check, the operator's cache folder, and the checkout's path.
    pub(crate) fn new(
        scratch: &Path,
        cache_dir: Option<&Path>,
        checkout: Option<&Path>,
        members: BTreeSet<String>,
    ) -> Self {
        let kept = cache_dir.zip(checkout).map(|(cache, checkout)| {
            let name = hex(&Sha256::digest(checkout.as_os_str().as_encoded_bytes()));
            cache.join("build").join(&name[..16])
        });
        Self { scratch: scratch.to_path_buf(), kept, members, open: Mutex::new(BTreeMap::new()) }
    }

    /// Returns the folder of a side. Commands of one check share it, so that dependencies are built once.
    ///
    /// # Errors
    /// Fails when no folder can be made.
    pub(crate) fn folder(&self, side: &str) -> Result<PathBuf, Failure> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((folder, _)) = open.get(side) {
            return Ok(folder.clone());
        }
        let (folder, lock) = match self.take_kept(side) {
            Some((folder, lock)) => (folder, Some(lock)),
            None => (self.scratch.join(format!("b-{side}")), None),
        };
        std::fs::create_dir_all(&folder).map_err(|error| {
            Failure::new(Kind::Io, format!("failed to make `{}`: {error}", folder.display())).caused_by(&error)
        })?;
        open.insert(side.to_owned(), (folder.clone(), lock));
        Ok(folder)
    }

    /// Takes the kept folder of a side, unless another check uses it just now.
    fn take_kept(&self, side: &str) -> Option<(PathBuf, File)> {
        let folder = self.kept.as_ref()?.join(side);
        std::fs::create_dir_all(&folder).ok()?;
        let lock = lock(&folder.join("in-use.lock"))?;
        let output = folder.join("output");
        self.forget_members(&output);
        Some((output, lock))
    }

    /// Takes away what was built of the packages under test. Cargo goes by times of files, which whoever made the
    /// change can set back, and would run an old program over new sources.
    fn forget_members(&self, folder: &Path) {
        const DEEPEST: usize = 5;
        let mut open = vec![(folder.to_path_buf(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if depth > 0 && self.is_of_member(&name) {
                    let _ = if is_folder {
                        std::fs::remove_dir_all(entry.path())
                    } else {
                        std::fs::remove_file(entry.path())
                    };
                } else if is_folder && depth < DEEPEST {
                    open.push((entry.path(), depth + 1));
                }
            }
        }
    }

    /// `slug-0123456789abcdef`, `libslug-....rlib`, `slug`, `slug.d`.
    fn is_of_member(&self, name: &str) -> bool {
        let stem = name.split('.').next().unwrap_or(name);
        let without_hash = stem.rsplit_once('-').map(|(before, _)| before);
        [Some(stem), without_hash].into_iter().flatten().any(|stem| {
            let stem = stem.replace('-', "_");
            self.members.contains(&stem) || stem.strip_prefix("lib").is_some_and(|stem| self.members.contains(stem))
        })
    }
}

/// Returns the names of everything that a `Cargo.toml` builds itself, `-` as `_`: the package and its targets.
pub(crate) fn names_built(manifest: &str) -> Vec<String> {
    let Ok(table) = manifest.parse::<toml::Table>() else { return Vec::new() };
    let name = |value: &toml::Value| value.get("name").and_then(toml::Value::as_str).map(|name| name.replace('-', "_"));
    let tables = table.iter().flat_map(|(key, value)| match (key.as_str(), value) {
        ("package" | "lib", value) => vec![value],
        ("bin" | "test" | "bench" | "example", toml::Value::Array(targets)) => targets.iter().collect(),
        _ => Vec::new(),
    });
    tables.filter_map(name).collect()
}

#[cfg(unix)]
fn lock(path: &Path) -> Option<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path).ok()?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive).ok()?;
    Some(file)
}

#[cfg(windows)]
fn lock(path: &Path) -> Option<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    File::options().create(true).truncate(false).write(true).share_mode(0).open(path).ok()
}

#[cfg(not(any(unix, windows)))]
fn lock(_: &Path) -> Option<File> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folders(scratch: &Path, cache: &Path) -> BuildFolders {
        let members = ["slug", "my_tool"].map(str::to_owned).into();
        BuildFolders::new(scratch, Some(cache), Some(Path::new("/checkout")), members)
    }

    #[test]
    fn output_of_dependencies_is_kept_and_that_of_members_is_not() {
        let (scratch, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let first = folders(scratch.path(), cache.path());
        let folder = first.folder("head").unwrap();
        let deps = folder.join("cargo-target/debug/deps");
        std::fs::create_dir_all(&deps).unwrap();
        for name in
            ["libslug-0123456789abcdef.rlib", "my_tool-0123456789abcdef", "libserde-0123456789abcdef.rlib", "slug.d"]
        {
            std::fs::write(deps.join(name), "").unwrap();
        }
        std::fs::create_dir_all(deps.with_file_name(".fingerprint").join("my-tool-0123456789abcdef")).unwrap();
        drop(first);
        let second = folders(scratch.path(), cache.path());
        assert_eq!(second.folder("head").unwrap(), folder);
        let left: Vec<_> = std::fs::read_dir(&deps).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left, ["libserde-0123456789abcdef.rlib"]);
        assert_eq!(std::fs::read_dir(deps.with_file_name(".fingerprint")).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_that_another_check_uses_is_left_alone() {
        let (scratch, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (first, second) = (folders(scratch.path(), cache.path()), folders(scratch.path(), cache.path()));
        let kept = first.folder("head").unwrap();
        assert_ne!(second.folder("head").unwrap(), kept);
        assert_ne!(first.folder("base").unwrap(), kept);
    }

    #[test]
    fn every_name_that_a_manifest_builds_is_known() {
        let manifest =
            "[package]\nname = 'my-tool'\n[lib]\nname = 'core'\n[[bin]]\nname = 'x'\n[dependencies]\nserde = '1'\n";
        let mut found = names_built(manifest);
        found.sort_unstable();
        assert_eq!(found, ["core", "my_tool", "x"]);
    }
}
