//! `bats`, whose formatter `cat` passes its own stream on: on a standard output that no test has.
//! Tests do have the pipe that the stream goes through first (descriptor 3), so that each of its lines is taken only where it
//! can stand: a result belongs to the test that has begun.

use super::flags::{self, Refused, empty, report};
use super::protocol::{Places, message as cut};
use super::{About, Call, HarnessRules, Launch, Readout, RecordReader, Refusal, Runner, Site, Transport, node, start};
use crate::error::Failure;
use crate::facts::{Channel, Completeness, LoadError, ProcessEnd, Status, TestId, TestRecord};
use std::collections::HashMap;
use std::path::PathBuf;

/// `bats`.
#[derive(Debug)]
pub(super) struct Bats;

const REFUSED: &[Refused] = &[
    report(&["formatter", "-F", "reportformatter", "output", "-o", "pretty", "-p", "tap", "-t"]),
    empty(&["count", "-c", "help", "-h", "version", "-v", "filterstatus"]),
    Refused {
        names: &["jobs", "-j"],
        why: "runs tests side by side, and their results could not be told apart",
        help: "take it out of the command",
    },
    Refused {
        names: &["tempdir", "gathertestoutputsin"],
        why: "names a folder that the checker sets itself",
        help: "take it out of the command",
    },
];

impl Runner for Bats {
    fn name(&self) -> &'static str {
        "bats"
    }

    fn about(&self) -> About {
        About {
            forms: &["bats test/", "npx bats test/", "bats -r test"],
            channel: Channel::Private,
            seen: "skips, retries (flaky), failed set-up and tear-down of files and suites, files that do not load, results that a \
                   test writes itself",
            limits: "a test shares its shell with the code that tells its result: one that is made to deceive can replace it",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "bats").then(|| {
            flags::check(&call.args, REFUSED)?;
            node::inside(&call.args, &["setupsuitefile"])?;
            if call.args.iter().any(|word| !word.starts_with('-')) {
                return Ok(());
            }
            Err(Refusal {
                message: "`bats` is not told which tests to run".to_owned(),
                label: "no file or folder".to_owned(),
                help: Some("name the folder with the tests, such as `bats test/`".to_owned()),
            })
        })
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let own = ["--formatter".to_owned(), "cat".to_owned()];
        let launch = start::with_report(call, &own, "--formatter cat", PathBuf::new(), site)?;
        Ok(Launch { transport: Transport::Stdout, ..launch })
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(BatsReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules { files: &["setup_suite.bash"], manifests: &[], followed_keys: &[] }
    }

    fn is_test_file(&self, path: &str) -> bool {
        path.strip_suffix(".bats").is_some()
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        flags::values(&call.args, &["setupsuitefile"]).into_iter().map(str::to_owned).collect()
    }
}

/// The test that has begun.
#[derive(Debug)]
struct Running {
    number: u64,
    name: String,
    tries: u32,
}

/// Reads bats' stream.
#[derive(Debug)]
struct BatsReader {
    places: Places,
    plan: Option<u64>,
    file: Option<String>,
    running: Option<Running>,
    n_begun: u64,
    records: Vec<TestRecord>,
    ordinals: HashMap<TestId, u32>,
    load_errors: Vec<LoadError>,
    unhandled: Vec<String>,
    /// Where the comment lines belong that follow a failure.
    last: Last,
    fault: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Last {
    Nothing,
    Test,
    File,
    Outside,
}

impl BatsReader {
    fn new(site: &Site<'_>) -> Self {
        Self {
            places: Places::new(site.root, site.cwd),
            plan: None,
            file: None,
            running: None,
            n_begun: 0,
            records: Vec::new(),
            ordinals: HashMap::new(),
            load_errors: Vec::new(),
            unhandled: Vec::new(),
            last: Last::Nothing,
            fault: None,
        }
    }

    fn fault(&mut self, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| why.into());
    }

    fn has_failed_outside(&self) -> bool {
        !self.load_errors.is_empty() || !self.unhandled.is_empty()
    }

    fn begin(&mut self, text: &str) {
        let Some((number, name)) = numbered(text) else { return self.fault("a test begins without a number") };
        let has_failed_outside = self.has_failed_outside();
        match &mut self.running {
            Some(running) if running.number == number && running.name == name => running.tries += 1,
            Some(_) => self.fault("a test began before the one before it ended: a test wrote into bats' own stream"),
            // A file that fails as a whole takes the numbers of its tests along.
            None if number <= self.n_begun || number > self.n_begun + 1 && !has_failed_outside => {
                self.fault("tests began out of order: a test wrote into bats' own stream");
            }
            None => {
                self.n_begun = number;
                self.running = Some(Running { number, name: name.to_owned(), tries: 1 });
            }
        }
        self.last = Last::Nothing;
    }

