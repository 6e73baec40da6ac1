//! `added_lines_exclude`: no added line of the diff holds a text: `.only(`, `@ts-ignore`, ...

use super::evidence::{self, Evidence};
use super::near;
use super::schema_parts::{described, entries, path_rule};
use super::text_search::{Needle, Place};
use super::{Block, Clause, ClauseKind, Explanation, Finding, Found, Standing, normalized_rule, words};
use crate::error::Failure;
use crate::facts::{AddedLines, AddedLinesWanted, Facts, PathRule, Plan, RepoPath};
use crate::json::{Member, Node, Problem, Reader};
use serde_json::{Value, json};

const KEY: &str = "added_lines_exclude";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// So many places are shown to people; the evidence has more.
const MOST_SHOWN: usize = 1_000;

/// No added line may hold this.
#[derive(Debug)]
pub struct AddedLinesExclude {
    at: String,
    needle: Needle,
    path: Option<PathRule>,
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let clauses = reader.each(&member.value, "objects", |reader, node| {
        read_entry(reader, node).map(|clause| Box::new(clause) as Box<dyn Clause>)
    });
    clauses.unwrap_or_default()
}

fn read_entry(reader: &mut Reader, node: &Node) -> Option<AddedLinesExclude> {
    let at = reader.pointer().to_owned();
    let object = reader.object(node, &["text", "regex", "path"])?;
    let needle = Needle::read(reader, &object);
    if let (Some(Needle::Text(text)), Some(node)) = (&needle, object.get("text"))
        && text.contains('\n')
    {
        let problem = Problem::new(node.span.clone(), "a line cannot hold a line break", "holds a line break");
        reader.problem(problem.help("lines are looked at one by one; give one line of the text"));
    }
    let path = match object.get("path") {
        Some(node) => Some(reader.within("path", |reader| reader.path_rule(node))?),
        None => None,
    };
    Some(AddedLinesExclude { at, needle: needle?, path })
}

fn schema() -> Value {
    let (mut properties, one_of) = Needle::schema();
    properties["path"] = path_rule();
    described(
        entries(&properties, &[], &one_of),
        "Texts that no added line of the diff may hold.",
        "Texts that no added line of the diff may hold, in all files or in those that match `path`. What stood there \
         before is not looked at.",
        &json!([[{ "text": ".only(" }, { "regex": "@ts-(ignore|nocheck)", "path": { "glob": "src/**" } }]]),
    )
}

impl AddedLinesExclude {
    /// Returns what is looked for.
    pub const fn needle(&self) -> &Needle {
        &self.needle
    }

    /// Returns which files are looked at, `None` for all.
    pub const fn path(&self) -> Option<&PathRule> {
        self.path.as_ref()
    }

