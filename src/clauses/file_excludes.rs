//! `file_excludes`: no file at head that matches holds a text. What cannot be read as text fails it too:
//! a text could hide there.

use super::evidence::{self, Evidence};
use super::file_text::{self, FileText, obstacle, state};
use super::near::{self, NearPaths};
use super::schema_parts::described;
use super::text_search::Place;
use super::{Block, Clause, ClauseKind, Explanation, Finding, Found, Standing, words};
use crate::facts::{Facts, FileAt, FileContent, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "file_excludes";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// So many places are shown to people; the evidence has more.
const MOST_SHOWN: usize = 1_000;

/// These files must not hold this.
#[derive(Debug)]
pub struct FileExcludes(FileText);

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let entries = file_text::read(reader, member);
    entries.into_iter().map(|entry| Box::new(FileExcludes(entry)) as Box<dyn Clause>).collect()
}

fn schema() -> Value {
    described(
        file_text::schema(),
        "Texts that must not stand in files at head.",
        "Texts that must not stand in files at head, as `text` word for word or as `regex` (`^` and `$` match at \
         lines). A file that is not there holds nothing.",
        &file_text::examples("TODO"),
    )
}

impl FileExcludes {
    /// Returns the files and what is looked for in them.
    pub const fn entry(&self) -> &FileText {
        &self.0
    }

    /// Returns whether files as they are at one side meet the clause.
    pub fn holds(&self, files: &[&FileContent]) -> bool {
        files.iter().all(|file| !self.is_in(file) && obstacle(file).is_none())
    }

    fn is_in(&self, file: &FileContent) -> bool {
        matches!(&file.at, FileAt::Text { text } if self.0.needle().is_in(text))
    }

    fn places<'a>(&'a self, file: &'a FileContent) -> impl Iterator<Item = Place> + 'a {
        let text = match &file.at {
            FileAt::Text { text } => text.as_str(),
            _ => "",
        };
        let is_text = matches!(file.at, FileAt::Text { .. });
        self.0.needle().places(text).filter(move |_| is_text)
    }

    fn evidence(&self, files: &[&FileContent]) -> Value {
        let matches = files.iter().flat_map(|file| {
            self.places(file).map(|place| {
                let mut members = evidence::path(&file.path);
                members.insert("line".to_owned(), json!(place.line));
                members.insert("column".to_owned(), json!(place.column));
                members.insert("text".to_owned(), json!(place.text));
                members
            })
        });
        let state_of = |file: &&FileContent| state(&file.at, self.is_in(file));
        // A literal path has one state; of a pattern the first that breaks the clause counts.
        let breaking = files.iter().find(|file| !self.holds(&[*file]));
        let state = breaking.or(files.first()).map_or("no_file", state_of);
        let unreadable = files.iter().filter(|file| obstacle(file).is_some()).map(|file| {
            let mut members = evidence::path(&file.path);
            members.insert("state".to_owned(), json!(state_of(file)));
            members
        });
        Evidence::new()
            .set("path", super::normalized_rule(self.0.path()))
            .merge(self.0.needle().members())
            .list("matches", matches)
            .set("state", state)
            .list("unreadable", unreadable)
            .into_value()
    }

    fn detail(&self, files: &[&FileContent]) -> String {
        let named = self.0.needle().named();
        let with: Vec<&FileContent> = files.iter().copied().filter(|file| self.is_in(file)).collect();
        let mut parts = Vec::new();
        if !with.is_empty() {
            let verb = if with.len() == 1 { "still contains" } else { "still contain" };
            parts.push(format!("{} {verb} {named}", file_text::list(&with)));
        }
        for file in files {
            parts.extend(obstacle(file).map(|(why, _)| format!("{} {why}", file.path)));
        }
        if parts.is_empty() { format!("{} does not contain {named}", self.0.path()) } else { parts.join("; ") }
    }

    /// Returns what to do, a line for each file that breaks the clause.
    fn advice(&self, files: &[&FileContent]) -> Vec<String> {
        let of = |file: &&FileContent| {
            if let Some((_, next)) = obstacle(file) {
                return Some(next);
            }
            let mut lines: Vec<String> = self.places(file).map(|place| place.line.to_string()).take(100).collect();
            lines.dedup();
            let word = if lines.len() == 1 { "line" } else { "lines" };
            (!lines.is_empty()).then(|| format!("take it out of {}, {word} {}", file.path, words::names(&lines, "and")))
        };
        files.iter().filter_map(of).collect()
    }

