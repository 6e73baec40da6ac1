//! `check`: contract, plan, facts, verdict. All facts from git are gathered before anything is run, and the
//! verdict comes last.

use super::attempts::{self, Ledger};
use super::deliver::Target;
use super::documents;
use super::publish;
use super::runs;
use super::source::{self, Text};
use super::supplied;
use super::world::World;
use crate::cli::CheckArgs;
use crate::collect::{self, Mode};
use crate::contract::Contract;
use crate::error::{Failure, Kind};
use crate::facts::{Change, Facts, Known, Plan};
use crate::report::{Command, ContractInfo, Report, Status};
use crate::settings::Settings;
use crate::verdict::judge;
use std::path::{Path, PathBuf};
use std::time::Instant;

pub(super) fn run(settings: &Settings, args: &CheckArgs) -> Report {
    let world = World::new(settings, &args.range);
    let mut report = Report::new(Command::Check, Status::Error);
    match judged(&world, args, &mut report) {
        Ok(()) => report,
        Err(Ended::Early(early)) => *early,
        // Also when there is a verdict already: what was asked for beside it did not happen.
        Err(Ended::Failed(failure)) => Report { status: Status::Error, error: Some(failure), ..report },
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
    let started = Instant::now();
    let options = runs::options(world.settings(), &args.run)?;
    // Before anything long is run, like every file that will be written.
    let facts_file = args.write_facts.as_ref().map(|file| world.settings().directory.join(file));
    let facts_file = facts_file.as_deref().map(Target::open).transpose()?;
    let directory = &world.settings().directory;
    let ledger = args.artifacts.record.as_ref().map(|folder| Ledger::open(&directory.join(folder))).transpose()?;
    for (_, destination) in &args.artifacts.publish {
        publish::probe(&directory.join(destination))?;
    }
    let text = source::text_for(&args.source, world, Command::Check)?;
    let contract = contract(&text, args, world)?;
    report.contract = Some(ContractInfo { digest: Some(contract.digest.clone()), ..text.info });

    let plan = contract.plan();
    let root = if args.artifacts.source.is_empty() { None } else { world.root() };
    let supplied = documents::supplied(&args.artifacts, &plan, directory, root)?;
    let mut facts = facts(world, &plan, report)?;
    facts.artifacts =
        collect::artifact_facts(&plan.artifacts, &supplied, &|| Ok((world.repository()?, world.change()?)));
    facts.contract_digest = Some(contract.digest.clone());
    report.timing.facts = Some(milliseconds(started));

    let started = Instant::now();
    if args.facts.is_empty() {
        runs::add_results(&mut facts, &plan, world, &options)?;
    } else {
        let is_strict = options.mode == Mode::Strict;
        supplied::add_results(&mut facts, &args.facts, directory, &contract, world.change()?, is_strict)?;
    }
    report.timing.tests = (!plan.tests.is_empty() || !plan.commands.is_empty()).then(|| milliseconds(started));

    if let Some(target) = facts_file {
        let text = serde_json::to_string(&facts)
            .map_err(|error| Failure::new(Kind::Bug, format!("facts cannot be written as JSON: {error}")))?;
        target.write(&format!("{text}\n"))?;
    }
    report.set_verdict(judge(&contract, &facts));
    refuse_empty_change(&facts, report);
    if let Some(ledger) = &ledger {
        attempts::keep(ledger, args.artifacts.max_attempts, &contract, &plan, &facts, report)?;
    }
    if report.status == Status::Passed {
        publish_documents(&args.artifacts.publish, &plan, &facts, directory)?;
    }
    Ok(())
}

/// Writes the documents out whose verdict is a pass, their bytes unchanged.
fn publish_documents(
    wanted: &[(String, PathBuf)],
    plan: &Plan,
    facts: &Facts,
    directory: &Path,
) -> Result<(), Failure> {
    for (path, destination) in wanted {
        let found = plan.artifacts.iter().zip(&facts.artifacts).find(|(plan, _)| plan.path == *path);
        let bytes = found.and_then(|(_, artifact)| collect::bytes_of(&artifact.get().ok()?.document));
        let bytes =
            bytes.ok_or_else(|| Failure::new(Kind::Bug, format!("the passed artifact `{path}` has no bytes")))?;
        publish::publish(&bytes, &directory.join(destination))?;
    }
    Ok(())
}

fn contract(text: &Text, args: &CheckArgs, world: &World<'_>) -> Result<Contract, Ended> {
    source::read(text, &args.source, world, Command::Check).map_err(|mut report| {
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
