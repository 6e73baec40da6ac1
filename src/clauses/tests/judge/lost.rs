//! The reason `lost`: tests that pass at the merge base and do not at head (`pass_to_pass`, strict mode).

use super::{Seen, names};
use crate::clauses::running::{Part, Reason, counted, merge_base_name};
use crate::clauses::tests::groups::{GroupKey, shown};
use crate::clauses::tests::names::{Named, find, means};
use crate::clauses::tests::outcome::{Merged, Outcome};
use crate::clauses::tests::{Except, PassToPass};
use crate::clauses::{Block, Found};
use crate::facts::{RepoPath, Status, TestRecord};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap, HashSet};

/// A test that passed at the merge base, and what it is at head: `None` when it is not there.
struct Lost<'a> {
    record: &'a TestRecord,
    at_head: Option<Status>,
}

/// Judges what must be kept.
pub(super) fn part(seen: &Seen<'_>) -> Part {
    let mut part = match &seen.clause.pass_to_pass {
        Some(PassToPass::Names(wanted)) => named(wanted, seen),
        None | Some(PassToPass::All { .. }) => Part::default(),
    };
    let except: &[Except] = match &seen.clause.pass_to_pass {
        Some(PassToPass::All { except }) => except,
        None | Some(PassToPass::Names(_)) => &[],
    };
    let asks_for_all = matches!(seen.clause.pass_to_pass, Some(PassToPass::All { .. }));
    if !asks_for_all && !seen.tests.strict {
        return part;
    }
    let base = if asks_for_all { seen.base.with_passing_tests() } else { seen.base.healthy() };
    match base {
        Err(failure) => part.unknown.push(failure),
        Ok(base) => part.add(all(base, except, asks_for_all, seen)),
    }
    part
}

fn all(base: &Outcome<'_>, except: &[Except], asks_for_all: bool, seen: &Seen<'_>) -> Part {
    let is_excepted = |test: &Merged<'_>| except.iter().any(|except| lets_go(except, test.record));
    let passing = base.tests.iter().filter(|test| test.status == Status::Passed);
    let (excepted, kept): (Vec<_>, Vec<_>) = passing.partition(|test| is_excepted(test));
    let lost = compare(base, &kept, &seen.head, &seen.tests.named_deletions);
    let mut part = Part::default();
    for unused in except.iter().filter(|except| !excepted.iter().any(|test| lets_go(except, test.record))) {
        let said = match unused {
            Except::Name(name) => name.clone(),
            Except::Files(rule) => rule.to_string(),
        };
        part.notes.push(format!("`except` names {said}, and no test that passes at the merge base is meant by it"));
    }
    if !excepted.is_empty() {
        part.notes.push(format!("{} by `except`", counted(excepted.len(), "test is let go", "tests are let go")));
    }
    if kept.is_empty() {
        part.notes.push("no test passes at the merge base that could have been lost".to_owned());
    }
    if lost.is_empty() {
        return part;
    }
    part.reasons.push(Reason::Lost);
    part.detail.push(format!("{} lost", lost.len()));
    let what = if asks_for_all { "pass_to_pass" } else { "strict mode" };
    let base_name = merge_base_name(seen.change);
    let passed = counted(kept.len(), "test that passed", "tests that passed");
    let mut block = Block {
        expected: vec![format!("{what}: all {passed} at {base_name} still exist and pass")],
        found: vec![Found::Text(format!("{} lost:", lost.len()))],
        next: vec![format!("bring back as they were, and make pass, the tests that passed at {base_name}")],
    };
    for lost in &lost {
        part.evidence.push(("lost", lost.entry()));
        block.found.push(Found::Path(shown(&lost.record.id), lost.said().to_owned()));
    }
    part.blocks.push(block);
    part
}

