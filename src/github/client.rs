//! Requests: bounded in time and size, tried again where that helps, never followed to another host.

use super::GitHub;
use super::answer::{Answer, refusal, wait_before_retry};
use super::connect::{Connector, ProxyFailed};
use super::host::{Api, Token};
use crate::error::{Failure, Kind};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderValue, LOCATION, USER_AGENT};
use http::{Method, Request, Uri};
use http_body_util::{BodyExt as _, Limited};
use hyper_util::client::legacy::Client as HttpClient;
use hyper_util::rt::TokioExecutor;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use serde_json::Value;
use std::error::Error as _;
use std::time::Duration;

/// An issue's text has at most 262,144 bytes; a page of edits stays well under this many.
const LARGEST_ANSWER: usize = 8 << 20;

/// A moved issue or repository is followed this often, on the same host.
const MOST_REDIRECTS: usize = 3;

/// Asks one GitHub server.
pub(super) struct Client {
    octocrab: Octocrab,
    pub(super) api: Api,
    token: Option<Token>,
    request_time: Duration,
    max_wait: Duration,
    on_wait: fn(Duration),
}

impl Client {
    /// Makes a client. Has to be called inside a runtime: octocrab starts a task at once.
    pub(super) fn new(github: &GitHub) -> Result<Self, Failure> {
        let connector = Connector::new(&github.proxies, &github.api)?;
        let tls = hyper_rustls::HttpsConnectorBuilder::new().with_native_roots().map_err(|error| {
            Failure::new(Kind::Network, "the system's certificates could not be read")
                .detail("reason", error.to_string())
                .next("name a bundle of certificates: export SSL_CERT_FILE=/path/to/bundle.pem")
        })?;
        let connector = tls.https_or_http().enable_http1().wrap_connector(connector);
        let service = HttpClient::builder(TokioExecutor::new()).build::<_, OctoBody>(connector);
        let Ok(octocrab) = OctocrabBuilder::new_empty().with_service(service).with_auth(AuthState::None).build();
        let GitHub { api, token, proxies: _, request_time, max_wait, on_wait } = github.clone();
        Ok(Self { octocrab, api, token, request_time, max_wait, on_wait })
    }

    pub(super) fn has_token(&self) -> bool {
        self.token.is_some()
    }

    /// Gets a path of the REST interface, below its base.
    pub(super) async fn get(&self, path: &str) -> Result<Value, Failure> {
        let mut address = format!("{}{path}", self.api.rest);
        for _ in 0..=MOST_REDIRECTS {
            let answer = self.ask(&Method::GET, &address, None).await?;
            match (answer.status, answer.header(LOCATION.as_str())) {
                (200, _) => return answer.json(),
                (301 | 302 | 307 | 308, Some(location)) => address = same_host(&address, location)?,
                _ => return Err(refusal(&answer, self.token.as_ref())),
            }
        }
        Err(Failure::new(Kind::GithubAnswer, "GitHub leads from one address to the next").detail("last", address))
    }

    /// Asks GraphQL and returns `data`. Any error in the answer, also beside data, is a failure.
    pub(super) async fn graphql(&self, query: &str, variables: Value) -> Result<Value, Failure> {
        let body = serde_json::json!({ "query": query, "variables": variables }).to_string();
        let answer = self.ask(&Method::POST, &self.api.graphql, Some(body)).await?;
        if answer.status != 200 {
            return Err(refusal(&answer, self.token.as_ref()));
        }
        let mut whole = answer.json()?;
        if let Some(errors) = whole.get("errors").filter(|errors| !errors.is_null()) {
            return Err(super::answer::graphql_refusal(errors, &answer, self.token.as_ref()));
        }
        match whole.get_mut("data").map(Value::take) {
            Some(data) if data.is_object() => Ok(data),
            _ => Err(answer.unusable("it holds no data")),
        }
    }

    async fn ask(&self, method: &Method, address: &str, body: Option<String>) -> Result<Answer, Failure> {
        let mut waited = Duration::ZERO;
        let mut attempt = 0;
        loop {
            let answer = self.ask_once(method, address, body.clone()).await?;
            let wait = wait_before_retry(&answer, attempt).filter(|wait| waited + *wait <= self.max_wait);
            let Some(wait) = wait else { return Ok(answer) };
            if answer.status < 500 {
                (self.on_wait)(wait);
            }
            tokio::time::sleep(wait).await;
            waited += wait;
            attempt += 1;
        }
    }

    async fn ask_once(&self, method: &Method, address: &str, body: Option<String>) -> Result<Answer, Failure> {
        let request = self.request(method, address, body)?;
        let asked = format!("{method} {address}");
        let whole = async {
            let response = self.octocrab.execute(request).await.map_err(|error| self.unreachable(&asked, &error))?;
            let (parts, body) = response.into_parts();
            let body = Limited::new(body, LARGEST_ANSWER).collect().await.map_err(|error| {
                Failure::new(Kind::GithubAnswer, "GitHub's answer could not be read to its end")
                    .detail("request", asked.clone())
                    .detail("reason", error.to_string())
                    .next("run it again; if it stays so, look at what stands between this machine and GitHub")
            })?;
            Ok(Answer {
                asked: asked.clone(),
                status: parts.status.as_u16(),
                headers: parts.headers,
                body: body.to_bytes().to_vec(),
            })
        };
        tokio::time::timeout(self.request_time, whole).await.unwrap_or_else(|_| {
            Err(Failure::new(Kind::Network, "GitHub did not answer in time")
                .detail("request", asked.clone())
                .detail("waited", format!("{} s", self.request_time.as_secs_f64()))
                .next("run it again; behind a proxy, export HTTPS_PROXY"))
        })
    }

