//! Reads the record stream of one run, and says whether it is whole.

use super::groups::{self, Template};
use super::place::Places;
use super::{End, Expected, Load, Message, TestMessage, message, missing_module};
use crate::facts::{Completeness, LoadError, ProcessEnd, Status, TestId, TestRecord};
use crate::runners::{Readout, RecordReader, Site};
use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::path::{Path, PathBuf};

const MAX_TESTS: usize = 1_000_000;
const MAX_MESSAGES: usize = 1000;
const MAX_LOADED: usize = 200_000;
/// A longer name, in bytes, or a deeper path is nobody's honest test.
const MAX_NAME: usize = 64 * 1024;
const MAX_DEPTH: usize = 256;

/// What names a test in the stream: the number of its project and file, and its place there.
type Key = (usize, u32);

/// Reads the stream that `protocol` describes.
#[derive(Debug)]
pub struct Reader {
    places: Places,
    root: PathBuf,
    private: PathBuf,
    /// Project and file, numbered in the order in which they are first heard of.
    sources: Vec<(Option<String>, Option<String>)>,
    numbers: HashMap<(Option<String>, Option<String>), usize>,
    expected: HashMap<usize, u32>,
    tests: BTreeMap<Key, TestRecord>,
    cases: Vec<Key>,
    load_errors: Vec<LoadError>,
    unhandled: Vec<String>,
    loaded: Vec<PathBuf>,
    notes: Vec<String>,
    missing: Option<String>,
    version: Option<String>,
    lines: u64,
    has_started: bool,
    end: Option<End>,
    /// The first thing that was wrong.
    fault: Option<String>,
    passed: usize,
    failed: usize,
}

impl Reader {
    /// Makes a reader for a run at a site.
    pub fn new(site: &Site<'_>) -> Self {
        Self::at(site.root, site.cwd, site.private)
    }

    fn at(root: &Path, cwd: &Path, private: &Path) -> Self {
        Self {
            places: Places::new(root, cwd),
            root: root.to_path_buf(),
            private: private.canonicalize().unwrap_or_else(|_| private.to_path_buf()),
            sources: Vec::new(),
            numbers: HashMap::new(),
            expected: HashMap::new(),
            tests: BTreeMap::new(),
            cases: Vec::new(),
            load_errors: Vec::new(),
            unhandled: Vec::new(),
            loaded: Vec::new(),
            notes: Vec::new(),
            missing: None,
            version: None,
            lines: 0,
            has_started: false,
            end: None,
            fault: None,
            passed: 0,
            failed: 0,
        }
    }

