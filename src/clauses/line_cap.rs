//! What `max_added_lines` and `max_deleted_lines` share: a limit over all lines of the change.

use super::line_count::{Count, Counted};
use super::{Block, Clause, Explanation, Finding, Standing, words};
use crate::facts::{Facts, Plan};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

/// At most so many lines over the whole change.
#[derive(Debug)]
pub struct LineCap {
    key: &'static str,
    at: String,
    counted: Counted,
    limit: u64,
}

impl LineCap {
    /// Returns which lines are counted.
    pub const fn counted(&self) -> Counted {
        self.counted
    }

    /// Returns how many lines are allowed.
    pub const fn limit(&self) -> u64 {
        self.limit
    }
}

pub(super) fn read(key: &'static str, counted: Counted, reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let at = reader.pointer().to_owned();
    match reader.integer(&member.value, 0, u64::MAX) {
        Some(limit) => vec![Box::new(LineCap { key, at, counted, limit })],
        None => Vec::new(),
    }
}

impl Clause for LineCap {
    fn check(&self) -> &'static str {
        self.key
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        json!(self.limit)
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
    }

    fn judge(&self, facts: &Facts, _index: usize) -> Finding {
        let change = match facts.change.get() {
            Ok(change) => change,
            Err(failure) => return Finding::unknown(self.key, &self.at, failure),
        };
        let count = Count::of(self.counted, &change.files);
        let holds = count.found <= self.limit;
        let detail = format!("{} {} (limit {})", count.found, self.counted.word(), self.limit);
        let finding = Finding::judged(self.key, &self.at, holds, detail, count.evidence(self.limit).into_value())
            .noting(count.notes());
        if holds {
            return finding;
        }
        let word = self.counted.word();
        let block = Block {
            expected: vec![format!("at most {}", words::count(self.limit, &format!("{word} line")))],
            found: count.found_lines(),
            next: vec![count.next(self.limit)],
        };
        finding.because(count.next(self.limit), block)
    }

    fn explain(&self, facts: &Facts, _index: usize) -> Explanation {
        let mut line =
            format!("At most {} over all files.", words::count(self.limit, &format!("{} line", self.counted.word())));
        let (standing, next) = match facts.change.get() {
            Err(_) => (Standing::Unknown, Vec::new()),
            Ok(change) => {
                let count = Count::of(self.counted, &change.files);
                line.push_str(&count.now(self.limit));
                if count.found <= self.limit {
                    (Standing::MetSoFar, Vec::new())
                } else {
                    (Standing::NotMet, vec![count.next(self.limit)])
                }
            }
        };
        Explanation { check: self.key.to_owned(), at: self.at.clone(), standing, lines: vec![line], next }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

#[cfg(test)]
mod tests {
    use crate::clauses::Found;
    use crate::clauses::samples::{explain, facts, file, judge};
    use crate::facts::ChangeStatus::{Added, Modified};
    use crate::facts::{Facts, FileKind};
    use serde_json::json;

    fn story() -> Facts {
        facts([file("src/slugify.ts", Modified, 1, 1), file("tests/slugify.test.ts", Modified, 5, 0)])
    }

    #[track_caller]
    fn check(contract: &str, facts: &Facts, holds: bool, detail: &str) {
        let finding = judge(contract, facts);
        assert_eq!((finding.is_ok(), finding.detail.as_str()), (holds, detail));
        assert_eq!(finding.next.is_none(), holds, "only what does not hold has advice");
    }

    #[test]
    fn the_total_is_compared_with_the_limit() {
        check(r#"{"max_added_lines": 15}"#, &story(), true, "6 added (limit 15)");
        check(r#"{"max_added_lines": 6}"#, &story(), true, "6 added (limit 6)");
        check(r#"{"max_added_lines": 5}"#, &story(), false, "6 added (limit 5)");
        check(r#"{"max_deleted_lines": 3}"#, &story(), true, "1 deleted (limit 3)");
        check(r#"{"max_deleted_lines": 0}"#, &story(), false, "1 deleted (limit 0)");
    }

    #[test]
    fn limits_beyond_every_number_are_limits() {
        check(
            r#"{"max_added_lines": 99999999999999999999}"#,
            &facts([file("a", Added, u64::MAX, 0), file("b", Added, u64::MAX, 0)]),
            true,
            "18446744073709551615 added (limit 18446744073709551615)",
        );
    }

    #[test]
    fn the_largest_part_is_named_but_no_test() {
        let finding = judge(r#"{"max_added_lines": 2}"#, &story());
        assert_eq!(
            finding.next.as_deref(),
            Some(
                "make the change smaller by 4 added lines or more; the largest part outside the tests is in src/slugify.ts"
            )
        );
        assert_eq!(
            finding.evidence,
            json!({
                "limit": 2, "found": 6, "not_counted": [],
                "files": [{"path": "tests/slugify.test.ts", "lines": 5}, {"path": "src/slugify.ts", "lines": 1}],
            })
        );
        assert_eq!(finding.blocks[0].expected, ["at most 2 added lines"]);
        assert_eq!(
            finding.blocks[0].found,
            [
                Found::Text("6 added lines".to_owned()),
                Found::Path("tests/slugify.test.ts".to_owned(), "+5".to_owned()),
                Found::Path("src/slugify.ts".to_owned(), "+1".to_owned()),
            ]
        );
    }

    #[test]
    fn what_a_count_says_little_about_is_told() {
        let mut image = file("logo.png", Added, 0, 0);
        image.kind = FileKind::Binary;
        let mut module = file("vendor/x", Modified, 1, 1);
        module.kind = FileKind::Submodule;
        let mut minified = file("dist/a.js", Added, 1, 0);
        minified.longest_line = Some(120_000);
        let finding = judge(r#"{"max_added_lines": 9}"#, &facts([image, module, minified]));
        assert_eq!(finding.evidence["not_counted"], json!([{"path": "logo.png", "reason": "binary"}]));
        assert_eq!(
            finding.notes,
            [
                "vendor/x is a submodule: what changed in its own repository is not counted",
                "dist/a.js has a line of 120000 characters: a number of lines says little about it",
            ]
        );
    }

    #[test]
    fn explaining_tells_what_is_left() {
        let explained = explain(r#"{"max_added_lines": 10}"#, &story());
        assert_eq!(explained, "MetSoFar\nAt most 10 added lines over all files. Now: 6, 4 left.");
        let explained = explain(r#"{"max_deleted_lines": 0}"#, &story());
        assert_eq!(
            explained,
            "NotMet\nAt most 0 deleted lines over all files. Now: 1, 1 too many.\n\
             next: keep 1 or more of the deleted lines; most of them were in src/slugify.ts"
        );
    }
}
