//! `file_contains`: every file at head that matches holds a text, and at least one file matches.

use super::evidence::{self, Evidence};
use super::file_text::{self, FileText, obstacle, state};
use super::lack::Lack;
use super::near;
use super::nearest_line::Nearest;
use super::schema_parts::described;
use super::{Block, Clause, ClauseKind, Explanation, Finding, Found, Needle, Standing, words};
use crate::facts::{Facts, FileAt, FileContent, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "file_contains";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// In so many files the nearest line is looked for.
const MOST_HINTS: usize = 20;

/// These files must hold this.
#[derive(Debug)]
pub struct FileContains(FileText);

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let entries = file_text::read(reader, member);
    entries.into_iter().map(|entry| Box::new(FileContains(entry)) as Box<dyn Clause>).collect()
}

fn schema() -> Value {
    described(
        file_text::schema(),
        "Texts that must stand in files at head.",
        "Texts that must stand in files at head, as `text` word for word or as `regex` (`^` and `$` match at lines). \
         Of a pattern, every matching file must hold it, and at least one file must match.",
        &file_text::examples("export function slugify("),
    )
}

impl FileContains {
    /// Returns the files and what is looked for in them.
    pub const fn entry(&self) -> &FileText {
        &self.0
    }

    /// Returns whether files as they are at one side meet the clause.
    pub fn holds(&self, files: &[&FileContent]) -> bool {
        !files.is_empty() && files.iter().all(|file| self.is_in(file))
    }

    fn is_in(&self, file: &FileContent) -> bool {
        matches!(&file.at, FileAt::Text { text } if self.0.needle().is_in(text))
    }

