//! The contract of an issue on GitHub: which one is meant, whether it counts, and what to tell when not.

use super::check::Ended;
use super::source::{self, Text};
use super::world::World;
use super::{event, progress};
use crate::cli::{ForgeArgs, SourceArgs};
use crate::contract::{self, Reading};
use crate::error::{Detail, Failure, Kind};
use crate::facts::RepoName;
use crate::github::{Api, EventPull, GitHub, IssueDocument, Proxies, Token};
use crate::report::{Command, ContractInfo, Report, Unchecked, UncheckedReason, Verbosity};
use crate::settings::Environment;
use crate::source::reference::{RefKind, Reference, is_host};
use crate::source::trust::TrustRule;
use crate::source::{Forge, PullIssues, Standing, label};
use std::time::Duration;

/// A server that says nothing for this long will not answer.
const REQUEST_TIME: Duration = Duration::from_secs(20);

/// Without `--max-wait`, a rate limit is waited for this long: 60 seconds.
const DEFAULT_MAX_WAIT: u64 = 60;

/// The original tool's rule.
const TRUSTED: [&str; 3] = ["OWNER", "MEMBER", "COLLABORATOR"];

/// Gets the contract's text from GitHub, or `None` when the command line names another source. `event` is
/// the pull request that GitHub Actions runs for, used when no source is named at all.
pub(super) fn text(args: &SourceArgs, world: &World<'_>, command: Command) -> Result<Option<Text>, Ended> {
    let forge = &args.forge;
    let environment = &world.settings().environment;
    // An event that cannot be read is an error only where it is the only thing that names a contract.
    let is_named = forge.issue.is_some() || forge.pr.is_some() || args.contract.is_some();
    let event = if is_named { world.event().ok().flatten() } else { world.event()? };
    let target = match (&forge.issue, &forge.pr) {
        (Some(issue), _) => Target::named(issue, RefKind::Issue)?,
        (None, Some(pull)) => Target::named(pull, RefKind::Pull)?,
        (None, None) if args.contract.is_some() || event.is_none() => {
            without_source(forge)?;
            return match event::without_pull(environment) {
                Some(name) if args.contract.is_none() => Err(source::none_named(command)
                    .detail("event", format!("{name}, which has no pull request"))
                    .into()),
                _ => Ok(None),
            };
        }
        (None, None) => Target { reference: None, kind: RefKind::Pull },
    };
    let asked = Asked::new(forge, &target, event, world)?;
    let rule = rule(forge);
    let forge = Forge { github: &asked.github, rule: &rule, require_edit_history: forge.require_edit_history };
    match target.kind {
        RefKind::Issue => {
            let issue = forge.issue(&asked.repo, asked.number)?;
            // Nobody has to be trusted with a text that holds no contract.
            if matches!(contract::read(issue.body.as_bytes()), Reading::Absent) {
                return Ok(Some(Text { info: info(&issue, Vec::new(), Vec::new()), bytes: issue.body.into_bytes() }));
            }
            counted(&forge, issue, None, Vec::new(), args, command).map(Some)
        }
        RefKind::Pull => {
            let found = forge.pull(&asked.repo, asked.number)?;
            let notes = check_head(&found, event, world, command)?;
            of_pull(&forge, found, notes, args, environment, command).map(Some)
        }
    }
}

/// What the command line names.
struct Target {
    reference: Option<Reference>,
    kind: RefKind,
}

impl Target {
    fn named(text: &str, kind: RefKind) -> Result<Self, Failure> {
        let reference = Reference::parse(text).map_err(|why| {
            Failure::new(Kind::Usage, why).next("write 12, owner/repo#12 or https://github.com/owner/repo/issues/12")
        })?;
        match (reference.kind, kind) {
            (Some(RefKind::Pull), RefKind::Issue) => Err(Failure::new(
                Kind::Usage,
                format!("`{text}` is a pull request, whose own text is never a contract"),
            )
            .next(format!("for the issue that it closes: --pr {text}"))),
            (Some(RefKind::Issue), RefKind::Pull) => {
                Err(Failure::new(Kind::Usage, format!("`{text}` is an issue"))
                    .next(format!("name it so: --issue {text}")))
            }
            _ => Ok(Self { reference: Some(reference), kind }),
        }
    }
}

