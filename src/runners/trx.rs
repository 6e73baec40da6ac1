//! Reads TRX, the report format of `dotnet test`: results, and beside them which class and method each belongs to.
//! Lenient about form, strict about meaning: what is not understood is never a pass. The file is hostile.

use super::protocol::message as cut;
use super::sources::Sources;
use super::{Readout, RecordReader, Site};
use crate::facts::{Completeness, ProcessEnd, Status, TestId, TestRecord};
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::path::PathBuf;

const MAX_DEPTH: usize = 256;
const MAX_RESULTS: usize = 1_000_000;
const MAX_TEXT: usize = 8 * 1024;

/// Endings of sources.
const ENDINGS: &[&str] = &["cs", "fs", "vb"];

/// Reads the reports of one run, each given as one line.
#[derive(Debug)]
pub(super) struct TrxReader {
    root: PathBuf,
    reports: u32,
    records: Vec<TestRecord>,
    ordinals: HashMap<TestId, u32>,
    unhandled: Vec<String>,
    fault: Option<String>,
}

/// What one report holds.
#[derive(Debug, Default)]
struct Report {
    results: Vec<Found>,
    /// Class and method by the id of the test.
    methods: HashMap<String, (String, String)>,
    test: Option<String>,
    /// `total` of the counters.
    total: Option<usize>,
    outcome: Option<String>,
    errors: Vec<String>,
    is_in_error: bool,
    open: Vec<String>,
}

#[derive(Debug, Default)]
struct Found {
    test: String,
    name: String,
    outcome: String,
    message: String,
    trace: String,
}

impl TrxReader {
    /// Makes a reader for a run at a site.
    pub(super) fn new(site: &Site<'_>) -> Self {
        Self {
            root: site.root.to_path_buf(),
            reports: 0,
            records: Vec::new(),
            ordinals: HashMap::new(),
            unhandled: Vec::new(),
            fault: None,
        }
    }

    fn fault(&mut self, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| why.into());
    }

    fn take(&mut self, report: Report) {
        let count = report.results.len();
        match report.total {
            Some(total) if total != count => {
                self.fault(format!("the report counts {total} tests and holds the results of {count}"));
            }
            Some(_) => {}
            None => self.fault("the report has no counters: the run was stopped"),
        }
        match report.outcome.as_deref() {
            Some("Completed" | "Passed") => {}
            Some("Failed")
                if !report.errors.is_empty() || report.results.iter().any(|it| status_of(&it.outcome).is_bad()) => {}
            Some("Failed") => self.fault("the report says that the run failed, and holds no failure"),
            other => self.fault(format!("the report's outcome is `{}`", cut(other.unwrap_or("missing")))),
        }
        self.unhandled.extend(report.errors.iter().map(|error| cut(error.trim())));
        for found in report.results {
            let method = report.methods.get(&found.test);
            self.result(found, method);
        }
    }

    fn result(&mut self, found: Found, method: Option<&(String, String)>) {
        let class = method.map(|(class, _)| class.split(',').next().unwrap_or(class).trim().to_owned());
        let name = class
            .as_ref()
            .and_then(|class| found.name.strip_prefix(class.as_str())?.strip_prefix('.'))
            .unwrap_or(&found.name)
            .trim()
            .to_owned();
        if name.is_empty() {
            return self.fault("the report holds a result without a name");
        }
        let status = status_of(&found.outcome);
        let group = method.map(|(_, method)| method.clone()).filter(|method| *method != name && !method.is_empty());
        let path = class.into_iter().filter(|class| !class.is_empty()).chain([name]).collect();
        let mut id = TestId { project: None, file: None, path, ordinal: 0 };
        let count = self.ordinals.entry(id.clone()).or_default();
        id.ordinal = *count;
        *count += 1;
        let message = if found.message.trim().is_empty() { found.trace } else { found.message };
        let message = Some(cut(message.trim())).filter(|text| status != Status::Passed && !text.is_empty());
        self.records.push(TestRecord { id, status, counted_as_passed: false, line: None, message, group });
    }
}

fn status_of(outcome: &str) -> Status {
    match outcome {
        "Passed" => Status::Passed,
        "Failed" | "Timeout" => Status::Failed,
        "Error" | "Aborted" => Status::Errored,
        "NotExecuted" | "NotRunnable" | "Inconclusive" | "Pending" => Status::Skipped,
        _ => Status::Unfinished,
    }
}

impl RecordReader for TrxReader {
    fn line(&mut self, _connection: usize, line: &[u8]) {
        self.reports += 1;
        match Report::read(line) {
            Ok(report) => self.take(report),
            Err(why) => self.fault(why),
        }
    }

    fn so_far(&self) -> (usize, usize) {
        let count = |is: &dyn Fn(Status) -> bool| self.records.iter().filter(|record| is(record.status)).count();
        (count(&|status| status == Status::Passed), count(&Status::is_bad))
    }

