//! Whole changes against the whole lock: each row a kind of attack, or honest work that must stay free.

use super::*;
use crate::collect::checkout::hash_of_blob;
use crate::facts::Entry;
use crate::runners::{HarnessRules, Manifest};
use std::collections::BTreeMap;

const RULES: HarnessRules = HarnessRules {
    files: &[
        "vitest.config.*",
        "vite.config.*",
        "vitest.workspace.*",
        "postcss.config.*",
        ".mocharc*",
        ".env",
        ".env.test*",
        "pytest.ini",
        "conftest.py",
    ],
    manifests: &[
        Manifest { file_name: "package.json", parts: &["vitest", "jest"] },
        Manifest { file_name: "pyproject.toml", parts: &["tool.pytest"] },
        Manifest { file_name: "Cargo.toml", parts: &["profile.dev"] },
    ],
    followed_keys: &[],
};

/// A side: path and text; `-> target` is a link, `commit` a submodule.
type Files<'a> = &'a [(&'a str, &'a str)];

struct Made {
    entries: BTreeMap<RepoPath, Entry>,
    objects: BTreeMap<String, Vec<u8>>,
}

fn made(files: Files<'_>) -> Made {
    let mut made = Made { entries: BTreeMap::new(), objects: BTreeMap::new() };
    for (path, text) in files {
        let (kind, text) = match text.strip_prefix("-> ") {
            Some(target) => ("120000", target),
            None if *text == "commit" => ("160000", ""),
            None => ("100644", *text),
        };
        let object = hash_of_blob(text.as_bytes(), 40);
        made.objects.insert(object.clone(), text.as_bytes().to_vec());
        made.entries.insert(RepoPath::from(*path), Entry { mode: kind.to_owned(), object });
    }
    made
}

fn difference(base: &Made, head: &Made) -> Vec<ChangedFile> {
    let mut paths: Vec<_> = base.entries.keys().chain(head.entries.keys()).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
        .into_iter()
        .filter_map(|path| {
            let (old, new) = (base.entries.get(path), head.entries.get(path));
            let status = match (old, new) {
                (old, new) if old == new => return None,
                (None, _) => ChangeStatus::Added,
                (_, None) => ChangeStatus::Deleted,
                (Some(old), Some(new)) if old.mode != new.mode => ChangeStatus::TypeChanged,
                _ => ChangeStatus::Modified,
            };
            let kind = match new.or(old).map(|entry| entry.mode.as_str()) {
                Some("120000") => FileKind::Symlink,
                Some("160000") => FileKind::Submodule,
                _ => FileKind::Text,
            };
            Some(ChangedFile {
                path: path.clone(),
                status,
                kind,
                added: 0,
                deleted: 0,
                old: old.cloned(),
                new: new.cloned(),
                longest_line: None,
            })
        })
        .collect()
}

fn judge(_: Option<&str>, head: &str) -> Result<(), String> {
    if head.contains("pytest_") { Err("it defines a hook".to_owned()) } else { Ok(()) }
}

struct Case<'a> {
    base: Files<'a>,
    /// What head adds or replaces; an empty text takes the file away.
    head: Files<'a>,
    command: &'a str,
    named: &'a [&'a str],
    harness: &'a [&'a str],
}

fn found(case: &Case<'_>) -> Vec<String> {
    let base = made(case.base);
    let mut files: Vec<(&str, &str)> =
        case.base.iter().filter(|(path, _)| !case.head.iter().any(|(other, _)| other == path)).copied().collect();
    files.extend(case.head.iter().filter(|(_, text)| !text.is_empty()));
    let head = made(&files);
    let change = difference(&base, &head);
    let command: Vec<String> = case.command.split(' ').map(str::to_owned).collect();
    let rules = |paths: &[&str]| paths.iter().map(|path| PathRule::literal(*path)).collect::<Vec<_>>();
    let (named, harness) = (rules(case.named), rules(case.harness));
    let read_base = |object: &str| Ok(base.objects[object].clone());
    let read_head = |object: &str| Ok(head.objects[object].clone());
    let lock = Lock {
        change: &change,
        base: Tree { entries: &base.entries, read: &read_base },
        head: Tree { entries: &head.entries, read: &read_head },
        runner: "vitest",
        rules: &RULES.into(),
        command: &command,
        named_files: &[],
        cwd: "",
        is_test_file: &|path| path.contains(".test.") || path.contains("test_"),
        allowed: Allowed { named: &named, harness: &harness },
        judge_conftest: &judge,
    };
    lock.changes()
        .unwrap()
        .into_iter()
        .map(|change| {
            let section = change.section.map(|section| format!(" {section}")).unwrap_or_default();
            format!("{:?} {}{section}", change.weight, change.path)
        })
        .collect()
}

