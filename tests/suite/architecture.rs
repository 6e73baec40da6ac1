//! The architecture's invariants, most of them absences: what a room must not know, what no file holds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Each room and the rooms that it may use. DESIGN's picture, and docs/ARCHITECTURE.md's.
const ROOMS: &[(&str, &[&str])] = &[
    ("exit", &[]),
    ("error", &["exit"]),
    ("facts", &["error"]),
    ("json", &["facts"]),
    ("exec", &["error", "exit", "facts"]),
    ("git", &["error", "exec", "facts"]),
    ("github", &["error", "exec", "facts"]),
    ("runners", &["error", "exec", "facts", "json"]),
    ("clauses", &["error", "facts", "json", "runners"]),
    ("contract", &["clauses", "error", "facts", "json"]),
    ("collect", &["error", "exec", "facts", "git", "json", "runners"]),
    ("source", &["error", "exec", "facts", "git", "github"]),
    ("verdict", &["clauses", "contract", "error", "facts"]),
    ("report", &["clauses", "contract", "error", "exit", "facts", "verdict"]),
    ("cli", &[]),
    ("settings", &["cli", "error", "exec", "report"]),
    (
        "commands",
        &[
            "clauses", "cli", "collect", "contract", "error", "exec", "exit", "facts", "git", "github", "json",
            "report", "runners", "settings", "source", "verdict",
        ],
    ),
];

/// A file of the crate: its path relative to the root with `/`, and its text.
struct Source {
    path: String,
    text: String,
    /// Whether it is compiled for tests alone.
    is_test: bool,
}

