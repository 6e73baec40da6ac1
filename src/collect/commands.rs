//! The `commands` clause: run for its exit status, with the processes, environment, modes and harness lock of tests.
//! Must not judge the status.

use crate::collect::checkout::Checkout;
use crate::collect::clones::{Clone, Needs, environment_of, refuse_other_dependencies};
use crate::collect::command_rules;
use crate::collect::context::{Mode, Step};
use crate::collect::run_once::{Place, folder_below, site};
use crate::collect::session::{Locked, Session};
use crate::collect::watch::Watched;
use crate::error::{Failure, Kind};
use crate::exec::{self, ChannelKind, Job};
use crate::facts::{CommandFacts, CommandPlan, HarnessWeight, Known, ProcessEnd, TreeDifference};
use crate::runners;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// How much of a command's output is kept, in bytes.
const OUTPUT_CAP: usize = 64 << 10;

/// Finds out how a command ends.
///
/// # Errors
/// Fails when it cannot be started, and nothing else is known against the change.
pub(crate) fn collect(session: &Session<'_>, plan: &CommandPlan, step: &Step<'_>) -> Result<CommandFacts, Failure> {
    let command = Command { session, plan, step };
    let mode = session.context.options.mode;
    let rules = command_rules::rules(&plan.command);
    let harness = command.with_locked(&rules, |locked| {
        let judge = |_: Option<&str>, _: &str| Err("it runs with the command".to_owned());
        session.harness(locked, &judge)
    })?;
    let is_strict = mode == Mode::Strict;
    let has_fault = harness.iter().any(|change| {
        change.weight == HarnessWeight::Fault || is_strict && change.weight == HarnessWeight::StrictFault
    });
    let ran = if mode.is_isolated() { command.in_clones(is_strict) } else { command.in_checkout(&rules) };
    let mut not_run = None;
    let (end, base, tree_after) = match ran {
        Ok(ran) => ran,
        Err(failure) if has_fault && failure.kind != Kind::Interrupted => {
            not_run = Some(Box::new(failure));
            (ProcessEnd::default(), None, Vec::new())
        }
        Err(failure) => return Err(failure),
    };
    Ok(CommandFacts { end, not_run, base, harness, tree_after, strict: is_strict })
}

struct Command<'a, 's> {
    session: &'a Session<'s>,
    plan: &'a CommandPlan,
    step: &'a Step<'a>,
}

type Outcome = (ProcessEnd, Option<Known<ProcessEnd>>, Vec<TreeDifference>);

impl Command<'_, '_> {
    fn with_locked<T>(&self, rules: &command_rules::Rules, use_it: impl FnOnce(&Locked<'_>) -> T) -> T {
        use_it(&Locked {
            name: &rules.program,
            rules: &rules.harness,
            command: &self.plan.command,
            named_files: &rules.named_files,
            cwd: &self.plan.cwd,
            is_test_file: &|_| false,
        })
    }

    fn in_checkout(&self, rules: &command_rules::Rules) -> Result<Outcome, Failure> {
        let session = self.session;
        self.with_locked(rules, |locked| session.require_head(locked))?;
        let root = session.root.clone().unwrap_or_default();
        let place = Place {
            checkout: root.clone(),
            root,
            build: self.build("head")?,
            private: session.private()?,
            is_isolated: false,
            env: Vec::new(),
        };
        let guard = session.git_guard();
        let end = self.run(&place, self.step);
        // Facts of commands have no place for remarks; what is left in the tree is told there.
        guard.restore();
        let end = end?;
        let after = self.with_locked(rules, |locked| session.differences(locked))?;
        Ok((end, None, after))
    }

    fn in_clones(&self, is_strict: bool) -> Result<Outcome, Failure> {
        let session = self.session;
        let (context, trees) = (session.context, session.trees);
        // What a command needs is not known, so everything that is installed stands beside it.
        let needs = Needs { node: true, python: true, rust: true, installed: runners::everything_installed() };
        let make = |commit: &str, tree| {
            Clone::make(context, trees, (commit, tree), session.scratch, &session.clone_name(), needs)
        };
        let head = make(&context.change.head.commit, &trees.head)?;
        let base = is_strict.then(|| {
            refuse_other_dependencies(context, trees, needs)?;
            make(&context.change.merge_base, &trees.base)
        });
        head.set_up(context, &|| session.private(), self.step)?;
        let read = |object: &str| trees.read(object);
        let files = trees.head.iter().map(|(path, entry)| (path.clone(), entry.clone())).collect();
        let mut tree = Checkout::new(&head.root, files, &read);
        let before = tree.differences(session.scratch.path())?;
        let end = self.run(&head.place(self.build("head")?, session.private()?, true), self.step)?;
        head.prove(&[])?;
        let mut after = tree.differences(session.scratch.path())?;
        after.retain(|difference| !before.contains(difference));
        let base = base.map(|clone| {
            let step = Step { side: "at the merge base", ..self.step.clone() };
            let run = || {
                let clone = clone?;
                clone.set_up(context, &|| session.private(), &step)?;
                let end = self.run(&clone.place(self.build("base")?, session.private()?, true), &step)?;
                clone.prove(&[])?;
                Ok(end)
            };
            Known::from(run())
        });
        Ok((end, base, after))
    }

    fn build(&self, side: &str) -> Result<PathBuf, Failure> {
        Ok(self.session.builds.folder(&format!("command-{side}"))?.join("cargo-target"))
    }

    fn run(&self, place: &Place, step: &Step<'_>) -> Result<ProcessEnd, Failure> {
        let context = self.session.context;
        let cwd = folder_below(&place.root, &self.plan.cwd)?;
        let started = runners::start::start(&self.plan.command, &site(place, &cwd, context))?;
        let mut environment = environment_of(context, place)?;
        environment.set("CARGO_TARGET_DIR", place.build.clone());
        let job = Job {
            program: started.program,
            args: started.args.iter().map(OsString::from).collect(),
            env: environment.vars,
            cwd,
            deadline: self.plan.timeout_seconds.map_or(context.options.timeout, Duration::from_secs),
            output_cap: OUTPUT_CAP,
            channel: ChannelKind::None,
            private: place.private.clone(),
            supervisor: context.supervisor.clone(),
        };
        let mut watched = Watched::new(context, step.clone());
        Ok(exec::run(&job, &mut watched, context.interrupt)?.end)
    }
}
