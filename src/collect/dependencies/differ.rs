//! Whether two trees need other dependencies.
//! Knows nothing of where dependencies are installed.

use crate::collect::harness::Tree;
use crate::error::Failure;
use crate::facts::RepoPath;
use serde_json::Value;
use std::collections::BTreeSet;

/// Parts of `package.json` from which package managers install.
const OF_PACKAGE_JSON: [&str; 11] = [
    "dependencies",
    "devDependencies",
    "optionalDependencies",
    "peerDependencies",
    "bundleDependencies",
    "overrides",
    "resolutions",
    "workspaces",
    "pnpm",
    "packageManager",
    "patchedDependencies",
];

/// The same of `pyproject.toml`.
const OF_PYPROJECT: [&str; 9] = [
    "project.dependencies",
    "project.optional-dependencies",
    "dependency-groups",
    "tool.poetry.dependencies",
    "tool.poetry.group",
    "tool.poetry.dev-dependencies",
    "tool.uv",
    "tool.pdm",
    "build-system.requires",
];

/// Which kinds of dependencies are asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kinds {
    pub(crate) node: bool,
    pub(crate) python: bool,
    /// Further manifests that count whole.
    pub(crate) manifests: &'static [&'static str],
}

fn has_ending(name: &str, ending: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(_, found)| found == ending)
}

/// Returns the manifests and lock files that make the two sides need other dependencies.
pub(crate) fn differing(base: &Tree<'_>, head: &Tree<'_>, kinds: Kinds) -> Result<Vec<String>, Failure> {
    let paths: BTreeSet<&RepoPath> = base.entries.keys().chain(head.entries.keys()).collect();
    let mut found = Vec::new();
    for path in paths {
        if base.entries.get(path) == head.entries.get(path) {
            continue;
        }
        let name = String::from_utf8_lossy(path.file_name()).to_ascii_lowercase();
        let differs = match name.as_str() {
            "package.json" if kinds.node => {
                let side = |tree: &Tree<'_>| -> Result<Option<Vec<Value>>, Failure> {
                    Ok(tree.text(path)?.map_or(Some(Vec::new()), |text| {
                        let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
                        Some(OF_PACKAGE_JSON.iter().filter_map(|key| document.get(*key).cloned()).collect())
                    }))
                };
                let (was, is) = (side(base)?, side(head)?);
                was.is_none() || was != is
            }
            "package-lock.json" | "npm-shrinkwrap.json" | "yarn.lock" | "pnpm-lock.yaml" | "bun.lock" | "bun.lockb" => {
                kinds.node
            }
            "pyproject.toml" if kinds.python => {
                let side = |tree: &Tree<'_>| -> Result<Option<Vec<Option<Value>>>, Failure> {
                    let text = tree.text(path)?.unwrap_or_default();
                    let document = text.parse::<toml::Table>().ok().and_then(|table| serde_json::to_value(table).ok());
                    Ok(document.map(|document| {
                        OF_PYPROJECT
                            .iter()
                            .map(|key| crate::collect::harness::lookup(&document, key).cloned())
                            .collect()
                    }))
                };
                let (was, is) = (side(base)?, side(head)?);
                was.is_none() || was != is
            }
            "poetry.lock" | "uv.lock" | "pdm.lock" | "pipfile" | "pipfile.lock" | "setup.cfg" | "setup.py" => {
                kinds.python
            }
            name => {
                kinds.python && name.starts_with("requirements") && has_ending(name, "txt")
                    || kinds.manifests.contains(&name)
            }
        };
        if differs {
            found.push(path.to_lossy());
        }
    }
    Ok(found)
}
