//! A commit's name as people write it: a ref or a hash, then `~N` and `^N`. Knows nothing of which refs
//! there are.

use crate::error::{Failure, Kind};

/// A name, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// What stands before the steps.
    pub(super) stem: Stem,
    /// The steps back in history, in order.
    pub(super) steps: Vec<Step>,
}

/// What a name begins with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Stem {
    /// `HEAD` or `@`.
    Head,
    /// A full hash, in lower case.
    Hash(String),
    /// What can be a ref, and an abbreviated hash too where it is made of enough hexadecimal digits.
    Ref(String),
}

/// One step back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// `~N`: the first parent, N times.
    Ancestor(u32),
    /// `^N`: the parent with that number; 0 is the commit itself.
    Parent(u32),
}

impl Name {
    /// Takes a name apart; `digits` is how many digits a full hash has.
    pub(super) fn parse(text: &str, digits: usize) -> Result<Self, Failure> {
        if text.is_empty() {
            return Err(Failure::new(Kind::Usage, "the name of a commit is empty")
                .next("name a branch, a tag or a commit: `--base origin/main`"));
        }
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (stem, rest) = text.split_at(end);
        let steps = parse_steps(rest).ok_or_else(|| no_name(text, "only `~N` and `^N` may follow a name"))?;
        let is_hex = stem.bytes().all(|byte| byte.is_ascii_hexdigit());
        let stem = match stem {
            "HEAD" | "@" => Stem::Head,
            _ if is_hex && stem.len() == digits => Stem::Hash(stem.to_ascii_lowercase()),
            _ => {
                if let Some(why) = fault_of_ref(stem) {
                    return Err(no_name(text, why));
                }
                Stem::Ref(stem.to_owned())
            }
        };
        Ok(Self { stem, steps })
    }

    /// Returns the full names of the refs that it can mean, where it can be a ref.
    pub(super) fn refs(&self) -> Option<Vec<String>> {
        match &self.stem {
            Stem::Ref(name) => Some(candidates(name)),
            Stem::Head | Stem::Hash(_) => None,
        }
    }
}

/// The refs that a short name can mean, in git's order. A full name means itself alone.
pub(super) fn candidates(name: &str) -> Vec<String> {
    if name.starts_with("refs/") {
        return vec![name.to_owned()];
    }
    ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"]
        .iter()
        .map(|prefix| format!("{prefix}{name}"))
        .chain([format!("refs/remotes/{name}/HEAD")])
        .collect()
}

/// Returns whether a name can be the beginning of a hash; git asks for four digits.
pub(super) fn is_abbreviated_hash(name: &str, digits: usize) -> bool {
    (4..digits).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn no_name(text: &str, why: &str) -> Failure {
    Failure::new(Kind::RefUnknown, format!("`{text}` is not the name of a commit"))
        .detail("why", why)
        .next("name a branch, a tag or a commit's hash, with `~N` or `^N` where needed")
}

fn parse_steps(text: &str) -> Option<Vec<Step>> {
    let mut steps = Vec::new();
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        rest = &rest[1..];
        if let Some(after) = rest.strip_prefix("{commit}").or_else(|| rest.strip_prefix("{}")).filter(|_| sign == '^') {
            rest = after;
            continue;
        }
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let number = if end == 0 { 1 } else { rest[..end].parse().ok()? };
        steps.push(match sign {
            '~' => Step::Ancestor(number),
            '^' => Step::Parent(number),
            _ => return None,
        });
        rest = &rest[end..];
    }
    Some(steps)
}

/// Returns why no ref can have this name, by the rules of `git check-ref-format`.
fn fault_of_ref(name: &str) -> Option<&'static str> {
    let has_bad = name.chars().any(|c| c <= ' ' || c == '\x7f' || "~^:?*[\\".contains(c));
    let is_bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.strip_suffix(".lock").is_some();
    let has_bad_part = name.split('/').any(is_bad_part);
    if name.contains("@{") {
        Some("`@{...}` depends on this computer's own log")
    } else if has_bad || has_bad_part || name.contains("..") || name.ends_with('.') || name == "@" {
        Some("no branch or tag can be named so")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: Option<(Stem, &[Step])>) {
        let want = want.map(|(stem, steps)| Name { stem, steps: steps.to_vec() });
        assert_eq!(Name::parse(text, 40).ok(), want, "{text}");
    }

    #[test]
    fn names_are_taken_apart() {
        let named = |name: &str| Stem::Ref(name.to_owned());
        check("main", Some((named("main"), &[])));
        check("HEAD~2^2^", Some((Stem::Head, &[Step::Ancestor(2), Step::Parent(2), Step::Parent(1)])));
        check("@~", Some((Stem::Head, &[Step::Ancestor(1)])));
        check("v1^{commit}^{}~0", Some((named("v1"), &[Step::Ancestor(0)])));
        check("--output=x", Some((named("--output=x"), &[])));
        check("-", Some((named("-"), &[])));
        check("abc1234", Some((named("abc1234"), &[])));
        check("größe/naïve", Some((named("größe/naïve"), &[])));
        let hash = "CE013625030ba8dba906f756967f9e9ca394464a";
        check(hash, Some((Stem::Hash(hash.to_ascii_lowercase()), &[])));
    }

    #[test]
    fn what_cannot_be_a_name_is_told() {
        for text in [
            "",
            "a..b",
            "a b",
            "a\nb",
            "m*",
            "refs/heads/[a]",
            "HEAD:file",
            ":/text",
            "main@{1}",
            "@{u}",
            "a/",
            "/a",
            "a//b",
            ".a",
            "a/.b",
            "a.lock",
            "a.",
            "main~x",
            "main^{tree}",
            "main~99999999999",
            "a\\b",
            "~1",
            "^main",
            "a\0b",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn a_full_name_means_itself_alone() {
        assert_eq!(candidates("refs/heads/main"), ["refs/heads/main"]);
        assert!(candidates("origin/main").contains(&"refs/heads/origin/main".to_owned()));
    }
}
