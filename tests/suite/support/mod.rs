//! What integration tests share: a repository builder, the tool with a cleared environment, and test
//! runners installed from lock files. Hermetic: no configuration, clock or locale of the machine gets in.

#[cfg(unix)]
pub mod exec;
#[cfg(unix)]
mod observed;
mod packages;
mod repo;
mod runs;
pub mod story;
mod tool;

#[cfg(unix)]
pub use observed::{Fixture, check_observed, compare_observed};
pub use packages::{missing, node_modules, on_path, python_with};
pub use repo::Repo;
pub use runs::{NODE_ALONE, check_fixture, check_nothing_green};
pub use tool::{Answer, Tool, environment};
