//! What GitHub's answers mean: when to try again, and what to tell people when it refuses.

use super::host::Token;
use crate::error::{Failure, Kind};
use http::HeaderMap;
use serde_json::Value;
use std::time::Duration;

/// A server error is tried again this often.
const MOST_RETRIES: u32 = 2;

/// GitHub asks for this pause after a secondary limit that names none.
const SECONDARY_PAUSE: Duration = Duration::from_secs(60);

/// A workflow that names some permissions has none of the others.
const PERMISSIONS: &str = "in GitHub Actions: permissions: { contents: read, issues: read, pull-requests: read }";

/// An answer, whole.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) asked: String,
    pub(super) status: u16,
    pub(super) headers: HeaderMap,
    pub(super) body: Vec<u8>,
}

impl Answer {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    pub(super) fn json(&self) -> Result<Value, Failure> {
        serde_json::from_slice(&self.body).map_err(|error| self.unusable(&format!("it is not JSON: {error}")))
    }

    pub(super) fn unusable(&self, why: &str) -> Failure {
        Failure::new(Kind::GithubAnswer, "GitHub's answer cannot be used")
            .detail("request", self.asked.clone())
            .detail("answer", format!("{}, {why}", self.status))
            .next("run it again; if it stays so, look at what stands between this machine and GitHub")
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.header(name)?.trim().parse().ok()
    }

    /// Seconds until the limit is lifted, by the server's own clock: this machine's may be wrong.
    fn until_reset(&self) -> Option<Duration> {
        let reset = i64::try_from(self.number("x-ratelimit-reset")?).ok()?;
        let now = jiff::fmt::rfc2822::parse(self.header("date")?).ok()?.timestamp().as_second();
        Some(Duration::from_secs(u64::try_from(reset.saturating_sub(now)).unwrap_or(0).saturating_add(1)))
    }

    fn is_limited(&self) -> bool {
        match self.status {
            429 => true,
            403 => {
                let says_so = String::from_utf8_lossy(&self.body).to_ascii_lowercase().contains("rate limit");
                self.number("x-ratelimit-remaining") == Some(0) || self.header("retry-after").is_some() || says_so
            }
            _ => false,
        }
    }
}

/// Returns how long to wait before the same request is sent again, or `None` when that would not help.
pub(super) fn wait_before_retry(answer: &Answer, attempt: u32) -> Option<Duration> {
    if answer.is_limited() {
        let named = answer.number("retry-after").map(Duration::from_secs);
        return if answer.number("x-ratelimit-remaining") == Some(0) {
            named.or_else(|| answer.until_reset())
        } else {
            Some(named.unwrap_or(SECONDARY_PAUSE))
        };
    }
    let is_passing = matches!(answer.status, 500 | 502 | 503 | 504) && attempt < MOST_RETRIES;
    is_passing.then(|| Duration::from_millis(500 << attempt))
}

/// Says why an answer that is not 200 is a refusal, and what to do.
pub(super) fn refusal(answer: &Answer, token: Option<&Token>) -> Failure {
    if answer.is_limited() {
        return limited(answer, token);
    }
    let whose =
        token.map_or_else(|| "no token was sent".to_owned(), |token| format!("with the token in {}", token.variable));
    let told = |kind, message: &str| {
        Failure::new(kind, message)
            .detail("request", answer.asked.clone())
            .detail("answer", format!("{}, {whose}", answer.status))
    };
    match answer.status {
        401 => told(Kind::TokenRefused, "GitHub does not know this token")
            .next("give a token that is valid; gh auth token prints one"),
        403 => {
            let failure = told(Kind::TokenRefused, "GitHub refused the request");
            let failure = match answer.header("x-github-sso") {
                Some(_) => failure.next("the organization wants single sign-on: authorize the token for it"),
                None => failure,
            };
            failure.next("give a token that may read issues and pull requests of this repository").next(PERMISSIONS)
        }
        404 => told(Kind::ContractNotFound, "GitHub has no such issue or repository, or this token may not see it")
            .next("check the number and the repository; for a private one give a token that may read its issues"),
        410 => told(Kind::ContractNotFound, "the issue was deleted, or issues are switched off in this repository")
            .next("name another issue, or give the contract as a file"),
        500..=599 => told(Kind::GithubAnswer, "GitHub has a problem of its own").next("run it again later"),
        _ => told(Kind::GithubAnswer, "GitHub gave an answer that is not expected here").next("run it again later"),
    }
}

