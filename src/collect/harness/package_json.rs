//! Which parts of a `package.json` decide how tests run.
//! Knows nothing of other files or of who may change them.

use super::part::{Part, differing_keys, few, lookup};
use serde_json::Value;

/// Keys that decide how code is loaded or which programs run, whatever the runner.
const ALWAYS: [(&str, &str); 10] = [
    ("type", "it decides how every file of the folder is loaded"),
    ("imports", "it decides which files `#` imports load"),
    ("browser", "it replaces modules by others"),
    ("packageManager", "it decides which package manager runs"),
    ("volta", "it decides which node runs"),
    ("workspaces", "it decides which packages belong to the run"),
    ("directories", "it can add programs that launchers prefer"),
    ("babel", "it configures how test code is transformed"),
    ("swc", "it configures how test code is transformed"),
    ("postcss", "its plugins run in the test runner's own process"),
];

/// Of these, the ones that speak only of files of the manifest's own folder.
const OF_ITS_FOLDER: [&str; 4] = ["type", "imports", "browser", "directories"];

const DEPENDENCIES: [&str; 5] =
    ["dependencies", "devDependencies", "optionalDependencies", "peerDependencies", "bundleDependencies"];

/// Where package managers replace packages of packages.
const REPLACEMENTS: [&str; 7] = [
    "overrides",
    "resolutions",
    "pnpm.overrides",
    "pnpm.patchedDependencies",
    "patchedDependencies",
    "dependenciesMeta",
    "pnpm.packageExtensions",
];

/// What is known of the run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About<'a> {
    /// The runner's name.
    pub(crate) runner: &'a str,
    /// The runner's own sections.
    pub(crate) parts: &'a [&'a str],
    /// The words of the command, launchers included.
    pub(crate) command: &'a [String],
    /// How files of the folder are loaded where the manifest is not there: as the next folder above says. For the
    /// merge base and for head.
    pub(crate) inherited: [&'a str; 2],
    /// Whether the merge base has nothing in the manifest's folder, so that its own settings touch new files only.
    pub(crate) is_new_folder: bool,
}

/// Compares two versions, `None` where there is none.
pub(crate) fn compare(base: Option<&str>, head: Option<&str>, about: &About<'_>) -> Vec<Part> {
    let is_there = [base.is_some(), head.is_some()];
    let (Some(base), Some(head)) = (parse(base), parse(head)) else {
        return vec![Part::unreadable("JSON")];
    };
    let types = [&base, &head].map(type_of);
    let loaded = |side: usize| if is_there[side] { types[side] } else { about.inherited[side] };
    let mut parts = Vec::new();
    for (key, why) in ALWAYS {
        let skipped = about.is_new_folder && OF_ITS_FOLDER.contains(&key);
        let differs = if key == "type" { loaded(0) != loaded(1) } else { base.get(key) != head.get(key) };
        if !skipped && differs {
            parts.push(Part::fault(key, why));
        }
    }
    for key in about.parts.iter().filter(|key| !is_known(key)) {
        if lookup(&base, key) != lookup(&head, key) {
            parts.push(Part::fault(*key, format!("it configures {}", about.runner)));
        }
    }
    if programs(&base, about.command) != programs(&head, about.command) {
        parts.push(Part::fault("bin", "launchers prefer it to the installed program of that name"));
    }
    compare_dependencies(&base, &head, about, &mut parts);
    parts
}

fn is_known(key: &str) -> bool {
    ALWAYS.iter().any(|(known, _)| *known == key)
        || DEPENDENCIES.contains(&key)
        || REPLACEMENTS.contains(&key)
        // These have many purposes; what of them matters is looked at above.
        || matches!(key, "bin" | "scripts" | "exports" | "pnpm")
}

fn parse(text: Option<&str>) -> Option<Value> {
    match text {
        None => Some(Value::Object(serde_json::Map::new())),
        Some(text) => serde_json::from_str(text.trim_start_matches('\u{feff}')).ok().filter(Value::is_object),
    }
}

/// Returns how files of a manifest's folder are loaded.
fn type_of(manifest: &Value) -> &str {
    manifest.get("type").and_then(Value::as_str).unwrap_or("commonjs")
}

/// Returns how files are loaded beside a manifest with this text.
pub(crate) fn type_in(text: &str) -> String {
    parse(Some(text)).map_or_else(|| "commonjs".to_owned(), |manifest| type_of(&manifest).to_owned())
}

/// Programs of this package whose name is a word of the command.
fn programs(manifest: &Value, command: &[String]) -> Vec<(String, Value)> {
    let bin = manifest.get("bin");
    let mut found: Vec<(String, Value)> = match (bin, manifest.get("name").and_then(Value::as_str)) {
        (Some(Value::Object(programs)), _) => {
            programs.iter().map(|(name, file)| (name.clone(), file.clone())).collect()
        }
        (Some(file), Some(name)) => vec![(name.rsplit('/').next().unwrap_or(name).to_owned(), file.clone())],
        _ => Vec::new(),
    };
    found.retain(|(name, _)| command.iter().any(|word| word == name));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}

