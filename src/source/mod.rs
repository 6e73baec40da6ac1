//! Where a contract comes from, and who is trusted with it. Knows nothing of what a contract means.

mod file;
#[cfg(feature = "github")]
mod forge;
pub mod keywords;
#[cfg(feature = "github")]
mod links;
pub mod reference;
mod stdin;
pub mod trust;

pub use file::{FileText, paths_inside, read_file, read_trusted};
#[cfg(feature = "github")]
pub use forge::{Forge, PullIssues, Standing, label};
#[cfg(feature = "github")]
pub use links::LeftOut;
pub use stdin::read_stdin;

/// So much of a text is read: one byte more than a contract may have, so that the reader can refuse it.
const MAX_BYTES: u64 = (1 << 20) + 1;
