//! The only room that opens a network connection. Asks GitHub's interfaces and returns plain documents;
//! knows nothing of contracts, trust or verdicts. A runtime lives only while a question is asked.

mod answer;
mod client;
mod connect;
mod host;
mod issue;
mod pull;

pub use connect::Proxies;
pub use host::{Api, Lookup, Token};
pub use issue::{IssueDocument, Numbered};
pub use pull::{Linked, PullDocument};

use crate::error::{Failure, Kind};
use crate::facts::{Permission, RepoName};
use client::Client;
use serde_json::Value;
use std::time::Duration;

/// How long links that are not there yet are waited for.
const PAUSES: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(5)];

/// One GitHub server and how to ask it.
#[derive(Debug, Clone)]
pub struct GitHub {
    /// The server.
    pub api: Api,
    /// The token that is meant for it.
    pub token: Option<Token>,
    /// The proxies of the environment.
    pub proxies: Proxies,
    /// How long one request may take, connecting and reading included.
    pub request_time: Duration,
    /// How long to wait altogether for a rate limit to be lifted.
    pub max_wait: Duration,
    /// Called before every wait, so that people learn why nothing happens.
    pub on_wait: fn(Duration),
}

impl GitHub {
    /// Fetches what stands at a number.
    ///
    /// # Errors
    /// Returns why it could not be fetched, and what to do.
    pub fn numbered(&self, repo: &RepoName, number: u64) -> Result<Numbered, Failure> {
        self.run(async |client| issue::fetch(&client, repo, number).await)
    }

    /// Fetches a pull request and the issues that it closes. GitHub makes its links a moment after a text was
    /// saved, so one that is not `is_settled` is fetched again, within `max_wait`.
    ///
    /// # Errors
    /// Returns why it could not be fetched, and what to do.
    pub fn pull(
        &self,
        repo: &RepoName,
        number: u64,
        is_settled: impl Fn(&PullDocument) -> bool,
    ) -> Result<PullDocument, Failure> {
        self.run(async |client| {
            let mut waited = Duration::ZERO;
            let mut pauses = PAUSES.iter();
            loop {
                let pull = pull::fetch(&client, repo, number).await?;
                let pause = pauses.next().filter(|pause| waited + **pause <= self.max_wait);
                match pause {
                    Some(pause) if !is_settled(&pull) => {
                        (self.on_wait)(*pause);
                        tokio::time::sleep(*pause).await;
                        waited += *pause;
                    }
                    _ => return Ok(pull),
                }
            }
        })
    }

    /// Asks for an account's permission on a repository. GitHub answers this only to a token with push
    /// access in practice; a refusal is an unknown permission, which is never enough.
    ///
    /// # Errors
    /// Returns why GitHub could not be asked at all.
    pub fn permission(&self, repo: &RepoName, login: &str) -> Result<Permission, Failure> {
        let is_plain =
            !login.is_empty() && login.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if !is_plain {
            return Ok(Permission::Unknown("its name is not an account's".to_owned()));
        }
        let answer =
            self.run(async |client| client.get(&format!("/repos/{repo}/collaborators/{login}/permission")).await);
        match answer {
            Ok(answer) => Ok(match answer["permission"].as_str() {
                Some(level) => Permission::Level(level.to_owned()),
                None => Permission::Unknown("GitHub's answer names no permission".to_owned()),
            }),
            Err(failure) if matches!(failure.kind, Kind::TokenRefused | Kind::ContractNotFound) => {
                Ok(Permission::Unknown("this token may not read permissions".to_owned()))
            }
            Err(failure) => Err(failure),
        }
    }

    /// Runs one question in a runtime of its own, which is gone before anything else is started.
    fn run<T>(&self, question: impl AsyncFnOnce(Client) -> Result<T, Failure>) -> Result<T, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|error| Failure::new(Kind::ProcessFailed, format!("no connection can be opened: {error}")))?;
        runtime.block_on(async {
            let client = Client::new(self)?;
            question(client).await
        })
    }
}

/// Reads where a webhook's payload points: it is a pointer only, everything else is asked live.
///
/// # Errors
/// Returns what is missing from the payload.
pub fn pull_of_event(event_name: &str, payload: &Value) -> Result<EventPull, Failure> {
    let wrong = |what: &str| {
        Failure::new(Kind::Usage, format!("the event `{event_name}` names no pull request: {what}"))
            .next("name the contract: --issue N or --pr N")
    };
    let text = |pointer: &str| {
        payload.pointer(pointer).and_then(Value::as_str).ok_or_else(|| wrong(&format!("it has no {pointer}")))
    };
    let repo = RepoName::parse(text("/repository/full_name")?).map_err(|why| wrong(&why))?;
    match event_name {
        "pull_request" | "pull_request_target" => Ok(EventPull {
            repo,
            number: payload
                .pointer("/pull_request/number")
                .and_then(Value::as_u64)
                .ok_or_else(|| wrong("it has no number"))?,
            head: text("/pull_request/head/sha")?.to_owned(),
            base: text("/pull_request/base/sha")?.to_owned(),
        }),
        "merge_group" => {
            let queued = text("/merge_group/head_ref")?;
            let number = queued
                .rsplit('/')
                .next()
                .and_then(|last| last.strip_prefix("pr-"))
                .and_then(|rest| rest.split_once('-'));
            let (number, _) =
                number.filter(|(_, hash)| hash.len() >= 40).ok_or_else(|| wrong("its branch has another form"))?;
            Ok(EventPull {
                repo,
                number: number.parse().map_err(|_| wrong("its branch holds no number"))?,
                head: text("/merge_group/head_sha")?.to_owned(),
                base: text("/merge_group/base_sha")?.to_owned(),
            })
        }
        _ => Err(wrong("only pull_request, pull_request_target and merge_group do")),
    }
}

/// Where an event points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPull {
    /// The repository that the pull request goes to.
    pub repo: RepoName,
    /// Its number.
    pub number: u64,
    /// The commit that is proposed.
    pub head: String,
    /// The commit that it is proposed for.
    pub base: String,
}
