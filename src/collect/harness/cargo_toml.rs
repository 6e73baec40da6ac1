//! Which parts of a `Cargo.toml` decide how tests run.
//! Knows nothing of other files or of who may change them.

use super::part::{Part, differing_keys, few, lookup};
use serde_json::Value;

/// Dotted keys that matter as a whole.
const ALWAYS: [(&str, &str); 13] = [
    ("package.autotests", "it decides which files are tests"),
    ("package.autobins", "it decides which files are tested programs"),
    ("package.autoexamples", "it decides which examples are built with the tests"),
    ("package.autolib", "it decides which file is the tested library"),
    ("package.build", "it names a program that runs while the tests are built"),
    ("package.workspace", "it decides which workspace the package belongs to"),
    ("package.forced-target", "it decides for which system the tests are built"),
    ("profile.dev", "it decides how the tested code is built"),
    ("profile.test", "it decides how the tests are built"),
    ("features.default", "it decides which code the tests are built with"),
    ("patch", "it replaces dependencies by others"),
    ("replace", "it replaces dependencies by others"),
    ("workspace.default-members", "it decides which packages are tested"),
];

/// Keys of a target that decide whether and how its tests run.
const OF_A_TARGET: [&str; 7] = ["harness", "test", "doctest", "required-features", "path", "edition", "proc-macro"];

const DEPENDENCIES: [&str; 6] = [
    "dependencies",
    "dev-dependencies",
    "build-dependencies",
    "dev_dependencies",
    "build_dependencies",
    "workspace.dependencies",
];

/// Keys of a dependency that say where it comes from.
const ORIGIN: [&str; 8] = ["path", "git", "branch", "tag", "rev", "registry", "registry-index", "package"];

/// Compares two versions, `None` where there is none. `command` is the argv, `has_test` tells whether the merge base has
/// an automatically found target of that kind and name.
pub(crate) fn compare(
    base: Option<&str>,
    head: Option<&str>,
    parts: &[&str],
    command: &[String],
    has_target: &dyn Fn(&str, &str) -> bool,
) -> Vec<Part> {
    let (Some(base), Some(head)) = (parse(base), parse(head)) else {
        return vec![Part::unreadable("TOML")];
    };
    let mut found = Vec::new();
    for (key, why) in ALWAYS {
        if lookup(&base, key) != lookup(&head, key) {
            found.push(Part::fault(key, why));
        }
    }
    for key in parts.iter().filter(|key| !is_known(key)) {
        if lookup(&base, key) != lookup(&head, key) {
            found.push(Part::fault(*key, "it decides how the tests are built or run"));
        }
    }
    for profile in profiles(command) {
        let key = format!("profile.{profile}");
        if !matches!(profile, "dev" | "test") && lookup(&base, &key) != lookup(&head, &key) {
            found.push(Part::fault(key, "the command builds the tests with it"));
        }
    }
    compare_workspace(&base, &head, &mut found);
    compare_targets(&base, &head, command, has_target, &mut found);
    compare_dependencies(&base, &head, &mut found);
    found
}

fn is_known(key: &str) -> bool {
    let top = key.split('.').next().unwrap_or(key);
    ALWAYS.iter().any(|(known, _)| *known == key)
        || DEPENDENCIES.contains(&key)
        || matches!(
            top,
            "lib" | "bin" | "test" | "bench" | "example" | "package" | "workspace" | "profile" | "features"
        )
}

fn parse(text: Option<&str>) -> Option<Value> {
    let table: toml::Table = text.unwrap_or("").trim_start_matches('\u{feff}').parse().ok()?;
    serde_json::to_value(table).ok()
}

/// Profiles other than the usual ones that the command asks for.
fn profiles(command: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    for (index, word) in command.iter().enumerate() {
        if word == "--release" || word == "-r" {
            found.push("release");
        } else if let Some(name) = word.strip_prefix("--profile=").or_else(|| word.strip_prefix("--cargo-profile=")) {
            found.push(name);
        } else if word == "--profile" || word == "--cargo-profile" {
            found.extend(command.get(index + 1).map(String::as_str));
        }
    }
    found
}

