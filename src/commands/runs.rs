//! Test runs as the flags want them.

use super::progress::Shown;
use super::world::World;
use crate::cli::RunArgs;
use crate::collect::{self, DEFAULT_TIMEOUT, Mode, NoProgress, TestContext, TestOptions};
use crate::error::{Failure, Kind};
use crate::exec::{self, Interrupt, Supervisor};
use crate::facts::{Facts, Known, PathRule, Plan, TestPreview};
use crate::report::Verbosity;
use crate::runners;
use crate::settings::Settings;
use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::time::Duration;

/// Reads the flags of test runs. Called before anything else, so that a wrong one is told at once.
pub(super) fn options(settings: &Settings, args: &RunArgs) -> Result<TestOptions, Failure> {
    let mode = match (args.strict, args.isolate) {
        (true, _) => Mode::Strict,
        (false, true) => Mode::Isolate,
        (false, false) => Mode::Default,
    };
    let directory = |folder: &std::path::PathBuf| settings.directory.join(folder);
    Ok(TestOptions {
        mode,
        setup: args.setup.iter().map(|command| setup(command)).collect::<Result<_, _>>()?,
        pass_env: args.pass_env.clone(),
        allow_harness: args.allow_harness.iter().map(|path| harness_path(path)).collect::<Result<_, _>>()?,
        jobs: args.jobs.map(usize::from).and_then(NonZeroUsize::new).unwrap_or(NonZeroUsize::MIN),
        cache_dir: args.cache_dir.as_ref().map(directory),
        timeout: args.timeout.map_or(DEFAULT_TIMEOUT, Duration::from_secs),
        verbose: settings.output.verbosity == Verbosity::Verbose,
        temp_dir: std::env::temp_dir(),
    })
}

fn setup(command: &str) -> Result<Vec<String>, Failure> {
    runners::command::words(command).map_err(|refusal| {
        let failure = Failure::new(Kind::Usage, format!("--setup: {}", refusal.message));
        refusal.help.into_iter().fold(failure, Failure::next)
    })
}

/// Whoever types a path may begin it with `./`.
fn harness_path(path: &str) -> Result<PathRule, Failure> {
    let slashed = path.replace('\\', "/");
    let plain = slashed.trim_start_matches("./").trim_start_matches('/');
    if plain.is_empty() || plain.split('/').any(|part| matches!(part, "" | "." | "..")) {
        let message = format!("--allow-harness: {path:?} is not a file's path inside the repository");
        return Err(Failure::new(Kind::Usage, message).next("write it as the report does: tests/setup.ts"));
    }
    Ok(PathRule::literal(plain))
}

/// Makes this process fit for running what is not trusted, once: it listens for signals, and is closed to
/// others.
fn guard() -> Result<&'static Interrupt, Failure> {
    static INTERRUPT: OnceLock<Result<Interrupt, Failure>> = OnceLock::new();
    let guarded = || {
        let interrupt = Interrupt::listen()?;
        exec::protect_this_process()?;
        Ok(interrupt)
    };
    INTERRUPT.get_or_init(guarded).as_ref().map_err(Clone::clone)
}

/// Runs what only a run can tell, and adds it to the facts. Every fact from git must be in them already.
pub(super) fn add_results(
    facts: &mut Facts,
    plan: &Plan,
    world: &World<'_>,
    options: &TestOptions,
) -> Result<(), Failure> {
    if plan.tests.is_empty() && plan.commands.is_empty() {
        return Ok(());
    }
    let settings = world.settings();
    let output = &settings.output;
    let interrupt = guard()?;
    let is_quiet = output.verbosity == Verbosity::Quiet;
    let progress = Shown::new(is_quiet, output.columns, output.actions.is_some());
    let context = TestContext {
        repository: world.repository()?,
        change: world.change()?,
        options,
        environment: settings.environment.variables(),
        supervisor: &Supervisor::this_program()?,
        interrupt,
        progress: &progress,
    };
    (facts.tests, facts.commands) = collect::test_facts(plan, &context);
    interrupt.check()
}

/// Finds out what a check would run.
pub(super) fn previews(
    plan: &Plan,
    world: &World<'_>,
    options: &TestOptions,
) -> Result<Vec<Known<TestPreview>>, Failure> {
    let context = TestContext {
        repository: world.repository()?,
        change: world.change()?,
        options,
        environment: world.settings().environment.variables(),
        supervisor: &Supervisor::this_program()?,
        interrupt: &Interrupt::default(),
        progress: &NoProgress,
    };
    Ok(collect::previews(plan, &context))
}

#[cfg(test)]
mod tests {
    use super::harness_path;

    #[test]
    fn a_path_that_names_no_file_is_refused() {
        for path in ["", "/", "./", "..", "../x", "a/../b", "a//b", "a/"] {
            assert!(harness_path(path).is_err(), "{path}");
        }
        assert!(harness_path("./a/b.ts").is_ok_and(|rule| rule.as_literal().is_some()));
    }
}
