//! How people name an issue or a pull request: `12`, `#12`, `owner/repo#12`, or its address.

use crate::facts::RepoName;

/// An issue or pull request as it was named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The host of an address, lower case; `None` when only a number or `owner/repo#N` was given.
    pub host: Option<String>,
    /// The repository; `None` for a bare number.
    pub repo: Option<RepoName>,
    /// The number, 1 or more.
    pub number: u64,
    /// What the address says that it is.
    pub kind: Option<RefKind>,
}

/// What an address leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefKind {
    /// `/issues/12`
    Issue,
    /// `/pull/12`
    Pull,
}

impl Reference {
    /// Reads a reference.
    ///
    /// # Errors
    /// Returns what is wrong, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Some((scheme, rest)) = text.split_once("://") {
            return if scheme.eq_ignore_ascii_case("https") {
                Self::parse_address(text, rest)
            } else {
                Err(format!("`{text}` is not an https address"))
            };
        }
        if let Some((repo, number)) = text.split_once('#').filter(|(repo, _)| !repo.is_empty()) {
            return Ok(Self {
                host: None,
                repo: Some(RepoName::parse(repo)?),
                number: parse_number(number)?,
                kind: None,
            });
        }
        let number = parse_number(text.strip_prefix('#').unwrap_or(text))?;
        Ok(Self { host: None, repo: None, number, kind: None })
    }

    fn parse_address(text: &str, rest: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not the address of an issue or a pull request");
        let rest = rest.split(['?', '#']).next().unwrap_or(rest).trim_end_matches('/');
        let parts: Vec<&str> = rest.split('/').collect();
        let [host, owner, name, kind, number] = parts[..] else { return Err(wrong()) };
        let kind = match kind {
            "issues" => RefKind::Issue,
            "pull" => RefKind::Pull,
            _ => return Err(wrong()),
        };
        if !is_host(host) {
            return Err(wrong());
        }
        let repo = RepoName::parse(&format!("{owner}/{name}")).map_err(|_| wrong())?;
        Ok(Self {
            host: Some(host.to_ascii_lowercase()),
            repo: Some(repo),
            number: parse_number(number)?,
            kind: Some(kind),
        })
    }
}

/// Numbers that GitHub gives fit 31 bits; anything longer is a slip or a trap.
fn parse_number(text: &str) -> Result<u64, String> {
    let plain = !text.is_empty() && text.len() <= 10 && text.bytes().all(|byte| byte.is_ascii_digit());
    let number: Option<u64> =
        text.parse().ok().filter(|number| plain && (1..=u64::from(u32::MAX >> 1)).contains(number));
    number.ok_or_else(|| format!("`{text}` is not the number of an issue or a pull request"))
}

/// A host name, with a port where a server of one's own has one. No user name can hide in it.
pub(crate) fn is_host(text: &str) -> bool {
    let (name, port) = text.split_once(':').unwrap_or((text, "443"));
    let label = |label: &str| {
        !label.is_empty()
            && !label.starts_with('-')
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    port.parse::<u16>().is_ok() && name.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::{RefKind, Reference};

    fn told(text: &str) -> String {
        match Reference::parse(text) {
            Ok(reference) => {
                let repo = reference.repo.map_or_else(|| "-".to_owned(), |repo| repo.to_string());
                let kind = match reference.kind {
                    Some(RefKind::Issue) => " issue",
                    Some(RefKind::Pull) => " pull",
                    None => "",
                };
                format!("{} {repo} {}{kind}", reference.host.as_deref().unwrap_or("-"), reference.number)
            }
            Err(_) => "wrong".to_owned(),
        }
    }

    #[test]
    fn each_way_to_name_an_issue_is_understood() {
        for (text, expected) in [
            ("12", "- - 12"),
            ("#12", "- - 12"),
            ("octo/app#12", "- octo/app 12"),
            ("https://github.com/octo/app/issues/12", "github.com octo/app 12 issue"),
            ("https://GitHub.com/octo/app.js/pull/12/", "github.com octo/app.js 12 pull"),
            ("https://github.com/octo/app/issues/12#issuecomment-1", "github.com octo/app 12 issue"),
            ("https://git.example.com:8443/o/r/issues/1?x=y", "git.example.com:8443 o/r 1 issue"),
        ] {
            assert_eq!(told(text), expected, "{text}");
        }
    }

    #[test]
    fn what_names_no_issue_is_refused() {
        for text in [
            "",
            "0",
            "-1",
            "1.5",
            "99999999999999999999",
            "2147483648",
            "octo#12",
            "octo/app",
            "octo/app#",
            "octo/app/x#1",
            "../x#1",
            "http://github.com/octo/app/issues/12",
            "https://github.com/octo/app/discussions/12",
            "https://user@github.com/o/r/issues/1",
            "https://github.com/octo/app/issues",
            "file:///etc/passwd",
            "o r/a#1",
            "octo/..#1",
            "１２",
        ] {
            assert_eq!(told(text), "wrong", "{text:?}");
        }
    }
}
