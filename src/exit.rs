//! Owns every exit code of the tool; knows nothing of what led to one.

/// The exit status of a command, the same numbers for `check`, `parse` and `explain`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Every clause holds (`parse`, `explain`: the contract is valid).
    Passed = 0,
    /// At least one clause does not hold.
    Failed = 1,
    /// Wrong usage, an invalid contract, or more than one contract.
    Usage = 2,
    /// No contract applies, or its author is not trusted.
    Unchecked = 3,
    /// The change could not be checked: git, checkout, runner, network, edited contract.
    CouldNotCheck = 4,
    /// The attempts at a repair are used up: stop and ask a human.
    AttemptsUsedUp = 5,
    /// A bug of this tool.
    Bug = 70,
    /// Interrupted by Ctrl-C or a termination signal.
    Interrupted = 130,
}

impl Exit {
    /// Returns the number that the process exits with.
    pub const fn code(self) -> u8 {
        self as u8
    }
}
