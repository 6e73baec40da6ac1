//! The speaking end of a channel of several connections, for processes of this tool that run a test each.

use super::{LINE_CAP, hello, system};
use crate::error::{Failure, Kind};
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Error, ErrorKind, Read as _, Write as _};

/// A connection whose hello was answered.
#[derive(Debug)]
pub struct Connection {
    stream: system::Stream,
}

impl Connection {
    /// Connects to the address in [`crate::exec::CHANNEL_VARIABLE`], says hello, waits for the answer, and then
    /// keeps other processes from reading this one's memory and open files. Call it before any test runs, and
    /// start tests without the variable.
    ///
    /// # Errors
    /// The address is none, nobody listens there, or the tool does not take this executable.
    pub fn open(address: &OsStr) -> Result<Self, Failure> {
        Self::try_open(address.as_encoded_bytes()).map_err(|error| {
            Failure::new(Kind::ProcessFailed, "failed to reach the tool that counts these tests")
                .detail("cause", error.to_string())
        })
    }

    /// Opens the connection that this process's environment names, `None` when it names none.
    ///
    /// # Errors
    /// See [`Self::open`].
    #[expect(
        clippy::disallowed_methods,
        reason = "the variable is no setting: this tool gives it to its own processes"
    )]
    pub fn of_environment() -> Result<Option<Self>, Failure> {
        std::env::var_os(crate::exec::CHANNEL_VARIABLE).map(|address| Self::open(&address)).transpose()
    }

    fn try_open(address: &[u8]) -> Result<Self, Error> {
        let at = address.iter().rposition(|byte| *byte == b':').ok_or(ErrorKind::InvalidInput)?;
        let nonce = std::str::from_utf8(&address[at + 1..]).map_err(|_| ErrorKind::InvalidInput)?;
        let mut stream = system::connect(&address[..at])?;
        stream.write_all(format!("{}\n", hello(nonce)).as_bytes())?;
        let mut answer = String::new();
        BufReader::new(&stream).take(3).read_line(&mut answer)?;
        if answer != "ok\n" {
            return Err(ErrorKind::ConnectionRefused.into());
        }
        // Only now: the tool tells who connects by its executable, which is hidden afterwards.
        system::hide()?;
        Ok(Self { stream })
    }

    /// Sends one record. It must have no line end in it and be shorter than [`LINE_CAP`].
    pub fn send(&mut self, record: &[u8]) -> Result<(), Failure> {
        let sent = if record.contains(&b'\n') || record.len() > LINE_CAP {
            Err(Error::from(ErrorKind::InvalidInput))
        } else {
            self.stream.write_all(&[record, b"\n"].concat())
        };
        sent.map_err(|error| {
            Failure::new(Kind::ProcessFailed, "failed to send a test's record").detail("cause", error.to_string())
        })
    }
}
