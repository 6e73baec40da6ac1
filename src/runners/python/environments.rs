//! Where environment managers keep a project's environment, and what stands behind a version manager's shim.
//! Reads files and folders only: `poetry run` and `uv run` would bring an environment up to date first.

use super::super::Site;
use super::{checkout_folder, name_of};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use base64::Engine as _;
use sha2::{Digest as _, Sha256};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the environment's folder that `poetry run`, `uv run`, ... would use, without asking them.
pub(super) fn project_environment(manager: &str, site: &Site<'_>) -> Result<PathBuf, Failure> {
    let folder = checkout_folder(site);
    let in_project = || {
        folder.ancestors().take_while(|it| it.starts_with(site.checkout)).find_map(|it| {
            let candidate = it.join(".venv");
            is_environment(&candidate).then_some(candidate)
        })
    };
    let found = match manager {
        // uv and rye pass an activated environment over.
        "uv" | "rye" => in_project().or_else(|| activated(site)),
        _ => activated(site).or_else(in_project).or_else(|| central(manager, &folder, site)),
    };
    found.ok_or_else(|| {
        Failure::new(Kind::RunnerMissing, format!("the environment of `{manager}` was not found"))
            .detail("looked for", folder.join(".venv").display().to_string())
            .next(format!("install it: `{manager} install`, or activate it before the check"))
    })
}

/// Returns a program of an environment.
pub(super) fn program_in(environment: &Path, name: &str) -> Option<PathBuf> {
    ["bin", "Scripts"].iter().find_map(|below| {
        let path = environment.join(below).join(name);
        find_program(path.as_os_str(), None, environment)
    })
}

fn is_environment(folder: &Path) -> bool {
    folder.join("pyvenv.cfg").is_file()
}

/// An activated environment is first in the search path.
fn activated(site: &Site<'_>) -> Option<PathBuf> {
    let python = find_program(OsStr::new("python"), site.search_path, site.cwd)?;
    let folder = python.parent()?.parent()?;
    is_environment(folder).then(|| folder.to_owned())
}

/// poetry and pipenv keep environments in the user's folders, under the project's name and a hash of its path.
fn central(manager: &str, folder: &Path, site: &Site<'_>) -> Option<PathBuf> {
    let home = std::env::home_dir()?;
    let (marker, places): (&str, Vec<PathBuf>) = match manager {
        "poetry" => (
            "pyproject.toml",
            vec![
                home.join(".cache/pypoetry/virtualenvs"),
                home.join("Library/Caches/pypoetry/virtualenvs"),
                home.join("AppData/Local/pypoetry/Cache/virtualenvs"),
            ],
        ),
        "pipenv" => ("Pipfile", vec![home.join(".local/share/virtualenvs"), home.join(".virtualenvs")]),
        _ => return None,
    };
    let project =
        folder.ancestors().take_while(|it| it.starts_with(site.checkout)).find(|it| it.join(marker).is_file())?;
    let project = project.canonicalize().unwrap_or_else(|_| project.to_owned());
    let prefix = if manager == "poetry" { poetry_name(&project)? } else { pipenv_name(&project) };
    let mut found: Vec<PathBuf> = places
        .iter()
        .filter_map(|place| std::fs::read_dir(place).ok())
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| name_of(path).strip_prefix(&prefix).is_some_and(|tail| tail.is_empty() || tail.starts_with('-')))
        .filter(|path| is_environment(path))
        .collect();
    // Several Python versions of one project: which one poetry would choose is not known.
    if found.len() == 1 { found.pop() } else { None }
}

fn hash(text: &str) -> String {
    base64::engine::general_purpose::URL_SAFE.encode(Sha256::digest(text.as_bytes()))
}

fn poetry_name(project: &Path) -> Option<String> {
    let text = std::fs::read_to_string(project.join("pyproject.toml")).ok()?;
    let table: toml::Table = text.parse().ok()?;
    let name = |path: &[&str]| {
        let (last, tables) = path.split_last()?;
        let inner = tables.iter().try_fold(&table, |table, key| table.get(*key)?.as_table())?;
        inner.get(*last)?.as_str().map(str::to_lowercase)
    };
    let name = name(&["tool", "poetry", "name"]).or_else(|| name(&["project", "name"]))?;
    let clean = clean(&name);
    Some(format!("{clean}-{}", hash(&project.to_string_lossy()).get(..8)?))
}

fn pipenv_name(project: &Path) -> String {
    let hash = hash(&project.join("Pipfile").to_string_lossy());
    format!("{}-{}", clean(&name_of(project)), hash.get(..8).unwrap_or_default())
}

fn clean(name: &str) -> String {
    name.chars().map(|it| if " $`!*@\"\\\r\n\t".contains(it) { '_' } else { it }).take(42).collect()
}

/// pyenv's shims are shell scripts that look up a version; returns the program of that version.
pub(super) fn behind_shim(found: &Path, name: &str, site: &Site<'_>) -> Option<PathBuf> {
    let shims = found.parent()?;
    let root = shims.parent()?;
    let versions = root.join("versions");
    if name_of(shims) != "shims" || !versions.is_dir() {
        return None;
    }
    let chosen = site
        .cwd
        .ancestors()
        .take_while(|it| it.starts_with(site.root))
        .find_map(|it| std::fs::read_to_string(it.join(".python-version")).ok())
        .or_else(|| std::fs::read_to_string(root.join("version")).ok())?;
    chosen.split_whitespace().find_map(|version| {
        // The file is the change's: a version is one folder's name.
        if version.contains(['/', '\\']) || version.starts_with('.') {
            return None;
        }
        if version == "system" {
            let path = std::env::join_paths(std::env::split_paths(site.search_path?).filter(|it| it != shims)).ok()?;
            return find_program(OsStr::new(name), Some(&path), site.cwd);
        }
        let exact = versions.join(version);
        let folder = if exact.is_dir() { Some(exact) } else { newest_of(&versions, version) };
        program_in(&folder?, name)
    })
}

/// `3.11` means the newest installed 3.11.
fn newest_of(versions: &Path, prefix: &str) -> Option<PathBuf> {
    let number = |path: &Path| -> Vec<u32> { name_of(path).split('.').filter_map(|it| it.parse().ok()).collect() };
    std::fs::read_dir(versions)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| name_of(path).starts_with(&format!("{prefix}.")))
        .max_by_key(|path| number(path))
}
