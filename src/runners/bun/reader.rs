//! Reads bun's report, and beside it what the report leaves out: the test file says which tests are expected to fail, the
//! output which ones were tried again and which files did not load. Both can only make a run worse.

use crate::facts::{LoadError, ProcessEnd, Status, TestRecord};
use crate::runners::junit::{Dialect, JunitReader};
use crate::runners::node;
use crate::runners::protocol::{Places, SOURCE_BYTES, is_title, message as cut};
use crate::runners::{Readout, RecordReader, Site};
use regex::Regex;
use std::collections::HashMap;
use std::io::Read as _;
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

/// What bun prints before an error that belongs to no test.
const BETWEEN_TESTS: &str = "# Unhandled error between tests";
/// More such errors are not told.
const ERRORS: usize = 1000;

/// `test.failing('title'`, also with `.each`.
static FAILING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let each = r"(?:\s*\.\s*each\s*(?:\(.*?\)|`[^`]*`))?";
    let title = r#"(?:'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|`((?:\\.|[^`\\])*)`)"#;
    Regex::new(&format!(r"(?s)\.\s*failing\b(?:\s*\.\s*(?:only|skip))?{each}\s*\(\s*{title}")).ok()
});

/// Reads bun's report, its output and the test files.
#[derive(Debug)]
pub(super) struct BunReader {
    report: Box<JunitReader>,
    root: PathBuf,
    places: Places,
}

impl BunReader {
    pub(super) fn new(site: &Site<'_>) -> Self {
        Self {
            report: Box::new(JunitReader::of(Dialect::Bun, site)),
            root: site.root.to_path_buf(),
            places: Places::new(site.root, site.cwd),
        }
    }
}

impl RecordReader for BunReader {
    fn line(&mut self, connection: usize, line: &[u8]) {
        self.report.line(connection, line);
    }

    fn so_far(&self) -> (usize, usize) {
        self.report.so_far()
    }

    fn finish(self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        let Self { report, root, mut places } = *self;
        let mut readout = report.finish(transport_fault, end);
        let mut told = Told::by(&end.output);
        told.rename(|file| places.relative(file));
        for record in &mut readout.records {
            let file = record.id.file.clone().unwrap_or_default();
            if record.status == Status::Passed && told.retried.contains(&(file, record.id.full_name())) {
                record.status = Status::Flaky;
            }
        }
        if end.exit_status != Some(0) && !told.between_tests.is_empty() {
            // In place of the one that only says that some file did not load.
            readout.load_errors.retain(|load| load.file.is_some());
            for (file, message) in told.between_tests {
                if file.is_some() && readout.records.iter().any(|record| record.id.file == file) {
                    readout.unhandled.push(message);
                } else {
                    readout.load_errors.push(LoadError { file, message, missing: None });
                }
            }
        }
        mark_expected_failures(&mut readout, &root);
        readout
    }
}

/// What the output tells of retries and of files that did not load.
#[derive(Debug, Default)]
struct Told {
    /// File and full name.
    retried: Vec<(String, String)>,
    /// File and message: of a file that did not load, or of one whose tests ran already.
    between_tests: Vec<(Option<String>, String)>,
}

impl Told {
    fn by(output: &str) -> Self {
        let mut told = Self::default();
        let mut file: Option<&str> = None;
        let mut lines = output.lines();
        while let Some(line) = lines.next() {
            if let Some(name) = retried(line) {
                told.retried.push((file.unwrap_or_default().to_owned(), name.to_owned()));
            } else if let Some(header) = header(line) {
                file = Some(header);
            } else if line == BETWEEN_TESTS && told.between_tests.len() < ERRORS {
                let text: Vec<&str> = lines.by_ref().skip(1).take_while(|line| !line.starts_with("-----")).collect();
                let from = text.iter().position(|line| line.starts_with("error: ")).unwrap_or_default();
                let message = cut(text.get(from..).unwrap_or_default().join("\n").trim());
                told.between_tests.push((file.map(str::to_owned), message));
            }
        }
        told
    }

    fn rename(&mut self, mut relative: impl FnMut(&str) -> String) {
        for (file, _) in &mut self.retried {
            *file = relative(file);
        }
        for file in self.between_tests.iter_mut().filter_map(|(file, _)| file.as_mut()) {
            *file = relative(file);
        }
    }
}

/// `sub/a.test.ts:` stands before what its tests printed.
fn header(line: &str) -> Option<&str> {
    let file = line.strip_suffix(':')?;
    (node::has_script_ending(file) && !file.starts_with(char::is_whitespace)).then_some(file)
}

