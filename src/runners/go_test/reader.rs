//! Puts the connections of one `go test` run together: the driver's, and one of each package's test binary.

use super::messages::Message;
use crate::facts::{Completeness, LoadError, ProcessEnd, Status, TestId, TestRecord};
use crate::runners::protocol::{Places, message as cut, missing_module};
use crate::runners::{Readout, RecordReader, Site};
use regex::Regex;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

const MAX_RECORDS: usize = 1_000_000;
const MAX_MESSAGES: usize = 1000;

/// The reader.
#[derive(Debug)]
pub(super) struct GoReader {
    places: Places,
    version: Option<String>,
    driver: Option<usize>,
    ended: Option<i32>,
    binaries: BTreeMap<usize, Binary>,
    said: HashMap<(String, String), String>,
    load_errors: Vec<LoadError>,
    unhandled: Vec<String>,
    loaded: Vec<PathBuf>,
    n_records: usize,
    so_far: (usize, usize),
    fault: Option<String>,
}

/// What one package's test binary told.
#[derive(Debug, Default)]
struct Binary {
    /// Import path and folder.
    package: Option<(String, String)>,
    /// The file of each test at the top.
    has: HashMap<String, String>,
    /// Tests in the order in which they began, with what they did in the end.
    tests: Vec<(String, Option<Status>)>,
    /// Where the running ones stand in `tests`.
    running: HashMap<String, usize>,
    n_ended: u64,
    done: Option<u64>,
    exit_status: Option<i32>,
}

impl GoReader {
    pub(super) fn new(site: &Site<'_>) -> Self {
        Self {
            places: Places::new(site.root, site.cwd),
            version: None,
            driver: None,
            ended: None,
            binaries: BTreeMap::new(),
            said: HashMap::new(),
            load_errors: Vec::new(),
            unhandled: Vec::new(),
            loaded: Vec::new(),
            n_records: 0,
            so_far: (0, 0),
            fault: None,
        }
    }

    fn fault(&mut self, why: impl Into<String>) {
        self.fault.get_or_insert_with(|| why.into());
    }

    fn unhandled(&mut self, text: &str) {
        if self.unhandled.len() < MAX_MESSAGES {
            self.unhandled.push(cut(text));
        }
    }

    fn message(&mut self, connection: usize, message: Message) {
        let is_driver = self.driver == Some(connection);
        match message {
            Message::Driver { version } if self.driver.is_none() => {
                self.driver = Some(connection);
                self.version = Some(cut(&version));
            }
            Message::Lines(lines) if !is_driver => {
                for line in &lines {
                    if let Err(why) = self.line_of_binary(connection, line) {
                        self.fault(why);
                    }
                }
            }
            Message::BinaryEnd { exit_status } if !is_driver => {
                let binary = self.binaries.entry(connection).or_default();
                if binary.exit_status.replace(exit_status).is_some() {
                    self.fault("a test binary ended twice");
                }
            }
            Message::Driver { .. } | Message::Lines(_) | Message::BinaryEnd { .. } => {
                self.fault("a record came from where it cannot come from");
            }
            _ if !is_driver || self.ended.is_some() => self.fault("the driver's records are out of order"),
            Message::Load { file, message } => self.load(file.as_deref(), &message),
            Message::Said { package, test, text } => {
                self.said.insert((package, test), cut(&text));
            }
            Message::Unhandled(text) => self.unhandled(&text),
            Message::Loaded(files) => self.loaded.extend(files.into_iter().map(PathBuf::from)),
            Message::DriverEnd { exit_status } => self.ended = Some(exit_status),
        }
    }

    fn load(&mut self, file: Option<&str>, message: &str) {
        if self.load_errors.len() < MAX_MESSAGES {
            let message = cut(message);
            let missing = missing_item(&message).or_else(|| missing_module(&message));
            let file = file.map(|file| self.places.relative(file));
            self.load_errors.push(LoadError { file, message, missing });
        }
    }

