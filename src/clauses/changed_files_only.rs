//! `changed_files_only`: every changed file matches a rule.

use super::rule_set::RuleSet;
use super::{Clause, ClauseKind, Explanation, Finding, FindingStatus, Standing, normalized_rules};
use crate::facts::{Facts, PathRule, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "changed_files_only";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// Only these files may change.
#[derive(Debug)]
pub struct ChangedFilesOnly {
    at: String,
    rules: RuleSet,
}

impl ChangedFilesOnly {
    /// Returns the rules in the contract's order.
    pub fn rules(&self) -> &[PathRule] {
        self.rules.rules()
    }
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let at = reader.pointer().to_owned();
    match reader.path_rules(&member.value) {
        Some(rules) => vec![Box::new(ChangedFilesOnly { at, rules: RuleSet::new(rules) })],
        None => Vec::new(),
    }
}

fn schema() -> Value {
    json!({})
}

impl Clause for ChangedFilesOnly {
    fn check(&self) -> &'static str {
        KEY
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        normalized_rules(self.rules.rules())
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
    }

    fn judge(&self, facts: &Facts, _index: usize) -> Finding {
        let change = match facts.change.get() {
            Ok(change) => change,
            Err(failure) => return Finding::unknown(KEY, &self.at, failure),
        };
        let unexpected: Vec<String> = change
            .files
            .iter()
            .filter(|file| self.rules.first_match(&file.path).is_none())
            .map(|file| file.path.to_lossy())
            .collect();
        let status = if unexpected.is_empty() { FindingStatus::Passed } else { FindingStatus::Failed };
        let changed: Vec<String> = change.files.iter().map(|file| file.path.to_lossy()).collect();
        let detail = match (unexpected.is_empty(), changed.is_empty()) {
            (false, _) => format!("unexpected changes: {}", unexpected.join(", ")),
            (true, true) => "changed: (none)".to_owned(),
            (true, false) => format!("changed: {}", changed.join(", ")),
        };
        let next = (!unexpected.is_empty()).then(|| format!("undo the change to {}", unexpected.join(", ")));
        Finding {
            check: KEY.to_owned(),
            at: self.at.clone(),
            status,
            detail,
            next,
            evidence: json!({ "allowed": self.rules.rules(), "unexpected": unexpected }),
            blocks: Vec::new(),
            notes: Vec::new(),
            failure: None,
        }
    }

    fn explain(&self, _facts: &Facts, _index: usize) -> Explanation {
        Explanation {
            check: KEY.to_owned(),
            at: self.at.clone(),
            standing: Standing::Unknown,
            lines: Vec::new(),
            next: Vec::new(),
        }
    }

    fn names_files(&self) -> &[PathRule] {
        self.rules.rules()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
