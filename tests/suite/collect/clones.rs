//! Clones test the code of their own commit, whatever is installed how in the checkout.

use super::change::{Change, Files, link, pytest};
use crate::suite::support::{node_modules, on_path};
use serde_json::{Value, json};
use std::path::Path;

/// Each of these has one test that passes with `main`'s source and another source on `pr`, so a base run that took
/// head's code, or the other way round, comes out wrong.
fn more_than_base(command: &str) -> Value {
    json!({"tests": [{"command": command, "passed": {"more_than_base": 1}, "pass_to_pass": true}]})
}

fn files_below(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder").flatten() {
            let kind = entry.file_type().expect("a kind");
            if kind.is_dir() {
                open.push(entry.path());
            } else if kind.is_file() {
                found.push((entry.path().display().to_string(), std::fs::read(entry.path()).expect("a file")));
            }
        }
    }
    found.sort();
    found
}

const WORKSPACE: Files<'static> = &[
    ("package.json", "{\"private\": true, \"type\": \"module\", \"workspaces\": [\"packages/*\"]}\n"),
    (".gitignore", "node_modules/\n"),
    ("packages/core/package.json", "{\"name\": \"@w/core\", \"type\": \"module\", \"exports\": \"./index.js\"}\n"),
    ("packages/core/index.js", "export const side = 'base';\n"),
    ("packages/app/package.json", "{\"name\": \"@w/app\", \"type\": \"module\"}\n"),
    (
        "packages/app/app.test.js",
        "import { expect, it } from 'vitest';\nimport { side } from '@w/core';\n\
         it('has a side', () => { expect(side).toMatch(/base|head/); });\n\
         it('is base', () => { expect(side).toBe('base'); });\n",
    ),
];

/// At head one test passes that cannot pass with base's source, and one cannot pass that did.
const WORKSPACE_CHANGE: Files<'static> = &[
    ("packages/core/index.js", "export const side = 'head';\n"),
    (
        "packages/app/app.test.js",
        "import { expect, it } from 'vitest';\nimport { side } from '@w/core';\n\
         it('has a side', () => { expect(side).toMatch(/base|head/); });\n\
         it('is base', () => { expect(side).toBe('head'); });\n\
         it('is head', () => { expect(side).toBe('head'); });\n",
    ),
];

/// Installs vitest as links, and the workspace's packages as npm does, in `folder` of the checkout.
fn install_workspace(change: &Change, packages: &[(&str, &str)]) -> Option<()> {
    let shared = node_modules("vitest3")?;
    let folder = change.repo.file("node_modules");
    std::fs::create_dir_all(folder.join("@w")).expect("a folder");
    for entry in std::fs::read_dir(&shared).expect("packages").flatten() {
        link(&entry.path(), &folder.join(entry.file_name()));
    }
    for (name, target) in packages {
        link(Path::new(target), &folder.join(name));
    }
    Some(())
}

#[test]
fn an_npm_workspace_tests_the_packages_of_its_own_commit() {
    let change = Change::new(WORKSPACE, WORKSPACE_CHANGE);
    let Some(()) = install_workspace(&change, &[("@w/core", "../../packages/core")]) else { return };
    let contract = more_than_base("npx vitest run");
    for flags in [&[][..], &["--strict"]] {
        change.ends(&contract, flags, "passed", &[]);
    }
}

#[cfg(unix)]
#[test]
fn a_link_back_into_the_checkout_is_an_error_and_never_a_result() {
    let change = Change::new(WORKSPACE, WORKSPACE_CHANGE);
    let back = change.repo.file("packages/core").canonicalize().expect("a path");
    let back = back.to_str().expect("a path").to_owned();
    let Some(()) = install_workspace(&change, &[("@w/core", &back)]) else { return };
    let verdict = change.ends(&more_than_base("npx vitest run"), &["--strict"], "error", &["tests"]);
    assert!(verdict.to_string().contains("leads back into the checkout"), "{verdict:#}");
}

#[test]
fn code_that_was_loaded_from_the_checkout_is_an_error_and_never_a_result() {
    // The path stands in a file that both sides have, so that no link and no setting shows it.
    let change = Change::new(WORKSPACE, WORKSPACE_CHANGE);
    let Some(()) = install_workspace(&change, &[("@w/core", "../../packages/core")]) else { return };
    let root = change.repo.path().canonicalize().expect("a path");
    let spy = format!(
        "import {{ it }} from 'vitest';\nit('spies', async () => {{ await import({:?}); }});\n",
        root.join("packages/core/index.js")
    );
    change.repo.checkout("main");
    change.repo.write("packages/app/spy.test.js", &spy).commit("base with a spy");
    change.repo.checkout("pr");
    change.repo.git(&["rebase", "--quiet", "main"]);
    let verdict = change.ends(&more_than_base("npx vitest run"), &["--strict"], "error", &["tests"]);
    assert!(verdict.to_string().contains("source_leaked"), "{verdict:#}");
}