/// Which server is asked for which number of which repository.
struct Asked {
    github: GitHub,
    repo: RepoName,
    number: u64,
}

impl Asked {
    fn new(args: &ForgeArgs, target: &Target, event: Option<&EventPull>, world: &World<'_>) -> Result<Self, Failure> {
        let environment = &world.settings().environment;
        let lookup = |name: &str| environment.get(name).map(|value| value.to_string_lossy().into_owned());
        let (mut host, repo, number) = match (&target.reference, event) {
            (Some(reference), _) => {
                let (host, repo) = match &reference.repo {
                    Some(repo) => (reference.host.clone(), repo.clone()),
                    None => repository(args, world, &lookup)?,
                };
                (host, repo, reference.number)
            }
            (None, Some(event)) => (None, event.repo.clone(), event.number),
            (None, None) => return Err(Failure::new(Kind::NoContractNamed, "no contract was named")),
        };
        // An address names its host; the environment's host is what the rest means.
        if host.as_deref() == Some("github.com") && lookup("GH_HOST").is_none() && lookup("GITHUB_SERVER_URL").is_none()
        {
            host = None;
        }
        let api = Api::choose(host.as_deref(), &lookup)?;
        let token = Token::for_host(&api, &lookup);
        let proxies = Proxies::of_environment(&lookup);
        let max_wait = Duration::from_secs(args.max_wait.unwrap_or(DEFAULT_MAX_WAIT));
        let is_quiet = world.settings().output.verbosity == Verbosity::Quiet;
        let on_wait = if is_quiet { |_| {} } else { progress::waiting_for_github };
        Ok(Self { github: GitHub { api, token, proxies, request_time: REQUEST_TIME, max_wait, on_wait }, repo, number })
    }
}

/// Finds the repository of a bare number: `--repo`, `GH_REPO`, `GITHUB_REPOSITORY`, then the git remote.
fn repository(
    args: &ForgeArgs,
    world: &World<'_>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Result<(Option<String>, RepoName), Failure> {
    let named = [
        ("--repo", args.repo.clone()),
        ("GH_REPO", lookup("GH_REPO")),
        ("GITHUB_REPOSITORY", lookup("GITHUB_REPOSITORY")),
    ];
    if let Some((whence, text)) = named.into_iter().find_map(|(whence, text)| Some((whence, text?))) {
        let (host, name) = match text.split_once('/') {
            Some((host, rest)) if rest.contains('/') && is_host(host) => {
                (Some(host.to_ascii_lowercase()), rest.to_owned())
            }
            _ => (None, text),
        };
        return RepoName::parse(&name)
            .map(|repo| (host, repo))
            .map_err(|why| Failure::new(Kind::Usage, format!("{whence}: {why}")));
    }
    let remotes = world.repository()?.remotes()?;
    remotes.iter().find_map(|remote| repository_of(&remote.url)).ok_or_else(|| {
        Failure::new(Kind::Usage, "no git remote leads to a repository on GitHub, so a bare number means nothing")
            .next("name the repository: --repo owner/name, or the issue as owner/name#12")
    })
}

/// Reads host and repository out of the URL of a git remote.
fn repository_of(url: &str) -> Option<(Option<String>, RepoName)> {
    let (host, path) = match url.split_once("://") {
        Some(("https" | "http" | "ssh" | "git", rest)) => {
            let (authority, path) = rest.split_once('/')?;
            let host = authority.rsplit('@').next()?;
            (host.split(':').next()?, path)
        }
        Some(_) => return None,
        None => {
            let (authority, path) = url.split_once(':')?;
            (authority.rsplit('@').next()?, path)
        }
    };
    let path = path.trim_matches('/');
    let repo = RepoName::parse(path.strip_suffix(".git").unwrap_or(path)).ok()?;
    // GitHub answers SSH on port 443 under this name.
    let host = if host == "ssh.github.com" { "github.com" } else { host };
    (is_host(host) && host.contains('.')).then(|| (Some(host.to_ascii_lowercase()), repo))
}

