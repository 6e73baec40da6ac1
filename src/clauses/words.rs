//! How clauses put things in words: lists, counts, what happened to a file. Knows nothing of judging.

use crate::facts::{ChangeStatus, ChangedFile, FileKind, RepoPath};
use unicode_width::UnicodeWidthStr as _;

/// So many names stand in a sentence; the evidence has all.
const NAMED: usize = 5;

/// Writes names as people do: `a`, `a and b`, `a, b, c and 4 more`. `joint` is the last `and` or `or`.
pub(super) fn names<S: AsRef<str>>(names: &[S], joint: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names[..] {
        [] => "nothing".to_owned(),
        [only] => only.to_owned(),
        [ref before @ .., last] if names.len() <= NAMED => format!("{} {joint} {last}", before.join(", ")),
        _ => format!("{} {joint} {} more", names[..NAMED - 1].join(", "), names.len() - (NAMED - 1)),
    }
}

/// Writes a count with its noun: `1 line`, `2 lines`.
pub(super) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// Writes what happened to a file: `modified, +1 -0`.
pub(super) fn change(file: &ChangedFile) -> String {
    let status = status(file.status).replace('_', " ");
    match file.kind {
        FileKind::Text => format!("{status}, +{} -{}", file.added, file.deleted),
        FileKind::Binary => format!("{status}, binary"),
        FileKind::Symlink => format!("{status}, symbolic link"),
        FileKind::Submodule => format!("{status}, submodule"),
    }
}

/// Returns the stable word for what happened to a file: `mode_changed`.
pub(super) const fn status(status: ChangeStatus) -> &'static str {
    match status {
        ChangeStatus::Added => "added",
        ChangeStatus::Modified => "modified",
        ChangeStatus::Deleted => "deleted",
        ChangeStatus::TypeChanged => "type_changed",
        ChangeStatus::ModeChanged => "mode_changed",
    }
}

/// Returns whether a path looks like a test's in most languages. Only chooses words, never a verdict.
pub(super) fn is_testlike(path: &str) -> bool {
    path.to_lowercase().split(|character: char| !character.is_alphanumeric()).any(|word| {
        matches!(word, "test" | "tests" | "spec" | "specs" | "snapshots" | "fixtures")
            || word.ends_with("test")
            || word.ends_with("tests")
    })
}

/// Lays out lines of a list in two columns, indented by two.
pub(super) fn columns(rows: &[(String, String)]) -> Vec<String> {
    // A few very long paths must not push the second column out of everybody's sight.
    let width = rows.iter().map(|(left, _)| left.width()).max().unwrap_or(0).min(40);
    rows.iter()
        .map(|(left, right)| {
            let padding = " ".repeat(width.saturating_sub(left.width()));
            format!("  {left}{padding}  {right}").trim_end().to_owned()
        })
        .collect()
}

/// Marks with carets the words in which a line differs from what is expected, to be shown under the line.
pub(super) fn carets(line: &str, expected: &str) -> String {
    let line: Vec<char> = line.chars().collect();
    let expected: Vec<char> = expected.chars().collect();
    let before = line.iter().zip(&expected).take_while(|(left, right)| left == right).count();
    let longest = line.len().min(expected.len()) - before;
    let after = line.iter().rev().zip(expected.iter().rev()).take_while(|(left, right)| left == right).count();
    let (mut start, mut end) = (before, line.len() - after.min(longest));
    let is_in_word = |at: usize| at < line.len() && (line[at].is_alphanumeric() || line[at] == '_');
    while start > 0 && is_in_word(start - 1) {
        start -= 1;
    }
    while end > start && is_in_word(end) && is_in_word(end - 1) {
        end += 1;
    }
    let width = |characters: &[char]| characters.iter().collect::<String>().width();
    format!("{}{}", " ".repeat(width(&line[..start])), "^".repeat(width(&line[start..end]).max(1)))
}

/// Returns paths as text for people.
pub(super) fn lossy<'a>(paths: impl IntoIterator<Item = &'a RepoPath>) -> Vec<String> {
    paths.into_iter().map(RepoPath::to_lossy).collect()
}

#[cfg(test)]
mod tests {
    use super::{carets, columns, count, is_testlike, names};

    #[test]
    fn long_lists_are_cut_in_sentences() {
        assert_eq!(names(&["a"], "and"), "a");
        assert_eq!(names(&["a", "b", "c"], "or"), "a, b or c");
        assert_eq!(names(&["a", "b", "c", "d", "e", "f"], "and"), "a, b, c, d and 2 more");
    }

    #[test]
    fn one_is_not_many() {
        assert_eq!(count(1, "line"), "1 line");
        assert_eq!(count(0, "line"), "0 lines");
    }

    #[test]
    fn tests_are_told_by_their_names() {
        for path in ["test/a.ts", "src/a.test.ts", "src/a_test.go", "AppTest.java", "spec/a.rb"] {
            assert!(is_testlike(path), "{path}");
        }
        for path in ["src/attribute.rs", "docs/guide.md", "src/inspector.ts"] {
            assert!(!is_testlike(path), "{path}");
        }
    }

    #[test]
    fn carets_stand_under_what_differs() {
        assert_eq!(carets("slugify(text)", "slugify(input)"), "        ^^^^");
        assert_eq!(carets("a slug = 1", "a plug = 1"), "  ^^^^");
        assert_eq!(carets("f(a)", "f(aa)"), "  ^");
        assert_eq!(carets("語(x)", "語(y)"), "   ^");
        assert_eq!(carets("f()", "f();"), "   ^");
    }

    #[test]
    fn the_second_column_is_aligned_by_width() {
        let rows = [("é語".to_owned(), "x".to_owned()), ("abcd".to_owned(), "y".to_owned())];
        assert_eq!(columns(&rows), ["  é語   x", "  abcd  y"]);
    }
}
