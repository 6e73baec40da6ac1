//! `max_changed_files`: the change touches at most so many files.

use super::evidence::Evidence;
use super::schema_parts::{described, whole_number};
use super::{Block, Clause, ClauseKind, Explanation, Finding, Found, Standing, words};
use crate::facts::{Facts, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "max_changed_files";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// At most so many files may change.
#[derive(Debug)]
pub struct MaxChangedFiles {
    at: String,
    limit: u64,
}

impl MaxChangedFiles {
    /// Returns how many files may change.
    pub const fn limit(&self) -> u64 {
        self.limit
    }
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let at = reader.pointer().to_owned();
    match reader.integer(&member.value, 0, u64::MAX) {
        Some(limit) => vec![Box::new(MaxChangedFiles { at, limit })],
        None => Vec::new(),
    }
}

fn schema() -> Value {
    described(
        whole_number(),
        "At most this many files may change.",
        "At most this many files may change. A rename counts as two: a file that is gone and a new one.",
        &json!([3]),
    )
}

impl Clause for MaxChangedFiles {
    fn check(&self) -> &'static str {
        KEY
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
            Err(failure) => return Finding::unknown(KEY, &self.at, failure),
        };
        let found = change.files.len() as u64;
        let evidence = Evidence::new()
            .set("limit", self.limit)
            .set("found", found)
            .list("paths", change.files.iter().map(|file| file.path.to_lossy()))
            .into_value();
        let detail = format!("{} (limit {})", words::count(found, "changed file"), self.limit);
        let finding = Finding::judged(KEY, &self.at, found <= self.limit, detail, evidence);
        if found <= self.limit {
            return finding;
        }
        let next = next(found, self.limit);
        let total = Found::Text(words::count(found, "changed file"));
        let files = change.files.iter().map(|file| Found::Path(file.path.to_lossy(), words::change(file)));
        let block = Block {
            expected: vec![format!("at most {}", words::count(self.limit, "changed file"))],
            found: std::iter::once(total).chain(files).collect(),
            next: vec![next.clone()],
        };
        finding.because(next, block)
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let mut line = format!("At most {} may change.", words::count(self.limit, "file"));
        let (standing, advice) = match facts.change.get() {
            Err(_) => (Standing::Unknown, Vec::new()),
            Ok(change) => {
                let found = change.files.len() as u64;
                let left = self.limit.checked_sub(found).map(|left| format!("{left} left"));
                let (standing, advice) = match left {
                    Some(_) => (Standing::MetSoFar, Vec::new()),
                    None => (Standing::NotMet, vec![next(found, self.limit)]),
                };
                let rest = left.unwrap_or_else(|| format!("{} too many", found - self.limit));
                line = format!("{line} Now: {found}, {rest}.");
                (standing, advice)
            }
        };
        Explanation { check: KEY.to_owned(), at: self.at.clone(), standing, lines: vec![line], next: advice }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn next(found: u64, limit: u64) -> String {
    format!("undo the changes to {} or more that the issue does not ask for", words::count(found - limit, "file"))
}

#[cfg(test)]
mod tests {
    use crate::clauses::samples::{explain, facts, file, judge};
    use crate::facts::ChangeStatus::{Added, Deleted};
    use crate::facts::Facts;
    use serde_json::json;

    fn renamed() -> Facts {
        facts([file("new.ts", Added, 9, 0), file("old.ts", Deleted, 0, 9)])
    }

    #[test]
    fn every_changed_path_counts() {
        let finding = judge(r#"{"max_changed_files": 2}"#, &renamed());
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (true, "2 changed files (limit 2)"));
        let finding = judge(r#"{"max_changed_files": 1}"#, &renamed());
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (false, "2 changed files (limit 1)"));
        assert_eq!(finding.next.as_deref(), Some("undo the changes to 1 file or more that the issue does not ask for"));
        assert_eq!(finding.evidence, json!({"limit": 1, "found": 2, "paths": ["new.ts", "old.ts"]}));
    }

    #[test]
    fn explaining_tells_what_is_left() {
        let explained = explain(r#"{"max_changed_files": 3}"#, &renamed());
        assert_eq!(explained, "MetSoFar\nAt most 3 files may change. Now: 2, 1 left.");
    }
}
