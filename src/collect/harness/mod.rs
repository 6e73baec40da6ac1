//! The harness lock: which changes of a change decide how tests run and count, part by part, and which of
//! them somebody allowed.
//!
//! A function of the change, the text of both sides and a runner's rules; the only thing that it asks of
//! outside is whether a `conftest.py` is plain. Must not know how tests are run.

mod cargo_toml;
mod follow;
mod go_mod;
mod names;
mod package_json;
mod packages;
mod part;
mod python_config;
mod rules;
mod script_text;
mod tree;
mod tsconfig;
mod whole;

pub(crate) use part::lookup;
pub(crate) use rules::Rules;
pub(crate) use tree::{Tree, resolve};

use crate::error::Failure;
use crate::facts::{ChangeStatus, ChangedFile, FileKind, HarnessChange, HarnessWeight, PathRule, RepoPath};
use part::{Part, few};
use tree::{Aliases, file_name, parent};
use whole::{Family, WholeFiles};

/// Judges whether a `conftest.py`, given its text at the merge base (`None` when it is new) and at head, only adds
/// fixtures and plain helpers; the error says what else there is.
pub(crate) type JudgeConftest<'a> = &'a dyn Fn(Option<&str>, &str) -> Result<(), String>;

/// Who allowed what to change.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Allowed<'a> {
    /// What the contract names as files that may or must change. Literal names count, for whole files.
    pub(crate) named: &'a [PathRule],
    /// What the contract names under `harness_changes`, and the operator on the command line: whole files and parts.
    pub(crate) harness: &'a [PathRule],
}

/// Everything that the lock looks at.
pub(crate) struct Lock<'a> {
    pub(crate) change: &'a [ChangedFile],
    pub(crate) base: Tree<'a>,
    pub(crate) head: Tree<'a>,
    /// The runner's name.
    pub(crate) runner: &'a str,
    pub(crate) rules: &'a Rules,
    /// The argv that the contract names.
    pub(crate) command: &'a [String],
    /// Files that the command names as configuration, as the runner understands it.
    pub(crate) named_files: &'a [String],
    /// The folder that it runs in, empty for the root.
    pub(crate) cwd: &'a str,
    pub(crate) is_test_file: &'a dyn Fn(&str) -> bool,
    pub(crate) allowed: Allowed<'a>,
    pub(crate) judge_conftest: JudgeConftest<'a>,
}

/// Files that pin dependencies: other dependencies are not harness, unless nobody watches.
const LOCK_FILES: [&str; 21] = [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
    "cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "pipfile",
    "pipfile.lock",
    "pixi.lock",
    "environment.yml",
    "deno.lock",
    "go.sum",
    "gemfile.lock",
    "gems.locked",
    "composer.lock",
    "gradle.lockfile",
    "packages.lock.json",
];