fn limited(answer: &Answer, token: Option<&Token>) -> Failure {
    let left = match (answer.number("x-ratelimit-remaining"), answer.number("x-ratelimit-limit")) {
        (Some(remaining), Some(limit)) => format!("{remaining} of {limit} requests left"),
        _ => "too many requests at once".to_owned(),
    };
    let whose = match token {
        Some(token) => format!("for the token in {}", token.variable),
        None => "no token was sent".to_owned(),
    };
    let failure = Failure::new(Kind::RateLimited, "GitHub refused the request: rate limit used up")
        .detail("request", answer.asked.clone())
        .detail("answer", format!("{}, {left}, {whose}", answer.status));
    let until = answer
        .number("x-ratelimit-reset")
        .and_then(|at| i64::try_from(at).ok())
        .and_then(|at| jiff::Timestamp::from_second(at).ok());
    let wait = answer.number("retry-after").map(Duration::from_secs).or_else(|| answer.until_reset());
    let failure = match wait {
        Some(wait) => {
            let at = until.map(|until| format!("{}, ", until.strftime("%H:%M:%S UTC"))).unwrap_or_default();
            let minutes = wait.as_secs().div_ceil(60);
            let told = format!("{at}in {minutes} min, which is longer than --max-wait, so this did not wait");
            failure.detail("until", told)
        }
        None => failure,
    };
    let failure = if token.is_none() {
        failure.next("give a token, which raises the limit: export GH_TOKEN=$(gh auth token)")
    } else {
        failure
    };
    match (until, wait) {
        (Some(until), _) => failure.next(format!("run it again after {}", until.strftime("%H:%M UTC"))),
        (None, Some(wait)) => failure.next(format!("run it again in {} min", wait.as_secs().div_ceil(60))),
        (None, None) => failure.next("run it again later"),
    }
}

/// GraphQL tells its errors with status 200, sometimes beside data that is not whole.
pub(super) fn graphql_refusal(errors: &Value, answer: &Answer, token: Option<&Token>) -> Failure {
    let first = errors.get(0).unwrap_or(errors);
    let text = |key: &str| first[key].as_str().unwrap_or("").to_owned();
    let (kind, message) = match text("type").as_str() {
        "NOT_FOUND" => (Kind::ContractNotFound, "GitHub has no such issue or repository, or this token may not see it"),
        "RATE_LIMITED" => return limited(answer, token),
        "FORBIDDEN" | "INSUFFICIENT_SCOPES" => (Kind::TokenRefused, "this token may not read what is needed"),
        _ => (Kind::GithubAnswer, "GitHub could not answer the question"),
    };
    let variable = token.map_or("no token", |token| token.variable);
    let failure =
        Failure::new(kind, message).detail("request", answer.asked.clone()).detail("answer", text("message")).next(
            format!(
                "check the number and the repository; the token in {variable} must be able to read its issues and pull requests"
            ),
        );
    if kind == Kind::TokenRefused { failure.next(PERMISSIONS) } else { failure }
}

#[cfg(test)]
mod tests {
    use super::{Answer, refusal, wait_before_retry};
    use crate::error::Kind;
    use http::HeaderMap;

    const DATE: (&str, &str) = ("date", "Mon, 30 Nov 2026 12:00:00 GMT");

    fn answer(status: u16, headers: &[(&'static str, &'static str)], body: &str) -> Answer {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect();
        Answer { asked: "GET x".to_owned(), status, headers, body: body.as_bytes().to_vec() }
    }

    #[test]
    fn only_what_passes_is_tried_again() {
        let reset = ("x-ratelimit-reset", "1796040030");
        for (answer, attempt, seconds) in [
            (answer(502, &[], "<html>"), 0, Some(0.5)),
            (answer(502, &[], "<html>"), 2, None),
            (answer(404, &[], ""), 0, None),
            (answer(401, &[], ""), 0, None),
            (answer(403, &[], "no"), 0, None),
            (answer(429, &[], ""), 0, Some(60.0)),
            (answer(429, &[("retry-after", "7")], ""), 0, Some(7.0)),
            (answer(403, &[("x-ratelimit-remaining", "0"), reset, DATE], ""), 0, Some(31.0)),
            (answer(403, &[("x-ratelimit-remaining", "0"), reset], ""), 0, None),
            (answer(403, &[], "You have exceeded a secondary rate limit"), 0, Some(60.0)),
        ] {
            let wait = wait_before_retry(&answer, attempt).map(|wait| wait.as_secs_f64());
            assert_eq!(wait, seconds, "{} {:?}", answer.status, answer.headers);
        }
    }

    #[test]
    fn each_refusal_has_its_kind() {
        for (status, headers, kind) in [
            (401, &[][..], Kind::TokenRefused),
            (403, &[], Kind::TokenRefused),
            (403, &[("x-ratelimit-remaining", "0")], Kind::RateLimited),
            (404, &[], Kind::ContractNotFound),
            (410, &[], Kind::ContractNotFound),
            (429, &[], Kind::RateLimited),
            (502, &[], Kind::GithubAnswer),
            (418, &[], Kind::GithubAnswer),
        ] {
            let failure = refusal(&answer(status, headers, ""), None);
            assert_eq!(failure.kind, kind, "{status}");
            assert!(!failure.next.is_empty(), "{status} says what to do");
        }
    }
}
