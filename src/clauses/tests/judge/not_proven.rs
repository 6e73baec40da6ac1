//! The reason `not_proven`: tests that must show that the change did something (`fail_to_pass`).

use super::proof::{Proof, Sides, Why, all_pass, not_run};
use super::{Seen, names};
use crate::clauses::running::{Part, Reason, counted, merge_base_name};
use crate::clauses::tests::FailToPass;
use crate::clauses::tests::groups::shown;
use crate::clauses::tests::names::{Named, find};
use crate::clauses::tests::outcome::{Merged, Outcome};
use crate::clauses::{Block, Found};
use crate::facts::{ChangeStatus, Status, TestRecord};
use serde_json::json;
use std::collections::{HashMap, HashSet};

/// Judges what must be proven.
pub(super) fn part(seen: &Seen<'_>) -> Part {
    match &seen.clause.fail_to_pass {
        None => Part::default(),
        Some(FailToPass::Names(names)) => named(names, seen),
        Some(FailToPass::AtLeast(n)) => at_least(*n, seen),
    }
}

fn named(wanted: &[String], seen: &Seen<'_>) -> Part {
    let sides = Sides::of(seen);
    let mut part = Part::default();
    let mut n_not_proven = 0;
    for name in wanted {
        let proof = match find(name, &seen.head.tests) {
            Named::Ambiguous(candidates) => {
                part.add(names::ambiguous(name, &candidates));
                continue;
            }
            Named::Absent(_) => Proof::Not(Why::Absent),
            Named::Tests(tests) if !all_pass(&tests) => Proof::Not(Why::FailedAtHead),
            Named::Tests(tests) => match &sides {
                Ok(sides) => any_case(sides, &tests),
                Err(failure) => {
                    part.unknown.push(failure.clone());
                    continue;
                }
            },
        };
        match proof {
            Proof::Proven => {}
            Proof::ProvenByLoading => part.notes.push(by_loading(name)),
            Proof::Unknown(why) => part.unknown.push(not_run(&why)),
            Proof::Not(why) => {
                n_not_proven += 1;
                part.add(not_proven(name, why, seen));
            }
        }
    }
    if n_not_proven > 0 {
        part.detail.push(format!("{n_not_proven} not proven"));
    }
    part
}

/// A parametrised test proves the change with one of its cases.
fn any_case(sides: &Sides<'_>, tests: &[&Merged<'_>]) -> Proof {
    let proofs: Vec<Proof> = tests.iter().map(|test| sides.proof(test.record)).collect();
    let best = |wanted: fn(&Proof) -> bool| proofs.iter().find(|proof| wanted(proof)).cloned();
    best(|proof| *proof == Proof::Proven)
        .or_else(|| best(|proof| *proof == Proof::ProvenByLoading))
        .or_else(|| best(|proof| matches!(proof, Proof::Unknown(_))))
        .or_else(|| proofs.first().cloned())
        .unwrap_or(Proof::Not(Why::Absent))
}

fn at_least(n: u64, seen: &Seen<'_>) -> Part {
    let (sides, base) = match (Sides::of(seen), seen.base.healthy()) {
        (Ok(sides), Ok(base)) => (sides, base),
        (Err(failure), _) | (_, Err(failure)) => return Part::unknown(failure),
    };
    let mut part = Part::default();
    let before = Before::of(base, seen);
    let mut n_proven: u64 = 0;
    let mut unknown = Vec::new();
    let mut not: Vec<(&Merged<'_>, Why)> = Vec::new();
    for test in seen.head.tests.iter().filter(|test| is_in_changed_test_file(test.record, seen)) {
        let age = before.age(test.record);
        if age == Age::FailedBefore || matches!(test.status, Status::Skipped | Status::Todo) {
            continue;
        }
        let proof =
            if test.status == Status::Passed { sides.proof(test.record) } else { Proof::Not(Why::FailedAtHead) };
        match proof {
            Proof::Proven => n_proven += 1,
            Proof::ProvenByLoading => {
                n_proven += 1;
                part.notes.push(by_loading(&shown(&test.record.id)));
            }
            Proof::Unknown(why) => unknown.push(why),
            Proof::Not(why) if age == Age::New => not.push((test, why)),
            // It was there before, and was not asked for.
            Proof::Not(_) => {}
        }
    }
    part.detail.push(format!("{n_proven} proven (expected at least {n})"));
    let possible = n_proven.saturating_add(u64::try_from(unknown.len()).unwrap_or(u64::MAX));
    if n_proven >= n {
        return part;
    }
    if possible >= n {
        part.unknown.extend(unknown.first().map(|why| not_run(why)));
        return part;
    }
    part.reasons.push(Reason::NotProven);
    let base_name = merge_base_name(seen.change);
    let mut block = Block {
        expected: vec![format!(
            "at least {} with the code of {base_name} and {} at HEAD",
            counted(
                usize::try_from(n).unwrap_or(usize::MAX),
                "new or edited test that fails",
                "new or edited tests that fail"
            ),
            if n == 1 { "passes" } else { "pass" }
        )],
        found: vec![Found::Text(format!("{n_proven} such in changed test files"))],
        next: vec!["write the tests that the contract asks for so that they assert what was wrong before".to_owned()],
    };
    for (test, why) in not {
        let name = shown(&test.record.id);
        part.evidence.push(("not_proven", json!({ "name": name, "why": why.word() })));
        block.found.push(Found::Path(name, said(why, &base_name).0));
    }
    part.blocks.push(block);
    part
}

/// How long a test has been there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// The merge base does not have it, or has it only skipped or announced.
    New,
    /// It passes at the merge base; if it fails with the source taken back, it was edited.
    PassedBefore,
    /// It failed at the merge base already: neither new, nor told to be edited.
    FailedBefore,
}

