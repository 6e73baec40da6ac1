//! Which server is asked, and with which token. Pure: the environment is given by the caller.

use crate::error::{Failure, Kind};
use std::fmt;

/// A GitHub host and the addresses of its two interfaces, without a slash at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Api {
    /// The host that people see: `github.com`.
    pub host: String,
    /// The base of REST: `https://api.github.com`.
    pub rest: String,
    /// The address of GraphQL: `https://api.github.com/graphql`.
    pub graphql: String,
}

/// A token and the name of the variable that it came from. Its value is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Token {
    pub(super) value: String,
    /// The variable's name: `GH_TOKEN`.
    pub variable: &'static str,
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Token from {}", self.variable)
    }
}

/// Looks a variable up; an empty one counts as unset.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Option<String>;

impl Api {
    /// Chooses the server. `named` is the host of an address on the command line, which is believed only
    /// for where to ask, never for what to send there: see [`Token::for_host`].
    ///
    /// Rules: github.com has its interfaces at `api.github.com`, a data residency host `x.ghe.com` at
    /// `api.x.ghe.com`, any other host below `/api/v3` and at `/api/graphql` (not below `v3`).
    ///
    /// # Errors
    /// Returns a usage failure when a variable holds no address.
    pub fn choose(named: Option<&str>, lookup: Lookup<'_>) -> Result<Self, Failure> {
        let server = lookup("GITHUB_SERVER_URL").as_deref().map(host_of).transpose()?;
        let named_here = lookup("GH_HOST");
        if let Some(host) = &named_here {
            host_of(&format!("https://{host}"))?;
        }
        let configured = named_here.or(server);
        let host = named.map(str::to_owned).or_else(|| configured.clone()).unwrap_or_else(|| "github.com".to_owned());
        let host = host.to_ascii_lowercase();
        let mut api = Self::of_host(&host);
        // The variables belong to the host that the environment is set up for, not to any that is named.
        let is_configured =
            configured.map_or(host == "github.com", |configured| configured.eq_ignore_ascii_case(&host));
        if is_configured {
            if let Some(rest) = lookup("GITHUB_API_URL") {
                host_of(&rest)?;
                rest.trim_end_matches('/').clone_into(&mut api.rest);
                api.graphql = graphql_beside(&api.rest);
            }
            if let Some(graphql) = lookup("GITHUB_GRAPHQL_URL") {
                host_of(&graphql)?;
                graphql.trim_end_matches('/').clone_into(&mut api.graphql);
            }
        }
        Ok(api)
    }

    fn of_host(host: &str) -> Self {
        let rest = if is_cloud(host) { format!("https://api.{host}") } else { format!("https://{host}/api/v3") };
        Self { host: host.to_owned(), graphql: graphql_beside(&rest), rest }
    }
}

impl Token {
    /// Takes the token that is meant for a host, in gh's own order: `GH_TOKEN`, `GITHUB_TOKEN` for
    /// github.com and data residency hosts; `GH_ENTERPRISE_TOKEN`, `GITHUB_ENTERPRISE_TOKEN` for the host
    /// that the environment is set up for. An address on the command line gets no token by naming itself.
    pub fn for_host(api: &Api, lookup: Lookup<'_>) -> Option<Self> {
        let configured = lookup("GH_HOST").or_else(|| lookup("GITHUB_SERVER_URL").and_then(|url| host_of(&url).ok()));
        let is_configured = configured.is_some_and(|configured| configured.eq_ignore_ascii_case(&api.host));
        let variables: &[&'static str] = match (is_cloud(&api.host), is_configured) {
            (true, _) => &["GH_TOKEN", "GITHUB_TOKEN"],
            // GitHub Actions on a server of one's own hands its token out as GITHUB_TOKEN.
            (false, true) => &["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", "GITHUB_TOKEN"],
            (false, false) => &[],
        };
        let found = variables.iter().find_map(|variable| {
            let value = lookup(variable)?.trim().to_owned();
            (!value.is_empty()).then_some((value, *variable))
        });
        found.map(|(value, variable)| Self { value, variable })
    }
}

fn is_cloud(host: &str) -> bool {
    host == "github.com" || host.strip_suffix(".ghe.com").is_some_and(|name| !name.is_empty() && !name.contains('.'))
}

fn graphql_beside(rest: &str) -> String {
    format!("{}/graphql", rest.strip_suffix("/v3").unwrap_or(rest))
}

