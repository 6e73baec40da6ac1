//! The summary of a step of GitHub Actions. Knows how much of it GitHub shows, and nothing of reports.

use super::target::unwritable;
use crate::error::Failure;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// A step's summary may have 1,048,576 bytes; with one more GitHub drops all of it. The limit is for the whole
/// step, so what other commands of the step wrote counts too.
const MOST_BYTES: usize = 1 << 20;

/// A file that a step appends to, opened before there is anything to write.
#[derive(Debug)]
pub(super) struct StepFile {
    path: PathBuf,
    file: File,
}

impl StepFile {
    pub(super) fn open(path: &Path) -> Result<Self, Failure> {
        let opened = OpenOptions::new().append(true).create(true).open(path);
        opened.map(|file| Self { path: path.to_owned(), file }).map_err(|error| unwritable(path, &error))
    }

    pub(super) fn append(&mut self, text: &str) -> Result<(), Failure> {
        self.file.write_all(text.as_bytes()).map_err(|error| unwritable(&self.path, &error))
    }

    /// Appends a report to the summary, or, where it has no room for it, the outcome alone. Returns what
    /// people have to be told elsewhere when there is no room even for that.
    pub(super) fn append_summary(&mut self, report: &str, outcome: &str) -> Result<Option<&'static str>, Failure> {
        let metadata = self.file.metadata().map_err(|error| unwritable(&self.path, &error))?;
        let room = MOST_BYTES.saturating_sub(usize::try_from(metadata.len()).unwrap_or(usize::MAX));
        let short = format!("**{outcome}**\n\n_There is no room for the report: {LIMIT}._\n");
        let fitting = [report, &short].into_iter().find(|text| text.len() <= room);
        match fitting {
            Some(text) => self.append(text).map(|()| None),
            None => Ok(Some(FULL)),
        }
    }
}

const LIMIT: &str = "this step's summary is nearly 1 MiB already, and GitHub shows no more";
const FULL: &str = "the job's summary has no room for the report: it is 1 MiB already, and GitHub shows no more";
