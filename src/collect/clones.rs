//! Private clones for test runs: a commit's files, dependencies beside them, set up, and afterwards the proof that
//! nothing was loaded from the checkout.
//! Must not know which tests run there.

use crate::collect::checkout::LfsPointer;
use crate::collect::context::{Step, TestContext};
use crate::collect::dependencies::{self, Copied, Kinds, Roots, python};
use crate::collect::local_path;
use crate::collect::run_once::{Place, add, folder_below};
use crate::collect::trees::Trees;
use crate::collect::watch::Watched;
use crate::error::{Failure, Kind};
use crate::exec::{self, ChannelKind, Environment, Job, Probe, Scratch, environment};
use crate::facts::{Entry, RepoPath, command_line};
use crate::git::PrivateClone;
use crate::runners::Installed;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a command needs in its clones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Installed node packages.
    pub(crate) node: bool,
    /// A Python environment.
    pub(crate) python: bool,
    /// A cargo workspace that is whole.
    pub(crate) rust: bool,
    /// What else is installed into the project.
    pub(crate) installed: Installed,
}

/// A clone that was prepared.
#[derive(Debug)]
pub(crate) struct Clone {
    pub(crate) root: PathBuf,
    /// Variables for what runs in it.
    pub(crate) env: Vec<(String, OsString)>,
    /// Folders of the checkout that it may use in place.
    used_in_place: Vec<PathBuf>,
    /// Folders that a run must not change, and their fingerprint before.
    originals: Vec<PathBuf>,
    before: [u8; 32],
    checkout: PathBuf,
}

/// Deadline of a question to an interpreter.
const QUESTION_DEADLINE: Duration = Duration::from_secs(60);

const SETUP_ADVICE: &str = "prepare each clone with commands of its own: --setup COMMAND";

impl Clone {
    /// Makes a clone of a commit below the scratch folder and puts dependencies beside it. `tree` is the commit's.
    ///
    /// # Errors
    /// Fails when something that the clone would need cannot be there, naming `--setup` where that helps.
    pub(crate) fn make(
        context: &TestContext<'_>,
        trees: &Trees<'_>,
        (commit, tree): (&str, &BTreeMap<RepoPath, Entry>),
        scratch: &Scratch,
        name: &str,
        needs: Needs,
    ) -> Result<Self, Failure> {
        let root = scratch.path().join(name);
        let made = context.repository.checkout_into(commit, &root)?;
        let root = canonical(&root)?;
        let has_setup = !context.options.setup.is_empty();
        if !has_setup {
            refuse_incomplete(&made, trees, tree, needs)?;
        }
        fill_lfs(context, trees, tree, &made, &root, has_setup)?;
        let checkout = context.repository.root().map(canonical).transpose()?;
        let copied = match &checkout {
            Some(checkout) if needs.node || !needs.installed.folders.is_empty() => {
                let node: &[&str] = if needs.node { &["node_modules"] } else { &[] };
                let names = [node, needs.installed.folders].concat();
                let folders = dependencies::folders(checkout, &names, &|path| {
                    let below = [path.as_bytes(), b"/"].concat();
                    trees.head.contains_key(path)
                        || trees
                            .head
                            .range(RepoPath::from_bytes(below.clone())..)
                            .next()
                            .is_some_and(|(found, _)| found.as_bytes().starts_with(&below))
                })?;
                // A commit that tracks a folder of packages brings its own.
                let folders: Vec<Copied> = folders
                    .into_iter()
                    .filter(|folder| std::fs::symlink_metadata(root.join(&folder.path)).is_err())
                    .collect();
                dependencies::copy(&folders, Roots { checkout, clone: &root })?;
                exclude(&root, &folders)?;
                folders
            }
            _ => Vec::new(),
        };
        let checkout = checkout.unwrap_or_default();
        let originals = dependencies::originals(&checkout, &copied);
        let before = dependencies::fingerprint(&originals);
        Ok(Self { root, env: Vec::new(), used_in_place: Vec::new(), originals, before, checkout })
    }

