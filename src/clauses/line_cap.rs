//! What `max_added_lines` and `max_deleted_lines` share: a limit over all lines of the change.

use super::{Clause, Explanation, Finding, FindingStatus, Standing};
use crate::facts::{Facts, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

/// Which lines are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Lines that head has and the merge base has not.
    Added,
    /// Lines that the merge base has and head has not.
    Deleted,
}

/// At most so many lines over the whole change.
#[derive(Debug)]
pub struct LineCap {
    key: &'static str,
    at: String,
    counted: Counted,
    limit: u64,
}

impl LineCap {
    /// Returns which lines are counted.
    pub const fn counted(&self) -> Counted {
        self.counted
    }

    /// Returns how many lines are allowed.
    pub const fn limit(&self) -> u64 {
        self.limit
    }
}

pub(super) fn read(key: &'static str, counted: Counted, reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let at = reader.pointer().to_owned();
    match reader.integer(&member.value, 0, u64::MAX) {
        Some(limit) => vec![Box::new(LineCap { key, at, counted, limit })],
        None => Vec::new(),
    }
}

impl Clause for LineCap {
    fn check(&self) -> &'static str {
        self.key
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        json!(self.limit)
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
    }

    fn judge(&self, facts: &Facts, _index: usize) -> Finding {
        let change = match facts.change.get() {
            Ok(change) => change,
            Err(failure) => return Finding::unknown(self.key, &self.at, failure),
        };
        let (word, found) = match self.counted {
            Counted::Added => ("added", change.files.iter().map(|file| file.added).sum::<u64>()),
            Counted::Deleted => ("deleted", change.files.iter().map(|file| file.deleted).sum::<u64>()),
        };
        let limit = self.limit;
        Finding {
            check: self.key.to_owned(),
            at: self.at.clone(),
            status: if found <= limit { FindingStatus::Passed } else { FindingStatus::Failed },
            detail: format!("{found} {word} (limit {limit})"),
            next: None,
            evidence: json!({ "limit": limit, "found": found }),
            blocks: Vec::new(),
            notes: Vec::new(),
            failure: None,
        }
    }

    fn explain(&self, _facts: &Facts, _index: usize) -> Explanation {
        Explanation {
            check: self.key.to_owned(),
            at: self.at.clone(),
            standing: Standing::Unknown,
            lines: Vec::new(),
            next: Vec::new(),
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}
