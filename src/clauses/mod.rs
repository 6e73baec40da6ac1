//! One file a kind of clause: its data, how it is read, what it needs, how it is judged and explained.
//! Knows nothing of where facts come from, or of any output format.

mod added_lines_exclude;
mod artifacts;
mod changed_files_forbidden;
mod changed_files_only;
mod changed_files_required;
mod commands;
mod evidence;
mod file_contains;
mod file_excludes;
mod file_text;
mod finding;
mod lack;
mod line_cap;
mod line_count;
mod line_limits;
mod max_added_lines;
mod max_changed_files;
mod max_deleted_lines;
mod near;
mod nearest_line;
mod presence;
mod rule_set;
mod running;
#[cfg(test)]
pub(crate) mod samples;
mod schema_parts;
mod tests;
mod text_search;
mod undo;
mod warnings;
mod words;

pub use added_lines_exclude::AddedLinesExclude;
pub use changed_files_forbidden::ChangedFilesForbidden;
pub use changed_files_only::ChangedFilesOnly;
pub use changed_files_required::ChangedFilesRequired;
pub use commands::CommandClause;
pub use file_contains::FileContains;
pub use file_excludes::FileExcludes;
pub use file_text::FileText;
pub use line_cap::LineCap;
pub use line_count::Counted;
pub use line_limits::LineLimit;
pub use max_changed_files::MaxChangedFiles;
pub use tests::{DEFAULT_TIMEOUT_SECONDS, Except, FailToPass, PassToPass, Passed, TestClause};
pub use text_search::Needle;
pub use warnings::{warning_needs, warnings};

pub use finding::{Block, Explanation, Finding, FindingStatus, Found, Standing, Warning};

use crate::facts::{Facts, PathRule, Plan};
use crate::json::{Member, Reader};
use serde_json::Value;

/// One thing that a contract asks, with one finding.
///
/// Judging and explaining are pure: the same clause and facts always give the same answer.
pub trait Clause: std::fmt::Debug + Send + Sync {
    /// Returns the contract key that it comes from.
    fn check(&self) -> &'static str;

    /// Returns the JSON Pointer of the clause in the contract: `/tests/0`.
    fn at(&self) -> &str;

    /// Returns the clause as understood: defaults written out, paths normalised. Part of the digest.
    fn normalized(&self) -> Value;

    /// Adds the facts that the clause needs. A clause that pushes to `tests`, `commands` or
    /// `artifacts` keeps no index: the n-th clause of that kind owns the n-th entry.
    fn needs(&self, plan: &mut Plan);

    /// Judges the clause on facts. `index` counts the clauses of this kind from 0.
    fn judge(&self, facts: &Facts, index: usize) -> Finding;

    /// Tells what the clause asks and how it stands, without the facts that only a run gives.
    fn explain(&self, facts: &Facts, index: usize) -> Explanation;

    /// Returns the path rules by which the contract names files that may or must change.
    fn names_files(&self) -> &[PathRule] {
        &[]
    }

    /// Allows the warnings of `explain` to look at the clause's own data.
    fn as_any(&self) -> &dyn std::any::Any;
}

/// Every kind of clause, in the original tool's order.
pub static KINDS: &[ClauseKind] = &[
    changed_files_only::KIND,
    changed_files_required::KIND,
    changed_files_forbidden::KIND,
    max_added_lines::KIND,
    max_deleted_lines::KIND,
    max_changed_files::KIND,
    line_limits::KIND,
    file_contains::KIND,
    file_excludes::KIND,
    added_lines_exclude::KIND,
    tests::KIND,
    commands::KIND,
    artifacts::KIND,
];

/// Returns a list of path rules in its one form: sorted, without repeats.
pub(crate) fn normalized_rules(rules: &[PathRule]) -> Value {
    let mut sorted: Vec<&PathRule> = rules.iter().collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.into_iter().map(normalized_rule).collect()
}

/// Returns a path rule as a contract has it: a string is a literal path, an object a pattern.
pub(crate) fn normalized_rule(rule: &PathRule) -> Value {
    match (rule.as_literal(), rule.as_glob()) {
        (Some(path), _) => Value::String(path.to_owned()),
        (None, glob) => serde_json::json!({ "glob": glob }),
    }
}

/// How a contract key becomes clauses. One static value a key, listed in `KINDS`.
#[derive(Debug, Clone, Copy)]
pub struct ClauseKind {
    /// The contract key.
    pub key: &'static str,
    /// Reads the key's value; problems go to the reader, which knows the places.
    pub read: fn(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>>,
    /// Returns the JSON Schema of the key's value, for editors.
    pub schema: fn() -> Value,
}
