//! Reads JUnit XML in the dialects that exist: with and without a `testsuites` root, nameless suites, reruns, raw control
//! characters. Lenient about form, strict about meaning: what is not understood is never a pass.
//! Such a report is a file, which the code under test could write too.

mod parse;

use super::protocol::{Places, message as cut};
use super::{Readout, RecordReader, Site};
use crate::facts::{Completeness, LoadError, ProcessEnd, Status, TestId, TestRecord};
use parse::{Case, Outcome, Report};
use std::collections::HashMap;

/// Whose report it is, where that tells more than the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// Anybody's: groups stand in `classname`.
    Plain,
    /// Surefire's and `PHPUnit`'s: every exception of a test but a failed assertion is an `<error>`, and what fails
    /// outside of a test has the class's name alone.
    Throwing,
    /// bun's: a suite for each file, in it one for each group; a file that fails to load is not told.
    Bun,
    /// deno's: `classname` is the file; one that fails to load is not told.
    Deno,
}

/// What bun says of a test that passed although `.failing` says otherwise.
const NOT_FAILING: &str = "test marked with .failing() did not throw";

/// Reads one report, or several that belong together, each given as one line.
#[derive(Debug)]
pub struct JunitReader {
    dialect: Dialect,
    places: Places,
    reports: u32,
    records: Vec<TestRecord>,
    ordinals: HashMap<TestId, u32>,
    load_errors: Vec<LoadError>,
    told_bad: u64,
    fault: Option<String>,
}

impl JunitReader {
    /// Makes a reader for a run at a site.
    pub fn new(site: &Site<'_>) -> Self {
        Self::of(Dialect::Plain, site)
    }

    /// Makes a reader for a run at a site, for the report of a runner that is known.
    pub fn of(dialect: Dialect, site: &Site<'_>) -> Self {
        Self {
            dialect,
            places: Places::new(site.root, site.cwd),
            reports: 0,
            records: Vec::new(),
            ordinals: HashMap::new(),
            load_errors: Vec::new(),
            told_bad: 0,
            fault: None,
        }
    }

    fn fault(&mut self, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| why.into());
    }

    fn take(&mut self, report: Report) {
        self.told_bad += report.told_bad;
        for case in report.cases {
            self.case(case);
        }
    }

    fn case(&mut self, case: Case) {
        let status = status_of(&case);
        let message = case.outcomes.iter().find_map(|outcome| {
            let text = if outcome.message.trim().is_empty() { &outcome.text } else { &outcome.message };
            (!text.trim().is_empty()).then(|| cut(text.trim()))
        });
        let class = case.class.clone().filter(|class| !class.trim().is_empty());
        if let (true, Status::Skipped, Some(class)) = (case.name.trim().is_empty(), status, class) {
            // Surefire's way to tell of a class that is skipped as a whole.
            return self.case(Case { name: class, class: None, ..case });
        }
        if case.name.trim().is_empty() {
            if status.is_bad() {
                let message = message.unwrap_or_else(|| "a result without a name".to_owned());
                self.load_errors.push(LoadError { file: case.file, message, missing: None });
            } else {
                self.fault("the report holds a result without a name: the run was stopped");
            }
            return;
        }
        let told = if self.dialect == Dialect::Deno { case.class.clone() } else { case.file.clone() };
        let file = told.as_deref().map(|file| self.places.relative(file));
        let groups: Vec<String> = match self.dialect {
            Dialect::Plain | Dialect::Throwing => {
                let is_group =
                    |class: &String| !class.is_empty() && *class != case.name && Some(class) != case.file.as_ref();
                case.class.into_iter().filter(is_group).collect()
            }
            Dialect::Bun => case.suites.into_iter().skip(1).collect(),
            Dialect::Deno => Vec::new(),
        };
        let is_of_class = groups.is_empty();
        let status = match status {
            Status::Errored if self.dialect == Dialect::Throwing && !is_of_class => Status::Failed,
            Status::Failed if self.dialect == Dialect::Bun && message.as_deref() == Some(NOT_FAILING) => {
                Status::UnexpectedPass
            }
            status => status,
        };
        let path = groups.into_iter().chain([case.name]).collect();
        let mut id = TestId { project: None, file, path, ordinal: 0 };
        let count = self.ordinals.entry(id.clone()).or_default();
        id.ordinal = *count;
        *count += 1;
        self.records.push(TestRecord {
            id,
            status,
            counted_as_passed: false,
            line: case.line.filter(|line| *line > 0),
            message: message.filter(|_| status != Status::Passed),
            group: None,
        });
    }
}