    fn block(&self, files: &[&FileContent]) -> Block {
        let mut expected = vec![format!("not in {}:", self.0.path())];
        expected.extend(self.0.needle().shown());
        let in_texts = files.iter().flat_map(|file| {
            self.places(file).map(|place| Found::Path(format!("{}:{}", file.path, place.line), place.text))
        });
        let unreadable =
            files.iter().filter_map(|file| obstacle(file).map(|(why, _)| Found::Path(file.path.to_lossy(), why)));
        let mut found: Vec<Found> = in_texts.chain(unreadable).take(MOST_SHOWN).collect();
        // A line that holds it twice is shown once.
        found.dedup();
        Block { expected, found, next: self.advice(files) }
    }

    /// A path that is not there passes; whoever reads the finding should know that nothing was looked at.
    fn notes(&self, files: &[&FileContent], facts: &Facts) -> Vec<String> {
        if files.iter().any(|file| file.at != FileAt::NoFile) {
            return Vec::new();
        }
        let path = self.0.path();
        let mut notes = match path.as_literal() {
            Some(path) => vec![format!("{path} does not exist, so it holds nothing")],
            None => vec![format!("no file matches {path}, so none holds it")],
        };
        if let (Some(path), Ok(change)) = (path.as_literal(), facts.change.get()) {
            let near = NearPaths::of_paths(change.files.iter().map(|file| &file.path));
            notes.extend(
                near.find(path).map(|other| format!("{other} changed, which {}", near::difference(other, path))),
            );
        }
        notes.extend(near::star_notes([path]));
        notes
    }
}

