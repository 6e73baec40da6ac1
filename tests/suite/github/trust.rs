//! Who is trusted with a contract, and which issue a pull request leads to.

use super::mock::{forge, mock, rule};
use super::scenarios::CONTRACT;
use agent_acceptance::error::Kind;
use agent_acceptance::facts::RepoName;
use agent_acceptance::source::Standing;
use agent_acceptance::source::trust::TrustRule;
use std::time::Duration;

const OPENED: Option<&str> = Some("2026-01-02T00:00:00Z");
const TOKEN: Option<&str> = Some("t");

/// Tells how an issue stands: its remarks, `not trusted`, or the kind of failure.
fn standing(number: u64, token: Option<&str>, rule: &TrustRule, opened: Option<&str>, require: bool) -> Option<String> {
    let github = mock()?.github("plain", token, Duration::ZERO);
    let mut forge = forge(&github, rule);
    forge.require_edit_history = require;
    let issue = forge.issue(&RepoName::parse("o/r").expect("a name"), number).expect("an issue");
    Some(match forge.standing(&issue, opened) {
        Ok(Standing::Trusted { remarks, notes }) => format!("{} {}", remarks.join(", "), notes.len()),
        Ok(Standing::NotTrusted { details, next }) => {
            assert!(!details.is_empty() && !next.is_empty());
            "not trusted".to_owned()
        }
        Err(failure) => format!("{:?}", failure.kind),
    })
}

#[test]
fn authors_and_edits_decide_whether_a_contract_counts() {
    if mock().is_none() {
        return;
    }
    let by_permission = TrustRule { write_permission: true, ..rule() };
    let friend = TrustRule { users: vec!["passer-by".to_owned()], ..rule() };
    let editor = TrustRule { users: vec!["mallory".to_owned()], ..rule() };
    for (what, number, token, rule, opened, require, expected) in [
        ("a member, unedited", 12, TOKEN, rule(), OPENED, true, "unedited 0"),
        ("a member, seen without a token", 12, None, rule(), OPENED, false, "edits unknown 1"),
        ("the same where edits must be known", 12, None, rule(), OPENED, true, "EditHistoryUnreadable"),
        ("a stranger", 13, TOKEN, rule(), OPENED, false, "not trusted"),
        ("a stranger without a token", 13, None, rule(), OPENED, false, "not trusted"),
        ("a stranger who is named", 13, TOKEN, friend, OPENED, false, "unedited 0"),
        ("a program", 14, TOKEN, rule(), OPENED, false, "not trusted"),
        ("a program without a token", 14, None, rule(), OPENED, false, "not trusted"),
        ("a deleted account", 15, TOKEN, rule(), OPENED, false, "not trusted"),
        ("a deleted account without a token", 15, None, rule(), OPENED, false, "not trusted"),
        ("edited by its author in time", 16, TOKEN, rule(), OPENED, true, "unedited 0"),
        ("edited by a stranger in time", 17, TOKEN, rule(), OPENED, false, "ContractEdited"),
        (
            "edited by a named stranger in time",
            17,
            TOKEN,
            editor,
            OPENED,
            false,
            "edited once, by mallory at 2026-01-01T12:00:00Z 0",
        ),
        ("edited by its author too late", 18, TOKEN, rule(), OPENED, false, "ContractEdited"),
        ("the same without a pull request", 18, TOKEN, rule(), None, false, "unedited 0"),
        ("edits that are not shown", 19, TOKEN, rule(), OPENED, false, "edits unknown 1"),
        ("edits that are not shown and must be", 19, TOKEN, rule(), OPENED, true, "EditHistoryUnreadable"),
        (
            "edited by somebody who may write",
            20,
            TOKEN,
            rule(),
            OPENED,
            false,
            "edited once, by carol at 2026-01-01T12:00:00Z 0",
        ),
        ("an edit that was removed from the history", 21, TOKEN, rule(), OPENED, false, "ContractEdited"),
        ("edited by a deleted account", 22, TOKEN, rule(), OPENED, false, "ContractEdited"),
        ("edited by a program", 23, TOKEN, rule(), OPENED, false, "ContractEdited"),
        ("the bad edit stands on the second page", 24, TOKEN, rule(), OPENED, false, "ContractEdited"),
        ("a history without the last edit", 25, TOKEN, rule(), OPENED, true, "EditHistoryUnreadable"),
        ("a program that is called a user", 28, TOKEN, rule(), OPENED, false, "not trusted"),
        ("a program that is called a user, without a token", 28, None, rule(), OPENED, false, "not trusted"),
        ("an account that was imported", 29, TOKEN, rule(), OPENED, false, "not trusted"),
        ("an account that was imported, without a token", 29, None, rule(), OPENED, false, "not trusted"),
        ("an account of an enterprise", 30, TOKEN, rule(), OPENED, true, "unedited 0"),
        ("what GitHub shows for a deleted account", 31, TOKEN, rule(), OPENED, false, "not trusted"),
        ("the same without a token", 31, None, rule(), OPENED, false, "not trusted"),
        ("a program in a member's name", 32, None, rule(), OPENED, false, "not trusted"),
        ("a history that was left out", 33, TOKEN, rule(), OPENED, true, "EditHistoryUnreadable"),
        ("an edit that was left out", 50, TOKEN, rule(), OPENED, true, "EditHistoryUnreadable"),
        ("edits in any order", 51, TOKEN, rule(), OPENED, false, "ContractEdited"),
        ("an edit whose time cannot be read", 52, TOKEN, rule(), OPENED, false, "ContractEdited"),
        ("the longest text", 53, TOKEN, rule(), OPENED, true, "unedited 0"),
        ("a member who may only read", 12, TOKEN, by_permission.clone(), OPENED, false, "not trusted"),
        ("permissions without a token", 12, None, by_permission, OPENED, false, "not trusted"),
    ] {
        assert_eq!(standing(number, token, &rule, opened, require).expect("the mock runs"), expected, "{what}");
    }
}