impl Lock<'_> {
    /// Returns every change to the harness, in the order of paths, allowed ones too.
    ///
    /// # Errors
    /// Fails when an object cannot be read.
    pub(crate) fn changes(&self) -> Result<Vec<HarnessChange>, Failure> {
        let family = family_of(self.rules);
        let whole = WholeFiles::new(&self.rules.files, family);
        let sides = [&self.base, &self.head];
        let aliases = Aliases::new(sides)?;
        let followed = self.followed(&whole, family, &aliases)?;
        let mut found = Vec::new();
        for file in self.change {
            let path = file.path.to_lossy();
            let mut parts = Vec::new();
            for name in aliases.of(&path) {
                parts = self.parts_of(file, &path, &name, family, &whole, &followed)?;
                if !parts.is_empty() {
                    break;
                }
            }
            if parts.is_empty() && matches!(file.kind, FileKind::Symlink | FileKind::Submodule) {
                parts.extend(self.part_of_link(file, &path, &whole)?);
            }
            found.extend(parts.into_iter().map(|part| self.weighed(file, part)));
        }
        found.sort_unstable();
        found.dedup();
        Ok(found)
    }

    fn followed(&self, whole: &WholeFiles, family: Family, aliases: &Aliases) -> Result<follow::Followed, Failure> {
        let (mut configurations, mut manifests) = (Vec::new(), Vec::new());
        for side in [&self.base, &self.head] {
            for path in side.entries.keys() {
                let path = path.to_lossy();
                if manifest_of(&path, family).is_some() && !is_tsconfig(&path) {
                    manifests.push(path);
                } else if aliases
                    .of(&path)
                    .iter()
                    .any(|name| (whole.matches(name) || is_tsconfig(name)) && !name.contains("node_modules/"))
                {
                    configurations.push(path);
                }
            }
        }
        for list in [&mut configurations, &mut manifests] {
            list.sort_unstable();
            list.dedup();
        }
        let keys: Vec<&str> = self.rules.followed_keys.iter().map(String::as_str).collect();
        let sections = self.rules.parts_of("package.json");
        let start = follow::Start {
            configurations,
            manifests,
            keys: &keys,
            command: self.command,
            named_files: self.named_files,
            cwd: self.cwd,
            sections: &sections,
            is_test_file: self.is_test_file,
        };
        follow::follow([&self.base, &self.head], &start)
    }

    /// What a changed file decides under one of its names.
    fn parts_of(
        &self,
        file: &ChangedFile,
        path: &str,
        name: &str,
        family: Family,
        whole: &WholeFiles,
        followed: &follow::Followed,
    ) -> Result<Vec<Part>, Failure> {
        if file.status == ChangeStatus::ModeChanged {
            return Ok(Vec::new());
        }
        if file_name(name) == "conftest.py" && family.python && file.status != ChangeStatus::TypeChanged {
            return self.part_of_conftest(file).map(|part| vec![part]);
        }
        if let Some(manifest) =
            manifest_of(name, family).filter(|manifest| *manifest != "tsconfig.json" || !self.rules.is_tsconfig_whole)
        {
            return self.parts_of_manifest(file, path, manifest);
        }
        let is_package = |folder: &str| {
            let init = if folder.is_empty() { "__init__.py".to_owned() } else { format!("{folder}/__init__.py") };
            self.base.has(&init) || self.head.has(&init)
        };
        let why = if whole.matches(name) {
            Some(whole::reason(name).to_owned())
        } else if let Some(module) = whole.shadows(name, is_package) {
            Some(format!("it takes the place of the module `{module}`"))
        } else {
            followed.get(name).or_else(|| followed.get(path)).cloned()
        };
        if let Some(why) = why {
            return Ok(vec![Part { section: None, why, weight: HarnessWeight::Fault }]);
        }
        let lower = file_name(name).to_ascii_lowercase();
        if is_lock_file(&lower) {
            return Ok(vec![Part {
                section: None,
                why: "it decides which versions of dependencies the tests run with".to_owned(),
                weight: HarnessWeight::StrictFault,
            }]);
        }
        Ok(Vec::new())
    }

    fn part_of_conftest(&self, file: &ChangedFile) -> Result<Part, Failure> {
        let base = self.base.text(&file.path)?;
        let Some(head) = self.head.text(&file.path)? else {
            return Ok(Part {
                section: None,
                why: "its fixtures and hooks are gone".to_owned(),
                weight: HarnessWeight::Fault,
            });
        };
        Ok(match (self.judge_conftest)(base.as_deref(), &head) {
            Ok(()) => Part {
                section: None,
                why: "it adds fixtures or plain helpers, nothing else".to_owned(),
                weight: HarnessWeight::Note,
            },
            Err(what) => Part {
                section: None,
                why: format!("pytest runs it, and it can change what tests report: {what}"),
                weight: HarnessWeight::Fault,
            },
        })
    }

    fn parts_of_manifest(&self, file: &ChangedFile, path: &str, manifest: &str) -> Result<Vec<Part>, Failure> {
        if matches!(file.kind, FileKind::Symlink | FileKind::Submodule) || file.status == ChangeStatus::TypeChanged {
            let why = "a link or submodule stands in its place".to_owned();
            return Ok(vec![Part { section: None, why, weight: HarnessWeight::Fault }]);
        }
        let (base, head) = (self.base.text(&file.path)?, self.head.text(&file.path)?);
        let (base, head) = (base.as_deref(), head.as_deref());
        let parts = self.rules.parts_of(manifest);
        let parts = parts.as_slice();
        Ok(match manifest {
            "package.json" => {
                let inherited = [inherited_type(&self.base, path)?, inherited_type(&self.head, path)?];
                let about = package_json::About {
                    runner: self.runner,
                    parts,
                    command: self.command,
                    inherited: [&inherited[0], &inherited[1]],
                    is_new_folder: !self.base.has_folder(parent(path)),
                };
                package_json::compare(base, head, &about)
            }
            "Cargo.toml" => {
                let folder = parent(path);
                let has_target = |kind: &str, name: &str| self.has_target(folder, kind, name);
                cargo_toml::compare(base, head, parts, self.command, &has_target)
            }
            "pyproject.toml" => python_config::compare_pyproject(base, head, parts),
            "setup.py" => python_config::compare_setup_py(base, head),
            "go.mod" => go_mod::compare(base, head, parts),
            "tsconfig.json" => tsconfig::compare(base, head),
            _ => python_config::compare_ini(base, head, parts),
        })
    }

    /// Returns whether cargo finds a target of that kind and name by itself at the merge base.
    fn has_target(&self, folder: &str, kind: &str, name: &str) -> bool {
        let under = |rest: String| if folder.is_empty() { rest } else { format!("{folder}/{rest}") };
        let places: Vec<String> = match kind {
            "test" => vec![format!("tests/{name}.rs"), format!("tests/{name}/main.rs")],
            "bench" => vec![format!("benches/{name}.rs"), format!("benches/{name}/main.rs")],
            "example" => vec![format!("examples/{name}.rs"), format!("examples/{name}/main.rs")],
            _ => vec![format!("src/bin/{name}.rs"), format!("src/bin/{name}/main.rs"), "src/main.rs".to_owned()],
        };
        // Cargo takes `my-test` and `my_test` for one crate.
        places.into_iter().any(|place| {
            let place = under(place);
            self.base.has(&place) || self.base.has(&place.replace('-', "_")) || self.base.has(&place.replace('_', "-"))
        })
    }

    /// A changed link matters when it makes harness files appear, or shows what no tree holds.
    fn part_of_link(&self, file: &ChangedFile, path: &str, whole: &WholeFiles) -> Result<Option<Part>, Failure> {
        let fault = |why: String| Some(Part { section: None, why, weight: HarnessWeight::Fault });
        if file.kind == FileKind::Submodule {
            let probe = |name: &str| whole.matches(&format!("{path}/{name}"));
            if probe("config.toml") || probe("nextest.toml") || probe("entry_points.txt") || probe("x") {
                return Ok(fault(whole::reason(path).to_owned()));
            }
            let why = "the code of another repository that it points to is not part of what is reviewed".to_owned();
            return Ok(Some(Part { section: None, why, weight: HarnessWeight::StrictFault }));
        }
        if file.status == ChangeStatus::Deleted {
            return Ok(None);
        }
        let links = self.head.links()?;
        let target = links.iter().find(|(link, _)| link == path).and_then(|(_, target)| target.clone());
        let Some(target) = target else {
            return Ok(fault("the link leads out of the repository, to what nobody reviewed".to_owned()));
        };
        let prefix = if target.is_empty() { String::new() } else { format!("{target}/") };
        let shown: Vec<String> = self
            .head
            .below(&prefix)
            .map(|found| format!("{path}/{}", &found.to_lossy()[prefix.len()..]))
            .filter(|name| whole.matches(name) || file_name(name) == "conftest.py")
            .collect();
        Ok(if shown.is_empty() { None } else { fault(format!("through the link these appear: {}", few(&shown))) })
    }

    fn weighed(&self, file: &ChangedFile, part: Part) -> HarnessChange {
        let allowed = self.allowed;
        let by_harness = allowed.harness.iter().any(|rule| rule.matches(&file.path));
        let by_name = allowed.named.iter().any(|rule| rule.as_literal().is_some() && rule.matches(&file.path));
        // A name unlocks a whole file, and dependencies; parts of a manifest with many purposes it does not.
        let may = by_harness || by_name && (part.section.is_none() || part.weight == HarnessWeight::StrictFault);
        let weight = match part.weight {
            HarnessWeight::Fault | HarnessWeight::StrictFault if may => HarnessWeight::Allowed,
            weight => weight,
        };
        HarnessChange { path: file.path.clone(), status: file.status, section: part.section, why: part.why, weight }
    }
}

