//! Contracts in issues: what was found, whether its author counts, and whether it is still the question
//! that was asked. Whether a text holds a contract at all is not known here.

use super::keywords::{closing_references, hidden_references};
use super::links::{LeftOut, elsewhere, hidden_from, is_linked, name, not_linked, off_default};
use super::trust::{BadEdit, Distrust, TrustRule, bad_edit, distrust_of, is_named};
use crate::error::{Failure, Kind};
use crate::facts::{Edit, History, Permission, Person, RepoName};
use crate::github::{GitHub, IssueDocument, Numbered, PullDocument};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// So many different editors are looked up; more would only be a way to use up the rate limit.
const MOST_EDITORS: usize = 10;

/// How GitHub is asked, and whom the operator trusts.
#[derive(Debug)]
pub struct Forge<'a> {
    /// The server.
    pub github: &'a GitHub,
    /// Who counts.
    pub rule: &'a TrustRule,
    /// Whether a history of edits that cannot be read is an error.
    pub require_edit_history: bool,
}

/// What a pull request leads to.
#[derive(Debug)]
pub struct PullIssues {
    /// The pull request.
    pub pull: PullDocument,
    /// The issues of the same repository that it closes.
    pub issues: Vec<IssueDocument>,
    /// The numbers of those that somebody with write permission linked by hand.
    pub by_hand: Vec<u64>,
    /// Issues that it names and that are not looked at.
    pub left_out: Vec<LeftOut>,
}

/// A contract's author counts, or does not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It counts. Remarks stand beside the source's name, notes below the verdict.
    Trusted {
        /// `unedited`
        remarks: Vec<String>,
        /// What could not be made sure.
        notes: Vec<String>,
    },
    /// It is as good as none.
    NotTrusted {
        /// Label and text, for people.
        details: Vec<(&'static str, String)>,
        /// What can be done.
        next: Vec<String>,
    },
}

/// Returns the name of an issue for people: `octo/app#12`.
pub fn label(issue: &IssueDocument) -> String {
    format!("{}#{}", issue.repo, issue.number)
}

