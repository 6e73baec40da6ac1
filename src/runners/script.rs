//! What stands behind a package script, for whoever wrote `npm test` where a test runner's command is wanted.
//! Knows nothing of where the manifest came from; what it finds is advice, and nothing is run from it.

use super::{command, recognise};
use serde_json::Value;

/// The label of a refusal because a launcher hides which runner is run.
pub const HIDES_RUNNER: &str = "hides the runner";

/// A script that only starts another one is followed so far.
const DEEPEST: usize = 5;

/// What stands behind a command that runs a package script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// The script's text.
    pub script: String,
    /// The test runner's own command in it, where there is one that can be observed.
    pub command: Option<Vec<String>>,
}

/// Looks a command's script up in the text of a `package.json`.
pub fn behind(words: &[String], manifest: &str) -> Option<Behind> {
    let manifest: Value = serde_json::from_str(manifest.trim_start_matches('\u{feff}')).ok()?;
    let (name, more) = script_of(words)?;
    let script = text_of(&manifest, &name)?;
    let mut command = runner_in(script, &manifest, DEEPEST);
    if let Some(command) = &mut command {
        let with_more: Vec<String> = command.iter().cloned().chain(more).collect();
        if recognise(&with_more).is_ok() {
            *command = with_more;
        }
    }
    Some(Behind { script: script.to_owned(), command })
}

fn text_of<'a>(manifest: &'a Value, name: &str) -> Option<&'a str> {
    manifest.get("scripts")?.get(name)?.as_str()
}

/// Returns the name of the script that a command runs, and what it passes on.
fn script_of(words: &[String]) -> Option<(String, Vec<String>)> {
    let (program, rest) = words.split_first()?;
    let rest: Vec<&str> = rest.iter().map(String::as_str).skip_while(|word| word.starts_with('-')).collect();
    let (first, after) = rest.split_first()?;
    let (name, after) = match (program.as_str(), *first) {
        ("npm" | "pnpm" | "yarn" | "bun", "run" | "run-script") => {
            let (name, after) = after.split_first()?;
            (*name, after)
        }
        ("npm" | "pnpm", "t" | "tst") => ("test", after),
        ("npm", "test" | "start") | ("pnpm" | "yarn" | "yarnpkg", _) => (*first, after),
        _ => return None,
    };
    let passed_on = match after.iter().position(|word| *word == "--") {
        Some(at) => &after[at + 1..],
        None if program == "npm" => &[],
        None => after,
    };
    Some((name.to_owned(), passed_on.iter().map(|&word| word.to_owned()).collect()))
}

/// Finds the first command of a script that is a test runner's.
fn runner_in(script: &str, manifest: &Value, deepest: usize) -> Option<Vec<String>> {
    script.split("&&").find_map(|part| {
        let words = command::words(part).ok()?;
        if let Ok((runner, _)) = recognise(&words) {
            let is_of_npm =
                matches!(runner.name(), "vitest" | "jest" | "mocha" | "playwright") && words[0] == runner.name();
            return Some(is_of_npm.then(|| "npx".to_owned()).into_iter().chain(words).collect());
        }
        let (name, _) = script_of(&words).filter(|_| deepest > 0)?;
        runner_in(text_of(manifest, &name)?, manifest, deepest - 1)
    })
}

#[cfg(test)]
mod tests {
    use super::behind;

    const MANIFEST: &str = r#"{"scripts": {"test": "tsc --noEmit && vitest run --coverage", "unit": "npm run inner", "inner": "jest",
        "odd": "NODE_ENV=x ./run.sh", "again": "npm run again", "node": "node --test", "watch": "vitest --watch"}}"#;

    /// An empty text stands for a script without a runner that can be observed, `-` for no script.
    fn check(command: &str, expected: &str) {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let found = match behind(&words, MANIFEST) {
            Some(behind) => behind.command.unwrap_or_default().join(" "),
            None => "-".to_owned(),
        };
        assert_eq!(found, expected, "{command}");
    }

    #[test]
    fn the_runner_behind_a_script_is_found() {
        check("npm test", "npx vitest run --coverage");
        check("npm t -- a.test.ts", "npx vitest run --coverage a.test.ts");
        check("npm test a.test.ts", "npx vitest run --coverage");
        check("pnpm test", "npx vitest run --coverage");
        check("yarn unit", "npx jest");
        check("yarn run unit -t x", "npx jest -t x");
        check("npm run node", "node --test");
        check("npm run odd", "");
        check("npm run again", "");
        check("npm run watch", "");
        check("npm run none", "-");
        check("npm", "-");
        check("make test", "-");
    }

    #[test]
    fn what_is_no_manifest_has_nothing_behind_it() {
        let words = ["npm".to_owned(), "test".to_owned()];
        for text in ["", "[]", "{\"scripts\": []}", "{\"scripts\": {\"test\": 1}}"] {
            assert_eq!(behind(&words, text), None, "{text}");
        }
    }
}
