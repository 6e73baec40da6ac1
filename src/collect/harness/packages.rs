//! Packages of the repository that are imported by their name, as the members of a workspace import each
//! other, and `#names` of their own. Knows nothing of which file imports them, or of what is installed.

use super::tree::{Tree, file_name, parent};
use crate::error::Failure;
use crate::facts::RepoPath;
use serde_json::Value;

/// What the manifests of both sides call their packages and the ways into them.
pub(super) struct Packages {
    all: Vec<Package>,
}

struct Package {
    folder: String,
    name: Option<String>,
    manifest: Value,
}

/// A file that a name may stand for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// The package's folder, empty for the root.
    pub(super) folder: String,
    /// The path as the manifest writes it, from that folder; endings may be missing.
    pub(super) path: String,
}

impl Packages {
    /// Reads the manifests of both sides.
    pub(super) fn new(sides: [&Tree<'_>; 2], manifests: &[String]) -> Result<Self, Failure> {
        let mut all = Vec::new();
        for path in manifests.iter().filter(|path| file_name(path) == "package.json") {
            for side in sides {
                let Some(text) = side.text(&RepoPath::from(path.as_str()))? else { continue };
                let Ok(manifest) = serde_json::from_str::<Value>(&text) else { continue };
                let name = manifest.get("name").and_then(Value::as_str).map(str::to_owned);
                all.push(Package { folder: parent(path).to_owned(), name, manifest });
            }
        }
        Ok(Self { all })
    }

    /// Returns what an import may load: `@scope/name`, `name/sub`, or `#name`, written in `from`.
    pub(super) fn ways(&self, text: &str, from: &str) -> Vec<Way> {
        let mut ways = Vec::new();
        for package in &self.all {
            let paths = if text.starts_with('#') {
                let is_above = package.folder.is_empty() || from.starts_with(&format!("{}/", package.folder));
                let imports = package.manifest.get("imports").filter(|_| is_above);
                imports.map(|imports| targets(imports, text)).unwrap_or_default()
            } else {
                let rest = package.name.as_deref().and_then(|name| text.strip_prefix(name));
                match rest {
                    Some("") => package.main(),
                    Some(rest) if rest.starts_with('/') => package.below(rest),
                    _ => Vec::new(),
                }
            };
            ways.extend(paths.into_iter().map(|path| Way { folder: package.folder.clone(), path }));
        }
        ways.dedup();
        ways
    }
}

impl Package {
    fn main(&self) -> Vec<String> {
        let mut paths: Vec<String> =
            ["main", "module", "browser"].iter().filter_map(|key| text_at(&self.manifest, key)).collect();
        if let Some(exports) = self.manifest.get("exports") {
            let has_ways = exports.as_object().is_some_and(|all| all.keys().any(|key| key.starts_with('.')));
            paths.extend(if has_ways { targets(exports, ".") } else { texts(exports) });
        }
        // Without any of these it is the folder's index, and a preset has a name of its own.
        paths.push("./".to_owned());
        paths
    }

    fn below(&self, rest: &str) -> Vec<String> {
        let way = format!(".{rest}");
        let mut paths = self.manifest.get("exports").map(|exports| targets(exports, &way)).unwrap_or_default();
        paths.push(way);
        paths
    }
}

fn text_at(manifest: &Value, key: &str) -> Option<String> {
    manifest.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// Returns what a map of `exports` or `imports` gives for a key, `*` standing for anything.
fn targets(map: &Value, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (pattern, value) in map.as_object().into_iter().flatten() {
        match pattern.split_once('*') {
            None if pattern == key => found.extend(texts(value)),
            Some((before, after)) => {
                let middle = key.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
                found.extend(
                    middle
                        .into_iter()
                        .flat_map(|middle| texts(value).into_iter().map(move |text| text.replace('*', middle))),
                );
            }
            None => {}
        }
    }
    found
}

/// Returns every path under any condition.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().flat_map(texts).collect(),
        Value::Object(all) => all.values().flat_map(texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(manifest: &str, text: &str, expected: &[&str]) {
        let manifest: Value = serde_json::from_str(manifest).unwrap();
        let name = text_at(&manifest, "name");
        let all = vec![Package { folder: "packages/cfg".to_owned(), name, manifest }];
        let ways = Packages { all }.ways(text, "packages/cfg/vitest.config.ts");
        let paths: Vec<&str> = ways.iter().map(|way| way.path.as_str()).collect();
        assert_eq!(paths, expected, "{text}");
    }

    #[test]
    fn a_name_stands_for_what_the_manifest_says() {
        check(r#"{"name": "@a/cfg"}"#, "@a/cfg", &["./"]);
        check(r#"{"name": "@a/cfg", "main": "x.js"}"#, "@a/cfg", &["x.js", "./"]);
        check(r#"{"name": "@a/cfg", "exports": "./x.js"}"#, "@a/cfg", &["./x.js", "./"]);
        check(r#"{"name": "@a/cfg", "exports": {"import": "./x.mjs"}}"#, "@a/cfg", &["./x.mjs", "./"]);
        check(
            r#"{"name": "@a/cfg", "exports": {".": {"import": "./x.mjs"}, "./y": "./z.js"}}"#,
            "@a/cfg",
            &["./x.mjs", "./"],
        );
        check(r#"{"name": "@a/cfg", "exports": {"./y": ["./z.js"]}}"#, "@a/cfg/y", &["./z.js", "./y"]);
        check(r#"{"name": "@a/cfg", "exports": {"./*": "./src/*.js"}}"#, "@a/cfg/y", &["./src/y.js", "./y"]);
        check(r#"{"name": "@a/cfg"}"#, "@a/cfg-more", &[]);
        check(r##"{"imports": {"#setup/*": {"default": "./test/*.js"}}}"##, "#setup/all", &["./test/all.js"]);
        check(r##"{"imports": {"#setup": 5}}"##, "#setup", &[]);
    }
}
