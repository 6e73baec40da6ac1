//! The record of attempts: every judged candidate kept, append-only, safe with several writers and a kill
//! at any moment. Knows nothing of how a verdict comes about.
//!
//! One folder a contract digest, one numbered folder an attempt below it. An attempt is written to a
//! folder that nobody reads, then renamed: it is there whole or not at all. A lock that the system takes
//! back from a killed process keeps writers apart; `INDEX.txt` is written anew from what is there.

mod index;
mod keep;
mod store;

pub(in crate::commands) use keep::keep;
pub use store::{Candidate, Claim, Ledger};

use crate::error::{Failure, Kind};
use std::path::Path;

/// What comes after a judged attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It passed in time.
    ReadyForReview,
    /// It failed, and another attempt is left.
    NeedsRepair,
    /// The attempts are used up: stop and ask a human.
    Incomplete,
}

/// Returns what comes after attempt `number`, counted from 1.
///
/// The last allowed attempt may still pass. What comes after it is not looked at any more: an author who
/// tries until something sticks has used up what was granted.
pub fn next_step(passed: bool, number: u32, max_attempts: Option<u32>) -> Next {
    match max_attempts {
        Some(max) if number > max => Next::Incomplete,
        _ if passed => Next::ReadyForReview,
        Some(max) if number == max => Next::Incomplete,
        Some(_) | None => Next::NeedsRepair,
    }
}

fn unusable(path: &Path, doing: &str, error: &std::io::Error) -> Failure {
    Failure::new(Kind::RecordUnusable, format!("the record of attempts could not be {doing}"))
        .detail("path", path.display().to_string())
        .detail("reason", error.to_string())
        .next("name a folder with --record that this user can write to, on a disk with room")
}

#[cfg(test)]
mod tests {
    use super::{Next, next_step};

    #[test]
    fn attempts_are_used_up_by_the_last_failure_and_stay_so() {
        for (passed, number, max, expected) in [
            (false, 1, None, Next::NeedsRepair),
            (true, 7, None, Next::ReadyForReview),
            (false, 1, Some(2), Next::NeedsRepair),
            (false, 2, Some(2), Next::Incomplete),
            (true, 2, Some(2), Next::ReadyForReview),
            (true, 3, Some(2), Next::Incomplete),
            (false, 3, Some(2), Next::Incomplete),
        ] {
            assert_eq!(next_step(passed, number, max), expected, "{passed} {number} {max:?}");
        }
    }
}
