//! W3xx of files and texts: what a lazy answer passes, or an honest one trips over.

use super::asked::Asked;
use super::paths::{base_tree, has_extension, is_lock_file, known_paths};
use super::warning;
use crate::clauses::{AddedLinesExclude, Clause as _, Counted, FileContains, Needle, Warning};
use crate::facts::{Facts, PathRule, RepoPath};

/// Files in which a text can stand in a comment.
const CODE: [&str; 38] = [
    "ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "vue", "svelte", "py", "rs", "go", "java", "kt", "kts",
    "scala", "c", "h", "cc", "cpp", "hpp", "cs", "fs", "swift", "m", "rb", "php", "pl", "lua", "ex", "exs", "erl",
    "hs", "dart", "zig", "sh", "sql",
];

pub(super) fn warnings(asked: &Asked<'_>, issue: Option<u64>, facts: &Facts) -> Vec<Warning> {
    let mut warnings = Vec::new();
    warnings.extend(any_file(asked));
    for clause in &asked.contains {
        warnings.extend(in_a_comment(clause));
        warnings.extend(wrapped_words(clause));
        warnings.extend(number_of_a_pull_request(clause, issue));
    }
    warnings.extend(asked.added_lines.iter().filter_map(|clause| plain_word(clause)));
    warnings.extend(lock_file(asked, facts));
    warnings.extend(asked.rules().into_iter().filter_map(|(at, rule)| narrow_pattern(at, rule, facts)));
    warnings
}

/// A contract of artifacts alone says nothing of a change.
fn any_file(asked: &Asked<'_>) -> Option<Warning> {
    let speaks_of_a_change = asked.required.is_some()
        || asked.forbidden.is_some()
        || asked.max_files.is_some()
        || !asked.caps.is_empty()
        || !asked.line_limits.is_empty()
        || !asked.contains.is_empty()
        || !asked.excludes.is_empty()
        || !asked.added_lines.is_empty()
        || !asked.tests.is_empty()
        || !asked.commands.is_empty();
    let message = "there is no changed_files_only: any file may change";
    (asked.only.is_none() && speaks_of_a_change).then(|| warning("W301", "", message))
}

fn in_a_comment(clause: &FileContains) -> Option<Warning> {
    let path = clause.entry().path().to_string();
    let message = "the text may stand in a comment; a test is stronger";
    has_extension(&path, &CODE).then(|| warning("W305", clause.at(), message))
}

fn wrapped_words(clause: &FileContains) -> Option<Warning> {
    let Needle::Text(text) = clause.entry().needle() else { return None };
    let path = clause.entry().path().to_string();
    let is_prose = has_extension(&path, &["md", "mdx", "markdown", "rst", "adoc"]);
    let message = "several words in a Markdown file: wrapping will break them; use a regex with \\s+ between words";
    (is_prose && text.split_whitespace().nth(1).is_some()).then(|| warning("W307", clause.at(), message))
}

/// The number of the contract's own issue is known before; that of the pull request is not.
fn number_of_a_pull_request(clause: &FileContains, issue: Option<u64>) -> Option<Warning> {
    let Needle::Text(text) = clause.entry().needle() else { return None };
    let numbers = text.split('#').skip(1).filter_map(|after| {
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u64>().ok()
    });
    let number = numbers.into_iter().find(|number| issue != Some(*number))?;
    let what = match issue {
        Some(issue) => format!("the text \"#{number}\" does not name this issue, #{issue}"),
        None => format!("the text \"#{number}\" may not name this issue"),
    };
    let message = format!("{what}: a pull request's number cannot be known before it is opened");
    Some(warning("W310", clause.at(), message))
}

fn plain_word(clause: &AddedLinesExclude) -> Option<Warning> {
    let Needle::Text(text) = clause.needle() else { return None };
    let is_word = text.chars().all(|character| character.is_alphanumeric() || character == '_');
    let message = format!("\"{text}\" also stands in comments and words; give a path or a regex with \\b");
    (is_word && clause.path().is_none()).then(|| warning("W308", clause.at(), message))
}

fn lock_file(asked: &Asked<'_>, facts: &Facts) -> Option<Warning> {
    let cap = asked.caps.iter().find(|cap| cap.counted() == Counted::Added)?;
    let allowed = asked.only?.rules().iter().flat_map(|rule| known_paths(rule, facts));
    let path = allowed
        .filter(|path| is_lock_file(path))
        .find(|path| !asked.line_limits.iter().any(|limit| limit.path().matches(&RepoPath::from(*path))))?;
    let message = format!(
        "max_added_lines counts {path} too, which may change: one new dependency can use the cap up; put it under line_limits"
    );
    Some(warning("W309", cap.at(), message))
}

