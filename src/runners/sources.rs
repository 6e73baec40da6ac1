//! Which file of the repository a class comes from, by the names of folders and files.

use std::collections::HashMap;
use std::path::Path;

/// More files are not looked at.
const MAX_FILES: usize = 200_000;

/// Sources by file name without ending.
#[derive(Debug, Default)]
pub(super) struct Sources {
    by_name: HashMap<String, Vec<String>>,
}

impl Sources {
    /// Finds the sources below a root, by the endings of their names.
    pub(super) fn below(root: &Path, endings: &[&str]) -> Self {
        let mut sources = Self::default();
        let mut open = vec![(root.to_path_buf(), String::new())];
        let mut seen = 0;
        while let Some((folder, prefix)) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let name = entry.file_name().to_string_lossy().into_owned();
                if kind.is_dir() {
                    if !matches!(name.as_str(), ".git" | "target" | "build" | "bin" | "obj" | "node_modules") {
                        open.push((entry.path(), format!("{prefix}{name}/")));
                    }
                } else if let Some((stem, _)) =
                    name.rsplit_once('.').filter(|(_, ending)| kind.is_file() && endings.contains(ending))
                {
                    sources.by_name.entry(stem.to_owned()).or_default().push(format!("{prefix}{name}"));
                    seen += 1;
                }
                if seen > MAX_FILES {
                    return sources;
                }
            }
        }
        sources
    }

    /// Returns the file of a class, `t.ATest$Inner` or `T.ATest+Inner`, which lies below `folder` if anything does. Where several could be
    /// it, none is.
    pub(super) fn of_class(&self, class: &str, folder: &str) -> Option<String> {
        let outer = class.split(['$', '+', ' ', '(']).next().unwrap_or(class);
        let path = outer.replace('.', "/");
        // In Kotlin the folders of the package may be left out, and `FooKt` is what stands in `Foo.kt` beside classes.
        let stem = path.rsplit('/').next().unwrap_or(&path);
        let candidates = self.by_name.get(stem).or_else(|| self.by_name.get(stem.strip_suffix("Kt")?))?;
        let is_exact = |file: &&String| {
            let without = file.rsplit_once('.').map_or(file.as_str(), |(without, _)| without);
            without == path || without.strip_suffix(path.as_str()).is_some_and(|before| before.ends_with('/'))
        };
        let exact: Vec<&String> = candidates.iter().filter(is_exact).collect();
        let mut likely = if exact.is_empty() { candidates.iter().collect() } else { exact };
        if likely.iter().any(|file| file.starts_with(folder)) {
            likely.retain(|file| file.starts_with(folder));
        }
        if let [only] = likely[..] { Some(only.clone()) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::Sources;

    #[test]
    fn classes_are_found_in_their_files() {
        let folder = tempfile::tempdir().unwrap();
        for file in
            ["a/src/test/java/t/ATest.java", "b/src/test/java/t/ATest.java", "a/src/test/java/t/BTest.java", "C.kt"]
        {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        let sources = Sources::below(folder.path(), &["java", "kt"]);
        for (class, below, expected) in [
            ("t.BTest", "", Some("a/src/test/java/t/BTest.java")),
            ("t.BTest$Inner", "b/", Some("a/src/test/java/t/BTest.java")),
            ("t.ATest", "", None),
            ("t.ATest", "b/", Some("b/src/test/java/t/ATest.java")),
            ("some.where.C", "", Some("C.kt")),
            ("CKt", "", Some("C.kt")),
            ("t.Ghost", "", None),
            ("", "", None),
        ] {
            assert_eq!(sources.of_class(class, below).as_deref(), expected, "{class}");
        }
    }
}
