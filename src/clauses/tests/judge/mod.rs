//! Judges one test clause on facts: one file a kind of reason, each of which adds its part to the finding.
//! Pure; an unknown fact is never a pass.

mod base;
mod count;
mod detail;
mod evidence;
mod failures;
mod lost;
mod names;
mod not_proven;
mod notes;
mod process;
mod proof;
mod skipped;
#[cfg(test)]
mod tests;

use super::TestClause;
use super::outcome::Outcome;
use crate::clauses::running::{self, Part};
use crate::clauses::{Block, Finding, Found};
use crate::error::{Failure, Kind};
use crate::facts::{Change, Facts, Known, TestFacts, TestPlan};
use base::Base;

/// Everything that the parts look at.
struct Seen<'a> {
    clause: &'a TestClause,
    tests: &'a TestFacts,
    facts: &'a Facts,
    change: Option<&'a Change>,
    head: Outcome<'a>,
    base: Base<'a>,
}

/// Judges the clause.
pub(super) fn judge(clause: &TestClause, facts: &Facts, index: usize) -> Finding {
    let not_collected = Known::not_collected();
    let tests = match facts.tests.get(index).unwrap_or(&not_collected).get() {
        Ok(tests) => tests,
        Err(failure) => {
            let mut finding = Finding::unknown("tests", &clause.at, failure);
            finding.evidence = evidence::of_unknown(clause);
            return finding;
        }
    };
    let seen = Seen {
        clause,
        tests,
        facts,
        change: facts.change.get().ok(),
        head: Outcome::of(&tests.head),
        base: Base::of(tests),
    };
    let harness = running::harness(&tests.harness, tests.strict, seen.change, "how tests run");
    if let Some(failure) = tests.not_run.as_deref() {
        return not_run(&seen, harness, failure);
    }
    let mut part = run(&seen);
    part.add(harness);
    part.add(names::part(&seen));
    part.add(not_proven::part(&seen));
    part.add(lost::part(&seen));
    part.add(skipped::part(&seen));
    part.add(running::tree(&tests.tree_after));
    part.add(unusable(&seen));
    let has_failed = !part.reasons.is_empty();
    part.notes.extend(notes::notes(&seen, has_failed));
    let evidence = evidence::evidence(&seen, &mut part);
    let finding = part.into_finding("tests", &clause.at, detail::detail(&seen), evidence);
    Finding { command: Some(detail::place(&seen)), ..finding }
}

/// Judges what is known although nothing was run: of tests nothing can be said, and so nothing is.
fn not_run(seen: &Seen<'_>, harness: Part, failure: &Failure) -> Finding {
    let mut part = harness;
    running::not_run(&mut part, "the tests were", failure);
    part.notes.extend(notes::notes(seen, true));
    let evidence = evidence::evidence(seen, &mut part);
    let detail = format!("{}: not run: {}", detail::place(seen), failure.message);
    let finding = part.into_finding("tests", &seen.clause.at, detail, evidence);
    Finding { command: Some(detail::place(seen)), ..finding }
}

/// Judges the run itself: how the process ended, the report, the count and the failures share one block.
fn run(seen: &Seen<'_>) -> Part {
    let mut part = Part::default();
    let mut block = Block { expected: vec![count::expected(seen)], ..Block::default() };
    block.found.push(Found::Text(count::found(seen)));
    for look in [count::look, failures::look, process::look] {
        look(seen, &mut part, &mut block);
    }
    if !part.reasons.is_empty() {
        part.blocks.push(block);
    }
    part
}

/// Facts that cannot be used although nothing is wrong with the change.
fn unusable(seen: &Seen<'_>) -> Part {
    let mut part = Part::default();
    let repeat = usize::try_from(seen.clause.repeat).unwrap_or(usize::MAX);
    if !seen.tests.head.is_empty() && seen.tests.head.len() < repeat {
        let message = format!("the facts hold {} of {repeat} repetitions", seen.tests.head.len());
        part.unknown.push(Failure::new(Kind::FactsMismatch, message));
    }
    if seen.clause.junit.is_some() && seen.tests.strict {
        // Nothing is run for it here, but facts may come from elsewhere.
        part.unknown.push(TestPlan::own_report_under_strict(&seen.clause.at));
    }
    if seen.tests.strict {
        part.unknown.extend(seen.base.healthy().err());
    }
    part.unknown.extend(seen.facts.change.get().err().cloned());
    part
}
