//! What libtest's binaries print: lists of tests, and the line that ends a run. Knows nothing of processes.

use regex::Regex;
use std::sync::LazyLock;

/// How much of the end of a test's output is kept, in bytes.
const TAIL_BYTES: usize = 64 * 1024;

/// What `--list --format terse` told.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum List {
    /// The tests, in libtest's order.
    Tests(Vec<String>),
    /// It holds benchmarks, or is no list at all: the binary has a harness of its own.
    NoList,
}

/// Reads what a binary answered to `--list --format terse`.
pub(crate) fn read_list(output: &[u8], is_success: bool) -> List {
    let Ok(text) = std::str::from_utf8(output) else { return List::NoList };
    let mut tests = Vec::new();
    for line in text.lines() {
        match line.strip_suffix(": test") {
            Some(name) if !name.is_empty() => tests.push(name.to_owned()),
            _ if line.trim().is_empty() => {}
            _ => return List::NoList,
        }
    }
    if is_success { List::Tests(tests) } else { List::NoList }
}

static RESULT: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^test result: ok\. 1 passed; 0 failed; 0 ignored; 0 measured; (\d+) filtered out(?:; finished in [0-9.]+s)?$",
    )
    .ok()
});

/// Returns whether the last line that says something is libtest's result line for exactly one passed test;
/// `n_filtered` is how many others the binary has.
pub(crate) fn is_one_passed(output: &str, n_filtered: usize) -> bool {
    one_passed(output) == Some(n_filtered)
}

/// Returns how many tests that line says were left out, `None` when the last line is none.
pub(crate) fn one_passed(output: &str) -> Option<usize> {
    let last = output.lines().rev().find(|line| !line.trim().is_empty())?;
    RESULT.as_ref()?.captures(last.trim_end())?.get(1)?.as_str().parse().ok()
}

/// The end of what a process printed.
#[derive(Debug, Default)]
pub(crate) struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.bytes.extend_from_slice(piece);
        if self.bytes.len() > 2 * TAIL_BYTES {
            self.bytes.drain(..self.bytes.len() - TAIL_BYTES);
        }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Returns what a failed test said, and the line in its source where that is told.
pub(crate) fn failure(output: &str, name: &str) -> (Option<String>, Option<u64>) {
    let start = format!("---- {name} stdout ----");
    let said = match output.split_once(&start) {
        Some((_, after)) => after.split("\nfailures:").next().unwrap_or_default(),
        None => output,
    };
    let said = said.trim();
    let line = said.split("panicked at ").nth(1).and_then(|after| {
        let place = after.lines().next()?.trim_end_matches(':');
        // The place ends in `:LINE:COLUMN`.
        place.rsplit(':').nth(1)?.parse().ok()
    });
    ((!said.is_empty()).then(|| said.to_owned()), line)
}

#[cfg(test)]
mod tests {
    use super::{List, Tail, failure, is_one_passed, read_list};

    #[test]
    fn a_list_holds_tests_only() {
        let tests = |names: &[&str]| List::Tests(names.iter().map(|&name| name.to_owned()).collect());
        for (text, expected) in [
            ("tests::a: test\ntests::naïve_日本: test\n", tests(&["tests::a", "tests::naïve_日本"])),
            ("", tests(&[])),
            ("a: test\nb: benchmark\n", List::NoList),
            ("running 4 tests\ntest a ... ok\n", List::NoList),
            (": test\n", List::NoList),
            ("a: test\nhello", List::NoList),
        ] {
            assert_eq!(read_list(text.as_bytes(), true), expected, "{text:?}");
        }
        assert_eq!(read_list(b"a: test\n", false), List::NoList);
        assert_eq!(read_list(b"\xff: test\n", true), List::NoList);
    }

    #[test]
    fn only_the_last_line_and_only_one_passed_test_count() {
        let line = "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.00s";
        for (output, filtered, expected) in [
            (format!("\nrunning 1 test\ntest a ... ok\n\n{line}\n\n"), 3, true),
            (format!("{line}\r\n"), 3, true),
            (line.to_owned(), 2, false),
            (format!("{line}\nmore\n"), 3, false),
            (format!("x{line}"), 3, false),
            (line.replace("1 passed", "4 passed"), 3, false),
            (line.replace("1 passed; 0 failed", "0 passed; 1 failed"), 3, false),
            (line.replace("1 passed; 0 failed; 0 ignored", "0 passed; 0 failed; 1 ignored"), 3, false),
            (String::new(), 3, false),
        ] {
            assert_eq!(is_one_passed(&output, filtered), expected, "{output:?} {filtered:?}");
        }
    }

    #[test]
    fn a_failure_is_told_in_the_tests_own_words() {
        let output = "\nrunning 1 test\ntest tests::fails ... FAILED\n\nfailures:\n\n---- tests::fails stdout ----\nsaid this\n\
            \nthread 'tests::fails' (12) panicked at src/lib.rs:16:24:\nassertion `left == right` failed\n  left: 1\n right: 3\n\
            \n\nfailures:\n    tests::fails\n\ntest result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 9 filtered out\n";
        let (said, line) = failure(output, "tests::fails");
        assert_eq!(line, Some(16));
        let said = said.unwrap();
        assert!(said.starts_with("said this") && said.ends_with("right: 3"), "{said}");
        assert_eq!(failure("", "x"), (None, None));
        assert_eq!(failure("killed", "x").0.as_deref(), Some("killed"));
    }

    #[test]
    fn a_flood_leaves_its_end() {
        let mut tail = Tail::default();
        for _ in 0..100 {
            tail.push(&[b'x'; 10_000]);
        }
        tail.push(b"end");
        assert!(tail.text().ends_with("xend") && tail.text().len() < 200_000);
    }
}