impl Clause for FileExcludes {
    fn check(&self) -> &'static str {
        KEY
    }

    fn at(&self) -> &str {
        &self.0.at
    }

    fn normalized(&self) -> Value {
        self.0.normalized()
    }

    fn needs(&self, plan: &mut Plan) {
        self.0.needs(plan);
    }

    fn judge(&self, facts: &Facts, _index: usize) -> Finding {
        let files = match self.0.select(&facts.contents) {
            Ok(files) => files,
            Err(failure) => return Finding::unknown(KEY, self.at(), &failure),
        };
        let holds = self.holds(&files);
        let finding = Finding::judged(KEY, self.at(), holds, self.detail(&files), self.evidence(&files))
            .noting(self.notes(&files, facts));
        if holds {
            return finding;
        }
        let block = self.block(&files);
        let next = if let [only] = &block.next[..] {
            only.clone()
        } else {
            let broken = files.iter().filter(|file| !self.holds(&[**file]));
            let paths = words::lossy(broken.map(|file| &file.path));
            format!("take it out of {}", words::names(&paths, "and"))
        };
        finding.because(next, block)
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let path = self.0.path();
        let who = match path.as_literal() {
            Some(path) => format!("{path} must not hold"),
            None => format!("No file that matches {path} may hold"),
        };
        let mut lines = vec![format!("{who}, anywhere:")];
        lines.extend(self.0.needle().shown().into_iter().map(|line| format!("  {line}")));
        let (standing, next) = match self.0.select(&facts.contents) {
            Err(_) => (Standing::Unknown, Vec::new()),
            Ok(files) if self.holds(&files) => {
                let is_new = self.0.select(&facts.base_contents).is_ok_and(|files| !self.holds(&files));
                lines.extend(self.notes(&files, facts).into_iter().map(|note| format!("Now: {note}.")));
                (if is_new { Standing::Met } else { Standing::MetSoFar }, Vec::new())
            }
            Ok(files) => {
                lines.push("Now:".to_owned());
                let rows: Vec<(String, String)> = self
                    .block(&files)
                    .found
                    .into_iter()
                    .filter_map(|found| match found {
                        Found::Path(path, text) => Some((path, text)),
                        Found::Text(_) | Found::Nearest(..) | Found::Quoted(_) => None,
                    })
                    .collect();
                lines.extend(words::columns(&rows));
                (Standing::NotMet, self.advice(&files))
            }
        };
        Explanation { check: KEY.to_owned(), at: self.at().to_owned(), standing, lines, next }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::clauses::FindingStatus;
    use crate::clauses::samples::{content, explain, facts, file, judge};
    use crate::facts::ChangeStatus::Modified;
    use crate::facts::{Facts, FileAt, FileContent, Known};
    use serde_json::json;

    const LITERAL: &str = r#"{"file_excludes": [{"path": "src/a.ts", "text": "any"}]}"#;
    const PATTERN: &str = r#"{"file_excludes": [{"path": {"glob": "src/*.ts"}, "regex": "as\\s+any"}]}"#;

    fn with(contents: impl IntoIterator<Item = FileContent>) -> Facts {
        let mut facts = facts([file("src/A.ts", Modified, 1, 0)]);
        facts.contents = Known::Known(contents.into_iter().collect());
        facts
    }

    fn at(path: &str, at: FileAt) -> FileContent {
        FileContent { path: path.into(), at }
    }

    #[track_caller]
    fn check(contract: &str, contents: impl IntoIterator<Item = FileContent>, holds: bool, detail: &str) {
        let finding = judge(contract, &with(contents));
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (holds, detail));
        assert_eq!(finding.next.is_none(), holds, "only what does not hold has advice");
    }

    #[test]
    fn a_literal_path_keeps_the_original_wording() {
        check(LITERAL, [content("src/a.ts", "x")], true, r#"src/a.ts does not contain "any""#);
        check(LITERAL, [content("src/a.ts", "x as any")], false, r#"src/a.ts still contains "any""#);
        check(LITERAL, [at("src/a.ts", FileAt::NoFile)], true, r#"src/a.ts does not contain "any""#);
    }

    #[test]
    fn no_file_of_a_pattern_may_hold_it() {
        check(PATTERN, [], true, r"src/*.ts does not contain a match of /as\s+any/");
        let both = [content("src/a.ts", "as any"), content("src/b.ts", "as  any")];
        check(PATTERN, both, false, r"src/a.ts, src/b.ts still contain a match of /as\s+any/");
    }

    #[test]
    fn a_text_cannot_hide_where_nobody_can_read() {
        check(
            LITERAL,
            [at("src/a.ts", FileAt::NotText)],
            false,
            "src/a.ts is not text (neither UTF-8 nor UTF-16 with a byte-order mark)",
        );
        check(
            LITERAL,
            [at("src/a.ts", FileAt::Symlink { at: "src/a.ts".into() })],
            false,
            "src/a.ts is a symbolic link, and links are not followed",
        );
        check(
            PATTERN,
            [at("src/a.ts", FileAt::Submodule { at: "src/a.ts".into() })],
            false,
            "src/a.ts lies in the submodule src/a.ts, whose content is another repository's",
        );
        assert_eq!(judge(LITERAL, &with([])).status, FindingStatus::Unknown);
    }

    #[test]
    fn every_place_is_told() {
        let finding = judge(LITERAL, &with([content("src/a.ts", "any\n\n  many\n")]));
        assert_eq!(finding.next.as_deref(), Some("take it out of src/a.ts, lines 1 and 3"));
        assert_eq!(
            finding.evidence,
            json!({
                "path": "src/a.ts", "text": "any", "state": "found", "unreadable": [],
                "matches": [
                    {"path": "src/a.ts", "line": 1, "column": 1, "text": "any"},
                    {"path": "src/a.ts", "line": 3, "column": 4, "text": "  many"},
                ],
            })
        );
    }

    #[test]
    fn a_file_that_is_not_there_is_remarked_on() {
        let finding = judge(LITERAL, &with([at("src/a.ts", FileAt::NoFile)]));
        assert_eq!(
            finding.notes,
            [
                "src/a.ts does not exist, so it holds nothing",
                "src/A.ts changed, which differs from src/a.ts only in upper and lower case",
            ]
        );
    }

    #[test]
    fn explaining_tells_every_place() {
        let mut facts = with([content("src/a.ts", "x")]);
        facts.base_contents = Known::Known(vec![content("src/a.ts", "any")]);
        assert_eq!(explain(LITERAL, &facts), "Met\nsrc/a.ts must not hold, anywhere:\n  any");
        facts.contents = Known::Known(vec![content("src/a.ts", "many")]);
        assert_eq!(
            explain(LITERAL, &facts),
            "NotMet\nsrc/a.ts must not hold, anywhere:\n  any\nNow:\n  src/a.ts:1  many\n\
             next: take it out of src/a.ts, line 1"
        );
    }
}