impl Source {
    /// Returns the text without comments' lines, and without the tests at its end. Of a test file nothing
    /// is left.
    fn code(&self) -> Vec<(usize, &str)> {
        if self.is_test {
            return Vec::new();
        }
        let lines = self.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let lines =
            lines.take_while(|(_, line)| !line.starts_with("#[cfg(test)]") && !line.starts_with("#[cfg(all(test,"));
        lines.filter(|(_, line)| !line.trim_start().starts_with("//")).collect()
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files_below(folder: &Path, all: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() { files_below(&path, all) } else { all.push(path) }
    }
}

fn sources(folder: &str) -> Vec<Source> {
    let mut files = Vec::new();
    files_below(&root().join(folder), &mut files);
    let rust = files.into_iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
    let mut sources: Vec<Source> = rust
        .map(|path| {
            let relative = path.strip_prefix(root()).expect("below the root").to_string_lossy().replace('\\', "/");
            let text = std::fs::read_to_string(&path).expect("Rust source is text");
            Source { text, is_test: relative.starts_with("tests/"), path: relative }
        })
        .collect();
    let declared =
        regex::Regex::new(r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub\S* )?mod ([a-z_]+);")
            .expect("a pattern");
    let mut tests = Vec::new();
    for source in &sources {
        let folder = source.path.trim_end_matches(".rs").trim_end_matches("mod").trim_end_matches('/');
        let names = declared.captures_iter(&source.text).map(|found| format!("{folder}/{}", &found[1]));
        tests.extend(names);
    }
    for source in &mut sources {
        let stem = source.path.trim_end_matches(".rs");
        source.is_test |= tests.iter().any(|test| stem == test || stem.starts_with(&format!("{test}/")));
    }
    sources
}

/// Returns the room of a file: `src/report/json.rs` is in `report`.
fn room(path: &str) -> &str {
    path.trim_start_matches("src/").split('/').next().unwrap_or_default().trim_end_matches(".rs")
}

#[test]
fn rooms_use_only_rooms_below_them() {
    let allowed: BTreeMap<&str, &[&str]> = ROOMS.iter().copied().collect();
    let pattern = regex::Regex::new(r"\bcrate::(?:\{([^}]*)\}|([a-z_]+))").expect("a pattern");
    let mut wrong = Vec::new();
    for source in sources("src") {
        let here = room(&source.path);
        if matches!(here, "lib" | "main") {
            continue;
        }
        let Some(below) = allowed.get(here) else { panic!("{} is in no room of the plan", source.path) };
        for (line, text) in source.code() {
            for captures in pattern.captures_iter(text) {
                let names = captures.get(1).or_else(|| captures.get(2)).map_or("", |found| found.as_str());
                for name in names.split(',').map(|name| name.trim().split("::").next().unwrap_or_default()) {
                    if !name.is_empty() && name != here && !below.contains(&name) {
                        wrong.push(format!("{}:{line}: {here} must not know {name}", source.path));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_plan_of_rooms_has_no_circle() {
    let mut known: Vec<&str> = Vec::new();
    for (room, below) in ROOMS {
        for name in *below {
            assert!(known.contains(name), "{room} uses {name}, which stands above it");
        }
        known.push(room);
    }
}

#[test]
fn files_hold_one_concept_and_say_which() {
    for source in sources("src").into_iter().chain(sources("tests")) {
        let lines = source.text.lines().count();
        assert!(lines <= 500, "{} has {lines} lines, and 500 are the limit", source.path);
        assert!(source.is_test || source.text.starts_with("//! "), "{} does not say what it owns", source.path);
    }
}

#[test]
fn code_holds_no_words_of_unfinished_work() {
    const EVERYWHERE: &[&str] =
        &["todo!(", "dbg!(", "unimplemented!(", "// TODO", "// FIXME", "// XXX", "#[allow(", "#![allow("];
    const IN_CODE: &[&str] = &[".unwrap()", "panic!(", "println!(", "eprintln!(", "process::exit("];
    for source in sources("src").into_iter().chain(sources("tests")) {
        let is_this = source.path == "tests/suite/architecture.rs";
        for (index, line) in source.text.lines().enumerate().filter(|_| !is_this) {
            let found = EVERYWHERE.iter().find(|word| line.contains(**word));
            assert!(found.is_none(), "{}:{}: {found:?}", source.path, index + 1);
        }
        for (line, text) in source.code() {
            let found = IN_CODE.iter().find(|word| text.contains(**word));
            // Ctrl-C, and a panic: nothing is left that could return.
            let may_exit = ["src/exec/interrupt.rs", "src/commands/mod.rs"].contains(&source.path.as_str());
            let is_expected = text.contains("process::exit(") && may_exit;
            assert!(found.is_none() || is_expected, "{}:{line}: {found:?}", source.path);
        }
    }
}

#[test]
fn only_their_rooms_touch_the_world() {
    const OWNERS: &[(&str, &[&str])] = &[
        ("Command::new(", &["exec", "git"]),
        ("duct::", &["exec", "git"]),
        // `exec` owns the variables that this tool gives to its own processes.
        ("env::var", &["settings", "exec"]),
        ("octocrab", &["github"]),
        ("tokio::", &["github"]),
        ("TcpStream", &["exec", "github"]),
        ("UnixListener", &["exec"]),
        ("clap::", &["cli", "settings", "commands"]),
        ("owo_colors", &["report"]),
    ];
    for source in sources("src") {
        for (line, text) in source.code() {
            for (word, owners) in OWNERS {
                let is_owner = owners.contains(&room(&source.path));
                assert!(is_owner || !text.contains(word), "{}:{line}: {word} belongs to {owners:?}", source.path);
            }
        }
    }
}

#[test]
fn nothing_names_a_machine_or_a_registry() {
    // Put together here, so that this file does not hold them.
    let words = [
        ["/wo", "rk/tmp"],
        ["/wo", "rk/shared"],
        ["/ro", "ot/."],
        ["registry.", "npmjs"],
        ["crates", ".io/api"],
        ["pypi", ".org"],
    ];
    let words: Vec<String> = words.iter().map(|parts| parts.concat()).collect();
    let mut files = Vec::new();
    for folder in ["src", "tests", "docs", "man", "completions", "benches", "fuzz", ".ci", ".github"] {
        let folder = root().join(folder);
        if folder.is_dir() {
            files_below(&folder, &mut files);
        }
    }
    files.extend(["README.md", "CHANGELOG.md", "Cargo.toml", "action.yml"].map(|name| root().join(name)));
    let is_output =
        |path: &Path| path.components().any(|part| part.as_os_str() == "target" || part.as_os_str() == "corpus");
    for path in files.into_iter().filter(|path| path.is_file() && !is_output(path)) {
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file")).into_owned();
        let found = words.iter().find(|word| text.contains(word.as_str()));
        assert!(found.is_none(), "{} names {found:?}", path.display());
    }
}

#[test]
fn the_top_of_the_source_is_the_plan() {
    let mut names: Vec<String> = std::fs::read_dir(root().join("src"))
        .expect("src")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().trim_end_matches(".rs").to_owned())
        .collect();
    names.sort();
    let mut plan: Vec<&str> = ROOMS.iter().map(|(room, _)| *room).chain(["lib", "main"]).collect();
    plan.sort_unstable();
    assert_eq!(names, plan);
}