    fn select<'a>(&self, facts: &'a Facts) -> Result<Vec<&'a AddedLines>, Failure> {
        let files = facts.added_lines.get().map_err(Clone::clone)?;
        let is_wanted = |file: &&AddedLines| self.path.as_ref().is_none_or(|rule| rule.matches(&file.path));
        Ok(files.iter().filter(is_wanted).collect())
    }

    fn places<'a>(&'a self, files: &'a [&'a AddedLines]) -> impl Iterator<Item = (&'a RepoPath, Place)> + 'a {
        files.iter().flat_map(move |file| {
            file.lines.iter().flat_map(move |(line, text)| {
                self.needle.places(text).map(move |place| (&file.path, Place { line: *line, ..place }))
            })
        })
    }

    fn is_broken(&self, files: &[&AddedLines]) -> bool {
        files.iter().any(|file| file.lines.iter().any(|(_, text)| self.needle.is_in(text)))
    }

    fn evidence(&self, files: &[&AddedLines]) -> Value {
        let matches = self.places(files).map(|(path, place)| {
            let mut members = evidence::path(path);
            members.insert("line".to_owned(), json!(place.line));
            members.insert("column".to_owned(), json!(place.column));
            members.insert("text".to_owned(), json!(place.text));
            members
        });
        Evidence::new()
            .merge(self.needle.members())
            .set("rule", self.path.as_ref().map_or(Value::Null, normalized_rule))
            .list("matches", matches)
            .into_value()
    }

    fn within(&self) -> String {
        self.path.as_ref().map(|rule| format!(" in {rule}")).unwrap_or_default()
    }

    /// Returns what to do, a line for each place, but not for so many that nobody reads them.
    fn advice(&self, files: &[&AddedLines]) -> Vec<String> {
        let of = |(path, place): (&RepoPath, Place)| {
            let place = format!("{path}, line {}", place.line);
            if words::is_testlike(&path.to_lossy()) {
                format!("do without it in {place}, and make the tests there pass")
            } else {
                format!("do without it in {place}")
            }
        };
        let mut advice: Vec<String> = self.places(files).take(MOST_SHOWN).map(of).collect();
        advice.dedup();
        advice
    }

    fn next(&self, files: &[&AddedLines]) -> String {
        let advice = self.advice(files);
        if let [only] = &advice[..] {
            return only.clone();
        }
        let broken = files.iter().copied().filter(|file| self.is_broken(&[*file]));
        let paths = words::lossy(broken.map(|file| &file.path));
        format!("do without it in {}", words::names(&paths, "and"))
    }
}