/// Returns the host of an address, with its port where one is named. Plain http is allowed on this machine alone, for a proxy or a test.
fn host_of(address: &str) -> Result<String, Failure> {
    let told = |message: String| {
        Failure::new(Kind::Usage, message).next(
            "look at GITHUB_API_URL, GITHUB_GRAPHQL_URL, GITHUB_SERVER_URL and GH_HOST; a token goes into GH_TOKEN",
        )
    };
    let wrong = |why: &str| told(format!("`{address}` is not an address to ask GitHub at: {why}"));
    if address.contains('@') {
        // What stands before it may be a password, so the address is not shown.
        return Err(told("an address to ask GitHub at holds a user name, which is not sent".to_owned()));
    }
    let uri: http::Uri = address.parse().map_err(|_| wrong("it cannot be read"))?;
    let host = uri.host().ok_or_else(|| wrong("it has no host"))?;
    let is_local = matches!(host, "localhost" | "127.0.0.1" | "[::1]");
    match uri.scheme_str() {
        Some("https") => {}
        Some("http") if is_local => {}
        _ => return Err(wrong("it is not https")),
    }
    Ok(uri.authority().map_or(host, http::uri::Authority::as_str).to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::{Api, Token};

    fn chosen(named: Option<&str>, variables: &[(&str, &str)]) -> String {
        let lookup =
            |name: &str| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned());
        let api = Api::choose(named, &lookup).expect("a server");
        let token = Token::for_host(&api, &lookup).map_or("-", |token| token.variable);
        format!("{} {} {token}", api.rest, api.graphql)
    }

    #[test]
    fn servers_and_tokens_belong_together() {
        for (named, variables, expected) in [
            (None, &[][..], "https://api.github.com https://api.github.com/graphql -"),
            (None, &[("GITHUB_TOKEN", "t")], "https://api.github.com https://api.github.com/graphql GITHUB_TOKEN"),
            (
                None,
                &[("GITHUB_TOKEN", "t"), ("GH_TOKEN", "u")],
                "https://api.github.com https://api.github.com/graphql GH_TOKEN",
            ),
            (
                Some("octo.ghe.com"),
                &[("GH_TOKEN", "t")],
                "https://api.octo.ghe.com https://api.octo.ghe.com/graphql GH_TOKEN",
            ),
            (
                Some("git.example.com"),
                &[("GH_TOKEN", "t"), ("GH_ENTERPRISE_TOKEN", "e")],
                "https://git.example.com/api/v3 https://git.example.com/api/graphql -",
            ),
            (
                Some("git.example.com"),
                &[("GH_HOST", "git.example.com"), ("GH_TOKEN", "t"), ("GH_ENTERPRISE_TOKEN", "e")],
                "https://git.example.com/api/v3 https://git.example.com/api/graphql GH_ENTERPRISE_TOKEN",
            ),
            (
                None,
                &[("GITHUB_SERVER_URL", "https://git.example.com:8443"), ("GITHUB_TOKEN", "t")],
                "https://git.example.com:8443/api/v3 https://git.example.com:8443/api/graphql GITHUB_TOKEN",
            ),
            (
                Some("git.example.com"),
                &[("GH_HOST", "git.example.com:8443"), ("GH_ENTERPRISE_TOKEN", "e")],
                "https://git.example.com/api/v3 https://git.example.com/api/graphql -",
            ),
            (
                Some("evil.ghe.com.example"),
                &[("GH_TOKEN", "t")],
                "https://evil.ghe.com.example/api/v3 https://evil.ghe.com.example/api/graphql -",
            ),
            (Some("x.y.ghe.com"), &[("GH_TOKEN", "t")], "https://x.y.ghe.com/api/v3 https://x.y.ghe.com/api/graphql -"),
            (
                None,
                &[("GH_TOKEN", " \n"), ("GITHUB_TOKEN", "t")],
                "https://api.github.com https://api.github.com/graphql GITHUB_TOKEN",
            ),
            (
                None,
                &[("GITHUB_API_URL", "http://127.0.0.1:99/api/v3/")],
                "http://127.0.0.1:99/api/v3 http://127.0.0.1:99/api/graphql -",
            ),
            (
                Some("evil.example"),
                &[("GITHUB_API_URL", "https://api.github.com"), ("GITHUB_TOKEN", "t")],
                "https://evil.example/api/v3 https://evil.example/api/graphql -",
            ),
        ] {
            assert_eq!(chosen(named, variables), expected, "{named:?} {variables:?}");
        }
    }

    #[test]
    fn addresses_that_would_leak_a_token_are_refused() {
        for address in
            ["http://api.github.com", "ftp://x", "nonsense", "https://user:secret@api.github.com", "secret@", ""]
        {
            let lookup = |name: &str| (name == "GITHUB_API_URL").then(|| address.to_owned());
            let failure = Api::choose(None, &lookup).expect_err(address);
            assert!(!format!("{failure:?}").contains("secret"), "{failure:?}");
            let lookup = |name: &str| (name == "GH_HOST").then(|| format!("a b/{address}"));
            assert!(Api::choose(None, &lookup).is_err(), "GH_HOST={address} was taken");
        }
    }

    #[test]
    fn a_token_is_never_shown() {
        let token = Token { value: "secret".to_owned(), variable: "GH_TOKEN" };
        assert_eq!(format!("{token:?}"), "Token from GH_TOKEN");
    }
}
