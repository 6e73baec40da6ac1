//! The facts that cost no test run: the change, contents, trees, added lines. What a plan does not ask for
//! is not read.

use crate::error::{Failure, Kind};
use crate::facts::Facts;
use crate::facts::{
    AddedLines, AddedLinesWanted, Change, FileAt, FileContent, Known, PathPresence, PathRule, Plan, RepoPath,
};
use crate::git::{Located, Mode, PathContent, Repository, TreeEntry};
use std::collections::BTreeMap;

/// A larger file is not searched for text, in bytes.
const LARGEST_SEARCHED: u64 = 64 << 20;

/// All contents that are kept together, in bytes.
const MOST_KEPT: u64 = 1 << 30;

/// Finds out what a plan needs to know about a change, without running anything of it.
///
/// # Errors
/// When the change itself cannot be determined: a ref, the merge base, an object, a count. Anything else
/// that cannot be found out is unknown in the facts, with the reason.
pub fn static_facts(repo: &Repository, base: &str, head: &str, plan: &Plan) -> Result<Facts, Failure> {
    if needs_change(plan) { Ok(facts_about(repo, repo.change(base, head)?, plan)) } else { Ok(Facts::none()) }
}

/// Finds out the same about a change that is determined already. What cannot be found out is unknown in the
/// facts, with the reason.
pub fn facts_about(repo: &Repository, change: Change, plan: &Plan) -> Facts {
    let mut facts = Facts::none();
    let (old, new) = (change.merge_base.as_str(), change.head.commit.as_str());
    if !plan.paths.is_empty() {
        facts.paths = presence(repo, old, new, &plan.paths).into();
    }
    if !plan.contents.is_empty() {
        facts.contents = contents(repo, new, &plan.contents).into();
    }
    if !plan.base_contents.is_empty() {
        facts.base_contents = contents(repo, old, &plan.base_contents).into();
    }
    if plan.base_tree {
        let paths = |tree: Vec<TreeEntry>| tree.into_iter().map(|entry| entry.path).collect();
        facts.base_tree = repo.tree(old).map(paths).into();
    }
    if !plan.added_lines.is_empty() {
        facts.added_lines = added_lines(repo, &change, &plan.added_lines).into();
    }
    facts.change = Known::Known(change);
    facts
}

/// Returns whether a plan asks for anything of the repository's history; a contract of documents only may not.
pub fn needs_change(plan: &Plan) -> bool {
    plan.change
        || plan.base_tree
        || !plan.paths.is_empty()
        || !plan.contents.is_empty()
        || !plan.base_contents.is_empty()
        || !plan.added_lines.is_empty()
}

fn presence(repo: &Repository, old: &str, new: &str, paths: &[String]) -> Result<Vec<PathPresence>, Failure> {
    let wanted: Vec<RepoPath> = paths.iter().map(|path| RepoPath::from(path.as_str())).collect();
    let wanted: Vec<&RepoPath> = wanted.iter().collect();
    let (at_old, at_new) = (repo.locate(old, &wanted)?, repo.locate(new, &wanted)?);
    // A link or a submodule on the way is not the path itself.
    let is_there = |located: &Located, path: &RepoPath| match located {
        Located::File { .. } => true,
        Located::Symlink { at, .. } | Located::Submodule { at } => at == path,
        Located::NoFile | Located::Directory => false,
    };
    let each = paths.iter().zip(&wanted).zip(at_old.iter().zip(&at_new));
    let presence = each.map(|((path, wanted), (old, new))| PathPresence {
        path: path.clone(),
        at_merge_base: is_there(old, wanted),
        at_head: is_there(new, wanted),
    });
    Ok(presence.collect())
}

/// Reads what the rules ask for: one entry for each literal path, and one for each path that a pattern
/// matches, sorted and without repeats.
fn contents(repo: &Repository, commit: &str, rules: &[PathRule]) -> Result<Vec<FileContent>, Failure> {
    let literals: Vec<RepoPath> = rules.iter().filter_map(PathRule::as_literal).map(RepoPath::from).collect();
    let references: Vec<&RepoPath> = literals.iter().collect();
    let located = repo.locate(commit, &references)?;
    let mut wanted: BTreeMap<RepoPath, Located> = literals.iter().cloned().zip(located).collect();
    let patterns: Vec<&PathRule> = rules.iter().filter(|rule| rule.as_literal().is_none()).collect();
    if !patterns.is_empty() {
        for entry in repo.tree(commit)? {
            if patterns.iter().any(|pattern| pattern.matches(&entry.path)) {
                let located = located_entry(&entry);
                wanted.entry(entry.path).or_insert(located);
            }
        }
    }
    let (paths, located): (Vec<RepoPath>, Vec<Located>) = wanted.into_iter().unzip();
    let mut kept = 0;
    let mut read = Vec::with_capacity(paths.len());
    for (path, content) in paths.into_iter().zip(repo.read_located(located, LARGEST_SEARCHED)?) {
        if let PathContent::File { bytes, .. } = &content {
            kept += bytes.len() as u64;
        }
        read.push(FileContent { at: file_at(&path, content)?, path });
    }
    if kept > MOST_KEPT {
        return Err(Failure::new(Kind::ObjectUnreadable, "the files to search are over 1 GiB together")
            .next("name fewer files in the contract"));
    }
    Ok(read)
}

fn located_entry(entry: &TreeEntry) -> Located {
    let (at, object) = (entry.path.clone(), entry.object.clone());
    match entry.mode {
        Mode::File => Located::File { executable: false, object },
        Mode::Executable => Located::File { executable: true, object },
        Mode::Symlink => Located::Symlink { at, object },
        Mode::Submodule => Located::Submodule { at },
        Mode::Directory => Located::Directory,
    }
}

fn file_at(path: &RepoPath, content: PathContent) -> Result<FileAt, Failure> {
    content.into_file_at().ok_or_else(|| {
        Failure::new(Kind::ObjectUnreadable, format!("`{path}` is over 64 MiB, too large to search"))
            .next("name another file in the contract")
    })
}

fn added_lines(repo: &Repository, change: &Change, wanted: &[AddedLinesWanted]) -> Result<Vec<AddedLines>, Failure> {
    let is_wanted =
        |path: &RepoPath| wanted.iter().any(|wanted| wanted.path.as_ref().is_none_or(|rule| rule.matches(path)));
    repo.added_lines(&change.merge_base, &change.head.commit, &change.files, &is_wanted)
}
