//! The commands: the pipeline, told in order.

pub mod attempts;
pub mod publish;