fn rule(args: &ForgeArgs) -> TrustRule {
    let associations = if args.trust_associations.is_empty() {
        TRUSTED.map(str::to_owned).to_vec()
    } else {
        args.trust_associations.iter().map(|text| text.trim().to_ascii_uppercase()).collect()
    };
    TrustRule { associations, users: args.trust_user.clone(), write_permission: args.trust_permission.is_some() }
}

/// A flag that speaks of GitHub does nothing for a file, and must not seem to.
fn without_source(args: &ForgeArgs) -> Result<(), Ended> {
    let set = [
        ("--repo", args.repo.is_some()),
        ("--trust-associations", !args.trust_associations.is_empty()),
        ("--trust-user", !args.trust_user.is_empty()),
        ("--trust-permission", args.trust_permission.is_some()),
        ("--require-edit-history", args.require_edit_history),
        ("--max-wait", args.max_wait.is_some()),
    ];
    match set.iter().find(|(_, is_set)| *is_set) {
        Some((flag, _)) => {
            Err(Failure::new(Kind::Usage, format!("{flag} speaks of a contract on GitHub: it needs --issue or --pr"))
                .next(format!("name one of them, or leave out {flag}"))
                .into())
        }
        None => Ok(()),
    }
}

/// What is judged has to be what the pull request proposes: for its event that is an error, else it is told.
fn check_head(
    found: &PullIssues,
    event: Option<&EventPull>,
    world: &World<'_>,
    command: Command,
) -> Result<Vec<String>, Failure> {
    if command != Command::Check {
        return Ok(Vec::new());
    }
    let pull = &found.pull;
    let Some(event) = event.filter(|event| event.number == pull.number && event.repo.is_same(&pull.repo)) else {
        // Where there is no change, whoever needs one will say so.
        let head = world.change().ok().map(|change| change.head.commit.as_str());
        let short = |commit: &str| commit.get(..7).unwrap_or(commit).to_owned();
        let note = head.filter(|head| *head != pull.head_commit).map(|head| {
            format!(
                "{} is judged, and {}#{} proposes {}",
                short(head),
                pull.repo,
                pull.number,
                short(&pull.head_commit)
            )
        });
        return Ok(note.into_iter().collect());
    };
    let head = &world.change()?.head;
    if head.commit == event.head {
        return Ok(Vec::new());
    }
    Err(Failure::new(Kind::WrongCheckout, "the checkout is not at the head of the pull request")
        .detail("checked out", head.commit.clone())
        .detail("proposed", event.head.clone())
        .next("check out the head: actions/checkout with ref: ${{ github.event.pull_request.head.sha }} and fetch-depth: 0"))
}

fn of_pull(
    forge: &Forge<'_>,
    found: PullIssues,
    mut notes: Vec<String>,
    args: &SourceArgs,
    environment: &Environment,
    command: Command,
) -> Result<Text, Ended> {
    let holds = |text: &str| !matches!(contract::read(text.as_bytes()), Reading::Absent);
    if holds(&found.pull.body) {
        notes.push("the pull request's own text holds an acceptance block, which is never a contract".to_owned());
    }
    let (mut with, without): (Vec<_>, Vec<_>) = found.issues.into_iter().partition(|issue| holds(&issue.body));
    if with.len() > 1 {
        let named: Vec<String> = with.iter().map(label).collect();
        return Err(Failure::new(
            Kind::ContractAmbiguous,
            "more than one issue that the pull request closes holds a contract",
        )
        .detail("issues", named.join(", "))
        .next(format!("name the one that is meant: --issue {}", named.join(" or --issue ")))
        .into());
    }
    if let Some(issue) = with.pop() {
        if found.by_hand.contains(&issue.number) {
            notes.push(format!("{} was linked by hand, not by the pull request's text", label(&issue)));
        }
        return counted(forge, issue, Some(&found.pull.created_at), notes, args, command);
    }
    if args.expect_digest.is_some() {
        let message = format!(
            "no issue that {}#{} closes holds a contract, and one was expected",
            found.pull.repo, found.pull.number
        );
        return Err(Failure::new(Kind::DigestDiffers, message).into());
    }
    let detail = |label: &str, text: String| Detail { label: label.to_owned(), text };
    let mut details: Vec<Detail> = without
        .iter()
        .map(|issue| detail("read", format!("{}  closed by this pull request, no acceptance block", label(issue))))
        .collect();
    details.extend(found.left_out.iter().map(|left| detail("left out", format!("{}  {}", left.name, left.why))));
    details.push(detail("not read", "pull request text  never a place for a contract".to_owned()));
    details.extend(notes.into_iter().map(|note| detail("note", note)));
    if forge.github.token.is_none() && environment.get("GITHUB_ACTIONS").is_some() {
        details.push(detail("note", "no token was given, so GitHub's own links were not asked for".to_owned()));
    }
    let mut next: Vec<String> = found.left_out.into_iter().map(|left| left.next).collect();
    if next.is_empty() {
        if without.is_empty() {
            next.push("name the issue in the pull request's description: Fixes #N".to_owned());
        }
        next.push("a maintainer adds an acceptance block to that issue, before the work starts".to_owned());
    }
    let unchecked = Unchecked { reason: UncheckedReason::NoContract, details, next };
    Err(Ended::Early(Box::new(Report::unchecked(command, unchecked))))
}