/// The merge base's tests: by id, and by name those of files that the change deletes, which may have moved.
struct Before<'a, 'b> {
    base: &'b Outcome<'a>,
    moved: HashMap<&'a [String], Status>,
}

impl<'a, 'b> Before<'a, 'b> {
    fn of(base: &'b Outcome<'a>, seen: &Seen<'_>) -> Self {
        let files = seen.change.map(|change| change.files.as_slice()).unwrap_or_default();
        let deleted: HashSet<&str> = files
            .iter()
            .filter(|file| file.status == ChangeStatus::Deleted)
            .filter_map(|file| file.path.as_str())
            .collect();
        let moved =
            base.tests.iter().filter(|test| test.record.id.file.as_deref().is_some_and(|file| deleted.contains(file)));
        let moved = moved.map(|test| (test.record.id.path.as_slice(), test.status)).collect();
        Self { base, moved }
    }

    fn age(&self, record: &TestRecord) -> Age {
        let status = self.base.get(&record.id).map(|test| test.status);
        match status.or_else(|| self.moved.get(record.id.path.as_slice()).copied()) {
            None | Some(Status::Skipped | Status::Todo) => Age::New,
            Some(Status::Passed) => Age::PassedBefore,
            Some(
                Status::Failed
                | Status::ExpectedFailure
                | Status::UnexpectedPass
                | Status::Flaky
                | Status::Errored
                | Status::Unfinished,
            ) => Age::FailedBefore,
        }
    }
}

/// A runner that knows no files leaves it to the comparison with the merge base.
fn is_in_changed_test_file(record: &TestRecord, seen: &Seen<'_>) -> bool {
    match record.id.file.as_deref() {
        None => true,
        Some(file) => seen.tests.test_files.iter().any(|path| path.as_str() == Some(file)),
    }
}

fn by_loading(name: &str) -> String {
    format!("{name}: with the code of the merge base it could not be loaded; that was taken as its proof")
}

fn not_proven(name: &str, why: Why, seen: &Seen<'_>) -> Part {
    let (found, next) = said(why, &merge_base_name(seen.change));
    Part {
        reasons: vec![Reason::NotProven],
        blocks: vec![Block {
            expected: vec![format!("fail_to_pass: {name}")],
            found: vec![Found::Text(found)],
            next: vec![next.to_owned()],
        }],
        evidence: vec![("not_proven", json!({ "name": name, "why": why.word() }))],
        ..Part::default()
    }
}

fn said(why: Why, base: &str) -> (String, &'static str) {
    match why {
        Why::PassesWithoutChange => (
            format!(
                "it passes at HEAD, and also with the code of {base}: it does not show that the change did anything"
            ),
            "let the test assert what was wrong before the change",
        ),
        Why::Absent => ("no test has this name".to_owned(), "write the test that the contract names, under that name"),
        Why::DidNotRun => (
            format!("with the code of {base} it did not run: that shows nothing"),
            "let the test run without the change too, and assert what was wrong before",
        ),
        Why::OnlyLoading => (
            format!("with the code of {base} it could not be loaded, which strict mode does not take as proof"),
            "let the test load without the change too, and assert what was wrong before",
        ),
        Why::OwnFileTakenBack => (
            "its file holds product code as well, and went back with it: it cannot be proven there".to_owned(),
            "move the test into a test file",
        ),
        Why::FailedAtHead => ("it does not pass at HEAD".to_owned(), "make the test pass"),
    }
}
