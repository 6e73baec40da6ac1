//! `changed_files_only`: every changed file matches a rule.

use super::evidence::{self, Evidence};
use super::near::{self, NearPaths};
use super::rule_set::RuleSet;
use super::schema_parts::{described, path_rules};
use super::{Block, Clause, ClauseKind, Explanation, Finding, Found, Standing};
use super::{normalized_rules, presence, undo, words};
use crate::facts::{Change, ChangeStatus, ChangedFile, Facts, FileKind, PathRule, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "changed_files_only";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// Only these files may change.
#[derive(Debug)]
pub struct ChangedFilesOnly {
    at: String,
    rules: RuleSet,
}

impl ChangedFilesOnly {
    /// Returns the rules in the contract's order.
    pub fn rules(&self) -> &[PathRule] {
        self.rules.rules()
    }

    /// Returns whether a file may change.
    pub fn allows(&self, path: &crate::facts::RepoPath) -> bool {
        self.rules.contains(path)
    }

    fn unexpected<'a>(&self, change: &'a Change) -> Vec<Unexpected<'a>> {
        let files: Vec<_> = change.files.iter().filter(|file| !self.rules.contains(&file.path)).collect();
        if files.is_empty() {
            return Vec::new();
        }
        let near = NearPaths::of_rules(self.rules());
        files.into_iter().map(|file| Unexpected { file, near: Near::find(&near, file) }).collect()
    }
}

/// A changed file that no rule allows.
struct Unexpected<'a> {
    file: &'a ChangedFile,
    near: Option<Near>,
}

/// An allowed path that only looks the same.
struct Near {
    path: String,
    hint: String,
}

impl Near {
    fn find(near: &NearPaths, file: &ChangedFile) -> Option<Self> {
        let path = file.path.as_str()?;
        near.find(path).map(|other| Self { path: other.to_owned(), hint: near::difference(path, other) })
    }
}

impl Unexpected<'_> {
    /// The name that a new file should have had. One that was there before keeps its name.
    fn exact_name(&self) -> Option<&str> {
        self.near.as_ref().filter(|_| self.file.status == ChangeStatus::Added).map(|near| near.path.as_str())
    }

    fn advice(&self, change: &Change) -> String {
        match self.exact_name() {
            Some(name) => format!("give it the exact name {name}"),
            None => undo::undo(change, self.file),
        }
    }
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let at = reader.pointer().to_owned();
    match reader.path_rules(&member.value) {
        Some(rules) => vec![Box::new(ChangedFilesOnly { at, rules: RuleSet::new(rules) })],
        None => Vec::new(),
    }
}

fn schema() -> Value {
    described(
        path_rules(),
        "The only files that may change: every changed file must match one of these.",
        "The only files that may change. A string is a literal path (`*` and `[` are ordinary characters in it), \
         `{\"glob\": \"src/**/*.ts\"}` a pattern whose `*` does not cross `/`.",
        &json!([["src/slugify.ts", "tests/slugify.test.ts"], [{ "glob": "src/**" }]]),
    )
}

