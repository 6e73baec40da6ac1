//! The event that GitHub Actions runs for. Its payload is believed for where it points and nothing else.

use crate::error::{Failure, Kind};
use crate::github::{EventPull, pull_of_event};
use crate::settings::Environment;
use std::fs::File;
use std::io::Read as _;

/// A payload of GitHub has at most 25 MiB; a larger file is not one.
const LARGEST_PAYLOAD: u64 = 25 << 20;

/// The events that have a pull request.
const OF_PULLS: [&str; 3] = ["pull_request", "pull_request_target", "merge_group"];

fn name(environment: &Environment) -> Option<String> {
    let get = |name: &str| environment.get(name).map(|value| value.to_string_lossy().into_owned());
    get("GITHUB_ACTIONS").filter(|value| value == "true").and_then(|_| get("GITHUB_EVENT_NAME"))
}

/// Returns the name of an event that has no pull request.
pub(super) fn without_pull(environment: &Environment) -> Option<String> {
    name(environment).filter(|name| !OF_PULLS.contains(&name.as_str()))
}

/// Reads the event of GitHub Actions that this run is for, when it names a pull request.
pub(super) fn event(environment: &Environment) -> Result<Option<EventPull>, Failure> {
    let Some(name) = name(environment).filter(|name| OF_PULLS.contains(&name.as_str())) else { return Ok(None) };
    let unreadable = |why: String| {
        Failure::new(Kind::Usage, format!("the event of this workflow run could not be read: {why}"))
            .next("name the contract: --issue N or --pr N")
    };
    let path =
        environment.get("GITHUB_EVENT_PATH").ok_or_else(|| unreadable("GITHUB_EVENT_PATH is not set".to_owned()))?;
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(LARGEST_PAYLOAD + 1).read_to_end(&mut bytes));
    read.map_err(|error| unreadable(error.to_string()))?;
    if bytes.len() as u64 > LARGEST_PAYLOAD {
        return Err(unreadable("it is larger than any payload of GitHub".to_owned()));
    }
    let payload = serde_json::from_slice(&bytes).map_err(|error| unreadable(error.to_string()))?;
    pull_of_event(&name, &payload).map(Some)
}
