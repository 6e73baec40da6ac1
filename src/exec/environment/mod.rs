//! Which environment the code under test gets: an allow-list, never the checker's own.
//! Reads no environment itself; the caller hands it over.

mod table;

pub use table::{ALLOWED, ALLOWED_ON_WINDOWS, Allowed, Treatment};

use crate::error::{Failure, Kind};
use crate::exec::OWN_VARIABLES;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// An environment for the code under test.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Environment {
    /// The whole environment, sorted by name.
    pub vars: Vec<(OsString, OsString)>,
    /// The names of the caller's variables that were left out, sorted, lossy where not UTF-8.
    pub withheld: Vec<String>,
}

impl Environment {
    /// Returns the value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.vars.iter().find(|(known, _)| is_same_name(known, name)).map(|(_, value)| value.as_os_str())
    }

    /// Sets a variable, in place of one that is there.
    pub fn set(&mut self, name: &str, value: impl Into<OsString>) {
        self.vars.retain(|(known, _)| !is_same_name(known, name));
        self.vars.push((name.into(), value.into()));
        self.vars.sort_unstable();
    }
}

/// Returns the allow-list of this system.
pub fn allowed() -> impl Iterator<Item = &'static Allowed> {
    ALLOWED.iter().chain(if cfg!(windows) { ALLOWED_ON_WINDOWS } else { &[] })
}

/// Makes the environment of one run from the caller's (`ambient`), and the private folders that it names.
///
/// `pass` names further variables of the caller's to keep, also against the list. With `isolate` the home is a
/// private empty folder, and toolchains' homes are named one by one. `private` is the run's private folder.
///
/// # Errors
/// A private folder could not be made.
pub fn build(
    ambient: &[(OsString, OsString)],
    pass: &[String],
    isolate: bool,
    private: &Path,
) -> Result<Environment, Failure> {
    let real_home = lookup(ambient, if cfg!(windows) { "USERPROFILE" } else { "HOME" }).map(PathBuf::from);
    let mut vars = BTreeMap::new();
    let mut folders = BTreeSet::new();
    for rule in allowed() {
        let is_named = |name: &OsStr| is_covered(rule.name, name);
        let mut keep = |edit: &dyn Fn(&OsStr) -> Option<OsString>| {
            for (name, value) in ambient.iter().filter(|(name, _)| is_named(name)) {
                if let Some(value) = edit(value) {
                    vars.entry(name.clone()).or_insert(value);
                }
            }
        };
        match rule.treatment {
            Treatment::Kept => keep(&|value| Some(value.to_owned())),
            Treatment::KeptInPlace => {
                if !isolate {
                    keep(&|value| Some(value.to_owned()));
                }
            }
            Treatment::KeptAbsolute => keep(&absolute_entries),
            Treatment::KeptHome(below) => {
                keep(&|value| Some(value.to_owned()));
                let folder = real_home.as_ref().map(|home| home.join(below));
                if let (true, None, Some(folder)) = (isolate, lookup(ambient, rule.name), folder)
                    && folder.is_absolute()
                    && folder.is_dir()
                {
                    vars.insert(rule.name.into(), folder.into());
                }
            }
            Treatment::Home(name) if isolate => {
                vars.insert(rule.name.into(), private.join(name).into());
                folders.insert(private.join(name));
            }
            Treatment::Home(_) => keep(&|value| Some(value.to_owned())),
            Treatment::Private(name) => {
                vars.insert(rule.name.into(), private.join(name).into());
                folders.insert(private.join(name));
            }
            Treatment::Fixed(text) => {
                vars.insert(rule.name.into(), text.into());
            }
        }
    }
    for (name, value) in ambient {
        let is_passed = pass.iter().any(|wanted| is_same_name(name, wanted));
        if is_passed && !OWN_VARIABLES.iter().any(|own| is_same_name(name, own)) {
            vars.retain(|known: &OsString, _| !known.to_str().is_some_and(|known| is_same_name(name, known)));
            vars.insert(name.clone(), value.clone());
        }
    }
    for folder in &folders {
        make(folder)?;
    }
    let withheld = withheld(ambient, &vars);
    Ok(Environment { vars: vars.into_iter().collect(), withheld })
}

