//! Facts about the change itself: which commits, which files, how many lines.

use crate::facts::path::RepoPath;
use crate::facts::rule::PathRule;
use serde::{Deserialize, Serialize};

/// A commit together with the name that led to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Revision {
    /// The name as it was given: `origin/main`, `HEAD`, a hash.
    #[serde(rename = "ref")]
    pub name: String,
    /// The full hash of the commit.
    pub commit: String,
}

/// The change between the merge base and head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The ref compared against.
    pub base: Revision,
    /// The commit where the change left the base: the only merge base.
    pub merge_base: String,
    /// The commit that is judged.
    pub head: Revision,
    /// Every changed file, in the order of git's diff (by bytes of the path).
    pub files: Vec<ChangedFile>,
}

/// What happened to a file. A rename is a deletion and an addition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeStatus {
    /// New at head.
    Added,
    /// Other content.
    Modified,
    /// Gone at head.
    Deleted,
    /// A file became a link or a submodule, or the other way round.
    TypeChanged,
    /// Only the executable bit differs.
    ModeChanged,
}

/// What a changed path is, at head or, when it was deleted, at the merge base.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileKind {
    /// Lines are counted.
    Text,
    /// Content and extension agree that it is media or an archive; counts as 0 lines.
    Binary,
    /// A symbolic link.
    Symlink,
    /// A pointer to a commit of another repository.
    Submodule,
}

/// One changed path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedFile {
    /// The path.
    pub path: RepoPath,
    /// What happened to it.
    pub status: ChangeStatus,
    /// What it is.
    pub kind: FileKind,
    /// Added lines; 0 for a binary file.
    pub added: u64,
    /// Deleted lines; 0 for a binary file.
    pub deleted: u64,
    /// Mode and object at the merge base, `None` when it was added.
    pub old: Option<Entry>,
    /// Mode and object at head, `None` when it was deleted.
    pub new: Option<Entry>,
    /// Characters of the longest added line where that is over 5,000: line caps say little then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub longest_line: Option<u64>,
}

/// A tree entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The mode in git's octal notation: `100644`.
    pub mode: String,
    /// The full hash of the object.
    pub object: String,
}

/// What stands at a path in one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum FileAt {
    /// A regular file with text; line ends are LF.
    Text {
        /// The text after CRLF became LF and UTF-16 with a byte-order mark was decoded.
        text: String,
    },
    /// A regular file that is neither UTF-8 nor UTF-16 with a byte-order mark.
    NotText,
    /// Nothing is there.
    NoFile,
    /// A symbolic link stands at the path or on the way to it.
    Symlink {
        /// Where the link stands.
        at: RepoPath,
    },
    /// A folder stands there, or a file stands where a folder is needed.
    Directory,
    /// A submodule stands at the path or on the way to it.
    Submodule {
        /// Where the submodule stands.
        at: RepoPath,
    },
}

/// A file's content in one commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileContent {
    /// The path.
    pub path: RepoPath,
    /// What is there.
    #[serde(flatten)]
    pub at: FileAt,
}

/// The lines that a change adds to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedLines {
    /// The path.
    pub path: RepoPath,
    /// Line number at head, from 1, and the line without its end.
    pub lines: Vec<(u64, String)>,
}

/// Which files' added lines a plan needs: those that match the rule, or all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddedLinesWanted {
    /// `None` for every changed file.
    pub path: Option<PathRule>,
}
