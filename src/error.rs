//! Expected failures: each has a kind, an exit code, somebody who can act on it, and advice.
//!
//! A `Failure` is data, so that an unknown fact can carry the reason why it is unknown, and every
//! report can tell it in its own way. Problems inside a contract are not failures; see `json::Problem`.

use crate::exit::Exit;
use serde::{Deserialize, Serialize};

/// Who can do something about a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Whoever made the change.
    Author,
    /// Whoever wrote the contract.
    Maintainer,
    /// Whoever runs this tool.
    Operator,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident => $exit:ident, $act:ident;)*) => {
        /// What kind of failure it is; the snake case name is stable and stands in JSON as `error.kind`.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case")]
        pub enum Kind { $($(#[$doc])* $name,)* }

        impl Kind {
            /// Every kind, for tests and documentation.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// Returns the exit status that this kind of failure ends with.
            pub const fn exit(self) -> Exit {
                match self { $(Self::$name => Exit::$exit,)* }
            }

            /// Returns who can act on this kind of failure.
            pub const fn act(self) -> Act {
                match self { $(Self::$name => Act::$act,)* }
            }
        }
    };
}

kinds! {
    /// The command line or an environment variable is wrong.
    Usage => Usage, Operator;
    /// No contract was named on the command line.
    NoContractNamed => Usage, Operator;
    /// The contract has errors.
    ContractInvalid => Usage, Maintainer;
    /// More than one contract applies.
    ContractAmbiguous => Usage, Maintainer;
    /// The named contract could not be found or read.
    ContractNotFound => CouldNotCheck, Operator;
    /// The change under test adds its own contract.
    ContractSelfWritten => CouldNotCheck, Maintainer;
    /// The contract was edited by somebody not trusted, or too late.
    ContractEdited => CouldNotCheck, Maintainer;
    /// The history of the contract's edits could not be read, and was required.
    EditHistoryUnreadable => CouldNotCheck, Operator;
    /// The contract's digest is not the expected one.
    DigestDiffers => CouldNotCheck, Operator;
    /// The git program was not found or is too old.
    GitUnusable => CouldNotCheck, Operator;
    /// There is no git repository, or it belongs to another user.
    NotARepository => CouldNotCheck, Operator;
    /// A ref names no commit.
    RefUnknown => CouldNotCheck, Operator;
    /// A ref names more than one thing.
    RefAmbiguous => CouldNotCheck, Operator;
    /// Base and head have no merge base, or it is not in a shallow clone.
    NoMergeBase => CouldNotCheck, Operator;
    /// Base and head have several merge bases.
    SeveralMergeBases => CouldNotCheck, Operator;
    /// An object is missing, damaged or not what its name says.
    ObjectUnreadable => CouldNotCheck, Operator;
    /// The lines of a file cannot be counted.
    DiffUncountable => CouldNotCheck, Operator;
    /// The change contains nothing.
    EmptyChange => CouldNotCheck, Author;
    /// Tracked files differ from head: the tests would not test what is judged.
    DirtyTree => CouldNotCheck, Author;
    /// The checkout is not at the head that is judged.
    WrongCheckout => CouldNotCheck, Operator;
    /// The test runner or another needed program is not installed.
    RunnerMissing => CouldNotCheck, Operator;
    /// The test runner's version or set-up cannot be observed.
    RunnerUnsupported => CouldNotCheck, Operator;
    /// A clone for a test run could not be prepared.
    CloneUnusable => CouldNotCheck, Operator;
    /// Dependencies differ between merge base and head, and no set-up was given.
    SetupNeeded => CouldNotCheck, Operator;
    /// A set-up command failed.
    SetupFailed => CouldNotCheck, Operator;
    /// Tests in a clone loaded files of the checkout: the result would be the wrong code's.
    SourceLeaked => CouldNotCheck, Operator;
    /// The run at the merge base is not healthy enough to compare with.
    BaseRunUnhealthy => CouldNotCheck, Operator;
    /// A process could not be started or supervised.
    ProcessFailed => CouldNotCheck, Operator;
    /// A file could not be read or written, or the disk is full.
    Io => CouldNotCheck, Operator;
    /// GitHub could not be reached.
    Network => CouldNotCheck, Operator;
    /// GitHub's rate limit is used up.
    RateLimited => CouldNotCheck, Operator;
    /// GitHub refused the token, or wants one.
    TokenRefused => CouldNotCheck, Operator;
    /// GitHub answered with something that cannot be used.
    GithubAnswer => CouldNotCheck, Operator;
    /// Facts that were supplied do not belong to this head, merge base or contract.
    FactsMismatch => CouldNotCheck, Operator;
    /// The record of attempts could not be read or written.
    RecordUnusable => CouldNotCheck, Operator;
    /// Interrupted.
    Interrupted => Interrupted, Operator;
    /// A bug of this tool.
    Bug => Bug, Operator;
}

impl Kind {
    /// Returns what a human does next where the failure itself does not say anything better.
    const fn way_out(self) -> &'static str {
        match self {
            Self::Usage => "see all flags with --help",
            Self::NoContractNamed => "name a file, an issue with --issue, or a pull request with --pr",
            Self::ContractInvalid => "correct the contract at the places that are named",
            Self::ContractAmbiguous => "leave one contract, or name it: a file, or an issue with --issue",
            Self::ContractNotFound => "name a contract that can be read: a file, or - for stdin",
            Self::ContractSelfWritten => {
                "commit the contract on the base branch first, or keep it outside the repository"
            }
            Self::ContractEdited => {
                "ask the maintainer whether the contract is meant so, and pin it with --expect-digest"
            }
            Self::EditHistoryUnreadable => "give a token that can read the edits, or leave out --require-edit-history",
            Self::DigestDiffers => "ask the maintainer which contract is meant; `parse` prints the digest of one",
            Self::GitUnusable => "see whether `git --version` works here, then run this again",
            Self::NotARepository => "run this in a git repository that can be read, or name one with -C",
            Self::RefUnknown => "name a commit, branch or tag that this repository has",
            Self::RefAmbiguous => "write the whole name: refs/heads/NAME, refs/tags/NAME or a commit's hash",
            Self::NoMergeBase => "fetch all of the history: git fetch --unshallow",
            Self::SeveralMergeBases => "name the commit to compare with: --base COMMIT",
            Self::ObjectUnreadable => "see with `git fsck` whether the repository is whole, or fetch it anew",
            Self::DiffUncountable => "let a human judge this change, or take the file that is named out of it",
            Self::EmptyChange => "commit the work, then run this again",
            Self::DirtyTree => "commit what differs or take it away, then run this again",
            Self::WrongCheckout => "check out the commit that is judged, or run the tests in clones with --isolate",
            Self::RunnerMissing => "install what is missing, then run this again",
            Self::RunnerUnsupported => {
                "ask the maintainer to name a command that can be watched: see the README's test runners"
            }
            Self::CloneUnusable => {
                "see whether the repository can be read and the temporary folder written, then run this again"
            }
            Self::SetupNeeded => "name what installs the dependencies in a clone: --setup COMMAND",
            Self::SetupFailed => "make the command of --setup work in a fresh clone of the commit, then run this again",
            Self::SourceLeaked => "see why the tests load files from elsewhere, or run them in the checkout",
            Self::BaseRunUnhealthy => {
                "make the test command work in a fresh clone of the merge base; --setup COMMAND prepares it"
            }
            Self::ProcessFailed => "run this again; if it stays, see whether processes or memory are limited here",
            Self::Io => "see whether what is named can be read and written, then run this again",
            Self::Network => "run this again when GitHub can be reached, or name the contract as a file",
            Self::RateLimited => "wait, or give a token in GH_TOKEN",
            Self::TokenRefused => "give a token in GH_TOKEN that may read the repository",
            Self::GithubAnswer => "run this again later, or name the contract as a file",
            Self::FactsMismatch => "gather the facts again, with this head, base and contract",
            Self::RecordUnusable => {
                "see whether the folder of --record can be read and written, and was only written by this tool"
            }
            Self::Interrupted => "run this again",
            Self::Bug => "report it with the command and the contract",
        }
    }
}

/// One line of detail under a failure: `until  14:32:10 UTC`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Detail {
    /// A short word for what the text is.
    pub label: String,
    /// The text; it may come from outside and is escaped only when it is shown.
    pub text: String,
}

