//! The contract: found in a text, read with every problem at its place, and named by a digest.
//! Knows nothing of where the text came from or of facts.

mod block;
mod digest;
#[cfg(test)]
mod laws;
mod offsets;
mod problem;
mod read;
mod schema;

pub use problem::{PlacedProblem, shown_text};
pub use read::read;
pub use schema::json_schema;

use crate::clauses::Clause;
use crate::facts::{PathRule, Plan};
use serde_json::{Map, Value};

/// What a text turned out to hold.
#[derive(Debug)]
pub enum Reading {
    /// No reader of the text would see a contract.
    Absent,
    /// A contract with problems: all of them, in the order of their places.
    Invalid(Vec<PlacedProblem>),
    /// A contract.
    Valid(Box<Contract>),
}

/// What a human asked for.
#[derive(Debug)]
pub struct Contract {
    /// The clauses in the original tool's order: only, required, forbidden, max added, max deleted, max
    /// files, line limits, contains, excludes, added lines, tests, commands, artifacts.
    pub clauses: Vec<Box<dyn Clause>>,
    /// Harness files that may change.
    pub harness_changes: Vec<PathRule>,
    /// `sha256:` and 64 hexadecimal digits over the canonical form.
    pub digest: String,
}

impl Contract {
    /// Returns the facts that the contract needs.
    pub fn plan(&self) -> Plan {
        let mut plan = Plan { harness_changes: self.harness_changes.clone(), ..Plan::default() };
        for clause in &self.clauses {
            clause.needs(&mut plan);
            plan.harness_named.extend_from_slice(clause.names_files());
        }
        plan
    }

    /// Returns the contract as understood: defaults written out, paths in their one form, rule lists sorted
    /// without repeats. It is a contract itself, with the same digest.
    pub fn normalized(&self) -> Value {
        let mut members = Map::new();
        for clause in &self.clauses {
            let is_entry = clause.at().matches('/').count() > 1;
            if is_entry {
                let entries = members.entry(clause.check()).or_insert_with(|| Value::Array(Vec::new()));
                if let Value::Array(entries) = entries {
                    entries.push(clause.normalized());
                }
            } else {
                members.insert(clause.check().to_owned(), clause.normalized());
            }
        }
        if !self.harness_changes.is_empty() {
            members.insert("harness_changes".to_owned(), crate::clauses::normalized_rules(&self.harness_changes));
        }
        Value::Object(members)
    }
}
