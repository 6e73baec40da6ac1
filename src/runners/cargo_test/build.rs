//! Reads cargo's messages about a build: which test binaries there are, what could not be built, which sources
//! were compiled. Knows nothing of how tests run.

use super::messages::{Binary, Message};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What a build gave.
#[derive(Debug, Default)]
pub(crate) struct Build {
    /// Test binaries with how they are chosen: package and target flags.
    pub(crate) binaries: Vec<(Binary, Choice)>,
    /// Messages about targets that could not be built.
    pub(crate) failures: Vec<Message>,
    /// Whether a library with documentation tests was built.
    pub(crate) has_doc: bool,
    /// Files that name the compiled sources, each with the folder that relative names start from.
    dep_info: BTreeSet<(PathBuf, PathBuf)>,
    failed: BTreeSet<String>,
    rest: Vec<u8>,
}

/// The flags that choose one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The package's id, for `-p`.
    pub(crate) package: String,
    /// `["--test", "slug"]`.
    pub(crate) flags: Vec<String>,
}

#[derive(Deserialize)]
struct Line {
    reason: String,
    package_id: Option<String>,
    manifest_path: Option<PathBuf>,
    target: Option<Target>,
    profile: Option<Profile>,
    filenames: Option<Vec<PathBuf>>,
    executable: Option<PathBuf>,
    message: Option<Diagnostic>,
}

#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
    name: String,
    src_path: String,
    #[serde(default)]
    doctest: bool,
}

#[derive(Deserialize)]
struct Profile {
    test: bool,
}

#[derive(Deserialize)]
struct Diagnostic {
    level: String,
    rendered: Option<String>,
}

impl Build {
    /// Takes a piece of cargo's stdout.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.rest.extend_from_slice(piece);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            // Procedural macros may print between cargo's messages.
            if let Ok(line) = serde_json::from_slice::<Line>(&line) {
                self.line(line);
            }
        }
    }

    fn line(&mut self, line: Line) {
        let (Some(package), Some(target)) = (line.package_id, line.target) else { return };
        if line.reason == "compiler-message" {
            if let Some(diagnostic) = line.message.filter(|it| it.level.starts_with("error")) {
                self.failure(&package, target, diagnostic);
            }
            return;
        }
        if line.reason != "compiler-artifact" {
            return;
        }
        let is_local = package.starts_with("path+file://");
        let manifest = line.manifest_path.unwrap_or_default();
        if is_local {
            let files = line.filenames.unwrap_or_default();
            self.dep_info.extend(files.iter().filter_map(|file| Some((dep_info(file)?, manifest.clone()))));
            self.has_doc |=
                target.doctest && target.kind.iter().any(|kind| kind.ends_with("lib") || kind == "proc-macro");
        }
        if let (true, Some(path)) = (line.profile.is_some_and(|profile| profile.test), line.executable) {
            let name = package_name(&package, &manifest);
            let project = project(&name, &target);
            let flags = choice(&target);
            let binary = Binary { path, project, file: target.src_path };
            self.binaries.push((binary, Choice { package, flags }));
        }
    }

    fn failure(&mut self, package: &str, target: Target, diagnostic: Diagnostic) {
        let text = diagnostic.rendered.unwrap_or_default();
        // Every further error of a target says the same: it could not be built.
        if !text.trim().is_empty() && self.failed.insert(format!("{package} {:?} {}", target.kind, target.name)) {
            self.failures.push(Message::Load { file: Some(target.src_path), message: text });
        }
    }

    /// Returns the sources that were compiled.
    pub(crate) fn sources(&self) -> Vec<String> {
        let mut sources = BTreeSet::new();
        for (file, manifest) in &self.dep_info {
            let Ok(text) = std::fs::read_to_string(file) else { continue };
            for name in dep_info_sources(&text) {
                sources.extend(absolute(&name, manifest).map(|path| path.to_string_lossy().into_owned()));
            }
        }
        sources.into_iter().collect()
    }
}

/// `target/debug/deps/libmix-0d1b.rlib` was made from what `target/debug/deps/mix-0d1b.d` lists.
fn dep_info(artifact: &Path) -> Option<PathBuf> {
    let stem = artifact.file_stem()?.to_str()?;
    let is_library = artifact.extension().is_some_and(|ending| ending != "exe");
    let name = if is_library { stem.strip_prefix("lib").unwrap_or(stem) } else { stem };
    Some(artifact.with_file_name(format!("{name}.d")))
}

/// Reads the names behind a Make rule; spaces in names are escaped.
fn dep_info_sources(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((_, rest)) = line.split_once(": ") else { continue };
        let mut name = String::new();
        let mut characters = rest.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\\' if characters.peek() == Some(&' ') => name.extend(characters.next()),
                ' ' => names.push(std::mem::take(&mut name)),
                _ => name.push(character),
            }
        }
        names.push(name);
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Names are relative to the workspace's root, which is the package's folder or one above it.
fn absolute(name: &str, manifest: &Path) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    manifest.ancestors().skip(1).map(|folder| folder.join(path)).find(|candidate| candidate.is_file())
}