fn compare_dependencies(base: &Value, head: &Value, about: &About<'_>, parts: &mut Vec<Part>) {
    let mut other = Vec::new();
    for table in DEPENDENCIES {
        for name in differing_keys(base.get(table), head.get(table)) {
            if is_of_runner(&name, about.runner) {
                parts.push(Part::fault(format!("{table}.{name}"), format!("it decides which {} runs", about.runner)));
            } else {
                other.push(name);
            }
        }
    }
    for table in REPLACEMENTS {
        for name in differing_keys(lookup(base, table), lookup(head, table)) {
            // Keys select: `vitest`, `vitest@3`, `foo>vitest`, `**/vitest`.
            let selected = name.split(['>', ' ']).any(|selector| {
                let selector = selector.trim_start_matches("**/");
                let at = selector.rfind('@').filter(|at| *at > 0).unwrap_or(selector.len());
                is_of_runner(&selector[..at], about.runner)
                    || selector[..at].rsplit('/').next().is_some_and(|last| is_of_runner(last, about.runner))
            });
            if selected {
                parts.push(Part::fault(format!("{table}.{name}"), format!("it replaces parts of {}", about.runner)));
            } else {
                other.push(format!("{table}.{name}"));
            }
        }
        // Tables of yarn and pnpm may be written in other shapes than an object.
        let shape = |side: &Value| lookup(side, table).filter(|value| !value.is_object()).cloned();
        if shape(base) != shape(head) {
            parts.push(Part::fault(table, "it replaces installed packages"));
        }
    }
    other.sort_unstable();
    other.dedup();
    if !other.is_empty() {
        parts.push(Part::strict("dependencies", format!("other dependencies change: {}", few(&other))));
    }
}

/// Returns whether a package is the runner or a part of it that its authors publish.
fn is_of_runner(package: &str, runner: &str) -> bool {
    let own = match runner {
        "playwright" => package == "@playwright/test" || package == "playwright-core",
        "jest" => package.starts_with("jest-") || matches!(package, "babel-jest" | "ts-jest" | "expect"),
        "vitest" => package == "vite-node",
        _ => false,
    };
    own || package == runner
        || package.strip_prefix('@').and_then(|rest| rest.split_once('/')).is_some_and(|(scope, _)| scope == runner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, head: &str, expected: &[&str]) {
        let command = ["npx".to_owned(), "vitest".to_owned(), "run".to_owned()];
        let about = About {
            runner: "vitest",
            parts: &["vitest", "scripts"],
            command: &command,
            inherited: ["module", "module"],
            is_new_folder: false,
        };
        let found = compare(Some(base), Some(head), &about);
        let found: Vec<_> = found.iter().map(|part| part.section.as_deref().unwrap_or("-")).collect();
        assert_eq!(found, expected, "{base} -> {head}");
    }

    #[test]
    fn parts_that_decide_how_tests_run_are_seen_and_others_are_not() {
        check("{}", r#"{"type": "module"}"#, &["type"]);
        check("{}", r#"{"type": "commonjs"}"#, &[]);
        check(r#"{"a": 1, "type": "module"}"#, "{\n\"type\":\"module\",\"a\":2}", &[]);
        check("{}", r#"{"vitest": {"passWithNoTests": true}}"#, &["vitest"]);
        check("{}", r#"{"scripts": {"test": "true"}, "exports": "./x.js", "version": "2.0.0"}"#, &[]);
        check("{}", r#"{"bin": {"vitest": "./evil.js"}}"#, &["bin"]);
        check(r#"{"name": "x"}"#, r#"{"name": "vitest", "bin": "./evil.js"}"#, &["bin"]);
        check("{}", r#"{"bin": {"slug": "./cli.js"}}"#, &[]);
        check("{}", r#"{"bin": {"npx": "./evil.js"}}"#, &["bin"]);
        check(
            r#"{"devDependencies": {"vitest": "^3"}}"#,
            r#"{"devDependencies": {"vitest": "file:./evil"}}"#,
            &["devDependencies.vitest"],
        );
        check("{}", r#"{"dependencies": {"@vitest/runner": "1"}}"#, &["dependencies.@vitest/runner"]);
        check("{}", r#"{"dependencies": {"left-pad": "1"}}"#, &["dependencies"]);
        check("{}", r#"{"overrides": {"@vitest/runner": "./x"}}"#, &["overrides.@vitest/runner"]);
        check("{}", r#"{"resolutions": {"**/vitest": "file:./x"}}"#, &["resolutions.**/vitest"]);
        check(
            "{}",
            r#"{"pnpm": {"patchedDependencies": {"vitest@3.2.1": "p"}}}"#,
            &["pnpm.patchedDependencies.vitest@3.2.1"],
        );
        check("{}", r#"{"pnpm": {"overrides": {"foo>vitest": "p"}}}"#, &["pnpm.overrides.foo>vitest"]);
        check("{}", r#"{"workspaces": ["a"]}"#, &["workspaces"]);
        check("{}", "{", &["-"]);
        check("{}", "[]", &["-"]);
        check("\u{feff}{}", "{}", &[]);
    }
}
