//! Every answer that GitHub or what stands before it can give ends in a failure that says what to do.

use super::mock::{forge, mock, rule};
use agent_acceptance::error::Kind;
use agent_acceptance::facts::RepoName;
use std::time::Duration;

const TOKEN: Option<&str> = Some("secret-token");

#[test]
fn every_fault_is_told_and_never_taken_for_an_answer() {
    let Some(mock) = mock() else { return };
    let repo = RepoName::parse("o/r").expect("a name");
    for (scenario, token, expected) in [
        ("moved", None, Kind::ContractNotFound),
        ("elsewhere", None, Kind::GithubAnswer),
        ("loop", None, Kind::GithubAnswer),
        ("unauthorized", TOKEN, Kind::TokenRefused),
        ("forbidden", TOKEN, Kind::TokenRefused),
        ("forbidden", None, Kind::TokenRefused),
        ("limited", TOKEN, Kind::RateLimited),
        ("limited", None, Kind::RateLimited),
        ("secondary", None, Kind::RateLimited),
        ("absent", None, Kind::ContractNotFound),
        ("absent", TOKEN, Kind::ContractNotFound),
        ("gone", None, Kind::ContractNotFound),
        ("broken", TOKEN, Kind::GithubAnswer),
        ("html", None, Kind::GithubAnswer),
        ("html", TOKEN, Kind::GithubAnswer),
        ("empty", None, Kind::GithubAnswer),
        ("empty", TOKEN, Kind::GithubAnswer),
        ("huge", None, Kind::GithubAnswer),
        ("refuses", None, Kind::Network),
        ("partial", TOKEN, Kind::TokenRefused),
        ("graphql-limited", TOKEN, Kind::RateLimited),
        ("graphql-absent", TOKEN, Kind::ContractNotFound),
        ("graphql-null", TOKEN, Kind::ContractNotFound),
        ("graphql-odd-type", TOKEN, Kind::GithubAnswer),
        ("graphql-list", TOKEN, Kind::GithubAnswer),
        ("graphql-errors-odd", TOKEN, Kind::GithubAnswer),
        ("graphql-errors-empty", TOKEN, Kind::GithubAnswer),
        ("rest-list", None, Kind::GithubAnswer),
        ("rest-null", None, Kind::GithubAnswer),
        ("rest-deep", None, Kind::GithubAnswer),
        ("rest-odd-repo", None, Kind::GithubAnswer),
        ("teapot", TOKEN, Kind::GithubAnswer),
        ("sso", TOKEN, Kind::TokenRefused),
    ] {
        let github = mock.github(scenario, token, Duration::from_secs(2));
        let rule = rule();
        let failure = forge(&github, &rule).issue(&repo, 12).expect_err("it is a failure");
        assert_eq!(failure.kind, expected, "{scenario} {token:?}: {failure:?}");
        assert!(!failure.next.is_empty() || !failure.details.is_empty(), "{scenario}: {failure:?}");
        assert!(!format!("{failure:?}").contains("secret-token"), "{scenario} shows the token");
    }
}

#[test]
fn a_history_is_read_whole_or_not_believed() {
    let Some(mock) = mock() else { return };
    let github = mock.github("second-page", TOKEN, Duration::ZERO);
    let rule = rule();
    let failure =
        forge(&github, &rule).issue(&RepoName::parse("o/r").expect("a name"), 24).expect_err("half a history");
    assert_eq!(failure.kind, Kind::GithubAnswer, "{failure:?}");
}

#[test]
fn an_organization_that_wants_a_sign_on_is_told() {
    let Some(mock) = mock() else { return };
    let github = mock.github("sso", TOKEN, Duration::ZERO);
    let rule = rule();
    let failure = forge(&github, &rule).issue(&RepoName::parse("o/r").expect("a name"), 12).expect_err("a refusal");
    assert!(failure.next[0].contains("single sign-on"), "{failure:?}");
}

#[test]
fn what_passes_is_waited_for() {
    let Some(mock) = mock() else { return };
    let repo = RepoName::parse("o/r").expect("a name");
    for scenario in ["limited-briefly", "broken-once"] {
        let github = mock.github(scenario, TOKEN, Duration::from_secs(5));
        let rule = rule();
        let issue = forge(&github, &rule).issue(&repo, 12);
        assert!(issue.is_ok(), "{scenario}: {issue:?}");
    }
}

#[test]
fn one_request_is_enough_with_a_token_and_two_without() {
    let Some(mock) = mock() else { return };
    let repo = RepoName::parse("o/r").expect("a name");
    let rule = rule();
    for (scenario, token, requests) in [("requests", TOKEN, 2), ("anonymous-requests", None, 3)] {
        let github = mock.github(scenario, token, Duration::ZERO);
        let forge = forge(&github, &rule);
        forge.issue(&repo, 12).expect("an issue");
        assert_eq!(mock.requests(scenario).len(), 1, "an issue costs one request");
        forge.pull(&repo, 34).expect("a pull request");
        assert_eq!(mock.requests(scenario).len(), requests, "{scenario}");
        let sent = mock.requests(scenario).iter().all(|request| request["authorization"].is_string());
        assert_eq!(sent, token.is_some(), "the token is sent when there is one, and only then");
    }
}