    fn lacks<'a>(&self, files: &[&'a FileContent]) -> Vec<Lack<'a>> {
        let without = files.iter().filter(|file| !self.is_in(file));
        without.zip(0..).map(|(file, index)| Lack::new(file, self.0.needle(), index < MOST_HINTS)).collect()
    }

    fn evidence(&self, files: &[&FileContent], lacks: &[Lack<'_>]) -> Value {
        let mut lacks = lacks.iter().peekable();
        let entries = files.iter().map(|file| {
            let lack = lacks.next_if(|lack| std::ptr::eq(lack.file, *file));
            let line = match &file.at {
                FileAt::Text { text } if lack.is_none() => self.0.needle().places(text).next().map(|place| place.line),
                _ => None,
            };
            let near = lack.and_then(|lack| lack.nearest.as_ref()).map(Nearest::evidence);
            let mut members = evidence::path(&file.path);
            members.insert("state".to_owned(), json!(state(&file.at, lack.is_none())));
            members.insert("line".to_owned(), json!(line));
            members.insert("near".to_owned(), json!(near));
            members
        });
        Evidence::new()
            .set("path", super::normalized_rule(self.0.path()))
            .merge(self.0.needle().members())
            .list("files", entries)
            .into_value()
    }

    fn detail(&self, files: &[&FileContent], lacks: &[Lack<'_>]) -> String {
        let named = self.0.needle().named();
        if files.is_empty() {
            return format!("no file matches {}", self.0.path());
        }
        if lacks.is_empty() {
            return match files {
                [_] if self.0.path().as_literal().is_some() => format!("{} contains {named}", self.0.path()),
                _ => format!("{} contains {named} ({})", self.0.path(), words::count(files.len() as u64, "file")),
            };
        }
        let without: Vec<&FileContent> =
            lacks.iter().map(|lack| lack.file).filter(|file| matches!(file.at, FileAt::Text { .. })).collect();
        let mut parts = Vec::new();
        if !without.is_empty() {
            let verb = if without.len() == 1 { "lacks" } else { "lack" };
            parts.push(format!("{} {verb} {named}", file_text::list(&without)));
        }
        for Lack { file, .. } in lacks {
            match obstacle(file) {
                Some((why, _)) => parts.push(format!("{} {why}", file.path)),
                None if file.at == FileAt::NoFile => parts.push(format!("{} does not exist", file.path)),
                None => {}
            }
        }
        parts.join("; ")
    }

    fn next(&self, lacks: &[Lack<'_>], facts: &Facts) -> String {
        match lacks {
            [] => format!("add a file that matches {} with the expected text", self.0.path()),
            [lack] => lack.advice(facts),
            _ => {
                let paths = words::lossy(lacks.iter().map(|lack| &lack.file.path));
                format!("make {} hold what is expected", words::names(&paths, "and"))
            }
        }
    }

    fn block(&self, lacks: &[Lack<'_>], facts: &Facts) -> Block {
        let mut block = Block { expected: self.0.needle().shown(), ..Block::default() };
        if lacks.is_empty() {
            block.found.push(Found::Text(format!("no file matches {}", self.0.path())));
            block.next.push(self.next(lacks, facts));
        }
        for lack in lacks {
            block.found.extend(lack.found(lacks.len() > 1));
            block.next.push(lack.advice(facts));
        }
        block
    }
}

impl Clause for FileContains {
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
        let lacks = self.lacks(&files);
        let holds = self.holds(&files);
        let finding =
            Finding::judged(KEY, self.at(), holds, self.detail(&files, &lacks), self.evidence(&files, &lacks));
        if holds {
            return finding;
        }
        let is_nothing_there = files.iter().all(|file| file.at == FileAt::NoFile);
        let notes = if is_nothing_there { near::star_notes([self.0.path()]) } else { Vec::new() };
        finding.because(self.next(&lacks, facts), self.block(&lacks, facts)).noting(notes)
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let path = self.0.path();
        let who = match path.as_literal() {
            Some(path) => path.to_owned(),
            None => format!("Every file that matches {path}, and there must be one,"),
        };
        let how = match self.0.needle() {
            Needle::Text(_) => "anywhere, in this spelling",
            Needle::Regex(_) => "anywhere (^ and $ match at lines)",
        };
        let mut lines = vec![format!("{who} must hold, {how}:")];
        lines.extend(self.0.needle().shown().into_iter().map(|line| format!("  {line}")));
        let (standing, next) = match self.0.select(&facts.contents) {
            Err(_) => (Standing::Unknown, Vec::new()),
            Ok(files) if self.holds(&files) => {
                let is_new = self.0.select(&facts.base_contents).is_ok_and(|files| !self.holds(&files));
                (if is_new { Standing::Met } else { Standing::MetSoFar }, Vec::new())
            }
            Ok(files) => {
                let lacks = self.lacks(&files);
                if lacks.is_empty() {
                    lines.push("No file matches now.".to_owned());
                }
                for lack in &lacks {
                    lines.extend(lack.lines(lacks.len() > 1));
                }
                let block = self.block(&lacks, facts);
                (Standing::NotMet, block.next)
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
    use crate::clauses::samples::{content, explain, facts, file, judge};
    use crate::clauses::{FindingStatus, Found};
    use crate::facts::ChangeStatus::Added;
    use crate::facts::{Facts, FileAt, FileContent, Known};
    use serde_json::json;

    const LITERAL: &str = r#"{"file_contains": [{"path": "src/a.ts", "text": "one \"two\""}]}"#;
    const PATTERN: &str = r#"{"file_contains": [{"path": {"glob": "src/*.ts"}, "regex": "^one$"}]}"#;

    fn with(contents: impl IntoIterator<Item = FileContent>) -> Facts {
        let mut facts = facts([]);
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
        check(LITERAL, [content("src/a.ts", "x one \"two\" y")], true, r#"src/a.ts contains "one \"two\"""#);
        check(LITERAL, [content("src/a.ts", "one two")], false, r#"src/a.ts lacks "one \"two\"""#);
        check(LITERAL, [at("src/a.ts", FileAt::NoFile)], false, "src/a.ts does not exist");
    }

    #[test]
    fn every_file_of_a_pattern_must_hold_it_and_there_must_be_one() {
        check(PATTERN, [], false, "no file matches src/*.ts");
        check(PATTERN, [content("lib/a.ts", "one")], false, "no file matches src/*.ts");
        let good = || content("src/a.ts", "zero\none\n");
        check(PATTERN, [good(), content("src/b.ts", "one")], true, "src/*.ts contains a match of /^one$/ (2 files)");
        check(PATTERN, [good(), content("src/b.ts", "one two")], false, "src/b.ts lacks a match of /^one$/");
    }

    #[test]
    fn what_is_no_text_file_never_holds_anything() {
        let link = || FileAt::Symlink { at: "src".into() };
        let why = "src/a.ts lies behind the symbolic link src, and links are not followed";
        check(LITERAL, [at("src/a.ts", link())], false, why);
        let why = "src/a.ts is not text (neither UTF-8 nor UTF-16 with a byte-order mark)";
        check(LITERAL, [at("src/a.ts", FileAt::NotText)], false, why);
        check(PATTERN, [content("src/b.ts", "one"), at("src/a.ts", FileAt::NotText)], false, why);
        check(
            LITERAL,
            [at("src/a.ts", FileAt::Directory)],
            false,
            "src/a.ts is a folder, or a file stands where a folder is needed",
        );
    }

    #[test]
    fn content_that_nobody_looked_at_is_unknown() {
        assert_eq!(judge(LITERAL, &with([])).status, FindingStatus::Unknown);
        assert_eq!(judge(PATTERN, &Facts::none()).status, FindingStatus::Unknown);
    }

    #[test]
    fn line_ends_of_the_contract_mean_nothing() {
        let contract = r#"{"file_contains": [{"path": "a", "text": "b\r\nc"}]}"#;
        check(contract, [content("a", "b\nc")], true, r#"a contains "b\nc""#);
    }

    #[test]
    fn the_nearest_line_is_shown_with_the_reason() {
        let contract = r#"{"file_contains": [{"path": "src/a.ts", "text": "function slugify(input: string)"}]}"#;
        let finding = judge(contract, &with([content("src/a.ts", "\n\nfunction slugify(text: string)\n")]));
        assert_eq!(finding.next.as_deref(), Some("make line 3 of src/a.ts read as expected"));
        assert_eq!(
            finding.evidence,
            json!({
                "path": "src/a.ts", "text": "function slugify(input: string)",
                "files": [{
                    "path": "src/a.ts", "state": "absent", "line": null,
                    "near": {"line": 3, "text": "function slugify(text: string)", "reason": "similar"},
                }],
            })
        );
        let (line, expected) = ("function slugify(text: string)", "function slugify(input: string)");
        assert_eq!(finding.blocks[0].found, [Found::Nearest(3, line.to_owned(), expected.to_owned())]);
        assert_eq!(finding.blocks[0].expected, [expected]);
    }

    #[test]
    fn a_file_of_another_spelling_is_told_to_take_the_exact_name() {
        let mut facts = with([at("src/a.ts", FileAt::NoFile)]);
        facts.change = Known::Known(crate::clauses::samples::change([file("src/A.ts", Added, 1, 0)]));
        assert_eq!(judge(LITERAL, &facts).next.as_deref(), Some("give src/A.ts the exact name src/a.ts"));
    }

    #[test]
    fn other_line_breaks_are_told_in_words() {
        let contract = r#"{"file_contains": [{"path": "N.md", "text": "Closes issue 12"}]}"#;
        let facts = with([content("N.md", "Closes\nissue 12\n")]);
        let finding = judge(contract, &facts);
        let found = Found::Path("N.md:1".to_owned(), "the same words, with other line breaks".to_owned());
        assert_eq!(finding.blocks[0].found, [found]);
        assert_eq!(finding.next.as_deref(), Some("make the line breaks from line 1 of N.md on as expected"));
        assert!(
            explain(contract, &facts).contains("Now in N.md, from line 1 on: the same words, with other line breaks.")
        );
    }

    #[test]
    fn explaining_tells_how_it_stands_against_the_merge_base() {
        let contract = r#"{"file_contains": [{"path": "a.ts", "text": "slugify(input)"}]}"#;
        let mut facts = with([content("a.ts", "slugify(input)")]);
        facts.base_contents = Known::Known(vec![at("a.ts", FileAt::NoFile)]);
        let asks = "a.ts must hold, anywhere, in this spelling:\n  slugify(input)";
        assert_eq!(explain(contract, &facts), format!("Met\n{asks}"));
        facts.base_contents = Known::Known(vec![content("a.ts", "slugify(input)")]);
        assert_eq!(explain(contract, &facts), format!("MetSoFar\n{asks}"));
        facts.contents = Known::Known(vec![content("a.ts", "slugify(text)")]);
        assert_eq!(
            explain(contract, &facts),
            format!(
                "NotMet\n{asks}\nNearest now, line 1:\n  slugify(text)\n          ^^^^\n\
                 next: make line 1 of a.ts read as expected"
            )
        );
    }
}
