//! collect

mod checkout;
mod harness;
mod local_path;
