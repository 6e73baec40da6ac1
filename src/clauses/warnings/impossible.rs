//! W2xx: what nobody can meet, or what breaks without anybody's fault.

use super::asked::Asked;
use super::paths::{base_files, base_lines, base_tree, has_extension, is_at_base, is_test};
use super::warning;
use crate::clauses::tests::{FailToPass, PassToPass, Passed};
use crate::clauses::{
    ChangedFilesForbidden, ChangedFilesRequired, Clause as _, Counted, FileContains, FileExcludes, Needle, TestClause,
    Warning,
};
use crate::facts::{Facts, PathRule, RepoPath};
use std::collections::BTreeSet;

pub(super) fn warnings(asked: &Asked<'_>, facts: &Facts) -> Vec<Warning> {
    let mut warnings = required_files(asked);
    warnings.extend(too_few_files(asked));
    for contains in &asked.contains {
        warnings.extend(asked.excludes.iter().filter_map(|excludes| asks_and_forbids(contains, excludes)));
        warnings.extend(cannot_be_written(contains, asked, facts));
    }
    warnings.extend(last_entry_of_json(asked, facts));
    for clause in &asked.tests {
        if matches!(clause.passed, Some(Passed::Exactly(_))) {
            let message = "an exact count breaks as soon as the base branch gains a test; say {\"more_than_base\": n}";
            warnings.push(warning("W203", clause.at(), message));
        }
        warnings.extend(deletable_tests(clause, asked, facts));
        warnings.extend(unprovable(clause, facts));
    }
    warnings
}

fn required_files(asked: &Asked<'_>) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let required = asked.required.map(ChangedFilesRequired::rules).unwrap_or_default();
    let forbidden = asked.forbidden.map(ChangedFilesForbidden::rules).unwrap_or_default();
    for (index, rule) in required.iter().enumerate() {
        let at = format!("/changed_files_required/{index}");
        if let Some(path) = rule.as_literal().filter(|path| !asked.may_change(path)) {
            warnings.push(warning("W201", at.clone(), format!("{path} is not allowed by changed_files_only")));
        }
        let is_forbidden = |other: &PathRule| match rule.as_literal() {
            Some(path) => other.matches(&RepoPath::from(path)),
            None => other == rule,
        };
        if let Some(other) = forbidden.iter().position(is_forbidden) {
            let message = format!("{rule} is matched by changed_files_forbidden[{other}] too");
            warnings.push(warning("W202", at, message));
        }
    }
    warnings
}

fn too_few_files(asked: &Asked<'_>) -> Option<Warning> {
    let clause = asked.max_files?;
    // Several patterns may be met by one file, so they count as one at most.
    let literal: BTreeSet<&str> = asked.required_paths().collect();
    let has_any = asked.required.is_some();
    let needed = literal.len().max(usize::from(has_any));
    let limit = clause.limit();
    let message = format!("the limit is {limit}, but {needed} files are required");
    (u64::try_from(needed).unwrap_or(u64::MAX) > limit).then(|| warning("W204", clause.at(), message))
}

fn asks_and_forbids(contains: &FileContains, excludes: &FileExcludes) -> Option<Warning> {
    let (asked, forbidden) = (contains.entry(), excludes.entry());
    let same_files = match asked.path().as_literal() {
        Some(path) => forbidden.path().matches(&RepoPath::from(path)),
        None => forbidden.path() == asked.path(),
    };
    let same_text = match (asked.needle(), forbidden.needle()) {
        (Needle::Text(asked), Needle::Text(forbidden)) => asked.contains(forbidden.as_str()),
        (Needle::Regex(asked), Needle::Regex(forbidden)) => asked.as_str() == forbidden.as_str(),
        (Needle::Text(_), Needle::Regex(_)) | (Needle::Regex(_), Needle::Text(_)) => false,
    };
    let message = format!("this asks for the text that {} forbids in {}", excludes.at(), asked.path());
    (same_files && same_text).then(|| warning("W205", contains.at(), message))
}

