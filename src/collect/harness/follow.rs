//! Files that are harness because a configuration file names them: followed one step, and along imports of
//! configuration files among themselves.
//! Must not follow what setup files or `conftest.py` import: the code under test is never harness.

use super::names::{self, Named};
use super::packages::{Packages, Way};
use super::tree::{Tree, file_name, parent, resolve};
use crate::error::Failure;
use crate::facts::RepoPath;
use std::collections::BTreeMap;

/// What a module name may stand for, in the order in which nobody need care.
const ENDINGS: [&str; 16] = [
    "",
    ".js",
    ".ts",
    ".mjs",
    ".cjs",
    ".mts",
    ".cts",
    ".jsx",
    ".tsx",
    ".json",
    "/index.js",
    "/index.ts",
    "/index.mjs",
    "/index.cjs",
    "/jest-preset.js",
    "/jest-preset.json",
];

/// A configuration is not followed further than this many files.
const MAX_FILES: usize = 200;

/// Paths that are named, and why: `named by vitest.config.ts (setupFiles)`.
pub(super) type Followed = BTreeMap<String, String>;

/// Where names come from beside the tree.
pub(super) struct Start<'a> {
    /// Runner configuration files of either side.
    pub(super) configurations: Vec<String>,
    /// Manifests of either side, whose runner sections name files.
    pub(super) manifests: Vec<String>,
    /// Keys that the runner adds.
    pub(super) keys: &'a [&'a str],
    /// The words of the command and the folder that it runs in.
    pub(super) command: &'a [String],
    /// Files that the runner says the command names.
    pub(super) named_files: &'a [String],
    pub(super) cwd: &'a str,
    /// The sections of `package.json` that belong to the runner.
    pub(super) sections: &'a [&'a str],
    /// Whether a file is a test by the runner's convention.
    pub(super) is_test_file: &'a dyn Fn(&str) -> bool,
}

/// Flags whose value names a configuration, a module or a folder of them.
const FLAGS: [&str; 24] = [
    "-c",
    "--config",
    "--config-file",
    "--rcfile",
    "-p",
    "-r",
    "--require",
    "--import",
    "--loader",
    "--experimental-loader",
    "--setupFiles",
    "--setupFilesAfterEnv",
    "--globalSetup",
    "--environment",
    "--env",
    "--tsconfig",
    "--project",
    "--manifest-path",
    "--tool-config-file",
    "--runner",
    "--testRunner",
    "--confcutdir",
    "--preset",
    "--workspace",
];

