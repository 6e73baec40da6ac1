//! What a person at a terminal sees while tests run: one line that is rewritten, and with `-v` what the
//! runners print. All of it goes to stderr.

use crate::collect::{Progress, Step};
use crate::report::escape::{visible, workflow_log};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, PoisonError};
use unicode_width::UnicodeWidthChar as _;

/// Longer lines of a runner's output are cut, in bytes.
const LONGEST_LINE: usize = 4096;

/// Shows progress on stderr.
#[derive(Debug)]
pub(super) struct Shown {
    is_terminal: bool,
    columns: usize,
    is_in_actions: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Whether the rewritten line is on the screen.
    is_line_shown: bool,
    /// Output that has no line end yet, by step.
    unfinished: BTreeMap<String, Vec<u8>>,
}

impl Shown {
    /// Shows on a terminal unless `is_quiet`; runners' output is shown anywhere.
    pub(super) fn new(is_quiet: bool, columns: usize, is_in_actions: bool) -> Self {
        let is_terminal = !is_quiet && io::stderr().is_terminal();
        Self { is_terminal, columns, is_in_actions, state: Mutex::default() }
    }

    fn clear(&self, state: &mut State) -> &'static str {
        let is_shown = std::mem::take(&mut state.is_line_shown);
        if is_shown && self.is_terminal { "\r\u{1b}[K" } else { "" }
    }

    fn print_line(&self, name: &str, line: &[u8], to: &mut String) {
        let line = &line[..line.len().min(LONGEST_LINE)];
        let text = String::from_utf8_lossy(line);
        let line = format!("{name} | {}\n", visible(text.trim_end_matches('\r')));
        to.push_str(&if self.is_in_actions { workflow_log(&line) } else { line });
    }
}

impl Progress for Shown {
    fn step(&self, step: &Step<'_>) {
        if !self.is_terminal {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let line = cut(&line_of(step), self.columns.saturating_sub(1));
        state.is_line_shown = true;
        // Progress that cannot be shown is no reason to stop.
        let _ = io::stderr().write_all(format!("\r\u{1b}[K{line}").as_bytes());
    }

    fn output(&self, step: &Step<'_>, piece: &[u8]) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{} {}", step.kind, step.number);
        let mut waiting = state.unfinished.remove(&name).unwrap_or_default();
        waiting.extend_from_slice(piece);
        let mut shown = self.clear(&mut state).to_owned();
        while let Some(end) = waiting.iter().position(|byte| *byte == b'\n') {
            let rest = waiting.split_off(end + 1);
            self.print_line(&name, &waiting[..end], &mut shown);
            waiting = rest;
        }
        if waiting.len() > LONGEST_LINE {
            self.print_line(&name, &waiting, &mut shown);
            waiting.clear();
        }
        state.unfinished.insert(name, waiting);
        let _ = io::stderr().write_all(shown.as_bytes());
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let mut state = std::mem::take(&mut *self.state.lock().unwrap_or_else(PoisonError::into_inner));
        let mut shown = self.clear(&mut state).to_owned();
        for (name, waiting) in state.unfinished.iter().filter(|(_, waiting)| !waiting.is_empty()) {
            self.print_line(name, waiting, &mut shown);
        }
        let _ = io::stderr().write_all(shown.as_bytes());
    }
}

/// Says why nothing happens for a while.
#[cfg(feature = "github")]
pub(super) fn waiting_for_github(wait: std::time::Duration) {
    let _ = writeln!(io::stderr(), "waiting {} s for GitHub, as long as --max-wait allows", wait.as_secs());
}

/// Returns the line of a step: `tests 1/2  vitest run  at HEAD  1204 passed  0 failed  12 s`.
fn line_of(step: &Step<'_>) -> String {
    let (passed, failed) = step.so_far;
    let mut line =
        format!("  {} {}/{}  {}  {}", step.kind, step.number, step.of, visible(step.command), visible(step.side));
    if passed + failed > 0 {
        let _ = write!(line, "  {passed} passed  {failed} failed");
    }
    let _ = write!(line, "  {} s", step.elapsed.as_secs());
    line
}

/// Cuts in the middle of the command rather than at the end, where the numbers are.
fn cut(line: &str, columns: usize) -> String {
    let width = |text: &str| text.chars().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    if width(line) <= columns {
        return line.to_owned();
    }
    let tail: String = line.chars().rev().take(40).collect::<Vec<_>>().into_iter().rev().collect();
    let mut head = String::new();
    for c in line.chars() {
        if width(&head) + c.width().unwrap_or(0) + 3 + width(&tail) > columns {
            break;
        }
        head.push(c);
    }
    format!("{head}...{tail}")
}

#[cfg(test)]
mod tests {
    use super::{cut, line_of};
    use crate::collect::Step;
    use std::time::Duration;

    #[test]
    fn the_line_fits_and_keeps_its_numbers() {
        let command = "vitest run a/very/long/path/of/a/test/file/that/does/not/fit.test.ts\u{1b}[2J";
        let elapsed = Duration::from_secs(12);
        let step = Step { kind: "tests", number: 1, of: 2, command, side: "at HEAD", so_far: (1204, 0), elapsed };
        let line = cut(&line_of(&step), 79);
        assert_eq!(line.chars().count(), 79);
        assert!(line.starts_with("  tests 1/2  vitest run") && line.ends_with("1204 passed  0 failed  12 s"), "{line}");
        assert!(!line.contains('\u{1b}'));
    }
}
