//! Which parts of a `go.mod` decide how tests run.
//! Knows nothing of other files or of who may change them.

use super::part::Part;
use std::collections::{BTreeMap, BTreeSet};

/// Compares two versions, `None` where there is none. `parts` are the directives that decide how tests run.
pub(crate) fn compare(base: Option<&str>, head: Option<&str>, parts: &[&str]) -> Vec<Part> {
    let (base, head) = (directives(base.unwrap_or_default()), directives(head.unwrap_or_default()));
    let differs = |name: &str| base.get(name) != head.get(name);
    let mut found: Vec<Part> = parts
        .iter()
        .filter(|name| differs(name))
        .map(|name| {
            let why = match *name {
                "replace" | "exclude" => "it replaces dependencies by others",
                "toolchain" | "go" => "it decides which version of Go builds and runs the tests",
                _ => "it decides how the tests are built or run",
            };
            Part::fault(*name, why)
        })
        .collect();
    if differs("require") {
        found.push(Part::strict("require", "it decides which versions of dependencies the tests run with"));
    }
    found
}

/// The directives with what stands after each, without comments and order.
fn directives(text: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut block = None;
    for line in text.lines() {
        let line = line.split("//").next().unwrap_or_default();
        let words: Vec<&str> = line.split_whitespace().collect();
        match (words.as_slice(), &block) {
            ([], _) => {}
            ([")"], _) => block = None,
            ([name, "("], None) => block = Some((*name).to_owned()),
            ([first, rest @ ..], None) if first.ends_with('(') && rest.is_empty() => {
                block = Some(first.trim_end_matches('(').to_owned());
            }
            (words, Some(name)) => {
                found.entry(name.clone()).or_default().insert(words.join(" "));
            }
            ([name, rest @ ..], None) => {
                found.entry((*name).to_owned()).or_default().insert(rest.join(" "));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::compare;

    const BASE: &str = "module example.com/a\n\ngo 1.21 // why\n\nrequire (\n\tgithub.com/x/y v1.0.0\n)\n";

    #[track_caller]
    fn check(head: &str, expected: &[&str]) {
        let parts = compare(Some(BASE), Some(head), &["module", "go", "toolchain", "replace"]);
        let told: Vec<&str> = parts.iter().filter_map(|part| part.section.as_deref()).collect();
        assert_eq!(told, expected, "{head}");
    }

    #[test]
    fn what_replaces_dependencies_or_the_toolchain_is_told() {
        check(BASE, &[]);
        check("module example.com/a\ngo 1.21\nrequire github.com/x/y v1.0.0 // indirect\n", &[]);
        check(&format!("{BASE}replace github.com/x/y => ./fake\n"), &["replace"]);
        check(&format!("{BASE}replace (\n\tgithub.com/x/y => ./fake\n)\n"), &["replace"]);
        check(&format!("{BASE}replace(\n\tgithub.com/x/y => ./fake\n)\n"), &["replace"]);
        check(&format!("{BASE}toolchain go1.99.0\n"), &["toolchain"]);
        check(&BASE.replace("1.21", "1.22"), &["go"]);
        check(&BASE.replace("v1.0.0", "v1.1.0"), &["require"]);
        check("", &["module", "go", "require"]);
    }
}
