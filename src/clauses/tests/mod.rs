//! The `tests` clause: its data, what it needs, and the way from there to reading, judging and explaining.
//! Knows nothing of how a runner is started or how its records are read.

mod explain;
mod groups;
mod judge;
mod names;
mod outcome;
mod read;
#[cfg(test)]
mod samples;
mod schema;

pub(super) use read::KIND;

use super::{Clause, Explanation, Finding, normalized_rule, normalized_rules};
use crate::facts::{AddedLinesWanted, Facts, PathRule, Plan, TestPlan, command_line};
use serde_json::{Value, json};

/// Wall time of one run where neither the contract nor the operator says another.
pub const DEFAULT_TIMEOUT_SECONDS: u64 = 900;

/// One entry of `tests`: a command, and what its tests must show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestClause {
    /// Its JSON Pointer in the contract.
    pub at: String,
    /// The command as argv.
    pub command: Vec<String>,
    /// The folder to run in, empty for the root.
    pub cwd: String,
    /// How many tests must pass.
    pub passed: Option<Passed>,
    /// Tests that must have run and passed, sorted.
    pub names: Vec<String>,
    /// Tests that must show that the change did something.
    pub fail_to_pass: Option<FailToPass>,
    /// Tests of the merge base that must still pass.
    pub pass_to_pass: Option<PassToPass>,
    /// Which changed files are tests; `None` for the runner's convention.
    pub test_files: Option<Vec<PathRule>>,
    /// At most that many tests that are skipped, announced or expected to fail.
    pub max_skipped: Option<u64>,
    /// How often to run.
    pub repeat: u32,
    /// Wall time of one run in seconds, where the contract says it.
    pub timeout_seconds: Option<u64>,
    /// A JUnit XML report that the command itself writes, relative to `cwd`.
    pub junit: Option<String>,
}

/// How many tests must pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// Exactly so many.
    Exactly(u64),
    /// So many or more.
    AtLeast(u64),
    /// So many more than at the merge base, with as many names that it does not have.
    MoreThanBase(u64),
}

/// Which tests must pass at head and fail without the change's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailToPass {
    /// These, by name, sorted.
    Names(Vec<String>),
    /// So many new or edited ones in changed test files.
    AtLeast(u64),
}

/// Which tests that pass at the merge base must still be there and pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PassToPass {
    /// Every one but these.
    All {
        /// What may go or change, sorted.
        except: Vec<Except>,
    },
    /// These, by name, sorted.
    Names(Vec<String>),
}

/// What `pass_to_pass` lets go.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Except {
    /// A test's name, or the path of a test file.
    Name(String),
    /// Every test in the files that match.
    Files(PathRule),
}

impl TestClause {
    /// Returns whether judging needs a run at the merge base, whatever the mode.
    fn needs_base(&self) -> bool {
        matches!(self.passed, Some(Passed::MoreThanBase(_)))
            || self.pass_to_pass.is_some()
            || matches!(self.fail_to_pass, Some(FailToPass::AtLeast(_)))
    }

    /// Returns the wall time of one run in seconds.
    fn timeout(&self) -> u64 {
        self.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS)
    }

    /// Returns the command as people write it.
    fn command_line(&self) -> String {
        command_line(&self.command)
    }
}

impl Clause for TestClause {
    fn check(&self) -> &'static str {
        "tests"
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        let mut value = json!({
            "command": self.command,
            "cwd": if self.cwd.is_empty() { "." } else { &self.cwd },
            "repeat": self.repeat,
            "timeout_seconds": self.timeout(),
        });
        let optional = [
            ("passed", self.passed.map(Passed::normalized)),
            ("names", (!self.names.is_empty()).then(|| json!(self.names))),
            ("fail_to_pass", self.fail_to_pass.as_ref().map(FailToPass::normalized)),
            ("pass_to_pass", self.pass_to_pass.as_ref().map(PassToPass::normalized)),
            ("test_files", self.test_files.as_deref().map(normalized_rules)),
            ("max_skipped", self.max_skipped.map(Value::from)),
            ("junit", self.junit.as_ref().map(|path| json!(path))),
        ];
        for (key, field) in optional {
            if let Some(field) = field {
                value[key] = field;
            }
        }
        value
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
        if self.fail_to_pass.is_some() {
            // A missing symbol is the change's own when one of its added lines names it.
            plan.added_lines.push(AddedLinesWanted { path: None });
        }
        plan.tests.push(TestPlan {
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            repeat: self.repeat,
            timeout_seconds: self.timeout_seconds,
            base_run: self.needs_base(),
            taken_back_run: self.fail_to_pass.is_some(),
            test_files: self.test_files.clone(),
            junit: self.junit.clone(),
        });
    }

    fn judge(&self, facts: &Facts, index: usize) -> Finding {
        judge::judge(self, facts, index)
    }

    fn explain(&self, facts: &Facts, index: usize) -> Explanation {
        explain::explain(self, facts, index)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Passed {
    fn normalized(self) -> Value {
        match self {
            Self::Exactly(n) => json!(n),
            Self::AtLeast(n) => json!({"at_least": n}),
            Self::MoreThanBase(n) => json!({"more_than_base": n}),
        }
    }

    /// Returns the rule's name and its number, as evidence tells them.
    const fn rule(self) -> (&'static str, u64) {
        match self {
            Self::Exactly(n) => ("exactly", n),
            Self::AtLeast(n) => ("at_least", n),
            Self::MoreThanBase(n) => ("more_than_base", n),
        }
    }
}

impl FailToPass {
    fn normalized(&self) -> Value {
        match self {
            Self::Names(names) => json!(names),
            Self::AtLeast(n) => json!({"at_least": n}),
        }
    }
}

impl PassToPass {
    fn normalized(&self) -> Value {
        match self {
            Self::All { except } if except.is_empty() => json!(true),
            Self::All { except } => json!({"except": except.iter().map(Except::normalized).collect::<Vec<_>>()}),
            Self::Names(names) => json!(names),
        }
    }
}

impl Except {
    fn normalized(&self) -> Value {
        match self {
            Self::Name(name) => json!(name),
            Self::Files(rule) => normalized_rule(rule),
        }
    }
}
