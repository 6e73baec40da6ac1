//! One pull request: when it was opened, what it is between, and which issues GitHub says it closes.

use super::client::Client;
use super::issue::{IssueDocument, IssueNode, RepositoryName, read};
use crate::error::{Failure, Kind};
use crate::facts::RepoName;
use serde::Deserialize;
use serde_json::{Value, json};

const QUERY: &str = include_str!("queries/pull.graphql");

/// GitHub links at most this many issues that are asked for at once.
const MOST_LINKED: u64 = 20;

/// A pull request as GitHub has it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullDocument {
    /// The repository that it is in.
    pub repo: RepoName,
    /// Its number.
    pub number: u64,
    /// Its address for people.
    pub url: String,
    /// Its text; a pointer to issues at most, never a contract.
    pub body: String,
    /// When it was opened, by the server's clock.
    pub created_at: String,
    /// The branch that it goes to.
    pub base_branch: String,
    /// The commit at the tip of that branch.
    pub base_commit: String,
    /// The commit that it proposes.
    pub head_commit: String,
    /// The repository's default branch: only there do closing keywords link.
    pub default_branch: Option<String>,
    /// The issues that GitHub links, or `None` without a token.
    pub linked: Option<Vec<Linked>>,
}

/// An issue that GitHub says the pull request closes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linked {
    /// The issue.
    pub issue: IssueDocument,
    /// Whether somebody with write permission linked it by hand.
    pub by_hand: bool,
}

/// Fetches a pull request.
pub(super) async fn fetch(client: &Client, repo: &RepoName, number: u64) -> Result<PullDocument, Failure> {
    let pull = if client.has_token() {
        with_links(client, repo, number).await?
    } else {
        anonymously(client, repo, number).await?
    };
    if pull.repo.is_same(repo) {
        Ok(pull)
    } else {
        Err(Failure::new(Kind::ContractNotFound, format!("{repo}#{number} was moved to {}#{}", pull.repo, pull.number))
            .next(format!("if that is meant, name it: --pr {}#{}", pull.repo, pull.number)))
    }
}

async fn with_links(client: &Client, repo: &RepoName, number: u64) -> Result<PullDocument, Failure> {
    let variables = json!({ "owner": repo.owner, "name": repo.name, "number": number });
    let mut data = client.graphql(QUERY, variables).await?;
    let found = data
        .pointer_mut("/repository")
        .map(Value::take)
        .filter(Value::is_object)
        .ok_or_else(|| absent(repo, number))?;
    let repository: Repository = read(found)?;
    let pull = repository.pull_request.ok_or_else(|| absent(repo, number))?;
    let (Some(closing), Some(manual)) = (pull.closing_issues_references, pull.manual) else {
        return Err(Failure::new(Kind::GithubAnswer, "GitHub does not show which issues the pull request closes")
            .next("give a token that may read issues and pull requests, or name the issue: --issue N"));
    };
    if closing.total_count > MOST_LINKED {
        let message =
            format!("the pull request closes {} issues; at most {MOST_LINKED} are looked at", closing.total_count);
        return Err(Failure::new(Kind::ContractAmbiguous, message).next("name the issue with the contract: --issue N"));
    }
    let by_hand: Vec<(u64, String)> =
        manual.nodes.into_iter().flatten().map(|node| (node.number, node.repository.name_with_owner)).collect();
    let mut linked = Vec::new();
    for node in closing.nodes {
        let node = node.ok_or_else(|| {
            Failure::new(Kind::GithubAnswer, "GitHub left out an issue that the pull request closes")
                .next("give a token that may read that issue, or name the issue with the contract: --issue N")
        })?;
        let by_hand =
            by_hand.iter().any(|(number, name)| *number == node.number && *name == node.repository.name_with_owner);
        linked.push(Linked { issue: node.into_document(client).await?, by_hand });
    }
    Ok(PullDocument {
        repo: RepoName::parse(&repository.name_with_owner).map_err(|why| Failure::new(Kind::GithubAnswer, why))?,
        number: pull.number,
        url: pull.url,
        body: pull.body,
        created_at: pull.created_at,
        base_branch: pull.base_ref_name,
        base_commit: pull.base_ref_oid,
        head_commit: pull.head_ref_oid,
        default_branch: repository.default_branch_ref.map(|branch| branch.name),
        linked: Some(linked),
    })
}

async fn anonymously(client: &Client, repo: &RepoName, number: u64) -> Result<PullDocument, Failure> {
    let pull: RestPull = read(client.get(&format!("/repos/{repo}/pulls/{number}")).await?)?;
    let base = pull.base.repo.ok_or_else(|| absent(repo, number))?;
    Ok(PullDocument {
        repo: RepoName::parse(&base.full_name).map_err(|why| Failure::new(Kind::GithubAnswer, why))?,
        number: pull.number,
        url: pull.html_url,
        body: pull.body.unwrap_or_default(),
        created_at: pull.created_at,
        base_branch: pull.base.branch,
        base_commit: pull.base.sha,
        head_commit: pull.head.sha,
        default_branch: base.default_branch,
        linked: None,
    })
}

fn absent(repo: &RepoName, number: u64) -> Failure {
    Failure::new(
        Kind::ContractNotFound,
        format!("GitHub has no pull request {repo}#{number}, or this token may not see it"),
    )
    .next("check the number and the repository; for a private one give a token that may read its pull requests")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Repository {
    name_with_owner: String,
    default_branch_ref: Option<Branch>,
    pull_request: Option<PullNode>,
}

#[derive(Deserialize)]
struct Branch {
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PullNode {
    number: u64,
    url: String,
    body: String,
    created_at: String,
    base_ref_name: String,
    base_ref_oid: String,
    head_ref_oid: String,
    closing_issues_references: Option<Closing>,
    manual: Option<Manual>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Closing {
    total_count: u64,
    nodes: Vec<Option<IssueNode>>,
}

#[derive(Deserialize)]
struct Manual {
    nodes: Vec<Option<ManualNode>>,
}

#[derive(Deserialize)]
struct ManualNode {
    number: u64,
    repository: RepositoryName,
}

#[derive(Deserialize)]
struct RestPull {
    number: u64,
    html_url: String,
    body: Option<String>,
    created_at: String,
    base: RestSide,
    head: RestSide,
}

#[derive(Deserialize)]
struct RestSide {
    #[serde(rename = "ref")]
    branch: String,
    sha: String,
    repo: Option<RestRepository>,
}

#[derive(Deserialize)]
struct RestRepository {
    full_name: String,
    default_branch: Option<String>,
}
