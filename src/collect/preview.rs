//! What a check would run, found out without running it.
//! Must not start anything of the change.

use crate::collect::context::{Mode, TestContext};
use crate::collect::harness::Rules;
use crate::collect::run_once::{Place, channel_of, prepare};
use crate::collect::session::Session;
use crate::collect::test_clause::TestClause;
use crate::error::{Failure, Kind};
use crate::facts::{Place as Where, TestPlan, TestPreview};

/// Says what would be run for one test clause.
///
/// # Errors
/// Fails when no runner knows the command, or the runner is not installed.
pub(crate) fn preview(session: &Session<'_>, plan: &TestPlan) -> Result<TestPreview, Failure> {
    let context: &TestContext<'_> = session.context;
    let clause = TestClause::new(session, plan, super::test_runs::first_step("tests", 1, 1, ""))?;
    let runner = clause.understood.runner;
    let Some(root) = session.root.clone() else {
        return Err(Failure::new(Kind::WrongCheckout, "this repository has no checkout to look for the runner in"));
    };
    let private = session.private()?;
    let place =
        Place { checkout: root.clone(), root, build: private.clone(), private, is_isolated: false, env: Vec::new() };
    let launch = prepare(&clause.understood, &place, context)?;
    let mode = context.options.mode;
    Ok(TestPreview {
        runner: runner.name().to_owned(),
        version: launch.version,
        argv: launch.shown,
        channel: channel_of(&launch.transport),
        place: if mode.is_isolated() { Where::Clone } else { Where::Checkout },
        strict: mode == Mode::Strict,
        harness: clause.named_files().iter().cloned().chain(told(clause.rules())).collect(),
        limits: runner.about().limits.to_owned(),
    })
}

/// Harness rules as people read them: manifests with their parts first.
fn told(rules: &Rules) -> Vec<String> {
    let manifests = rules.manifests.iter().map(|(file_name, parts)| {
        if parts.is_empty() { file_name.clone() } else { format!("{file_name} ({})", parts.join(", ")) }
    });
    manifests.chain(rules.files.iter().cloned()).collect()
}
