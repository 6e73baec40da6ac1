//! From the path of a file as a runner tells it to its path in the repository.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

/// Knows the root of the tree under test by every name that a runner may call it.
#[derive(Debug)]
pub struct Places {
    /// The root as it was given and as the system resolves it, each with `/` and without `/` at the end.
    roots: Vec<String>,
    resolved_root: PathBuf,
    cwd: PathBuf,
    known: HashMap<String, String>,
}

impl Places {
    /// Prepares for the files of a run in `cwd`.
    pub fn new(root: &Path, cwd: &Path) -> Self {
        let resolved_root = root.canonicalize().unwrap_or_else(|_| root.to_path_buf());
        let mut roots = vec![slashed(&root.to_string_lossy()), slashed(&resolved_root.to_string_lossy())];
        for root in &mut roots {
            while root.ends_with('/') {
                root.pop();
            }
        }
        roots.dedup();
        Self { roots, resolved_root, cwd: cwd.to_path_buf(), known: HashMap::new() }
    }

    /// Returns the path relative to the root with `/`; a file outside keeps its absolute path.
    pub fn relative(&mut self, file: &str) -> String {
        if let Some(known) = self.known.get(file) {
            return known.clone();
        }
        let found = self.find(file);
        self.known.insert(file.to_owned(), found.clone());
        found
    }

    fn find(&self, file: &str) -> String {
        let written = slashed(file.strip_prefix("file://").unwrap_or(file));
        for root in &self.roots {
            if let Some(inside) = strip(&written, root).filter(|inside| is_plain(inside)) {
                return inside.to_owned();
            }
        }
        // Only now is the file system asked: a link, or a path relative to where the runner ran.
        let absolute = self.cwd.join(file);
        let resolved = absolute.canonicalize().unwrap_or(absolute);
        match resolved.strip_prefix(&self.resolved_root) {
            Ok(inside) => slashed(&inside.to_string_lossy()),
            Err(_) => slashed(&resolved.to_string_lossy()),
        }
    }
}

/// `/` everywhere, and without the `\\?\` that Windows puts before resolved paths.
fn slashed(path: &str) -> String {
    if cfg!(windows) { path.strip_prefix(r"\\?\").unwrap_or(path).replace('\\', "/") } else { path.to_owned() }
}

fn strip<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    let start = path.get(..root.len())?;
    let is_root = if cfg!(windows) { start.eq_ignore_ascii_case(root) } else { start == root };
    if is_root { path.get(root.len()..)?.strip_prefix('/') } else { None }
}

fn is_plain(path: &str) -> bool {
    !path.is_empty() && Path::new(path).components().all(|component| matches!(component, Component::Normal(_)))
}

#[cfg(test)]
mod tests {
    use super::Places;

    #[test]
    fn files_are_told_relative_to_the_root_by_any_of_its_names() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap().join("root");
        std::fs::create_dir_all(root.join("packages/a")).unwrap();
        std::fs::write(root.join("packages/a/x.test.ts"), "").unwrap();
        let mut places = Places::new(&root, &root.join("packages/a"));
        let absolute = root.join("packages/a/x.test.ts");
        assert_eq!(places.relative(&absolute.to_string_lossy()), "packages/a/x.test.ts");
        assert_eq!(places.relative("x.test.ts"), "packages/a/x.test.ts");
        assert_eq!(
            places.relative(&root.join("packages/../packages/a/x.test.ts").to_string_lossy()),
            "packages/a/x.test.ts"
        );
        assert_eq!(places.relative(&format!("{}/gone.test.ts", root.to_string_lossy())), "gone.test.ts");
        let outside = folder.path().canonicalize().unwrap().join("rootless/x.ts");
        assert_eq!(places.relative(&outside.to_string_lossy()), outside.to_string_lossy().replace('\\', "/"));
    }

    #[cfg(unix)]
    #[test]
    fn a_root_behind_a_link_is_the_same_root() {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap().join("real");
        std::fs::create_dir(&real).unwrap();
        std::fs::write(real.join("x.js"), "").unwrap();
        let link = real.with_file_name("link");
        std::os::unix::fs::symlink(&real, &link).unwrap();
        for (root, file) in [(&link, real.join("x.js")), (&real, link.join("x.js")), (&link, link.join("x.js"))] {
            assert_eq!(Places::new(root, root).relative(&file.to_string_lossy()), "x.js");
        }
    }
}
