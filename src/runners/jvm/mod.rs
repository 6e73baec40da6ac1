//! What runners of the JVM have in common: test classes are found in the sources, the cases of a parametrised test
//! grouped, and compilers' errors told as files that could not be loaded.
//! Knows nothing of how results come out.

mod compiled;

use super::sources::Sources;
use super::{Readout, RecordReader, Site};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use crate::facts::{Completeness, ProcessEnd};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Endings of sources.
const ENDINGS: &[&str] = &["java", "kt", "groovy", "scala"];

/// Files that decide how code of the JVM is built and tested, whatever the build tool.
macro_rules! harness_files {
    ($($own:literal),* $(,)?) => {
        &[
            $($own,)*
            "junit-platform.properties", "META-INF/services/**", "lombok.config", "*.jar", "*.class", ".java-version", ".sdkmanrc",
            ".tool-versions",
        ]
    };
}
pub(super) use harness_files;

/// Puts the source's file to each test that another reader reads, whose path begins with the class.
pub(super) struct JvmReader<R> {
    inner: Box<R>,
    root: PathBuf,
}

impl<R: RecordReader> JvmReader<R> {
    /// Makes a reader around another.
    pub(super) fn new(inner: R, site: &Site<'_>) -> Self {
        Self { inner: Box::new(inner), root: site.root.to_path_buf() }
    }
}

impl<R: RecordReader> RecordReader for JvmReader<R> {
    fn line(&mut self, connection: usize, line: &[u8]) {
        self.inner.line(connection, line);
    }

    fn so_far(&self) -> (usize, usize) {
        self.inner.so_far()
    }

    fn finish(self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        let mut readout = self.inner.finish(transport_fault, end);
        let sources = Sources::below(&self.root, ENDINGS);
        let mut without_source = Vec::new();
        for record in &mut readout.records {
            let (Some(class), Some(name)) = (record.id.path.first(), record.id.path.last()) else { continue };
            record.group = record.group.take().or_else(|| group(name));
            if record.id.file.is_none() {
                let folder = record.id.project.as_deref().map(folder_of_task).unwrap_or_default();
                record.id.file = sources.of_class(class, &folder);
                if record.id.file.is_none() && !without_source.contains(class) {
                    without_source.push(class.clone());
                }
            }
        }
        if !without_source.is_empty() {
            let few: Vec<&str> = without_source.iter().take(5).map(String::as_str).collect();
            readout.notes.push(format!("no source was found of these test classes: {}", few.join(", ")));
        }
        if readout.records.is_empty() && end.exit_status != Some(0) {
            readout.load_errors.extend(compiled::errors(&end.output, &self.root));
            if readout.completeness == Completeness::NoReport && !readout.load_errors.is_empty() {
                let why = "the tests could not be compiled".to_owned();
                readout.completeness = Completeness::Incomplete { why };
            }
        }
        readout
    }
}

/// By custom the task `:a:b:test` belongs to the project in `a/b/`.
fn folder_of_task(task: &str) -> String {
    let project = task.rsplit_once(':').map_or("", |(project, _)| project).trim_start_matches(':');
    if project.is_empty() { String::new() } else { format!("{}/", project.replace(':', "/")) }
}

/// `adds[0]`, `adds(int)[1]`, `adds{int}[1]`: cases of `adds`.
fn group(name: &str) -> Option<String> {
    let (before, _) = name.strip_suffix(']')?.split_once('[')?;
    let title = before.split(['(', '{']).next().unwrap_or(before).trim();
    (!title.is_empty()).then(|| title.to_owned())
}

/// Returns whether a file is source of tests: below `src/test`, `src/integrationTest`, `src/it` and the like.
pub(super) fn is_test_file(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    let name = parts.last().copied().unwrap_or_default();
    let is_source = name.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
    let is_of_tests = |set: &str| set == "it" || set.to_ascii_lowercase().contains("test");
    is_source && parts.windows(2).any(|pair| pair[0] == "src" && is_of_tests(pair[1]))
}

/// Finds a build tool: its wrapper in the tree under test, or the one in `PATH`.
pub(super) fn find_tool(name: &str, launcher: &[String], site: &Site<'_>) -> Result<PathBuf, Failure> {
    let written = launcher.last().filter(|word| word.contains(['/', '\\'])).map_or(name, String::as_str);
    find_program(OsStr::new(written), site.search_path, site.cwd).ok_or_else(|| {
        Failure::new(Kind::RunnerMissing, format!("`{written}` was not found, or cannot be executed"))
            .next(format!("install it, or name the wrapper that the repository has, such as `./{name}w`"))
    })
}

/// Returns the folders below one that hold a file of one of these names, without what git or a build put there.
pub(super) fn folders_with(root: &Path, names: &[&str]) -> Vec<PathBuf> {
    folders_that(root, &|name| names.contains(&name))
}

/// The same for files with one of these endings.
pub(super) fn folders_with_ending(root: &Path, endings: &[&str]) -> Vec<PathBuf> {
    folders_that(root, &|name| name.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending)))
}

fn folders_that(root: &Path, holds: &dyn Fn(&str) -> bool) -> Vec<PathBuf> {
    const DEEPEST: usize = 12;
    let mut found = Vec::new();
    let mut open = vec![(root.to_path_buf(), 0)];
    while let Some((folder, depth)) = open.pop() {
        let mut is_one = false;
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            let Ok(kind) = entry.file_type() else { continue };
            let is_passed_over = matches!(name.as_str(), ".git" | "target" | "build" | "bin" | "obj" | "node_modules");
            if kind.is_dir() && depth < DEEPEST && !is_passed_over {
                open.push((entry.path(), depth + 1));
            }
            is_one |= !kind.is_dir() && holds(&name);
        }
        if is_one {
            found.push(folder);
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::{group, is_test_file};

    #[test]
    fn cases_are_grouped_by_their_method() {
        for (name, expected) in [
            ("adds[0]", Some("adds")),
            ("adds(int, int)[1]", Some("adds")),
            ("adds{int}[1] 3", None),
            ("adds", None),
            ("[1]", None),
        ] {
            assert_eq!(group(name).as_deref(), expected, "{name}");
        }
    }

    #[test]
    fn test_files_are_told_by_their_folder() {
        for (path, expected) in [
            ("src/test/java/t/ATest.java", true),
            ("a/b/src/integrationTest/kotlin/X.kt", true),
            ("src/it/java/X.java", true),
            ("src/main/java/t/ATest.java", false),
            ("src/test/resources/x.xml", false),
        ] {
            assert_eq!(is_test_file(path), expected, "{path}");
        }
    }
}