fn cannot_be_written(clause: &FileContains, asked: &Asked<'_>, facts: &Facts) -> Option<Warning> {
    let path = clause.entry().path().as_literal()?;
    if asked.may_change(path) {
        return None;
    }
    if is_at_base(path, facts)? {
        let files = base_files(clause.entry().path(), facts)?;
        let message = format!("{path} does not hold the text, and changed_files_only does not let it change");
        return (!clause.holds(&files)).then(|| warning("W206", clause.at(), message));
    }
    Some(warning("W206", clause.at(), format!("{path} is neither there nor allowed to be added")))
}

/// JSON has no comma after the last entry: adding one after it changes the line above.
fn last_entry_of_json(asked: &Asked<'_>, facts: &Facts) -> Option<Warning> {
    let is_json = |path: &&str| has_extension(path, &["json"]);
    let contained = asked.contains.iter().filter_map(|clause| clause.entry().path().as_literal());
    let path = asked.required_paths().chain(contained).find(is_json)?;
    let at = if asked.cap(Counted::Deleted) == Some(0) {
        "/max_deleted_lines".to_owned()
    } else if asked.limit_of(path, Counted::Deleted) == Some(0) {
        let limit = asked.line_limits.iter().find(|limit| limit.path().matches(&RepoPath::from(path)))?;
        limit.at().to_owned()
    } else {
        return None;
    };
    // A new file has no line above.
    (is_at_base(path, facts) != Some(false)).then(|| {
        let message = format!("0 lines may be deleted, but {path} is JSON: a new last entry changes the line above it");
        warning("W208", at, message)
    })
}

fn deletable_tests(clause: &TestClause, asked: &Asked<'_>, facts: &Facts) -> Option<Warning> {
    let Some(PassToPass::All { except }) = &clause.pass_to_pass else { return None };
    if !except.is_empty() {
        return None;
    }
    let is_deletable = |path: &str| {
        let limit = asked.cap(Counted::Deleted).into_iter().chain(asked.limit_of(path, Counted::Deleted)).min();
        limit.is_none_or(|limit| base_lines(path, facts).is_some_and(|lines| lines <= limit))
    };
    let allowed = asked.only?.rules().iter().filter_map(PathRule::as_literal);
    let path = allowed
        .filter(|path| is_test(path, &clause.command, clause.test_files.as_deref()))
        .filter(|path| is_at_base(path, facts) == Some(true))
        .find(|path| is_deletable(path))?;
    let message =
        format!("pass_to_pass is true, but changed_files_only lets {path} be deleted; removed tests need \"except\"");
    Some(warning("W209", clause.at(), message))
}

/// A name with its file says where the test stands. Rust keeps the tests of a source file.
fn unprovable(clause: &TestClause, facts: &Facts) -> Vec<Warning> {
    let Some(FailToPass::Names(names)) = &clause.fail_to_pass else { return Vec::new() };
    let tree = base_tree(facts).unwrap_or_default();
    let file_of = |name: &str| {
        let form = name.replace("::", " > ");
        let (file, _) = form.split_once(" > ")?;
        tree.iter().any(|path| path.as_str() == Some(file)).then(|| file.to_owned())
    };
    let told = |name: &String| {
        let file = file_of(name)?;
        let is_product =
            !has_extension(&file, &["rs"]) && !is_test(&file, &clause.command, clause.test_files.as_deref());
        let message = format!("{file} holds product code as well, so its tests cannot be proven here (fail_to_pass)");
        is_product.then(|| warning("W210", clause.at(), message))
    };
    names.iter().filter_map(told).collect()
}

#[cfg(test)]
mod tests {
    use super::super::samples::{base, check, without};

