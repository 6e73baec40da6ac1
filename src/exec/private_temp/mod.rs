//! What a run writes to the system's shared temporary folder stays the run's own, where the system lets us.
//!
//! `TMPDIR` is private in any case. Code that wants to leave something behind writes past it, to a folder that
//! every user may write to: a script for a later hook, a note for the next run.

#[cfg(target_os = "linux")]
#[path = "linux.rs"]
mod system;
#[cfg(not(target_os = "linux"))]
#[path = "other.rs"]
mod system;

pub(super) use system::cover;
