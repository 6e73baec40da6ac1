//! Files that are harness as a whole, by name, and why.
//! Knows nothing of content or of who may change them.

use super::tree::file_name;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

/// Globs of files that decide how tests run whatever the runner is.
const ALWAYS: [&str; 2] = [".gitattributes", ".gitmodules"];

/// The same for runners of JavaScript, known by their interest in `package.json`.
const JAVASCRIPT: [&str; 11] = [
    "node_modules/**",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnp.*",
    "pnpm-workspace.yaml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "bunfig.toml",
    ".node-version",
    ".nvmrc",
];

/// The same for Python, known by `pyproject.toml`.
const PYTHON: [&str; 15] = [
    "*.pth",
    "*.egg-link",
    "*.egg-info/**",
    "*.dist-info/**",
    "*.egg-info",
    "sitecustomize.py",
    "sitecustomize/**",
    "usercustomize.py",
    "usercustomize/**",
    "*.pyc",
    "*.pyo",
    "*.so",
    "*.pyd",
    "pyvenv.cfg",
    ".python-version",
];

/// The same for Rust, known by `Cargo.toml`.
const RUST: [&str; 6] = [
    ".cargo/config",
    ".cargo/config.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "build.rs",
    ".config/nextest.toml",
];

/// Modules that pytest or Python itself would import in place of the installed ones when such a file lies
/// in a folder from which tests import.
const SHADOWED: [&str; 34] = [
    "pytest",
    "_pytest",
    "pluggy",
    "iniconfig",
    "packaging",
    "xdist",
    "execnet",
    "pytest_asyncio",
    "pytest_cov",
    "exceptiongroup",
    "tomli",
    "py",
    "unittest",
    "importlib",
    "inspect",
    "ast",
    "traceback",
    "doctest",
    "difflib",
    "warnings",
    "logging",
    "dataclasses",
    "contextlib",
    "functools",
    "pathlib",
    "tempfile",
    "subprocess",
    "json",
    "pdb",
    "faulthandler",
    "pprint",
    "random",
    "types",
    "site",
];

/// Which manifests a runner looks at tells its family.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "a command may belong to any of the families")]
pub(crate) struct Family {
    pub(crate) javascript: bool,
    pub(crate) python: bool,
    pub(crate) rust: bool,
    pub(crate) go: bool,
}

/// Compiled globs of whole files.
#[derive(Debug)]
pub(crate) struct WholeFiles {
    names: GlobSet,
    paths: GlobSet,
    python: bool,
}

impl WholeFiles {
    /// Compiles a runner's own globs together with those of its family.
    pub(crate) fn new(own: &[String], family: Family) -> Self {
        let mut texts: Vec<&str> = own.iter().map(String::as_str).collect();
        texts.extend(ALWAYS);
        for (is_of_family, globs) in
            [(family.javascript, &JAVASCRIPT[..]), (family.python, &PYTHON[..]), (family.rust, &RUST[..])]
        {
            if is_of_family {
                texts.extend(globs);
            }
        }
        let set = |of_paths: bool| {
            let mut set = GlobSetBuilder::new();
            for text in texts.iter().filter(|text| text.contains('/') == of_paths) {
                let text = if of_paths && !text.starts_with("**/") { format!("**/{text}") } else { (*text).to_owned() };
                // Some file systems find `PyTest.ini` under the name `pytest.ini`.
                if let Ok(glob) = GlobBuilder::new(&text).literal_separator(true).case_insensitive(true).build() {
                    set.add(glob);
                }
            }
            set.build().unwrap_or_default()
        };
        let (names, paths) = (set(false), set(true));
        Self { names, paths, python: family.python }
    }

    /// Returns whether a path is harness by its name.
    pub(crate) fn matches(&self, path: &str) -> bool {
        self.names.is_match(file_name(path)) || self.paths.is_match(path)
    }

