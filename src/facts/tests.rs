//! Facts about test runs and commands: what ran, what each test did, and whether that can be believed.

use crate::error::Failure;
use crate::facts::Known;
use crate::facts::path::RepoPath;
use serde::{Deserialize, Serialize};

/// What a test did. Only `Passed` counts as passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// It ran once and passed.
    Passed,
    /// It failed.
    Failed,
    /// It was not run, by its own or the configuration's wish.
    Skipped,
    /// It is announced and not written.
    Todo,
    /// It failed, as it declares.
    ExpectedFailure,
    /// It passed although it declares that it fails.
    UnexpectedPass,
    /// It passed only after a retry, or not in every repetition.
    Flaky,
    /// Its set-up or tear-down failed.
    Errored,
    /// It was started or collected and never ended.
    Unfinished,
}

impl Status {
    /// Every status, in the order in which counts are told.
    pub const ALL: [Self; 9] = [
        Self::Passed,
        Self::Failed,
        Self::Skipped,
        Self::Todo,
        Self::ExpectedFailure,
        Self::UnexpectedPass,
        Self::Flaky,
        Self::Errored,
        Self::Unfinished,
    ];

    /// Returns whether a test with this status did not do its work but made no noise either.
    pub const fn is_soft(self) -> bool {
        matches!(self, Self::Skipped | Self::Todo | Self::ExpectedFailure)
    }

    /// Returns whether this status alone makes a run fail.
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::UnexpectedPass | Self::Flaky | Self::Errored | Self::Unfinished)
    }
}

/// Names one test within one command: unique, because equal ones are told apart by `ordinal`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TestId {
    /// The runner's project, workspace member or binary, where it has such a thing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// The test file, relative to the repository's root with `/`, where the runner knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The names from the outermost group to the test. The last may hold parameters.
    pub path: Vec<String>,
    /// Counts equal project, file and path from 0, in definition order.
    #[serde(default)]
    pub ordinal: u32,
}

impl TestId {
    /// Returns the full name: the names joined with ` > `.
    pub fn full_name(&self) -> String {
        self.path.join(" > ")
    }
}

/// One test's result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestRecord {
    /// Which test.
    pub id: TestId,
    /// What it did.
    pub status: Status,
    /// Whether the runner itself calls an expected failure, or an unexpected pass, passed.
    #[serde(default)]
    pub counted_as_passed: bool,
    /// The line of the failure or of the test in its file, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    /// The message of a failure or the reason of a skip, as the runner tells it, cut at 4 KiB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The test's name without its parameters where the runner knows it; a parametrised test's group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// A file that could not be loaded, or an error that belongs to no test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadError {
    /// The file, relative to the root with `/`, where it is known.
    pub file: Option<String>,
    /// What the runner said, cut at 4 KiB.
    pub message: String,
    /// The module or symbol that was missing, where the message says that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missing: Option<String>,
}

/// How results came out of the test process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// Record by record over a connection that is accepted once; nothing can be taken back.
    Private,
    /// In a report file, which the code under test could write too.
    ReportFile,
}

/// Whether the stream of records is whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "state")]
pub enum Completeness {
    /// It has its end record, and all numbers agree.
    Complete,
    /// Nothing was received at all.
    NoReport,
    /// It stops early, holds what it must not, or its numbers disagree.
    Incomplete {
        /// What is wrong with it, in words.
        why: String,
    },
}

/// How a process ended.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProcessEnd {
    /// The exit status, `None` when a signal or the deadline ended it.
    pub exit_status: Option<i32>,
    /// The signal that ended it, Unix only.
    pub signal: Option<i32>,
    /// Whether its time was up.
    pub timed_out: bool,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Head and tail of what it printed, cut; never evidence.
    #[serde(default)]
    pub output: String,
    /// How many processes it left running (they were ended).
    #[serde(default)]
    pub left_running: u32,
}

/// One run of a test command on one side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestRun {
    /// The argv that was started, private paths replaced by words in angle brackets.
    pub argv: Vec<String>,
    /// How the process ended.
    pub end: ProcessEnd,
    /// Every test's record.
    pub records: Vec<TestRecord>,
    /// Files that failed to load.
    pub load_errors: Vec<LoadError>,
    /// Errors that belong to no test: unhandled rejections, crashes of workers.
    pub unhandled: Vec<String>,
    /// Whether all records arrived.
    pub completeness: Completeness,
    /// Remarks of the runner's reader, for the finding's notes.
    #[serde(default)]
    pub notes: Vec<String>,
}