    /// Finds out what of a Python environment leads into the checkout, and puts the clone's files before it.
    pub(crate) fn use_python(
        &mut self,
        interpreter: &Path,
        context: &TestContext<'_>,
        trees: &Trees<'_>,
        private: &Path,
    ) -> Result<(), Failure> {
        if self.checkout.as_os_str().is_empty() {
            return Ok(());
        }
        let environment = environment::build(context.environment, &context.options.pass_env, false, private)?;
        let probe = Probe {
            program: interpreter,
            args: &["-c".into(), python::QUESTION.into()],
            env: &environment.vars,
            cwd: private,
            deadline: QUESTION_DEADLINE,
            output_cap: 4 << 20,
            supervisor: context.supervisor,
        };
        let captured = exec::capture(&probe, context.interrupt)?;
        let Some(answer) = python::Answer::parse(&captured.stdout) else {
            let message = format!("`{}` did not say from where it imports", interpreter.display());
            return Err(Failure::new(Kind::CloneUnusable, message).next(SETUP_ADVICE));
        };
        let prefix = canonical(answer.prefix()).unwrap_or_else(|_| answer.prefix().to_path_buf());
        let is_tracked = |path: &Path| {
            path.strip_prefix(&self.checkout).is_ok_and(|inside| {
                let path = inside.to_string_lossy().replace('\\', "/");
                trees.head.contains_key(&RepoPath::from(path.as_str()))
            })
        };
        let mapped = answer.mapped(&self.checkout, &is_tracked);
        let mapped = if context.options.setup.is_empty() { mapped? } else { mapped.unwrap_or_default() };
        if !mapped.is_empty() {
            let entries = mapped.iter().map(|entry| self.root.join(entry));
            let joined = std::env::join_paths(entries).map_err(|_| {
                Failure::new(Kind::CloneUnusable, "the path of a private clone cannot stand in `PYTHONPATH`")
            })?;
            self.env.push(("PYTHONPATH".to_owned(), joined));
        }
        if prefix.starts_with(&self.checkout) && prefix != self.checkout {
            self.used_in_place.push(prefix.clone());
        }
        if !prefix.starts_with(&self.root) && prefix.join("pyvenv.cfg").exists() {
            self.originals.push(prefix);
            self.before = dependencies::fingerprint(&self.originals);
        }
        Ok(())
    }

    /// Runs the operator's commands in the clone.
    ///
    /// # Errors
    /// Fails when one cannot be started or does not exit with 0.
    pub(crate) fn set_up(
        &self,
        context: &TestContext<'_>,
        private: &dyn Fn() -> Result<PathBuf, Failure>,
        step: &Step<'_>,
    ) -> Result<(), Failure> {
        for command in &context.options.setup {
            let shown = command_line(command);
            let private = private()?;
            let mut environment = environment::build(
                context.environment,
                &context.options.pass_env,
                context.options.mode.is_isolated(),
                &private,
            )?;
            add(&mut environment, &self.env);
            let [program, args @ ..] = command.as_slice() else { continue };
            let Some(program) = exec::find_program(program.as_ref(), context.search_path(), &self.root) else {
                return Err(Failure::new(Kind::SetupFailed, format!("`{program}` of --setup was not found")));
            };
            let mut watched = Watched::new(context, Step { side: "setting up", ..step.clone() });
            let job = Job {
                program,
                args: args.iter().map(OsString::from).collect(),
                env: environment.vars,
                cwd: self.root.clone(),
                deadline: context.options.timeout,
                output_cap: 64 << 10,
                channel: ChannelKind::None,
                private,
                supervisor: context.supervisor.clone(),
            };
            let end = exec::run(&job, &mut watched, context.interrupt)?.end;
            if end.exit_status != Some(0) {
                let how = match end.exit_status {
                    Some(status) => format!("exited with {status}"),
                    None if end.timed_out => "did not end in time".to_owned(),
                    None => "was ended by a signal".to_owned(),
                };
                let tail: Vec<&str> = end.output.lines().rev().take(20).collect();
                let tail: Vec<&str> = tail.into_iter().rev().collect();
                return Err(Failure::new(Kind::SetupFailed, format!("the set-up command `{shown}` {how}"))
                    .detail("output", tail.join("\n")));
            }
        }
        Ok(())
    }

