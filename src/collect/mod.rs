//! collect

mod checkout;
mod local_path;
