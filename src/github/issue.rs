//! One issue: its text, its author, and every edit where a token lets us see them.

use super::client::Client;
use crate::error::{Failure, Kind};
use crate::facts::{Edit, History, Person, RepoName};
use serde::Deserialize;
use serde_json::{Value, json};

const QUERY: &str = include_str!("queries/issue.graphql");

/// A history longer than this many pages of 100 edits is nobody's; reading on would only be a way to stall.
const MOST_PAGES: usize = 20;

/// An issue as GitHub has it now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IssueDocument {
    /// The repository that it is in now.
    pub repo: RepoName,
    /// Its number.
    pub number: u64,
    /// Its address for people.
    pub url: String,
    /// Its text, as it is stored; empty when there is none.
    pub body: String,
    /// Who wrote it.
    pub author: Person,
    /// The author's association with the repository, as this token may see it.
    pub association: Option<String>,
    /// Whether a program acted in the author's name. Only REST tells.
    pub via_app: Option<String>,
    /// Every edit of the text.
    pub history: History,
}

/// What stands at a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Numbered {
    /// An issue.
    Issue(Box<IssueDocument>),
    /// A pull request, whose own text is never a contract.
    PullRequest,
}

/// Fetches what stands at a number: one request with a token, and one without.
pub(super) async fn fetch(client: &Client, repo: &RepoName, number: u64) -> Result<Numbered, Failure> {
    let numbered = if client.has_token() {
        with_history(client, repo, number).await?
    } else {
        anonymously(client, repo, number).await?
    };
    if let Numbered::Issue(issue) = &numbered
        && (!issue.repo.is_same(repo) || issue.number != number)
    {
        return Err(Failure::new(
            Kind::ContractNotFound,
            format!("{repo}#{number} was moved to {}#{}", issue.repo, issue.number),
        )
        .next(format!("if that is meant, name it: --issue {}#{}", issue.repo, issue.number)));
    }
    Ok(numbered)
}

async fn with_history(client: &Client, repo: &RepoName, number: u64) -> Result<Numbered, Failure> {
    let found = ask(client, repo, number, None).await?;
    if found["__typename"] == "PullRequest" {
        return Ok(Numbered::PullRequest);
    }
    let node: IssueNode = read(found)?;
    Ok(Numbered::Issue(Box::new(node.into_document(client).await?)))
}

async fn ask(client: &Client, repo: &RepoName, number: u64, after: Option<&str>) -> Result<Value, Failure> {
    let variables = json!({ "owner": repo.owner, "name": repo.name, "number": number, "after": after });
    let mut data = client.graphql(QUERY, variables).await?;
    match data.pointer_mut("/repository/issueOrPullRequest").map(Value::take) {
        Some(found) if found.is_object() => Ok(found),
        _ => Err(Failure::new(
            Kind::ContractNotFound,
            format!("GitHub has no {repo}#{number}, or this token may not see it"),
        )
        .next("check the number and the repository; for a private one give a token that may read its issues")),
    }
}

async fn anonymously(client: &Client, repo: &RepoName, number: u64) -> Result<Numbered, Failure> {
    let found = client.get(&format!("/repos/{repo}/issues/{number}")).await?;
    let issue: RestIssue = read(found)?;
    if issue.pull_request.is_some() {
        return Ok(Numbered::PullRequest);
    }
    let at = issue.repository_url.rsplit("/repos/").next().unwrap_or_default();
    let repo = RepoName::parse(at).map_err(|why| unusable(&why))?;
    let author = match issue.user {
        None => Person::Deleted,
        Some(user) if user.login == "ghost" => Person::Deleted,
        Some(user) => match user.kind.as_str() {
            "User" if !user.login.ends_with("[bot]") => Person::User(user.login),
            "User" | "Bot" => Person::Bot(user.login),
            _ => Person::Other(user.login),
        },
    };
    Ok(Numbered::Issue(Box::new(IssueDocument {
        repo,
        number: issue.number,
        url: issue.html_url,
        body: issue.body.unwrap_or_default(),
        author,
        association: issue.author_association,
        via_app: issue.performed_via_github_app.map(|app| app.name.unwrap_or_else(|| "an app".to_owned())),
        history: History::Unknown("GitHub shows the history of edits only to a token".to_owned()),
    })))
}

