//! What every format tells: one value, whatever the command was and however it ended.
//! Knows no format; formats add nothing to it.

use crate::clauses::{Explanation, Finding, FindingStatus, Warning};
use crate::contract::PlacedProblem;
use crate::error::{Act, Detail, Failure, Kind};
use crate::exit::Exit;
use crate::facts::{Change, Plan};
use crate::verdict::{Verdict, VerdictStatus};

/// The outcome of one command, complete.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// Which command it is of.
    pub command: Command,
    /// How it ended.
    pub status: Status,
    /// The contract, once it is known where it is.
    pub contract: Option<ContractInfo>,
    /// The change, once git was asked.
    pub change: Option<Change>,
    /// One finding a clause, in the contract's order.
    pub findings: Vec<Finding>,
    /// Remarks that change nothing.
    pub notes: Vec<String>,
    /// Why there is no verdict.
    pub error: Option<Failure>,
    /// Why no contract applies.
    pub unchecked: Option<Unchecked>,
    /// What is wrong with the contract, at its places.
    pub problems: Option<Problems>,
    /// What `parse` shows beyond the contract's name.
    pub parsed: Option<Parsed>,
    /// What `explain` tells.
    pub explained: Option<Explained>,
    /// How long things took, where anything was timed.
    pub timing: Timing,
}

/// A command of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// `check`
    Check,
    /// `parse`
    Parse,
    /// `explain`
    Explain,
}

impl Command {
    /// Returns the word that is typed.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Parse => "parse",
            Self::Explain => "explain",
        }
    }
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Every clause holds; for `parse` and `explain`, the contract is valid.
    Passed,
    /// A clause does not hold.
    Failed,
    /// A clause does not hold, and the attempts at a repair are used up.
    Incomplete,
    /// No contract applies; `Report::unchecked` says why.
    Unchecked,
    /// The same, and the operator said that this is fine.
    UncheckedAllowed,
    /// There is no verdict; the report's error says why.
    Error,
}

/// Why no contract applies. Not an error: the change may be fine, it is only not checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unchecked {
    /// The kind of reason.
    pub reason: UncheckedReason,
    /// Where was looked and what was found, as labelled lines.
    pub details: Vec<Detail>,
    /// What to do, a line each.
    pub next: Vec<String>,
}

/// The kinds of reasons why no contract applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UncheckedReason {
    /// There is none.
    NoContract,
    /// There is one, by somebody who is not trusted: as good as none, and never allowed.
    AuthorNotTrusted,
}

/// What has to happen now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// A human looks at the change.
    ReadyForReview,
    /// The author of the change repairs it.
    NeedsRepair,
    /// Nobody tries again: a human is asked.
    Incomplete,
    /// Whoever writes contracts has to act.
    AskMaintainer,
    /// Whoever runs the tool has to act.
    AskOperator,
}

/// Where the contract is and what it is called.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContractInfo {
    /// `contract.md`, `stdin`, `octo/app#12`.
    pub source: String,
    /// Who wrote it, where that is known: `maintainer`.
    pub author: Option<String>,
    /// How the author is associated with the repository: `MEMBER`.
    pub association: Option<String>,
    /// `sha256:...`, once it could be read.
    pub digest: Option<String>,
    /// One or two words for people: `unedited`, `as at 8c1f0a2`.
    pub remarks: Vec<String>,
    /// What a reader has to know about where it came from.
    pub notes: Vec<String>,
}

/// Problems of a contract, and the text that they stand in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    /// What people call the text: `issue.md`.
    pub origin: String,
    /// The text as `contract::shown_text` gives it.
    pub text: String,
    /// The problems, with byte ranges of `text`.
    pub problems: Vec<PlacedProblem>,
}

/// A contract as it was understood.
#[derive(Debug, Clone, PartialEq)]
pub struct Parsed {
    /// Every key with its defaults written out.
    pub normalized: serde_json::Value,
    /// How many clauses it has.
    pub clauses: usize,
}

