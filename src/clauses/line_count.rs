//! Lines counted over files of a change, and what is said of the count. Knows nothing of contracts.

use super::evidence::{self, Evidence};
use super::{Found, words};
use crate::facts::{ChangedFile, FileKind};
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Which lines are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Lines that head has and the merge base has not.
    Added,
    /// Lines that the merge base has and head has not.
    Deleted,
}

impl Counted {
    /// Returns the word for such lines: `added`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Deleted => "deleted",
        }
    }

    const fn sign(self) -> char {
        match self {
            Self::Added => '+',
            Self::Deleted => '-',
        }
    }

    const fn of(self, file: &ChangedFile) -> u64 {
        match self {
            Self::Added => file.added,
            Self::Deleted => file.deleted,
        }
    }
}

/// How many lines there are, and where.
#[derive(Debug)]
pub(super) struct Count<'a> {
    counted: Counted,
    /// The total; it saturates.
    pub(super) found: u64,
    /// Files with such lines, the largest number first.
    files: Vec<(&'a ChangedFile, u64)>,
    /// Files of which no line is counted.
    not_counted: Vec<&'a ChangedFile>,
    /// Files of which the count says little.
    doubtful: Vec<&'a ChangedFile>,
}

impl<'a> Count<'a> {
    /// Counts.
    pub(super) fn of(counted: Counted, all: impl IntoIterator<Item = &'a ChangedFile>) -> Self {
        let mut count = Self { counted, found: 0, files: Vec::new(), not_counted: Vec::new(), doubtful: Vec::new() };
        for file in all {
            let lines = counted.of(file);
            count.found = count.found.saturating_add(lines);
            if lines > 0 {
                count.files.push((file, lines));
            }
            if file.kind == FileKind::Binary {
                count.not_counted.push(file);
            }
            let is_long = counted == Counted::Added && file.longest_line.is_some();
            if file.kind == FileKind::Submodule || is_long {
                count.doubtful.push(file);
            }
        }
        count.files.sort_by_key(|(_, lines)| Reverse(*lines));
        count
    }

    /// Returns the evidence: limit, total, files, and what is not counted.
    pub(super) fn evidence(&self, limit: u64) -> Evidence {
        let files = self.files.iter().map(|(file, lines)| {
            let mut members = evidence::path(&file.path);
            members.insert("lines".to_owned(), json!(lines));
            members
        });
        let not_counted = self.not_counted.iter().map(|file| {
            let mut members = evidence::path(&file.path);
            members.insert("reason".to_owned(), Value::String("binary".to_owned()));
            members
        });
        Evidence::new()
            .set("limit", limit)
            .set("found", self.found)
            .list("files", files)
            .list("not_counted", not_counted)
    }

    /// Returns remarks on files of which the count says little.
    pub(super) fn notes(&self) -> Vec<String> {
        let note = |file: &&ChangedFile| match file.longest_line {
            _ if file.kind == FileKind::Submodule => {
                format!("{} is a submodule: what changed in its own repository is not counted", file.path)
            }
            Some(longest) => {
                format!("{} has a line of {longest} characters: a number of lines says little about it", file.path)
            }
            None => format!("{}: a number of lines says little about it", file.path),
        };
        self.doubtful.iter().map(note).collect()
    }

    /// Returns what people are shown: the total, and each file's part.
    pub(super) fn found_lines(&self) -> Vec<Found> {
        let total = words::count(self.found, &format!("{} line", self.counted.word()));
        let sign = self.counted.sign();
        let parts = self.files.iter().map(|(file, lines)| Found::Path(file.path.to_lossy(), format!("{sign}{lines}")));
        std::iter::once(Found::Text(total)).chain(parts).collect()
    }

    /// Returns how the total stands against a limit: ` Now: 6, 4 left.`
    pub(super) fn now(&self, limit: u64) -> String {
        match limit.checked_sub(self.found) {
            Some(left) => format!(" Now: {}, {left} left.", self.found),
            None => format!(" Now: {}, {} too many.", self.found, self.found - limit),
        }
    }

    /// Returns what the author does about too many lines. It never sends anybody to cut tests.
    pub(super) fn next(&self, limit: u64) -> String {
        let over = self.found.saturating_sub(limit);
        let mut largest = self.files.iter().map(|(file, _)| file.path.to_lossy());
        let is_first_a_test = self.files.first().is_some_and(|(file, _)| words::is_testlike(&file.path.to_lossy()));
        let largest = largest.find(|path| !words::is_testlike(path));
        let outside = |text: &'static str| if is_first_a_test { text } else { "" };
        match self.counted {
            Counted::Added => {
                let part =
                    largest.map(|path| format!("; the largest part{} is in {path}", outside(" outside the tests")));
                let lines = words::count(over, "added line");
                format!("make the change smaller by {lines} or more{}", part.unwrap_or_default())
            }
            Counted::Deleted => {
                let part = largest.map(|path| {
                    format!(
                        "; most of {} were in {path}",
                        if is_first_a_test { "those outside the tests" } else { "them" }
                    )
                });
                format!("keep {over} or more of the deleted lines{}", part.unwrap_or_default())
            }
        }
    }
}