/// Returns how files are loaded in a manifest's folder when it is not there: as the next manifest above says.
fn inherited_type(side: &Tree<'_>, manifest: &str) -> Result<String, Failure> {
    let mut folder = parent(manifest);
    while !folder.is_empty() {
        folder = parent(folder);
        let above = if folder.is_empty() { "package.json".to_owned() } else { format!("{folder}/package.json") };
        if let Some(text) = side.text(&RepoPath::from(above.as_str()))? {
            return Ok(package_json::type_in(&text));
        }
    }
    Ok("commonjs".to_owned())
}

fn family_of(rules: &Rules) -> Family {
    Family {
        javascript: rules.reads("package.json"),
        python: rules.reads("pyproject.toml"),
        rust: rules.reads("Cargo.toml"),
        go: rules.reads("go.mod"),
    }
}

/// Makes the judgement whether a path is harness by its name alone, for files that no tree has.
pub(crate) fn is_harness_name(rules: &Rules) -> impl Fn(&RepoPath) -> bool + use<> {
    let whole = WholeFiles::new(&rules.files, family_of(rules));
    let manifests: Vec<String> = rules.manifests.iter().map(|(name, _)| name.clone()).collect();
    move |path| {
        let path = path.to_lossy();
        let is_build_product = path.contains("__pycache__/") || path.to_ascii_lowercase().contains(".egg-info");
        !is_build_product
            && (whole.matches(&path)
                || whole.shadows(&path, |_| false).is_some()
                || manifests.iter().any(|name| name == file_name(&path)))
    }
}

