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
        // A name that an earlier run in the same folder could not take away.
        let name = format!("channel-{}", crate::exec::random_hex(8)?);
        let mut path = private.join(&name);
        let mut short = None;
        if path.as_os_str().len() >= PATH_CAP {
            let scratch = Scratch::create_beside(Path::new("/tmp"))?;
            path = scratch.path().join(&name);
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

#[cfg(test)]
mod tests {
    use super::super::{Admission, Connection, Greeting, Receiver};
    use super::*;
    use std::io::{Read as _, Write as _};
    use std::sync::mpsc::{Receiver as Events, channel};

    /// Takes everything that happened until the server is done, and returns records and fault.
    fn drained(mut server: Server, events: &Events<Incoming>) -> (Vec<(usize, String)>, Option<String>) {
        server.close();
        let mut receiver = Receiver::new(Greeting::AnsweredHello(server.nonce()));
        let mut records = Vec::new();
        while !receiver.is_done() {
            receiver.take(events.recv().unwrap(), &mut |id, line| {
                records.push((id, String::from_utf8_lossy(line).into_owned()));
            });
        }
        (records, receiver.finish())
    }

    fn open(private: &Path, executable: &Path) -> (Server, Events<Incoming>) {
        let (sender, events) = channel();
        let admission = Admission::Executable(executable.to_owned());
        let server = Server::open(private, admission, move |incoming| sender.send(incoming).is_ok()).unwrap();
        (server, events)
    }

    #[test]
    fn a_socket_that_would_have_too_long_a_path_lies_elsewhere_and_goes_away() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("d".repeat(90));
        std::fs::create_dir(&deep).unwrap();
        let (server, events) = open(&deep, Path::new("/bin/sh"));
        let path = server.path.clone();
        assert!(path.as_os_str().len() < PATH_CAP && path.exists(), "{path:?}");
        drop(server);
        assert!(!path.exists() && !path.parent().unwrap().exists());
        assert!(matches!(events.recv(), Ok(Incoming::NoMore)));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_process_of_another_executable_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (server, events) = open(folder.path(), Path::new("/bin/sh"));
        let mut stream = UnixStream::connect(&server.path).unwrap();
        let _ = stream.write_all(format!("{{\"hello\":\"{}\"}}\nforged\n", server.nonce()).as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        assert!(answer.is_empty());
        let (records, fault) = drained(server, &events);
        assert!(records.is_empty());
        assert_eq!(fault.as_deref(), Some("a process connected that is not this tool"));
    }

    #[test]
    fn processes_of_the_executable_connect_one_after_another() {
        let folder = tempfile::tempdir().unwrap();
        let (server, events) = open(folder.path(), &std::env::current_exe().unwrap());
        let (address, nonce) = (server.address(), server.nonce());
        let speaker = std::thread::spawn(move || {
            for name in ["a", "b"] {
                let mut connection = Connection::open(&address).unwrap();
                connection.send(name.as_bytes()).unwrap();
                assert!(connection.send(b"two\nlines").is_err());
            }
        });
        let mut receiver = Receiver::new(Greeting::AnsweredHello(nonce));
        let mut records = Vec::new();
        while records.len() < 2 {
            receiver.take(events.recv().unwrap(), &mut |id, line| records.push((id, line.to_vec())));
        }
        speaker.join().unwrap();
        assert_eq!(records, [(0, b"a".to_vec()), (1, b"b".to_vec())]);
        assert_eq!(drained(server, &events).1, None);
    }

    #[test]
    fn addresses_that_are_none_are_errors() {
        for address in ["", "unix", "unix:", "tcp:1:n", "unix:/nonexistent/socket:n", ":"] {
            assert!(Connection::open(std::ffi::OsStr::new(address)).is_err(), "{address:?}");
        }
    }
}
