//! The contract: found in a text, read with every problem at its place, and named by a digest.
//! Knows nothing of where the text came from or of facts.

use crate::clauses::Clause;
use crate::facts::{PathRule, Plan};

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
}
