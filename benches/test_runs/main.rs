//! Measures what the tool adds to a run of vitest: time by default, under `--strict` and with a cached baseline,
//! processor time and memory with 20,000 tests. Needs node, npm and a package registry.
//! `cargo bench --bench test_runs`; exit status 1 when a limit is passed.

#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Duration;
use support::{Figures, median, memory, program, ratio, say, side_by_side, this};
use tempfile::TempDir;

/// What a check may take, in bare runs of the runner.
const DEFAULT: f64 = 1.05;
/// And in runs through `npx`.
const BY_NPX: f64 = 1.0;
/// What a strict check may take, in its two bare runs.
const STRICT: f64 = 1.1;
/// What a check that compares with a cached baseline may take, in checks that compare with nothing.
const CACHED: f64 = 1.15;
/// What a check of 20,000 tests may take of the processors, in bare runs.
const PROCESSOR: f64 = 1.05;
/// The most memory of the tool's own processes with 20,000 tests, in megabytes.
const MEMORY: f64 = 150.0;

const ROUNDS: usize = 3;
/// Processor time is the median of so many.
const PROCESSOR_ROUNDS: usize = 5;

fn main() -> ExitCode {
    let mut figures = Figures::default();

    let project = Project::new(24, 25);
    let cache = tempfile::tempdir().expect("a temporary folder");
    let cache = ["--cache-dir", cache.path().to_str().expect("UTF-8")];
    let plain = || project.check("plain", &[]);
    let ways: [support::Way<'_>; 5] =
        [&plain, &|| project.bare(), &|| project.npx(), &|| project.check("plain", &["--strict"]), &|| {
            project.check("baseline", &cache)
        }];
    let times = side_by_side(ROUNDS, &ways);
    say(&format!("24 files, 600 tests: check {:.2?}, bare {:.2?}, npx {:.2?}", times[0], times[1], times[2]));
    say(&format!("strict {:.2?}, with a cached baseline {:.2?}", times[3], times[4]));
    figures.hold("check, by the bare runner", ratio(times[0], times[1]), DEFAULT, "x");
    figures.hold("check, by npx", ratio(times[0], times[2]), BY_NPX, "x");
    figures.hold("check --strict, by two bare runs", ratio(times[3], times[1] * 2), STRICT, "x");
    figures.hold("check with a cached baseline, by check", ratio(times[4], times[0]), CACHED, "x");
    drop(project);

    let project = Project::new(20, 1_000);
    let times: Option<Vec<(Duration, Duration)>> = (0..PROCESSOR_ROUNDS)
        .map(|_| {
            let checked = memory::processor_time(&mut project.check("plain", &[]))?;
            Some((checked, memory::processor_time(&mut project.bare())?))
        })
        .collect();
    match times {
        Some(times) => {
            let (checked, bare): (Vec<_>, Vec<_>) = times.into_iter().unzip();
            let (checked, bare) = (median(checked), median(bare));
            say(&format!("20,000 tests, processor time: check {checked:.2?}, bare {bare:.2?}"));
            figures.hold("20,000 tests: processor time, by the bare runner", ratio(checked, bare), PROCESSOR, "x");
        }
        None => say("processor time is measured on Linux only"),
    }
    let this_program = Path::new(env!("CARGO_BIN_EXE_agent-acceptance"));
    match memory::most_of(&mut project.check("plain", &[]), Some(this_program)) {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        Some(most) => figures.hold("20,000 tests: memory of the tool's processes", most as f64 / 1e6, MEMORY, "MB"),
        None => say("memory is measured on Linux only"),
    }
    figures.end()
}

/// A repository with a branch `pr` checked out that adds one file of tests, and vitest installed.
struct Project {
    folder: TempDir,
}

impl Project {
    fn new(n_files: usize, n_tests: usize) -> Self {
        let project = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        let packages = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages/vitest3");
        for name in ["package.json", "package-lock.json"] {
            std::fs::copy(packages.join(name), project.path().join(name)).expect("a lock file");
        }
        project.run("npm", &["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]);
        project.write(".gitignore", "node_modules\n");
        project.write("src/double.ts", "export const double = (n: number) => n * 2;\n");
        for number in 1..n_files {
            project.write(&format!("tests/part{number}.test.ts"), &tests(n_tests));
        }
        project.run("git", &["init", "--quiet", "--initial-branch=main", "."]);
        project.commit();
        project.run("git", &["checkout", "--quiet", "-b", "pr"]);
        project.write("tests/part0.test.ts", &tests(n_tests));
        project.commit();
        let all = n_files * n_tests;
        let clause =
            |more: &str| format!("{{\"tests\": [{{\"command\": \"npx vitest run\", \"passed\": {all}{more}}}]}}");
        std::fs::write(project.contract("plain"), clause("")).expect("a contract");
        std::fs::write(project.contract("baseline"), clause(", \"pass_to_pass\": true")).expect("a contract");
        project
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn contract(&self, name: &str) -> std::path::PathBuf {
        self.path().join(".git").join(format!("{name}.json"))
    }

    fn write(&self, name: &str, text: &str) {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(file, text).expect("a file");
    }

    fn run(&self, name: &str, args: &[&str]) {
        let ended = program(name, self.path()).args(args).status();
        assert!(ended.is_ok_and(|status| status.success()), "{name} {args:?} failed");
    }

    fn commit(&self) {
        self.run("git", &["add", "--all"]);
        let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
        self.run("git", &[&who[..], &["commit", "--quiet", "--message=x"]].concat());
    }

    fn check(&self, contract: &str, more: &[&str]) -> Command {
        let mut command = this(self.path());
        command.args(["check", "--base", "main"]).arg(self.contract(contract)).args(more);
        command
    }

    fn bare(&self) -> Command {
        let mut command = program("node", self.path());
        command.args(["node_modules/vitest/vitest.mjs", "run"]);
        command
    }

    fn npx(&self) -> Command {
        let mut command = program("npx", self.path());
        command.args(["vitest", "run"]);
        command
    }
}

fn tests(count: usize) -> String {
    let mut text = "import { expect, it } from 'vitest';\nimport { double } from '../src/double';\n\n".to_owned();
    for number in 0..count {
        writeln!(text, "it('doubles {number}', () => expect(double({number})).toBe({}));", number * 2).expect("memory");
    }
    text
}