const PYTHON: Files<'static> = &[
    (".gitignore", "__pycache__/\n.venv/\n*.egg-info/\n"),
    ("pyproject.toml", "[project]\nname = \"side\"\nversion = \"1\"\n"),
    ("src/side/__init__.py", "SIDE = 'base'\n"),
    ("tests/test_side.py", "from side import SIDE\n\n\ndef test_has_a_side():\n    assert SIDE in ('base', 'head')\n"),
];

const PYTHON_CHANGE: Files<'static> = &[
    ("src/side/__init__.py", "SIDE = 'head'\n"),
    (
        "tests/test_side.py",
        "from side import SIDE\n\n\ndef test_has_a_side():\n    assert SIDE in ('base', 'head')\n\n\n\
         def test_is_head():\n    assert SIDE == 'head'\n",
    ),
];

#[cfg(unix)]
#[test]
fn an_editable_install_tests_the_package_of_its_own_commit_and_stays_as_it_was() {
    let Some(change) = pytest(PYTHON, PYTHON_CHANGE) else { return };
    let Some(python) = crate::suite::support::python_with("pytest9") else { return };
    // An environment of the checkout's own, with the installed pytest and one entry that leads into the checkout.
    let venv = change.repo.file(".venv");
    assert_cmd::Command::new(&python).args(["-m", "venv", "--without-pip"]).arg(&venv).assert().success();
    let site = |root: &Path| -> std::path::PathBuf {
        let lib = std::fs::read_dir(root.join("lib")).expect("lib").flatten().next().expect("a version").path();
        lib.join("site-packages")
    };
    let shared = site(python.parent().expect("bin").parent().expect("an environment"));
    let source = change.repo.file("src").canonicalize().expect("a path");
    std::fs::write(site(&venv).join("shared.pth"), format!("{}\n", shared.display())).expect("an entry");
    std::fs::write(site(&venv).join("side.pth"), format!("{}\n", source.display())).expect("an entry");
    let before = files_below(&venv);
    for command in [".venv/bin/python -m pytest", "uv run pytest"] {
        if command.starts_with("uv") && on_path("uv").is_none() {
            continue;
        }
        for flags in [&[][..], &["--strict"]] {
            change.ends(&more_than_base(command), flags, "passed", &[]);
        }
    }
    assert!(files_below(&venv) == before, "the environment changed");
}

const CARGO: Files<'static> = &[
    (".gitignore", "target/\n"),
    ("Cargo.toml", "[workspace]\nresolver = \"2\"\nmembers = [\"core\", \"app\"]\n"),
    (
        "Cargo.lock",
        "version = 4\n\n[[package]]\nname = \"app\"\nversion = \"0.1.0\"\ndependencies = [\n \"core-side\",\n]\n\n\
         [[package]]\nname = \"core-side\"\nversion = \"0.1.0\"\n",
    ),
    ("core/Cargo.toml", "[package]\nname = \"core-side\"\nversion = \"0.1.0\"\nedition = \"2021\"\n"),
    ("core/src/lib.rs", "pub const SIDE: &str = \"base\";\n"),
    (
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[dependencies]\ncore-side = { path = \"../core\" }\n",
    ),
    ("app/src/main.rs", "fn main() {\n    print!(\"{}\", core_side::SIDE);\n}\n"),
    (
        "app/tests/side.rs",
        "fn side() -> String {\n    let out = std::process::Command::new(env!(\"CARGO_BIN_EXE_app\")).output().unwrap();\n    \
         String::from_utf8(out.stdout).unwrap()\n}\n\n#[test]\nfn has_a_side() {\n    assert!(matches!(side().as_str(), \"base\" | \"head\"));\n}\n",
    ),
];

#[test]
fn a_cargo_workspace_builds_each_side_for_itself_and_leaves_the_target_folder_alone() {
    if on_path("cargo").is_none() {
        crate::suite::support::missing("cargo");
        return;
    }
    let test = format!("{}\n#[test]\nfn is_head() {{\n    assert_eq!(side(), \"head\");\n}}\n", CARGO[7].1);
    let change =
        Change::new(CARGO, &[("core/src/lib.rs", "pub const SIDE: &str = \"head\";\n"), ("app/tests/side.rs", &test)]);
    change.repo.write("target/kept", "x");
    let before = files_below(&change.repo.file("target"));
    let cache = tempfile::tempdir().expect("a folder");
    let kept = ["--cache-dir", cache.path().to_str().expect("a path")];
    for flags in [&[][..], &["--strict"], &kept, &kept] {
        change.ends(&more_than_base("cargo test --offline"), flags, "passed", &[]);
    }
    assert_eq!(files_below(&change.repo.file("target")), before);
}