impl Forge<'_> {
    /// Fetches an issue that was named. A pull request's own text is never a contract.
    ///
    /// # Errors
    /// Returns why it could not be fetched.
    pub fn issue(&self, repo: &RepoName, number: u64) -> Result<IssueDocument, Failure> {
        match self.github.numbered(repo, number)? {
            Numbered::Issue(issue) => Ok(*issue),
            Numbered::PullRequest => {
                Err(Failure::new(Kind::ContractNotFound, format!("{repo}#{number} is a pull request, not an issue"))
                    .next(format!("for the issue that it closes: --pr {number}")))
            }
        }
    }

    /// Fetches a pull request and the issues that it closes. Issues of other repositories are left out:
    /// whoever opens a pull request could own one, and be trusted there.
    ///
    /// # Errors
    /// Returns why they could not be fetched.
    pub fn pull(&self, repo: &RepoName, number: u64) -> Result<PullIssues, Failure> {
        let host = &self.github.api.host;
        let is_settled = |pull: &PullDocument| {
            let lacks = |(repo, number): &(RepoName, u64)| repo.is_same(&pull.repo) && !is_linked(pull, repo, *number);
            off_default(pull).is_some()
                || pull.linked.is_none()
                || !closing_references(&pull.body, &pull.repo, host).iter().any(lacks)
        };
        let mut pull = self.github.pull(repo, number, is_settled)?;
        let visible = closing_references(&pull.body, &pull.repo, host);
        let hidden = hidden_references(&pull.body, &pull.repo, host);
        let mut left_out: Vec<LeftOut> = hidden
            .iter()
            .filter(|(repo, n)| !is_linked(&pull, repo, *n))
            .map(|issue| hidden_from(&pull, issue))
            .collect();
        let (mut issues, mut by_hand) = (Vec::new(), Vec::new());
        if pull.linked.is_some() || off_default(&pull).is_some() {
            let unlinked = visible.iter().filter(|(repo, n)| !is_linked(&pull, repo, *n));
            left_out.extend(unlinked.map(|issue| not_linked(&pull, issue)));
            for linked in pull.linked.take().into_iter().flatten() {
                by_hand.extend(linked.by_hand.then_some(linked.issue.number));
                issues.push(linked.issue);
            }
        } else {
            for issue in &visible {
                if !issue.0.is_same(&pull.repo) {
                    left_out.push(elsewhere(&name(issue)));
                    continue;
                }
                match self.github.numbered(&issue.0, issue.1)? {
                    Numbered::Issue(issue) => issues.push(*issue),
                    Numbered::PullRequest => left_out.push(not_linked(&pull, issue)),
                }
            }
        }
        let (own, other): (Vec<_>, Vec<_>) = issues.into_iter().partition(|issue| issue.repo.is_same(&pull.repo));
        left_out.extend(other.iter().map(|issue| elsewhere(&label(issue))));
        Ok(PullIssues { pull, issues: own, by_hand, left_out })
    }

    /// Decides whether an issue counts. `opened_at` is when the pull request was opened: what was edited
    /// after that is not the question that it answers.
    ///
    /// # Errors
    /// Returns a failure when somebody changed the question, or when that had to be known and is not.
    pub fn standing(&self, issue: &IssueDocument, opened_at: Option<&str>) -> Result<Standing, Failure> {
        let permissions = RefCell::new(BTreeMap::new());
        let permission = |login: &str| self.permission(&issue.repo, login, &permissions);
        let distrust = match (&issue.author, &issue.via_app) {
            (Person::User(_), Some(_)) => Some(Distrust::Bot),
            (author, _) => {
                let asked = match author {
                    Person::User(login) if self.rule.write_permission && !is_named(login, self.rule) => {
                        Some(permission(login)?)
                    }
                    _ => None,
                };
                distrust_of(author, issue.association.as_deref(), asked.as_ref(), self.rule)
            }
        };
        if let Some(distrust) = distrust {
            return Ok(self.not_trusted(issue, &distrust));
        }
        match &issue.history {
            History::Complete(edits) => {
                let mut trusted_editors = Vec::new();
                for editor in other_editors(edits, &issue.author) {
                    let may_write = |login: &str| -> Result<bool, Failure> {
                        Ok(is_named(login, self.rule)
                            || matches!(permission(login)?, Permission::Level(level) if matches!(level.as_str(), "admin" | "write")))
                    };
                    if let Person::User(login) = editor
                        && trusted_editors.len() < MOST_EDITORS
                        && may_write(login)?
                    {
                        trusted_editors.push(editor.clone());
                    }
                }
                match bad_edit(&issue.author, edits, opened_at, |person| trusted_editors.contains(person)) {
                    Some(bad) => Err(edited(issue, &bad)),
                    None => Ok(Standing::Trusted { remarks: vec![edits_told(edits, issue)], notes: Vec::new() }),
                }
            }
            History::Unknown(why) if self.require_edit_history => Err(Failure::new(
                Kind::EditHistoryUnreadable,
                format!("the edits of {} could not be read: {why}", label(issue)),
            )
            .next("give a token that may read the issue: export GH_TOKEN=$(gh auth token)")),
            History::Unknown(why) => Ok(Standing::Trusted {
                remarks: vec!["edits unknown".to_owned()],
                notes: vec![format!("who edited {} and when is not known: {why}", label(issue))],
            }),
        }
    }

    fn permission(
        &self,
        repo: &RepoName,
        login: &str,
        known: &RefCell<BTreeMap<String, Permission>>,
    ) -> Result<Permission, Failure> {
        if let Some(permission) = known.borrow().get(login) {
            return Ok(permission.clone());
        }
        let permission = if self.github.token.is_some() {
            self.github.permission(repo, login)?
        } else {
            Permission::Unknown("permissions are shown only to a token".to_owned())
        };
        known.borrow_mut().insert(login.to_owned(), permission.clone());
        Ok(permission)
    }

    fn not_trusted(&self, issue: &IssueDocument, distrust: &Distrust) -> Standing {
        let author = issue.author.name();
        let mut details = Vec::new();
        let why = match distrust {
            Distrust::Bot => "it was written by a program's account, which is never trusted".to_owned(),
            Distrust::Deleted => "its author's account is gone, so that nobody can be asked".to_owned(),
            Distrust::OtherAccount => "its author's account is not a person's".to_owned(),
            Distrust::Association(association) => {
                format!("its author's association with this repository is {association}")
            }
            Distrust::Permission(why) => format!("its author cannot be trusted by permission: {why}"),
        };
        details.push(("reason", why));
        if self.rule.write_permission {
            details.push(("trusted", "write permission or more".to_owned()));
        } else {
            details.push(("trusted", self.rule.associations.join(", ")));
        }
        let mut next = Vec::new();
        if matches!(distrust, Distrust::Association(_)) {
            details.push((
                "note",
                "GitHub shows members whose membership is private as NONE or CONTRIBUTOR to this token".to_owned(),
            ));
        }
        next.push("somebody trusted posts the contract in an issue of their own".to_owned());
        if matches!(distrust, Distrust::Association(_) | Distrust::Permission(_)) {
            next.push(format!("or the operator names the author: --trust-user {author}"));
        }
        if matches!(distrust, Distrust::Association(_)) {
            next.push(
                "or trusts by rights instead: --trust-permission write, with a token that may read them".to_owned(),
            );
        }
        Standing::NotTrusted { details, next }
    }
}

