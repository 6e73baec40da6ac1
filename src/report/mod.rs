//! How an outcome is told: every format is a consumer of the same `Report`. Knows nothing of how facts
//! were found, and does no I/O.

pub mod escape;
mod github;
mod hook;
mod human;
mod json;
mod markdown;
mod model;
mod nearest;
mod problems;
mod subject;
#[cfg(test)]
mod tests;
mod words;

pub use github::{annotations, outputs};
pub use hook::render as hook;
pub use human::{Look, Verbosity, last_line::plain as last_line, render as human};
pub use json::render as json;
pub use markdown::render as markdown;
pub use model::{
    Command, ContractInfo, Explained, Next, Parsed, Problems, Report, Status, Timing, Unchecked, UncheckedReason,
};