/// `path+file:///src/mix#0.1.0`, `path+file:///src/x#mix@0.1.0`: the name is the folder's, or stands there.
fn package_name(id: &str, manifest: &Path) -> String {
    let fragment = id.rsplit('#').next().unwrap_or_default();
    match fragment.split_once('@') {
        Some((name, _)) => name.to_owned(),
        None => {
            manifest.parent().and_then(Path::file_name).map(|it| it.to_string_lossy().into_owned()).unwrap_or_default()
        }
    }
}

fn project(package: &str, target: &Target) -> String {
    match kind(target) {
        "lib" => format!("{package} lib"),
        kind => format!("{package} {kind}/{}", target.name),
    }
}

fn kind(target: &Target) -> &str {
    match target.kind.first().map(String::as_str) {
        Some(kind @ ("bin" | "test" | "bench" | "example")) => kind,
        _ => "lib",
    }
}

fn choice(target: &Target) -> Vec<String> {
    match kind(target) {
        "lib" => vec!["--lib".to_owned()],
        kind => vec![format!("--{kind}"), target.name.clone()],
    }
}

#[cfg(test)]
mod tests {
    use super::{Build, dep_info, dep_info_sources};
    use crate::runners::cargo_test::messages::Message;
    use std::path::Path;

    const LINES: &str = concat!(
        r#"{"reason":"compiler-artifact","package_id":"path+file:///w/c1#mix@0.1.0","manifest_path":"/w/c1/Cargo.toml","target":{"kind":["lib"],"crate_types":["lib"],"name":"mix","src_path":"/w/c1/src/lib.rs","edition":"2021","doc":true,"doctest":true,"test":true},"profile":{"opt_level":"0","debuginfo":2,"debug_assertions":true,"overflow_checks":true,"test":false},"features":[],"filenames":["/w/c1/target/debug/deps/libmix-0d.rlib"],"executable":null,"fresh":false}"#,
        "\nnot json\n",
        r#"{"reason":"compiler-artifact","package_id":"path+file:///w/c1#mix@0.1.0","manifest_path":"/w/c1/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"it","src_path":"/w/c1/tests/it.rs","edition":"2021","doc":false,"doctest":false,"test":true},"profile":{"opt_level":"0","debuginfo":2,"debug_assertions":true,"overflow_checks":true,"test":true},"features":[],"filenames":["/w/c1/target/debug/deps/it-1e"],"executable":"/w/c1/target/debug/deps/it-1e","fresh":false}"#,
        "\n",
        r#"{"reason":"compiler-message","package_id":"path+file:///w/c1#0.1.0","manifest_path":"/w/c1/Cargo.toml","target":{"kind":["test"],"crate_types":["bin"],"name":"broken","src_path":"/w/c1/tests/broken.rs","edition":"2021","doc":false,"doctest":false,"test":true},"message":{"rendered":"error[E0308]: mismatched types\n","level":"error","message":"x","spans":[],"children":[]}}"#,
        "\n",
        r#"{"reason":"build-finished","success":false}"#,
        "\n"
    );

    #[test]
    fn binaries_failures_and_documentation_are_read() {
        let mut build = Build::default();
        for piece in LINES.as_bytes().chunks(50) {
            build.push(piece);
        }
        assert!(build.has_doc);
        let (binary, choice) = &build.binaries[0];
        assert_eq!((build.binaries.len(), binary.project.as_str()), (1, "mix test/it"));
        assert_eq!(choice.flags, ["--test", "it"]);
        assert!(
            matches!(&build.failures[..], [Message::Load { file: Some(file), .. }] if file == "/w/c1/tests/broken.rs")
        );
    }

    #[test]
    fn sources_are_listed_beside_what_was_made_from_them() {
        for (artifact, expected) in [
            ("/t/deps/libmix-0d.rlib", "/t/deps/mix-0d.d"),
            ("/t/deps/libmix-0d.rmeta", "/t/deps/mix-0d.d"),
            ("/t/deps/it-1e", "/t/deps/it-1e.d"),
            ("/t/deps/library-1e.exe", "/t/deps/library-1e.d"),
        ] {
            assert_eq!(dep_info(Path::new(artifact)).as_deref(), Some(Path::new(expected)), "{artifact}");
        }
        let text = "/t/it.d: tests/it.rs a\\ b.rs\n\n/t/it: tests/it.rs\n\ntests/it.rs:\n# env-dep:X=a: b\n";
        assert_eq!(dep_info_sources(text), ["tests/it.rs", "a b.rs", "tests/it.rs"]);
    }
}
