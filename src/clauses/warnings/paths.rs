//! What is known of the merge base's files, and what a path says of a file.

use crate::clauses::words;
use crate::facts::{Facts, FileAt, FileContent, PathRule, RepoPath};
use crate::{facts::Known, runners};

/// Returns all paths at the merge base, where they are known.
pub(super) fn base_tree(facts: &Facts) -> Option<&[RepoPath]> {
    facts.base_tree.get().ok().map(Vec::as_slice)
}

/// Returns the files at the merge base that match, where they were read; a literal path always has an entry then.
pub(super) fn base_files<'a>(rule: &PathRule, facts: &'a Facts) -> Option<Vec<&'a FileContent>> {
    let contents = facts.base_contents.get().ok()?;
    let files: Vec<&FileContent> = contents.iter().filter(|file| rule.matches(&file.path)).collect();
    (!files.is_empty() || rule.as_literal().is_none()).then_some(files)
}

/// Returns whether a path is there at the merge base, where that is known.
pub(super) fn is_at_base(path: &str, facts: &Facts) -> Option<bool> {
    if let Some(tree) = base_tree(facts) {
        return Some(tree.iter().any(|at_base| at_base.as_str() == Some(path)));
    }
    let files = base_files(&PathRule::literal(path), facts)?;
    Some(files.iter().any(|file| !matches!(file.at, FileAt::NoFile)))
}

/// Returns how many lines a text file has at the merge base, where that is known.
pub(super) fn base_lines(path: &str, facts: &Facts) -> Option<u64> {
    let Known::Known(contents) = &facts.base_contents else { return None };
    let file = contents.iter().find(|file| file.path.as_str() == Some(path))?;
    match &file.at {
        FileAt::Text { text } => u64::try_from(text.lines().count()).ok(),
        FileAt::NotText | FileAt::NoFile | FileAt::Symlink { .. } | FileAt::Directory | FileAt::Submodule { .. } => {
            None
        }
    }
}

/// Returns whether a path is a test's: by the contract, the runner's convention, or, without a known runner, by its name.
pub(super) fn is_test(path: &str, command: &[String], test_files: Option<&[PathRule]>) -> bool {
    if let Some(rules) = test_files {
        return rules.iter().any(|rule| rule.matches(&RepoPath::from(path)));
    }
    match runners::recognise(command) {
        Ok((runner, _)) => runner.is_test_file(path),
        Err(_) => words::is_testlike(path),
    }
}

/// Returns the last part of a path.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Returns whether a path's extension is one of these.
pub(super) fn has_extension(path: &str, extensions: &[&str]) -> bool {
    let extension = file_name(path).rsplit_once('.').map(|(_, extension)| extension.to_lowercase());
    extension.is_some_and(|extension| extensions.contains(&extension.as_str()))
}

/// Returns whether a path is a lock file of a package manager: one new dependency changes many of its lines.
pub(super) fn is_lock_file(path: &str) -> bool {
    matches!(
        file_name(path),
        "package-lock.json"
            | "npm-shrinkwrap.json"
            | "yarn.lock"
            | "pnpm-lock.yaml"
            | "bun.lock"
            | "deno.lock"
            | "Cargo.lock"
            | "poetry.lock"
            | "uv.lock"
            | "pdm.lock"
            | "Pipfile.lock"
            | "composer.lock"
            | "Gemfile.lock"
            | "go.sum"
            | "mix.lock"
            | "gradle.lockfile"
    )
}

/// Returns a rule's paths among those that are known: its own when it is literal, else those of the merge base.
pub(super) fn known_paths<'a>(rule: &'a PathRule, facts: &'a Facts) -> Vec<&'a str> {
    if let Some(path) = rule.as_literal() {
        return vec![path];
    }
    let tree = base_tree(facts).unwrap_or_default();
    tree.iter().filter(|path| rule.matches(path)).filter_map(RepoPath::as_str).collect()
}
