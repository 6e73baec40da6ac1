//! Judging: a pure function from a contract and facts to a verdict. Does no I/O and knows no format.

use crate::clauses::{Finding, FindingStatus};
use crate::contract::Contract;
use crate::facts::Facts;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Whether the change meets the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictStatus {
    /// Every clause holds.
    Passed,
    /// A clause does not hold.
    Failed,
    /// No clause fails, but a fact is unknown.
    Unknown,
}

/// The verdict: a status and one finding a clause, in the contract's order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whether the contract is met.
    pub status: VerdictStatus,
    /// One finding a clause.
    pub findings: Vec<Finding>,
}

/// Judges a contract on facts. The same contract and facts always give the same verdict.
pub fn judge(contract: &Contract, facts: &Facts) -> Verdict {
    let mut counted: HashMap<&'static str, usize> = HashMap::new();
    let findings: Vec<Finding> = contract
        .clauses
        .iter()
        .map(|clause| {
            let index = counted.entry(clause.check()).or_default();
            let finding = clause.judge(facts, *index);
            *index += 1;
            finding
        })
        .collect();
    let any = |status| findings.iter().any(|finding| finding.status == status);
    let status = if any(FindingStatus::Failed) {
        VerdictStatus::Failed
    } else if any(FindingStatus::Unknown) || findings.is_empty() {
        VerdictStatus::Unknown
    } else {
        VerdictStatus::Passed
    };
    Verdict { status, findings }
}
