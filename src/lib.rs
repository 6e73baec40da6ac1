//! Decides whether a change meets a contract that a human wrote first, using only facts it gathers itself.
//!
//! Data flows one way: source → contract → plan → facts → verdict → report.

pub mod clauses;
#[doc(hidden)]
pub mod cli;
pub mod collect;
pub mod commands;
pub mod contract;
pub mod error;
pub mod exec;
pub mod exit;
pub mod facts;
pub mod git;
#[cfg(feature = "github")]
pub mod github;
pub mod json;
pub mod report;
pub mod runners;
#[doc(hidden)]
pub mod settings;
pub mod source;
pub mod verdict;