fn named(wanted: &[String], seen: &Seen<'_>) -> Part {
    let base = match seen.base.healthy() {
        Ok(base) => base,
        Err(failure) => return Part::unknown(failure),
    };
    let mut part = Part::default();
    let mut n_lost = 0;
    for name in wanted {
        let passed_before = match find(name, &base.tests) {
            Named::Tests(tests) => tests.iter().filter(|test| test.status == Status::Passed).count(),
            Named::Absent(_) | Named::Ambiguous(_) => 0,
        };
        if passed_before == 0 {
            part.notes.push(format!("{name} does not pass at the merge base; it must pass at head all the same"));
        }
        let state = match find(name, &seen.head.tests) {
            Named::Ambiguous(candidates) => {
                part.add(names::ambiguous(name, &candidates));
                continue;
            }
            Named::Absent(_) => None,
            Named::Tests(tests) => {
                let not_passed = tests.iter().map(|test| test.status).find(|status| *status != Status::Passed);
                match not_passed {
                    None if tests.len() >= passed_before => continue,
                    None => None,
                    Some(status) => Some(status),
                }
            }
        };
        n_lost += 1;
        part.reasons.push(Reason::Lost);
        part.evidence.push(("lost", json!({ "id": name, "head": head_word(state) })));
        part.blocks.push(Block {
            expected: vec![format!("pass_to_pass: {name}")],
            found: vec![Found::Text(said(state).to_owned())],
            next: vec!["bring the named test back as it was, and make it pass".to_owned()],
        });
    }
    if n_lost > 0 {
        part.detail.push(format!("{n_lost} lost"));
    }
    part
}

fn lets_go(except: &Except, record: &TestRecord) -> bool {
    match except {
        Except::Files(rule) => record.id.file.as_deref().is_some_and(|file| rule.matches(&RepoPath::from(file))),
        Except::Name(name) => record.id.file.as_deref() == Some(name.trim_start_matches("./")) || means(name, record),
    }
}

/// Compares by id, and the cases of a parametrised test as one group: at least as many must pass. A test of a file that
/// the contract lets go is looked for by its names in files where the merge base does not have it.
fn compare<'a>(
    base: &Outcome<'a>,
    kept: &[&Merged<'a>],
    head: &Outcome<'_>,
    named_deletions: &[RepoPath],
) -> Vec<Lost<'a>> {
    let mut groups: BTreeMap<GroupKey<'a>, Vec<&'a TestRecord>> = BTreeMap::new();
    for test in kept {
        groups.entry(GroupKey::of(test.record)).or_default().push(test.record);
    }
    let at_base: HashSet<GroupKey<'a>> = base.tests.iter().map(|test| GroupKey::of(test.record)).collect();
    let mut passing: HashMap<GroupKey<'_>, usize> = HashMap::new();
    let mut arrived: HashMap<Vec<&str>, usize> = HashMap::new();
    for test in head.tests.iter().filter(|test| test.status == Status::Passed) {
        let key = GroupKey::of(test.record);
        if !at_base.contains(&key) {
            *arrived.entry(key.names().to_vec()).or_default() += 1;
        }
        *passing.entry(key).or_default() += 1;
    }
    let mut lost = Vec::new();
    for (key, records) in groups {
        let mut missing = records.len().saturating_sub(passing.get(&key).copied().unwrap_or(0));
        let is_let_go = key.file().is_some_and(|file| named_deletions.contains(&RepoPath::from(file)));
        if let (true, Some(available)) = (is_let_go, arrived.get_mut(key.names())) {
            let found = missing.min(*available);
            *available -= found;
            missing -= found;
        }
        // What is there and does not pass is lost for sure; it explains a smaller number before an absent case does.
        let status_at_head = |record: &TestRecord| head.get(&record.id).map(|test| test.status);
        for &record in &records {
            if let Some(status) = status_at_head(record).filter(|status| *status != Status::Passed) {
                missing = missing.saturating_sub(1);
                lost.push(Lost { record, at_head: Some(status) });
            }
        }
        let absent = records.into_iter().filter(|record| status_at_head(record).is_none());
        lost.extend(absent.take(missing).map(|record| Lost { record, at_head: None }));
    }
    lost
}

impl Lost<'_> {
    fn entry(&self) -> Value {
        json!({ "id": shown(&self.record.id), "head": head_word(self.at_head) })
    }

    fn said(&self) -> &'static str {
        said(self.at_head)
    }
}

fn head_word(status: Option<Status>) -> Value {
    status.map_or_else(|| json!("absent"), |status| json!(status))
}

const fn said(status: Option<Status>) -> &'static str {
    match status {
        None => "no longer there",
        Some(Status::Passed) => "passes",
        Some(Status::Failed) => "fails",
        Some(Status::Skipped) => "skipped",
        Some(Status::Todo) => "only announced",
        Some(Status::ExpectedFailure) => "declared to fail",
        Some(Status::UnexpectedPass) => "passes although it is declared to fail",
        Some(Status::Flaky) => "flaky",
        Some(Status::Errored) => "its set-up or tear-down fails",
        Some(Status::Unfinished) => "does not end",
    }
}