/// What `explain` tells beyond the change.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    /// One explanation a clause.
    pub clauses: Vec<Explanation>,
    /// What the writer of the contract should know.
    pub warnings: Vec<Warning>,
    /// The facts that `check` will gather.
    pub plan: Plan,
}

/// Milliseconds of wall time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timing {
    /// Asking git.
    pub facts: Option<u64>,
    /// Running tests and commands.
    pub tests: Option<u64>,
}

impl Report {
    /// Makes a report of which only the outcome is known.
    pub fn new(command: Command, status: Status) -> Self {
        Self {
            command,
            status,
            contract: None,
            change: None,
            findings: Vec::new(),
            notes: Vec::new(),
            error: None,
            unchecked: None,
            problems: None,
            parsed: None,
            explained: None,
            timing: Timing::default(),
        }
    }

    /// Makes the report of a command that a failure ended.
    pub fn failure(command: Command, failure: Failure) -> Self {
        Self { error: Some(failure), ..Self::new(command, Status::Error) }
    }

    /// Makes the report of a command for which no contract applies.
    pub fn unchecked(command: Command, unchecked: Unchecked) -> Self {
        Self { unchecked: Some(unchecked), ..Self::new(command, Status::Unchecked) }
    }

    /// Lets it pass that there is no contract. One whose author is not trusted stays what it is.
    pub fn allow_unchecked(&mut self) {
        if self.unchecked.as_ref().is_some_and(|unchecked| unchecked.reason == UncheckedReason::NoContract) {
            self.status = Status::UncheckedAllowed;
        }
    }

    /// Takes a verdict over. An unknown one is an error with the reason of the first unknown fact.
    pub fn set_verdict(&mut self, verdict: Verdict) {
        self.status = match verdict.status {
            VerdictStatus::Passed => Status::Passed,
            VerdictStatus::Failed => Status::Failed,
            VerdictStatus::Unknown => Status::Error,
        };
        if self.status == Status::Error {
            let reason = verdict.findings.iter().find_map(|finding| finding.failure.as_deref().cloned());
            let bug = || Failure::new(Kind::Bug, "a clause has neither a result nor a reason");
            self.error = Some(reason.unwrap_or_else(bug));
        }
        self.findings = verdict.findings;
    }

    /// Returns the exit status that this outcome ends with.
    pub fn exit(&self) -> Exit {
        match self.status {
            Status::Passed | Status::UncheckedAllowed => Exit::Passed,
            Status::Failed => Exit::Failed,
            Status::Incomplete => Exit::AttemptsUsedUp,
            Status::Unchecked => Exit::Unchecked,
            Status::Error => match &self.error {
                // A fact can be unknown for a reason that a usage error has elsewhere; a verdict cannot.
                Some(failure) if !self.findings.is_empty() && failure.exit() == Exit::Usage => Exit::CouldNotCheck,
                Some(failure) => failure.exit(),
                None => Exit::Bug,
            },
        }
    }

    /// Returns what has to happen now; `parse` and `explain` of a valid contract ask for nothing.
    pub fn next(&self) -> Option<Next> {
        match self.status {
            Status::Passed if self.command != Command::Check => None,
            Status::Passed => Some(Next::ReadyForReview),
            Status::Failed => Some(Next::NeedsRepair),
            Status::Incomplete => Some(Next::Incomplete),
            Status::Unchecked | Status::UncheckedAllowed => Some(Next::AskMaintainer),
            Status::Error => Some(match self.error.as_ref().map(Failure::act) {
                Some(Act::Author) => Next::NeedsRepair,
                Some(Act::Maintainer) => Next::AskMaintainer,
                Some(Act::Operator) | None => Next::AskOperator,
            }),
        }
    }

    /// Returns how many findings have a status.
    pub fn count(&self, status: FindingStatus) -> usize {
        self.findings.iter().filter(|finding| finding.status == status).count()
    }
}