/// `(pass) group > name (attempt 2) [0.05ms]`.
fn retried(line: &str) -> Option<&str> {
    let told = line.strip_prefix("(pass) ")?;
    let told = told.strip_suffix("ms]").and_then(|told| told.rsplit_once(" [")).map_or(told, |(told, _)| told);
    let (name, attempt) = told.strip_suffix(')')?.rsplit_once(" (attempt ")?;
    attempt.parse().is_ok_and(|attempt: u32| attempt > 1).then_some(name)
}

/// bun says of a test that failed as it should what it says of one that passed.
fn mark_expected_failures(readout: &mut Readout, root: &Path) {
    let mut sources: HashMap<String, Vec<String>> = HashMap::new();
    for record in readout.records.iter_mut().filter(|record| record.status == Status::Passed) {
        let TestRecord { id, status, .. } = record;
        let (Some(file), Some(name)) = (&id.file, id.path.last()) else { continue };
        let titles = sources.entry(file.clone()).or_insert_with_key(|file| {
            let source = read(root, file);
            let titles = failing(&source);
            if titles.is_empty() && source.contains(".failing") {
                readout
                    .notes
                    .push(format!("bun does not tell which tests are expected to fail, and {file} has such tests"));
            }
            titles
        });
        if titles.iter().any(|title| is_title(title, name)) {
            *status = Status::ExpectedFailure;
        }
    }
}

/// The titles of the tests that a source expects to fail.
fn failing(source: &str) -> Vec<String> {
    let found = FAILING.iter().flat_map(|pattern| pattern.captures_iter(source));
    let titles = found.filter_map(|found| found.iter().skip(1).flatten().next().map(|title| title.as_str().to_owned()));
    titles.collect()
}

/// A file that is not there, or too large, expects nothing.
fn read(root: &Path, file: &str) -> String {
    let mut source = Vec::new();
    let file = Path::new(file);
    let is_inside = file.components().all(|part| matches!(part, Component::Normal(_)));
    let read = || {
        let open = std::fs::File::open(root.join(file))?;
        if open.metadata()?.is_file() { open.take(SOURCE_BYTES).read_to_end(&mut source) } else { Ok(0) }
    };
    if is_inside && { read }().is_ok() { String::from_utf8_lossy(&source).into_owned() } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::{Told, failing, retried};
    use crate::runners::protocol::is_title;

    #[test]
    fn tests_that_are_expected_to_fail_are_found_in_the_source() {
        let source = r#"
            test.failing('plain', () => {})
            test
              .failing
              .each([[1], (2)])("case %d", () => {})
            it.failing(`it's`, () => {})
            test('not .failing at all', () => {})
            test.failing('said \'so\'', () => {})
        "#;
        let titles = failing(source);
        let check = |name: &str, expected: bool| {
            assert_eq!(titles.iter().any(|title| is_title(title, name)), expected, "{name}");
        };
        for name in ["plain", "case 1", "it's", "said 'so'"] {
            check(name, true);
        }
        for name in ["not .failing at all", "plain too", "case", ""] {
            check(name, false);
        }
    }

    #[test]
    fn retries_are_told_by_the_attempt_behind_the_name() {
        for (line, expected) in [
            ("(pass) a > b (attempt 2)", Some("a > b")),
            ("(pass) a (attempt 12) [0.05ms]", Some("a")),
            ("(pass) a [1.00ms] (attempt 3) [0.05ms]", Some("a [1.00ms]")),
            ("(pass) a (attempt 1)", None),
            ("(pass) a [0.05ms]", None),
            ("(fail) a (attempt 2)", None),
            ("(pass) a (attempt two)", None),
        ] {
            assert_eq!(retried(line), expected, "{line}");
        }
    }

    #[test]
    fn files_that_did_not_load_are_told_with_what_was_wrong() {
        let output = "bun test v1.4.5\n\ngood.test.js:\n(pass) good\n\nimp.test.js:\n\n# Unhandled error between tests\n\
                      -------\nerror: Cannot find module './nowhere.js'\n-------\n\n\nsub/b.test.ts:\n\n\
                      # Unhandled error between tests\n-------\n1 | throw\n    ^\nerror: boom\n      at b.ts\n-------\n";
        let told = Told::by(output).between_tests;
        let expected = [
            ("imp.test.js", "error: Cannot find module './nowhere.js'"),
            ("sub/b.test.ts", "error: boom\n      at b.ts"),
        ]
        .map(|(file, message)| (Some(file.to_owned()), message.to_owned()));
        assert_eq!(told, expected);
        for cut in (0..output.len()).filter(|at| output.is_char_boundary(*at)) {
            Told::by(&output[cut..]);
            Told::by(&output[..cut]);
        }
    }
}
