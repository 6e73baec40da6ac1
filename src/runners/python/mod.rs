//! Finds the Python interpreter that a command means, by reading files: scripts' first lines, virtual environments,
//! environment managers' folders. The interpreter is called in place of managers, which would change environments.
//! Knows nothing of test runners.

use super::{Call, Site};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

mod environments;
mod script;

pub(super) use script::interpreter_of;

/// How a command starts a module of Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Python {
    /// The interpreter.
    pub(super) interpreter: PathBuf,
    /// Its own options, such as `-I`.
    pub(super) options: Vec<OsString>,
    /// The script that the command runs, or `None` for `python -m`.
    pub(super) script: Option<PathBuf>,
}

impl Python {
    /// Returns the version of an installed package, from the name of its metadata folder.
    pub(super) fn version_of(&self, package: &str) -> Option<String> {
        let prefix = self.interpreter.parent()?.parent()?;
        let folders = [prefix.join("lib"), prefix.join("Lib")];
        let below = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
        let versioned = below.map(|entry| entry.path()).filter(|path| name_of(path).starts_with("python"));
        versioned
            .chain(folders.clone())
            .flat_map(|folder| [folder.join("site-packages"), folder.join("dist-packages")])
            .filter_map(|folder| std::fs::read_dir(folder).ok())
            .flatten()
            .flatten()
            .find_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                let version = name.strip_prefix(package)?.strip_prefix('-')?.strip_suffix(".dist-info")?;
                Some(version.to_owned())
            })
    }
}

/// Finds what `call` starts; `module` is the runner's name as a script and as a module.
///
/// # Errors
/// No interpreter, no environment or no script of that name is there.
pub(super) fn find(call: &Call, site: &Site<'_>, module: &str) -> Result<Python, Failure> {
    let (manager, rest) = split_manager(&call.launcher);
    let place = manager.map(|manager| environments::project_environment(manager, site)).transpose()?;
    let find = |name: &str| match &place {
        Some(folder) => environments::program_in(folder, name),
        None => program(name, site),
    };
    match rest {
        [] => {
            let script = find(module).ok_or_else(|| missing(module, manager, place.as_deref()))?;
            of_script(script, site)
        }
        // `uv run -m pytest`
        [only] if only == "-m" => {
            let interpreter = find("python").ok_or_else(|| missing("python", manager, place.as_deref()))?;
            Ok(Python { interpreter, options: Vec::new(), script: None })
        }
        [interpreter, options @ .., last] if last == "-m" => {
            let path = find(interpreter).ok_or_else(|| missing(interpreter, manager, place.as_deref()))?;
            Ok(Python { interpreter: path, options: options.iter().map(OsString::from).collect(), script: None })
        }
        [.., script] => {
            let path = program(script, site).ok_or_else(|| missing(script, None, None))?;
            of_script(path, site)
        }
    }
}

fn of_script(script: PathBuf, site: &Site<'_>) -> Result<Python, Failure> {
    let (interpreter, options) = interpreter_of(&script, site)?;
    Ok(Python { interpreter, options, script: Some(script) })
}

/// Takes `poetry run`, `uv run --frozen --` and the like off. Their options have no effect here; see `launcher`.
fn split_manager(launcher: &[String]) -> (Option<&str>, &[String]) {
    let [manager, run, rest @ ..] = launcher else { return (None, launcher) };
    if run != "run" {
        return (None, launcher);
    }
    let mut rest = rest;
    while let [first, tail @ ..] = rest {
        if !first.starts_with('-') || first == "-m" {
            break;
        }
        let takes_value = matches!(first.as_str(), "--extra" | "--group" | "--only-group" | "--no-group");
        rest = if takes_value { tail.get(1..).unwrap_or_default() } else { tail };
        if first == "--" {
            break;
        }
    }
    (Some(manager), rest)
}

/// Looks a program up: a bare name in the search path, a path in the checkout, where environments are installed.
fn program(name: &str, site: &Site<'_>) -> Option<PathBuf> {
    let found = find_program(OsStr::new(name), site.search_path, &checkout_folder(site))?;
    environments::behind_shim(&found, name, site).or(Some(found))
}

/// The folder of the run as it is called in the user's checkout.
pub(super) fn checkout_folder(site: &Site<'_>) -> PathBuf {
    match site.cwd.strip_prefix(site.root) {
        Ok(below) => site.checkout.join(below),
        Err(_) => site.checkout.to_owned(),
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn missing(name: &str, manager: Option<&str>, place: Option<&Path>) -> Failure {
    let failure = Failure::new(Kind::RunnerMissing, format!("`{name}` is not installed"));
    match (manager, place) {
        (Some(manager), Some(place)) => failure
            .detail("looked in", place.display().to_string())
            .next(format!("install it in the environment of `{manager}`, or prepare that with `--setup`")),
        _ => failure
            .next(format!("activate the environment that has `{name}`, or name its path: `.venv/bin/{name}`"))
            .next("where the tests run in a clone, prepare the environment with `--setup`"),
    }
}

#[cfg(test)]
mod tests;