    #[test]
    fn files_that_must_and_must_not_change() {
        let facts = base(&[("a.ts", "x")]);
        for (contract, expected) in [
            (
                r#"{"changed_files_only": ["a.ts"], "changed_files_required": ["a.ts", "b.ts"]}"#,
                &["W201 /changed_files_required/1"][..],
            ),
            (
                r#"{"changed_files_forbidden": [{"glob": "*.ts"}], "changed_files_required": ["a.ts"]}"#,
                &["W202 /changed_files_required/0"],
            ),
            (r#"{"max_changed_files": 1, "changed_files_required": ["a.ts", "b.ts"]}"#, &["W204 /max_changed_files"]),
            (r#"{"max_changed_files": 1, "changed_files_required": ["a.ts", "a.ts"]}"#, &[]),
            (r#"{"max_changed_files": 0, "changed_files_required": [{"glob": "*"}]}"#, &["W204 /max_changed_files"]),
        ] {
            check(contract, &facts, "W2", expected);
        }
    }

    #[test]
    fn texts_that_cannot_be_written() {
        let facts = without(base(&[("a.ts", "x"), ("b.ts", "y")]), "new.ts");
        for (contract, expected) in [
            (
                r#"{"file_contains": [{"path": "a.ts", "text": "a b"}], "file_excludes": [{"path": "a.ts", "text": "a"}]}"#,
                &["W205 /file_contains/0"][..],
            ),
            (
                r#"{"file_contains": [{"path": "a.ts", "text": "a"}], "file_excludes": [{"path": "b.ts", "text": "a"}]}"#,
                &[],
            ),
            (
                r#"{"changed_files_only": ["b.ts"], "file_contains": [{"path": "new.ts", "text": "z"}]}"#,
                &["W206 /file_contains/0"],
            ),
            (
                r#"{"changed_files_only": ["b.ts"], "file_contains": [{"path": "a.ts", "text": "z"}]}"#,
                &["W206 /file_contains/0"],
            ),
            (r#"{"changed_files_only": ["b.ts"], "file_contains": [{"path": "a.ts", "text": "x"}]}"#, &[]),
            (r#"{"changed_files_only": ["new.ts"], "file_contains": [{"path": "new.ts", "text": "z"}]}"#, &[]),
        ] {
            check(contract, &facts, "W2", expected);
        }
    }

    #[test]
    fn json_without_deletions() {
        let facts = base(&[("a.json", "{}\n")]);
        let contract =
            |path: &str, cap: u64| format!(r#"{{"changed_files_required": ["{path}"], "max_deleted_lines": {cap}}}"#);
        check(&contract("a.json", 0), &facts, "W2", &["W208 /max_deleted_lines"]);
        check(&contract("a.json", 1), &facts, "W2", &[]);
        check(&contract("new.json", 0), &facts, "W2", &[]);
        check(&contract("a.ts", 0), &facts, "W2", &[]);
        let limited =
            r#"{"changed_files_required": ["a.json"], "line_limits": [{"path": "a.json", "max_deleted": 0}]}"#;
        check(limited, &facts, "W2", &["W208 /line_limits/0"]);
    }

    #[test]
    fn tests_that_break_or_cannot_be_proven() {
        let facts = base(&[("src/a.ts", "x\n"), ("src/a.test.ts", "1\n2\n3\n")]);
        let contract = |more: &str, test: &str| {
            format!(
                r#"{{"changed_files_only": ["src/a.test.ts"]{more}, "tests": [{{"command": "npx vitest run", {test}}}]}}"#
            )
        };
        for (more, test, expected) in [
            ("", r#""passed": 4"#, &["W203 /tests/0"][..]),
            ("", r#""passed": {"at_least": 4}"#, &[]),
            ("", r#""pass_to_pass": true"#, &["W209 /tests/0"]),
            ("", r#""pass_to_pass": {"except": ["a"]}"#, &[]),
            (r#", "max_deleted_lines": 2"#, r#""pass_to_pass": true"#, &[]),
            (r#", "max_deleted_lines": 3"#, r#""pass_to_pass": true"#, &["W209 /tests/0"]),
            (r#", "line_limits": [{"path": "src/a.test.ts", "max_deleted": 0}]"#, r#""pass_to_pass": true"#, &[]),
            ("", r#""fail_to_pass": ["src/a.ts > adds"]"#, &["W210 /tests/0"]),
            ("", r#""fail_to_pass": ["src/a.test.ts > adds"]"#, &[]),
            ("", r#""fail_to_pass": ["adds"]"#, &[]),
        ] {
            check(&contract(more, test), &facts, "W2", expected);
        }
    }
}
