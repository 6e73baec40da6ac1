//! What decides which cargo runs, and which program it hands test binaries to: `rust-toolchain` files and `runner`s of
//! cargo's configuration. Reads files only.

use super::super::Site;
use super::messages::ConfiguredRunner;
use crate::error::{Failure, Kind};
use std::path::{Path, PathBuf};

/// Returns the toolchain to force when a `rust-toolchain` file of the tree names a folder: whatever lies there would
/// be started as `cargo`.
pub(crate) fn forced_toolchain(site: &Site<'_>) -> Option<String> {
    let names_a_folder = folders_of(site).any(|folder| {
        ["rust-toolchain.toml", "rust-toolchain"].iter().any(|name| {
            let Ok(text) = std::fs::read_to_string(folder.join(name)) else { return false };
            let table: Result<toml::Table, _> = text.parse();
            match table {
                Ok(table) => table.get("toolchain").and_then(|it| it.get("path")).is_some(),
                // The old form is one line: a toolchain's name, or a path.
                Err(_) => text.trim().contains(['/', '\\']) || text.contains("path"),
            }
        })
    });
    names_a_folder.then(default_toolchain)
}

/// The folders from the one of the run up to the root of the tree.
fn folders_of<'a>(site: &'a Site<'_>) -> impl Iterator<Item = &'a Path> {
    let root = site.root;
    site.cwd.ancestors().take_while(move |folder| folder.starts_with(root))
}

fn default_toolchain() -> String {
    let settings = std::env::home_dir().map(|home| home.join(".rustup/settings.toml"));
    let table = settings.and_then(|file| std::fs::read_to_string(file).ok()?.parse::<toml::Table>().ok());
    let name = table.and_then(|table| Some(table.get("default_toolchain")?.as_str()?.to_owned()));
    name.unwrap_or_else(|| "stable".to_owned())
}

/// What cargo's configuration says about targets, the nearest file first.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Configuration {
    /// `build.target`.
    pub(crate) triple: Option<String>,
    /// `target.*.runner`.
    pub(crate) runners: Vec<ConfiguredRunner>,
}

/// Reads cargo's configuration as cargo finds it from the folder of the run.
///
/// # Errors
/// A file cannot be read as TOML, or says something that cannot be passed on.
pub(crate) fn configuration(site: &Site<'_>) -> Result<Configuration, Failure> {
    let mut found = Configuration::default();
    let home = std::env::home_dir().map(|home| home.join(".cargo"));
    let folders = site.cwd.ancestors().map(|folder| folder.join(".cargo")).chain(home);
    let mut seen = Vec::new();
    for folder in folders {
        // The name without an ending wins when both are there, as cargo has it.
        let file = ["config", "config.toml"].iter().map(|name| folder.join(name)).find(|file| file.is_file());
        let Some(file) = file.filter(|file| !seen.contains(file)) else { continue };
        let text = std::fs::read_to_string(&file).map_err(|error| unreadable(&file, &error.to_string()))?;
        let table: toml::Table = text.parse().map_err(|error: toml::de::Error| unreadable(&file, error.message()))?;
        read(&table, &folder, &mut found)?;
        seen.push(file);
    }
    Ok(found)
}

fn read(table: &toml::Table, folder: &Path, found: &mut Configuration) -> Result<(), Failure> {
    if found.triple.is_none() {
        found.triple = match table.get("build").and_then(|build| build.get("target")) {
            Some(toml::Value::String(triple)) => Some(triple.clone()),
            Some(_) => return Err(unsupported("`build.target` names more than one target")),
            None => None,
        };
    }
    let targets = table.get("target").and_then(toml::Value::as_table);
    for (target, settings) in targets.into_iter().flatten() {
        let Some(runner) = settings.get("runner") else { continue };
        if found.runners.iter().any(|known| known.target == *target) {
            continue;
        }
        let mut words: Vec<String> = match runner {
            toml::Value::String(text) => text.split_whitespace().map(str::to_owned).collect(),
            toml::Value::Array(list) => list.iter().filter_map(|it| Some(it.as_str()?.to_owned())).collect(),
            _ => Vec::new(),
        };
        let Some(program) = words.first_mut() else {
            return Err(unsupported(&format!("the runner of `{target}` is neither a text nor a list")));
        };
        if program.contains(['/', '\\']) && !Path::new(program.as_str()).is_absolute() {
            let base = folder.parent().unwrap_or(folder);
            *program = base.join(program.as_str()).to_string_lossy().into_owned();
        }
        if words.iter().any(|word| word.contains(char::is_whitespace)) {
            return Err(unsupported(&format!("the runner of `{target}` holds white space")));
        }
        found.runners.push(ConfiguredRunner { target: target.clone(), words });
    }
    Ok(())
}

