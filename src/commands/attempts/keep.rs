//! Keeps a judged attempt and says what comes after it.

use super::{Candidate, Ledger, Next, next_step};
use crate::collect::bytes_of;
use crate::contract::Contract;
use crate::error::Failure;
use crate::facts::{Facts, Plan};
use crate::report::{self, Report, Status};
use serde_json::{Value, json};

/// Writes the attempt down, after its verdict and before anything else is told. The report's status becomes
/// `incomplete` when the attempts are used up.
///
/// An error of ours is no attempt: nobody but the author uses attempts up.
pub(in crate::commands) fn keep(
    ledger: &Ledger,
    max_attempts: Option<u32>,
    contract: &Contract,
    plan: &Plan,
    facts: &Facts,
    report: &mut Report,
) -> Result<(), Failure> {
    let passed = match report.status {
        Status::Passed => true,
        Status::Failed => false,
        Status::Incomplete | Status::Unchecked | Status::UncheckedAllowed | Status::Error => return Ok(()),
    };
    let claim = ledger.claim(&contract.digest)?;
    let step = next_step(passed, claim.number(), max_attempts);
    if step == Next::Incomplete {
        report.status = Status::Incomplete;
        let what = if passed {
            "every check holds, but only after the attempts were used up"
        } else {
            "the attempts are used up"
        };
        report.notes.push(format!(
            "{what}: a human looks at what the folder of --record holds, and takes it away to allow more"
        ));
    }
    let limit = max_attempts.map_or_else(String::new, |max| format!(" of at most {max}"));
    report.notes.push(format!("this was attempt {}{limit}", claim.number()));
    let verdict = report::json(report);
    claim.commit(&candidates(plan, facts, report), &contract.normalized(), &verdict, about(contract, facts, report))?;
    Ok(())
}

fn candidates(plan: &Plan, facts: &Facts, report: &Report) -> Vec<Candidate> {
    let documents = plan.artifacts.iter().zip(&facts.artifacts).map(|(plan, found)| Candidate {
        name: plan.path.clone(),
        bytes: found.get().ok().and_then(|artifact| bytes_of(&artifact.document)),
    });
    let head =
        report.change.as_ref().map(|change| Candidate { name: format!("commit {}", change.head.commit), bytes: None });
    documents.chain(head).collect()
}

fn about(contract: &Contract, facts: &Facts, report: &Report) -> Value {
    let sources: Vec<Value> = facts
        .artifacts
        .iter()
        .filter_map(|artifact| artifact.get().ok())
        .flat_map(|artifact| artifact.sources.iter().filter_map(|source| source.get().ok()))
        .map(|source| json!({ "path": source.path, "blob": source.blob }))
        .collect();
    let verdict: Value = serde_json::from_str(&report::json(report)).unwrap_or(Value::Null);
    let change = report.change.as_ref();
    json!({
        "time": jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        "tool": env!("CARGO_PKG_VERSION"),
        "digest": contract.digest,
        "status": verdict["status"],
        "next": verdict["next"],
        "base": change.map(|change| &change.base.commit),
        "merge_base": change.map(|change| &change.merge_base),
        "head": change.map(|change| &change.head.commit),
        "sources": sources,
    })
}