impl Clause for ChangedFilesOnly {
    fn check(&self) -> &'static str {
        KEY
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        normalized_rules(self.rules())
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
        presence::needs(plan, self.rules());
    }

    fn judge(&self, facts: &Facts, _index: usize) -> Finding {
        let change = match facts.change.get() {
            Ok(change) => change,
            Err(failure) => return Finding::unknown(KEY, &self.at, failure),
        };
        let unexpected = self.unexpected(change);
        let files = unexpected.iter().map(|Unexpected { file, near }| {
            let mut members = evidence::changed_file(file);
            members.insert("near".to_owned(), near.as_ref().map_or(Value::Null, |near| json!(near.hint)));
            members
        });
        let evidence = Evidence::new()
            .list("allowed", self.rules().iter().map(super::normalized_rule))
            .list("unexpected", unexpected.iter().map(|unexpected| unexpected.file.path.to_lossy()))
            .list("files", files)
            .into_value();
        let holds = unexpected.is_empty();
        let mut notes = link_notes(change);
        notes.extend(near::star_notes(self.rules.unmatched(change.files.iter().map(|file| &file.path))));
        let finding = Finding::judged(KEY, &self.at, holds, detail(change, &unexpected), evidence).noting(notes);
        if holds {
            return finding;
        }
        let found = unexpected.iter().map(|Unexpected { file, near }| {
            let words = match near {
                Some(near) => format!("{}; {}", words::change(file), near.hint),
                None => words::change(file),
            };
            Found::Path(file.path.to_lossy(), words)
        });
        let block = Block {
            expected: vec![format!("only {} {}", words::names(self.rules(), "and"), changes(self.rules().len()))],
            found: found.collect(),
            next: unexpected.iter().map(|unexpected| unexpected.advice(change)).collect(),
        };
        finding.because(next(&unexpected), block)
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let mut lines = vec!["Only these files may change:".to_owned()];
        lines.extend(presence::lines(self.rules(), facts));
        let (standing, next) = match facts.change.get() {
            Err(_) => (Standing::Unknown, Vec::new()),
            Ok(change) => {
                let unexpected = self.unexpected(change);
                if unexpected.is_empty() {
                    (Standing::MetSoFar, Vec::new())
                } else {
                    lines.push("Changed now, and not among them:".to_owned());
                    let row =
                        |unexpected: &Unexpected<'_>| (unexpected.file.path.to_lossy(), words::change(unexpected.file));
                    lines.extend(words::columns(&unexpected.iter().map(row).collect::<Vec<_>>()));
                    let next = unexpected.iter().map(|unexpected| unexpected.advice(change)).collect();
                    (Standing::NotMet, next)
                }
            }
        };
        Explanation { check: KEY.to_owned(), at: self.at.clone(), standing, lines, next }
    }

    fn names_files(&self) -> &[PathRule] {
        self.rules()
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

const fn changes(rules: usize) -> &'static str {
    if rules == 1 { "changes" } else { "change" }
}

