//! Runs a test command with the real runner under the real supervisor, and tells what was read in plain lines.

use super::{environment, exec::supervisor};
use agent_acceptance::exec::{ChannelKind, Interrupt, Job, Observer, Scratch, run};
use agent_acceptance::facts::{Completeness, ProcessEnd};
use agent_acceptance::runners::{self, Readout, RecordReader, Reports, Site, Transport};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What a run gave.
#[derive(Debug)]
pub struct Observed {
    root: PathBuf,
    pub end: ProcessEnd,
    pub readout: Readout,
}

struct Reading(Box<dyn RecordReader>);

impl Observer for Reading {
    fn record(&mut self, connection: usize, line: &[u8]) {
        self.0.line(connection, line);
    }
}

/// A copy of a fixture, with a place beside it for whatever the runs need.
pub struct Fixture {
    folder: tempfile::TempDir,
    path: OsString,
}

impl Fixture {
    /// Copies `tests/fixtures/NAME`; programs are looked up in `path`.
    pub fn new(name: &str, path: &OsStr) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let fixture = Self { folder, path: path.to_owned() };
        copy(&source(name), &fixture.root());
        fixture
    }

    /// The copy.
    pub fn root(&self) -> PathBuf {
        self.folder.path().canonicalize().expect("a folder").join("repo")
    }

    /// Runs a command at the root.
    #[track_caller]
    pub fn observe(&self, command: &str) -> Observed {
        let (root, place) = (self.root(), self.folder.path());
        let scratch = Scratch::create(place).expect("a folder");
        let site = Site {
            root: &root,
            cwd: &root,
            private: scratch.path(),
            checkout: &root,
            build: &place.join("build"),
            this_program: &supervisor().program,
            search_path: Some(&self.path),
        };
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let (runner, call) = runners::recognise(&words).unwrap_or_else(|refusal| panic!("{command}: {refusal:?}"));
        let launch = runner.prepare(&call, &site).unwrap_or_else(|failure| panic!("{command}: {failure:?}"));
        let mut env = environment(place);
        env.retain(|(name, _)| name != "PATH");
        env.extend([("PATH".into(), self.path.clone()), ("CI".into(), "1".into())]);
        env.extend(toolchain_homes());
        // Go builds its own library once for all tests.
        env.push(("GOCACHE".into(), Path::new(env!("CARGO_TARGET_TMPDIR")).join("go-cache").into()));
        env.extend(launch.env.iter().map(|(name, value)| (name.into(), value.clone())));
        let job = Job {
            program: launch.program.clone(),
            args: launch.args.clone(),
            env,
            cwd: root.clone(),
            deadline: Duration::from_secs(300),
            output_cap: 64 * 1024,
            channel: match launch.transport {
                Transport::Socket => ChannelKind::Once,
                Transport::Sockets => ChannelKind::Many,
                Transport::Stdout => ChannelKind::Stdout,
                Transport::ReportFile(_) | Transport::ReportFolders(_) => ChannelKind::None,
            },
            private: scratch.path().to_owned(),
            supervisor: supervisor(),
        };
        let mut reading = Reading(runner.reader(&launch, &site));
        runners::take_away(&runner.stale(&site), &root).expect("no old build");
        let reports = Reports::clear(&launch.transport, &site).expect("no old report");
        let ended = run(&job, &mut reading, &Interrupt::default()).expect("the runner starts");
        let fault = ended.channel_fault.or(reports.feed(&mut *reading.0).err());
        let readout = reading.0.finish(fault.as_deref(), &ended.end);
        Observed { root, end: ended.end, readout }
    }
}

/// Where Rust's tools are, when they are not below the home, which the tests replace.
fn toolchain_homes() -> Vec<(OsString, OsString)> {
    let home = std::env::home_dir().unwrap_or_default();
    [("RUSTUP_HOME", ".rustup"), ("CARGO_HOME", ".cargo")]
        .into_iter()
        .map(|(name, below)| {
            #[expect(clippy::disallowed_methods, reason = "the tests use the toolchain that they are built with")]
            let own = std::env::var_os(name);
            (name.into(), own.unwrap_or_else(|| home.join(below).into()))
        })
        .collect()
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

/// Copies a fixture. `expected*` stays behind; `Cargo_test.toml` becomes `Cargo.toml`: cargo would take it for a
/// package of its own.
fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("the fixture").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().to_string_lossy().replace("Cargo_test.toml", "Cargo.toml");
        if entry.path().is_dir() {
            copy(&entry.path(), &to.join(name));
        } else if !name.starts_with("expected") {
            std::fs::copy(entry.path(), to.join(name)).expect("a copy");
        }
    }
}