    fn result(&mut self, text: &str, is_ok: bool) {
        let told = numbered(text);
        let rest = match (&self.running, told) {
            (Some(running), Some((number, name))) if number == running.number => name.strip_prefix(&running.name),
            _ => None,
        };
        let Some(rest) = rest else {
            if is_ok {
                return self.fault("a result came for a test that is not running: a test wrote into bats' own stream");
            }
            // What fails around tests takes the number of one: `not ok 1 setup_file failed`.
            let what = told.map_or(text, |(_, name)| name);
            if what == "setup_file failed" {
                let message = "it could not be loaded, or its `setup_file` failed".to_owned();
                self.load_errors.push(LoadError { file: self.file.clone(), message, missing: None });
                self.last = Last::File;
            } else {
                self.unhandled.push(cut(if what.is_empty() { "something failed outside of tests" } else { what }));
                self.last = Last::Outside;
            }
            return;
        };
        let (status, message) = if is_ok { outcome(rest) } else { (Some(Status::Failed), None) };
        let Some(status) = status else {
            return self.fault("a result has another name than its test: a test wrote into bats' own stream");
        };
        let Some(running) = self.running.take() else { return };
        let status = if status == Status::Passed && running.tries > 1 { Status::Flaky } else { status };
        let mut id = TestId { project: None, file: self.file.clone(), path: vec![running.name], ordinal: 0 };
        let count = self.ordinals.entry(id.clone()).or_default();
        id.ordinal = *count;
        *count += 1;
        self.records.push(TestRecord { id, status, counted_as_passed: false, line: None, message, group: None });
        self.last = if status.is_bad() { Last::Test } else { Last::Nothing };
    }

    /// A comment after a failure says why.
    fn comment(&mut self, text: &str) {
        let message = match self.last {
            Last::Nothing => return,
            Last::Test => self.records.last_mut().map(|record| record.message.get_or_insert_default()),
            Last::Outside => self.unhandled.last_mut(),
            Last::File => self.load_errors.last_mut().map(|error| &mut error.message),
        };
        if let Some(message) = message.filter(|message| message.len() + text.len() < super::protocol::MESSAGE_BYTES) {
            if !message.is_empty() {
                message.push('\n');
            }
            message.push_str(text);
        }
    }
}

/// `3 name` as number and name.
fn numbered(text: &str) -> Option<(u64, &str)> {
    let (number, name) = text.split_once(' ').unwrap_or((text, ""));
    Some((number.parse().ok()?, name))
}

/// What stands after the name of a test that is `ok`: ` in 5ms`, ` # skip why`.
fn outcome(rest: &str) -> (Option<Status>, Option<String>) {
    let mut rest = rest;
    if let Some(time) = rest.strip_prefix(" in ") {
        let digits = time.trim_start_matches(|letter: char| letter.is_ascii_digit());
        let after = ["ms", "sec", "s"].iter().find_map(|unit| digits.strip_prefix(unit));
        rest = after.filter(|_| digits.len() < time.len()).unwrap_or(rest);
    }
    if rest.is_empty() {
        return (Some(Status::Passed), None);
    }
    match rest.strip_prefix(" # skip") {
        Some("") => (Some(Status::Skipped), None),
        Some(why) if why.starts_with(' ') => (Some(Status::Skipped), Some(cut(why.trim()))),
        _ => (None, None),
    }
}

impl RecordReader for BatsReader {
    fn line(&mut self, _connection: usize, line: &[u8]) {
        let text = String::from_utf8_lossy(line);
        let text = text.trim_end_matches('\r');
        if self.plan.is_none() {
            match text.strip_prefix("1..").and_then(|count| count.parse().ok()) {
                Some(count) => self.plan = Some(count),
                None => self.fault("the stream does not begin with the number of tests"),
            }
        } else if let Some(file) = text.strip_prefix("suite ") {
            if self.running.is_some() {
                return self.fault("a file began before a test ended: a test wrote into bats' own stream");
            }
            self.file = Some(self.places.relative(file));
        } else if let Some(test) = text.strip_prefix("begin ") {
            self.begin(test);
        } else if let Some(test) = text.strip_prefix("ok ") {
            self.result(test, true);
        } else if let Some(test) = text.strip_prefix("not ok ") {
            self.result(test, false);
        } else if text.starts_with("1..") {
            self.fault("the number of tests came twice: a test wrote into bats' own stream");
        } else if let Some(comment) = text.strip_prefix('#') {
            self.comment(comment.strip_prefix(' ').unwrap_or(comment));
        }
        // Anything else is what a test shows people.
    }

