//! Contracts from GitHub, against a mock that executes GitHub's own schema.

mod answers;
mod events;
pub(super) mod mock;
mod network;
mod scenarios;
mod trust;
mod wiring;