fn check(base: Files<'_>, head: Files<'_>, expected: &[&str]) {
    let case = Case { base, head, command: "npx vitest run", named: &[], harness: &[] };
    assert_eq!(found(&case), expected, "{base:?} -> {head:?}");
}

#[test]
fn files_that_are_harness_by_name_are_faults_added_changed_or_deleted() {
    check(&[], &[("vitest.config.js", "x")], &["Fault vitest.config.js"]);
    check(&[("vite.config.js", "a")], &[("vite.config.js", "b")], &["Fault vite.config.js"]);
    check(&[("vite.config.js", "a")], &[("vite.config.js", "")], &["Fault vite.config.js"]);
    check(&[], &[("a/b/vitest.config.mjs", "x")], &["Fault a/b/vitest.config.mjs"]);
    check(&[], &[("node_modules/.bin/vitest", "x")], &["Fault node_modules/.bin/vitest"]);
    check(&[], &[("a/node_modules/vitest/package.json", "{}")], &["Fault a/node_modules/vitest/package.json"]);
    check(&[], &[(".npmrc", "script-shell=./sh.sh")], &["Fault .npmrc"]);
    check(&[], &[(".gitattributes", "*.js -diff")], &["Fault .gitattributes"]);
    check(&[], &[("src/__pycache__/slug.cpython-311.pyc", "x")], &["Fault src/__pycache__/slug.cpython-311.pyc"]);
    check(&[], &[("src/sitecustomize.py", "x")], &["Fault src/sitecustomize.py"]);
    check(&[], &[("pytest.py", "x")], &["Fault pytest.py"]);
    check(&[], &[("src/pluggy/__init__.py", "x")], &["Fault src/pluggy/__init__.py"]);
    check(&[], &[("x.egg-info/entry_points.txt", "x")], &["Fault x.egg-info/entry_points.txt"]);
    check(&[], &[("a/.cargo/config.toml", "x")], &["Fault a/.cargo/config.toml"]);
    check(&[], &[("rust-toolchain", "x")], &["Fault rust-toolchain"]);
    check(&[], &[("build.rs", "x")], &["Fault build.rs"]);
    check(&[("src/a.js", "a")], &[("src/a.js", "b"), ("tests/a.test.js", "x"), ("README.md", "x")], &[]);
}