/// A change to what decides how tests run and count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct HarnessChange {
    /// The file.
    pub path: RepoPath,
    /// What happened to it.
    pub status: super::change::ChangeStatus,
    /// The part of a manifest with many purposes: `jest`, `[tool.pytest]`; `None` for the whole file.
    pub section: Option<String>,
    /// Why it matters, in words.
    pub why: String,
    /// A note (told, not failed) instead of a fault; `strict_fault` where strict mode makes it one.
    pub weight: HarnessWeight,
}

/// How much a harness change weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HarnessWeight {
    /// Fails the tests clause.
    Fault,
    /// A note; fails under strict mode.
    StrictFault,
    /// A note.
    Note,
    /// Allowed by the contract or the operator; told as a note.
    Allowed,
}

/// A sign in the change of a cheat that cannot be stopped from inside a test process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheatSign {
    /// The file.
    pub path: RepoPath,
    /// The line at head, from 1.
    pub line: u64,
    /// What it may mean, in words.
    pub why: String,
}

/// A file of the checkout that is not as head has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeDifference {
    /// The file.
    pub path: RepoPath,
    /// `modified`, `missing`, `untracked harness file`, ...
    pub what: String,
}

/// Everything found out for one test clause.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TestFacts {
    /// The runner's name: `vitest`.
    pub runner: String,
    /// The runner's version where it is known.
    pub version: Option<String>,
    /// How results came out.
    pub channel: Channel,
    /// The mode: in the checkout, or in private clones.
    pub place: Place,
    /// Whether `--strict` was asked for.
    #[serde(default)]
    pub strict: bool,
    /// The runs at head, one a repetition.
    pub head: Vec<TestRun>,
    /// Why nothing was run at head, where the harness alone speaks against the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<Box<Failure>>,
    /// The run at the merge base, where the plan asked for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Known<TestRun>>,
    /// The run with the change's source files taken back, for `fail_to_pass`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub taken_back: Option<Known<TakenBack>>,
    /// Changes to the harness.
    pub harness: Vec<HarnessChange>,
    /// What the run changed in the checkout: differs after, did not differ before.
    pub tree_after: Vec<TreeDifference>,
    /// Signs of cheats.
    #[serde(default)]
    pub signs: Vec<CheatSign>,
    /// Changed files that are tests, by the runner's convention or `test_files`.
    #[serde(default)]
    pub test_files: Vec<RepoPath>,
    /// Test files of records that are not tracked at head: built by whoever made the change.
    #[serde(default)]
    pub untracked_test_files: Vec<String>,
    /// Names of environment variables that were withheld.
    #[serde(default)]
    pub withheld: Vec<String>,
    /// Files that the change deletes and that the contract names literally: their tests may have moved.
    #[serde(default)]
    pub named_deletions: Vec<RepoPath>,
}

/// What a check would run for one test clause, found out without running it; `explain` shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestPreview {
    /// The runner's name: `vitest`.
    pub runner: String,
    /// The runner's version where it is known.
    pub version: Option<String>,
    /// The argv that would be started, private paths replaced by words in angle brackets.
    pub argv: Vec<String>,
    /// How results would come out.
    pub channel: Channel,
    /// Where it would run.
    pub place: Place,
    /// Whether `--strict` was asked for.
    #[serde(default)]
    pub strict: bool,
    /// Files and parts of manifests that decide how the tests run, as people write them.
    pub harness: Vec<String>,
    /// What the runner does not let anybody see, in words.
    #[serde(default)]
    pub limits: String,
}

/// The run that shows whether a test tests the change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TakenBack {
    /// Head's run in the same clone.
    pub head: TestRun,
    /// The run after the source files went back.
    pub run: TestRun,
    /// The files that went back.
    pub files: Vec<RepoPath>,
    /// Those of them in which head's tests stayed over the rest of the merge base.
    #[serde(default)]
    pub tests_kept_in: Vec<RepoPath>,
}

/// Where tests ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// In the user's checkout.
    Checkout,
    /// In a private clone a command.
    Clone,
}

/// Everything found out for one `commands` entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CommandFacts {
    /// How it ended at head.
    pub end: ProcessEnd,
    /// Why it was not run, where its configuration alone speaks against the change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_run: Option<Box<Failure>>,
    /// How it ended at the merge base, under strict mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base: Option<Known<ProcessEnd>>,
    /// Changes to its configuration.
    pub harness: Vec<HarnessChange>,
    /// What the run changed in the checkout.
    pub tree_after: Vec<TreeDifference>,
    /// Whether `--strict` was asked for.
    #[serde(default)]
    pub strict: bool,
}
