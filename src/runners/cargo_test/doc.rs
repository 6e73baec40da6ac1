//! Reads rustdoc's text about documentation tests. It captures what each of them prints, so that printing forges
//! nothing; there is no other report on stable Rust. Knows nothing of processes.

use super::messages::DocTest;
use crate::facts::Status;

/// Reads the output of `cargo test --doc`, stdout and stderr in the order in which they were written.
#[derive(Debug, Default)]
pub(crate) struct DocReader {
    rest: Vec<u8>,
    package: Option<String>,
    /// How many tests the current group announced, and the numbers that its result line must tell.
    announced: Option<usize>,
    open: Group,
    failing: Option<Failing>,
    tests: Vec<DocTest>,
    fault: Option<String>,
}

#[derive(Debug, Default)]
struct Group {
    passed: usize,
    failed: usize,
    ignored: usize,
}

/// Where a failed test's words are told.
#[derive(Debug)]
struct Failing {
    at: usize,
    said: String,
}

const MESSAGE_BYTES: usize = 4096;
/// A longer line is nobody's result.
const LINE_BYTES: usize = 64 * 1024;

impl DocReader {
    /// Takes a piece of the output.
    pub(crate) fn push(&mut self, piece: &[u8]) {
        self.rest.extend_from_slice(piece);
        while let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.rest.drain(..=end).collect();
            self.line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']));
        }
        if self.rest.len() > LINE_BYTES {
            self.rest.clear();
        }
    }

    /// Returns the tests, and what is wrong with the text, if something is.
    pub(crate) fn finish(mut self) -> (Vec<DocTest>, Option<String>) {
        self.close_failing();
        if self.announced.is_some() {
            self.fault("the documentation tests ended without a result");
        }
        (self.tests, self.fault)
    }

    fn fault(&mut self, why: &str) {
        self.fault.get_or_insert_with(|| why.to_owned());
    }

    fn line(&mut self, line: &str) {
        if let Some(package) = line.strip_prefix("   Doc-tests ") {
            if self.announced.is_some() {
                self.fault("the documentation tests of a package ended without a result");
            }
            self.close_failing();
            self.announced = None;
            self.package = Some(package.trim().to_owned());
        } else if let Some(count) = running(line) {
            if self.announced.is_some() {
                self.fault("documentation tests began before the ones before had a result");
            }
            self.announced = Some(count);
            self.open = Group::default();
        } else if line.starts_with("test result: ") {
            self.close_failing();
            self.result(line);
        } else if let Some((name, status)) = outcome(line).filter(|_| self.announced.is_some()) {
            self.outcome(name, status);
        } else if let Some(name) = line.strip_prefix("---- ").and_then(|rest| rest.strip_suffix(" stdout ----")) {
            self.close_failing();
            let at = self.tests.iter().rposition(|test| test.name == bare(name));
            self.failing = at.map(|at| Failing { at, said: String::new() });
        } else if line == "failures:" {
            self.close_failing();
        } else if let Some(failing) = &mut self.failing
            && failing.said.len() < MESSAGE_BYTES
        {
            failing.said.push_str(line);
            failing.said.push('\n');
        }
    }

    fn outcome(&mut self, name: &str, status: Status) {
        match status {
            Status::Passed => self.open.passed += 1,
            Status::Skipped => self.open.ignored += 1,
            _ => self.open.failed += 1,
        }
        let test = DocTest {
            package: self.package.clone().unwrap_or_default(),
            name: bare(name).to_owned(),
            status,
            message: None,
        };
        if self.tests.iter().any(|it| it.package == test.package && it.name == test.name) {
            self.fault("a documentation test has more than one result");
        }
        self.tests.push(test);
    }

    fn result(&mut self, line: &str) {
        let number = |word: &str| -> Option<usize> {
            let before = line.split(&format!(" {word}")).next()?;
            before.rsplit(' ').next()?.parse().ok()
        };
        let told = (number("passed;"), number("failed;"), number("ignored;"));
        let seen = (Some(self.open.passed), Some(self.open.failed), Some(self.open.ignored));
        let total = self.open.passed + self.open.failed + self.open.ignored;
        if told != seen || self.announced != Some(total) {
            self.fault("the documentation tests and their own count disagree");
        }
        self.announced = None;
        self.open = Group::default();
    }

    fn close_failing(&mut self) {
        if let Some(failing) = self.failing.take()
            && let Some(test) = self.tests.get_mut(failing.at)
        {
            test.message = Some(failing.said.trim().to_owned()).filter(|said| !said.is_empty());
        }
    }
}

fn running(line: &str) -> Option<usize> {
    let rest = line.strip_prefix("running ")?;
    let count = rest.strip_suffix(" tests").or_else(|| rest.strip_suffix(" test"))?;
    count.parse().ok()
}

fn outcome(line: &str) -> Option<(&str, Status)> {
    let (name, word) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    let status = match word {
        "ok" => Status::Passed,
        "FAILED" => Status::Failed,
        _ if word == "ignored" || word.starts_with("ignored,") => Status::Skipped,
        _ => return None,
    };
    Some((name, status))
}

/// Takes off what rustdoc says about a test after its name.
fn bare(name: &str) -> &str {
    [" - compile fail", " - should panic", " - compile"]
        .iter()
        .fold(name, |name, ending| name.strip_suffix(ending).unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use super::DocReader;
    use crate::facts::Status;

    const TEXT: &str = "    Finished `test` profile\n   Doc-tests mix\n\nrunning 4 tests\n\
        test src/lib.rs - one (line 12) ... ignored\ntest src/lib.rs - one (line 4) ... FAILED\n\
        test src/lib.rs - (line 1) ... ok\ntest src/lib.rs - one (line 8) - compile fail ... ok\n\nfailures:\n\n\
        ---- src/lib.rs - one (line 4) stdout ----\nTest executable failed\nleft: 1\n\n\nfailures:\n    src/lib.rs - one (line 4)\n\n\
        test result: FAILED. 2 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.59s\n\n";

    fn read(text: &str) -> (Vec<(String, Status)>, Option<String>) {
        let mut reader = DocReader::default();
        for piece in text.as_bytes().chunks(7) {
            reader.push(piece);
        }
        let (tests, fault) = reader.finish();
        (tests.into_iter().map(|test| (format!("{}: {}", test.package, test.name), test.status)).collect(), fault)
    }

    #[test]
    fn results_are_read_and_counted() {
        let (tests, fault) = read(TEXT);
        assert_eq!(fault, None);
        assert_eq!(
            tests,
            [
                ("mix: src/lib.rs - one (line 12)".to_owned(), Status::Skipped),
                ("mix: src/lib.rs - one (line 4)".to_owned(), Status::Failed),
                ("mix: src/lib.rs - (line 1)".to_owned(), Status::Passed),
                ("mix: src/lib.rs - one (line 8)".to_owned(), Status::Passed),
            ]
        );
        let mut reader = DocReader::default();
        reader.push(TEXT.as_bytes());
        assert_eq!(reader.finish().0[1].message.as_deref(), Some("Test executable failed\nleft: 1"));
    }

    #[test]
    fn a_text_that_does_not_add_up_is_a_fault() {
        for text in [
            TEXT.replace("2 passed", "3 passed"),
            TEXT.replace("running 4", "running 5"),
            TEXT.split("test result").next().unwrap().to_owned(),
            TEXT.replace("test result: FAILED", "test resul"),
            TEXT.replace("lib.rs - (line 1)", "lib.rs - one (line 4)"),
        ] {
            assert!(read(&text).1.is_some(), "{text}");
        }
        assert_eq!(read(""), (Vec::new(), None));
    }
}