impl Clause for AddedLinesExclude {
    fn check(&self) -> &'static str {
        KEY
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        let mut members = self.needle.members();
        if let Some(rule) = &self.path {
            members.insert("path".to_owned(), normalized_rule(rule));
        }
        Value::Object(members)
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
        plan.added_lines.push(AddedLinesWanted { path: self.path.clone() });
    }

    fn judge(&self, facts: &Facts, _index: usize) -> Finding {
        let files = match self.select(facts) {
            Ok(files) => files,
            Err(failure) => return Finding::unknown(KEY, &self.at, &failure),
        };
        let named = self.needle.named();
        let times = self.places(&files).count() as u64;
        let evidence = self.evidence(&files);
        if times == 0 {
            let detail = format!("no added line{} holds {named}", self.within());
            let is_untouched = self.path.is_some() && files.is_empty();
            let notes = near::star_notes(self.path.as_ref().filter(|_| is_untouched));
            return Finding::judged(KEY, &self.at, true, detail, evidence).noting(notes);
        }
        let detail = format!("{named} added {}{}", words::count(times, "time"), self.within());
        let mut expected = vec![format!("in no added line{}:", self.within())];
        expected.extend(self.needle.shown());
        let found = self.places(&files).take(MOST_SHOWN);
        let mut found: Vec<Found> =
            found.map(|(path, place)| Found::Path(format!("{path}:{}", place.line), place.text)).collect();
        // A line that holds it twice is shown once.
        found.dedup();
        let block = Block { expected, found, next: self.advice(&files) };
        Finding::judged(KEY, &self.at, false, detail, evidence).because(self.next(&files), block)
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let within = self.path.as_ref().map(|rule| format!(" of {rule}")).unwrap_or_default();
        let mut lines = vec![format!("No added line{within} may hold:")];
        lines.extend(self.needle.shown().into_iter().map(|line| format!("  {line}")));
        let (standing, next) = match self.select(facts) {
            Err(_) => (Standing::Unknown, Vec::new()),
            Ok(files) if self.is_broken(&files) => {
                lines.push("Added now:".to_owned());
                let mut rows: Vec<_> = self
                    .places(&files)
                    .take(MOST_SHOWN)
                    .map(|(path, place)| (format!("{path}:{}", place.line), place.text))
                    .collect();
                rows.dedup();
                lines.extend(words::columns(&rows));
                (Standing::NotMet, self.advice(&files))
            }
            Ok(_) => (Standing::MetSoFar, Vec::new()),
        };
        Explanation { check: KEY.to_owned(), at: self.at.clone(), standing, lines, next }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::clauses::samples::{explain, facts, judge};
    use crate::clauses::{FindingStatus, Found};
    use crate::contract::{Reading, read};
    use crate::facts::{AddedLines, Facts, Known};
    use serde_json::json;

    const ONLY: &str = r#"{"added_lines_exclude": [{"text": ".only("}]}"#;
    const IGNORE: &str = r#"{"added_lines_exclude": [{"regex": "^\\s*// @ts-", "path": {"glob": "src/**"}}]}"#;

    fn with(files: &[(&str, &[(u64, &str)])]) -> Facts {
        let mut facts = facts([]);
        let added = |(path, lines): &(&str, &[(u64, &str)])| AddedLines {
            path: (*path).into(),
            lines: lines.iter().map(|(line, text)| (*line, (*text).to_owned())).collect(),
        };
        facts.added_lines = Known::Known(files.iter().map(added).collect());
        facts
    }

    #[track_caller]
    fn check(contract: &str, files: &[(&str, &[(u64, &str)])], holds: bool, detail: &str) {
        let finding = judge(contract, &with(files));
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (holds, detail));
        assert_eq!(finding.next.is_none(), holds, "only what does not hold has advice");
    }

    #[test]
    fn every_added_line_is_looked_at() {
        check(ONLY, &[], true, r#"no added line holds ".only(""#);
        check(ONLY, &[("a.ts", &[(3, "it('a')")])], true, r#"no added line holds ".only(""#);
        check(ONLY, &[("a.ts", &[(3, "it.only('a')")])], false, r#"".only(" added 1 time"#);
        check(ONLY, &[("a.ts", &[(3, "a.only(b.only())")])], false, r#"".only(" added 2 times"#);
    }

    #[test]
    fn a_path_narrows_where_it_is_looked_for() {
        let lines: &[(u64, &str)] = &[(1, "  // @ts-ignore")];
        check(IGNORE, &[("lib/a.ts", lines)], true, r"no added line in src/** holds a match of /^\s*// @ts-/");
        check(IGNORE, &[("src/a.ts", lines)], false, r"a match of /^\s*// @ts-/ added 1 time in src/**");
    }

    #[test]
    fn the_place_is_told_and_what_to_do() {
        let finding = judge(ONLY, &with(&[("tests/a.ts", &[(214, "it.only('a')")])]));
        let next = "do without it in tests/a.ts, line 214, and make the tests there pass";
        assert_eq!(finding.next.as_deref(), Some(next));
        assert_eq!(
            finding.evidence,
            json!({
                "text": ".only(", "rule": null,
                "matches": [{"path": "tests/a.ts", "line": 214, "column": 3, "text": "it.only('a')"}],
            })
        );
        let block = &finding.blocks[0];
        assert_eq!(block.expected, ["in no added line:", ".only("]);
        assert_eq!(block.found, [Found::Path("tests/a.ts:214".to_owned(), "it.only('a')".to_owned())]);
    }

    #[test]
    fn lines_that_nobody_read_are_unknown() {
        assert_eq!(judge(ONLY, &Facts::none()).status, FindingStatus::Unknown);
    }

    #[test]
    fn a_text_over_two_lines_is_refused() {
        let reading = read(br#"{"added_lines_exclude": [{"text": "a\nb"}]}"#);
        assert!(matches!(reading, Reading::Invalid(problems) if problems[0].message.contains("line break")));
    }

    #[test]
    fn explaining_tells_every_place() {
        assert_eq!(
            explain(ONLY, &with(&[("src/a.ts", &[(2, "x.only(")])])),
            "NotMet\nNo added line may hold:\n  .only(\nAdded now:\n  src/a.ts:2  x.only(\n\
             next: do without it in src/a.ts, line 2"
        );
    }
}
