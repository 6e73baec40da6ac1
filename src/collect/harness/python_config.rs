//! Which parts of `pyproject.toml`, `setup.cfg`, `tox.ini` and `setup.py` decide how tests run.
//! Knows nothing of other files or of who may change them.

use super::part::{Part, lookup};
use serde_json::Value;

/// Dotted keys of `pyproject.toml` that matter for every Python runner.
const PYPROJECT: [(&str, &str); 5] = [
    ("tool.pytest", "it configures pytest"),
    ("project.entry-points.pytest11", "it registers plugins of pytest"),
    ("tool.poetry.plugins.pytest11", "it registers plugins of pytest"),
    ("tool.flit.entrypoints.pytest11", "it registers plugins of pytest"),
    ("build-system.backend-path", "it names programs that run when the project is installed"),
];

const DEPENDENCIES: [&str; 11] = [
    "project.dependencies",
    "project.optional-dependencies",
    "project.requires-python",
    "dependency-groups",
    "build-system.requires",
    "build-system.build-backend",
    "tool.poetry.dependencies",
    "tool.poetry.group",
    "tool.poetry.dev-dependencies",
    "tool.uv",
    "tool.pdm",
];

/// Sections of ini files that matter for every Python runner.
const SECTIONS: [&str; 2] = ["pytest", "tool:pytest"];

/// Compares two versions of `pyproject.toml`, `None` where there is none.
pub(crate) fn compare_pyproject(base: Option<&str>, head: Option<&str>, parts: &[&str]) -> Vec<Part> {
    let (Some(base), Some(head)) = (parse_toml(base), parse_toml(head)) else {
        return vec![Part::unreadable("TOML")];
    };
    let mut found = Vec::new();
    for (key, why) in PYPROJECT {
        if lookup(&base, key) != lookup(&head, key) {
            found.push(Part::fault(format!("[{key}]"), why));
        }
    }
    for key in parts {
        let known = PYPROJECT.iter().any(|(known, _)| key == known || key.starts_with(&format!("{known}.")));
        if !known && !DEPENDENCIES.contains(key) && lookup(&base, key) != lookup(&head, key) {
            found.push(Part::fault(format!("[{key}]"), "it decides how the tests run"));
        }
    }
    let changed: Vec<&str> = DEPENDENCIES.into_iter().filter(|key| lookup(&base, key) != lookup(&head, key)).collect();
    if !changed.is_empty() {
        found.push(Part::strict("dependencies", format!("dependencies change: {}", changed.join(", "))));
    }
    found
}

/// Compares two versions of an ini file, `None` where there is none.
pub(crate) fn compare_ini(base: Option<&str>, head: Option<&str>, parts: &[&str]) -> Vec<Part> {
    let (base, head) = (base.unwrap_or(""), head.unwrap_or(""));
    let mut found = Vec::new();
    let mut sections: Vec<&str> = SECTIONS.iter().chain(parts).copied().collect();
    sections.sort_unstable();
    sections.dedup();
    for section in sections {
        if section_lines(base, section) != section_lines(head, section) {
            found.push(Part::fault(format!("[{section}]"), "it configures the test runner"));
        }
    }
    let plugins = |text| -> Vec<String> {
        let lines = section_lines(text, "options.entry_points");
        if lines.iter().any(|line| line.contains("pytest11")) { lines } else { Vec::new() }
    };
    if plugins(base) != plugins(head) {
        found.push(Part::fault("[options.entry_points]", "it registers plugins of pytest"));
    }
    for section in ["options", "options.extras_require"] {
        if section_lines(base, section) != section_lines(head, section) {
            found.push(Part::strict(format!("[{section}]"), "dependencies change"));
        }
    }
    found
}

/// Compares two versions of `setup.py`, which runs when the project is installed, not when it is tested.
pub(crate) fn compare_setup_py(base: Option<&str>, head: Option<&str>) -> Vec<Part> {
    let plugins = |text: Option<&str>| -> Vec<String> {
        let text = text.unwrap_or("");
        // Python joins what stands side by side, so a name may be cut; a file that speaks of entry points
        // in any way is compared as a whole.
        if text.contains("pytest") || text.contains("entry_points") { vec![text.to_owned()] } else { Vec::new() }
    };
    if plugins(base) != plugins(head) {
        return vec![Part::fault("entry_points", "it can register plugins of pytest")];
    }
    vec![Part::strict("setup", "it decides what is installed")]
}