/// Finds everything that is named on either side.
pub(super) fn follow(sides: [&Tree<'_>; 2], start: &Start<'_>) -> Result<Followed, Failure> {
    let mut followed = Followed::new();
    let mut open: Vec<String> = start.configurations.clone();
    let packages = Packages::new(sides, &start.manifests)?;
    // Folders of packages that hold configuration alone.
    let mut shared: Vec<String> = Vec::new();
    let by_runner = start.named_files.iter().map(|file| (file.clone(), "by a flag".to_owned()));
    for (text, flag) in named_by_command(start.command).into_iter().chain(by_runner) {
        for path in candidates(&text, start.cwd, sides) {
            open.push(path.clone());
            followed.entry(path).or_insert(format!("the command names it ({flag})"));
        }
        if flag == "-p" {
            add_modules(&mut followed, &text, "the command names it (-p)", sides);
        }
    }
    for manifest in &start.manifests {
        for side in sides {
            let Some(text) = side.text(&RepoPath::from(manifest.as_str()))? else { continue };
            for (named, is_module) in in_manifest(manifest, &text, start) {
                add(&mut followed, manifest, &named, is_module, sides);
                for way in packages.ways(&named.text, manifest) {
                    open.extend(add_way(&mut followed, manifest, &named, &way, &mut shared, sides, start));
                }
            }
        }
    }
    let mut seen = Vec::new();
    while let Some(file) = open.pop() {
        if seen.contains(&file) || seen.len() > MAX_FILES {
            continue;
        }
        for side in sides {
            let Some(text) = side.text(&RepoPath::from(file.as_str()))? else { continue };
            for (named, is_module) in in_configuration(&file, &text, start.keys) {
                let imported = named.through == "import" || named.through == "extends";
                for path in add(&mut followed, &file, &named, is_module, sides) {
                    // Configuration is cut into files that import each other; source is not followed.
                    if imported && (looks_like_configuration(&path) || is_below_any(&path, &shared)) {
                        open.push(path);
                    }
                }
                for way in packages.ways(&named.text, &file) {
                    open.extend(add_way(&mut followed, &file, &named, &way, &mut shared, sides, start));
                }
            }
            for named in if is_script(&file) { names::package_imports(&text) } else { Vec::new() } {
                for way in packages.ways(&named.text, &file) {
                    open.extend(add_way(&mut followed, &file, &named, &way, &mut shared, sides, start));
                }
            }
        }
        seen.push(file);
    }
    followed.retain(|path, _| !(start.is_test_file)(path) && !is_manifest(path));
    Ok(followed)
}

/// Adds the files of a package of the repository that is named; returns those to look into. Its imports
/// are followed where it holds no tests: a package with tests of its own is code under test.
fn add_way(
    followed: &mut Followed,
    file: &str,
    named: &Named,
    way: &Way,
    shared: &mut Vec<String>,
    sides: [&Tree<'_>; 2],
    start: &Start<'_>,
) -> Vec<String> {
    let text = if way.path.starts_with("./") { way.path.clone() } else { format!("./{}", way.path) };
    let paths = candidates(&text, &way.folder, sides);
    for path in paths.iter().filter(|path| *path != file) {
        followed.entry(path.clone()).or_insert_with(|| format!("`{file}` names it ({})", named.through));
    }
    let prefix = format!("{}/", way.folder);
    let is_test = |path: &RepoPath| (start.is_test_file)(&path.to_lossy());
    if way.folder.is_empty() || sides.iter().any(|side| side.below(&prefix).any(is_test)) {
        return Vec::new();
    }
    if !shared.contains(&prefix) {
        shared.push(prefix);
    }
    paths
}

fn is_below_any(path: &str, prefixes: &[String]) -> bool {
    prefixes.iter().any(|prefix| path.starts_with(prefix.as_str()))
}

fn is_script(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    [".js", ".mjs", ".cjs", ".jsx", ".ts", ".mts", ".cts", ".tsx"].iter().any(|ending| name.ends_with(ending))
}

fn is_manifest(path: &str) -> bool {
    matches!(file_name(path), "package.json" | "Cargo.toml" | "pyproject.toml" | "setup.cfg" | "tox.ini")
}

fn looks_like_configuration(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    parent(&lower).is_empty()
        || ["config", "preset", "vite", "jest", "babel", "tsconfig", "build", "scripts", "tools"]
            .iter()
            .any(|word| lower.contains(word))
}

fn in_configuration(file: &str, text: &str, keys: &[&str]) -> Vec<(Named, bool)> {
    let name = file_name(file).to_ascii_lowercase();
    let ends = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let mut found: Vec<(Named, bool)> = Vec::new();
    if ends(&[".py", ".ini", ".cfg"]) || name.starts_with("pytest.") || name.starts_with(".pytest.") {
        found.extend(names::python_modules(text).into_iter().map(|named| (named, true)));
    }
    if name == "conftest.py" {
        return found;
    }
    if ends(&[".yml", ".yaml", ".toml", ".ini", ".cfg"]) || name == "config" {
        found.extend(names::in_plain(text).into_iter().map(|named| (named, false)));
    } else if !ends(&[".py", ".rs"]) {
        found.extend(names::in_script(text, keys).into_iter().map(|named| (named, false)));
    }
    found
}

fn in_manifest(manifest: &str, text: &str, start: &Start<'_>) -> Vec<(Named, bool)> {
    match file_name(manifest) {
        "package.json" => {
            let Ok(document) = serde_json::from_str::<serde_json::Value>(text) else { return Vec::new() };
            let sections = start.sections.iter().filter_map(|key| document.get(*key));
            sections
                .flat_map(|section| match section {
                    // `"jest": "./jest.json"` is a file itself.
                    serde_json::Value::String(file) => {
                        vec![Named { text: file.clone(), through: "package.json".to_owned() }]
                    }
                    section => names::in_script(&section.to_string(), start.keys),
                })
                .map(|named| (named, false))
                .collect()
        }
        "Cargo.toml" => {
            let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
            let build = table.get("package").and_then(|package| package.get("build")).and_then(toml::Value::as_str);
            build
                .map(|file| (Named { text: file.to_owned(), through: "build".to_owned() }, false))
                .into_iter()
                .collect()
        }
        _ => names::python_modules(text).into_iter().map(|named| (named, true)).collect(),
    }
}

fn add(followed: &mut Followed, file: &str, named: &Named, is_module: bool, sides: [&Tree<'_>; 2]) -> Vec<String> {
    let why = format!("`{file}` names it ({})", named.through);
    if is_module {
        return add_modules(followed, &named.text, &why, sides);
    }
    let paths = candidates(&named.text, parent(file), sides);
    for path in &paths {
        if path != file {
            followed.entry(path.clone()).or_insert_with(|| why.clone());
        }
    }
    paths
}

/// A module lies in any folder from which tests import, and nobody can tell which those are.
fn add_modules(followed: &mut Followed, module: &str, why: &str, sides: [&Tree<'_>; 2]) -> Vec<String> {
    let module = module.strip_prefix("no:").map_or(module, |_| "");
    let as_path = module.split(':').next().unwrap_or(module).replace('.', "/");
    if as_path.is_empty() || as_path.contains("//") {
        return Vec::new();
    }
    let endings = [format!("{as_path}.py"), format!("{as_path}/__init__.py")];
    let mut found = Vec::new();
    for side in sides {
        for path in side.entries.keys() {
            let path = path.to_lossy();
            let is_it = endings.iter().any(|ending| {
                path.strip_suffix(ending.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('/'))
            });
            if is_it && !found.contains(&path) {
                followed.entry(path.clone()).or_insert_with(|| why.to_owned());
                found.push(path);
            }
        }
    }
    found
}

/// Returns the files of either side that a written path may stand for.
fn candidates(text: &str, folder: &str, sides: [&Tree<'_>; 2]) -> Vec<String> {
    let text = text.split(['?', '#']).next().unwrap_or(text);
    let text = text.rsplit_once('}').map_or(text, |(_, after)| after);
    // Cargo takes paths in `.cargo/config.toml` from the folder that `.cargo` lies in.
    let above = if file_name(folder).starts_with('.') { parent(folder) } else { folder };
    let (text, bases): (&str, Vec<&str>) = match text.strip_prefix("<rootDir>") {
        Some(rest) => (rest, vec![folder, ""]),
        None if text.starts_with("./") || text.starts_with("../") => (text, vec![folder, above]),
        None => (text, vec![folder, above, ""]),
    };
    let mut found = Vec::new();
    for base in bases {
        let Some(path) = resolve(base, text).filter(|path| !path.is_empty()) else { continue };
        // TypeScript writes the name that the compiled file will have.
        let stem = [".js", ".mjs", ".cjs", ".jsx"].iter().find_map(|ending| path.strip_suffix(ending));
        for start in [Some(path.as_str()), stem].into_iter().flatten() {
            for ending in ENDINGS {
                let path = format!("{start}{ending}");
                if sides.iter().any(|side| side.has(&path)) && !found.contains(&path) {
                    found.push(path);
                }
            }
        }
    }
    found
}

fn named_by_command(command: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (index, word) in command.iter().enumerate() {
        if let Some((flag, value)) = word.split_once('=').filter(|(flag, _)| is_flag(flag)) {
            found.push((value.to_owned(), flag.to_owned()));
        } else if is_flag(word) {
            found.extend(command.get(index + 1).map(|value| (value.clone(), word.clone())));
        } else if let Some(value) = word.strip_prefix("-c").or_else(|| word.strip_prefix("-p")) {
            found.push((value.to_owned(), word[..2].to_owned()));
        }
    }
    found
}

fn is_flag(word: &str) -> bool {
    FLAGS.contains(&word) || word.starts_with("--config")
}