    fn request(&self, method: &Method, address: &str, body: Option<String>) -> Result<Request<OctoBody>, Failure> {
        let bug =
            |error: &dyn std::fmt::Display| Failure::new(Kind::Bug, format!("a request could not be made: {error}"));
        let mut request = Request::builder()
            .method(method)
            .uri(address)
            .header(ACCEPT, "application/vnd.github+json")
            .header("X-GitHub-Api-Version", "2022-11-28")
            .header(USER_AGENT, concat!("agent-acceptance/", env!("CARGO_PKG_VERSION")));
        if let Some(token) = &self.token {
            let value = HeaderValue::from_str(&format!("Bearer {}", token.value));
            let mut value = value.map_err(|_| {
                Failure::new(Kind::Usage, format!("the token in {} holds characters that no token has", token.variable))
                    .next("set the variable to the token alone, without spaces or line ends")
            })?;
            value.set_sensitive(true);
            request = request.header(AUTHORIZATION, value);
        }
        let body = match body {
            Some(text) => {
                request = request.header(CONTENT_TYPE, "application/json");
                OctoBody::from(text)
            }
            None => OctoBody::from(()),
        };
        request.body(body).map_err(|error| bug(&error))
    }

    /// Says why there was no answer, and what may help: it is rarely GitHub itself.
    fn unreachable(&self, asked: &str, error: &octocrab::Error) -> Failure {
        let mut reasons = Vec::new();
        let mut proxy = None;
        let mut cause = error.source();
        while let Some(inner) = cause {
            proxy = proxy.or_else(|| inner.downcast_ref::<ProxyFailed>().map(|failed| failed.variable));
            let text = inner.to_string();
            // The client's own words for where in itself it was tell people nothing.
            if !text.starts_with("client error (") && !reasons.contains(&text) {
                reasons.push(text);
            }
            cause = inner.source();
        }
        let reason = if reasons.is_empty() { error.to_string() } else { reasons.join(": ") };
        let told = |message: &str| {
            Failure::new(Kind::Network, message).detail("request", asked).detail("reason", reason.clone())
        };
        match proxy {
            Some(variable) if reason.contains("authorization required") => {
                told("the proxy wants a user and a password, or other ones")
                    .next(format!("give them in its address: {variable}=http://user:password@host:port"))
            }
            Some(variable) => told("GitHub could not be reached through the proxy")
                .next(format!("check the proxy in {variable}, or ask without it: export NO_PROXY={}", self.api.host)),
            None if reason.contains("invalid peer certificate") => {
                told("the certificate of the server that answered is not trusted here, so nothing was sent to it")
                    .next("behind a proxy that opens connections, name its certificate: export SSL_CERT_FILE=/path/to/bundle.pem")
            }
            None => told("GitHub could not be reached").next(
                "check the connection; behind a proxy export HTTPS_PROXY, with a certificate of its own export SSL_CERT_FILE",
            ),
        }
    }
}

/// Resolves a redirect. A token must not be carried to a host that it was not meant for.
fn same_host(from: &str, location: &str) -> Result<String, Failure> {
    let parsed = |text: &str| text.parse::<Uri>().ok();
    let (old, new) = (parsed(from), parsed(location));
    let elsewhere = || {
        Failure::new(Kind::GithubAnswer, "GitHub leads to an address on another host, which was not followed")
            .detail("from", from)
            .detail("to", location)
    };
    let (Some(old), Some(new)) = (old, new) else { return Err(elsewhere()) };
    match (new.scheme(), new.authority()) {
        (None, None) if location.starts_with('/') && !location.starts_with("//") => {
            let base = from.find("://").and_then(|at| from[at + 3..].find('/').map(|slash| &from[..at + 3 + slash]));
            Ok(format!("{}{location}", base.unwrap_or(from)))
        }
        (Some(scheme), Some(authority)) if Some(scheme) == old.scheme() && Some(authority) == old.authority() => {
            Ok(location.to_owned())
        }
        _ => Err(elsewhere()),
    }
}

#[cfg(test)]
mod tests {
    use super::same_host;

    #[test]
    fn redirects_stay_on_the_host() {
        let from = "https://api.github.com/repos/o/r/issues/1";
        for (location, expected) in [
            ("https://api.github.com/repositories/7/issues/1", Some("https://api.github.com/repositories/7/issues/1")),
            ("/repositories/7/issues/1", Some("https://api.github.com/repositories/7/issues/1")),
            ("https://evil.example/repos/o/r/issues/1", None),
            ("http://api.github.com/repos/o/r/issues/1", None),
            ("//evil.example/x", None),
            ("https://api.github.com@evil.example/x", None),
            ("nonsense", None),
        ] {
            assert_eq!(same_host(from, location).ok().as_deref(), expected, "{location}");
        }
    }
}
