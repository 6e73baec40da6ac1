//! The channel's socket on Unix.

use super::accept::Accepting;
use super::receiver::Incoming;
use super::{Admission, NONCE_LENGTH};
use crate::error::{Failure, Kind};
use crate::exec::{Scratch, processes};
use rustix::event::{PollFd, PollFlags};
use std::ffi::OsString;
use std::io::{Error, ErrorKind, PipeWriter};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

/// Systems take no socket path of this many bytes or more, the end included (macOS 104, Linux 108).
const PATH_CAP: usize = 100;

pub(super) type Stream = UnixStream;

/// A listening socket, removed when it is dropped.
#[derive(Debug)]
pub(in crate::exec) struct Server {
    path: PathBuf,
    nonce: String,
    /// Holds a socket whose own folder has too long a path.
    _short: Option<Scratch>,
    /// Its end tells the listening thread to end.
    wake: Option<PipeWriter>,
}

impl Server {
    /// Listens in the private folder, and hands what happens to `send` until that returns false.
    pub(in crate::exec) fn open(
        private: &Path,
        admission: Admission,
        send: impl Fn(Incoming) -> bool + Clone + Send + 'static,
    ) -> Result<Self, Failure> {
        let failed = |error: Error| {
            Failure::new(Kind::Io, "failed to open the private channel for test results")
                .detail("cause", error.to_string())
        };
        let mut path = private.join("channel");
        let mut short = None;
        if path.as_os_str().len() >= PATH_CAP {
            let scratch = Scratch::create_beside(Path::new("/tmp"))?;
            path = scratch.path().join("channel");
            short = Some(scratch);
        }
        let listener = UnixListener::bind(&path).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let (woken, wake) = std::io::pipe().map_err(failed)?;
        std::thread::spawn(move || {
            let mut accepting = Accepting::new(admission, send);
            loop {
                let mut sources = [PollFd::new(&listener, PollFlags::IN), PollFd::new(&woken, PollFlags::IN)];
                if rustix::event::poll(&mut sources, None).is_err_and(|error| error != rustix::io::Errno::INTR) {
                    break;
                }
                let is_last = !sources[1].revents().is_empty();
                if !accepting.take_waiting(&|| listener.accept().map(|(stream, _)| stream)) || is_last {
                    break;
                }
            }
            accepting.end();
        });
        Ok(Self { path, nonce: crate::exec::random_hex(NONCE_LENGTH)?, _short: short, wake: Some(wake) })
    }

    /// Returns the value of the variable that tells a process where to connect.
    pub(in crate::exec) fn address(&self) -> OsString {
        let mut address = OsString::from("unix:");
        address.push(&self.path);
        address.push(format!(":{}", self.nonce));
        address
    }

    /// Returns what a connection must begin with.
    pub(in crate::exec) fn nonce(&self) -> String {
        self.nonce.clone()
    }

    /// Takes the connections that were made so far, and none after.
    pub(in crate::exec) fn close(&mut self) {
        self.wake = None;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
        // It is in a private folder, which is removed anyway.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Returns whether a connection comes from the executable; why not, in words.
pub(super) fn vouch(stream: &Stream, executable: &Path) -> Result<(), String> {
    processes::peer_runs(stream, executable)
}

/// Connects to the address that stands before the nonce.
pub(super) fn connect(place: &[u8]) -> Result<Stream, Error> {
    use std::os::unix::ffi::OsStrExt as _;
    let path = place.strip_prefix(b"unix:").ok_or(ErrorKind::InvalidInput)?;
    UnixStream::connect(std::ffi::OsStr::from_bytes(path))
}

/// Keeps other processes from reading what this one holds.
pub(super) fn hide() -> Result<(), Error> {
    processes::hide_from_others()
}
