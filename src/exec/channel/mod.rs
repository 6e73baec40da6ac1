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
//! A reporter that shares its process with the code under test seals its records: it reads the file `channel-key` in the
//! run's private folder and takes it away at once, says `{"hello":"NONCE","sealed":true}`, and every line after that is
//! `CODE RECORD`, where CODE is the HMAC-SHA256 in hexadecimal, under the 64 characters of the key, of `N:RECORD`, and N
//! counts these lines from 0. What anybody else writes to its socket is a fault then.
//!
//! On a channel of several connections ([`crate::exec::ChannelKind::Many`]) the tool answers the hello with the
//! line `ok` once it has made sure that the other end runs the tool's own executable; write records after it.
//! [`Connection`] does all that.
//!
//! # What is a fault
//!
//! A line over [`LINE_CAP`] bytes, more than [`TOTAL_CAP`] bytes in all connections together, a first line that is
//! not the hello, a line whose seal is wrong, a last line without its end, a connection that nobody should make (a second one, or one of
//! another executable), and one that is still open when every process has ended. Nothing is read from a connection
//! after its fault, so whoever floods it gets a broken pipe. That nobody connects is no fault of the channel: no
//! record arrives, and whoever reads records says so.

mod accept;
mod client;
mod receiver;
mod seal;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
use unix as system;
#[cfg(windows)]
use windows as system;

pub use client::Connection;
pub(super) use receiver::{Greeting, Incoming, Peer, Receiver};
pub(super) use seal::Key;
pub(super) use system::Server;

/// How many bytes one line may have.
pub const LINE_CAP: usize = 1 << 20;

/// How many bytes all connections of one run may carry together.
pub const TOTAL_CAP: u64 = 64 << 20;

/// How many connections may be open at a time.
const CONNECTIONS_CAP: usize = 512;

/// How many bytes are read at once.
pub(super) const PIECE: usize = 64 << 10;

const NONCE_LENGTH: usize = 32;

/// Who may connect.
#[derive(Debug, Clone)]
pub(super) enum Admission {
    /// The first one only.
    First,
    /// Everybody who runs this executable.
    Executable(std::path::PathBuf),
}

/// Returns the line that opens a connection, without its end.
fn hello(nonce: &str) -> String {
    format!("{{\"hello\":\"{nonce}\"}}")
}

/// Returns the line that opens a sealed connection, without its end.
fn sealed_hello(nonce: &str) -> String {
    format!("{{\"hello\":\"{nonce}\",\"sealed\":true}}")
}

/// Reads a stream to its end, handing each piece on until somebody no longer wants it.
pub(super) fn pump(stream: &mut dyn std::io::Read, take: &mut dyn FnMut(Vec<u8>) -> bool) {
    let mut buffer = vec![0; PIECE];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Ok(n_bytes) => {
                if !take(buffer[..n_bytes].to_vec()) {
                    return;
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            // A connection that breaks is one that ends; a record that it cuts has no line end.
            Err(_) => return,
        }
    }
}