/// The worst that a result tells.
fn status_of(case: &Case) -> Status {
    let has = |name: &str| case.outcomes.iter().any(|outcome| outcome.kind == name);
    let skip = case.outcomes.iter().find(|outcome| outcome.kind == "skipped");
    match case.status.as_deref() {
        // ctest leaves `<skipped>` where a program is not there, and counts that as failed.
        _ if skip.is_some_and(|skip| skip.message.contains("Unable to find executable")) => Status::Errored,
        _ if has("failure") => Status::Failed,
        _ if has("error") => Status::Errored,
        _ if case.outcomes.iter().any(is_rerun) => Status::Flaky,
        _ if skip.is_some() => skip.map_or(Status::Skipped, skipped),
        Some("fail" | "failed" | "failure" | "error") => Status::Failed,
        Some("notrun" | "disabled" | "skipped" | "ignored" | "suppressed" | "pending") => Status::Skipped,
        None | Some("run" | "pass" | "passed" | "success" | "ok" | "completed") => Status::Passed,
        Some(_) => Status::Unfinished,
    }
}

fn is_rerun(outcome: &Outcome) -> bool {
    matches!(outcome.kind.as_str(), "flakyFailure" | "flakyError" | "rerunFailure" | "rerunError")
}

fn skipped(skip: &Outcome) -> Status {
    let is = |text: &str| skip.type_name.eq_ignore_ascii_case(text) || skip.message.eq_ignore_ascii_case(text);
    if is("pytest.xfail") {
        Status::ExpectedFailure
    } else if is("todo") {
        Status::Todo
    } else {
        Status::Skipped
    }
}

impl RecordReader for JunitReader {
    fn line(&mut self, _connection: usize, line: &[u8]) {
        self.reports += 1;
        match parse::report(line) {
            Ok(report) => self.take(report),
            Err(why) => self.fault(why),
        }
    }

    fn so_far(&self) -> (usize, usize) {
        let count = |is: &dyn Fn(Status) -> bool| self.records.iter().filter(|record| is(record.status)).count();
        (count(&|status| status == Status::Passed), count(&Status::is_bad))
    }

    fn finish(mut self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        if let Some(why) = transport_fault {
            self.fault(why);
        }
        let has_bad = !self.load_errors.is_empty()
            || self.records.iter().any(|record| record.status.is_bad() || record.status == Status::Flaky);
        if self.told_bad > 0 && !has_bad {
            let told = self.told_bad;
            self.fault(format!("the report counts {told} failures and holds none"));
        }
        let hides_files = matches!(self.dialect, Dialect::Bun | Dialect::Deno);
        if hides_files && self.reports > 0 && !has_bad && end.exit_status.is_some_and(|it| it != 0) {
            let message = "the run failed and no test of the report did: a file did not load, or something failed outside \
                           of tests; the output says what";
            self.load_errors.push(LoadError { file: None, message: message.to_owned(), missing: None });
        }
        let completeness = match self.fault.take() {
            Some(why) => Completeness::Incomplete { why },
            None if self.reports == 0 => Completeness::NoReport,
            None => Completeness::Complete,
        };
        Readout {
            version: None,
            records: self.records,
            load_errors: self.load_errors,
            unhandled: Vec::new(),
            completeness,
            loaded: Vec::new(),
            notes: vec!["results were read from a report file, which the code under test could write too".to_owned()],
            missing: None,
        }
    }
}

#[cfg(test)]
mod tests;
