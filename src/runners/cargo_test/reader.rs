//! Puts the connections of one `cargo test` run together: the driver's, and one of each test binary's process.

use super::messages::{Binary, DocTest, Listed, Message, OneTest};
use crate::facts::{Completeness, LoadError, ProcessEnd, Status, TestId, TestRecord};
use crate::runners::protocol::{Places, message as cut, missing_module};
use crate::runners::{Readout, RecordReader, Site};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

const MAX_RECORDS: usize = 1_000_000;
const MAX_MESSAGES: usize = 1000;

/// The reader.
#[derive(Debug)]
pub(crate) struct CargoReader {
    places: Places,
    root: PathBuf,
    cwd: PathBuf,
    version: Option<String>,
    announced: HashMap<PathBuf, Binary>,
    order: Vec<PathBuf>,
    runs: HashMap<usize, Run>,
    /// nextest's list, and what the process of each test told.
    suites: BTreeMap<PathBuf, Vec<Listed>>,
    chosen: HashMap<PathBuf, HashSet<String>>,
    n_all: HashMap<PathBuf, usize>,
    singles: HashMap<PathBuf, Vec<OneTest>>,
    single_connections: HashSet<usize>,
    docs: Vec<DocTest>,
    load_errors: Vec<LoadError>,
    unhandled: Vec<String>,
    notes: Vec<String>,
    loaded: Vec<PathBuf>,
    driver: Driver,
    n_lines: u64,
    n_records: usize,
    so_far: (usize, usize),
    fault: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Driver {
    Expected,
    Running,
    Ended(i32),
}

/// What one binary's process told.
#[derive(Debug, Default)]
struct Run {
    path: PathBuf,
    tests: Vec<OneTest>,
    own: Option<(Status, Option<String>)>,
    total: Option<usize>,
}

impl CargoReader {
    pub(crate) fn new(site: &Site<'_>) -> Self {
        Self {
            places: Places::new(site.root, site.cwd),
            root: site.root.to_owned(),
            cwd: site.cwd.to_owned(),
            version: None,
            announced: HashMap::new(),
            order: Vec::new(),
            runs: HashMap::new(),
            suites: BTreeMap::new(),
            chosen: HashMap::new(),
            n_all: HashMap::new(),
            singles: HashMap::new(),
            single_connections: HashSet::new(),
            docs: Vec::new(),
            load_errors: Vec::new(),
            unhandled: Vec::new(),
            notes: Vec::new(),
            loaded: Vec::new(),
            driver: Driver::Expected,
            n_lines: 0,
            n_records: 0,
            so_far: (0, 0),
            fault: None,
        }
    }

    fn fault(&mut self, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| why.into());
    }

    fn of_driver(&mut self, message: Message) {
        match (message, self.driver) {
            (Message::Driver { version }, Driver::Expected) => {
                self.version = version;
                self.driver = Driver::Running;
            }
            (_, Driver::Expected | Driver::Ended(_)) => self.fault("the driver's records are out of order"),
            (Message::Binaries(binaries), Driver::Running) => {
                for binary in binaries {
                    let path = binary.path.canonicalize().unwrap_or_else(|_| binary.path.clone());
                    if self.announced.insert(path.clone(), binary).is_none() {
                        self.order.push(path);
                    }
                }
            }
            (Message::Suite { path, n_all, tests }, Driver::Running) => {
                let path = path.canonicalize().unwrap_or(path);
                self.n_all.insert(path.clone(), n_all);
                let runs = tests.iter().filter(|test| test.runs).map(|test| test.name.clone());
                self.chosen.entry(path.clone()).or_default().extend(runs);
                self.suites.entry(path).or_default().extend(tests);
            }
            (Message::Load { file, message }, Driver::Running) => self.load(file.as_deref(), &message),
            (Message::Docs(tests), Driver::Running) => {
                for test in tests {
                    self.count(test.status);
                    self.docs.push(test);
                }
            }
            (Message::Unhandled(text), Driver::Running) => {
                if self.unhandled.len() < MAX_MESSAGES {
                    self.unhandled.push(cut(&text));
                }
            }
            (Message::Note(text), Driver::Running) => self.notes.push(cut(&text)),
            (Message::Loaded(files), Driver::Running) => self.loaded.extend(files.into_iter().map(PathBuf::from)),
            (Message::DriverEnd { exit_status }, Driver::Running) => self.driver = Driver::Ended(exit_status),
            (
                Message::Driver { .. }
                | Message::Binary(_)
                | Message::Tests(_)
                | Message::OwnHarness { .. }
                | Message::One { .. }
                | Message::BinaryEnd { .. },
                Driver::Running,
            ) => self.fault("the driver told something that is not its own"),
        }
    }

