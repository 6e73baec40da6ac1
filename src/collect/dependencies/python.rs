//! A Python environment used in place by a clone: which of its entries lead into the checkout, and what stands
//! for them in the clone.
//! Must not run anything of the checkout: the question goes to the interpreter alone.

use crate::error::{Failure, Kind};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Asks an interpreter for the folders from which it imports and for what editable installs added to them.
pub(crate) const QUESTION: &str = r#"
import json, os, sys
answer = {"prefix": sys.prefix, "paths": [p for p in sys.path if p and os.path.isabs(p)], "mapped": [], "loaders": [], "urls": []}
for name, module in list(sys.modules.items()):
    if name.startswith("__editable__"):
        mapping = getattr(module, "MAPPING", None) or {}
        answer["mapped"] += [v for v in mapping.values() if isinstance(v, str)]
        for values in (getattr(module, "NAMESPACES", None) or {}).values():
            answer["mapped"] += [v for v in values if isinstance(v, str)]
for finder in sys.meta_path:
    module = getattr(type(finder), "__module__", "") or ""
    if "editable" in module and not module.startswith("__editable__"):
        answer["loaders"].append(module)
for path in answer["paths"]:
    try:
        names = os.listdir(path)
    except OSError:
        continue
    for name in names:
        if name.endswith(".dist-info"):
            try:
                with open(os.path.join(path, name, "direct_url.json"), encoding="utf-8") as file:
                    url = json.load(file)
            except (OSError, ValueError):
                continue
            if url.get("dir_info", {}).get("editable") and str(url.get("url", "")).startswith("file://"):
                answer["urls"].append([name, url["url"][7:]])
print(json.dumps(answer))
"#;

/// What an interpreter answered.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Answer {
    /// The environment's root.
    prefix: PathBuf,
    /// Its search path.
    paths: Vec<PathBuf>,
    /// Folders or files that editable finders map packages to.
    mapped: Vec<PathBuf>,
    /// Editable loaders of build systems, which build when they import.
    loaders: Vec<String>,
    /// Distributions that are installed from a folder, and the folder.
    urls: Vec<(String, PathBuf)>,
}

impl Answer {
    /// Reads an answer; the last line of what was printed, since start-up files may print too.
    pub(crate) fn parse(printed: &[u8]) -> Option<Self> {
        let text = std::str::from_utf8(printed).ok()?;
        serde_json::from_str(text.lines().rev().find(|line| !line.trim().is_empty())?).ok()
    }