pub(super) fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, Failure> {
    serde_json::from_value(value).map_err(|error| unusable(&error.to_string()))
}

fn unusable(why: &str) -> Failure {
    Failure::new(Kind::GithubAnswer, "GitHub's answer cannot be used").detail("reason", why).next("run it again later")
}

#[derive(Deserialize)]
struct RestIssue {
    number: u64,
    html_url: String,
    repository_url: String,
    body: Option<String>,
    user: Option<RestUser>,
    author_association: Option<String>,
    pull_request: Option<Value>,
    performed_via_github_app: Option<RestApp>,
}

#[derive(Deserialize)]
struct RestUser {
    login: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Deserialize)]
struct RestApp {
    name: Option<String>,
}

/// An issue in an answer of GraphQL.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct IssueNode {
    pub(super) number: u64,
    url: String,
    body: String,
    last_edited_at: Option<String>,
    author_association: String,
    author: Option<Actor>,
    pub(super) repository: RepositoryName,
    user_content_edits: Option<Edits>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RepositoryName {
    pub(super) name_with_owner: String,
}

#[derive(Deserialize)]
struct Actor {
    #[serde(rename = "__typename")]
    kind: String,
    login: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Edits {
    page_info: PageInfo,
    nodes: Option<Vec<Option<EditNode>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    has_next_page: bool,
    end_cursor: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct EditNode {
    edited_at: String,
    deleted_at: Option<String>,
    editor: Option<Actor>,
}

impl IssueNode {
    /// Turns the answer into a document, reading further pages of edits where there are any.
    pub(super) async fn into_document(self, client: &Client) -> Result<IssueDocument, Failure> {
        let repo = RepoName::parse(&self.repository.name_with_owner).map_err(|why| unusable(&why))?;
        let history =
            history(client, &repo, self.number, self.user_content_edits, self.last_edited_at.as_deref()).await?;
        Ok(IssueDocument {
            repo,
            number: self.number,
            url: self.url,
            body: self.body,
            author: person(self.author),
            association: Some(self.author_association),
            via_app: None,
            history,
        })
    }
}

/// Reads every page. A connection that is null is not an empty list; a history that does not reach the
/// last edit is not complete.
async fn history(
    client: &Client,
    repo: &RepoName,
    number: u64,
    first: Option<Edits>,
    last_edited: Option<&str>,
) -> Result<History, Failure> {
    let mut edits = Vec::new();
    let mut page = first;
    for _ in 0..MOST_PAGES {
        let Some(current) = page else {
            return Ok(History::Unknown("GitHub does not show the history of edits to this token".to_owned()));
        };
        let Some(nodes) = current.nodes else {
            return Ok(History::Unknown("GitHub left the history of edits out".to_owned()));
        };
        for node in nodes {
            let Some(node) = node else {
                return Ok(History::Unknown("GitHub left an edit out of the history".to_owned()));
            };
            edits.push(Edit { editor: person(node.editor), at: node.edited_at, redacted: node.deleted_at.is_some() });
        }
        if !current.page_info.has_next_page {
            let reaches = last_edited.is_none_or(|last| edits.iter().any(|edit| edit.at.as_str() >= last));
            return Ok(if reaches {
                History::Complete(edits)
            } else {
                History::Unknown("the history of edits does not hold the last edit".to_owned())
            });
        }
        let Some(cursor) = current.page_info.end_cursor else { break };
        let found = ask(client, repo, number, Some(&cursor)).await?;
        page = read::<IssueNode>(found)?.user_content_edits;
    }
    Ok(History::Unknown("the history of edits is longer than was read".to_owned()))
}

fn person(actor: Option<Actor>) -> Person {
    match actor {
        None => Person::Deleted,
        Some(actor) if actor.kind == "Bot" || actor.login.ends_with("[bot]") => Person::Bot(actor.login),
        Some(actor) if actor.kind == "User" && actor.login == "ghost" => Person::Deleted,
        Some(actor) if matches!(actor.kind.as_str(), "User" | "EnterpriseUserAccount") => Person::User(actor.login),
        Some(actor) => Person::Other(actor.login),
    }
}
