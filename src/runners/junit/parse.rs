//! From XML to results, without judging them. Nothing here panics: the file is hostile.

use quick_xml::Reader;
use quick_xml::events::{BytesRef, BytesStart, Event};

/// A deeper report, or one with more results, is nobody's.
const MAX_DEPTH: usize = 256;
const MAX_CASES: usize = 1_000_000;
/// More text of one result is not kept, in bytes.
const MAX_TEXT: usize = 8 * 1024;

/// What a report holds.
#[derive(Debug, Default)]
pub(super) struct Report {
    pub(super) cases: Vec<Case>,
    /// The failures and errors that the outermost suites count.
    pub(super) told_bad: u64,
}

/// One `testcase`.
#[derive(Debug, Default, Clone)]
pub(super) struct Case {
    pub(super) name: String,
    pub(super) class: Option<String>,
    pub(super) file: Option<String>,
    pub(super) line: Option<u64>,
    pub(super) status: Option<String>,
    /// The names of the suites around it, the outermost first.
    pub(super) suites: Vec<String>,
    pub(super) outcomes: Vec<Outcome>,
}

/// One child of a `testcase` that tells what happened.
#[derive(Debug, Default, Clone)]
pub(super) struct Outcome {
    pub(super) kind: String,
    pub(super) message: String,
    pub(super) type_name: String,
    pub(super) text: String,
}

#[derive(Debug, Default)]
struct State {
    report: Report,
    open: Vec<String>,
    /// The `file` of each open suite.
    files: Vec<Option<String>>,
    /// The name of each open `testsuite`; none for `testsuites`.
    suites: Vec<Option<String>>,
    case: Option<Case>,
    has_root: bool,
}

/// Reads a report.
///
/// # Errors
/// It is empty, no report, or stops early; in words.
pub(super) fn report(bytes: &[u8]) -> Result<Report, String> {
    if bytes.trim_ascii().is_empty() {
        return Err("the report is empty".to_owned());
    }
    let text = String::from_utf8_lossy(bytes);
    let mut reader = Reader::from_str(text.trim_start_matches('\u{feff}'));
    reader.config_mut().check_end_names = true;
    let mut state = State::default();
    loop {
        match reader.read_event() {
            Ok(Event::Start(start)) => state.start(&start)?,
            Ok(Event::Empty(start)) => {
                state.start(&start)?;
                state.end();
            }
            Ok(Event::End(_)) => state.end(),
            Ok(Event::Text(text)) => state.text(&text),
            Ok(Event::CData(text)) => state.text(&text),
            Ok(Event::GeneralRef(reference)) => state.text(&resolve(&reference)),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => return Err(format!("the report is not well-formed: {error}")),
        }
    }
    if !state.has_root {
        return Err("the report is no JUnit report".to_owned());
    }
    if !state.open.is_empty() {
        return Err("the report stops early".to_owned());
    }
    Ok(state.report)
}

fn resolve(reference: &BytesRef<'_>) -> String {
    let name: &str = reference;
    let plain = quick_xml::escape::unescape(&format!("&{name};")).map(std::borrow::Cow::into_owned);
    plain.unwrap_or_else(|_| format!("&{name};"))
}

fn attribute(start: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = start.attributes();
    attributes.with_checks(false);
    let found = attributes.flatten().find(|attribute| attribute.key.local_name().as_ref() == name)?;
    let raw: &str = &found.value;
    Some(quick_xml::escape::unescape(raw).map_or_else(|_| raw.to_owned(), std::borrow::Cow::into_owned))
}

impl State {
    fn start(&mut self, start: &BytesStart<'_>) -> Result<(), String> {
        let name = start.local_name().as_ref().to_owned();
        if self.open.len() >= MAX_DEPTH {
            return Err("the report is nested too deeply".to_owned());
        }
        if self.open.is_empty() {
            if self.has_root || !matches!(name.as_str(), "testsuites" | "testsuite") {
                return Err("the report is no JUnit report".to_owned());
            }
            self.has_root = true;
        }
        match (name.as_str(), &mut self.case) {
            ("testsuite" | "testsuites", None) => {
                self.count_bad(&name, start);
                self.files.push(attribute(start, "file"));
                self.suites.push((name == "testsuite").then(|| attribute(start, "name").unwrap_or_default()));
            }
            ("testcase", None) => self.case = Some(self.new_case(start)),
            ("testcase", Some(_)) => return Err("a result of the report holds another".to_owned()),
            (
                "failure" | "error" | "skipped" | "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError",
                Some(case),
            ) => case.outcomes.push(Outcome {
                kind: name.clone(),
                message: attribute(start, "message").unwrap_or_default(),
                type_name: attribute(start, "type").unwrap_or_default(),
                text: String::new(),
            }),
            // An error beside all results: a hook of a suite, an unhandled one.
            ("failure" | "error", None) => self.report.told_bad += 1,
            _ => {}
        }
        self.open.push(name);
        Ok(())
    }

    /// Only the outermost numbers: inner ones are summed up in them.
    fn count_bad(&mut self, name: &str, start: &BytesStart<'_>) {
        let is_outermost = self.open.iter().all(|outer| outer == "testsuites");
        let numbers =
            ["failures", "errors"].map(|key| attribute(start, key).and_then(|it| it.trim().parse::<u64>().ok()));
        if name == "testsuite" && is_outermost {
            self.report.told_bad += numbers.into_iter().flatten().fold(0, u64::saturating_add);
        }
    }

    fn new_case(&self, start: &BytesStart<'_>) -> Case {
        let inherited = self.files.iter().rev().flatten().next().cloned();
        Case {
            name: attribute(start, "name").unwrap_or_default(),
            class: attribute(start, "classname").or_else(|| attribute(start, "class")),
            file: attribute(start, "file").or(inherited).filter(|file| !file.is_empty()),
            line: attribute(start, "line").and_then(|line| line.trim().parse().ok()),
            status: attribute(start, "status").map(|status| status.to_ascii_lowercase()),
            suites: self.suites.iter().flatten().cloned().collect(),
            outcomes: Vec::new(),
        }
    }

    fn end(&mut self) {
        let name = self.open.pop().unwrap_or_default();
        match name.as_str() {
            "testsuite" | "testsuites" => {
                self.files.pop();
                self.suites.pop();
            }
            "testcase" => {
                if let Some(case) = self.case.take().filter(|_| self.report.cases.len() < MAX_CASES) {
                    self.report.cases.push(case);
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let is_outcome =
            self.open.last().is_some_and(|name| !matches!(name.as_str(), "testcase" | "system-out" | "system-err"));
        if let Some(outcome) = self.case.as_mut().and_then(|case| case.outcomes.last_mut())
            && is_outcome
            && outcome.text.len() < MAX_TEXT
        {
            outcome.text.push_str(text);
        }
    }
}