    /// Returns the environment's root.
    pub(crate) fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// Returns the entries for the front of `PYTHONPATH` in a clone, relative to both roots.
    ///
    /// # Errors
    /// Fails for an entry that has no counterpart in a clone: what is built when it is imported, and compiled code.
    pub(crate) fn mapped(&self, checkout: &Path, is_tracked: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>, Failure> {
        let needs_setup = |what: &str| {
            Failure::new(
                Kind::CloneUnusable,
                "the Python environment loads code of the checkout that a clone does not have",
            )
            .detail("found", what.to_owned())
            .next("prepare each clone with commands of its own: --setup COMMAND")
        };
        if let Some(loader) = self.loaders.first() {
            return Err(needs_setup(&format!("an editable install that builds as it is imported, `{loader}`")));
        }
        let mut entries = BTreeSet::new();
        for path in &self.paths {
            // The environment may itself lie in the checkout; it is used where it is.
            if let (Ok(inside), false) = (path.strip_prefix(checkout), path.starts_with(&self.prefix)) {
                entries.insert(inside.to_path_buf());
            }
        }
        for package in &self.mapped {
            if let Ok(inside) = package.strip_prefix(checkout) {
                entries.insert(inside.parent().unwrap_or(inside).to_path_buf());
            }
        }
        for (name, folder) in &self.urls {
            let is_mapped = folder.strip_prefix(checkout).is_err()
                || self
                    .paths
                    .iter()
                    .chain(&self.mapped)
                    .any(|path| path.starts_with(folder) && !path.starts_with(&self.prefix));
            if !is_mapped {
                return Err(needs_setup(&format!("`{name}`, which is installed from `{}`", folder.display())));
            }
        }
        for entry in &entries {
            if let Some(compiled) = compiled_below(&checkout.join(entry), &self.prefix, is_tracked) {
                return Err(needs_setup(&format!("compiled code, `{}`", compiled.display())));
            }
        }
        Ok(entries.into_iter().collect())
    }
}

/// Finds an extension module that was built in place, among the packages of a folder.
fn compiled_below(folder: &Path, prefix: &Path, is_tracked: &dyn Fn(&Path) -> bool) -> Option<PathBuf> {
    const DEEPEST: usize = 6;
    let mut open = vec![(folder.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        if folder.starts_with(prefix) {
            continue;
        }
        for entry in std::fs::read_dir(&folder).ok()?.flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let Ok(kind) = entry.file_type() else { continue };
            let is_passed_over =
                name.starts_with('.') || matches!(name.as_str(), "node_modules" | "build" | "dist" | "target" | "venv");
            if kind.is_dir() && depth < DEEPEST && !is_passed_over {
                open.push((path, depth + 1));
            } else if kind.is_file()
                && Path::new(&name).extension().is_some_and(|ending| ending == "so" || ending == "pyd")
                && !is_tracked(&path)
            {
                return Some(path);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(paths: &[&str], mapped: &[&str]) -> Answer {
        Answer {
            prefix: PathBuf::from("/co/.venv"),
            paths: paths.iter().map(PathBuf::from).collect(),
            mapped: mapped.iter().map(PathBuf::from).collect(),
            ..Answer::default()
        }
    }

    fn check(answer: &Answer, expected: &[&str]) {
        let found = answer.mapped(Path::new("/co"), &|_| false).unwrap();
        assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>());
    }

    #[test]
    fn entries_in_the_checkout_have_their_place_in_the_clone() {
        check(&answer(&["/usr/lib/python3", "/co/.venv/lib/site-packages"], &[]), &[]);
        check(&answer(&["/co/src", "/co/.venv/lib"], &[]), &["src"]);
        check(&answer(&["/co"], &["/co/src/pkg", "/elsewhere/x"]), &["", "src"]);
        let mut editable = answer(&[], &["/co/src/pkg"]);
        editable.urls = vec![("pkg.dist-info".to_owned(), PathBuf::from("/co"))];
        check(&editable, &["src"]);
    }

    #[test]
    fn what_a_clone_cannot_have_is_told() {
        let mut unmapped = answer(&[], &[]);
        unmapped.urls = vec![("pkg.dist-info".to_owned(), PathBuf::from("/co"))];
        assert!(unmapped.mapped(Path::new("/co"), &|_| false).is_err());
        let mut built = answer(&[], &[]);
        built.loaders = vec!["_pkg_editable_loader".to_owned()];
        assert!(built.mapped(Path::new("/co"), &|_| false).is_err());
    }

    #[test]
    fn compiled_code_that_is_not_tracked_is_told() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("src/pkg")).unwrap();
        std::fs::write(folder.path().join("src/pkg/fast.cpython-311.so"), "").unwrap();
        let mut editable = Answer { prefix: PathBuf::from("/venv"), ..Answer::default() };
        editable.paths = vec![folder.path().join("src")];
        assert!(editable.mapped(folder.path(), &|_| false).is_err());
        assert!(editable.mapped(folder.path(), &|_| true).is_ok());
    }

    #[test]
    fn the_last_line_is_the_answer() {
        let printed = b"hello\n{\"prefix\":\"/p\",\"paths\":[],\"mapped\":[],\"loaders\":[],\"urls\":[]}\n";
        assert_eq!(Answer::parse(printed).unwrap().prefix(), Path::new("/p"));
        assert_eq!(Answer::parse(b"nothing"), None);
    }
}
