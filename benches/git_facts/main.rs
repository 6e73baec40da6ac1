//! Measures what facts from git cost, side by side with bare git in one run: medians of wall time, and the
//! most memory. `cargo bench --bench git_facts`; exit status 1 when a limit is passed.

mod memory;
mod repository;

use repository::BenchRepository;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// What a check of a small repository may take, in runs of `git diff --numstat` and of `node -e 0`.
const SMALL_BY_GIT: f64 = 6.0;
const SMALL_BY_NODE: f64 = 0.3;
/// What a check of 10,000 changed files may take, in runs of `git diff --numstat`.
const LARGE_BY_GIT: f64 = 1.25;
/// The most memory for 50,000 changed files, with all processes of git, in bytes.
const MOST_MEMORY: u64 = 300 << 20;

fn main() -> ExitCode {
    let mut all_hold = true;
    let mut hold = |name: &str, found: f64, limit: f64, unit: &str| {
        let word = if found <= limit { "within" } else { "OVER" };
        all_hold &= found <= limit;
        say(&format!("{name:<52} {found:>8.2} {unit:<4} {word} {limit}"));
    };

    let small = BenchRepository::new(20, 3, 40);
    let times = side_by_side(&small, 31, &[&check, &bare_git, &node]);
    say(&format!("a small repository: check {:.1?}, git diff {:.1?}, node -e 0 {:.1?}", times[0], times[1], times[2]));
    hold("check of a small repository, by git diff --numstat", ratio(times[0], times[1]), SMALL_BY_GIT, "x");
    if times[2] > Duration::ZERO {
        hold("check of a small repository, by node -e 0", ratio(times[0], times[2]), SMALL_BY_NODE, "x");
    } else {
        say("node is not there, so its start was not measured");
    }

    let large = BenchRepository::new(12_000, 10_000, 80);
    let times = side_by_side(&large, 9, &[&check, &bare_git]);
    say(&format!("10,000 changed files: check {:.1?}, git diff {:.1?}", times[0], times[1]));
    hold("check of 10,000 changed files, by git diff --numstat", ratio(times[0], times[1]), LARGE_BY_GIT, "x");
    drop(large);

    let many = BenchRepository::new(50_000, 50_000, 4);
    match memory::most(&mut check(&many)) {
        #[expect(clippy::cast_precision_loss, reason = "a figure for people")]
        Some(most) => {
            hold("check of 50,000 changed files, all processes", most as f64 / 1e6, MOST_MEMORY as f64 / 1e6, "MB");
        }
        None => say("memory is measured on Linux only"),
    }
    if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One way to spend time on a repository.
type Way<'a> = &'a dyn Fn(&BenchRepository) -> Command;

/// Runs each in turn, again and again, so that all see the same machine; returns the medians. A program
/// that is not installed takes no time.
fn side_by_side(repository: &BenchRepository, n_rounds: usize, ways: &[Way<'_>]) -> Vec<Duration> {
    let mut times = vec![Vec::new(); ways.len()];
    for round in 0..=n_rounds {
        for (way, times) in ways.iter().zip(&mut times) {
            let started = Instant::now();
            let mut command = way(repository);
            let ended = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
            let time = match ended {
                Ok(status) if status.success() => started.elapsed(),
                Err(error) if error.kind() == ErrorKind::NotFound => Duration::ZERO,
                other => panic!("{command:?} failed: {other:?}"),
            };
            // The first round warms the file cache.
            if round > 0 {
                times.push(time);
            }
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

fn check(repository: &BenchRepository) -> Command {
    let mut command = program(Path::new(env!("CARGO_BIN_EXE_agent-acceptance")), repository);
    command.args(["check", "--base", "main", "--head", "pr"]).arg(repository.contract());
    command
}

fn bare_git(repository: &BenchRepository) -> Command {
    let mut command = program(Path::new("git"), repository);
    command.args(["diff", "--numstat", "main...pr"]);
    command
}

fn node(repository: &BenchRepository) -> Command {
    let mut command = program(Path::new("node"), repository);
    command.args(["-e", "0"]);
    command
}

fn program(program: &Path, repository: &BenchRepository) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a benchmark starts what it measures")]
    let mut command = Command::new(program);
    command.current_dir(repository.path()).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

#[expect(clippy::print_stdout, reason = "a benchmark tells its figures")]
fn say(line: &str) {
    println!("{line}");
}