/// Takes an issue's text when its author counts.
fn counted(
    forge: &Forge<'_>,
    issue: IssueDocument,
    opened_at: Option<&str>,
    more_notes: Vec<String>,
    args: &SourceArgs,
    command: Command,
) -> Result<Text, Ended> {
    let is_pinned = || match contract::read(issue.body.as_bytes()) {
        Reading::Valid(contract) => args.expect_digest.as_ref() == Some(&contract.digest),
        Reading::Absent | Reading::Invalid(_) => false,
    };
    let standing = match forge.standing(&issue, opened_at) {
        // Whoever edited it: it is word for word what the operator expects.
        Err(failure) if failure.kind == Kind::ContractEdited && is_pinned() => Standing::Trusted {
            remarks: vec!["edited, and pinned".to_owned()],
            notes: vec![format!("{}; but it is the contract that --expect-digest names", failure.message)],
        },
        standing => standing?,
    };
    match standing {
        Standing::Trusted { remarks, mut notes } => {
            notes.extend(more_notes);
            Ok(Text { info: info(&issue, remarks, notes), bytes: issue.body.into_bytes() })
        }
        Standing::NotTrusted { details, next } => {
            let details = details.into_iter().map(|(label, text)| Detail { label: label.to_owned(), text }).collect();
            let unchecked = Unchecked { reason: UncheckedReason::AuthorNotTrusted, details, next };
            let mut report = Report::unchecked(command, unchecked);
            report.contract = Some(info(&issue, Vec::new(), more_notes));
            Err(Ended::Early(Box::new(report)))
        }
    }
}

fn info(issue: &IssueDocument, remarks: Vec<String>, notes: Vec<String>) -> ContractInfo {
    ContractInfo {
        source: label(issue),
        author: Some(issue.author.name().to_owned()),
        association: issue.association.clone(),
        digest: None,
        remarks,
        notes,
    }
}

#[cfg(test)]
mod tests {
    use super::repository_of;

    #[test]
    fn remotes_lead_to_their_repository() {
        for (url, expected) in [
            ("https://github.com/octo/app.git", Some("github.com octo/app")),
            ("https://user:password@github.com/octo/app", Some("github.com octo/app")),
            ("git@github.com:octo/app.git", Some("github.com octo/app")),
            ("ssh://git@ssh.github.com:443/octo/app.git", Some("github.com octo/app")),
            ("git@git.example.com:octo/app.js.git", Some("git.example.com octo/app.js")),
            ("../local", None),
            ("/srv/git/app.git", None),
            ("file:///srv/git/octo/app.git", None),
            ("https://github.com/octo", None),
            ("C:\\repos\\app", None),
            ("ext::sh -c evil", None),
        ] {
            let found = repository_of(url).map(|(host, repo)| format!("{} {repo}", host.unwrap_or_default()));
            assert_eq!(found.as_deref(), expected, "{url}");
        }
    }
}