/// Returns whether a file, its name in lower case, pins dependencies.
pub(crate) fn is_lock_file(lower: &str) -> bool {
    LOCK_FILES.contains(&lower)
        || (lower.starts_with("requirements") || lower.starts_with("constraints"))
            && [".txt", ".in"].iter().any(|ending| lower.ends_with(ending))
}

fn is_tsconfig(path: &str) -> bool {
    let name = file_name(path).to_ascii_lowercase();
    (name.starts_with("tsconfig") || name.starts_with("jsconfig")) && name.rsplit('.').next() == Some("json")
}

/// Returns the manifest that a file is, by its name.
fn manifest_of(path: &str, family: Family) -> Option<&'static str> {
    let name = file_name(path).to_ascii_lowercase();
    if path.split('/').any(|part| part == "node_modules") {
        return None;
    }
    match name.as_str() {
        "package.json" if family.javascript => Some("package.json"),
        "cargo.toml" if family.rust => Some("Cargo.toml"),
        "pyproject.toml" if family.python => Some("pyproject.toml"),
        "setup.cfg" if family.python => Some("setup.cfg"),
        "tox.ini" if family.python => Some("tox.ini"),
        "go.mod" if family.go => Some("go.mod"),
        "setup.py" if family.python => Some("setup.py"),
        _ if family.javascript && is_tsconfig(path) => Some("tsconfig.json"),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
