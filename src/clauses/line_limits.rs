//! `line_limits`: limits on the lines of some files: lock files, tests that may only grow.

use super::evidence::Evidence;
use super::line_count::{Count, Counted};
use super::schema_parts::{described, entries, path_rule, whole_number};
use super::{Block, Clause, ClauseKind, Explanation, Finding, Standing};
use super::{near, normalized_rule, words};
use crate::facts::{Change, Facts, PathRule, Plan};
use crate::json::{Member, Node, Problem, Reader};
use serde_json::{Map, Value, json};

const KEY: &str = "line_limits";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// At most so many lines over the files that match.
#[derive(Debug)]
pub struct LineLimit {
    at: String,
    path: PathRule,
    /// One or both, added lines first.
    limits: Vec<(Counted, u64)>,
}

impl LineLimit {
    /// Returns which files are counted together.
    pub const fn path(&self) -> &PathRule {
        &self.path
    }

    /// Returns the limits, added lines first.
    pub fn limits(&self) -> &[(Counted, u64)] {
        &self.limits
    }

    fn counts<'a>(&self, change: &'a Change) -> Vec<(Count<'a>, Counted, u64)> {
        let count = |&(counted, limit)| {
            let files = change.files.iter().filter(|file| self.path.matches(&file.path));
            (Count::of(counted, files), counted, limit)
        };
        self.limits.iter().map(count).collect()
    }
}

fn key(counted: Counted) -> String {
    format!("max_{}", counted.word())
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let clauses = reader.each(&member.value, "objects", |reader, node| {
        read_entry(reader, node).map(|clause| Box::new(clause) as Box<dyn Clause>)
    });
    clauses.unwrap_or_default()
}

fn read_entry(reader: &mut Reader, node: &Node) -> Option<LineLimit> {
    let at = reader.pointer().to_owned();
    let object = reader.object(node, &["path", "max_added", "max_deleted"])?;
    let path = reader.required(&object, "path");
    let path = path.and_then(|node| reader.within("path", |reader| reader.path_rule(node)));
    let mut limits = Vec::new();
    for counted in [Counted::Added, Counted::Deleted] {
        if let Some(node) = object.get(&key(counted)) {
            let limit = reader.within(&key(counted), |reader| reader.integer(node, 0, u64::MAX));
            limits.push((counted, limit?));
        }
    }
    if limits.is_empty() {
        let name = reader.name();
        let problem = Problem::new(node.span.clone(), format!("{name} limits nothing"), "no limit in it");
        reader.problem(problem.help("add \"max_added\", \"max_deleted\" or both"));
        return None;
    }
    Some(LineLimit { at, path: path?, limits })
}

fn schema() -> Value {
    let properties = json!({ "path": path_rule(), "max_added": whole_number(), "max_deleted": whole_number() });
    let either = json!({ "anyOf": [{ "required": ["max_added"] }, { "required": ["max_deleted"] }] });
    described(
        entries(&properties, &["path"], &either),
        "Limits on the lines of some files, over all files that match together.",
        "Limits on the lines of some files, over all files that match together: a lock file that may change a \
         little, tests that may only grow (`\"max_deleted\": 0`).",
        &json!([[{ "path": { "glob": "tests/**" }, "max_deleted": 0 }]]),
    )
}