    /// Returns the place of a run in the clone.
    pub(crate) fn place(&self, build: PathBuf, private: PathBuf, is_isolated: bool) -> Place {
        Place {
            root: self.root.clone(),
            checkout: if self.checkout.as_os_str().is_empty() { self.root.clone() } else { self.checkout.clone() },
            build,
            private,
            is_isolated,
            env: self.env.clone(),
        }
    }

    /// Proves that a run took its code from the clone, and left alone what it may only read.
    ///
    /// # Errors
    /// [`Kind::SourceLeaked`] names the file that was loaded from the checkout.
    pub(crate) fn prove(&self, loaded: &[PathBuf]) -> Result<(), Failure> {
        if !self.checkout.as_os_str().is_empty() {
            for file in loaded {
                let real = std::fs::canonicalize(file).unwrap_or_else(|_| file.clone());
                let is_ours = real.starts_with(&self.root)
                    || self.used_in_place.iter().any(|folder| real.starts_with(folder) || file.starts_with(folder))
                    // A link that stands in place of installed packages leads to where they are.
                    || self.originals.iter().any(|folder| real.starts_with(folder) && !folder.starts_with(&self.checkout));
                if !is_ours && (real.starts_with(&self.checkout) || file.starts_with(&self.checkout)) {
                    return Err(Failure::new(
                        Kind::SourceLeaked,
                        "a run in a private clone loaded a file of the checkout, so it tested other code",
                    )
                    .detail("loaded", file.display().to_string())
                    .next(SETUP_ADVICE));
                }
            }
        }
        if dependencies::fingerprint(&self.originals) != self.before {
            return Err(Failure::new(
                Kind::CloneUnusable,
                "installed dependencies changed while a private clone used them",
            )
            .detail(
                "folders",
                self.originals.iter().map(|folder| folder.display().to_string()).collect::<Vec<_>>().join(", "),
            )
            .next("run it again while nothing else installs packages, or prepare each clone with --setup"));
        }
        Ok(())
    }
}

/// Fails when the two sides need other dependencies and nobody said how to install them.
pub(crate) fn refuse_other_dependencies(
    context: &TestContext<'_>,
    trees: &Trees<'_>,
    needs: Needs,
) -> Result<(), Failure> {
    if !context.options.setup.is_empty() {
        return Ok(());
    }
    let kinds = Kinds { node: needs.node, python: needs.python, manifests: needs.installed.manifests };
    let differing = trees.with_sides(|base, head| dependencies::differing(&base, &head, kinds))?;
    if differing.is_empty() {
        return Ok(());
    }
    Err(Failure::new(Kind::SetupNeeded, "the change touches dependencies, so each side needs its own")
        .detail("differ", differing.join(", "))
        .next("name the command that installs them in a clone, such as --strict --setup \"npm ci\""))
}

fn refuse_incomplete(
    made: &PrivateClone,
    trees: &Trees<'_>,
    tree: &BTreeMap<RepoPath, Entry>,
    needs: Needs,
) -> Result<(), Failure> {
    let lacks = |what: &str, path: &str| {
        Err(Failure::new(Kind::CloneUnusable, format!("a private clone lacks {what}"))
            .detail("at", path.to_owned())
            .next(SETUP_ADVICE))
    };
    if let Some(path) = made.submodules.first() {
        return lacks("the files of a submodule", &path.to_lossy());
    }
    if needs.node {
        let is_pnp = |name: &[u8]| name == b".pnp.cjs" || name == b".pnp.js" || name == b".pnp.loader.mjs";
        let has_cache = tree.keys().any(|path| path.as_bytes().windows(12).any(|part| part == b".yarn/cache/"));
        if let Some(path) = tree.keys().find(|path| is_pnp(path.file_name())).filter(|_| !has_cache) {
            return lacks("the packages that Yarn's Plug'n'Play loads", &path.to_lossy());
        }
    }
    if needs.rust {
        for (path, entry) in tree.iter().filter(|(path, _)| path.file_name() == b"Cargo.toml") {
            let text = String::from_utf8_lossy(&trees.read(&entry.object)?).into_owned();
            let path = path.to_lossy();
            if let Some(outside) = path_dependency_outside(&path, &text) {
                return lacks("a path dependency that lies outside of the repository", &format!("{path}: {outside}"));
            }
        }
    }
    Ok(())
}