    fn line_of_binary(&mut self, connection: usize, line: &str) -> Result<(), String> {
        let fields: Vec<String> = line.split('\t').map(decoded).collect();
        let fields: Vec<&str> = fields.iter().map(String::as_str).collect();
        let binary = self.binaries.entry(connection).or_default();
        let name_of = |package: &Option<(String, String)>| package.clone().unwrap_or_default().0;
        if binary.exit_status.is_some() {
            return Err("a test binary told something after its end".to_owned());
        }
        match fields.as_slice() {
            ["main", package, folder] if binary.package.is_none() => {
                binary.package = Some(((*package).to_owned(), (*folder).to_owned()));
            }
            ["has", name, file] if binary.package.is_some() && binary.tests.is_empty() => {
                binary.has.insert((*name).to_owned(), (*file).to_owned());
            }
            ["run", name] => {
                let top = name.split('/').next().unwrap_or(name);
                if !binary.has.contains_key(*name) && !binary.has.contains_key(top) {
                    return Err(format!("`{name}` ran and is no test of {}", name_of(&binary.package)));
                }
                if binary.running.insert((*name).to_owned(), binary.tests.len()).is_some() {
                    return Err(format!("`{name}` began twice"));
                }
                binary.tests.push(((*name).to_owned(), None));
                self.n_records += 1;
                if self.n_records > MAX_RECORDS {
                    return Err("there are too many tests".to_owned());
                }
            }
            ["end", name, status] => {
                let Some(at) = binary.running.remove(*name) else {
                    return Err(format!("`{name}` has a result and was not running"));
                };
                let status = match *status {
                    "pass" => Status::Passed,
                    "skip" => Status::Skipped,
                    _ => Status::Failed,
                };
                binary.tests[at].1 = Some(status);
                binary.n_ended += 1;
                self.so_far.0 += usize::from(status == Status::Passed);
                self.so_far.1 += usize::from(status.is_bad());
            }
            // A program may run its tests more than once; the last count holds.
            ["done", count] => binary.done = count.parse().ok(),
            _ => return Err("a test binary told what nobody understands".to_owned()),
        }
        Ok(())
    }

    /// Says what is wrong with a binary's end.
    fn close(&mut self, binary: &Binary) {
        let Some(status) = binary.exit_status else { return self.fault("a test binary was lost") };
        let Some((package, _)) = &binary.package else {
            if status == 0 {
                return self.fault("a test binary told nothing");
            }
            return self.unhandled(&format!("a test binary ended with status {status} before any test"));
        };
        let has_bad = binary.tests.iter().any(|(_, status)| !matches!(status, Some(status) if !status.is_bad()));
        match binary.done {
            Some(count) if count != binary.n_ended => {
                self.fault(format!("the results of {package} are not all there"));
            }
            None if status == 0 && !binary.has.is_empty() => {
                self.fault(format!("the tests of {package} ended early with status 0"));
            }
            _ if status != 0 && !has_bad => {
                self.unhandled(&format!("{package} ended with status {status}, and no test of it failed"));
            }
            // A panic, or time that was up: nobody knows what would have run after it.
            None if status != 0 => self.unhandled(&format!("the tests of {package} ended early with status {status}")),
            _ => {}
        }
    }

    fn records(&mut self, binary: Binary, ordinals: &mut HashMap<TestId, u32>) -> Vec<TestRecord> {
        let (package, folder) = binary.package.unwrap_or_default();
        let mut records = Vec::new();
        for (name, status) in binary.tests {
            let top = name.split('/').next().unwrap_or(&name);
            let place = binary.has.get(&name).or_else(|| binary.has.get(top));
            let file = place.filter(|file| !file.is_empty()).map(|file| {
                // Built with -trimpath, files have no folder of this machine.
                let path = Path::new(file);
                let name = path.file_name().unwrap_or_default();
                let full = if path.is_absolute() { path.to_owned() } else { Path::new(&folder).join(name) };
                self.places.relative(&full.to_string_lossy())
            });
            let project = file.is_none().then(|| package.clone());
            let mut id = TestId { project, file, path: vec![name.clone()], ordinal: 0 };
            let count = ordinals.entry(id.clone()).or_default();
            id.ordinal = *count;
            *count += 1;
            let status = status.unwrap_or(Status::Unfinished);
            let message = self.said.remove(&(package.clone(), name)).filter(|_| status.is_bad());
            let line = message.as_deref().and_then(|message| line_in(message, id.file.as_deref()));
            records.push(TestRecord { id, status, counted_as_passed: false, line, message, group: None });
        }
        records
    }
}