fn detail(change: &Change, unexpected: &[Unexpected<'_>]) -> String {
    if !unexpected.is_empty() {
        let paths = words::lossy(unexpected.iter().map(|unexpected| &unexpected.file.path));
        return format!("unexpected changes: {}", paths.join(", "));
    }
    if change.files.is_empty() {
        return "changed: (none)".to_owned();
    }
    format!("changed: {}", words::lossy(change.files.iter().map(|file| &file.path)).join(", "))
}

/// What stands behind a link or a submodule is not part of the change that can be judged.
fn link_notes(change: &Change) -> Vec<String> {
    let note = |file: &ChangedFile| {
        let (kind, behind) = match file.kind {
            FileKind::Text | FileKind::Binary => return None,
            FileKind::Symlink => ("a symbolic link", "what it leads to"),
            FileKind::Submodule => ("a submodule", "its own repository"),
        };
        let status = words::status(file.status).replace('_', " ");
        Some(format!("{} ({status}) is {kind}: {behind} is not looked at", file.path))
    };
    change.files.iter().filter_map(note).collect()
}

fn next(unexpected: &[Unexpected<'_>]) -> String {
    if let [only] = unexpected
        && let Some(name) = only.exact_name()
    {
        return format!("give {} the exact name {name}", only.file.path);
    }
    let paths = words::lossy(unexpected.iter().map(|unexpected| &unexpected.file.path));
    let changes = if paths.len() == 1 { "change" } else { "changes" };
    format!("undo the {changes} to {}", words::names(&paths, "and"))
}

#[cfg(test)]
mod tests {
    use crate::clauses::samples::{explain, facts, file, judge, missing, present};
    use crate::facts::ChangeStatus::{Added, Deleted, Modified, TypeChanged};
    use crate::facts::{ChangedFile, FileKind, Known};
    use serde_json::json;

    const CONTRACT: &str = r#"{"changed_files_only": ["src/slugify.ts", "test/slugify.test.ts"]}"#;

    #[track_caller]
    fn check(contract: &str, files: impl IntoIterator<Item = ChangedFile>, holds: bool, detail: &str) {
        let finding = judge(contract, &facts(files));
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (holds, detail));
        assert_eq!(finding.next.is_none(), holds, "only what does not hold has advice");
    }

    #[test]
    fn every_changed_file_must_match() {
        check(CONTRACT, [], true, "changed: (none)");
        check(CONTRACT, [file("src/slugify.ts", Modified, 1, 1)], true, "changed: src/slugify.ts");
        let both = [file("README.md", Modified, 1, 0), file("src/slugify.ts", Deleted, 0, 9)];
        check(CONTRACT, both, false, "unexpected changes: README.md");
        check(
            r#"{"changed_files_only": [{"glob": "src/*"}]}"#,
            [file("src/a/b", Added, 1, 0)],
            false,
            "unexpected changes: src/a/b",
        );
        check(
            r#"{"changed_files_only": ["app/[slug]/p.ts"]}"#,
            [file("app/s/p.ts", Added, 1, 0)],
            false,
            "unexpected changes: app/s/p.ts",
        );
    }

    #[test]
    fn a_path_that_is_not_text_matches_no_literal() {
        let mut odd = file("x", Added, 1, 0);
        odd.path = crate::facts::RepoPath::from_bytes(*b"src/a\xff");
        check(r#"{"changed_files_only": ["src/a\ufffd"]}"#, [odd.clone()], false, "unexpected changes: src/a\u{fffd}");
        check(r#"{"changed_files_only": [{"glob": "src/*"}]}"#, [odd], true, "changed: src/a\u{fffd}");
    }

    #[test]
    fn the_finding_shows_what_was_expected_found_and_what_to_do() {
        let finding = judge(CONTRACT, &facts([file("README.md", Modified, 1, 0), file("b c", Added, 2, 0)]));
        assert_eq!(finding.next.as_deref(), Some("undo the changes to README.md and b c"));
        let block = &finding.blocks[0];
        assert_eq!(block.expected, ["only src/slugify.ts and test/slugify.test.ts change"]);
        assert_eq!(block.next, ["undo it: git checkout 8c1f0a2 -- README.md", "undo it: git rm 'b c'"]);
        assert_eq!(
            finding.evidence,
            json!({
                "allowed": ["src/slugify.ts", "test/slugify.test.ts"],
                "unexpected": ["README.md", "b c"],
                "files": [
                    {"path": "README.md", "status": "modified", "added": 1, "deleted": 0, "near": null},
                    {"path": "b c", "status": "added", "added": 2, "deleted": 0, "near": null},
                ],
            })
        );
    }

    #[test]
    fn a_near_miss_is_told_to_take_the_exact_name() {
        let finding = judge(CONTRACT, &facts([file("src/Slugify.ts", Added, 1, 0)]));
        assert_eq!(finding.next.as_deref(), Some("give src/Slugify.ts the exact name src/slugify.ts"));
        let hint = "differs from src/slugify.ts only in upper and lower case";
        assert_eq!(finding.evidence["files"][0]["near"], hint);
        let finding = judge(CONTRACT, &facts([file("src/Slugify.ts", Modified, 1, 0)]));
        assert_eq!(finding.next.as_deref(), Some("undo the change to src/Slugify.ts"));
        assert_eq!(finding.evidence["files"][0]["near"], hint);
    }

    #[test]
    fn a_literal_star_that_matched_nothing_is_remarked_on() {
        let finding = judge(r#"{"changed_files_only": ["src/*.ts"]}"#, &facts([file("src/a.ts", Modified, 1, 0)]));
        assert!(finding.notes[0].ends_with("a pattern is written {\"glob\":\"src/*.ts\"}"), "{:?}", finding.notes);
    }

    #[test]
    fn links_and_submodules_are_told_even_where_they_are_allowed() {
        let mut link = file("src/slugify.ts", TypeChanged, 1, 3);
        link.kind = FileKind::Symlink;
        let finding = judge(CONTRACT, &facts([link]));
        assert!(finding.is_ok());
        let note = "src/slugify.ts (type changed) is a symbolic link: what it leads to is not looked at";
        assert_eq!(finding.notes, [note]);
    }

    #[test]
    fn explaining_tells_what_is_there_and_what_to_undo() {
        let mut facts = facts([file("README.md", Modified, 1, 0)]);
        facts.paths = Known::Known(vec![present("src/slugify.ts"), missing("test/slugify.test.ts")]);
        assert_eq!(
            explain(CONTRACT, &facts),
            "NotMet\nOnly these files may change:\n  src/slugify.ts        is there\n  test/slugify.test.ts  is not there\n\
             Changed now, and not among them:\n  README.md  modified, +1 -0\n\
             next: undo it: git checkout 8c1f0a2 -- README.md"
        );
    }
}
