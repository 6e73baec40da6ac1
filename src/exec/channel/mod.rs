//! The private channel over which records leave a process. Knows bytes and lines, not what they say.
//!
//! # How to speak on it
//!
//! The variable `AGENT_ACCEPTANCE_CHANNEL` holds the address and a nonce, 32 lower-case hexadecimal digits:
//!
//! - `unix:PATH:NONCE`: a stream socket at `PATH`, which is absolute, may hold colons, and is shorter than 100
//!   bytes. Take `unix:` off, then split at the *last* colon.
//! - `tcp:PORT:NONCE` (Windows only): port `PORT` of 127.0.0.1.
//!
//! Connect once and write lines of UTF-8, each ended by `\n`, the last too. The first is the hello, exactly
//! `{"hello":"NONCE"}`; it is not delivered. Every other line is a record: any text without `\n`, by custom one
//! JSON object. Then close. Take the variable out of the environment before test code can read it.
//!
//! On a channel of several connections ([`crate::exec::ChannelKind::Many`]) the tool answers the hello with the
//! line `ok` once it has made sure that the other end runs the tool's own executable; write records after it.
//! `Connection` does all that.
//!
//! # What is a fault
//!
//! A line over [`LINE_CAP`] bytes, more than [`TOTAL_CAP`] bytes in all connections together, a first line that is
//! not the hello, a last line without its end, a connection that nobody should make (a second one, or one of
//! another executable), one that is never made, or is still open when every process has ended. Nothing is read from
//! a connection after its fault, so whoever floods it gets a broken pipe.

/// How many bytes one line may have.
pub const LINE_CAP: usize = 1 << 20;

/// How many bytes all connections of one run may carry together.
pub const TOTAL_CAP: u64 = 64 << 20;
