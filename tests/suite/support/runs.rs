//! Runs a fixture with the real runner, over a private channel, and tells what was read in plain lines.

use super::{environment, missing, node_modules, on_path};
use agent_acceptance::exec::{self, ChannelKind, Interrupt, Job, Observer, Supervisor};
use agent_acceptance::facts::{Completeness, ProcessEnd, Status};
use agent_acceptance::runners::{self, Readout, RecordReader, Reports, Site, Transport};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Runs a fixture of `tests/fixtures` with each set of node packages, and compares with its `expected.txt`, or with
/// `expected-PACKAGES.txt` where a version behaves differently. With `BLESS=1` what is read is written there; look at
/// every line of it.
#[track_caller]
pub fn check_fixture(packages: &[&str], fixture: &str, command: &str) {
    #[expect(clippy::disallowed_methods, reason = "a maintainer asks for new files with it")]
    let blesses = std::env::var_os("BLESS").is_some();
    let mut wrong = String::new();
    for name in packages {
        let file = expected_file(fixture, name);
        let expected = std::fs::read_to_string(&file).unwrap_or_default();
        let mut expected: Vec<&str> = expected.lines().collect();
        expected.sort_unstable();
        let Some(run) = folder_of(name).and_then(|folder| run_fixture(&folder, fixture, command)) else {
            continue;
        };
        let mut told = run.lines();
        told.sort_unstable();
        if blesses && told != expected {
            std::fs::write(&file, run.lines().join("\n") + "\n").expect("a file");
        } else if told != expected {
            let (lines, expected) = (told.join("\n  "), expected.join("\n  "));
            let _ = write!(
                wrong,
                "{name} {fixture} told\n  {lines}\nnot\n  {expected}\n{:?}\n{:?}\n{}\n",
                run.readout.load_errors, run.readout.unhandled, run.end.output
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Runs a fixture that ends early in a way that is not always the same, and makes sure that nothing looks green. What a
/// complete run tells is what `expected.txt` or the packages' own file holds, where it is there.
#[track_caller]
pub fn check_nothing_green(packages: &[&str], fixture: &str, command: &str) {
    for name in packages {
        let Some(run) = folder_of(name).and_then(|folder| run_fixture(&folder, fixture, command)) else {
            continue;
        };
        let is_whole = run.readout.completeness == Completeness::Complete && run.end.exit_status == Some(0);
        let has_pass = run.readout.records.iter().any(|record| {
            record.status == Status::Passed && matches!(record.id.file.as_deref(), Some("a.test.js" | "test/a.js"))
        });
        let mut told = run.lines();
        assert!(!is_whole && !has_pass, "{name} {fixture}: {told:?}");
        let expected = std::fs::read_to_string(expected_file(fixture, name));
        if let (Completeness::Complete, Ok(expected)) = (&run.readout.completeness, expected) {
            let mut expected: Vec<&str> = expected.lines().collect();
            expected.sort_unstable();
            told.sort_unstable();
            assert_eq!(told, expected, "{name} {fixture}");
        }
    }
}

/// What a run of a fixture gave.
#[derive(Debug)]
pub struct Run {
    /// How the process ended.
    pub end: ProcessEnd,
    /// What was read.
    pub readout: Readout,
}

/// What a fixture tells with some packages, if they differ from the others.
fn expected_file(fixture: &str, packages: &str) -> PathBuf {
    let folder = fixture_folder(fixture);
    let own = folder.join(format!("expected-{packages}.txt"));
    if own.is_file() { own } else { folder.join("expected.txt") }
}

fn fixture_folder(fixture: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(fixture)
}

/// The packages' name for what needs none but node.
pub const NODE_ALONE: &str = "node-alone";

/// Returns the folder that holds installed packages.
#[track_caller]
fn folder_of(packages: &str) -> Option<PathBuf> {
    if packages != NODE_ALONE {
        return node_modules(packages)?.parent().map(Path::to_path_buf);
    }
    if on_path("node").is_none() {
        missing("node");
        return None;
    }
    Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join(NODE_ALONE))
}

/// Copies a fixture to a folder beside the installed packages, where node finds them, and runs it.
#[track_caller]
pub fn run_fixture(packages: &Path, fixture: &str, command: &str) -> Option<Run> {
    let runs = packages.join("runs");
    std::fs::create_dir_all(&runs).expect("a folder");
    let place = tempfile::tempdir_in(&runs).expect("a folder");
    let root = place.path().join("repo");
    copy(&fixture_folder(fixture), &root);
    let private = tempfile::tempdir().expect("a folder");
    let path = std::env::join_paths([on_path("node")?.parent()?]).ok()?;
    let site = Site {
        root: &root,
        cwd: &root,
        private: private.path(),
        checkout: &root,
        build: private.path(),
        this_program: Path::new(assert_cmd::cargo::cargo_bin!("agent-acceptance")),
        search_path: Some(&path),
    };
    let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
    let (runner, call) = runners::recognise(&words).unwrap_or_else(|refusal| panic!("{command}: {refusal:?}"));
    let launch = runner.prepare(&call, &site).unwrap_or_else(|failure| panic!("{command}: {failure:?}"));
    let mut reader = runner.reader(&launch, &site);
    let mut env = environment(private.path());
    env.push(("CI".into(), "1".into()));
    env.extend(launch.env.iter().map(|(name, value)| (name.into(), value.clone())));
    let channel = match launch.transport {
        Transport::Socket => ChannelKind::Once,
        Transport::Sockets => ChannelKind::Many,
        Transport::Stdout => ChannelKind::Stdout,
        Transport::ReportFile(_) | Transport::ReportFolders(_) => ChannelKind::None,
    };
    let job = Job {
        program: launch.program,
        args: launch.args,
        env,
        cwd: root.clone(),
        deadline: Duration::from_secs(300),
        output_cap: 20_000,
        channel,
        private: private.path().to_owned(),
        supervisor: Supervisor { program: assert_cmd::cargo::cargo_bin!("agent-acceptance").to_owned() },
    };
    runners::take_away(&runner.stale(&site), &root).expect("no old build");
    let reports = Reports::clear(&launch.transport, &site).expect("no old report");
    let ended = exec::run(&job, &mut Reading(&mut *reader), &Interrupt::default())
        .unwrap_or_else(|failure| panic!("{command}: {failure:?}"));
    let (end, fault) = (ended.end, ended.channel_fault.or(reports.feed(&mut *reader).err()));
    let readout = reader.finish(fault.as_deref(), &end);
    Some(Run { end, readout })
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("the fixture") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else if !entry.file_name().to_string_lossy().starts_with("expected") {
            std::fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

impl Run {
    /// Tells everything that was read in lines, as `expected.txt` holds them.
    pub fn lines(&self) -> Vec<String> {
        let end = &self.end;
        let mut lines = vec![match end.exit_status {
            Some(status) => format!("exit {status}"),
            None => format!("signal {}", end.signal.unwrap_or_default()),
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
            let name = visible(&record.id.full_name());
            lines.push(format!("{} {project}{file} > {name}{ordinal}{group}", status.as_str().expect("a word")));
        }
        let load_errors = self.readout.load_errors.iter().map(|load| {
            let missing = load.missing.as_ref().map(|name| format!(" (missing {name})")).unwrap_or_default();
            format!("load {}{missing}", load.file.as_deref().unwrap_or("-"))
        });
        let load_errors: Vec<String> = load_errors.collect();
        lines.extend(load_errors.chunk_by(|one, next| one == next).map(|equal| match equal {
            [one] => one.clone(),
            _ => format!("{} ({} errors)", equal[0], equal.len()),
        }));
        if !self.readout.unhandled.is_empty() {
            lines.push(format!("unhandled {}", self.readout.unhandled.len()));
        }
        lines
    }
}

fn visible(name: &str) -> String {
    name.chars()
        .map(
            |character| {
                if character.is_control() { character.escape_default().to_string() } else { character.to_string() }
            },
        )
        .collect()
}

/// Hands records to a runner's reader.
struct Reading<'a>(&'a mut dyn RecordReader);

impl Observer for Reading<'_> {
    fn record(&mut self, connection: usize, line: &[u8]) {
        self.0.line(connection, line);
    }
}