    fn finish(mut self: Box<Self>, transport_fault: Option<&str>, _end: &ProcessEnd) -> Readout {
        if let Some(why) = transport_fault {
            self.fault(why);
        }
        let sources = Sources::below(&self.root, ENDINGS);
        for record in &mut self.records {
            if let [class, _] = record.id.path.as_slice() {
                record.id.file = sources.of_class(class, "");
            }
        }
        let completeness = match self.fault.take() {
            Some(why) => Completeness::Incomplete { why },
            None if self.reports == 0 => Completeness::NoReport,
            None => Completeness::Complete,
        };
        Readout {
            version: None,
            records: self.records,
            load_errors: Vec::new(),
            unhandled: self.unhandled,
            completeness,
            loaded: Vec::new(),
            missing: None,
            notes: vec!["results were read from report files, which the code under test could write too".to_owned()],
        }
    }
}

impl Report {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let text = String::from_utf8_lossy(bytes);
        let mut reader = quick_xml::Reader::from_str(text.trim_start_matches('\u{feff}'));
        reader.config_mut().check_end_names = true;
        let (mut report, mut has_root) = (Self::default(), false);
        loop {
            match reader.read_event() {
                Ok(Event::Start(start)) => {
                    has_root = report.start(&start, has_root)?;
                }
                Ok(Event::Empty(start)) => {
                    has_root = report.start(&start, has_root)?;
                    report.open.pop();
                }
                Ok(Event::End(_)) => {
                    report.open.pop();
                }
                Ok(Event::Text(text)) => report.text(&text),
                Ok(Event::CData(text)) => report.text(&text),
                Ok(Event::GeneralRef(reference)) => {
                    let name: &str = &reference;
                    report.text(&unescape(&format!("&{name};")));
                }
                Ok(Event::Eof) => break,
                Ok(_) => {}
                Err(error) => return Err(format!("the report is not well-formed: {error}")),
            }
        }
        match (has_root, report.open.is_empty()) {
            (false, _) => Err("the report is no TRX report".to_owned()),
            (true, false) => Err("the report stops early".to_owned()),
            (true, true) => Ok(report),
        }
    }

    /// Takes a start tag, and returns that there is a root.
    fn start(&mut self, start: &BytesStart<'_>, has_root: bool) -> Result<bool, String> {
        let name = start.local_name().as_ref().to_owned();
        if self.open.is_empty() && (has_root || name != "TestRun") {
            return Err("the report is no TRX report".to_owned());
        }
        if self.open.len() >= MAX_DEPTH || self.results.len() >= MAX_RESULTS {
            return Err("the report is larger than any run's".to_owned());
        }
        let value = |name: &str| attribute(start, name).unwrap_or_default();
        match (self.open.last().map(String::as_str), name.as_str()) {
            (Some("Results"), kind) if kind.ends_with("Result") => self.results.push(Found {
                test: value("testId"),
                name: value("testName"),
                outcome: value("outcome"),
                ..Found::default()
            }),
            (Some("TestDefinitions"), _) => self.test = Some(value("id")),
            (_, "TestMethod") => {
                if let Some(test) = self.test.clone() {
                    self.methods.insert(test, (value("className"), value("name")));
                }
            }
            (_, "ResultSummary") => self.outcome = Some(value("outcome")),
            (_, "Counters") => self.total = value("total").trim().parse().ok(),
            (Some("RunInfos"), "RunInfo") => {
                self.is_in_error = value("outcome") != "Warning";
                if self.is_in_error {
                    self.errors.push(String::new());
                }
            }
            _ => {}
        }
        self.open.push(name);
        Ok(true)
    }

    fn text(&mut self, text: &str) {
        let open: Vec<&str> = self.open.iter().rev().take(5).map(String::as_str).collect();
        let target = match open.as_slice() {
            ["Message", "ErrorInfo", "Output", _, "Results", ..] => self.results.last_mut().map(|it| &mut it.message),
            ["StackTrace", "ErrorInfo", "Output", _, "Results", ..] => self.results.last_mut().map(|it| &mut it.trace),
            ["Text", "RunInfo", ..] if self.is_in_error => self.errors.last_mut(),
            _ => None,
        };
        if let Some(target) = target.filter(|target| target.len() < MAX_TEXT) {
            target.push_str(text);
        }
    }
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    attributes.with_checks(false);
    let found = attributes.flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    Some(unescape(&found.value))
}

