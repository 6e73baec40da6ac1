//! Facts and plan as plain, serialisable data. Knows nothing of how they are found or judged.

mod artifacts;
mod change;
mod command_line;
mod forge;
mod path;
mod pattern;
mod plan;
mod rule;
mod tests;

pub use artifacts::{ArtifactFacts, Bytes, Document, SourceFile};
pub use change::{
    AddedLines, AddedLinesWanted, Change, ChangeStatus, ChangedFile, Entry, FileAt, FileContent, FileKind, Revision,
};
pub use command_line::command_line;
pub use forge::{Edit, History, Permission, Person, RepoName};
pub use path::RepoPath;
pub use plan::{ArtifactPlan, CommandPlan, Plan, TestPlan};
pub use rule::PathRule;
pub use tests::{
    Channel, CheatSign, CommandFacts, Completeness, HarnessChange, HarnessWeight, LoadError, Place, ProcessEnd, Status,
    TakenBack, TestFacts, TestId, TestPreview, TestRecord, TestRun, TreeDifference,
};

use crate::error::{Failure, Kind};
use serde::{Deserialize, Serialize};

/// A fact that is known, or the reason why it is not. An unknown fact is never a pass.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Known<T> {
    /// It was found out.
    Known(T),
    /// It could not be found out.
    Unknown(Box<Failure>),
}

impl<T> Known<T> {
    /// Returns the fact, or the reason why it is unknown.
    pub fn get(&self) -> Result<&T, &Failure> {
        match self {
            Self::Known(value) => Ok(value),
            Self::Unknown(failure) => Err(failure),
        }
    }

    /// Makes an unknown fact that nobody asked for; judging it is a bug in a plan.
    pub fn not_collected() -> Self {
        Self::Unknown(Box::new(Failure::new(Kind::Bug, "a fact was judged that no plan asked for")))
    }
}

impl<T> From<Result<T, Failure>> for Known<T> {
    fn from(result: Result<T, Failure>) -> Self {
        match result {
            Ok(value) => Self::Known(value),
            Err(failure) => Self::Unknown(Box::new(failure)),
        }
    }
}

/// Whether a literal path is there, on both sides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PathPresence {
    /// The path.
    pub path: String,
    /// Whether a file, link or submodule stands there at the merge base.
    pub at_merge_base: bool,
    /// Whether one stands there at head.
    pub at_head: bool,
}

/// Everything that was found out about one change for one contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The digest of the contract that they were gathered for, where one was known.
    pub contract_digest: Option<String>,
    /// The change.
    pub change: Known<Change>,
    /// Presence of the plan's literal paths.
    pub paths: Known<Vec<PathPresence>>,
    /// Content at head of the files that match the plan's rules; a literal rule always has an entry.
    pub contents: Known<Vec<FileContent>>,
    /// The same at the merge base.
    pub base_contents: Known<Vec<FileContent>>,
    /// All paths at the merge base.
    pub base_tree: Known<Vec<RepoPath>>,
    /// Added lines of the files that the plan asked for.
    pub added_lines: Known<Vec<AddedLines>>,
    /// One entry a test plan.
    pub tests: Vec<Known<TestFacts>>,
    /// What a check would run, one entry a test plan; only `explain` asks for it.
    #[serde(default)]
    pub previews: Vec<Known<TestPreview>>,
    /// One entry a command plan.
    pub commands: Vec<Known<CommandFacts>>,
    /// One entry an artifact plan.
    pub artifacts: Vec<Known<ArtifactFacts>>,
}

impl Facts {
    /// Makes facts of which nothing is known yet.
    pub fn none() -> Self {
        Self {
            contract_digest: None,
            change: Known::not_collected(),
            paths: Known::not_collected(),
            contents: Known::not_collected(),
            base_contents: Known::not_collected(),
            base_tree: Known::not_collected(),
            added_lines: Known::not_collected(),
            tests: Vec::new(),
            previews: Vec::new(),
            commands: Vec::new(),
            artifacts: Vec::new(),
        }
    }
}
