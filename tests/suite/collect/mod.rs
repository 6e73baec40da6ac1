//! Whole checks with real test runners: where the code comes from, what may change, what is compared.

pub mod change;
mod clones;
mod forged;
#[cfg(unix)]
mod further_runners;
mod harness;
mod modes;
mod proof;
mod proven;
mod submodules;

use change::vitest;
