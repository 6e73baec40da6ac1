//! The facts that a contract needs: plain data, known before anything is looked at.

use crate::error::{Failure, Kind};
use crate::facts::change::AddedLinesWanted;
use crate::facts::rule::PathRule;
use serde::{Deserialize, Serialize};

/// What has to be found out. Each clause adds to it; `collect` carries it out.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Whether the change (base, head, changed files) is needed. Not for a contract of artifacts only.
    pub change: bool,
    /// Literal paths whose presence at the merge base and at head is asked.
    pub paths: Vec<String>,
    /// Files whose content at head is needed.
    pub contents: Vec<PathRule>,
    /// Files whose content at the merge base is needed; `explain` asks for that.
    pub base_contents: Vec<PathRule>,
    /// Whether all paths at the merge base are needed; `explain` asks for that.
    pub base_tree: bool,
    /// Files whose added lines are needed.
    pub added_lines: Vec<AddedLinesWanted>,
    /// Test commands, in the order of their clauses.
    pub tests: Vec<TestPlan>,
    /// Commands judged by exit status, in the order of their clauses.
    pub commands: Vec<CommandPlan>,
    /// Artifacts, in the order of their clauses.
    pub artifacts: Vec<ArtifactPlan>,
    /// Harness files that the contract allows to change: for whole files.
    pub harness_named: Vec<PathRule>,
    /// Harness files that `harness_changes` allows to change: also for parts of manifests.
    pub harness_changes: Vec<PathRule>,
}

/// One test command to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestPlan {
    /// The argv as the contract names it, launcher and all.
    pub command: Vec<String>,
    /// The folder relative to the root, empty for the root.
    pub cwd: String,
    /// How often to run at head.
    pub repeat: u32,
    /// Wall time for one run in seconds; `None` takes the default.
    pub timeout_seconds: Option<u64>,
    /// Whether a run at the merge base is needed.
    pub base_run: bool,
    /// Whether a run with the source taken back is needed.
    pub taken_back_run: bool,
    /// Which changed files are tests; `None` for the runner's convention.
    pub test_files: Option<Vec<PathRule>>,
    /// A JUnit XML report that the command itself writes, relative to `cwd`.
    pub junit: Option<String>,
}

impl TestPlan {
    /// Returns why `--strict` does not take a report that the command itself writes; `at` is the clause's JSON Pointer.
    pub(crate) fn own_report_under_strict(at: &str) -> Failure {
        let at = at.trim_start_matches('/');
        let message = format!(
            "{at} reads a report that its own command writes (`junit`), which `--strict` does not accept: the code under \
             test could write it too"
        );
        let next = format!("name a known test runner in {at} of the contract, or run without `--strict`");
        Failure::new(Kind::RunnerUnsupported, message).next(next)
    }
}

/// One command to run for its exit status.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandPlan {
    /// The argv.
    pub command: Vec<String>,
    /// The folder relative to the root, empty for the root.
    pub cwd: String,
    /// Wall time in seconds; `None` takes the default.
    pub timeout_seconds: Option<u64>,
}

/// One artifact to read, and the sources to read at the merge base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ArtifactPlan {
    /// The artifact's path in the repository.
    pub path: String,
    /// It is not read when it is larger, in bytes.
    pub max_bytes: u64,
    /// Files with source facts, read at the merge base.
    pub source_files: Vec<String>,
}
