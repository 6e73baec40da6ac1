//! Carries out a plan: the change, the tree, test runs, commands; returns facts.
//! Knows nothing of contracts, and judges nothing.

mod change;
mod checkout;
mod harness;
mod local_path;
mod signs;

pub use change::static_facts;
