//! Names the command that stands behind a package script, as the merge base has it, where a contract says `npm test`.
//! Advice alone: what cannot be found out changes nothing.

use super::world::World;
use crate::contract::PlacedProblem;
use crate::facts::RepoPath;
use crate::git::PathContent;
use crate::runners::script::{self, HIDES_RUNNER};

/// A manifest larger than this is nobody's, in bytes.
const LARGEST: u64 = 4 << 20;

/// A longer script is cut when it is shown, in characters.
const LONGEST: usize = 200;

/// Adds to the help of each problem that says that a launcher hides the runner. `shown` is the text that spans point into.
pub(super) fn name(problems: &mut [PlacedProblem], shown: &str, world: &World<'_>) {
    // Which manifest is meant depends on the folder, and this problem does not tell the clause's.
    if !problems.iter().any(|problem| problem.label == HIDES_RUNNER) || shown.contains("\"cwd\"") {
        return;
    }
    let Some(manifest) = manifest(world) else { return };
    for problem in problems.iter_mut().filter(|problem| problem.label == HIDES_RUNNER) {
        let Some(words) = shown.get(problem.span.clone()).and_then(words) else { continue };
        let Some(behind) = script::behind(&words, &manifest) else { continue };
        problem.help = Some(if let Some(command) = behind.command {
            format!("write `{}`, which stands behind it in package.json at the merge base", command.join(" "))
        } else {
            let text: String = behind.script.chars().take(LONGEST).collect();
            format!("at the merge base `{text}` stands behind it; write the test runner's own command")
        });
    }
}

/// Reads the words of a command as a contract writes it: a string or a list of strings.
fn words(json: &str) -> Option<Vec<String>> {
    match serde_json::from_str(json).ok()? {
        serde_json::Value::String(text) => Some(text.split_whitespace().map(str::to_owned).collect()),
        serde_json::Value::Array(words) => words.iter().map(|word| Some(word.as_str()?.to_owned())).collect(),
        _ => None,
    }
}

fn manifest(world: &World<'_>) -> Option<String> {
    let (repository, change) = (world.repository().ok()?, world.change().ok()?);
    match repository.read_path(&change.merge_base, &RepoPath::from("package.json"), LARGEST).ok()? {
        PathContent::File { bytes, .. } => String::from_utf8(bytes).ok(),
        _ => None,
    }
}