/// `*` does not cross `/`: a pattern that matches nothing may have meant `**`.
fn narrow_pattern(at: String, rule: &PathRule, facts: &Facts) -> Option<Warning> {
    let pattern = rule.as_glob()?;
    let tree = base_tree(facts)?;
    if tree.is_empty() || tree.iter().any(|path| rule.matches(path)) {
        return None;
    }
    let (folder, name) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    let wider = match folder {
        "" => format!("**/{name}"),
        _ if folder.ends_with("**") => return None,
        _ => format!("{folder}/**/{name}"),
    };
    let matcher = PathRule::glob(&wider).ok()?;
    let message = format!(
        "glob \"{pattern}\" matches no file at the merge base; \"*\" does not cross \"/\", did you mean \"{wider}\"?"
    );
    tree.iter().any(|path| matcher.matches(path)).then(|| warning("W312", at, message))
}

#[cfg(test)]
mod tests {
    use super::super::samples::{base, check};
    use super::super::warnings;
    use crate::clauses::samples;
    use crate::facts::Facts;

    #[test]
    fn without_changed_files_only_any_file_may_change() {
        check(r#"{"max_added_lines": 1}"#, &Facts::none(), "W3", &["W301 "]);
        check(r#"{"changed_files_only": ["a"], "max_added_lines": 1}"#, &Facts::none(), "W3", &[]);
    }

    #[test]
    fn texts_that_are_met_or_missed_by_accident() {
        let contract = |path: &str, text: &str| {
            format!(
                r#"{{"changed_files_only": ["{path}"], "file_contains": [{{"path": "{path}", "text": "{text}"}}]}}"#
            )
        };
        for (path, text, expected) in [
            ("a.ts", "x", &["W305 /file_contains/0"][..]),
            ("a.json", "x", &[]),
            ("a.md", "two words", &["W307 /file_contains/0"]),
            ("a.md", "word", &[]),
            ("CHANGELOG.md", "(#31)", &["W310 /file_contains/0"]),
            ("CHANGELOG.md", "#heading", &[]),
        ] {
            check(&contract(path, text), &Facts::none(), "W3", expected);
        }
        let clauses = samples::clauses(&contract("CHANGELOG.md", "(#31)"));
        assert_eq!(warnings(&clauses, &[], Some(31), &Facts::none()), []);
        assert_eq!(warnings(&clauses, &[], Some(12), &Facts::none())[0].code, "W310");
    }

    #[test]
    fn a_plain_word_also_stands_in_other_words() {
        let contract = |entry: &str| format!(r#"{{"changed_files_only": ["a"], "added_lines_exclude": [{entry}]}}"#);
        check(&contract(r#"{"text": "unsafe"}"#), &Facts::none(), "W3", &["W308 /added_lines_exclude/0"]);
        check(&contract(r#"{"text": "unsafe", "path": "a"}"#), &Facts::none(), "W3", &[]);
        check(&contract(r#"{"text": ".only("}"#), &Facts::none(), "W3", &[]);
        check(&contract(r#"{"regex": "\\bunsafe\\b"}"#), &Facts::none(), "W3", &[]);
    }

    #[test]
    fn a_lock_file_uses_a_cap_up() {
        let facts = base(&[("package-lock.json", "{}"), ("a.ts", "x")]);
        for (contract, expected) in [
            (r#"{"changed_files_only": ["package-lock.json"], "max_added_lines": 9}"#, &["W309 /max_added_lines"][..]),
            (r#"{"changed_files_only": [{"glob": "*.json"}], "max_added_lines": 9}"#, &["W309 /max_added_lines"]),
            (r#"{"changed_files_only": ["a.ts"], "max_added_lines": 9}"#, &[]),
            (
                r#"{"changed_files_only": ["package-lock.json"], "max_added_lines": 9,
                    "line_limits": [{"path": "package-lock.json", "max_added": 900}]}"#,
                &[],
            ),
        ] {
            check(contract, &facts, "W3", expected);
        }
    }

    #[test]
    fn a_star_does_not_cross_folders() {
        let facts = base(&[("src/deep/a.ts", "x")]);
        let contract =
            |glob: &str| format!(r#"{{"changed_files_only": [{{"glob": "{glob}"}}], "max_changed_files": 1}}"#);
        check(&contract("src/*.ts"), &facts, "W3", &["W312 /changed_files_only/0"]);
        check(&contract("*.ts"), &facts, "W3", &["W312 /changed_files_only/0"]);
        check(&contract("src/*/*.ts"), &facts, "W3", &[]);
        check(&contract("lib/*.ts"), &facts, "W3", &[]);
        check(&contract("src/**/*.js"), &facts, "W3", &[]);
    }
}
