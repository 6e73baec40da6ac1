//! A file that does not hold what it must: why, what comes nearest, and what to do. Decides nothing.

use super::file_text::obstacle;
use super::near::NearPaths;
use super::nearest_line::{Nearest, Reason};
use super::text_search::Needle;
use super::{Found, words};
use crate::facts::{ChangeStatus, Facts, FileAt, FileContent};

/// A file that does not hold what is looked for.
pub(super) struct Lack<'a> {
    pub(super) file: &'a FileContent,
    /// The line that comes nearest, when one was looked for and found.
    pub(super) nearest: Option<Nearest>,
    is_text_looked_for: bool,
}

impl<'a> Lack<'a> {
    /// Takes a file; the nearest line is looked for only where that is wanted, because it costs time.
    pub(super) fn new(file: &'a FileContent, needle: &Needle, wants_hint: bool) -> Self {
        let nearest = match (&file.at, needle) {
            (FileAt::Text { text }, Needle::Text(wanted)) if wants_hint => Nearest::find(wanted, text),
            _ => None,
        };
        Self { file, nearest, is_text_looked_for: matches!(needle, Needle::Text(_)) }
    }

    /// Returns what people are shown.
    pub(super) fn found(&self, is_one_of_many: bool) -> Vec<Found> {
        let path = self.file.path.to_lossy();
        match (&self.nearest, obstacle(self.file)) {
            (Some(nearest), _) if nearest.reason == Reason::LineBreak => {
                let place = format!("{path}:{}", nearest.line);
                vec![Found::Path(place, "the same words, with other line breaks".to_owned())]
            }
            (Some(nearest), _) => {
                let line = Found::Nearest(nearest.line, nearest.text.clone(), nearest.expected.clone());
                let title = is_one_of_many.then(|| Found::Text(format!("nearest in {path}:")));
                title.into_iter().chain([line]).collect()
            }
            (None, Some((why, _))) => vec![Found::Path(path, why)],
            (None, None) => vec![Found::Path(path, self.state().to_owned())],
        }
    }

    /// Returns what `explain` says of it.
    pub(super) fn lines(&self, is_one_of_many: bool) -> Vec<String> {
        let path = self.file.path.to_lossy();
        match (&self.nearest, obstacle(self.file)) {
            (Some(nearest), _) if nearest.reason == Reason::LineBreak => {
                vec![format!("Now in {path}, from line {} on: the same words, with other line breaks.", nearest.line)]
            }
            (Some(nearest), _) => {
                let place = if is_one_of_many { format!(" in {path}") } else { String::new() };
                let carets = words::carets(&nearest.text, &nearest.expected);
                vec![
                    format!("Nearest now{place}, line {}:", nearest.line),
                    format!("  {}", nearest.text),
                    format!("  {carets}"),
                ]
            }
            (None, Some((why, _))) => vec![format!("{path} {why}.")],
            (None, None) => vec![format!("{path} {} now.", self.state())],
        }
    }

    /// Returns what the author of the change does about it.
    pub(super) fn advice(&self, facts: &Facts) -> String {
        let path = self.file.path.to_lossy();
        match (&self.nearest, obstacle(self.file)) {
            (Some(nearest), _) => nearest.next(&path),
            (None, Some((_, next))) => next,
            (None, None) if self.file.at == FileAt::NoFile => match looks_alike(&path, facts) {
                Some(other) => format!("give {other} the exact name {path}"),
                None => format!("add {path} with the expected text"),
            },
            (None, None) => format!("write the expected text into {path}"),
        }
    }

    fn state(&self) -> &'static str {
        match (&self.file.at, self.is_text_looked_for) {
            (FileAt::NoFile, _) => "does not exist",
            (_, true) => "does not hold it, nor a line like it",
            (_, false) => "does not hold it",
        }
    }
}

/// A new file whose path only looks like the one that is missing.
fn looks_alike(path: &str, facts: &Facts) -> Option<String> {
    let change = facts.change.get().ok()?;
    let added = change.files.iter().filter(|file| file.status == ChangeStatus::Added);
    NearPaths::of_paths(added.map(|file| &file.path)).find(path).map(str::to_owned)
}