fn unreadable(file: &Path, cause: &str) -> Failure {
    Failure::new(Kind::RunnerUnsupported, format!("cargo's configuration `{}` cannot be read", file.display()))
        .detail("cause", cause)
}

fn unsupported(what: &str) -> Failure {
    Failure::new(Kind::RunnerUnsupported, format!("cargo's configuration cannot be followed: {what}"))
}

/// Chooses the configured runner of a target, as cargo does: the triple's own, then one whose `cfg` holds.
///
/// # Errors
/// Whether a `cfg` holds cannot be told, in words.
pub(crate) fn runner_of<'a>(
    triple: &str,
    is_host: bool,
    runners: &'a [ConfiguredRunner],
) -> Result<&'a [String], String> {
    if let Some(exact) = runners.iter().find(|runner| runner.target == triple) {
        return Ok(&exact.words);
    }
    for runner in runners {
        let Some(expression) = runner.target.strip_prefix("cfg(").and_then(|it| it.strip_suffix(')')) else { continue };
        let holds = if is_host { holds(expression.trim()) } else { None };
        match holds {
            Some(true) => return Ok(&runner.words),
            Some(false) => {}
            None => {
                return Err(format!("whether the runner of `{}` is used for `{triple}` cannot be told", runner.target));
            }
        }
    }
    Ok(&[])
}

/// Evaluates a `cfg` expression for the machine that this runs on; `None` when it asks for something unknown.
fn holds(expression: &str) -> Option<bool> {
    let inner = |name: &str| {
        let rest = expression.strip_prefix(name)?.trim_start().strip_prefix('(')?;
        Some(parts(rest.strip_suffix(')')?))
    };
    if let Some(parts) = inner("all") {
        return parts.into_iter().try_fold(true, |all, part| Some(holds(part)? && all));
    }
    if let Some(parts) = inner("any") {
        return parts.into_iter().try_fold(false, |any, part| Some(holds(part)? || any));
    }
    if let Some(parts) = inner("not") {
        return holds(parts.first()?).map(|holds| !holds);
    }
    if let Some((key, value)) = expression.split_once('=') {
        let value = value.trim().trim_matches('"');
        let own = match key.trim() {
            "target_os" => std::env::consts::OS,
            "target_arch" => std::env::consts::ARCH,
            "target_family" => std::env::consts::FAMILY,
            "target_pointer_width" => return Some(value == usize::BITS.to_string()),
            _ => return None,
        };
        return Some(own == value);
    }
    match expression {
        "unix" => Some(cfg!(unix)),
        "windows" => Some(cfg!(windows)),
        _ => None,
    }
}

/// Splits at the commas that stand in no parenthesis.
fn parts(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut depth, mut from) = (0_usize, 0);
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    found.push(text[from..].trim());
    found.retain(|part| !part.is_empty());
    found
}

/// Returns a path of this program that cargo can take as a runner's word: it splits them at white space.
pub(crate) fn plain_path(program: &Path, private: &Path) -> Result<PathBuf, Failure> {
    let is_plain = |path: &Path| path.to_str().is_some_and(|text| !text.contains(char::is_whitespace));
    if is_plain(program) {
        return Ok(program.to_owned());
    }
    let link = private.join("agent-acceptance");
    if is_plain(&link) && make_link(program, &link).is_ok() {
        return Ok(link);
    }
    Err(Failure::new(Kind::RunnerUnsupported, "cargo cannot call this program back: its path holds white space")
        .detail("path", program.display().to_string())
        .next("install agent-acceptance at a path without white space"))
}

