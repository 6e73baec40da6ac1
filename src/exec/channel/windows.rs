//! The channel's socket on Windows: loopback, where the nonce alone vouches for a connection.

use super::accept::Accepting;
use super::receiver::Incoming;
use super::{Admission, NONCE_LENGTH};
use crate::error::{Failure, Kind};
use std::ffi::OsString;
use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a new connection is looked for.
const PAUSE: Duration = Duration::from_millis(5);

pub(super) type Stream = TcpStream;

/// A listening socket.
#[derive(Debug)]
pub(in crate::exec) struct Server {
    port: u16,
    nonce: String,
    is_closed: Arc<AtomicBool>,
}

impl Server {
    /// Listens on a free port, and hands what happens to `send` until that returns false.
    pub(in crate::exec) fn open(
        _private: &Path,
        admission: Admission,
        send: impl Fn(Incoming) -> bool + Clone + Send + 'static,
    ) -> Result<Self, Failure> {
        let failed = |error: Error| {
            Failure::new(Kind::Io, "failed to open the private channel for test results")
                .detail("cause", error.to_string())
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let is_closed = Arc::new(AtomicBool::new(false));
        let is_last = Arc::clone(&is_closed);
        std::thread::spawn(move || {
            let mut accepting = Accepting::new(admission, send);
            loop {
                let is_last = is_last.load(Ordering::SeqCst);
                if !accepting.take_waiting(&|| listener.accept().map(|(stream, _)| stream)) || is_last {
                    break;
                }
                std::thread::sleep(PAUSE);
            }
            accepting.end();
        });
        Ok(Self { port, nonce: crate::exec::random_hex(NONCE_LENGTH)?, is_closed })
    }

    /// Returns the value of the variable that tells a process where to connect.
    pub(in crate::exec) fn address(&self) -> OsString {
        format!("tcp:{}:{}", self.port, self.nonce).into()
    }

    /// Returns what a connection must begin with.
    pub(in crate::exec) fn nonce(&self) -> String {
        self.nonce.clone()
    }

    /// Takes the connections that were made so far, and none after.
    pub(in crate::exec) fn close(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

/// The other end cannot be identified without unsafe code.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same on every system")]
pub(super) fn vouch(_stream: &Stream, _executable: &Path) -> Result<(), String> {
    Ok(())
}

/// Connects to the address that stands before the nonce.
pub(super) fn connect(place: &[u8]) -> Result<Stream, Error> {
    let port = place.strip_prefix(b"tcp:").and_then(|port| std::str::from_utf8(port).ok()?.parse().ok());
    TcpStream::connect((Ipv4Addr::LOCALHOST, port.ok_or(ErrorKind::InvalidInput)?))
}

/// There is nothing to hide on Windows that is not hidden.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same on every system")]
pub(super) fn hide() -> Result<(), Error> {
    Ok(())
}
