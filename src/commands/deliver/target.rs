//! A file that a report will be written to: opened before there is a report, written in one step.

use super::system;
use crate::error::{Failure, Kind};
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// A file that can be written.
#[derive(Debug)]
pub(in crate::commands) enum Target {
    /// Written beside its place and moved there at the end: never half a report.
    Regular { path: PathBuf, waiting: NamedTempFile },
    /// A device or a pipe.
    Special { path: PathBuf, file: File },
}

impl Target {
    pub(in crate::commands) fn open(path: &Path) -> Result<Self, Failure> {
        let path = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let open = || -> io::Result<Self> {
            match std::fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
                Ok(metadata) if !metadata.is_file() => {
                    Ok(Self::Special { path: path.clone(), file: OpenOptions::new().write(true).open(&path)? })
                }
                old => {
                    if old.is_ok() {
                        // A file that may not be written must not be replaced either.
                        OpenOptions::new().append(true).open(&path)?;
                    }
                    let folder = match path.parent() {
                        Some(folder) if !folder.as_os_str().is_empty() => folder,
                        _ => Path::new("."),
                    };
                    let mut builder = tempfile::Builder::new();
                    builder.prefix(".agent-acceptance-");
                    system::set_permissions(&mut builder, old.ok());
                    Ok(Self::Regular { path: path.clone(), waiting: builder.tempfile_in(folder)? })
                }
            }
        };
        open().map_err(|error| unwritable(&path, &error))
    }

    pub(in crate::commands) fn write(self, text: &str) -> Result<(), Failure> {
        match self {
            Self::Regular { path, mut waiting } => {
                let written = waiting.write_all(text.as_bytes()).and_then(|()| waiting.as_file().sync_data());
                written.map_err(|error| unwritable(&path, &error))?;
                waiting.persist(&path).map(drop).map_err(|error| unwritable(&path, &error.error))
            }
            Self::Special { path, mut file } => match file.write_all(text.as_bytes()) {
                Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritable(&path, &error)),
                _ => Ok(()),
            },
        }
    }
}

/// Tells which file could not be written, and why.
pub(super) fn unwritable(path: &Path, error: &io::Error) -> Failure {
    Failure::new(Kind::Io, format!("failed to write `{}`", path.display()))
        .detail("cause", error.to_string())
        .next("name a file that can be written, and check the space on its disk")
}
