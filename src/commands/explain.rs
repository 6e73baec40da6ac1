//! `explain`: what a contract asks and how it stands. No test is run.

use super::check::Ended;
use super::runs;
use super::source;
use super::world::World;
use crate::clauses::{self, Explanation};
use crate::cli::ExplainArgs;
use crate::collect::{self, Supplied};
use crate::contract::Contract;
use crate::facts::{Facts, Plan};
use crate::report::{Command, ContractInfo, Explained, Report, Status};
use crate::settings::Settings;
use std::collections::HashMap;

pub(super) fn run(settings: &Settings, args: &ExplainArgs) -> Report {
    let world = World::new(settings, &args.range);
    let mut report = Report::new(Command::Explain, Status::Error);
    match explained(&world, args, &mut report) {
        Ok(()) => Report { status: Status::Passed, ..report },
        Err(Ended::Early(early)) => *early,
        Err(Ended::Failed(failure)) => Report { error: Some(failure), ..report },
    }
}

fn explained(world: &World<'_>, args: &ExplainArgs, report: &mut Report) -> Result<(), Ended> {
    let options = runs::options(world.settings(), &args.run)?;
    let text = source::text_for(&args.source, world, Command::Explain)?;
    let contract = source::read(&text, &args.source, world, Command::Explain).map_err(Ended::Early)?;
    report.contract = Some(ContractInfo { digest: Some(contract.digest.clone()), ..text.info });

    let plan = contract.plan();
    let mut facts = Facts::none();
    if collect::needs_change(&plan) {
        let change = world.change()?.clone();
        report.change = Some(change.clone());
        facts = collect::facts_about(world.repository()?, change, &with_the_merge_base(&contract, &plan));
        facts.previews = runs::previews(&plan, world, &options)?;
    }
    // Without a repository there is nothing committed to tell of yet.
    if !plan.artifacts.is_empty() && world.change().is_ok() {
        let history = || Ok((world.repository()?, world.change()?));
        facts.artifacts = collect::artifact_facts(&plan.artifacts, &Supplied::default(), &history);
    }
    let clauses = explanations(&contract, &facts);
    let issue = report.contract.as_ref().and_then(|contract| issue_of(&contract.source));
    let warnings = clauses::warnings(&contract.clauses, &contract.harness_changes, issue, &facts);
    report.explained = Some(Explained { clauses, warnings, plan });
    Ok(())
}

/// Adds what only `explain` asks for: how things were before any work.
fn with_the_merge_base(contract: &Contract, plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    clauses::warning_needs(&contract.clauses, &mut plan);
    plan
}

/// Returns the number of the issue that holds the contract: the 12 of `octo/app#12`.
fn issue_of(source: &str) -> Option<u64> {
    let (repository, number) = source.split_once('#')?;
    (repository.split('/').count() == 2).then(|| number.parse().ok())?
}

fn explanations(contract: &Contract, facts: &Facts) -> Vec<Explanation> {
    let mut counted: HashMap<&'static str, usize> = HashMap::new();
    let mut explained = Vec::with_capacity(contract.clauses.len());
    for clause in &contract.clauses {
        let index = counted.entry(clause.check()).or_default();
        explained.push(clause.explain(facts, *index));
        *index += 1;
    }
    explained
}