impl Clause for LineLimit {
    fn check(&self) -> &'static str {
        KEY
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        let mut members = Map::new();
        members.insert("path".to_owned(), normalized_rule(&self.path));
        members.extend(self.limits.iter().map(|(counted, limit)| (key(*counted), json!(limit))));
        Value::Object(members)
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
    }

    fn judge(&self, facts: &Facts, _index: usize) -> Finding {
        let change = match facts.change.get() {
            Ok(change) => change,
            Err(failure) => return Finding::unknown(KEY, &self.at, failure),
        };
        let counts = self.counts(change);
        let parts: Vec<String> = counts
            .iter()
            .map(|(count, counted, limit)| format!("{} {} (limit {limit})", count.found, counted.word()))
            .collect();
        let holds = counts.iter().all(|(count, _, limit)| count.found <= *limit);
        let detail = format!("{}: {}", self.path, parts.join(", "));
        let mut finding = Finding::judged(KEY, &self.at, holds, detail, self.evidence(&counts));
        for (count, counted, limit) in counts.iter().filter(|(count, _, limit)| count.found > *limit) {
            let lines = words::count(*limit, &format!("{} line", counted.word()));
            let block = Block {
                expected: vec![format!("at most {lines} in {}", self.path)],
                found: count.found_lines(),
                next: vec![count.next(*limit)],
            };
            let next = finding.next.take().unwrap_or_else(|| count.next(*limit));
            finding = finding.because(next, block);
        }
        for note in counts.iter().flat_map(|(count, ..)| count.notes()) {
            if !finding.notes.contains(&note) {
                finding.notes.push(note);
            }
        }
        if !change.files.iter().any(|file| self.path.matches(&file.path)) {
            finding.notes.extend(near::star_notes([&self.path]));
        }
        finding
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let change = facts.change.get().ok();
        let counts = change.map(|change| self.counts(change)).unwrap_or_default();
        let over = match self.path.as_literal() {
            Some(path) => format!("in {path}"),
            None => format!("over all files that match {}", self.path),
        };
        let mut lines = Vec::new();
        let mut next = Vec::new();
        for (index, (counted, limit)) in self.limits.iter().enumerate() {
            let words = words::count(*limit, &format!("{} line", counted.word()));
            let mut line = format!("At most {words} {over}.");
            if let Some((count, ..)) = counts.get(index) {
                line.push_str(&count.now(*limit));
                if count.found > *limit {
                    next.push(count.next(*limit));
                }
            }
            lines.push(line);
        }
        let standing = match (change, next.is_empty()) {
            (None, _) => Standing::Unknown,
            (Some(_), true) => Standing::MetSoFar,
            (Some(_), false) => Standing::NotMet,
        };
        Explanation { check: KEY.to_owned(), at: self.at.clone(), standing, lines, next }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl LineLimit {
    /// The members of the limit that does not hold, or else of the first, and each limit under its own key.
    fn evidence(&self, counts: &[(Count<'_>, Counted, u64)]) -> Value {
        let broken = counts.iter().find(|(count, _, limit)| count.found > *limit);
        let mut evidence = Evidence::new().set("rule", normalized_rule(&self.path));
        if let Some((count, counted, limit)) = broken.or(counts.first()) {
            if let Value::Object(members) = count.evidence(*limit).into_value() {
                evidence = evidence.merge(members);
            }
            evidence = evidence.set("counted", counted.word());
        }
        for (count, counted, limit) in counts {
            evidence = evidence.set(&key(*counted), json!({ "limit": limit, "found": count.found }));
        }
        evidence.into_value()
    }
}

#[cfg(test)]
mod tests {
    use crate::clauses::samples::{explain, facts, file, judge};
    use crate::facts::ChangeStatus::{Added, Modified};
    use crate::facts::Facts;
    use serde_json::json;

    const CONTRACT: &str = r#"{"line_limits": [{"path": {"glob": "tests/**"}, "max_added": 9, "max_deleted": 0}]}"#;

    fn change(deleted: u64) -> Facts {
        facts([
            file("src/a.ts", Modified, 500, 500),
            file("tests/a.test.ts", Modified, 4, deleted),
            file("tests/b/c.test.ts", Added, 5, 0),
        ])
    }

    #[test]
    fn only_matching_files_count_together() {
        let finding = judge(CONTRACT, &change(0));
        assert!(finding.is_ok());
        assert_eq!(finding.detail, "tests/**: 9 added (limit 9), 0 deleted (limit 0)");
    }

    #[test]
    fn the_evidence_leads_with_the_limit_that_is_broken() {
        let finding = judge(CONTRACT, &change(2));
        assert!(!finding.is_ok());
        assert_eq!(finding.next.as_deref(), Some("keep 2 or more of the deleted lines"));
        assert_eq!(
            finding.evidence,
            json!({
                "rule": {"glob": "tests/**"}, "counted": "deleted", "limit": 0, "found": 2,
                "files": [{"path": "tests/a.test.ts", "lines": 2}], "not_counted": [],
                "max_added": {"limit": 9, "found": 9}, "max_deleted": {"limit": 0, "found": 2},
            })
        );
    }

    #[test]
    fn explaining_tells_each_limit() {
        assert_eq!(
            explain(CONTRACT, &change(0)),
            "MetSoFar\nAt most 9 added lines over all files that match tests/**. Now: 9, 0 left.\n\
             At most 0 deleted lines over all files that match tests/**. Now: 0, 0 left."
        );
    }
}
