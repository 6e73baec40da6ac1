//! What the clauses that run something share: a finding made of parts, the harness, and the tree after a run.
//! Knows nothing of a single clause.

mod harness;
mod tree;

pub(super) use harness::harness;
pub(super) use tree::tree;

use super::{Block, Finding, FindingStatus, Found, undo};
use crate::error::{Act, Failure};
use crate::facts::{Change, ProcessEnd};
use serde_json::{Value, json};

/// A list in evidence has at most so many entries; `omitted` counts the rest.
const MAX_ENTRIES: usize = 10_000;

/// Why a clause does not hold. The order is the one in which reasons are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reason {
    Count,
    FailedTests,
    LoadError,
    ExitStatus,
    NoReport,
    IncompleteReport,
    Harness,
    Names,
    NotProven,
    Lost,
    Skipped,
    Flaky,
    Timeout,
    DirtyTree,
}

impl Reason {
    /// Every reason, in order.
    #[cfg(test)]
    pub(super) const ALL: [Self; 14] = [
        Self::Count,
        Self::FailedTests,
        Self::LoadError,
        Self::ExitStatus,
        Self::NoReport,
        Self::IncompleteReport,
        Self::Harness,
        Self::Names,
        Self::NotProven,
        Self::Lost,
        Self::Skipped,
        Self::Flaky,
        Self::Timeout,
        Self::DirtyTree,
    ];

    /// Returns the stable name that evidence holds.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::FailedTests => "failed_tests",
            Self::LoadError => "load_error",
            Self::ExitStatus => "exit_status",
            Self::NoReport => "no_report",
            Self::IncompleteReport => "incomplete_report",
            Self::Harness => "harness",
            Self::Names => "names",
            Self::NotProven => "not_proven",
            Self::Lost => "lost",
            Self::Skipped => "skipped",
            Self::Flaky => "flaky",
            Self::Timeout => "timeout",
            Self::DirtyTree => "dirty_tree",
        }
    }
}

/// What one look at the facts adds to a finding.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Why the clause does not hold.
    pub(super) reasons: Vec<Reason>,
    /// Pieces of the detail line, after the original tool's words.
    pub(super) detail: Vec<String>,
    /// What people are shown.
    pub(super) blocks: Vec<Block>,
    /// Remarks that change nothing.
    pub(super) notes: Vec<String>,
    /// Entries for the evidence's lists, by key.
    pub(super) evidence: Vec<(&'static str, Value)>,
    /// Facts that are needed and unknown.
    pub(super) unknown: Vec<Failure>,
}

impl Part {
    /// Makes a part for which a needed fact is unknown.
    pub(super) fn unknown(failure: Failure) -> Self {
        Self { unknown: vec![failure], ..Self::default() }
    }

    /// Takes in another part, after this one.
    pub(super) fn add(&mut self, other: Self) {
        self.reasons.extend(other.reasons);
        self.detail.extend(other.detail);
        self.blocks.extend(other.blocks);
        self.notes.extend(other.notes);
        self.evidence.extend(other.evidence);
        self.unknown.extend(other.unknown);
    }

    /// Moves the entries gathered under a key into one list of the evidence.
    pub(super) fn take_list(&mut self, key: &'static str, evidence: &mut Value) {
        let mut entries = Vec::new();
        self.evidence.retain_mut(|(of, value)| {
            let is_of_key = *of == key;
            if is_of_key {
                entries.push(value.take());
            }
            !is_of_key
        });
        let omitted = entries.len().saturating_sub(MAX_ENTRIES);
        entries.truncate(MAX_ENTRIES);
        evidence[key] = Value::Array(entries);
        if omitted > 0 {
            let before = evidence["omitted"].as_u64().unwrap_or(0);
            evidence["omitted"] = json!(before.saturating_add(u64::try_from(omitted).unwrap_or(u64::MAX)));
        }
    }

