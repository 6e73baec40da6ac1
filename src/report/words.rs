//! The few words that several formats share.

use crate::clauses::Standing;
use crate::error::Kind;

/// Returns a number with its noun: `1 check`, `2 checks`.
pub(super) fn count_of(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Returns a failure's kind in a few words, for a last line: `could not check: work is not committed`.
pub(super) fn short_reason(kind: Kind) -> &'static str {
    match kind {
        Kind::Usage => "wrong usage",
        Kind::NoContractNamed => "no contract was named",
        Kind::ContractInvalid => "the contract is not valid",
        Kind::ContractAmbiguous => "more than one contract",
        Kind::ContractNotFound => "could not check: contract not found",
        Kind::ContractSelfWritten => "could not check: the change brings its own contract",
        Kind::ContractEdited => "could not check: the contract was edited",
        Kind::EditHistoryUnreadable => "could not check: the contract's edits cannot be read",
        Kind::DigestDiffers => "could not check: it is another contract than expected",
        Kind::GitUnusable => "could not check: git cannot be used",
        Kind::NotARepository => "could not check: no git repository",
        Kind::RefUnknown => "could not check: unknown ref",
        Kind::RefAmbiguous => "could not check: ambiguous ref",
        Kind::NoMergeBase => "could not check: no merge base",
        Kind::SeveralMergeBases => "could not check: several merge bases",
        Kind::ObjectUnreadable => "could not check: an object cannot be read",
        Kind::DiffUncountable => "could not check: lines cannot be counted",
        Kind::EmptyChange => "could not check: the change is empty",
        Kind::DirtyTree => "could not check: work is not committed",
        Kind::WrongCheckout => "could not check: another commit is checked out",
        Kind::RunnerMissing => "could not check: the runner is not installed",
        Kind::RunnerUnsupported => "could not check: the runner cannot be observed",
        Kind::CloneUnusable => "could not check: no clone for the tests",
        Kind::SetupNeeded => "could not check: a set-up is needed",
        Kind::SetupFailed => "could not check: the set-up failed",
        Kind::SourceLeaked => "could not check: the tests loaded other files",
        Kind::BaseRunUnhealthy => "could not check: the run at the merge base is broken",
        Kind::ProcessFailed => "could not check: a process could not be run",
        Kind::Io => "could not check: a file cannot be read or written",
        Kind::Network => "could not check: GitHub cannot be reached",
        Kind::RateLimited => "could not check: GitHub rate limit",
        Kind::TokenRefused => "could not check: GitHub refused the token",
        Kind::GithubAnswer => "could not check: GitHub's answer cannot be used",
        Kind::FactsMismatch => "could not check: the facts are of something else",
        Kind::RecordUnusable => "could not check: the record of attempts cannot be used",
        Kind::Interrupted => "interrupted",
        Kind::Bug => "a bug of this tool",
    }
}

/// Returns how a clause stands, in the words of `explain`.
pub(super) const fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Met => "met",
        Standing::MetSoFar => "met so far",
        Standing::NotMet => "not met",
        Standing::NeedsRun => "needs a run",
        Standing::Unknown => "unknown",
    }
}
