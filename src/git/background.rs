//! A git process whose output is collected while other work is done. Ended when it is dropped.

use crate::error::{Failure, Kind};
use crate::git::objects::Objects;
use crate::git::program::Output;
use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::process::{Child, ChildStdout, Command, Stdio};

/// A running process.
pub(super) struct Background {
    child: Child,
    complaints: File,
}

impl Background {
    /// Starts a command of the quarantine; the caller reads the pipe.
    pub(super) fn start(objects: &Objects, command: &mut Command) -> Result<(Self, ChildStdout), Failure> {
        // What it complains about goes to a file, so that nobody has to read two pipes at once.
        let unwritable =
            |error: std::io::Error| Failure::new(Kind::Io, format!("a private file failed: {error}")).caused_by(&error);
        let complaints = objects.private_file().map_err(unwritable)?;
        let stderr = complaints.try_clone().map_err(unwritable)?;
        let spawned = command.stdout(Stdio::piped()).stderr(stderr).spawn();
        let mut child = spawned.map_err(|error| objects.git().not_started(&error))?;
        match child.stdout.take() {
            Some(stdout) => Ok((Self { child, complaints }, stdout)),
            None => Err(Failure::new(Kind::Bug, "git was started without a pipe")),
        }
    }

    /// Waits for the end; `stdout` is what was read from the pipe.
    pub(super) fn finish(mut self, stdout: Vec<u8>) -> Result<Output, Failure> {
        let status = self
            .child
            .wait()
            .map_err(|error| Failure::new(Kind::GitUnusable, format!("git could not be waited for: {error}")))?;
        let mut text = Vec::new();
        self.complaints.rewind().and_then(|()| (&self.complaints).take(1 << 16).read_to_end(&mut text)).ok();
        Ok(Output { code: status.code(), stdout, stderr: String::from_utf8_lossy(&text).into_owned() })
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        // After `finish` both fail, and nothing is lost.
        self.child.kill().and_then(|()| self.child.wait()).ok();
    }
}