#[test]
fn a_stale_build_is_not_run_over_other_source() {
    if on_path("cargo").is_none() {
        crate::suite::support::missing("cargo");
        return;
    }
    let package = ("Cargo.toml", "[package]\nname = \"slug\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
    let lock = ("Cargo.lock", "version = 4\n\n[[package]]\nname = \"slug\"\nversion = \"0.1.0\"\n");
    let ignore = (".gitignore", "target/\n");
    let test = ("tests/a.rs", "#[test]\nfn two() {\n    assert_eq!(slug::two(), 2);\n}\n");
    let good = ("src/lib.rs", "pub fn two() -> u8 {\n    2\n}\n");
    let change = Change::new(&[package, lock, ignore, test, ("src/lib.rs", "// nothing yet\n")], &[good]);
    let cache = tempfile::tempdir().expect("a folder");
    let flags = ["--cache-dir", cache.path().to_str().expect("a path")];
    let contract = json!({"tests": [{"command": "cargo test --offline --test a", "passed": 1}]});
    let source = change.repo.file("src/lib.rs");
    let old = std::fs::metadata(&source).expect("a file").modified().expect("a time");
    change.ends(&contract, &flags, "passed", &[]);
    change.repo.write("src/lib.rs", "pub fn two() -> u8 {\n    3\n}\n").commit("break it");
    std::fs::File::options().write(true).open(&source).expect("a file").set_modified(old).expect("a time");
    change.ends(&contract, &flags, "failed", &["tests"]);
}

#[test]
fn set_up_commands_run_in_each_clone_and_other_dependencies_need_one() {
    let lock = ("package-lock.json", "{\"lockfileVersion\": 3}\n");
    let base = [super::change::SLUG, &[lock]].concat();
    let head =
        [super::change::HONEST, &[("package-lock.json", "{\"lockfileVersion\": 3, \"packages\": {}}\n")]].concat();
    let Some(change) = super::vitest(&base, &head) else { return };
    let contract = json!({"tests": [{"command": "npx vitest run", "pass_to_pass": true}], "harness_changes": ["package-lock.json"]});
    let verdict = change.ends(&contract, &["--strict"], "error", &["tests"]);
    assert_eq!(verdict["error"]["kind"], "setup_needed", "{verdict:#}");
    change.ends(&contract, &["--strict", "--setup", "node --version"], "passed", &[]);
    let verdict = change.ends(&contract, &["--strict", "--setup", "node no-such-file.js"], "error", &["tests"]);
    assert_eq!(verdict["error"]["kind"], "setup_failed", "{verdict:#}");
}

/// What a test of a package of [`WORKSPACE`] looks for, under a name of its own.
fn more_tests(n: usize) -> Vec<(String, String)> {
    (0..n).map(|at| (format!("packages/app/more{at}.test.js"), WORKSPACE_CHANGE[1].1.to_owned())).collect()
}

#[test]
fn clauses_side_by_side_give_what_they_give_one_after_the_other() {
    let more = more_tests(3);
    let new: Vec<(&str, &str)> = more.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let change = Change::new(WORKSPACE, &[WORKSPACE_CHANGE, &new].concat());
    let Some(()) = install_workspace(&change, &[("@w/core", "../../packages/core")]) else { return };
    let clause = |path: &str, passed: u64| json!({"command": format!("npx vitest run {path}"), "passed": passed});
    let contract = |last: u64| {
        json!({"tests": [clause("packages/app/app.test.js", 3), clause("packages/app/more0.test.js", 3),
                         clause("packages/app/more1.test.js", 3), clause("packages/app/more2.test.js", last)],
               "commands": [{"command": ["node", "--check", "packages/core/index.js"]}]})
    };
    for flags in [&["--isolate", "--jobs", "2"][..], &["--strict", "--jobs", "2"], &["--isolate", "--jobs", "9"]] {
        let verdict = change.ends(&contract(3), flags, "passed", &[]);
        assert_eq!(verdict["checks"].as_array().map(Vec::len), Some(5), "{verdict:#}");
    }
    let verdict = change.ends(&contract(4), &["--isolate", "--jobs", "2"], "failed", &["tests"]);
    assert_eq!(verdict["checks"][3]["ok"], false, "{verdict:#}");
    assert_eq!(verdict["checks"][2]["ok"], true, "{verdict:#}");
}

#[cfg(unix)]
#[test]
fn a_pnpm_workspace_tests_the_packages_of_its_own_commit() {
    // Laid out as pnpm does: each package's own folder, links into one store, and a link for a package of the workspace.
    let rule = ("pnpm-workspace.yaml", "packages:\n  - packages/*\n");
    let change = Change::new(&[WORKSPACE, &[rule]].concat(), WORKSPACE_CHANGE);
    let Some(shared) = node_modules("vitest3") else { return };
    let store = change.repo.file("node_modules/.pnpm/vitest@3/node_modules");
    std::fs::create_dir_all(&store).expect("a folder");
    for entry in std::fs::read_dir(&shared).expect("packages").flatten() {
        link(&entry.path(), &store.join(entry.file_name()));
    }
    let own = change.repo.file("packages/app/node_modules");
    std::fs::create_dir_all(own.join("@w")).expect("a folder");
    link(Path::new("../../../node_modules/.pnpm/vitest@3/node_modules/vitest"), &own.join("vitest"));
    link(Path::new("../../../core"), &own.join("@w/core"));
    let contract = json!({"tests": [{"command": "pnpm exec vitest run", "cwd": "packages/app",
                                     "passed": {"more_than_base": 1}, "pass_to_pass": true}]});
    for flags in [&[][..], &["--strict"]] {
        change.ends(&contract, flags, "passed", &[]);
    }
}