fn withheld(ambient: &[(OsString, OsString)], vars: &BTreeMap<OsString, OsString>) -> Vec<String> {
    let is_kept = |name: &str| vars.keys().any(|known| is_same_name(known, name));
    let names: BTreeSet<String> = ambient
        .iter()
        .map(|(name, _)| name.to_string_lossy().into_owned())
        .filter(|name| !is_kept(name) && !name.starts_with('=') && !table::NOISE.contains(&name.as_str()))
        .filter(|name| !OWN_VARIABLES.contains(&name.as_str()))
        .collect();
    names.into_iter().collect()
}

fn make(folder: &Path) -> Result<(), Failure> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder).map_err(|error| {
        Failure::new(Kind::Io, format!("failed to make the private folder `{}`", folder.display()))
            .caused_by(&error)
            .detail("cause", error.to_string())
    })
}

fn lookup<'a>(ambient: &'a [(OsString, OsString)], name: &str) -> Option<&'a OsStr> {
    let found = ambient.iter().find(|(known, _)| is_same_name(known, name));
    found.map(|(_, value)| value.as_os_str()).filter(|value| !value.is_empty())
}

/// Names are compared as the system does: without case on Windows.
fn is_same_name(name: &OsStr, wanted: &str) -> bool {
    if cfg!(windows) { name.eq_ignore_ascii_case(wanted) } else { name == wanted }
}

fn is_covered(rule: &str, name: &OsStr) -> bool {
    match rule.strip_suffix('*') {
        Some(prefix) => name.to_str().is_some_and(|name| name.starts_with(prefix)),
        None => is_same_name(name, rule),
    }
}