    /// Returns the module that a file would take the place of, where `has_init` tells whether the folder
    /// is a package, whose modules have longer names.
    pub(crate) fn shadows(&self, path: &str, has_init: impl Fn(&str) -> bool) -> Option<&'static str> {
        if !self.python {
            return None;
        }
        let parts: Vec<&str> = path.split('/').collect();
        parts.iter().enumerate().find_map(|(index, part)| {
            let is_last = index + 1 == parts.len();
            let module = if is_last { part.strip_suffix(".py")? } else { part };
            let shadowed = SHADOWED.into_iter().find(|name| name.eq_ignore_ascii_case(module))?;
            let is_module = is_last || has_init(&parts[..=index].join("/"));
            (is_module && !has_init(&parts[..index].join("/"))).then_some(shadowed)
        })
    }
}

/// Says in words why a file matters.
pub(crate) fn reason(path: &str) -> &'static str {
    let lower = path.to_ascii_lowercase();
    let name = file_name(&lower);
    let has_part = |part: &str| lower.split('/').any(|found| found == part);
    let ends = |suffixes: &[&str]| suffixes.iter().any(|suffix| name.ends_with(suffix));
    if has_part("node_modules") {
        "it stands in place of an installed package"
    } else if has_part(".cargo") {
        "it can replace the program that runs the test binaries"
    } else if name.starts_with("rust-toolchain") || name == ".nvmrc" || name.ends_with("-version") {
        "it decides which version of the tools runs the tests"
    } else if has_part("vendor") {
        "it stands in place of a dependency"
    } else if name == "build.rs" {
        "it runs while the tests are built"
    } else if lower.contains(".egg-info") || lower.contains(".dist-info") || ends(&[".egg-link"]) {
        "it can register plugins of the test runner"
    } else if ends(&[".pth"]) || name.starts_with("sitecustomize") || name.starts_with("usercustomize") {
        "Python runs it before any test"
    } else if ends(&[".pyc", ".pyo", ".so", ".pyd"]) {
        "Python may load it in place of the source that is reviewed"
    } else if name == "conftest.py" {
        "pytest runs it, and it can change what tests report"
    } else if name == ".gitattributes" {
        "it decides what the files of a checkout hold"
    } else if name == ".gitmodules" {
        "it decides which other repositories a checkout holds"
    } else if name.starts_with(".env") {
        "it sets variables of the test run"
    } else if name.starts_with(".npmrc") || name.starts_with(".yarnrc") || name.starts_with(".pnp") {
        "it can replace the programs and packages that run the tests"
    } else {
        "it decides how the tests run and count"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expected: bool) {
        let family = Family { javascript: true, python: true, rust: true, go: true };
        let whole =
            WholeFiles::new(&["vitest.config.*", ".config/nextest.toml", "conftest.py"].map(str::to_owned), family);
        assert_eq!(whole.matches(path), expected, "{path}");
    }

    #[test]
    fn harness_files_are_known_in_any_folder_and_case() {
        for path in [
            "vitest.config.ts",
            "packages/a/vitest.config.mjs",
            "VITEST.config.js",
            ".config/nextest.toml",
            "member/.cargo/config.toml",
            "a/conftest.py",
            "node_modules/.bin/vitest",
            "x.egg-info/entry_points.txt",
            "src/__pycache__/slug.cpython-311.pyc",
            "src/sitecustomize.py",
            ".gitattributes",
            "a.pth",
        ] {
            check(path, true);
        }
        for path in ["src/vitest.ts", "config/nextest.toml", "src/conftest_helper.py", "docs/cargo/config.toml"] {
            check(path, false);
        }
    }

    #[test]
    fn a_module_is_shadowed_only_from_where_tests_import() {
        let family = Family { javascript: false, python: true, rust: false, go: false };
        let whole = WholeFiles::new(&[], family);
        let has_init = |folder: &str| matches!(folder, "pkg" | "_pytest" | "tests/unittest");
        assert_eq!(whole.shadows("pytest.py", has_init), Some("pytest"));
        assert_eq!(whole.shadows("src/pluggy.py", has_init), Some("pluggy"));
        assert_eq!(whole.shadows("_pytest/runner.py", has_init), Some("_pytest"));
        assert_eq!(whole.shadows("tests/unittest/__init__.py", has_init), Some("unittest"));
        assert_eq!(whole.shadows("tests/unittest_data/a.py", has_init), None);
        assert_eq!(whole.shadows("tests/json/data.py", has_init), None);
        assert_eq!(whole.shadows("pkg/json.py", has_init), None);
    }
}
