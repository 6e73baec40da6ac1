//! What the benchmarks share: commands timed in turns, and figures held against limits.

#![allow(dead_code, clippy::allow_attributes, reason = "each benchmark uses a part of it")]

pub(crate) mod memory;

use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Figures beside their limits.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    is_any_over: bool,
}

impl Figures {
    /// Tells a figure, and remembers when it passes its limit.
    pub(crate) fn hold(&mut self, name: &str, found: f64, limit: f64, unit: &str) {
        let word = if found <= limit { "within" } else { "OVER" };
        self.is_any_over |= found > limit;
        say(&format!("{name:<58} {found:>8.2} {unit:<3} {word} {limit}"));
    }

    /// Returns the benchmark's exit status.
    pub(crate) fn end(&self) -> ExitCode {
        if self.is_any_over { ExitCode::FAILURE } else { ExitCode::SUCCESS }
    }
}

/// One way to spend time.
pub(crate) type Way<'a> = &'a dyn Fn() -> Command;

/// Runs each in turn, again and again, so that all see the same machine; returns the medians. A program
/// that is not installed takes no time.
pub(crate) fn side_by_side(n_rounds: usize, ways: &[Way<'_>]) -> Vec<Duration> {
    let mut times = vec![Vec::new(); ways.len()];
    for round in 0..=n_rounds {
        for (way, times) in ways.iter().zip(&mut times) {
            let time = time(&mut way());
            // The first round warms the file cache.
            if round > 0 {
                times.push(time);
            }
        }
    }
    times.into_iter().map(median).collect()
}

/// Runs a command, which must succeed, and returns how long it took.
pub(crate) fn time(command: &mut Command) -> Duration {
    let started = Instant::now();
    match command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status() {
        Ok(status) if status.success() => started.elapsed(),
        Err(error) if error.kind() == ErrorKind::NotFound => Duration::ZERO,
        other => panic!("{command:?} failed: {other:?}"),
    }
}

/// Returns the middle one.
pub(crate) fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

/// Returns how many times longer the one took than the other.
pub(crate) fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

/// A program to start in a folder, without the user's configuration of git.
pub(crate) fn program(program: impl AsRef<Path>, folder: &Path) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a benchmark starts what it measures")]
    let mut command = Command::new(program.as_ref());
    command.current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// The program under measurement.
pub(crate) fn this(folder: &Path) -> Command {
    program(env!("CARGO_BIN_EXE_agent-acceptance"), folder)
}

/// Prints a line.
#[expect(clippy::print_stdout, reason = "a benchmark tells its figures")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}
