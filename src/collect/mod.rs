//! Carries out a plan: the change, the tree, test runs, commands; returns facts.
//! Knows nothing of contracts, and judges nothing.

mod artifacts;
mod base_run;
mod build_folders;
mod cache;
mod change;
mod checkout;
mod clones;
mod command_rules;
mod commands;
mod conftest;
mod context;
mod dependencies;
mod git_guard;
mod harness;
mod harness_names;
mod local_path;
mod preview;
mod run_once;
mod rust_tests;
mod session;
mod signs;
mod submodules;
mod taken_back;
mod test_clause;
mod test_runs;
mod toolchain;
mod trees;
mod watch;

pub use artifacts::{LARGEST_SOURCE, Supplied, SuppliedDocument, artifact_facts, bytes_of, document};
pub use change::{facts_about, needs_change, static_facts};
pub use context::{DEFAULT_TIMEOUT, Mode, NoProgress, Progress, Step, TestContext, TestOptions};
pub use test_runs::{previews, test_facts};
