//! `changed_files_forbidden`: no changed file matches a rule.

use super::evidence::{self, Evidence};
use super::near::{self, NearPaths};
use super::rule_set::RuleSet;
use super::schema_parts::{described, path_rules};
use super::{Block, Clause, ClauseKind, Explanation, Finding, Found, Standing};
use super::{normalized_rule, normalized_rules, presence, undo, words};
use crate::facts::{Change, ChangedFile, Facts, PathRule, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "changed_files_forbidden";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// None of these files may change.
#[derive(Debug)]
pub struct ChangedFilesForbidden {
    at: String,
    rules: RuleSet,
}

impl ChangedFilesForbidden {
    /// Returns the rules in the contract's order.
    pub fn rules(&self) -> &[PathRule] {
        self.rules.rules()
    }

    /// Returns the forbidden changes, each with the first rule that it breaks.
    fn broken<'a>(&'a self, change: &'a Change) -> Vec<(&'a PathRule, &'a ChangedFile)> {
        let of = |file: &'a ChangedFile| self.rules.first_match(&file.path).map(|index| (&self.rules()[index], file));
        change.files.iter().filter_map(of).collect()
    }

    /// On some systems a path that differs only in case is the same file.
    fn near_notes(&self, change: &Change) -> Vec<String> {
        let near = NearPaths::of_rules(self.rules());
        let looks_alike = |file: &ChangedFile| {
            let path = file.path.as_str().filter(|_| !self.rules.contains(&file.path))?;
            near.find(path).map(|rule| format!("{path} changed, which {}", near::difference(path, rule)))
        };
        change.files.iter().filter_map(looks_alike).collect()
    }
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let at = reader.pointer().to_owned();
    match reader.path_rules(&member.value) {
        Some(rules) => vec![Box::new(ChangedFilesForbidden { at, rules: RuleSet::new(rules) })],
        None => Vec::new(),
    }
}

fn schema() -> Value {
    described(
        path_rules(),
        "Files that must not change: no changed file may match one of these.",
        "Files that must not change. A string is a literal path, `{\"glob\": \".github/**\"}` a pattern.",
        &json!([["LICENSE", { "glob": ".github/**" }]]),
    )
}

impl Clause for ChangedFilesForbidden {
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
        let broken = self.broken(change);
        let entries = broken.iter().map(|(rule, file)| {
            let mut members = evidence::changed_file(file);
            members.insert("rule".to_owned(), normalized_rule(rule));
            members
        });
        let evidence = Evidence::new().list("forbidden", entries).into_value();
        let mut notes = self.near_notes(change);
        notes.extend(near::star_notes(self.rules.unmatched(change.files.iter().map(|file| &file.path))));
        if broken.is_empty() {
            return Finding::judged(KEY, &self.at, true, "no forbidden file changed", evidence).noting(notes);
        }
        let paths = words::lossy(broken.iter().map(|(_, file)| &file.path));
        let found = broken.iter().map(|(rule, file)| {
            let by = if rule.as_glob().is_some() { format!(" (by {rule})") } else { String::new() };
            Found::Path(file.path.to_lossy(), format!("{}{by}", words::change(file)))
        });
        let block = Block {
            expected: vec![format!("no change to {}", words::names(self.rules(), "or"))],
            found: found.collect(),
            next: broken.iter().map(|(_, file)| undo::undo(change, file)).collect(),
        };
        let changes = if paths.len() == 1 { "change" } else { "changes" };
        let next = format!("undo the {changes} to {}", words::names(&paths, "and"));
        Finding::judged(KEY, &self.at, false, format!("forbidden changes: {}", paths.join(", ")), evidence)
            .because(next, block)
            .noting(notes)
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let mut lines = vec!["None of these files may change:".to_owned()];
        lines.extend(presence::lines(self.rules(), facts));
        let (standing, next) = match facts.change.get() {
            Err(_) => (Standing::Unknown, Vec::new()),
            Ok(change) => {
                let broken = self.broken(change);
                if broken.is_empty() {
                    (Standing::MetSoFar, Vec::new())
                } else {
                    lines.push("Changed now, and forbidden:".to_owned());
                    let rows: Vec<_> =
                        broken.iter().map(|(_, file)| (file.path.to_lossy(), words::change(file))).collect();
                    lines.extend(words::columns(&rows));
                    (Standing::NotMet, broken.iter().map(|(_, file)| undo::undo(change, file)).collect())
                }
            }
        };
        Explanation { check: KEY.to_owned(), at: self.at.clone(), standing, lines, next }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::clauses::samples::{explain, facts, file, judge};
    use crate::facts::ChangeStatus::{Added, Modified};
    use crate::facts::ChangedFile;
    use serde_json::json;

    const CONTRACT: &str = r#"{"changed_files_forbidden": ["LICENSE", {"glob": ".github/**"}]}"#;

    #[track_caller]
    fn check(files: impl IntoIterator<Item = ChangedFile>, holds: bool, detail: &str) {
        let finding = judge(CONTRACT, &facts(files));
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (holds, detail));
        assert_eq!(finding.next.is_none(), holds, "only what does not hold has advice");
    }

    #[test]
    fn no_changed_file_may_match() {
        check([], true, "no forbidden file changed");
        check([file("src/a.ts", Added, 1, 0)], true, "no forbidden file changed");
        check([file(".github/workflows/ci.yml", Added, 1, 0)], false, "forbidden changes: .github/workflows/ci.yml");
    }

    #[test]
    fn the_evidence_names_the_rule() {
        let finding = judge(CONTRACT, &facts([file(".github/a.yml", Modified, 2, 1)]));
        assert_eq!(
            finding.evidence,
            json!({"forbidden": [{
                "path": ".github/a.yml", "status": "modified", "added": 2, "deleted": 1,
                "rule": {"glob": ".github/**"},
            }]})
        );
        assert_eq!(finding.blocks[0].next, ["undo it: git checkout 8c1f0a2 -- .github/a.yml"]);
    }

    #[test]
    fn a_file_that_some_systems_take_for_the_forbidden_one_is_remarked_on() {
        let finding = judge(CONTRACT, &facts([file("license", Added, 1, 0)]));
        assert!(finding.is_ok());
        assert_eq!(finding.notes, ["license changed, which differs from LICENSE only in upper and lower case"]);
    }

    #[test]
    fn explaining_tells_what_to_undo() {
        assert_eq!(
            explain(CONTRACT, &facts([file("LICENSE", Modified, 1, 1)])),
            "NotMet\nNone of these files may change:\n  LICENSE\n  .github/**  a pattern\n\
             Changed now, and forbidden:\n  LICENSE  modified, +1 -1\n\
             next: undo it: git checkout 8c1f0a2 -- LICENSE"
        );
    }
}
