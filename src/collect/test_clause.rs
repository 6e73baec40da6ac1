//! One test clause: recognised, its harness compared, run at head, at the merge base and with the change taken back.
//! Must not judge what comes out.

use crate::collect::checkout::Checkout;
use crate::collect::clones::{Clone, Needs, refuse_other_dependencies};
use crate::collect::context::{Mode, Step};
use crate::collect::harness::Rules;
use crate::collect::run_once::{Place, Ran, Understood, prepare, run_once};
use crate::collect::session::{Locked, Session};
use crate::collect::{base_run, command_rules, conftest, signs, taken_back};
use crate::error::{Failure, Kind};
use crate::facts::{
    ChangeStatus, Channel, HarnessChange, HarnessWeight, Known, Place as Where, RepoPath, TestFacts, TestPlan, TestRun,
    TreeDifference,
};
use crate::runners::{self, Call, Runner};
use std::path::PathBuf;
use std::time::Duration;

/// A test clause, understood.
pub(crate) struct TestClause<'a, 's> {
    pub(crate) session: &'a Session<'s>,
    pub(crate) plan: &'a TestPlan,
    pub(crate) understood: Understood,
    pub(crate) needs: Needs,
    pub(crate) step: Step<'a>,
    /// The harness lock's name for what runs.
    name: String,
    rules: Rules,
    named_files: Vec<String>,
}

/// Head's runs and what they showed beside results.
#[derive(Default)]
struct AtHead {
    runs: Vec<TestRun>,
    not_run: Option<Box<Failure>>,
    version: Option<String>,
    channel: Option<Channel>,
    tree_after: Vec<TreeDifference>,
    withheld: Vec<String>,
}

impl<'a, 's> TestClause<'a, 's> {
    /// Understands a clause's command.
    ///
    /// # Errors
    /// Fails when no runner knows it: facts may be asked for by other means than a contract that was read.
    pub(crate) fn new(session: &'a Session<'s>, plan: &'a TestPlan, step: Step<'a>) -> Result<Self, Failure> {
        let (runner, call) = understand(session, plan)?;
        // What a command needs that no runner knows is not known either, so everything that is installed stands beside it.
        let unknown = plan.junit.as_ref().map(|_| command_rules::rules(&plan.command));
        let (name, rules, named_files) = match unknown {
            Some(rules) => (rules.program, rules.harness, rules.named_files),
            None => (runner.name().to_owned(), Rules::from(runner.harness()), runner.named_files(&call)),
        };
        let reads = |name: &str| plan.junit.is_some() || rules.reads(name);
        let needs = Needs {
            node: reads("package.json"),
            python: reads("pyproject.toml"),
            rust: reads("Cargo.toml"),
            installed: if plan.junit.is_some() { runners::everything_installed() } else { runner.installed() },
        };
        let deadline = plan.timeout_seconds.map_or(session.context.options.timeout, Duration::from_secs);
        let understood = Understood { runner, call, cwd: plan.cwd.clone(), deadline };
        Ok(Self { session, plan, understood, needs, step, name, rules, named_files })
    }

    /// Finds everything out.
    ///
    /// # Errors
    /// Fails when nothing could be run, and nothing else is known against the change.
    pub(crate) fn collect(&self) -> Result<TestFacts, Failure> {
        let session = self.session;
        let mode = session.context.options.mode;
        let harness = self.harness()?;
        let is_strict = mode == Mode::Strict;
        let has_fault = harness.iter().any(|change| {
            change.weight == HarnessWeight::Fault || is_strict && change.weight == HarnessWeight::StrictFault
        });
        let wants_base = self.plan.base_run || is_strict;
        // Looked up before anything of head runs, so that nothing of it can have written the entry.
        let cached = if wants_base { base_run::cached(self) } else { None };
        let mut base_clone = None;
        let mut run = || -> Result<AtHead, Failure> {
            if mode.is_isolated() {
                // Both clones are made before anything is built, so that neither can borrow from the other.
                let head = self.clone_of_head()?;
                if wants_base && cached.is_none() {
                    base_clone = Some(base_run::make_clone(self));
                }
                self.run_in_clone(&head)
            } else {
                self.run_in_checkout()
            }
        };
        let at_head = match run() {
            Ok(at_head) => at_head,
            // What is known against the change is enough; its harness may be why it cannot be run.
            Err(failure) if has_fault && failure.kind != Kind::Interrupted => {
                AtHead { not_run: Some(Box::new(failure)), ..AtHead::default() }
            }
            Err(failure) => return Err(failure),
        };
        let has_run = !at_head.runs.is_empty();
        let base = match cached {
            Some(run) => Some(Known::Known(run)),
            None if wants_base && has_run => Some(base_run::run(self, base_clone).into()),
            None => None,
        };
        let taken_back = (self.plan.taken_back_run && has_run).then(|| taken_back::run(self).into());
        Ok(self.facts(at_head, harness, base, taken_back))
    }

