//! Paths that people take for the same and computers do not: upper and lower case, Unicode forms, characters
//! that cannot be seen. Such a path matches no rule; a hint says why.

use crate::facts::{PathRule, RepoPath};
use std::collections::HashMap;
use unicode_normalization::UnicodeNormalization as _;

/// Paths by what people see in them.
#[derive(Debug, Default)]
pub(super) struct NearPaths {
    by_looks: HashMap<String, Vec<String>>,
}

impl NearPaths {
    /// Takes the literal paths of rules.
    pub(super) fn of_rules(rules: &[PathRule]) -> Self {
        Self::new(rules.iter().filter_map(PathRule::as_literal))
    }

    /// Takes paths of a change.
    pub(super) fn of_paths<'a>(paths: impl IntoIterator<Item = &'a RepoPath>) -> Self {
        Self::new(paths.into_iter().filter_map(RepoPath::as_str))
    }

    fn new<'a>(paths: impl Iterator<Item = &'a str>) -> Self {
        let mut by_looks: HashMap<String, Vec<String>> = HashMap::new();
        for path in paths {
            by_looks.entry(looks(path)).or_default().push(path.to_owned());
        }
        Self { by_looks }
    }

    /// Returns another path that looks like this one.
    pub(super) fn find(&self, path: &str) -> Option<&str> {
        self.by_looks.get(&looks(path))?.iter().find(|other| *other != path).map(String::as_str)
    }
}

/// Says in what two paths that look alike differ.
pub(super) fn difference(path: &str, other: &str) -> String {
    let composed = |text: &str| text.nfc().collect::<String>();
    let reason = if path.eq_ignore_ascii_case(other) {
        "in upper and lower case"
    } else if composed(path) == composed(other) {
        "in the Unicode form of its letters (NFC, NFD)"
    } else if composed(&path.to_lowercase()) == composed(&other.to_lowercase()) {
        "in upper and lower case"
    } else {
        "in characters that cannot be seen"
    };
    format!("differs from {other} only {reason}")
}

/// Remarks on literal paths with a `*` that match nothing: whoever wrote them may have meant a pattern.
pub(super) fn star_notes<'a>(unmatched: impl IntoIterator<Item = &'a PathRule>) -> Vec<String> {
    unmatched
        .into_iter()
        .filter_map(PathRule::as_literal)
        .filter(|path| path.contains('*'))
        .map(|path| {
            let pattern = serde_json::json!({ "glob": path });
            format!("{path} is a literal path in the contract and matches nothing; a pattern is written {pattern}")
        })
        .collect()
}

/// Folds a path to what people see in it.
fn looks(path: &str) -> String {
    if path.is_ascii() {
        // Nearly every path; the long way gives the same.
        return path.trim().to_ascii_lowercase().replace(|character: char| character.is_ascii_whitespace(), " ");
    }
    path.nfc()
        .filter(|character| {
            !matches!(character, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
        })
        .map(|character| if character.is_whitespace() { ' ' } else { character })
        .flat_map(char::to_lowercase)
        .nfc()
        .collect::<String>()
        .trim()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{NearPaths, difference, star_notes};
    use crate::facts::PathRule;

    #[track_caller]
    fn check(written: &str, changed: &str, reason: &str) {
        let near = NearPaths::of_rules(&[PathRule::literal(written)]);
        let found = near.find(changed).expect("the paths look alike");
        assert_eq!(difference(changed, found), format!("differs from {written} only {reason}"));
    }

    #[test]
    fn paths_that_look_alike_are_found_with_the_reason() {
        check("src/caf\u{e9}.ts", "src/cafe\u{301}.ts", "in the Unicode form of its letters (NFC, NFD)");
        check("src/Slugify.ts", "src/slugify.ts", "in upper and lower case");
        check("src/a.ts", "src/a\u{200b}.ts", "in characters that cannot be seen");
        check("a b.ts", "a\u{a0}b.ts", "in characters that cannot be seen");
    }

    #[test]
    fn the_same_path_and_another_one_are_no_hint() {
        let near = NearPaths::of_rules(&[PathRule::literal("src/a.ts")]);
        assert_eq!(near.find("src/a.ts"), None);
        assert_eq!(near.find("src/b.ts"), None);
    }

    #[test]
    fn only_a_literal_with_a_star_is_remarked_on() {
        let glob = PathRule::glob("src/*.ts").expect("a pattern");
        let rules = [PathRule::literal("src/*.ts"), PathRule::literal("app/[a]/p.ts"), glob];
        assert_eq!(
            star_notes(&rules),
            [
                "src/*.ts is a literal path in the contract and matches nothing; a pattern is written {\"glob\":\"src/*.ts\"}"
            ]
        );
    }
}
