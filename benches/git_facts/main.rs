//! Measures what facts from git cost, side by side with bare git in one run: medians of wall time, and the
//! most memory. `cargo bench --bench git_facts`; exit status 1 when a limit is passed.

mod repository;
#[path = "../support/mod.rs"]
mod support;

use repository::BenchRepository;
use std::process::{Command, ExitCode};
use std::time::Duration;
use support::{Figures, memory, program, ratio, say, side_by_side, this};

/// What a check of a small repository may take, in runs of `git diff --numstat` and of `node -e 0`.
const SMALL_BY_GIT: f64 = 6.0;
const SMALL_BY_NODE: f64 = 0.3;
/// What a check of 10,000 changed files may take, in runs of `git diff --numstat`.
const LARGE_BY_GIT: f64 = 1.25;
/// The most memory for 50,000 changed files, with all processes of git, in bytes.
const MOST_MEMORY: u64 = 300 << 20;

fn main() -> ExitCode {
    let mut figures = Figures::default();

    let small = BenchRepository::new(20, 3, 40);
    let times = side_by_side(61, &[&|| check(&small), &|| bare_git(&small)]);
    say(&format!("a small repository: check {:.1?}, git diff {:.1?}", times[0], times[1]));
    let by_git = ratio(times[0], times[1]);
    figures.hold("check of a small repository, by git diff --numstat", by_git, SMALL_BY_GIT, "x");
    // Apart from the first, as node leaves the caches of the processors cold for whatever comes next.
    let times = side_by_side(15, &[&|| check(&small), &|| node(&small)]);
    if times[1] > Duration::ZERO {
        say(&format!("a small repository: check {:.1?}, node -e 0 {:.1?}", times[0], times[1]));
        figures.hold("check of a small repository, by node -e 0", ratio(times[0], times[1]), SMALL_BY_NODE, "x");
    } else {
        say("node is not there, so its start was not measured");
    }

    let large = BenchRepository::new(12_000, 10_000, 80);
    let times = side_by_side(9, &[&|| check(&large), &|| bare_git(&large)]);
    say(&format!("10,000 changed files: check {:.1?}, git diff {:.1?}", times[0], times[1]));
    let by_git = ratio(times[0], times[1]);
    figures.hold("check of 10,000 changed files, by git diff --numstat", by_git, LARGE_BY_GIT, "x");
    drop(large);

    let many = BenchRepository::new(50_000, 50_000, 4);
    match memory::most(&mut check(&many)) {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        Some(most) => {
            let limit = MOST_MEMORY as f64 / 1e6;
            figures.hold("check of 50,000 changed files, all processes", most as f64 / 1e6, limit, "MB");
        }
        None => say("memory is measured on Linux only"),
    }
    figures.end()
}

fn check(repository: &BenchRepository) -> Command {
    let mut command = this(repository.path());
    command.args(["check", "--base", "main", "--head", "pr"]).arg(repository.contract());
    command
}

fn bare_git(repository: &BenchRepository) -> Command {
    let mut command = program("git", repository.path());
    command.args(["diff", "--numstat", "main...pr"]);
    command
}

fn node(repository: &BenchRepository) -> Command {
    let mut command = program("node", repository.path());
    command.args(["-e", "0"]);
    command
}