    fn facts(
        &self,
        at_head: AtHead,
        harness: Vec<HarnessChange>,
        base: Option<Known<TestRun>>,
        taken_back: Option<Known<crate::facts::TakenBack>>,
    ) -> TestFacts {
        let session = self.session;
        let change = &session.context.change.files;
        let mode = session.context.options.mode;
        let is_named = |path: &RepoPath| {
            session.plan.harness_named.iter().any(|rule| rule.as_literal().is_some() && rule.matches(path))
        };
        let of_change = |wanted: &dyn Fn(&RepoPath) -> bool, status: Option<ChangeStatus>| -> Vec<RepoPath> {
            change
                .iter()
                .filter(|file| status.is_none_or(|status| file.status == status) && wanted(&file.path))
                .map(|file| file.path.clone())
                .collect()
        };
        TestFacts {
            runner: self.understood.runner.name().to_owned(),
            version: at_head.version,
            channel: at_head.channel.unwrap_or(self.understood.runner.about().channel),
            place: if mode.is_isolated() { Where::Clone } else { Where::Checkout },
            strict: mode == Mode::Strict,
            not_run: at_head.not_run,
            base,
            taken_back,
            harness,
            tree_after: at_head.tree_after,
            signs: signs::signs(change, &session.trees.added, &|path| self.is_test_file(path)),
            test_files: of_change(&|path| self.is_test_file(path), None),
            untracked_test_files: self.untracked_test_files(&at_head.runs),
            withheld: at_head.withheld,
            named_deletions: of_change(&is_named, Some(ChangeStatus::Deleted)),
            head: at_head.runs,
        }
    }

    /// Returns whether a file is a test: by the contract's `test_files`, or the runner's convention.
    pub(crate) fn is_test_file(&self, path: &RepoPath) -> bool {
        match &self.plan.test_files {
            Some(rules) => rules.iter().any(|rule| rule.matches(path)),
            None => path.as_str().is_some_and(|path| self.understood.runner.is_test_file(path)),
        }
    }

    fn untracked_test_files(&self, runs: &[TestRun]) -> Vec<String> {
        let mut files: Vec<String> = runs
            .iter()
            .flat_map(|run| &run.records)
            .filter_map(|record| record.id.file.clone())
            .filter(|file| !self.session.has(&RepoPath::from(file.as_str())))
            .collect();
        files.sort_unstable();
        files.dedup();
        files
    }

    /// Returns which files decide how the tests run and count.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Returns the files that the command itself names as what decides how the tests run.
    pub(crate) fn named_files(&self) -> &[String] {
        &self.named_files
    }