    /// Makes the finding: failed with any reason; else unknown with any unknown fact; else passed.
    pub(super) fn into_finding(mut self, check: &str, at: &str, detail: String, mut evidence: Value) -> Finding {
        self.reasons.sort_unstable();
        self.reasons.dedup();
        evidence["reasons"] = self.reasons.iter().map(|reason| reason.name()).collect();
        let status = match (self.reasons.is_empty(), self.unknown.is_empty()) {
            (false, _) => FindingStatus::Failed,
            (true, false) => FindingStatus::Unknown,
            (true, true) => FindingStatus::Passed,
        };
        let failure = self.unknown.first().cloned();
        let detail = match (&failure, status) {
            (Some(failure), FindingStatus::Unknown) => format!("could not be checked: {}", failure.message),
            _ => std::iter::once(detail).chain(self.detail).collect::<Vec<_>>().join("; "),
        };
        if status == FindingStatus::Failed {
            let unknown = self.unknown.iter().map(|failure| format!("could not be checked: {}", failure.message));
            self.notes.extend(unknown);
        }
        let mut notes: Vec<String> = Vec::new();
        for note in self.notes {
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
        Finding {
            check: check.to_owned(),
            at: at.to_owned(),
            status,
            detail,
            command: None,
            next: if status == FindingStatus::Failed { next_of(&self.blocks) } else { None },
            evidence,
            blocks: if status == FindingStatus::Failed { self.blocks } else { Vec::new() },
            notes,
            failure: if status == FindingStatus::Unknown { failure.map(Box::new) } else { None },
        }
    }
}

/// Says that what a clause asks for was not run, and why, after what its harness has against the change. Alone it makes
/// the clause unknown.
pub(super) fn not_run(part: &mut Part, what: &str, failure: &Failure) {
    if part.reasons.is_empty() {
        part.unknown.push(failure.clone());
        return;
    }
    part.blocks.push(Block {
        found: vec![Found::Text(format!("{what} not run: {}", failure.message))],
        next: if failure.act() == Act::Author { failure.next.clone() } else { Vec::new() },
        ..Block::default()
    });
}

/// Joins what the blocks say to do next into one sentence.
fn next_of(blocks: &[Block]) -> Option<String> {
    let mut steps: Vec<&str> = Vec::new();
    for step in blocks.iter().flat_map(|block| &block.next) {
        if !steps.contains(&step.as_str()) {
            steps.push(step);
        }
    }
    (!steps.is_empty()).then(|| steps.join("; "))
}

/// Returns whether a process ended by itself with exit status 0.
pub(super) fn ended_well(end: &ProcessEnd) -> bool {
    end.exit_status == Some(0) && end.signal.is_none() && !end.timed_out
}

/// Rounds seconds to milliseconds: more digits say nothing.
pub(super) fn milliseconds(seconds: f64) -> Value {
    json!((seconds * 1000.0).round() / 1000.0)
}

/// Returns how the merge base is called: by its short hash where the change is known.
pub(super) fn merge_base_name(change: Option<&Change>) -> String {
    change.map_or_else(|| "the merge base".to_owned(), |change| undo::short(&change.merge_base).to_owned())
}

/// Returns the last 4 KiB of a text, from the start of a line where there is one.
pub(super) fn tail(text: &str) -> &str {
    const MAX_BYTES: usize = 4096;
    if text.len() <= MAX_BYTES {
        return text;
    }
    let start = (text.len() - MAX_BYTES..text.len()).find(|&index| text.is_char_boundary(index)).unwrap_or(text.len());
    let tail = &text[start..];
    match tail.find('\n') {
        Some(end) if end + 1 < tail.len() => &tail[end + 1..],
        _ => tail,
    }
}

/// Returns `1 test`, `2 tests`: a number and its noun, with the given plural.
pub(super) fn counted(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;
    use proptest::prelude::*;

    fn part(reasons: &[Reason], unknown: usize) -> Part {
        Part {
            reasons: reasons.to_vec(),
            unknown: vec![Failure::new(Kind::BaseRunUnhealthy, "x"); unknown],
            ..Part::default()
        }
    }

    fn status(part: Part) -> FindingStatus {
        part.into_finding("tests", "/tests/0", String::new(), json!({})).status
    }

    #[test]
    fn a_reason_weighs_more_than_an_unknown_fact_and_that_more_than_nothing() {
        assert_eq!(status(part(&[], 0)), FindingStatus::Passed);
        assert_eq!(status(part(&[], 1)), FindingStatus::Unknown);
        assert_eq!(status(part(&[Reason::Lost], 1)), FindingStatus::Failed);
    }

    #[test]
    fn reasons_are_told_in_their_fixed_order() {
        let finding = part(&[Reason::DirtyTree, Reason::Count, Reason::Lost, Reason::Count], 0);
        let finding = finding.into_finding("tests", "/tests/0", String::new(), json!({}));
        assert_eq!(finding.evidence["reasons"], json!(["count", "lost", "dirty_tree"]));
        let mut sorted = Reason::ALL;
        sorted.sort_unstable();
        assert_eq!(sorted, Reason::ALL);
    }

    #[test]
    fn a_tail_is_short_and_starts_with_a_line() {
        assert_eq!(tail("a\nb"), "a\nb");
        let text = format!("{}\nlast é line", "x".repeat(5000));
        assert_eq!(tail(&text), "last é line");
        assert!(tail(&"é".repeat(5000)).len() <= 4096);
    }

    proptest! {
        #[test]
        fn more_facts_never_turn_a_failure_into_a_pass(
            first in proptest::collection::vec(0..14_usize, 0..4),
            more in proptest::collection::vec(0..14_usize, 0..4),
            unknown in 0..3_usize,
            more_unknown in 0..3_usize,
        ) {
            let reasons = |indices: &[usize]| indices.iter().map(|&index| Reason::ALL[index]).collect::<Vec<_>>();
            let before = status(part(&reasons(&first), unknown));
            let mut both = part(&reasons(&first), unknown);
            both.add(part(&reasons(&more), more_unknown));
            let after = status(both);
            prop_assert!(before == FindingStatus::Passed || after != FindingStatus::Passed);
            prop_assert!(before != FindingStatus::Failed || after == FindingStatus::Failed);
        }
    }
}