#[test]
fn a_text_arrives_as_it_is_stored() {
    let Some(mock) = mock() else { return };
    for token in [TOKEN, None] {
        let github = mock.github("plain", token, Duration::ZERO);
        let rule = rule();
        let of = |number| {
            forge(&github, &rule).issue(&RepoName::parse("O/R").expect("a name"), number).expect("an issue").body
        };
        assert_eq!(of(12), CONTRACT);
        assert_eq!(of(26), "");
    }
}

#[test]
fn what_was_moved_is_named_and_not_taken() {
    let Some(mock) = mock() else { return };
    let repo = RepoName::parse("o/r").expect("a name");
    let rule = rule();
    for (scenario, number, token, place) in [
        ("plain", 27, TOKEN, "mallory/own#27"),
        ("plain", 27, None, "mallory/own#27"),
        ("followed", 12, None, "new/home#5"),
    ] {
        let github = mock.github(scenario, token, Duration::ZERO);
        let failure = forge(&github, &rule).issue(&repo, number).expect_err("it was moved");
        assert!(failure.message.ends_with(&format!("was moved to {place}")), "{failure:?}");
        assert_eq!(failure.next, [format!("if that is meant, name it: --issue {place}")]);
    }
    let github = mock.github("renamed", TOKEN, Duration::ZERO);
    let failure = forge(&github, &rule).pull(&repo, 34).expect_err("it was moved");
    assert!(failure.message.ends_with("was moved to new/home#34"), "{failure:?}");
}

/// Tells which issues a pull request leads to, and which are left out.
fn leads_to(number: u64, token: Option<&str>) -> Option<String> {
    let github = mock()?.github("plain", token, Duration::ZERO);
    let rule = rule();
    Some(match forge(&github, &rule).pull(&RepoName::parse("o/r").expect("a name"), number) {
        Ok(found) => {
            let issues: Vec<String> = found.issues.iter().map(|issue| issue.number.to_string()).collect();
            let left_out: Vec<&str> = found.left_out.iter().map(|left_out| left_out.name.as_str()).collect();
            format!("{} | {}", issues.join(" "), left_out.join(" "))
        }
        Err(failure) => format!("{:?}", failure.kind),
    })
}

#[test]
fn a_pull_request_leads_to_the_issues_that_github_links() {
    if mock().is_none() {
        return;
    }
    for (number, token, expected) in [
        (34, TOKEN, "12 | "),
        (34, None, "12 | "),
        (35, TOKEN, "12 16 | "),
        (36, TOKEN, " | o/r#12"),
        (36, None, " | o/r#12"),
        (37, TOKEN, " | mallory/own#27"),
        (37, None, " | mallory/own#27"),
        (38, TOKEN, " | o/r#12"),
        (38, None, " | o/r#12"),
        (39, TOKEN, "GithubAnswer"),
        (40, TOKEN, "ContractAmbiguous"),
        (41, TOKEN, " | "),
        (46, TOKEN, " | o/r#34"),
        (46, None, " | o/r#34"),
        (47, TOKEN, "12 | "),
        (48, TOKEN, "GithubAnswer"),
        (49, TOKEN, "12 26 | mallory/own#27"),
        (99, TOKEN, "ContractNotFound"),
    ] {
        assert_eq!(leads_to(number, token).expect("the mock runs"), expected, "{number} {token:?}");
    }
}

#[test]
fn a_pull_request_is_no_issue() {
    let Some(mock) = mock() else { return };
    for token in [TOKEN, None] {
        let github = mock.github("plain", token, Duration::ZERO);
        let rule = rule();
        let failure =
            forge(&github, &rule).issue(&RepoName::parse("o/r").expect("a name"), 34).expect_err("a pull request");
        assert_eq!(failure.kind, Kind::ContractNotFound);
        assert!(failure.message.contains("pull request"), "{}", failure.message);
    }
}