#[cfg(unix)]
fn make_link(program: &Path, link: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(program, link)
}

#[cfg(windows)]
fn make_link(program: &Path, link: &Path) -> std::io::Result<()> {
    std::fs::hard_link(program, link)
}

#[cfg(test)]
mod tests {
    use super::{Configuration, ConfiguredRunner, configuration, forced_toolchain, holds, plain_path, runner_of};
    use crate::runners::Site;
    use std::path::Path;

    fn in_tree<T>(files: &[(&str, &str)], ask: impl Fn(&Site<'_>) -> T) -> (T, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let cwd = folder.path().join("a");
        std::fs::create_dir_all(&cwd).unwrap();
        for (name, text) in files {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, text).unwrap();
        }
        let root = folder.path();
        let this_program = Path::new("/this-program");
        let answer =
            ask(&Site { root, cwd: &cwd, private: root, checkout: root, build: root, this_program, search_path: None });
        (answer, folder)
    }

    #[test]
    fn a_toolchain_in_the_tree_is_never_started() {
        for (name, text, expected) in [
            ("rust-toolchain.toml", "[toolchain]\npath = \"/proc/self/cwd/tc\"\n", true),
            ("a/rust-toolchain", "[toolchain]\npath = \"tc\"\n", true),
            ("rust-toolchain", "/proc/self/cwd/tc\n", true),
            ("rust-toolchain.toml", "[toolchain]\nchannel = \"1.88\"\n", false),
            ("rust-toolchain", "nightly\n", false),
        ] {
            assert_eq!(in_tree(&[(name, text)], |site| forced_toolchain(site).is_some()).0, expected, "{name}: {text}");
        }
    }

    #[test]
    fn runners_of_the_configuration_are_read_nearest_first() {
        let (found, folder) = in_tree(
            &[
                (".cargo/config.toml", "[target.x]\nrunner = 'far a'\n[target.'cfg(unix)']\nrunner = ['./run', 'b']\n"),
                ("a/.cargo/config.toml", "[build]\ntarget = 'x'\n[target.x]\nrunner = 'near'\n"),
            ],
            |site| configuration(site).unwrap(),
        );
        let run = folder.path().join("./run").to_string_lossy().into_owned();
        let runner = |target: &str, words: &[&str]| ConfiguredRunner {
            target: target.to_owned(),
            words: words.iter().map(|&word| word.to_owned()).collect(),
        };
        let expected = vec![runner("x", &["near"]), runner("cfg(unix)", &[&run, "b"])];
        assert_eq!(found, Configuration { triple: Some("x".to_owned()), runners: expected });
        assert_eq!(runner_of("x", true, &found.runners).unwrap(), ["near"]);
        assert_eq!(runner_of("y", true, &found.runners).unwrap().is_empty(), cfg!(windows));
        assert!(runner_of("y", false, &found.runners).is_err());
        assert!(in_tree(&[(".cargo/config.toml", "[[[")], |site| configuration(site).is_err()).0);
        assert!(
            in_tree(&[(".cargo/config.toml", "[target.x]\nrunner = ['a b']\n")], |site| configuration(site).is_err()).0
        );
    }

    #[test]
    fn expressions_are_evaluated_or_left_open() {
        for (expression, expected) in [
            ("all()", Some(true)),
            ("any()", Some(false)),
            ("any(unix, windows)", Some(true)),
            ("all(unix, windows)", Some(false)),
            ("not(any(unix, windows))", Some(false)),
            ("all(any(unix, windows), not(target_os = \"nothing\"))", Some(true)),
            ("target_feature = \"x\"", None),
            ("any(unix, windows, foo)", None),
            ("foo", None),
        ] {
            assert_eq!(holds(expression), expected, "{expression}");
        }
    }

    #[test]
    fn a_path_with_white_space_is_called_by_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("a b");
        std::fs::write(&program, "x").unwrap();
        let plain = plain_path(&program, folder.path()).unwrap();
        assert_eq!(std::fs::read_to_string(plain).unwrap(), "x");
        let private = folder.path().join("c d");
        std::fs::create_dir(&private).unwrap();
        assert!(plain_path(&program, &private).is_err());
    }
}