impl RecordReader for GoReader {
    fn line(&mut self, connection: usize, line: &[u8]) {
        if let Ok(message) = serde_json::from_slice(line) {
            self.message(connection, message);
        } else {
            self.fault("a record cannot be read");
        }
    }

    fn so_far(&self) -> (usize, usize) {
        self.so_far
    }

    fn finish(mut self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        if let Some(why) = transport_fault {
            self.fault(why);
        }
        if self.driver.is_some() && (self.ended.is_none() || self.ended != end.exit_status) {
            self.fault("the run ended before go did");
        }
        let binaries = std::mem::take(&mut self.binaries);
        let mut records = Vec::new();
        let mut ordinals = HashMap::new();
        // Go runs packages side by side; their order is that of their names.
        let mut binaries: Vec<Binary> = binaries.into_values().collect();
        binaries.sort_by(|a, b| a.package.cmp(&b.package));
        for binary in binaries {
            self.close(&binary);
            records.extend(self.records(binary, &mut ordinals));
        }
        let completeness = match self.fault.take() {
            Some(why) => Completeness::Incomplete { why },
            None if self.driver.is_none() => Completeness::NoReport,
            None => Completeness::Complete,
        };
        Readout {
            version: self.version.take(),
            records,
            load_errors: self.load_errors,
            unhandled: self.unhandled,
            completeness,
            loaded: self.loaded,
            notes: Vec::new(),
            missing: None,
        }
    }
}

static AT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^\s*(\S+\.go):(\d+): ").ok());

/// Returns the line of a test's file at which it says that it failed: `    a_test.go:12: wrong`.
fn line_in(message: &str, file: Option<&str>) -> Option<u64> {
    let name = file?.rsplit('/').next()?;
    let lines = AT.as_ref()?.captures_iter(message).filter(|found| found.get(1).is_some_and(|it| it.as_str() == name));
    lines.filter_map(|found| found.get(2)?.as_str().parse().ok()).find(|line| *line > 0)
}

/// Takes the escapes of `go_testing.go` out of a field.
fn decoded(field: &str) -> String {
    let mut bytes = Vec::with_capacity(field.len());
    let mut rest = field.as_bytes();
    while let [first, after @ ..] = rest {
        let escaped = (*first == b'%')
            .then(|| after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok()))
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escaped.unwrap_or(*first));
        rest = if escaped.is_some() { &after[2..] } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

static MISSING: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r"undefined: (?:\w+\.)?(\w+)",
        r"(?:\w+\.)?(\w+) undefined \(",
        r"undefined \(type \S+ has no field or method (\w+)",
        r"package (\S+) is not in (?:std|GOROOT)",
        r"no required module provides package (\S+?)[;:\s]",
        r"unknown field (\w+) in struct literal",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Returns the name that the compiler did not find.
fn missing_item(message: &str) -> Option<String> {
    MISSING.iter().find_map(|pattern| pattern.captures(message)?.get(1).map(|name| name.as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{MISSING, decoded, missing_item};

    #[test]
    fn missing_names_are_told() {
        assert_eq!(MISSING.len(), 6);
        for (message, expected) in [
            ("bad/a_test.go:3:30: undefined: Slug", Some("Slug")),
            ("a_test.go:3:30: undefined: text.Slug", Some("Slug")),
            ("a_test.go:8:4: x.Slug undefined (type T has no field or method Slug)", Some("Slug")),
            ("a_test.go:4:2: package example.com/x/y is not in std (/usr/lib/go/src/...)", Some("example.com/x/y")),
            ("a_test.go:3:8: syntax error", None),
        ] {
            assert_eq!(missing_item(message).as_deref(), expected, "{message}");
        }
    }

    #[test]
    fn fields_are_decoded() {
        assert_eq!(decoded("a%09b%25%0a%zz%"), "a\tb%\n%zz%");
    }
}
