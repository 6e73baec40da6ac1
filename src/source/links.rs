//! Why GitHub does not link an issue that a pull request names, and what can be done about it. Pure.

use crate::facts::RepoName;
use crate::github::{IssueDocument, PullDocument};

/// An issue that a pull request names and that is not looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// `octo/app#12`
    pub name: String,
    /// Why, for people.
    pub why: String,
    /// What can be done if it was meant.
    pub next: String,
}

pub(super) fn name((repo, number): &(RepoName, u64)) -> String {
    format!("{repo}#{number}")
}

pub(super) fn is_linked(pull: &PullDocument, repo: &RepoName, number: u64) -> bool {
    let is_it = |issue: &IssueDocument| issue.repo.is_same(repo) && issue.number == number;
    pull.linked.iter().flatten().any(|linked| is_it(&linked.issue))
}

/// Returns the default branch, when the pull request goes to another one.
pub(super) fn off_default(pull: &PullDocument) -> Option<&String> {
    pull.default_branch.as_ref().filter(|default| **default != pull.base_branch)
}

pub(super) fn hidden_from(pull: &PullDocument, issue: &(RepoName, u64)) -> LeftOut {
    if off_default(pull).is_some() {
        return not_linked(pull, issue);
    }
    LeftOut {
        name: name(issue),
        why: "GitHub does not link it: the keyword stands in code, a comment or a quotation".to_owned(),
        next: format!("write it as plain text into the pull request's description: Fixes {}", name(issue)),
    }
}

pub(super) fn not_linked(pull: &PullDocument, issue: &(RepoName, u64)) -> LeftOut {
    let name = name(issue);
    let next = format!("name the issue itself: --issue {name}");
    match off_default(pull) {
        Some(default) => {
            let base = &pull.base_branch;
            let why = format!(
                "GitHub does not link it: closing keywords count only for the default branch, {default}, and this goes to {base}"
            );
            LeftOut { name, why, next }
        }
        None if !issue.0.is_same(&pull.repo) => elsewhere(&name),
        None => LeftOut {
            name,
            why: "GitHub does not link it, or not yet: it may be a pull request, or the text was saved a moment ago"
                .to_owned(),
            next: format!("run it again, or {next}"),
        },
    }
}

pub(super) fn elsewhere(name: &str) -> LeftOut {
    LeftOut {
        name: name.to_owned(),
        why: "it is in another repository, where other people are trusted".to_owned(),
        next: format!("if it is meant, name it: --issue {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{hidden_from, not_linked};
    use crate::facts::RepoName;
    use crate::github::PullDocument;

    #[test]
    fn each_reason_why_an_issue_is_not_linked_is_told() {
        let mut pull = PullDocument {
            repo: RepoName::parse("o/r").expect("a name"),
            number: 2,
            url: String::new(),
            body: String::new(),
            created_at: String::new(),
            base_branch: "main".to_owned(),
            base_commit: String::new(),
            head_commit: String::new(),
            default_branch: Some("main".to_owned()),
            linked: None,
        };
        let issue = (pull.repo.clone(), 1);
        assert!(not_linked(&pull, &issue).why.contains("not yet"));
        assert!(hidden_from(&pull, &issue).why.contains("a comment"));
        assert!(not_linked(&pull, &(RepoName::parse("x/y").expect("a name"), 1)).why.contains("another repository"));
        pull.base_branch = "next".to_owned();
        for left_out in [not_linked(&pull, &issue), hidden_from(&pull, &issue)] {
            assert!(left_out.why.contains("default branch"), "{left_out:?}");
            assert_eq!(left_out.next, "name the issue itself: --issue o/r#1");
        }
    }
}
