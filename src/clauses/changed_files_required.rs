//! `changed_files_required`: every rule matches a changed file.

use super::evidence::Evidence;
use super::near::{self, NearPaths};
use super::presence::Presence;
use super::rule_set::RuleSet;
use super::schema_parts::{described, path_rules};
use super::{Block, Clause, ClauseKind, Explanation, Finding, Found, Standing};
use super::{normalized_rule, normalized_rules, presence, undo, words};
use crate::facts::{Change, ChangeStatus, Facts, PathRule, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "changed_files_required";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// Each of these files must change.
#[derive(Debug)]
pub struct ChangedFilesRequired {
    at: String,
    rules: RuleSet,
}

impl ChangedFilesRequired {
    /// Returns the rules in the contract's order.
    pub fn rules(&self) -> &[PathRule] {
        self.rules.rules()
    }

    fn missing(&self, change: &Change) -> Vec<&PathRule> {
        self.rules.unmatched(change.files.iter().map(|file| &file.path))
    }
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let at = reader.pointer().to_owned();
    match reader.path_rules(&member.value) {
        Some(rules) => vec![Box::new(ChangedFilesRequired { at, rules: RuleSet::new(rules) })],
        None => Vec::new(),
    }
}

fn schema() -> Value {
    described(
        path_rules(),
        "Files that must change: each of these must match a changed file.",
        "Files that must change. A string is a literal path; of a pattern `{\"glob\": \"tests/**\"}` at least one \
         matching file must change.",
        &json!([["src/slugify.ts", { "glob": "tests/**/*.test.ts" }]]),
    )
}

impl Clause for ChangedFilesRequired {
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
        let missing = self.missing(change);
        let presence = Presence::new(facts);
        let near = Near::new(change);
        let entries = missing.iter().map(|rule| {
            json!({
                "rule": normalized_rule(rule),
                "exists_at_head": rule.as_literal().and_then(|path| presence.at_head(path)),
                "near": near_hint(&near, rule),
            })
        });
        let evidence = Evidence::new()
            .list("required", self.rules().iter().map(normalized_rule))
            .list("missing", entries)
            .into_value();
        if missing.is_empty() {
            let notes = self.mode_notes(change);
            return Finding::judged(KEY, &self.at, true, "all required files changed", evidence).noting(notes);
        }
        let names: Vec<&str> = missing.iter().map(|rule| (*rule).as_ref()).collect();
        let detail = format!("not changed: {}", names.join(", "));
        let found = missing.iter().map(|rule| {
            let state = state(rule, &presence, change);
            let words = match near_hint(&near, rule) {
                Some(hint) => format!("{state}; {hint}"),
                None => state,
            };
            Found::Path(rule.to_string(), words)
        });
        let block = Block {
            expected: vec![format!("{} {}", words::names(&names, "and"), changes(names.len()))],
            found: found.collect(),
            next: missing.iter().map(|rule| advice(&near, rule)).collect(),
        };
        let next = match missing[..] {
            [rule] => advice(&near, rule),
            _ => format!("make the changes that the issue asks for in {}", words::names(&names, "and")),
        };
        Finding::judged(KEY, &self.at, false, detail, evidence)
            .because(next, block)
            .noting(near::star_notes(missing.iter().copied()))
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let mut lines = vec!["Each of these must change:".to_owned()];
        let (standing, next) = match facts.change.get() {
            Err(_) => {
                lines.extend(presence::lines(self.rules(), facts));
                (Standing::Unknown, Vec::new())
            }
            Ok(change) => {
                let missing = self.missing(change);
                let presence = Presence::new(facts);
                let is_changed = self.rules.matched(change.files.iter().map(|file| &file.path));
                let rows: Vec<_> = self
                    .rules()
                    .iter()
                    .zip(is_changed)
                    .map(|(rule, is_changed)| {
                        let is_there = rule.as_literal().and_then(|path| presence.at_head(path));
                        let words = match (is_changed, rule.as_literal(), is_there) {
                            (true, _, _) => "changed",
                            (false, None, _) => "no changed file matches",
                            (false, Some(_), Some(false)) => "not changed, is not there",
                            (false, Some(_), _) => "not changed",
                        };
                        (rule.to_string(), words.to_owned())
                    })
                    .collect();
                lines.extend(words::columns(&rows));
                let near = Near::new(change);
                let standing = if missing.is_empty() { Standing::Met } else { Standing::NotMet };
                (standing, missing.iter().map(|rule| advice(&near, rule)).collect())
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

impl ChangedFilesRequired {
    /// A changed mode is a change, but hardly the one that was asked for.
    fn mode_notes(&self, change: &Change) -> Vec<String> {
        change
            .files
            .iter()
            .filter(|file| file.status == ChangeStatus::ModeChanged && self.rules.contains(&file.path))
            .map(|file| format!("of {} only the file mode changed, not its content", file.path))
            .collect()
    }
}

const fn changes(rules: usize) -> &'static str {
    if rules == 1 { "changes" } else { "change" }
}

/// Changed files whose paths only look like those of rules.
struct Near {
    all: NearPaths,
    /// New files alone: they can take another name. What was there before keeps its own.
    added: NearPaths,
}

impl Near {
    fn new(change: &Change) -> Self {
        let added = change.files.iter().filter(|file| file.status == ChangeStatus::Added);
        Self {
            all: NearPaths::of_paths(change.files.iter().map(|file| &file.path)),
            added: NearPaths::of_paths(added.map(|file| &file.path)),
        }
    }
}

fn near_hint(near: &Near, rule: &PathRule) -> Option<String> {
    let path = rule.as_literal()?;
    near.all.find(path).map(|changed| format!("{changed} changed, which {}", near::difference(changed, path)))
}

fn state(rule: &PathRule, presence: &Presence<'_>, change: &Change) -> String {
    match rule.as_literal().map(|path| presence.at_head(path)) {
        None => "no changed file matches".to_owned(),
        Some(Some(true)) => format!("not changed (it is there, as at {})", undo::short(&change.merge_base)),
        Some(Some(false)) => "not changed (it is not there)".to_owned(),
        Some(None) => "not changed".to_owned(),
    }
}

fn advice(near: &Near, rule: &PathRule) -> String {
    if let Some(changed) = rule.as_literal().and_then(|path| near.added.find(path)) {
        return format!("give {changed} the exact name {rule}");
    }
    let (into, what) = match rule.as_literal() {
        Some(path) => (format!("in {path}"), path),
        None => (format!("in a file that matches {rule}"), rule.as_ref()),
    };
    if words::is_testlike(what) {
        format!("write the tests that the issue asks for {into}")
    } else {
        format!("make the change that the issue asks for {into}")
    }
}

#[cfg(test)]
mod tests {
    use crate::clauses::samples::{explain, facts, file, judge, present};
    use crate::facts::ChangeStatus::{Added, Deleted, ModeChanged, Modified};
    use crate::facts::{ChangedFile, Known};
    use serde_json::json;

    const CONTRACT: &str = r#"{"changed_files_required": ["src/slugify.ts", {"glob": "test/*.ts"}]}"#;

    #[track_caller]
    fn check(files: impl IntoIterator<Item = ChangedFile>, holds: bool, detail: &str) {
        let finding = judge(CONTRACT, &facts(files));
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (holds, detail));
        assert_eq!(finding.next.is_none(), holds, "only what does not hold has advice");
    }

    #[test]
    fn every_rule_must_match_a_changed_file() {
        let source = || file("src/slugify.ts", Modified, 1, 1);
        check([], false, "not changed: src/slugify.ts, test/*.ts");
        check([source()], false, "not changed: test/*.ts");
        check([source(), file("test/a/b.ts", Added, 1, 0)], false, "not changed: test/*.ts");
        check([source(), file("test/a.ts", Deleted, 0, 1)], true, "all required files changed");
    }

    #[test]
    fn the_finding_says_whether_the_file_is_there() {
        let mut facts = facts([file("README.md", Modified, 1, 0)]);
        facts.paths = Known::Known(vec![present("test/slugify.test.ts")]);
        let finding = judge(r#"{"changed_files_required": ["test/slugify.test.ts"]}"#, &facts);
        assert_eq!(finding.next.as_deref(), Some("write the tests that the issue asks for in test/slugify.test.ts"));
        assert_eq!(
            finding.evidence,
            json!({
                "required": ["test/slugify.test.ts"],
                "missing": [{"rule": "test/slugify.test.ts", "exists_at_head": true, "near": null}],
            })
        );
        assert_eq!(
            finding.blocks[0].found,
            [crate::clauses::Found::Path(
                "test/slugify.test.ts".to_owned(),
                "not changed (it is there, as at 8c1f0a2)".to_owned()
            )]
        );
    }

    #[test]
    fn a_near_miss_is_told_to_take_the_exact_name() {
        let finding = judge(r#"{"changed_files_required": ["src/A.ts"]}"#, &facts([file("src/a.ts", Added, 1, 0)]));
        assert_eq!(finding.next.as_deref(), Some("give src/a.ts the exact name src/A.ts"));
        assert_eq!(
            finding.evidence["missing"][0]["near"],
            "src/a.ts changed, which differs from src/A.ts only in upper and lower case"
        );
    }

    #[test]
    fn a_change_of_the_mode_alone_is_remarked_on() {
        let contract = r#"{"changed_files_required": ["run.sh"]}"#;
        let finding = judge(contract, &facts([file("run.sh", ModeChanged, 0, 0)]));
        assert!(finding.is_ok());
        assert_eq!(finding.notes, ["of run.sh only the file mode changed, not its content"]);
    }

    #[test]
    fn explaining_tells_what_changed_so_far() {
        assert_eq!(
            explain(CONTRACT, &facts([file("src/slugify.ts", Modified, 1, 1)])),
            "NotMet\nEach of these must change:\n  src/slugify.ts  changed\n  test/*.ts       no changed file matches\n\
             next: write the tests that the issue asks for in a file that matches test/*.ts"
        );
    }
}
