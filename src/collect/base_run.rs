//! The run at the merge base, for comparison: always in a private clone, and only believed when it is healthy.
//! Must not judge what was lost.

use crate::collect::cache::{Baseline, Cache, Key};
use crate::collect::clones::{Clone, has_folder};
use crate::collect::context::Step;
use crate::collect::test_clause::TestClause;
use crate::collect::toolchain;
use crate::error::{Failure, Kind};
use crate::exec::{self, environment};
use crate::facts::{Completeness, ProcessEnd, RepoPath, Status, TestRun, command_line};

/// Finds a kept result.
pub(crate) fn cached(clause: &TestClause<'_, '_>) -> Option<TestRun> {
    let (cache, key) = cache_and_key(clause)?;
    cache.load(&key).map(|baseline| baseline.run).filter(|run| healthy(clause, run).is_ok())
}

/// Makes the clone of the merge base.
pub(crate) fn make_clone(clause: &TestClause<'_, '_>) -> Result<Clone, Failure> {
    clause.require_same_dependencies()?;
    let session = clause.session;
    let commit = session.context.change.merge_base.as_str();
    let side = (commit, &session.trees.base);
    Clone::make(session.context, session.trees, side, session.scratch, &session.clone_name(), clause.needs)
}

/// Runs the command at the merge base, in the clone that was made or in one of its own.
///
/// # Errors
/// Fails when the clone cannot be made, nothing can be run there, or the run is not healthy enough to compare with.
pub(crate) fn run(clause: &TestClause<'_, '_>, clone: Option<Result<Clone, Failure>>) -> Result<TestRun, Failure> {
    let clone = clause.finish_clone(clone.unwrap_or_else(|| make_clone(clause))?)?;
    if !has_folder(&clone.root, &clause.plan.cwd) || names_only_new_files(clause) {
        return Ok(nothing_there(clause));
    }
    let step = Step { side: "at the merge base", ..clause.step.clone() };
    let ran = clause.run_at(&clone, "base", &step)?;
    healthy(clause, &ran.run)?;
    if let Some((cache, key)) = cache_and_key(clause) {
        cache.store(&key, &Baseline { run: ran.run.clone() });
    }
    Ok(ran.run)
}

/// A run that is whole, loaded every file and has a passing test can be compared with, red tests or not.
fn healthy(clause: &TestClause<'_, '_>, run: &TestRun) -> Result<(), Failure> {
    let unhealthy = |what: &str| {
        let mut failure =
            Failure::new(Kind::BaseRunUnhealthy, format!("the run at the merge base cannot be compared with: {what}"))
                .detail("ran", command_line(&run.argv));
        for error in run.load_errors.iter().take(3) {
            failure = failure.detail("did not load", error.file.clone().unwrap_or_else(|| error.message.clone()));
        }
        let tail: Vec<&str> = run.end.output.lines().rev().take(15).collect();
        if !tail.is_empty() {
            failure = failure.detail("output", tail.into_iter().rev().collect::<Vec<_>>().join("\n"));
        }
        Err(failure.next(if clause.session.context.options.setup.is_empty() {
            "look whether the tests run in a fresh clone of the merge base; --setup COMMAND prepares it"
        } else {
            "look whether the tests run in a fresh clone of the merge base after the set-up commands"
        }))
    };
    match &run.completeness {
        Completeness::Complete => {}
        Completeness::NoReport => return unhealthy("it gave no results"),
        Completeness::Incomplete { why } => return unhealthy(why),
    }
    if run.end.timed_out {
        return unhealthy("its time was up");
    }
    if !run.load_errors.is_empty() {
        return unhealthy("a file of it did not load");
    }
    if !run.records.iter().any(|record| record.status == Status::Passed) {
        return unhealthy("no test of it passed");
    }
    Ok(())
}

/// Returns whether every path that the command names is new, so that there is nothing to run at the merge base.
fn names_only_new_files(clause: &TestClause<'_, '_>) -> bool {
    let trees = clause.session.trees;
    let under = |word: &str| {
        let word = word.split("::").next().unwrap_or(word);
        crate::collect::harness::resolve(&clause.plan.cwd, word).filter(|path| !path.is_empty())
    };
    let at = |side: &std::collections::BTreeMap<RepoPath, crate::facts::Entry>, path: &str| {
        let folder = RepoPath::from(format!("{path}/").as_str());
        side.contains_key(&RepoPath::from(path))
            || side
                .range(folder.clone()..)
                .next()
                .is_some_and(|(found, _)| found.as_bytes().starts_with(folder.as_bytes()))
    };
    let mut n_new = 0;
    for word in clause.understood.call.args.iter().filter(|word| !word.starts_with('-')) {
        let Some(path) = under(word) else { continue };
        if at(&trees.base, &path) {
            return false;
        }
        n_new += usize::from(at(&trees.head, &path));
    }
    n_new > 0
}

/// What a run gives where its folder or files are not there yet.
fn nothing_there(clause: &TestClause<'_, '_>) -> TestRun {
    TestRun {
        argv: clause.plan.command.clone(),
        end: ProcessEnd::default(),
        records: Vec::new(),
        load_errors: Vec::new(),
        unhandled: Vec::new(),
        completeness: Completeness::Complete,
        notes: vec!["what the command names is not there at the merge base, so no test could be lost".to_owned()],
    }
}

fn cache_and_key(clause: &TestClause<'_, '_>) -> Option<(Cache, Key)> {
    let session = clause.session;
    let options = session.context.options;
    let cache = Cache::new(options.cache_dir.as_ref()?);
    let mut tree = Vec::new();
    for (path, entry) in &session.trees.base {
        tree.extend_from_slice(format!("{} {} ", entry.mode, entry.object).as_bytes());
        tree.extend_from_slice(path.as_bytes());
        tree.push(0);
    }
    // Private folders have another name in every run.
    let private = session.private().ok()?;
    let environment =
        environment::build(session.context.environment, &options.pass_env, options.mode.is_isolated(), &private)
            .ok()?;
    let mut variables = Vec::new();
    for (name, value) in &environment.vars {
        let value = value.to_string_lossy().replace(&*private.to_string_lossy(), "<private>");
        variables.extend_from_slice(format!("{}={value}\0", name.to_string_lossy()).as_bytes());
    }
    let root = session.root.clone()?;
    let place = crate::collect::run_once::Place {
        checkout: root.clone(),
        root,
        build: private.clone(),
        private,
        is_isolated: false,
        env: Vec::new(),
    };
    let launch = crate::collect::run_once::prepare(&clause.understood, &place, session.context).ok()?;
    let toolchain = if clause.needs.rust {
        let cargo = exec::find_program("cargo".as_ref(), session.context.search_path(), &place.root);
        toolchain::identity(session.context.environment, cargo.as_deref())
    } else {
        String::new()
    };
    let shown = format!(
        "{:?} {:?} {:?} {:?} {:?} {} {:?} {:?}",
        clause.plan.command,
        clause.plan.junit,
        clause.plan.cwd,
        clause.understood.runner.name(),
        launch.version,
        launch.program.display(),
        options.setup,
        options.mode,
    );
    Some((cache, Key::new([tree.as_slice(), shown.as_bytes(), toolchain.as_bytes(), &variables])))
}