fn unescape(raw: &str) -> String {
    quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::TrxReader;
    use crate::facts::{Completeness, ProcessEnd};
    use crate::runners::{Readout, RecordReader as _, Site};
    use std::path::Path;

    fn read(reports: &[&str]) -> Readout {
        let root = Path::new("/nowhere");
        let site =
            Site { root, cwd: root, private: root, checkout: root, build: root, this_program: root, search_path: None };
        let mut reader = Box::new(TrxReader::new(&site));
        for (connection, report) in reports.iter().enumerate() {
            reader.line(connection, report.as_bytes());
        }
        reader.finish(None, &ProcessEnd::default())
    }

    fn run(results: &str, definitions: &str, outcome: &str, total: usize) -> String {
        format!(
            "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?><TestRun id=\"1\" \
             xmlns=\"http://microsoft.com/schemas/VisualStudio/TeamTest/2010\"><Times/><Results>{results}</Results>\
             <TestDefinitions>{definitions}</TestDefinitions><ResultSummary outcome=\"{outcome}\">\
             <Counters total=\"{total}\" executed=\"1\" passed=\"1\" failed=\"0\" notExecuted=\"0\"/></ResultSummary></TestRun>"
        )
    }

    const DEFINITIONS: &str = "<UnitTest name=\"x\" id=\"a\"><Execution id=\"1\"/><TestMethod codeBase=\"/x/T.dll\" \
        className=\"T.SlugTests\" name=\"Lowers\"/></UnitTest><UnitTest id=\"b\"><TestMethod className=\"T.SlugTests, T\" name=\"Joins\"/></UnitTest>";

    #[test]
    fn every_outcome_is_kept_apart_and_every_name_is_told() {
        let results = "<UnitTestResult testId=\"a\" testName=\"T.SlugTests.Lowers\" outcome=\"Passed\"><Output><StdOut>\
            &lt;UnitTestResult outcome=\"Passed\"/&gt;</StdOut></Output></UnitTestResult>\
            <UnitTestResult testId=\"b\" testName=\"T.SlugTests.Joins(text: &quot;a&quot;)\" outcome=\"Failed\"><Output><ErrorInfo>\
            <Message>Expected &lt;a&gt;</Message><StackTrace>at T</StackTrace></ErrorInfo></Output></UnitTestResult>\
            <UnitTestResult testId=\"b\" testName=\"Joins (b)\" outcome=\"NotExecuted\"/>\
            <UnitTestResult testId=\"c\" testName=\"Alone\" outcome=\"Inconclusive\"/>\
            <UnitTestResult testId=\"c\" testName=\"Alone\" outcome=\"InProgress\"/>";
        let readout = read(&[&run(results, DEFINITIONS, "Failed", 5)]);
        assert_eq!(readout.completeness, Completeness::Complete);
        let told: Vec<String> = readout
            .records
            .iter()
            .map(|record| {
                let status = serde_json::to_value(record.status).unwrap();
                let group = record.group.as_deref().unwrap_or("-");
                let message = record.message.as_deref().unwrap_or("-");
                let (name, ordinal) = (record.id.full_name(), record.id.ordinal);
                format!("{} {name} #{ordinal} of {group}: {message}", status.as_str().unwrap())
            })
            .collect();
        let expected = [
            "passed T.SlugTests > Lowers #0 of -: -",
            "failed T.SlugTests > Joins(text: \"a\") #0 of Joins: Expected <a>",
            "skipped T.SlugTests > Joins (b) #0 of Joins: -",
            "skipped Alone #0 of -: -",
            "unfinished Alone #1 of -: -",
        ];
        assert_eq!(told, expected);
    }

    #[track_caller]
    fn check_incomplete(report: &str, expected: &str) {
        match read(&[report]).completeness {
            Completeness::Incomplete { why } => assert!(why.contains(expected), "{why}"),
            other => panic!("{report}: {other:?}"),
        }
    }

    #[test]
    fn what_is_no_whole_report_is_never_a_pass() {
        let passed = "<UnitTestResult testId=\"a\" testName=\"T.SlugTests.Lowers\" outcome=\"Passed\"/>";
        assert_eq!(read(&[]).completeness, Completeness::NoReport);
        assert_eq!(read(&[&run(passed, DEFINITIONS, "Completed", 1)]).completeness, Completeness::Complete);
        check_incomplete("", "no TRX report");
        check_incomplete("<testsuites/>", "no TRX report");
        check_incomplete("<TestRun><Results>", "stops early");
        check_incomplete("<TestRun/><TestRun/>", "no TRX report");
        check_incomplete(&run(passed, DEFINITIONS, "Completed", 2), "counts 2 tests");
        check_incomplete(&run(passed, DEFINITIONS, "Aborted", 1), "Aborted");
        check_incomplete(&run(passed, DEFINITIONS, "Failed", 1), "holds no failure");
        check_incomplete("<TestRun><Results/></TestRun>", "no counters");
        check_incomplete(&run("<UnitTestResult outcome=\"Passed\"/>", "", "Completed", 1), "without a name");
        check_incomplete(&"<TestRun>".repeat(1000), "larger");
    }

    #[test]
    fn a_crash_of_the_test_host_is_told() {
        let report = "<TestRun><Results/><ResultSummary outcome=\"Failed\"><Counters total=\"0\"/><RunInfos><RunInfo \
            outcome=\"Error\"><Text>The active test run was aborted. Reason: Test host process crashed</Text></RunInfo>\
            <RunInfo outcome=\"Warning\"><Text>x</Text></RunInfo></RunInfos></ResultSummary></TestRun>";
        let readout = read(&[report]);
        assert_eq!(readout.unhandled, ["The active test run was aborted. Reason: Test host process crashed"]);
    }
}