    /// Records what is wrong with the stream; the first fault is the one that is told.
    pub fn fault(&mut self, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| why.into());
    }

    fn message(&mut self, read: Message) {
        if self.end.is_some() {
            return self.fault("a record came after the end record");
        }
        match read {
            Message::Hello(_) if self.lines == 1 => {}
            Message::Hello(_) => self.fault("the stream was opened twice"),
            Message::MissingRunner(why) if self.lines <= 2 && !self.has_started => self.missing = Some(message(&why)),
            Message::MissingRunner(_) => self.fault("the runner was called missing while it ran"),
            Message::Start(_) if self.has_started => self.fault("the stream was started twice"),
            Message::Start(start) => {
                self.has_started = true;
                self.version = start.version.map(|version| message(&version));
            }
            Message::Expected(expected) => self.expected(expected),
            Message::Tests(tests) => tests.into_iter().for_each(|test| self.test(test)),
            Message::Load(load) => self.load(load),
            Message::Unhandled(errors) => {
                let room = MAX_MESSAGES.saturating_sub(self.unhandled.len());
                self.unhandled.extend(errors.iter().take(room).map(|error| message(error)));
            }
            Message::Loaded(files) => {
                let room = MAX_LOADED.saturating_sub(self.loaded.len());
                let private = self.private.clone();
                let files = files.into_iter().take(room).map(PathBuf::from);
                self.loaded.extend(files.filter(|file| file.is_absolute() && !file.starts_with(&private)));
            }
            Message::Note(note) if self.notes.len() < MAX_MESSAGES => self.notes.push(message(&note)),
            Message::Note(_) => {}
            Message::End(end) => self.end = Some(end),
        }
    }

    fn number(&mut self, project: Option<String>, file: Option<&str>) -> usize {
        let source = (project, file.map(|file| self.places.relative(file)));
        if let Some(&number) = self.numbers.get(&source) {
            return number;
        }
        let number = self.sources.len();
        self.sources.push(source.clone());
        self.numbers.insert(source, number);
        number
    }

    fn expected(&mut self, expected: Expected) {
        let number = self.number(expected.project, Some(&expected.file));
        let before = self.expected.insert(number, expected.count);
        if before.is_some_and(|before| before != expected.count) {
            let file = self.file_of(number);
            self.fault(format!("`{file}` was collected twice, with different tests"));
        }
    }

    fn file_of(&self, number: usize) -> String {
        self.sources.get(number).and_then(|(_, file)| file.clone()).unwrap_or_else(|| "a file".to_owned())
    }

    fn test(&mut self, test: TestMessage) {
        if test.path.is_empty() || test.path.len() > MAX_DEPTH || test.path.iter().any(|name| name.len() > MAX_NAME) {
            return self.fault("a record's test has no name, or one too long");
        }
        if self.tests.len() >= MAX_TESTS {
            return self.fault("there are more records than any suite has tests");
        }
        let number = self.number(test.project, test.file.as_deref());
        if self.expected.get(&number).is_some_and(|&count| test.at >= count) {
            let name = test.path.join(" > ");
            return self.fault(format!("`{name}` has a result but was not collected"));
        }
        let key = (number, test.at);
        if self.tests.contains_key(&key) {
            let name = test.path.join(" > ");
            return self.fault(format!("`{name}` has more than one result"));
        }
        match test.status {
            Status::Passed => self.passed += 1,
            status if status.is_bad() => self.failed += 1,
            _ => {}
        }
        if test.each {
            self.cases.push(key);
        }
        let (project, file) = self.sources.get(number).cloned().unwrap_or_default();
        let record = TestRecord {
            id: TestId { project, file, path: test.path, ordinal: 0 },
            status: test.status,
            counted_as_passed: test.counted_as_passed
                && matches!(test.status, Status::ExpectedFailure | Status::UnexpectedPass),
            line: test.line.filter(|&line| line > 0),
            message: test.message.map(|text| message(&text)),
            group: test.group,
        };
        self.tests.insert(key, record);
    }

    fn load(&mut self, load: Load) {
        if self.load_errors.len() >= MAX_MESSAGES {
            return;
        }
        let text = message(&load.message);
        let missing = load.missing.or_else(|| missing_module(&text));
        let file = load.file.map(|file| self.places.relative(&file));
        self.load_errors.push(LoadError { file, message: text, missing });
    }

    fn completeness(&mut self, transport_fault: Option<&str>) -> Completeness {
        if let Some(fault) = transport_fault {
            self.fault(fault);
        }
        if self.fault.is_none() && self.lines == 0 {
            return Completeness::NoReport;
        }
        let total = self.end.as_ref().map(|end| end.total);
        match total {
            None => self.fault("the run ended without its end record"),
            Some(total) if total != self.tests.len() as u64 => {
                let why = format!("the runner counted {total} tests and told the results of {}", self.tests.len());
                self.fault(why);
            }
            Some(_) => {}
        }
        let short = self.short_of_expected();
        if let Some(why) = short {
            self.fault(why);
        }
        match self.fault.take() {
            Some(why) => Completeness::Incomplete { why },
            None => Completeness::Complete,
        }
    }

    /// Compares the number of results of each file with the number of tests that it announced.
    fn short_of_expected(&self) -> Option<String> {
        let mut counted: HashMap<usize, u32> = HashMap::new();
        for (number, _) in self.tests.keys() {
            *counted.entry(*number).or_default() += 1;
        }
        (0..self.sources.len()).find_map(|number| {
            let expected = *self.expected.get(&number)?;
            let found = counted.get(&number).copied().unwrap_or(0);
            let file = self.file_of(number);
            (expected != found).then(|| format!("`{file}` announced {expected} tests and told the results of {found}"))
        })
    }

    /// Numbers equal names in the order in which the tests are defined.
    fn set_ordinals(&mut self) {
        let mut counted: HashMap<TestId, u32> = HashMap::new();
        for record in self.tests.values_mut() {
            let count = counted.entry(record.id.clone()).or_default();
            record.id.ordinal = *count;
            *count += 1;
        }
    }

    fn set_groups(&mut self) {
        let mut templates: HashMap<usize, Vec<Template>> = HashMap::new();
        let cases: std::collections::HashSet<Key> = self.cases.drain(..).collect();
        for (key, record) in &mut self.tests {
            if record.group.is_some() {
                continue;
            }
            let Some(file) = record.id.file.as_deref().filter(|file| has_templates(file)) else { continue };
            let known = templates.entry(key.0).or_insert_with(|| read_templates(&self.root.join(file)));
            let title = record.id.path.last().map(String::as_str).unwrap_or_default();
            record.group = groups::group(known, title, cases.contains(key));
        }
    }
}

/// Only titles of JavaScript's tests are made from templates; other runners tell their groups.
fn has_templates(file: &str) -> bool {
    let extension = file.rsplit('.').next().unwrap_or_default();
    matches!(extension, "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" | "astro")
}

/// A file that cannot be read has no groups; that only makes the comparison with the merge base stricter.
fn read_templates(file: &Path) -> Vec<Template> {
    let mut source = Vec::new();
    let read = std::fs::File::open(file).and_then(|open| {
        if open.metadata()?.is_file() { open.take(groups::FILE_BYTES).read_to_end(&mut source) } else { Ok(0) }
    });
    if read.is_ok() { groups::templates(&String::from_utf8_lossy(&source)) } else { Vec::new() }
}

impl RecordReader for Reader {
    fn line(&mut self, connection: usize, line: &[u8]) {
        if connection > 0 {
            return self.fault("a second process told results");
        }
        if line.trim_ascii().is_empty() {
            return;
        }
        self.lines += 1;
        match serde_json::from_slice::<Message>(line) {
            Ok(read) => self.message(read),
            Err(_) => self.fault("the stream holds a line that is not a record"),
        }
    }

    fn so_far(&self) -> (usize, usize) {
        (self.passed, self.failed)
    }

    fn finish(mut self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        if let Some(told) = self.end.as_ref().and_then(|end| end.exit_status)
            && end.exit_status != Some(told)
        {
            let real = end.exit_status.map_or_else(|| "a signal or at its deadline".to_owned(), |it| it.to_string());
            self.fault(format!("the runner returned {told} and its process ended with {real}"));
        }
        let completeness = self.completeness(transport_fault);
        self.set_ordinals();
        self.set_groups();
        if self.end.as_ref().and_then(|end| end.reason.as_deref()) == Some("interrupted") {
            self.notes.push("the runner says that it was interrupted".to_owned());
        }
        Readout {
            version: self.version,
            records: self.tests.into_values().collect(),
            load_errors: self.load_errors,
            unhandled: self.unhandled,
            completeness,
            loaded: self.loaded,
            notes: self.notes,
            missing: self.missing,
        }
    }
}