fn compare_workspace(base: &Value, head: &Value, found: &mut Vec<Part>) {
    if base.get("workspace").is_some() != head.get("workspace").is_some()
        && base != &Value::Object(serde_json::Map::new())
    {
        found.push(Part::fault("workspace", "it decides which packages belong together"));
        return;
    }
    let list = |side: &Value, key: &str| -> Vec<Value> {
        lookup(side, key).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    let (was, is) = (list(base, "workspace.members"), list(head, "workspace.members"));
    if was.iter().any(|member| !is.contains(member)) {
        found.push(Part::fault("workspace.members", "a member is no longer tested"));
    }
    let (was, is) = (list(base, "workspace.exclude"), list(head, "workspace.exclude"));
    if is.iter().any(|member| !was.contains(member)) {
        found.push(Part::fault("workspace.exclude", "a folder is no longer tested"));
    }
}

fn compare_targets(
    base: &Value,
    head: &Value,
    command: &[String],
    has_target: &dyn Fn(&str, &str) -> bool,
    found: &mut Vec<Part>,
) {
    let runs_benches = command.iter().any(|word| matches!(word.as_str(), "--benches" | "--bench" | "--all-targets"));
    for kind in ["lib", "bin", "test", "bench", "example"] {
        let (was, is) = (targets(base, kind), targets(head, kind));
        let shown = |name: &str| if kind == "lib" { "[lib]".to_owned() } else { format!("[[{kind}]] {name}") };
        if was.len() != targets_written(base, kind) || is.len() != targets_written(head, kind) {
            found.push(Part::fault(format!("[[{kind}]]"), "two targets have the same name, or none"));
            continue;
        }
        for (name, old) in &was {
            match is.iter().find(|(other, _)| other == name) {
                None if kind != "lib" => found.push(Part::fault(shown(name), "the target is gone")),
                Some((_, new)) => push_differing(old, new, &shown(name), found),
                None => push_differing(old, &Value::Null, &shown(name), found),
            }
        }
        for (name, new) in is.iter().filter(|(name, _)| !was.iter().any(|(other, _)| other == name)) {
            let takes_place = kind == "lib" || has_target(kind, name);
            let own_harness = kind == "test" || kind == "bench" && runs_benches;
            if takes_place {
                push_differing(&Value::Null, new, &shown(name), found);
            } else if own_harness && new.get("harness") == Some(&Value::Bool(false)) {
                found.push(Part::fault(
                    format!("{}: harness", shown(name)),
                    "with a harness of its own, a test program says itself what passed",
                ));
            }
        }
    }
}

fn push_differing(old: &Value, new: &Value, target: &str, found: &mut Vec<Part>) {
    for key in OF_A_TARGET {
        if with_default(key, old) != with_default(key, new) {
            found.push(Part::fault(format!("{target}: {key}"), "it decides whether and how its tests run"));
        }
    }
}

fn with_default(key: &str, target: &Value) -> Value {
    match (key, target.get(key)) {
        ("harness" | "test" | "doctest", None) => Value::Bool(true),
        ("proc-macro", None) => target.get("proc_macro").cloned().unwrap_or(Value::Bool(false)),
        ("required-features", None) => Value::Array(Vec::new()),
        (_, found) => found.cloned().unwrap_or(Value::Null),
    }
}

fn targets(manifest: &Value, kind: &str) -> Vec<(String, Value)> {
    let mut found: Vec<(String, Value)> = match manifest.get(kind) {
        Some(Value::Array(targets)) => targets
            .iter()
            .filter_map(|target| Some((target.get("name")?.as_str()?.to_owned(), target.clone())))
            .collect(),
        Some(target @ Value::Object(_)) => vec![(String::new(), target.clone())],
        _ => Vec::new(),
    };
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found.dedup_by(|a, b| a.0 == b.0);
    found
}

fn targets_written(manifest: &Value, kind: &str) -> usize {
    match manifest.get(kind) {
        Some(Value::Array(targets)) => targets.len(),
        Some(_) => 1,
        None => 0,
    }
}

fn compare_dependencies(base: &Value, head: &Value, found: &mut Vec<Part>) {
    let mut other = Vec::new();
    for (table, was, is) in dependency_tables(base, head) {
        for name in differing_keys(was.as_ref(), is.as_ref()) {
            let of = |side: &Option<Value>| side.as_ref().and_then(|table| table.get(&name)).cloned();
            match (of(&was), of(&is)) {
                (Some(old), Some(new)) if origin(&old) != origin(&new) => {
                    found.push(Part::fault(format!("{table}.{name}"), "the dependency comes from elsewhere"));
                }
                _ => other.push(name),
            }
        }
    }
    other.sort_unstable();
    other.dedup();
    if !other.is_empty() {
        found.push(Part::strict("dependencies", format!("other dependencies change: {}", few(&other))));
    }
}

/// Every table of dependencies on either side, those of `[target.'...']` too.
fn dependency_tables(base: &Value, head: &Value) -> Vec<(String, Option<Value>, Option<Value>)> {
    let mut tables: Vec<(String, Option<Value>, Option<Value>)> = DEPENDENCIES
        .iter()
        .map(|table| ((*table).to_owned(), lookup(base, table).cloned(), lookup(head, table).cloned()))
        .collect();
    for target in differing_keys(base.get("target"), head.get("target")) {
        for table in &DEPENDENCIES[..5] {
            let of = |side: &Value| side.get("target").and_then(|all| all.get(&target)?.get(*table)).cloned();
            tables.push((format!("target.{target}.{table}"), of(base), of(head)));
        }
    }
    tables
}

fn origin(dependency: &Value) -> Vec<Option<&Value>> {
    ORIGIN.iter().map(|key| dependency.get(*key)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, head: &str, command: &str, expected: &[&str]) {
        let command: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let has_target = |kind: &str, name: &str| (kind, name) == ("test", "slug");
        let found = compare(Some(base), Some(head), &["profile.dev"], &command, &has_target);
        let found: Vec<_> = found.iter().map(|part| part.section.as_deref().unwrap_or("-")).collect();
        assert_eq!(found, expected, "{base} -> {head}");
    }

    #[test]
    fn parts_that_decide_how_tests_run_are_seen_and_others_are_not() {
        let cargo = "cargo test";
        let package = "[package]\nname = 'slug'\n";
        check(package, "[package]\nname = 'slug'\nversion = '2.0.0' # x\n", cargo, &[]);
        check("", "[[test]]\nname = 'slug'\nharness = false\n", cargo, &["[[test]] slug: harness"]);
        check("", "[[test]]\nname = 'other'\nharness = false\n", cargo, &["[[test]] other: harness"]);
        check("", "[[test]]\nname = 'other'\n", cargo, &[]);
        check("", "[[test]]\nname = 'slug'\npath = 'x.rs'\n", cargo, &["[[test]] slug: path"]);
        check("", "[[test]]\nname = 'slug'\nrequired-features = ['x']\n", cargo, &["[[test]] slug: required-features"]);
        check("[[test]]\nname = 'a'\n", "", cargo, &["[[test]] a"]);
        check("", "[[test]]\nname = 'a'\n[[test]]\nname = 'a'\nharness = false\n", cargo, &["[[test]]"]);
        check("", "[[bench]]\nname = 'b'\nharness = false\n", cargo, &[]);
        check("", "[[bench]]\nname = 'b'\nharness = false\n", "cargo test --benches", &["[[bench]] b: harness"]);
        check("", "[lib]\ntest = false\n", cargo, &["[lib]: test"]);
        check("", "[lib]\nname = 'x'\n", cargo, &[]);
        check("", "[package]\nautotests = false\n", cargo, &["package.autotests"]);
        check("", "[profile.release]\nopt-level = 3\n", cargo, &[]);
        check("", "[profile.release]\nopt-level = 3\n", "cargo test --release", &["profile.release"]);
        check("", "[profile.dev]\npanic = 'abort'\n", cargo, &["profile.dev"]);
        check("", "[features]\ndefault = ['x']\n", cargo, &["features.default"]);
        check("", "[features]\nextra = []\n", cargo, &[]);
        check("", "[patch.crates-io]\na = { path = 'a' }\n", cargo, &["patch"]);
        check("[workspace]\nmembers = ['a']\n", "[workspace]\nmembers = ['a', 'b']\n", cargo, &[]);
        check("[workspace]\nmembers = ['a']\n", "[workspace]\nmembers = []\n", cargo, &["workspace.members"]);
        check("[workspace]\nexclude = []\n", "[workspace]\nexclude = ['a']\n", cargo, &["workspace.exclude"]);
        check(package, "[package]\nname = 'slug'\n[workspace]\n", cargo, &["workspace"]);
        check("", "[dependencies]\na = '1'\n", cargo, &["dependencies"]);
        check(
            "[dev-dependencies]\na = '1'\n",
            "[dev-dependencies]\na = { path = 'fake' }\n",
            cargo,
            &["dev-dependencies.a"],
        );
        check("[dependencies]\na = '1'\n", "[dependencies]\na = { version = '2' }\n", cargo, &["dependencies"]);
        check("", "[package", cargo, &["-"]);
    }
}