fn other_editors<'a>(edits: &'a [Edit], author: &Person) -> Vec<&'a Person> {
    let mut editors: Vec<&Person> = Vec::new();
    for edit in edits {
        if edit.editor != *author && !editors.contains(&&edit.editor) {
            editors.push(&edit.editor);
        }
    }
    editors
}

/// GitHub's log may hold the creation as its first entry; an edit is what came after.
fn edits_told(edits: &[Edit], issue: &IssueDocument) -> String {
    let mut sorted: Vec<&Edit> = edits.iter().collect();
    sorted.sort_by(|left, right| left.at.cmp(&right.at));
    let real =
        if sorted.first().is_some_and(|first| first.editor == issue.author) { &sorted[1..] } else { &sorted[..] };
    match real {
        [] => "unedited".to_owned(),
        [only] => format!("edited once, by {} at {}", only.editor.name(), only.at),
        [.., last] => format!("edited {} times, last by {} at {}", real.len(), last.editor.name(), last.at),
    }
}

fn edited(issue: &IssueDocument, bad: &BadEdit) -> Failure {
    let (what, edit) = match bad {
        BadEdit::Editor(edit) => ("by somebody who is not trusted", edit),
        BadEdit::TooLate(edit) => ("after the pull request was opened", edit),
        BadEdit::Redacted(edit) => ("and the edit was removed from its history", edit),
    };
    Failure::new(Kind::ContractEdited, format!("{} was edited {what}: it may ask another question now", label(issue)))
        .detail("editor", edit.editor.name())
        .detail("time", edit.at.clone())
        .next(
            "a maintainer looks at the issue's history and pins the contract that is meant: --expect-digest sha256:...",
        )
        .next("or posts it in a new issue")
}

#[cfg(test)]
mod tests {
    use super::edits_told;
    use crate::facts::{Edit, History, Person, RepoName};
    use crate::github::IssueDocument;

    fn edit(who: &str, at: &str) -> Edit {
        Edit { editor: Person::User(who.to_owned()), at: at.to_owned(), redacted: false }
    }

    #[test]
    fn the_creation_is_not_told_as_an_edit() {
        let issue = IssueDocument {
            repo: RepoName::parse("o/r").expect("a name"),
            number: 1,
            url: String::new(),
            body: String::new(),
            author: Person::User("a".to_owned()),
            association: None,
            via_app: None,
            history: History::Complete(Vec::new()),
        };
        for (edits, told) in [
            (vec![], "unedited"),
            (vec![edit("a", "2026-01-01T00:00:00Z")], "unedited"),
            (
                vec![edit("b", "2026-01-02T00:00:00Z"), edit("a", "2026-01-01T00:00:00Z")],
                "edited once, by b at 2026-01-02T00:00:00Z",
            ),
            (
                vec![
                    edit("a", "2026-01-01T00:00:00Z"),
                    edit("b", "2026-01-02T00:00:00Z"),
                    edit("a", "2026-01-03T00:00:00Z"),
                ],
                "edited 2 times, last by a at 2026-01-03T00:00:00Z",
            ),
        ] {
            assert_eq!(edits_told(&edits, &issue), told);
        }
    }
}
