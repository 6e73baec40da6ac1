//! Measures how long 10,000 path rules take against 10,000 changed files: the medians of reading the contract and
//! of judging, for literal paths and for patterns. `cargo bench --bench rules`; exit status 1 when judging passes
//! its limit.

use agent_acceptance::contract::{self, Contract, Reading};
use agent_acceptance::facts::{Change, ChangeStatus, ChangedFile, Entry, Facts, FileKind, Known, Revision};
use agent_acceptance::verdict::{VerdictStatus, judge};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const RULES: usize = 10_000;
const FILES: usize = 10_000;
const LIMIT: Duration = Duration::from_millis(50);
const ROUNDS: usize = 15;

/// Writes the rule of that number.
type Rule = fn(usize) -> String;

/// How the rules are written, and whether the files keep to them.
const SHAPES: [(&str, Rule, VerdictStatus); 6] = [
    ("literal paths", |n| format!("\"packages/p{}/src/file{n}.ts\"", n % 100), VerdictStatus::Passed),
    ("literal paths, none changed", |n| format!("\"packages/p{}/lib/file{n}.ts\"", n % 100), VerdictStatus::Failed),
    ("a file in any folder", |n| glob(&format!("**/file{n}.ts")), VerdictStatus::Passed),
    ("any ending", |n| glob(&format!("packages/p{}/src/file{n}.*", n % 100)), VerdictStatus::Passed),
    ("folders, none changed", |n| glob(&format!("packages/q{n}/**")), VerdictStatus::Failed),
    ("endings in braces", |n| glob(&format!("packages/**/*{n}.{{ts,tsx}}")), VerdictStatus::Passed),
];

fn main() -> ExitCode {
    let facts = facts();
    let mut all_hold = true;
    for (name, rule, expected) in SHAPES {
        let rules: Vec<_> = (0..RULES).map(rule).collect();
        let text = format!("{{\"changed_files_only\": [{}]}}", rules.join(","));
        let (contract, reading) = median(|| read(&text));
        let (verdict, judging) = median(|| judge(&contract, &facts));
        assert_eq!(verdict.status, expected, "{name}");
        let word = if judging <= LIMIT { "within" } else { "OVER" };
        all_hold &= judging <= LIMIT;
        say(&format!("{name:<30} reading {reading:>9.1?}   judging {judging:>9.1?} {word} {LIMIT:?}"));
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn glob(pattern: &str) -> String {
    format!("{{\"glob\": \"{pattern}\"}}")
}

fn read(text: &str) -> Contract {
    match contract::read(text.as_bytes()) {
        Reading::Valid(contract) => *contract,
        other => panic!("the contract is not valid: {other:?}"),
    }
}

fn facts() -> Facts {
    let file = |n| ChangedFile {
        path: format!("packages/p{}/src/file{n}.ts", n % 100).as_str().into(),
        status: ChangeStatus::Modified,
        kind: FileKind::Text,
        added: 1,
        deleted: 1,
        old: Some(Entry { mode: "100644".to_owned(), object: "1".repeat(40) }),
        new: Some(Entry { mode: "100644".to_owned(), object: "2".repeat(40) }),
        longest_line: None,
    };
    let revision = |name: &str| Revision { name: name.to_owned(), commit: "3".repeat(40) };
    let files = (0..FILES).map(file).collect();
    let change = Change { base: revision("main"), merge_base: "3".repeat(40), head: revision("HEAD"), files };
    Facts { change: Known::Known(change), ..Facts::none() }
}

/// Does something again and again; returns its last result and the median time.
fn median<T>(work: impl Fn() -> T) -> (T, Duration) {
    let mut times = Vec::new();
    let mut last = work();
    for _ in 0..ROUNDS {
        let started = Instant::now();
        last = work();
        times.push(started.elapsed());
    }
    times.sort_unstable();
    (last, times[times.len() / 2])
}

#[expect(clippy::print_stdout, reason = "a benchmark tells its figures")]
fn say(line: &str) {
    println!("{line}");
}