    fn so_far(&self) -> (usize, usize) {
        let count = |is: &dyn Fn(Status) -> bool| self.records.iter().filter(|record| is(record.status)).count();
        (count(&|status| status == Status::Passed), count(&Status::is_bad))
    }

    fn finish(mut self: Box<Self>, transport_fault: Option<&str>, _end: &ProcessEnd) -> Readout {
        if let Some(why) = transport_fault {
            self.fault(why);
        }
        if let Some(running) = self.running.take() {
            let id = TestId { project: None, file: self.file.clone(), path: vec![running.name], ordinal: 0 };
            self.records.push(TestRecord {
                id,
                status: Status::Unfinished,
                counted_as_passed: false,
                line: None,
                message: None,
                group: None,
            });
        }
        if !self.has_failed_outside() && self.plan.is_some_and(|plan| plan != self.records.len() as u64) {
            let (plan, found) = (self.plan.unwrap_or_default(), self.records.len());
            self.fault(format!("{plan} tests were announced, and {found} have a result"));
        }
        let completeness = match self.fault.take() {
            Some(why) => Completeness::Incomplete { why },
            None if self.plan.is_none() => Completeness::NoReport,
            None => Completeness::Complete,
        };
        Readout {
            version: None,
            records: self.records,
            load_errors: self.load_errors,
            unhandled: self.unhandled,
            completeness,
            loaded: Vec::new(),
            missing: None,
            notes: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{BatsReader, outcome};
    use crate::facts::{Completeness, ProcessEnd, Status};
    use crate::runners::{RecordReader as _, Site, recognise};
    use std::path::Path;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised_and_what_is_none_is_refused() {
        for text in ["bats test", "bats -r test/a.bats --filter adds", "npx bats test", "bats --timing x.bats"] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "bats", "{text}");
        }
        for text in [
            "bats",
            "bats -c test",
            "bats --formatter junit test",
            "bats -F tap test",
            "bats -tr test",
            "bats --report-formatter junit test",
            "bats -j 4 test",
            "bats --filter-status failed test",
            "bats /etc",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }

    #[track_caller]
    fn check_fault(stream: &str, expected: &str) {
        let root = Path::new("/repo");
        let site =
            Site { root, cwd: root, private: root, checkout: root, build: root, this_program: root, search_path: None };
        let mut reader = Box::new(BatsReader::new(&site));
        stream.lines().for_each(|line| reader.line(0, line.as_bytes()));
        match reader.finish(None, &ProcessEnd::default()).completeness {
            Completeness::Incomplete { why } => assert!(why.contains(expected), "{stream}: {why}"),
            other => panic!("{stream}: {other:?}"),
        }
    }

    #[test]
    fn lines_that_a_test_writes_itself_are_faults() {
        check_fault("1..2\nbegin 1 a\nok 1 a\nok 2 b\nbegin 2 b\nok 2 b\n", "not running");
        check_fault("1..1\nbegin 1 a\nok 1 phantom\nok 1 a\n", "not running");
        check_fault("1..1\nbegin 1 a\nok 1 a\nok 1 a\n", "not running");
        check_fault("1..1\nbegin 1 a\nbegin 2 b\nok 2 b\nok 1 a\n", "before the one before it ended");
        check_fault("1..1\nbegin 1 a\nok 1 a\nbegin 2 b\nok 2 b\n", "1 tests were announced, and 2");
        check_fault("1..1\nbegin 1 a\n1..2\nok 1 a\n", "came twice");
        check_fault("1..2\nbegin 1 a\nok 1 a\n", "2 tests were announced");
        check_fault("1..1\nbegin 1 a\nsuite /repo/b.bats\nok 1 a\n", "a file began");
        check_fault("begin 1 a\nok 1 a\n", "does not begin");
    }

    #[test]
    fn what_follows_a_name_is_time_or_a_skip() {
        for (rest, expected) in [
            ("", Some(Status::Passed)),
            (" in 12ms", Some(Status::Passed)),
            (" in 3sec # skip", Some(Status::Skipped)),
            (" # skip not here", Some(Status::Skipped)),
            (" # skipped", None),
            ("x", None),
            (" in ms", None),
        ] {
            assert_eq!(outcome(rest).0, expected, "{rest:?}");
        }
    }
}
