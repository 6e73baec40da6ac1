//! Names of manifests, lock files and harness files, for those who must leave such files alone.
//! Knows nothing of what changed.

use crate::collect::harness::{Rules, is_harness_name, is_lock_file};
use crate::facts::RepoPath;

/// Returns whether a file, its path in lower case, says what a project needs.
pub(crate) fn is_manifest_or_lock_file(lower: &str) -> bool {
    let name = lower.rsplit('/').next().unwrap_or(lower);
    is_lock_file(name)
        || matches!(
            name,
            "package.json" | "cargo.toml" | "pyproject.toml" | "setup.cfg" | "setup.py" | "tox.ini" | "go.mod"
        )
}

/// Returns whether a file decides by its name how tests run.
pub(crate) fn is_harness(rules: &Rules, path: &RepoPath) -> bool {
    path.file_name() == b"conftest.py" || is_harness_name(rules)(path)
}