/// An expected failure, told as what happened, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The stable kind.
    pub kind: Kind,
    /// One sentence, lower case, no full stop; names the thing in backticks.
    pub message: String,
    /// What was found, as labelled lines.
    #[serde(default)]
    pub details: Vec<Detail>,
    /// What to do, a line each.
    #[serde(default)]
    pub next: Vec<String>,
}

impl Failure {
    /// Makes a failure without details or advice.
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), details: Vec::new(), next: Vec::new() }
    }

    /// Adds a labelled line of detail.
    #[must_use]
    pub fn detail(mut self, label: &str, text: impl Into<String>) -> Self {
        self.details.push(Detail { label: label.to_owned(), text: text.into() });
        self
    }

    /// Adds one line of advice.
    #[must_use]
    pub fn next(mut self, advice: impl Into<String>) -> Self {
        self.next.push(advice.into());
        self
    }

    /// Adds the advice that a full disk calls for, where that was the cause.
    #[must_use]
    pub(crate) fn caused_by(self, error: &std::io::Error) -> Self {
        match error.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => self
                .next("free some space there, or point TMPDIR (Windows: TEMP) at a folder with more of it, then run check again"),
            _ => self,
        }
    }

    /// Returns what to do, a line each; never nothing.
    pub fn advice(&self) -> Vec<&str> {
        match self.next.as_slice() {
            [] => vec![self.kind.way_out()],
            next => next.iter().map(String::as_str).collect(),
        }
    }

    /// Returns the exit status that this failure ends with.
    pub const fn exit(&self) -> Exit {
        self.kind.exit()
    }

    /// Returns who can act on it.
    pub const fn act(&self) -> Act {
        self.kind.act()
    }
}
