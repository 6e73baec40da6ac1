//! What all commands of one check share: both trees, the checkout's comparison, private folders.
//! Must not know what a command is run for.

use crate::collect::build_folders::BuildFolders;
use crate::collect::checkout::{Checkout, is_python_environment, untracked_harness};
use crate::collect::clones::canonical;
use crate::collect::context::TestContext;
use crate::collect::git_guard::GitGuard;
use crate::collect::harness::{Allowed, JudgeConftest, Lock, Rules, is_harness_name};
use crate::collect::submodules::{self, SUBMODULE, Submodules};
use crate::collect::trees::Trees;
use crate::error::{Failure, Kind};
use crate::exec::Scratch;
use crate::facts::{HarnessChange, PathRule, Plan, RepoPath, TreeDifference};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// So many differences are named one by one.
const MOST_SHOWN: usize = 20;

/// One check's test runs and commands.
pub(crate) struct Session<'a> {
    pub(crate) context: &'a TestContext<'a>,
    pub(crate) plan: &'a Plan,
    pub(crate) trees: &'a Trees<'a>,
    submodules: &'a Submodules,
    pub(crate) scratch: &'a Scratch,
    /// The checkout without links in its path, `None` in a bare repository.
    pub(crate) root: Option<PathBuf>,
    pub(crate) builds: BuildFolders,
    checkout: Option<Mutex<Checkout<'a>>>,
    /// Everything that may change although it decides how tests run, beside what the contract names as files.
    allowed: Vec<PathRule>,
    n_folders: AtomicUsize,
}

/// A command as the harness lock sees it.
pub(crate) struct Locked<'a> {
    pub(crate) name: &'a str,
    pub(crate) rules: &'a Rules,
    pub(crate) command: &'a [String],
    pub(crate) named_files: &'a [String],
    pub(crate) cwd: &'a str,
    pub(crate) is_test_file: &'a dyn Fn(&str) -> bool,
}

impl<'a> Session<'a> {
    /// Takes what was loaded. `read` reads a blob of either tree.
    pub(crate) fn new(
        context: &'a TestContext<'a>,
        plan: &'a Plan,
        trees: &'a Trees<'a>,
        submodules: &'a Submodules,
        scratch: &'a Scratch,
        read: &'a (dyn Fn(&str) -> Result<Vec<u8>, Failure> + Sync),
    ) -> Result<Self, Failure> {
        let root = context.repository.root().map(canonical).transpose()?;
        let files =
            || trees.head.iter().chain(&submodules.files).map(|(path, entry)| (path.clone(), entry.clone())).collect();
        let checkout = root.as_ref().map(|root| Mutex::new(Checkout::new(root, files(), read)));
        let cache_dir = context.options.cache_dir.as_deref();
        let builds = BuildFolders::new(scratch.path(), cache_dir, root.as_deref(), trees.names_built()?);
        let allowed = plan.harness_changes.iter().chain(&context.options.allow_harness).cloned().collect();
        Ok(Self {
            context,
            plan,
            trees,
            submodules,
            scratch,
            root,
            builds,
            checkout,
            allowed,
            n_folders: AtomicUsize::new(0),
        })
    }

    /// Makes a private folder for one process.
    pub(crate) fn private(&self) -> Result<PathBuf, Failure> {
        // Short names: the path of a socket in it must fit into 100 bytes.
        self.scratch.folder(&format!("r{}", self.n_folders.fetch_add(1, Ordering::Relaxed)))
    }

    /// Returns a free name for a clone.
    pub(crate) fn clone_name(&self) -> String {
        format!("c{}", self.n_folders.fetch_add(1, Ordering::Relaxed))
    }

    /// Returns the changes to what decides how a command runs.
    pub(crate) fn harness(
        &self,
        locked: &Locked<'_>,
        judge_conftest: JudgeConftest<'_>,
    ) -> Result<Vec<HarnessChange>, Failure> {
        self.trees.with_sides(|base, head| {
            let lock = Lock {
                change: &self.context.change.files,
                base,
                head,
                runner: locked.name,
                rules: locked.rules,
                command: locked.command,
                named_files: locked.named_files,
                cwd: locked.cwd,
                is_test_file: locked.is_test_file,
                allowed: Allowed { named: &self.plan.harness_named, harness: &self.allowed },
                judge_conftest,
            };
            lock.changes()
        })
    }

    /// Compares the checkout with head's tree, and looks for untracked files that decide how the command runs.
    ///
    /// # Errors
    /// Fails when there is no checkout, or a file of it cannot be read.
    pub(crate) fn differences(&self, locked: &Locked<'_>) -> Result<Vec<TreeDifference>, Failure> {
        let Some(checkout) = &self.checkout else {
            return Err(Failure::new(Kind::WrongCheckout, "this repository has no checkout to run tests in")
                .next("run them in private clones: --isolate"));
        };
        let mut checkout = checkout.lock().unwrap_or_else(PoisonError::into_inner);
        let mut differences = checkout.differences(self.scratch.path())?;
        let is_harness = is_harness_name(locked.rules);
        differences.extend(untracked_harness(
            &checkout,
            &|path, is_folder| self.ignores(path, is_folder),
            &is_harness,
        )?);
        Ok(differences)
    }