    /// Returns what the harness lock sees of this clause.
    fn with_locked<T>(&self, use_it: impl FnOnce(&Locked<'_>) -> T) -> T {
        let runner = self.understood.runner;
        let is_test_file = |path: &str| runner.is_test_file(path);
        use_it(&Locked {
            name: &self.name,
            rules: &self.rules,
            command: &self.plan.command,
            named_files: &self.named_files,
            cwd: &self.plan.cwd,
            is_test_file: &is_test_file,
        })
    }

    fn harness(&self) -> Result<Vec<HarnessChange>, Failure> {
        let judge = |base: Option<&str>, head: &str| -> Result<(), String> {
            let unknown = |failure: Failure| format!("nobody could tell what it does ({})", failure.message);
            let interpreter = self.interpreter().map_err(unknown)?;
            let private = self.session.private().map_err(unknown)?;
            conftest::judge(&interpreter, base, head, &private, self.session.context)
        };
        self.with_locked(|locked| self.session.harness(locked, &judge))
    }

    /// Finds the interpreter that a Python runner is started with.
    fn interpreter(&self) -> Result<PathBuf, Failure> {
        let root =
            self.session.root.clone().ok_or_else(|| Failure::new(Kind::WrongCheckout, "there is no checkout"))?;
        let place = self.place_in(root)?;
        Ok(prepare(&self.understood, &place, self.session.context)?.program)
    }

    fn place_in(&self, root: PathBuf) -> Result<Place, Failure> {
        Ok(Place {
            checkout: root.clone(),
            root,
            build: self.build_folder("head")?,
            private: self.session.private()?,
            is_isolated: false,
            env: Vec::new(),
        })
    }

    /// Returns a folder for build output of one side.
    pub(crate) fn build_folder(&self, side: &str) -> Result<PathBuf, Failure> {
        self.session.builds.folder(side)
    }

    fn run_in_checkout(&self) -> Result<AtHead, Failure> {
        let session = self.session;
        self.with_locked(|locked| session.require_head(locked))?;
        let root = session.root.clone().unwrap_or_default();
        let mut at_head = AtHead::default();
        for _ in 0..self.plan.repeat.max(1) {
            let place = self.place_in(root.clone())?;
            let guard = session.git_guard();
            let ran = run_once(&self.understood, &place, session.context, &self.step);
            let restored = guard.restore();
            let mut ran = ran?;
            ran.run.notes.extend(restored);
            let mut after = self.with_locked(|locked| session.differences(locked))?;
            after.extend(session.loaded_untracked(&ran.loaded));
            let has_changed = !after.is_empty();
            at_head.take(ran, after);
            if has_changed {
                break;
            }
        }
        Ok(at_head)
    }

    /// Makes a clone of head and sets it up.
    pub(crate) fn clone_of_head(&self) -> Result<Clone, Failure> {
        let session = self.session;
        let commit = session.context.change.head.commit.as_str();
        let side = (commit, &session.trees.head);
        let clone =
            Clone::make(session.context, session.trees, side, session.scratch, &session.clone_name(), self.needs)?;
        self.finish_clone(clone)
    }

    /// Puts a Python environment beside a clone and runs the operator's commands in it.
    pub(crate) fn finish_clone(&self, mut clone: Clone) -> Result<Clone, Failure> {
        let session = self.session;
        clone.set_up(session.context, &|| session.private(), &self.step)?;
        if self.needs.python {
            let place = clone.place(self.build_folder("head")?, session.private()?, false);
            if let Ok(launch) = prepare(&self.understood, &place, session.context) {
                clone.use_python(&launch.program, session.context, session.trees, &place.private)?;
            }
        }
        Ok(clone)
    }

    fn run_in_clone(&self, clone: &Clone) -> Result<AtHead, Failure> {
        let session = self.session;
        let read = |object: &str| session.trees.read(object);
        let files = session.trees.head.iter().map(|(path, entry)| (path.clone(), entry.clone())).collect();
        let mut tree = Checkout::new(&clone.root, files, &read);
        // What set-up commands changed is the operator's doing.
        let before = tree.differences(session.scratch.path())?;
        let mut at_head = AtHead::default();
        for _ in 0..self.plan.repeat.max(1) {
            let ran = self.run_at(clone, "head", &self.step)?;
            let mut after = tree.differences(session.scratch.path())?;
            after.retain(|difference| !before.contains(difference));
            at_head.take(ran, after);
        }
        Ok(at_head)
    }

    /// Runs the command once in a clone and proves where its code came from.
    pub(crate) fn run_at(&self, clone: &Clone, side: &str, step: &Step<'_>) -> Result<Ran, Failure> {
        let session = self.session;
        let is_isolated = session.context.options.mode.is_isolated();
        let place = clone.place(self.build_folder(side)?, session.private()?, is_isolated);
        let ran = run_once(&self.understood, &place, session.context, step)?;
        clone.prove(&ran.loaded)?;
        Ok(ran)
    }

    /// Fails when a second side would need other dependencies.
    pub(crate) fn require_same_dependencies(&self) -> Result<(), Failure> {
        refuse_other_dependencies(self.session.context, self.session.trees, self.needs)
    }
}

impl AtHead {
    fn take(&mut self, ran: Ran, after: Vec<TreeDifference>) {
        self.version = ran.version.or(self.version.take());
        self.channel = Some(ran.channel);
        self.withheld = ran.withheld;
        self.tree_after.extend(after);
        self.tree_after.sort_by(|a, b| (&a.path, &a.what).cmp(&(&b.path, &b.what)));
        self.tree_after.dedup();
        self.runs.push(ran.run);
    }
}

/// Finds the runner of a clause's command, or takes the report that the command writes itself.
fn understand(session: &Session<'_>, plan: &TestPlan) -> Result<(&'static dyn Runner, Call), Failure> {
    let Some(report) = &plan.junit else {
        return runners::recognise(&plan.command).map_err(|refusal| {
            let failure = Failure::new(Kind::RunnerUnsupported, refusal.message);
            match refusal.help {
                Some(help) => failure.next(help),
                None => failure,
            }
        });
    };
    let path = if plan.cwd.is_empty() { report.clone() } else { format!("{}/{report}", plan.cwd) };
    let tracked = RepoPath::from(path.as_str());
    if session.trees.head.contains_key(&tracked) || session.trees.base.contains_key(&tracked) {
        let message = format!("the report `{path}` is a file of the repository, and a run would write over it");
        return Err(Failure::new(Kind::RunnerUnsupported, message).next("name a report that git does not track"));
    }
    Ok(runners::with_own_report(&plan.command, report))
}
