//! `check`: contract, plan, facts, verdict. All facts from git are gathered before anything is run, and the
//! verdict comes last.

use super::source::{self, Text};
use super::world::World;
use crate::cli::CheckArgs;
use crate::collect;
use crate::contract::Contract;
use crate::error::{Failure, Kind};
use crate::facts::{Change, Facts, Known, Plan};
use crate::report::{Command, ContractInfo, Report, Status};
use crate::settings::Settings;
use crate::verdict::judge;
use std::time::Instant;

pub(super) fn run(settings: &Settings, args: &CheckArgs) -> Report {
    let world = World::new(settings, &args.range);
    let mut report = Report::new(Command::Check, Status::Error);
    match judged(&world, args, &mut report) {
        Ok(()) => report,
        Err(Ended::Early(early)) => *early,
        Err(Ended::Failed(failure)) => Report { error: Some(failure), ..report },
    }
}

/// Why there is no verdict.
pub(super) enum Ended {
    /// A report of its own: no contract, or one with errors.
    Early(Box<Report>),
    /// A failure, told together with what is known so far.
    Failed(Failure),
}

impl From<Failure> for Ended {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

fn judged(world: &World<'_>, args: &CheckArgs, report: &mut Report) -> Result<(), Ended> {
    let text = source::trusted_text(&args.source, world, Command::Check)?;
    let contract = contract(&text, args)?;
    report.contract = Some(ContractInfo { digest: Some(contract.digest.clone()), ..text.info });

    let started = Instant::now();
    let plan = contract.plan();
    let facts = facts(world, &plan, report)?;
    report.timing.facts = Some(milliseconds(started));

    report.set_verdict(judge(&contract, &facts));
    refuse_empty_change(&facts, report);
    Ok(())
}

fn contract(text: &Text, args: &CheckArgs) -> Result<Contract, Ended> {
    source::read(text, &args.source, Command::Check).map_err(|mut report| {
        if args.allow_unchecked {
            report.allow_unchecked();
        }
        Ended::Early(report)
    })
}

/// Gathers what git knows. Nothing of the change is run here.
fn facts(world: &World<'_>, plan: &Plan, report: &mut Report) -> Result<Facts, Failure> {
    if !collect::needs_change(plan) {
        return Ok(Facts::none());
    }
    let change: Change = world.change()?.clone();
    report.change = Some(change.clone());
    Ok(collect::facts_about(world.repository()?, change, plan))
}

/// An empty change passes nothing, whatever its contract says.
fn refuse_empty_change(facts: &Facts, report: &mut Report) {
    let is_empty = matches!(&facts.change, Known::Known(change) if change.files.is_empty());
    if is_empty && report.status == Status::Passed {
        report.status = Status::Error;
        report.error = Some(
            Failure::new(Kind::EmptyChange, "the change is empty: head has nothing that the merge base does not have")
                .next("commit the work, then run check again"),
        );
    }
}

fn milliseconds(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}