/// Runs a fixture and compares what was read with its `expected.txt`, or `expected-VARIANT.txt` where that is there.
/// With `BLESS=1` what is read is written there; look at every line of it.
#[track_caller]
pub fn check_observed(name: &str, variant: &str, path: &OsStr, command: &str) {
    compare_observed(name, variant, &Fixture::new(name, path).observe(command));
}

/// Compares what was read from a run of a fixture, as [`check_observed`] does.
#[track_caller]
pub fn compare_observed(name: &str, variant: &str, observed: &Observed) {
    let folder = source(name);
    let file = [format!("expected-{variant}.txt"), "expected.txt".to_owned()]
        .map(|file| folder.join(file))
        .into_iter()
        .find(|file| file.is_file());
    let expected =
        file.as_ref().map(|file| std::fs::read_to_string(file).expect("what is expected")).unwrap_or_default();
    let mut told = observed.lines();
    told.sort_unstable();
    #[expect(clippy::disallowed_methods, reason = "a maintainer asks for new files with it")]
    if std::env::var_os("BLESS").is_some() {
        let file = file.unwrap_or_else(|| folder.join("expected.txt"));
        return std::fs::write(file, told.join("\n") + "\n").expect("a file");
    }
    let mut expected: Vec<&str> = expected.lines().collect();
    expected.sort_unstable();
    let (told, expected) = (told.join("\n"), expected.join("\n"));
    let readout = &observed.readout;
    assert_eq!(
        told, expected,
        "{name} {variant}\n{:?}\n{:?}\n{}",
        readout.load_errors, readout.unhandled, observed.end.output
    );
}

impl Observed {
    /// Tells everything that was read in lines, as `expected.txt` holds them.
    pub fn lines(&self) -> Vec<String> {
        let end = &self.end;
        let mut lines = vec![match (end.exit_status, end.signal) {
            (Some(status), _) => format!("exit {status}"),
            (None, signal) => format!("signal {}", signal.unwrap_or_default()),
        }];
        lines.push(match &self.readout.completeness {
            Completeness::Complete => "complete".to_owned(),
            Completeness::NoReport => "no report".to_owned(),
            Completeness::Incomplete { why } => format!("incomplete: {why}"),
        });
        for record in &self.readout.records {
            let status = serde_json::to_value(record.status).expect("a status");
            let project = record.id.project.as_ref().map(|name| format!("[{name}] ")).unwrap_or_default();
            let file = record.id.file.as_deref().unwrap_or("-");
            let ordinal = if record.id.ordinal > 0 { format!(" #{}", record.id.ordinal) } else { String::new() };
            let group = record.group.as_ref().map(|group| format!(" (of {group})")).unwrap_or_default();
            let line = record.line.map(|line| format!(":{line}")).unwrap_or_default();
            let name: String = record.id.full_name().chars().flat_map(visible).collect();
            lines.push(format!("{} {project}{file}{line} > {name}{ordinal}{group}", status.as_str().expect("a word")));
        }
        for load in &self.readout.load_errors {
            let missing = load.missing.as_ref().map(|name| format!(" (missing {name})")).unwrap_or_default();
            let missing = missing.replace(&*self.root.to_string_lossy(), "<root>");
            lines.push(format!("load {}{missing}", load.file.as_deref().unwrap_or("-")));
        }
        lines.extend(self.readout.unhandled.iter().map(|text| {
            let text = text.replace(&*self.root.to_string_lossy(), "<root>");
            format!(
                "unhandled {}",
                text.lines().next().unwrap_or_default().chars().take(88).collect::<String>().trim_end()
            )
        }));
        lines
    }
}

fn visible(character: char) -> Vec<char> {
    if character.is_control() { character.escape_default().collect() } else { vec![character] }
}