    fn load(&mut self, file: Option<&str>, message: &str) {
        if self.load_errors.len() < MAX_MESSAGES {
            let message = cut(message);
            let missing = missing_module(&message).or_else(|| missing_item(&message));
            self.load_errors.push(LoadError { file: file.map(|it| self.places.relative(it)), message, missing });
        }
    }

    fn of_binary(&mut self, connection: usize, message: Message) {
        if let Message::Binary(path) = message {
            let is_known = self.announced.contains_key(&path);
            let is_second = self.runs.contains_key(&connection) || self.runs.values().any(|run| run.path == path);
            if !is_known {
                self.fault(format!("`{}` told results and was not built as a test", path.display()));
            } else if is_second {
                self.fault(format!("`{}` was run twice", path.display()));
            }
            self.runs.insert(connection, Run { path, ..Run::default() });
            return;
        }
        if let Message::One { path, test, n_filtered } = message {
            return self.single(connection, path, test, n_filtered);
        }
        let Some(run) = self.runs.get_mut(&connection).filter(|run| run.total.is_none()) else {
            return self.fault("a test binary's records are out of order");
        };
        match message {
            Message::Tests(tests) => {
                let statuses: Vec<Status> = tests.iter().map(|test| test.status).collect();
                run.tests.extend(tests);
                for status in statuses {
                    self.count(status);
                }
            }
            Message::OwnHarness { status, message } if run.own.is_none() => {
                run.own = Some((status, message));
                self.count(status);
            }
            Message::BinaryEnd { total } => run.total = Some(total),
            _ => self.fault("a test binary told something that is not its own"),
        }
    }

    fn single(&mut self, connection: usize, path: PathBuf, mut test: OneTest, n_filtered: Option<usize>) {
        let runs = self.chosen.get(&path).is_some_and(|names| names.contains(&test.name));
        if !self.single_connections.insert(connection) || !runs {
            return self.fault(format!("`{}` has a result and was not to be run", test.name));
        }
        let n_all = self.n_all.get(&path).copied().unwrap_or_default();
        if test.status == Status::Passed && n_filtered.map(|it| it + 1) != Some(n_all) {
            // It was printed by somebody who does not know how many tests there are.
            test.status = Status::Failed;
            test.message = Some("its last line is not the result that libtest prints".to_owned());
        }
        self.count(test.status);
        self.singles.entry(path).or_default().push(test);
    }

    /// Makes of single results what the process of a whole binary would have told.
    fn gather(&mut self) {
        for (path, listed) in std::mem::take(&mut self.suites) {
            let mut told: HashMap<String, Vec<OneTest>> = HashMap::new();
            for test in self.singles.remove(&path).unwrap_or_default() {
                told.entry(test.name.clone()).or_default().push(test);
            }
            let mut tests = Vec::new();
            for Listed { name, runs, .. } in listed {
                let status = if runs { Status::Unfinished } else { Status::Skipped };
                let message = runs.then(|| "its process told no result".to_owned());
                let untold = || vec![OneTest { name: name.clone(), status, line: None, message }];
                tests.extend(told.remove(&name).unwrap_or_else(untold));
            }
            let total = Some(tests.len());
            // No connection has this number: the driver's is 0, and no test's process told a whole binary.
            let key = usize::MAX - self.runs.len();
            self.runs.insert(key, Run { path, tests, own: None, total });
        }
    }

    fn count(&mut self, status: Status) {
        self.n_records += 1;
        if self.n_records > MAX_RECORDS {
            return self.fault("there are more records than any suite has tests");
        }
        match status {
            Status::Passed => self.so_far.0 += 1,
            status if status.is_bad() => self.so_far.1 += 1,
            _ => {}
        }
    }

    fn records(&mut self) -> Vec<TestRecord> {
        let mut records = Vec::new();
        let is_listed = !self.suites.is_empty();
        self.gather();
        let runs: HashMap<PathBuf, Run> = self.runs.drain().map(|(_, run)| (run.path.clone(), run)).collect();
        for path in std::mem::take(&mut self.order) {
            let Some(binary) = self.announced.get(&path).cloned() else { continue };
            match runs.get(&path) {
                Some(run) => self.records_of(&binary, run, &mut records),
                // nextest leaves binaries out that its filters do not choose.
                None if is_listed => {}
                None => self.fault(format!("the tests of `{}` were not run", binary.project)),
            }
        }
        self.doc_records(&mut records);
        records
    }

