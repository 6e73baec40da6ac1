//! What the merge base's `.gitignore` files ignore. Neither head's nor `.git/info/exclude`: whoever made the
//! change can write those.
//! Knows nothing of why somebody asks.

use globset::{GlobBuilder, GlobMatcher};

/// The rules of all `.gitignore` files of one tree.
#[derive(Debug, Default)]
pub(crate) struct Ignored {
    rules: Vec<Rule>,
}

#[derive(Debug)]
struct Rule {
    /// The folder of the file that holds the rule, empty for the root, else with a `/` at its end.
    folder: String,
    glob: GlobMatcher,
    negated: bool,
    only_folders: bool,
}

impl Ignored {
    /// Reads rule files: the folder of each, empty for the root, and its text. Deeper folders come later.
    pub(crate) fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let mut files: Vec<_> = files.into_iter().collect();
        files.sort_by_key(|(folder, _)| folder.matches('/').count() + usize::from(!folder.is_empty()));
        let mut rules = Vec::new();
        for (folder, text) in files {
            let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            rules.extend(text.lines().filter_map(|line| Rule::parse(&folder, line)));
        }
        Self { rules }
    }

    /// Returns whether a path itself is ignored. A caller that walks must not enter ignored folders, since
    /// nothing below one can be taken out of the rule again.
    pub(crate) fn matches(&self, path: &str, is_folder: bool) -> bool {
        self.rules
            .iter()
            .rev()
            .find(|rule| {
                (is_folder || !rule.only_folders)
                    && path.strip_prefix(&rule.folder).is_some_and(|below| rule.glob.is_match(below))
            })
            .is_some_and(|rule| !rule.negated)
    }
}

impl Rule {
    fn parse(folder: &str, line: &str) -> Option<Self> {
        let mut pattern = line.trim_end_matches('\r');
        while pattern.ends_with(' ') && !pattern.ends_with("\\ ") {
            pattern = &pattern[..pattern.len() - 1];
        }
        if pattern.is_empty() || pattern.starts_with('#') {
            return None;
        }
        let negated = pattern.starts_with('!');
        let pattern = if negated { &pattern[1..] } else { pattern };
        let only_folders = pattern.ends_with('/');
        let pattern = pattern.trim_end_matches('/');
        let anchored = pattern.contains('/');
        let pattern = pattern.trim_start_matches('/');
        if pattern.is_empty() {
            return None;
        }
        let pattern = if anchored { pattern.to_owned() } else { format!("**/{pattern}") };
        // A brace is an ordinary character in git's patterns.
        let pattern = pattern.replace('{', "[{]").replace('}', "[}]");
        let glob = GlobBuilder::new(&pattern).literal_separator(true).backslash_escape(true).build().ok()?;
        Some(Self { folder: folder.to_owned(), glob: glob.compile_matcher(), negated, only_folders })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &[(&str, &str)], path: &str, is_folder: bool, expected: bool) {
        let ignored = Ignored::new(rules.iter().copied());
        assert_eq!(ignored.matches(path, is_folder), expected, "{path} under {rules:?}");
    }

    #[test]
    fn patterns_mean_what_they_mean_to_git() {
        check(&[("", "node_modules\n")], "node_modules", true, true);
        check(&[("", "node_modules/\n")], "node_modules", false, false);
        check(&[("", "node_modules/\n")], "a/node_modules", true, true);
        check(&[("", "/target\n")], "target", true, true);
        check(&[("", "/target\n")], "a/target", true, false);
        check(&[("", "a/b\n")], "x/a/b", false, false);
        check(&[("", "*.pyc\n!keep.pyc\n")], "a/keep.pyc", false, false);
        check(&[("", "*.pyc\n!keep.pyc\n")], "a/x.pyc", false, true);
        check(&[("sub", "*.log\n")], "sub/a.log", false, true);
        check(&[("sub", "*.log\n")], "a.log", false, false);
        check(&[("sub", "!a.log\n"), ("", "*.log\n")], "sub/a.log", false, false);
        check(&[("", "# a comment\n\n\\#x\n")], "#x", false, true);
        check(&[("", "trailing   \n")], "trailing", false, true);
        check(&[("", "a{b}\n")], "a{b}", false, true);
        check(&[("", "doc/*.txt\n")], "doc/a/b.txt", false, false);
        check(&[("", "doc/**/b.txt\n")], "doc/a/c/b.txt", false, true);
    }
}