fn absolute_entries(value: &OsStr) -> Option<OsString> {
    let kept: Vec<PathBuf> = std::env::split_paths(value).filter(|entry| entry.is_absolute()).collect();
    if kept.is_empty() { None } else { std::env::join_paths(kept).ok() }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    fn ambient(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    fn built(pairs: &[(&str, &str)], pass: &[&str], isolate: bool) -> (Environment, tempfile::TempDir) {
        let private = tempfile::tempdir().unwrap();
        let pass: Vec<String> = pass.iter().map(ToString::to_string).collect();
        let environment = build(&ambient(pairs), &pass, isolate, private.path()).unwrap();
        (environment, private)
    }

    #[test]
    fn secrets_and_variables_that_change_a_run_are_withheld_and_told_by_name() {
        let hostile = [
            "GITHUB_TOKEN",
            "GH_TOKEN",
            "INPUT_GITHUB-TOKEN",
            "GITHUB_ENV",
            "GITHUB_OUTPUT",
            "ACTIONS_RUNTIME_TOKEN",
            "GIT_DIR",
            "GIT_CONFIG_COUNT",
            "NODE_OPTIONS",
            "NODE_PATH",
            "PYTEST_ADDOPTS",
            "PYTEST_PLUGINS",
            "PYTHONPATH",
            "PYTHONSTARTUP",
            "RUSTFLAGS",
            "RUSTC_WRAPPER",
            "CARGO_BUILD_RUSTC_WRAPPER",
            "CARGO_REGISTRY_TOKEN",
            "CARGO_TARGET_DIR",
            "LD_PRELOAD",
            "BASH_ENV",
            "ENV",
            "AWS_SECRET_ACCESS_KEY",
            "NPM_TOKEN",
            "npm_config_script_shell",
            "SSH_AUTH_SOCK",
            "https_proxy",
            "DATABASE_URL",
            "VITEST",
            "AGENT_ACCEPTANCE_TOKEN",
            "XDG_RUNTIME_DIR",
        ];
        let mut pairs: Vec<(&str, &str)> = hostile.iter().map(|name| (*name, "secret")).collect();
        pairs.push(("PATH", "/usr/bin"));
        for isolate in [false, true] {
            let (environment, _private) = built(&pairs, &[], isolate);
            assert!(environment.vars.iter().all(|(_, value)| value != "secret"), "{environment:?}");
            let mut expected: Vec<String> = hostile.iter().map(ToString::to_string).collect();
            expected.sort_unstable();
            assert_eq!(environment.withheld, expected);
        }
    }

    #[test]
    fn locale_and_toolchains_are_kept_and_ci_is_set() {
        let (environment, private) =
            built(&[("LC_TIME", "de_DE"), ("TZ", "Asia/Tokyo"), ("CARGO_HOME", "/c"), ("CI", "0")], &[], false);
        assert_eq!(environment.get("LC_TIME"), Some(OsStr::new("de_DE")));
        assert_eq!(environment.get("TZ"), Some(OsStr::new("Asia/Tokyo")));
        assert_eq!(environment.get("CARGO_HOME"), Some(OsStr::new("/c")));
        assert_eq!(environment.get("CI"), Some(OsStr::new("1")));
        assert_eq!(environment.get("TMPDIR"), Some(private.path().join("tmp").as_os_str()));
        assert!(private.path().join("tmp").is_dir());
        assert_eq!(environment.get("HOME"), None);
    }

    #[test]
    fn isolation_empties_the_home_and_names_the_toolchains() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(".rustup")).unwrap();
        let pairs = [("HOME", home.path().to_str().unwrap()), ("XDG_CONFIG_HOME", "/x"), ("NVM_DIR", "/n")];
        let (environment, private) = built(&pairs, &[], true);
        assert_eq!(environment.get("HOME"), Some(private.path().join("home").as_os_str()));
        assert_eq!(std::fs::read_dir(private.path().join("home")).unwrap().count(), 0);
        assert_eq!(environment.get("RUSTUP_HOME"), Some(home.path().join(".rustup").as_os_str()));
        assert_eq!(environment.get("CARGO_HOME"), None, "there is no such folder");
        assert_eq!(environment.get("NVM_DIR"), Some(OsStr::new("/n")));
        assert_eq!(environment.get("XDG_CONFIG_HOME"), None);
        let (in_place, _private) = built(&pairs, &[], false);
        assert_eq!(in_place.get("HOME"), Some(home.path().as_os_str()));
        assert_eq!(in_place.get("RUSTUP_HOME"), None);
    }

    #[test]
    fn a_passed_name_wins_over_the_list_but_never_over_our_own_variables() {
        let pairs = [("DATABASE_URL", "db"), ("CI", "azure"), ("AGENT_ACCEPTANCE_CHANNEL", "unix:x")];
        let (environment, _private) =
            built(&pairs, &["DATABASE_URL", "CI", "ABSENT", "AGENT_ACCEPTANCE_CHANNEL"], false);
        assert_eq!(environment.get("DATABASE_URL"), Some(OsStr::new("db")));
        assert_eq!(environment.get("CI"), Some(OsStr::new("azure")));
        assert_eq!(environment.get("ABSENT"), None);
        assert_eq!(environment.get("AGENT_ACCEPTANCE_CHANNEL"), None);
        assert!(environment.withheld.is_empty());
    }

    #[test]
    fn library_paths_lose_entries_that_mean_the_folder_under_test() {
        let (environment, _private) = built(&[("LD_LIBRARY_PATH", ":/opt/lib:.:sub")], &[], false);
        assert_eq!(environment.get("LD_LIBRARY_PATH"), Some(OsStr::new("/opt/lib")));
        let (environment, _private) = built(&[("LD_LIBRARY_PATH", ".")], &[], false);
        assert_eq!(environment.get("LD_LIBRARY_PATH"), None);
        assert_eq!(environment.withheld, ["LD_LIBRARY_PATH"]);
    }

    #[test]
    fn the_list_names_each_variable_once_with_a_reason() {
        let mut names = BTreeSet::new();
        for rule in ALLOWED.iter().chain(ALLOWED_ON_WINDOWS) {
            assert!(names.insert(rule.name.to_ascii_lowercase()), "{} stands twice", rule.name);
            assert!(rule.why.len() > 8, "{} has no reason", rule.name);
        }
    }
}