#[test]
fn manifests_are_faults_by_part_only() {
    check(&[("package.json", "{}")], &[("package.json", r#"{"scripts": {"a": "b"}}"#)], &[]);
    check(&[("package.json", "{}")], &[("package.json", r#"{"vitest": {}}"#)], &["Fault package.json vitest"]);
    check(
        &[("package.json", "{}"), ("package-lock.json", "{}")],
        &[("package.json", r#"{"dependencies": {"a": "1"}}"#), ("package-lock.json", "{ }")],
        &["StrictFault package-lock.json", "StrictFault package.json dependencies"],
    );
    check(&[("src/a.js", "a")], &[("src/package.json", r#"{"type": "module"}"#)], &["Fault src/package.json type"]);
    check(
        &[("package.json", r#"{"type": "module"}"#), ("tests/a.test.js", "a")],
        &[("tests/package.json", "{}")],
        &["Fault tests/package.json type"],
    );
    check(
        &[("package.json", r#"{"type": "module"}"#), ("tests/a.test.js", "a")],
        &[("tests/package.json", r#"{"type": "module"}"#)],
        &[],
    );
    check(&[("src/a.js", "a")], &[("new/package.json", r#"{"type": "module"}"#)], &[]);
    check(
        &[("Cargo.toml", ""), ("tests/slug.rs", "x")],
        &[("Cargo.toml", "[[test]]\nname = 'slug'\npath = 'src/x.rs'\n")],
        &["Fault Cargo.toml [[test]] slug: path"],
    );
    check(&[("package.json", "{}")], &[("package.json", "-> x.json"), ("x.json", "{}")], &["Fault package.json"]);
}

#[test]
fn files_that_a_configuration_names_are_faults_and_the_code_under_test_is_not() {
    let base: Files<'_> = &[
        ("vitest.config.ts", "import './tools/shared'; export default { test: { setupFiles: ['./test/setup.ts'] } }"),
        ("test/setup.ts", "import '../src/app'"),
        ("src/app.ts", "a"),
        ("tools/shared.ts", "import './deeper'"),
        ("tools/deeper.ts", "a"),
    ];
    check(base, &[("test/setup.ts", "b")], &["Fault test/setup.ts"]);
    check(base, &[("test/setup.js", "b")], &[]);
    check(&[("vitest.config.ts", "setupFiles: './s'"), ("s.ts", "a")], &[("s.js", "b")], &["Fault s.js"]);
    check(base, &[("tools/shared.ts", "b")], &["Fault tools/shared.ts"]);
    check(base, &[("tools/deeper.ts", "b")], &["Fault tools/deeper.ts"]);
    check(base, &[("src/app.ts", "b")], &[]);
    check(
        &[("package.json", r#"{"jest": {"setupFiles": ["<rootDir>/s.js"]}}"#), ("s.js", "a")],
        &[("s.js", "b")],
        &["Fault s.js"],
    );
    check(
        &[("pytest.ini", "[pytest]\naddopts = -p helper_x\n"), ("src/helper_x.py", "a")],
        &[("src/helper_x.py", "b")],
        &["Fault src/helper_x.py"],
    );
    check(
        &[("conftest.py", "pytest_plugins = ['tests.plugin']\n"), ("tests/plugin.py", "a")],
        &[("tests/plugin.py", "b")],
        &["Fault tests/plugin.py"],
    );
    check(
        &[("Cargo.toml", "[package]\nbuild = 'tool/make.rs'\n"), ("tool/make.rs", "a")],
        &[("tool/make.rs", "b")],
        &["Fault tool/make.rs"],
    );
    check(
        &[(".cargo/config.toml", "[target.x]\nrunner = './run.sh'\n"), ("run.sh", "a"), (".cargo/run.sh", "a")],
        &[("run.sh", "b"), (".cargo/run.sh", "b")],
        &["Fault .cargo/run.sh", "Fault run.sh"],
    );
}

#[test]
fn a_package_of_the_workspace_that_a_configuration_names_is_followed() {
    let base: Files<'_> = &[
        ("vitest.config.js", "import shared from '@a/cfg'; import x from 'vitest'; export default shared"),
        ("packages/cfg/package.json", r#"{"name": "@a/cfg", "exports": {".": "./index.js"}}"#),
        ("packages/cfg/index.js", "export { default } from './vitest.js'"),
        ("packages/cfg/vitest.js", "a"),
        ("packages/app/package.json", r#"{"name": "@a/app", "jest": {"preset": "@a/preset"}}"#),
        ("packages/app/src/index.js", "a"),
        ("packages/preset/package.json", r#"{"name": "@a/preset"}"#),
        ("packages/preset/jest-preset.js", "a"),
    ];
    check(base, &[("packages/cfg/index.js", "b")], &["Fault packages/cfg/index.js"]);
    check(base, &[("packages/cfg/vitest.js", "b")], &["Fault packages/cfg/vitest.js"]);
    check(base, &[("packages/preset/jest-preset.js", "b")], &["Fault packages/preset/jest-preset.js"]);
    check(base, &[("packages/app/src/index.js", "b")], &[]);
    let own: Files<'_> = &[
        ("package.json", r##"{"imports": {"#setup": "./test/setup.js"}}"##),
        ("vitest.config.js", "import '#setup'; export default { test: { setupFiles: ['@a/plugin/setup'] } }"),
        ("test/setup.js", "a"),
        ("packages/plugin/package.json", r#"{"name": "@a/plugin", "main": "src/index.js"}"#),
        ("packages/plugin/setup.js", "import './src/index.js'"),
        ("packages/plugin/src/index.js", "a"),
        ("packages/plugin/index.test.js", "a"),
    ];
    check(own, &[("test/setup.js", "b")], &["Fault test/setup.js"]);
    check(own, &[("packages/plugin/setup.js", "b")], &["Fault packages/plugin/setup.js"]);
    check(own, &[("packages/plugin/src/index.js", "b")], &[]);
}

#[test]
fn files_that_the_command_names_as_configuration_are_faults() {
    let base: Files<'_> = &[("odd/name.ts", "a"), ("tests/a.test.ts", "a")];
    for (command, expected) in [
        ("vitest run --config odd/name.ts", &["Fault odd/name.ts"][..]),
        ("vitest run -c=odd/name.ts", &["Fault odd/name.ts"]),
        ("vitest run odd/name.ts", &[]),
    ] {
        let head: Files<'_> = &[("odd/name.ts", "b"), ("tests/a.test.ts", "b")];
        assert_eq!(found(&Case { base, head, command, named: &[], harness: &[] }), expected, "{command}");
    }
}

#[test]
fn links_that_bring_harness_files_in_are_faults() {
    check(&[("stuff/config.toml", "x")], &[(".cargo", "-> stuff")], &["Fault .cargo"]);
    check(&[("fake/vitest/index.js", "x")], &[("node_modules", "-> fake")], &["Fault node_modules"]);
    check(&[("a/x.js", "x")], &[("b", "-> a")], &[]);
    check(&[], &[("b", "-> /etc")], &["Fault b"]);
    check(&[], &[("b", "-> ../elsewhere")], &["Fault b"]);
    check(
        &[("vitest.config.ts", "-> settings/v.ts"), ("settings/v.ts", "a")],
        &[("settings/v.ts", "b")],
        &["Fault settings/v.ts"],
    );
    check(
        &[(".cargo", "-> stuff"), ("stuff/config.toml", "a")],
        &[("stuff/config.toml", "b")],
        &["Fault stuff/config.toml"],
    );
    check(&[], &[(".cargo", "commit")], &["Fault .cargo"]);
    check(&[], &[("vendor", "commit")], &["StrictFault vendor"]);
    check(&[("a", "-> b"), ("b", "-> a")], &[("c", "x")], &[]);
}

#[test]
fn a_plain_conftest_is_a_note_and_another_a_fault() {
    check(&[], &[("tests/conftest.py", "def helper(): pass\n")], &["Note tests/conftest.py"]);
    check(&[], &[("tests/conftest.py", "def pytest_x(): pass\n")], &["Fault tests/conftest.py"]);
    check(&[("conftest.py", "x = 1\n")], &[("conftest.py", "")], &["Fault conftest.py"]);
}

#[test]
fn a_literal_name_allows_a_whole_file_and_harness_changes_parts_too() {
    let base: Files<'_> = &[("package.json", "{}")];
    let head: Files<'_> =
        &[("package.json", r#"{"type": "module", "dependencies": {"a": "1"}}"#), ("vitest.config.js", "x")];
    let case = |named: &'static [&'static str], harness: &'static [&'static str]| {
        found(&Case { base, head, command: "npx vitest run", named, harness })
    };
    assert_eq!(
        case(&[], &[]),
        ["StrictFault package.json dependencies", "Fault package.json type", "Fault vitest.config.js"]
    );
    assert_eq!(
        case(&["package.json", "vitest.config.js"], &[]),
        ["Allowed package.json dependencies", "Fault package.json type", "Allowed vitest.config.js"]
    );
    assert_eq!(
        case(&[], &["package.json", "vitest.config.js"]),
        ["Allowed package.json dependencies", "Allowed package.json type", "Allowed vitest.config.js"]
    );
}

#[test]
fn a_pattern_in_changed_files_only_allows_nothing() {
    let base = made(&[]);
    let head = made(&[("vitest.config.js", "x")]);
    let change = difference(&base, &head);
    let named = [PathRule::glob("*.js").unwrap()];
    let read = |object: &str| Ok(head.objects[object].clone());
    let lock = Lock {
        change: &change,
        base: Tree { entries: &base.entries, read: &read },
        head: Tree { entries: &head.entries, read: &read },
        runner: "vitest",
        rules: &RULES.into(),
        command: &[],
        named_files: &[],
        cwd: "",
        is_test_file: &|_| false,
        allowed: Allowed { named: &named, harness: &[] },
        judge_conftest: &judge,
    };
    assert_eq!(lock.changes().unwrap()[0].weight, HarnessWeight::Fault);
}