/// Finds a path dependency of a `Cargo.toml` that leads out of the repository.
fn path_dependency_outside(manifest: &str, text: &str) -> Option<String> {
    fn look(value: &toml::Value, folder: &str, in_dependencies: bool) -> Option<String> {
        let table = value.as_table()?;
        if let Some(path) = table.get("path").and_then(toml::Value::as_str).filter(|_| in_dependencies) {
            let leads_out = Path::new(path).is_absolute() || crate::collect::harness::resolve(folder, path).is_none();
            if leads_out {
                return Some(path.to_owned());
            }
        }
        table.iter().find_map(|(key, value)| {
            look(value, folder, in_dependencies || key.ends_with("dependencies") || key == "patch")
        })
    }
    let folder = manifest.rsplit_once('/').map_or("", |(folder, _)| folder);
    look(&toml::Value::Table(text.parse().ok()?), folder, false)
}

/// Puts the content of Git LFS files where it lies in the repository's own store.
fn fill_lfs(
    context: &TestContext<'_>,
    trees: &Trees<'_>,
    tree: &BTreeMap<RepoPath, Entry>,
    made: &PrivateClone,
    root: &Path,
    has_setup: bool,
) -> Result<(), Failure> {
    for path in &made.lfs_pointers {
        let Some((entry, place)) = tree.get(path).zip(local_path::below(root, path)) else { continue };
        let Some(pointer) = LfsPointer::parse(&trees.read(&entry.object)?) else { continue };
        let stored = pointer.place_in(context.repository.common_dir());
        match pointer.is_held_by(&stored) {
            Ok(true) => {
                std::fs::copy(&stored, &place).map_err(|error| {
                    Failure::new(Kind::CloneUnusable, format!("failed to write `{}`: {error}", place.display()))
                        .caused_by(&error)
                })?;
            }
            Ok(false) | Err(_) if has_setup => {}
            Ok(false) | Err(_) => {
                return Err(Failure::new(Kind::CloneUnusable, "a private clone lacks the content of a Git LFS file")
                    .detail("at", path.to_lossy())
                    .next("fetch it with `git lfs fetch`, or prepare each clone with --setup"));
            }
        }
    }
    Ok(())
}

/// Keeps copied folders from making the clone look changed, whatever the commit's own rules say.
fn exclude(root: &Path, copied: &[Copied]) -> Result<(), Failure> {
    use std::fmt::Write as _;
    let mut text = String::new();
    for folder in copied {
        let _ = writeln!(text, "/{}", folder.path.to_string_lossy().replace('\\', "/"));
    }
    let folder = root.join(".git").join("info");
    std::fs::create_dir_all(&folder).and_then(|()| std::fs::write(folder.join("exclude"), text)).map_err(|error| {
        Failure::new(Kind::CloneUnusable, format!("failed to write into a private clone: {error}")).caused_by(&error)
    })
}

/// Returns a path without links in it.
pub(crate) fn canonical(path: &Path) -> Result<PathBuf, Failure> {
    std::fs::canonicalize(path)
        .map_err(|error| Failure::new(Kind::Io, format!("failed to look at `{}`: {error}", path.display())))
}

/// Returns whether a command's folder is there.
pub(crate) fn has_folder(root: &Path, folder: &str) -> bool {
    folder_below(root, folder).is_ok()
}

/// Returns an environment for a process that is no test.
pub(crate) fn environment_of(context: &TestContext<'_>, place: &Place) -> Result<Environment, Failure> {
    let mut environment =
        environment::build(context.environment, &context.options.pass_env, place.is_isolated, &place.private)?;
    add(&mut environment, &place.env);
    Ok(environment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_paths_out_of_the_repository_are_told() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(path_dependency_outside("a/Cargo.toml", text).as_deref(), expected, "{text}");
        };
        check("[dependencies]\nb = { path = '../b' }\n", None);
        check("[dependencies]\nb = { path = '../../b' }\n", Some("../../b"));
        check("[target.'cfg(unix)'.dev-dependencies]\nb = { path = '/b' }\n", Some("/b"));
        check("[patch.crates-io]\nb = { path = '../../b' }\n", Some("../../b"));
        check("[[bin]]\nname = 'x'\npath = '../../x.rs'\n", None);
    }
}