    fn records_of(&mut self, binary: &Binary, run: &Run, records: &mut Vec<TestRecord>) {
        let told = run.tests.len() + usize::from(run.own.is_some());
        match run.total {
            None => self.fault(format!("the tests of `{}` ended without their end record", binary.project)),
            Some(total) if total != told => {
                self.fault(format!("`{}` counted {total} tests and told the results of {told}", binary.project));
            }
            Some(_) => {}
        }
        let file = Some(self.places.relative(&binary.file));
        let id =
            |path: Vec<String>| TestId { project: Some(binary.project.clone()), file: file.clone(), path, ordinal: 0 };
        if let Some((status, message)) = &run.own {
            self.notes.push(format!(
                "`{}` has a test harness of its own: it is one test, judged by exit status",
                binary.project
            ));
            records.push(TestRecord {
                id: id(vec!["(whole binary)".to_owned()]),
                status: *status,
                counted_as_passed: false,
                line: None,
                message: message.clone(),
                group: None,
            });
        }
        let mut names = HashSet::new();
        for test in &run.tests {
            if !names.insert(&test.name) {
                self.fault(format!("`{}` has more than one result", test.name));
            }
            records.push(TestRecord {
                id: id(test.name.split("::").map(str::to_owned).collect()),
                status: test.status,
                counted_as_passed: false,
                line: test.line,
                message: test.message.clone(),
                group: None,
            });
        }
    }

    fn doc_records(&mut self, records: &mut Vec<TestRecord>) {
        if self.docs.is_empty() {
            return;
        }
        let n_docs = self.docs.len();
        self.notes.push(format!("{n_docs} documentation tests were read from rustdoc's text"));
        for test in std::mem::take(&mut self.docs) {
            let (file, line) = self.place_of(&test.name);
            // Lines move with every edit above them, and are no part of what a test is called.
            let group = test.name.split(" (line ").next().unwrap_or(&test.name).to_owned();
            records.push(TestRecord {
                id: TestId { project: Some(format!("{} doc", test.package)), file, path: vec![test.name], ordinal: 0 },
                status: test.status,
                counted_as_passed: false,
                line,
                message: test.message,
                group: Some(group),
            });
        }
    }

    /// `src/lib.rs - item (line 4)`: the file is told from the workspace's root.
    fn place_of(&self, name: &str) -> (Option<String>, Option<u64>) {
        let line = name.rsplit_once(" (line ").and_then(|(_, rest)| rest.strip_suffix(')')?.parse().ok());
        let Some((file, _)) = name.split_once(" - ") else { return (None, line) };
        let mut folders = self.cwd.ancestors().take_while(|folder| folder.starts_with(&self.root));
        let found = folders.find(|folder| folder.join(file).is_file());
        let inside = found.and_then(|folder| folder.strip_prefix(&self.root).ok()).map(|folder| folder.join(file));
        let relative = inside.map(|path| path.to_string_lossy().replace(std::path::MAIN_SEPARATOR, "/"));
        (relative.or_else(|| Path::new(file).is_relative().then(|| file.to_owned())), line)
    }
}

/// rustc's words for a name that is not there.
fn missing_item(message: &str) -> Option<String> {
    let starts = ["unresolved import `", "cannot find ", "no function or associated item named `", "no method named `"];
    let start = starts.iter().find_map(|start| Some(message.find(start)? + start.len()))?;
    let rest = &message[start..];
    let name = if rest.contains('`') && !message[..start].ends_with('`') {
        rest.split('`').nth(1)?
    } else {
        rest.split('`').next()?
    };
    (!name.is_empty() && name.len() < 200).then(|| name.to_owned())
}

impl RecordReader for CargoReader {
    fn line(&mut self, connection: usize, line: &[u8]) {
        self.n_lines += 1;
        match serde_json::from_slice::<Message>(line) {
            Ok(message) if connection == 0 => self.of_driver(message),
            Ok(message) => self.of_binary(connection, message),
            Err(_) => self.fault("the stream holds a line that is not a record"),
        }
    }

    fn so_far(&self) -> (usize, usize) {
        self.so_far
    }

    fn finish(mut self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        if let Some(why) = transport_fault {
            self.fault(why);
        }
        match self.driver {
            Driver::Ended(told) if end.exit_status != Some(told) => {
                self.fault(format!("the driver ended with {told} and its process with {:?}", end.exit_status));
            }
            Driver::Ended(_) => {}
            Driver::Expected | Driver::Running => self.fault("the run ended without its end record"),
        }
        let has_nothing = self.n_lines == 0 && transport_fault.is_none();
        let records = self.records();
        let completeness = match self.fault.take() {
            Some(_) if has_nothing => Completeness::NoReport,
            Some(why) => Completeness::Incomplete { why },
            None => Completeness::Complete,
        };
        Readout {
            version: self.version,
            records,
            load_errors: self.load_errors,
            unhandled: self.unhandled,
            completeness,
            loaded: self.loaded,
            notes: self.notes,
            missing: None,
        }
    }
}
