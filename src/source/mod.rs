//! Where a contract comes from, and who is trusted with it. Knows nothing of what a contract means.

pub mod keywords;
pub mod reference;
pub mod trust;
