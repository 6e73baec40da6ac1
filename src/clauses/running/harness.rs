//! The harness: files that decide how something runs and counts must be as the merge base has them.

use super::{Part, Reason, counted, merge_base_name};
use crate::clauses::{Block, Found, evidence, undo, words};
use crate::facts::{Change, ChangedFile, HarnessChange, HarnessWeight, RepoPath};
use serde_json::{Value, json};

/// Judges changes to the harness; `what` is what the files decide: `how tests run`.
pub(in crate::clauses) fn harness(
    changes: &[HarnessChange],
    strict: bool,
    change: Option<&Change>,
    what: &str,
) -> Part {
    let mut part = Part::default();
    let mut faults: Vec<&HarnessChange> = Vec::new();
    for changed in changes {
        match changed.weight {
            HarnessWeight::Fault => faults.push(changed),
            HarnessWeight::StrictFault if strict => faults.push(changed),
            HarnessWeight::StrictFault | HarnessWeight::Note => part.notes.push(told(changed, "")),
            HarnessWeight::Allowed => part.notes.push(told(changed, ", which is allowed")),
        }
    }
    if faults.is_empty() {
        return part;
    }
    part.reasons.push(Reason::Harness);
    let mut paths: Vec<_> = faults.iter().map(|fault| &fault.path).collect();
    paths.sort_unstable();
    paths.dedup();
    part.detail.push(format!("{} changed", counted(paths.len(), "harness file", "harness files")));
    let mut block = Block {
        expected: vec![format!("files that decide {what} are as they were at {}", merge_base_name(change))],
        ..Block::default()
    };
    for fault in &faults {
        block.found.push(Found::Path(fault.path.to_lossy(), said_of(fault, change)));
        block.found.push(Found::Text(fault.why.clone()));
        let mut entry = evidence::path(&fault.path);
        entry.insert("status".to_owned(), json!(fault.status));
        entry.insert("section".to_owned(), json!(fault.section));
        entry.insert("why".to_owned(), json!(fault.why));
        part.evidence.push(("harness", Value::Object(entry)));
    }
    for path in paths {
        block.next.push(match change.zip(changed_file(change, path)) {
            Some((change, file)) => undo::undo(change, file),
            None => format!("undo the change to {}", path.to_lossy()),
        });
    }
    part.blocks.push(block);
    part
}

fn told(changed: &HarnessChange, allowed: &str) -> String {
    let section = changed.section.as_ref().map(|section| format!(" ({section})")).unwrap_or_default();
    let status = words::status(changed.status).replace('_', " ");
    format!("{}{section} is {status}{allowed}: {}", changed.path.to_lossy(), changed.why)
}

fn said_of(fault: &HarnessChange, change: Option<&Change>) -> String {
    let said = match changed_file(change, &fault.path) {
        Some(file) => words::change(file),
        None => words::status(fault.status).replace('_', " "),
    };
    match &fault.section {
        Some(section) => format!("{said}, in {section}"),
        None => said,
    }
}

fn changed_file<'a>(change: Option<&'a Change>, path: &RepoPath) -> Option<&'a ChangedFile> {
    change?.files.iter().find(|file| file.path == *path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::ChangeStatus;

    fn changed(weight: HarnessWeight) -> HarnessChange {
        HarnessChange {
            path: RepoPath::from("package.json"),
            status: ChangeStatus::Modified,
            section: Some("jest".to_owned()),
            why: "it configures the runner".to_owned(),
            weight,
        }
    }

    #[test]
    fn only_faults_fail_and_strict_mode_knows_more_of_them() {
        for (weight, strict, fails) in [
            (HarnessWeight::Fault, false, true),
            (HarnessWeight::Fault, true, true),
            (HarnessWeight::StrictFault, false, false),
            (HarnessWeight::StrictFault, true, true),
            (HarnessWeight::Note, true, false),
            (HarnessWeight::Allowed, true, false),
        ] {
            let part = harness(&[changed(weight)], strict, None, "how tests run");
            assert_eq!(!part.reasons.is_empty(), fails, "{weight:?} {strict}");
            assert_eq!(part.notes.is_empty(), fails, "{weight:?} {strict}");
        }
    }

    #[test]
    fn a_fault_names_file_part_and_reason_and_only_undoing_as_the_way_out() {
        let part = harness(&[changed(HarnessWeight::Fault)], false, None, "how tests run");
        assert_eq!(part.blocks[0].found[0], Found::Path("package.json".into(), "modified, in jest".into()));
        assert_eq!(part.blocks[0].next, ["undo the change to package.json"]);
        let expected =
            json!({"path": "package.json", "status": "modified", "section": "jest", "why": "it configures the runner"});
        assert_eq!(part.evidence, [("harness", expected)]);
    }
}