    /// Fails when the checkout does not hold exactly head's tree.
    pub(crate) fn require_head(&self, locked: &Locked<'_>) -> Result<(), Failure> {
        let differences = self.differences(locked)?;
        if differences.is_empty() {
            return Ok(());
        }
        let checked_out = self.context.repository.resolve(&["HEAD"]).ok().and_then(|mut found| found.pop());
        let head = &self.context.change.head;
        if let Some(found) = checked_out.filter(|found| found.commit != head.commit) {
            return Err(Failure::new(Kind::WrongCheckout, format!("the checkout is not at `{}`", head.name))
                .detail("checked out", found.commit)
                .detail("to be judged", head.commit.clone())
                .next(format!("check out {}, or run the tests in private clones: --isolate", head.name)));
        }
        let only_untracked = differences.iter().all(|difference| difference.what.starts_with("untracked"));
        let message = if only_untracked {
            format!("untracked files decide how tests run, and `{}` does not have them", head.name)
        } else {
            format!("tracked files differ from {}; the tests would not test what is judged", head.name)
        };
        let mut failure = Failure::new(Kind::DirtyTree, message);
        for difference in differences.iter().take(MOST_SHOWN) {
            failure = failure.detail(&difference.what, difference.path.to_lossy());
        }
        if differences.len() > MOST_SHOWN {
            failure = failure.detail("more", format!("{} further files", differences.len() - MOST_SHOWN));
        }
        let is_of_submodule = |difference: &TreeDifference| {
            self.submodules.files.contains_key(&difference.path)
                || self.trees.head.get(&difference.path).is_some_and(|entry| entry.mode == SUBMODULE)
        };
        if differences.iter().any(is_of_submodule) {
            return Err(submodules::with_advice(failure));
        }
        Err(failure.next(if only_untracked {
            "commit them or take them away, then run check again"
        } else {
            "commit them, then run check again"
        }))
    }

    /// Remembers git's own settings, to be put back after a run in the checkout.
    pub(crate) fn git_guard(&self) -> GitGuard {
        GitGuard::new(self.context.repository.git_dir(), self.context.repository.common_dir())
    }

    /// Finds what a run in the checkout loaded although head does not have it. Ignored files stay the author's.
    pub(crate) fn loaded_untracked(&self, loaded: &[PathBuf]) -> Vec<TreeDifference> {
        let Some(root) = &self.root else { return Vec::new() };
        let mut found: Vec<TreeDifference> = loaded
            .iter()
            .filter_map(|file| {
                let real = std::fs::canonicalize(file).ok()?;
                let inside = real.strip_prefix(root).ok()?;
                let path = inside.to_string_lossy().replace('\\', "/");
                let is_known = self.has(&RepoPath::from(path.as_str()));
                (!is_known && !self.is_ignored(&path)).then(|| TreeDifference {
                    path: RepoPath::from(path.as_str()),
                    what: "not in head, and loaded by the run".to_owned(),
                })
            })
            .collect();
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found.dedup();
        found
    }

    /// Returns whether head, or a populated submodule of it, has a file.
    pub(crate) fn has(&self, path: &RepoPath) -> bool {
        self.trees.head.contains_key(path) || self.submodules.files.contains_key(path)
    }

    /// Returns whether the rules of the merge base, or those of a submodule that stays as it was, ignore a path itself.
    fn ignores(&self, path: &str, is_folder: bool) -> bool {
        self.trees.ignored.matches(path, is_folder) || self.submodules.ignored.matches(path, is_folder)
    }

    fn is_ignored(&self, path: &str) -> bool {
        let in_tools =
            path.split('/').any(|part| matches!(part, "node_modules" | ".venv" | "venv" | "__pycache__" | ".git"));
        let is_passed_over = |folder: &str| {
            // A folder with files of head is source, whatever else somebody put there.
            let below = RepoPath::from(format!("{folder}/").as_str());
            let next = self.trees.head.range(below.clone()..).next();
            let has_source = next.is_some_and(|(path, _)| path.as_bytes().starts_with(below.as_bytes()));
            let is_environment = |root: &PathBuf| !has_source && is_python_environment(&root.join(folder));
            self.ignores(folder, true) || self.root.as_ref().is_some_and(is_environment)
        };
        in_tools || path.match_indices('/').any(|(at, _)| is_passed_over(&path[..at])) || self.ignores(path, false)
    }
}
