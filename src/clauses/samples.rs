//! Facts for the unit tests of clauses.

use super::{Clause, Finding};
use crate::contract::{Reading, read};
use crate::facts::{
    Change, ChangeStatus, ChangedFile, Entry, Facts, FileAt, FileContent, FileKind, Known, PathPresence, Revision,
};

/// Makes a changed text file.
pub(crate) fn file(path: &str, status: ChangeStatus, added: u64, deleted: u64) -> ChangedFile {
    let entry = || Some(Entry { mode: "100644".to_owned(), object: "0".repeat(40) });
    ChangedFile {
        path: path.into(),
        status,
        kind: FileKind::Text,
        added,
        deleted,
        old: if status == ChangeStatus::Added { None } else { entry() },
        new: if status == ChangeStatus::Deleted { None } else { entry() },
        longest_line: None,
    }
}

/// Makes a change of files.
pub(crate) fn change(files: impl IntoIterator<Item = ChangedFile>) -> Change {
    let revision = |name: &str, commit: &str| Revision { name: name.to_owned(), commit: commit.to_owned() };
    Change {
        base: revision("origin/main", "8c1f0a2b8c1f0a2b8c1f0a2b8c1f0a2b8c1f0a2b"),
        merge_base: "8c1f0a2b8c1f0a2b8c1f0a2b8c1f0a2b8c1f0a2b".to_owned(),
        head: revision("HEAD", "d4e55b9cd4e55b9cd4e55b9cd4e55b9cd4e55b9c"),
        files: files.into_iter().collect(),
    }
}

/// Makes facts that know the change, and of no other path that it is there.
pub(crate) fn facts(files: impl IntoIterator<Item = ChangedFile>) -> Facts {
    let mut facts = Facts::none();
    facts.change = Known::Known(change(files));
    facts.paths = Known::Known(Vec::new());
    facts.contents = Known::Known(Vec::new());
    facts.base_contents = Known::Known(Vec::new());
    facts.base_tree = Known::Known(Vec::new());
    facts.added_lines = Known::Known(Vec::new());
    facts
}

/// Makes the presence of a path that is on both sides.
pub(crate) fn present(path: &str) -> PathPresence {
    PathPresence { path: path.to_owned(), at_merge_base: true, at_head: true }
}

/// Makes the presence of a path that is on neither side.
pub(crate) fn missing(path: &str) -> PathPresence {
    PathPresence { path: path.to_owned(), at_merge_base: false, at_head: false }
}

/// Makes a text file's content.
pub(crate) fn content(path: &str, text: &str) -> FileContent {
    FileContent { path: path.into(), at: FileAt::Text { text: text.to_owned() } }
}

/// Reads the clauses of a contract that is valid.
#[track_caller]
pub(crate) fn clauses(contract: &str) -> Vec<Box<dyn Clause>> {
    match read(contract.as_bytes()) {
        Reading::Valid(contract) => contract.clauses,
        other => panic!("not a contract: {other:?}"),
    }
}

/// Judges the only clause of a contract.
#[track_caller]
pub(crate) fn judge(contract: &str, facts: &Facts) -> Finding {
    let clauses = clauses(contract);
    assert_eq!(clauses.len(), 1, "one clause");
    clauses[0].judge(facts, 0)
}

/// Explains the only clause of a contract: its standing, and its lines.
#[track_caller]
pub(crate) fn explain(contract: &str, facts: &Facts) -> String {
    let explanation = clauses(contract)[0].explain(facts, 0);
    let mut lines = vec![format!("{:?}", explanation.standing)];
    lines.extend(explanation.lines);
    lines.extend(explanation.next.into_iter().map(|line| format!("next: {line}")));
    lines.join("\n")
}