fn parse_toml(text: Option<&str>) -> Option<Value> {
    let table: toml::Table = text.unwrap_or("").trim_start_matches('\u{feff}').parse().ok()?;
    serde_json::to_value(table).ok()
}

/// Returns the lines of every section of that name, comments and empty lines left out.
///
/// Programs read ini files in different ways. Where they disagree this takes a line as part of the section: one
/// line too many is a question, one too few a hole.
pub(crate) fn section_lines(text: &str, name: &str) -> Vec<String> {
    let mut inside = false;
    let mut lines = Vec::new();
    for line in text.trim_start_matches('\u{feff}').split(['\n', '\r']) {
        let trimmed = line.trim();
        if let Some(header) = trimmed.strip_prefix('[') {
            let rest = header.trim_start().strip_prefix(name);
            if rest.is_some_and(|rest| rest.trim_start().starts_with(']')) {
                inside = true;
                lines.push(format!("[{name}]"));
                continue;
            }
            if line.starts_with('[') {
                inside = false;
                continue;
            }
        }
        if inside && !trimmed.is_empty() && !trimmed.starts_with(['#', ';']) {
            lines.push(line.trim_end().to_owned());
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sections(parts: &[Part]) -> Vec<&str> {
        parts.iter().map(|part| part.section.as_deref().unwrap_or("-")).collect()
    }

    fn check_pyproject(base: &str, head: &str, expected: &[&str]) {
        let parts = ["tool.pytest.ini_options", "tool.coverage"];
        assert_eq!(sections(&compare_pyproject(Some(base), Some(head), &parts)), expected, "{base} -> {head}");
    }

    #[test]
    fn sections_of_pyproject_that_decide_how_tests_run_are_seen() {
        check_pyproject("", "[tool.pytest.ini_options]\naddopts = '--deselect x'\n", &["[tool.pytest]"]);
        check_pyproject("", "tool = { 'pytest' = { ini_options = { addopts = '-x' } } }\n", &["[tool.pytest]"]);
        check_pyproject("", "[tool.ruff]\nline-length = 100\n[project]\nversion = '2'\n", &[]);
        check_pyproject("", "[project.entry-points.pytest11]\nx = 'y'\n", &["[project.entry-points.pytest11]"]);
        check_pyproject("", "[project]\ndependencies = ['a']\n", &["dependencies"]);
        check_pyproject("", "[build-system]\nbackend-path = ['.']\n", &["[build-system.backend-path]"]);
        check_pyproject("", "[tool.coverage]\nx = 1\n", &["[tool.coverage]"]);
        check_pyproject("[tool.pytest]\na = 1 # x\n", "[tool.pytest]\n\na   =  1\n", &[]);
        check_pyproject("", "[", &["-"]);
    }

    fn check_ini(base: &str, head: &str, expected: &[&str]) {
        assert_eq!(sections(&compare_ini(Some(base), Some(head), &[])), expected, "{base} -> {head}");
    }

    #[test]
    fn sections_of_ini_files_that_decide_how_tests_run_are_seen() {
        check_ini("", "[tool:pytest]\naddopts = -p x\n", &["[tool:pytest]"]);
        check_ini("[pytest]\na = 1\n", "[pytest]\n# note\na = 1\n\n[other]\nb = 2\n", &[]);
        check_ini("[pytest]\na = 1\n", "[pytest]\na = 1\n [other]\naddopts = -x\n", &["[pytest]"]);
        check_ini("[pytest]\na = 1\n", "[pytest]\na =\n  1\n", &["[pytest]"]);
        check_ini("", "[testenv]\ncommands = x\n", &[]);
        check_ini("", "[options.entry_points]\npytest11 =\n  x = y\n", &["[options.entry_points]"]);
        check_ini("", "[options.entry_points]\nconsole_scripts =\n  x = y\n", &[]);
        check_ini("", "[options]\ninstall_requires = a\n", &["[options]"]);
    }
}
