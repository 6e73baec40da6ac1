//! The tree after a run: a run that changes tracked files has tested something else than head.

use super::{Part, Reason, counted};
use crate::clauses::{Block, Found, evidence};
use crate::facts::TreeDifference;
use serde_json::{Value, json};

/// Judges what a run changed in the tree.
pub(in crate::clauses) fn tree(differences: &[TreeDifference]) -> Part {
    if differences.is_empty() {
        return Part::default();
    }
    let mut part = Part { reasons: vec![Reason::DirtyTree], ..Part::default() };
    part.detail.push(format!("{} changed by the run", counted(differences.len(), "file", "files")));
    for difference in differences {
        let mut entry = evidence::path(&difference.path);
        entry.insert("what".to_owned(), json!(difference.what));
        part.evidence.push(("tree_after", Value::Object(entry)));
    }
    part.blocks.push(Block {
        expected: vec!["the run leaves the files of head as they are".to_owned()],
        found: differences
            .iter()
            .map(|difference| Found::Path(difference.path.to_lossy(), difference.what.clone()))
            .collect(),
        next: vec!["let the run write only to ignored files or to the temporary folder".to_owned()],
    });
    part
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::RepoPath;

    #[test]
    fn any_difference_fails() {
        assert!(tree(&[]).reasons.is_empty());
        let difference = TreeDifference { path: RepoPath::from("src/a.ts"), what: "modified".to_owned() };
        let part = tree(&[difference]);
        assert_eq!(part.reasons, [Reason::DirtyTree]);
        assert_eq!(part.evidence, [("tree_after", json!({"path": "src/a.ts", "what": "modified"}))]);
    }
}
