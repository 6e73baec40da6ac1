//! collect

mod checkout;
mod harness;
mod local_path;
mod signs;
