//! Measures commands that start no test: `parse` beside a program that does nothing, the demonstration, and a
//! document of a megabyte compared with 10,000 records. `cargo bench --bench small_commands`; exit status 1 when a
//! limit is passed.

#[path = "../support/mod.rs"]
mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use support::{Figures, program, say, side_by_side, this};

/// What `parse` may take beyond an empty program, in milliseconds.
const PARSE: f64 = 3.0;
/// What the demonstration may take, in seconds.
const DEMO: f64 = 2.0;
/// What judging a document of a megabyte may take, process and all, in milliseconds.
const DOCUMENT: f64 = 100.0;

fn main() -> ExitCode {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path();
    let mut figures = Figures::default();

    let contract = "{\"changed_files_only\": [\"src/a.ts\", {\"glob\": \"tests/**\"}], \"max_added_lines\": 20,
        \"tests\": [{\"command\": \"npx vitest run\", \"passed\": {\"at_least\": 4}}]}";
    std::fs::write(folder.join("task.json"), contract).expect("a contract");
    let nothing = empty_program(folder);
    let times = side_by_side(101, &[&|| with(folder, &["parse", "task.json"]), &|| program(&nothing, folder)]);
    say(&format!("parse {:.2?}, a program that does nothing {:.2?}", times[0], times[1]));
    let beyond = (times[0].as_secs_f64() - times[1].as_secs_f64()) * 1e3;
    figures.hold("parse, beyond a program that does nothing", beyond, PARSE, "ms");

    let times = side_by_side(3, &[&|| with(folder, &["check", "--demo"])]);
    figures.hold("check --demo", times[0].as_secs_f64(), DEMO, "s");

    let (document, facts) = records();
    say(&format!("a document of {} bytes with {RECORDS} records", document.len()));
    let contract = "{\"artifacts\": [{\"path\": \"a.json\", \"max_bytes\": 2000000,
        \"records\": [{\"at\": \"/t\", \"key\": \"id\", \"source_file\": \"facts.json\"}]}]}";
    for (name, text) in [("document.json", document.as_str()), ("facts.json", &facts), ("contract.json", contract)] {
        std::fs::write(folder.join(name), text).expect("a file");
    }
    let args = ["check", "contract.json", "--artifact", "a.json=document.json", "--source", "facts.json=facts.json"];
    let times = side_by_side(15, &[&|| with(folder, &args)]);
    figures.hold("a document with 10,000 records", times[0].as_secs_f64() * 1e3, DOCUMENT, "ms");
    figures.end()
}

fn with(folder: &Path, args: &[&str]) -> Command {
    let mut command = this(folder);
    command.args(args);
    command
}

/// Compiles a program that does nothing.
fn empty_program(folder: &Path) -> PathBuf {
    std::fs::write(folder.join("nothing.rs"), "fn main() {}\n").expect("a source file");
    let path = folder.join(format!("nothing{}", std::env::consts::EXE_SUFFIX));
    let compiled = program("rustc", folder).args(["-O", "nothing.rs", "-o"]).arg(&path).status();
    assert!(compiled.is_ok_and(|status| status.success()), "the empty program must compile");
    path
}

const RECORDS: usize = 10_000;

/// Returns a document with all records in another order, and the facts by key.
fn records() -> (String, String) {
    let fields = |n: usize| {
        let what = "what happened at that time was written down here";
        format!("\"time\": \"{:02}:{:02}Z\", \"what\": \"{what}\"", n / 60 % 24, n % 60)
    };
    let rows: Vec<_> = (0..RECORDS).rev().map(|n| format!("{{\"id\": \"E{n}\", {}}}", fields(n))).collect();
    let facts: Vec<_> = (0..RECORDS).map(|n| format!("\"E{n}\": {{{}}}", fields(n))).collect();
    (format!("{{\"t\": [{}]}}", rows.join(",\n")), format!("{{{}}}", facts.join(",\n")))
}
