//! The facts that only runs give: every test clause and every command of a plan.
//! Must not judge what comes out.

use crate::collect::commands;
use crate::collect::context::{Mode, Step, TestContext};
use crate::collect::preview;
use crate::collect::session::Session;
use crate::collect::submodules::Submodules;
use crate::collect::test_clause::TestClause;
use crate::collect::trees::Trees;
use crate::error::Failure;
use crate::exec::{Scratch, Turn};
use crate::facts::{CommandFacts, Known, Plan, TestFacts, TestPlan, TestPreview, command_line};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Runs a plan's test clauses and commands, in their order, and tells what was found.
///
/// What cannot be found out is unknown, with the reason. Git facts must have been gathered before: what is run here
/// is not to be trusted with the repository.
pub fn test_facts(plan: &Plan, context: &TestContext<'_>) -> (Vec<Known<TestFacts>>, Vec<Known<CommandFacts>>) {
    if plan.tests.is_empty() && plan.commands.is_empty() {
        return (Vec::new(), Vec::new());
    }
    if let Some(failure) = refusal(plan, context.options.mode) {
        return all_unknown(plan, &failure);
    }
    let run = |session: &Session<'_>| {
        let _turn = turn(session)?;
        Ok(run_all(plan, session))
    };
    with_session(plan, context, run).and_then(|found| found).unwrap_or_else(|failure| all_unknown(plan, &failure))
}

fn all_unknown(plan: &Plan, failure: &Failure) -> (Vec<Known<TestFacts>>, Vec<Known<CommandFacts>>) {
    let unknown = || Box::new(failure.clone());
    (
        plan.tests.iter().map(|_| Known::Unknown(unknown())).collect(),
        plan.commands.iter().map(|_| Known::Unknown(unknown())).collect(),
    )
}

/// Returns why nothing is run at all: one clause whose results would not be accepted can take the whole contract with it,
/// and it is better told now than after the runs of the others.
fn refusal(plan: &Plan, mode: Mode) -> Option<Failure> {
    let index = plan.tests.iter().position(|test| test.junit.is_some()).filter(|_| mode == Mode::Strict)?;
    let mut failure = TestPlan::own_report_under_strict(&format!("/tests/{index}"));
    failure.message.push_str("; nothing was run");
    Some(failure)
}

/// Says what [`test_facts`] would run, without running it.
pub fn previews(plan: &Plan, context: &TestContext<'_>) -> Vec<Known<TestPreview>> {
    if plan.tests.is_empty() {
        return Vec::new();
    }
    let all = |session: &Session<'_>| plan.tests.iter().map(|test| preview::preview(session, test).into()).collect();
    with_session(plan, context, all)
        .unwrap_or_else(|failure| plan.tests.iter().map(|_| Known::Unknown(Box::new(failure.clone()))).collect())
}

fn with_session<T>(
    plan: &Plan,
    context: &TestContext<'_>,
    use_it: impl FnOnce(&Session<'_>) -> T,
) -> Result<T, Failure> {
    let trees = Trees::load(context.repository, context.change)?;
    let scratch = Scratch::create(&context.options.temp_dir)?;
    let submodules = match context.repository.root() {
        Some(root) if !context.options.mode.is_isolated() => Submodules::load(context.repository, root, &trees),
        _ => Submodules::default(),
    };
    let read = |object: &str| trees.read(object).or_else(|failure| submodules.read(object).ok_or(failure));
    let session = Session::new(context, plan, &trees, &submodules, &scratch, &read)?;
    Ok(use_it(&session))
}

/// Waits until no other check runs anything in the checkout. What one run does there is undone after it, git's settings
/// too, and another check that began in between would take what it found for how it was. Worktrees share settings.
fn turn(session: &Session<'_>) -> Result<Option<Turn>, Failure> {
    let context = session.context;
    if context.options.mode.is_isolated() || session.root.is_none() {
        return Ok(None);
    }
    let began = Instant::now();
    let waiting = || {
        context.progress.step(&Step {
            side: "waiting for another check of this checkout",
            elapsed: began.elapsed(),
            ..first_step("checks", 1, 1, "")
        });
    };
    Turn::wait(context.repository.common_dir(), &context.options.temp_dir, context.interrupt, waiting).map(Some)
}

/// One thing to run.
#[derive(Clone, Copy)]
enum Item {
    Test(usize),
    Command(usize),
}

fn run_all(plan: &Plan, session: &Session<'_>) -> (Vec<Known<TestFacts>>, Vec<Known<CommandFacts>>) {
    let context = session.context;
    let items: Vec<Item> =
        (0..plan.tests.len()).map(Item::Test).chain((0..plan.commands.len()).map(Item::Command)).collect();
    let tests: Mutex<Vec<Known<TestFacts>>> = Mutex::new(plan.tests.iter().map(|_| Known::not_collected()).collect());
    let commands: Mutex<Vec<Known<CommandFacts>>> =
        Mutex::new(plan.commands.iter().map(|_| Known::not_collected()).collect());
    // In the checkout they follow each other: it can hold only one of them, and is compared after each.
    let n_workers = if context.options.mode.is_isolated() { context.options.jobs.get().min(items.len()) } else { 1 };
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            match *item {
                Item::Test(index) => {
                    let found = context.interrupt.check().and_then(|()| run_test(plan, session, index)).into();
                    tests.lock().unwrap_or_else(PoisonError::into_inner)[index] = found;
                }
                Item::Command(index) => {
                    let found = context.interrupt.check().and_then(|()| run_command(plan, session, index)).into();
                    commands.lock().unwrap_or_else(PoisonError::into_inner)[index] = found;
                }
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..n_workers {
            scope.spawn(work);
        }
        work();
    });
    (
        tests.into_inner().unwrap_or_else(PoisonError::into_inner),
        commands.into_inner().unwrap_or_else(PoisonError::into_inner),
    )
}

fn run_test(plan: &Plan, session: &Session<'_>, index: usize) -> Result<TestFacts, Failure> {
    let test = &plan.tests[index];
    let shown = command_line(&test.command);
    TestClause::new(session, test, first_step("tests", index + 1, plan.tests.len(), &shown))?.collect()
}

fn run_command(plan: &Plan, session: &Session<'_>, index: usize) -> Result<CommandFacts, Failure> {
    let command = &plan.commands[index];
    let shown = command_line(&command.command);
    commands::collect(session, command, &first_step("commands", index + 1, plan.commands.len(), &shown))
}

/// Makes the step that a command begins with.
pub(crate) fn first_step<'a>(kind: &'static str, number: usize, of: usize, command: &'a str) -> Step<'a> {
    Step { kind, number, of, command, side: "at HEAD", so_far: (0, 0), elapsed: Duration::ZERO }
}
