//! The head of a report: which contract, which change; and the notes at its end.

use super::page::Page;
use crate::facts::Change;
use crate::report::model::{Command, ContractInfo, Report};

pub(super) fn write(page: &mut Page, report: &Report) {
    if let Some(contract) = &report.contract {
        page.headed("contract", &contract_line(contract, report));
    } else if report.unchecked.is_some() {
        page.headed("contract", "none");
    }
    if let Some(change) = &report.change {
        page.headed("change", &change_line(change, report.command));
    }
    if let Some(contract) = &report.contract {
        for note in &contract.notes {
            page.headed("note", note);
        }
        if report.command == Command::Parse
            && let Some(digest) = &contract.digest
        {
            page.headed("pin it", &format!("--expect-digest {digest}"));
        }
    }
    page.blank();
}

fn contract_line(contract: &ContractInfo, report: &Report) -> String {
    let mut parts = vec![contract.source.clone()];
    match (&contract.author, &contract.association) {
        (Some(author), Some(association)) => parts.push(format!("by {author} ({association})")),
        (Some(author), None) => parts.push(format!("by {author}")),
        (None, _) => {}
    }
    if let Some(digest) = &contract.digest
        && report.command != Command::Parse
    {
        parts.push(short_digest(digest).to_owned());
    }
    parts.extend(contract.remarks.iter().cloned());
    parts.join(", ")
}

/// Returns as much of a digest as people compare by eye.
pub(in crate::report) fn short_digest(digest: &str) -> &str {
    digest.get(..19).unwrap_or(digest)
}

/// Returns as much of a commit's hash as people read.
pub(in crate::report) fn short_hash(hash: &str) -> &str {
    hash.get(..7).unwrap_or(hash)
}

fn change_line(change: &Change, command: Command) -> String {
    let names = format!("{} -> {}", side(&change.base, &change.merge_base), side(&change.head, &change.head.commit));
    if command == Command::Explain && change.head.commit == change.merge_base {
        return format!("{names}, no commit yet");
    }
    format!("{names}, {}", size(change))
}

fn side(revision: &crate::facts::Revision, commit: &str) -> String {
    let short = short_hash(commit);
    if revision.name == commit { short.to_owned() } else { format!("{} {short}", revision.name) }
}

/// Returns how large a change is: `2 files, +41 -3`.
pub(in crate::report) fn size(change: &Change) -> String {
    let count = change.files.len();
    let (mut added, mut deleted) = (0_u64, 0_u64);
    for file in &change.files {
        added = added.saturating_add(file.added);
        deleted = deleted.saturating_add(file.deleted);
    }
    format!("{count} {}, +{added} -{deleted}", if count == 1 { "file" } else { "files" })
}

pub(super) fn write_notes(page: &mut Page, report: &Report) {
    let mut told: Vec<&str> = Vec::new();
    let of_findings = report.findings.iter().flat_map(|finding| &finding.notes);
    for note in report.notes.iter().chain(of_findings) {
        if !told.contains(&note.as_str()) {
            told.push(note);
            page.note(note);
        }
    }
    if page.is_verbose() {
        for names in report.findings.iter().filter_map(|finding| finding.evidence["withheld_environment"].as_array()) {
            let names: Vec<&str> = names.iter().filter_map(serde_json::Value::as_str).collect();
            page.note(&format!("all variables not passed to the tests: {}", names.join(", ")));
        }
    }
    page.blank();
}
