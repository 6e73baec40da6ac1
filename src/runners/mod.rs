//! One file a test runner: how it is recognised in a command, how it is started so that its results come
//! out record by record, how its records are read, and which files are its harness.
//! Knows nothing of contracts; starts no process itself.

mod bats;
mod bun;
mod cargo_test;
pub mod command;
mod ctest;
mod deno;
mod dotnet;
mod flags;
mod go_test;
mod gradle;
mod jest;
pub mod junit;
mod jvm;
pub mod launcher;
mod maven;
mod mocha;
mod nextest;
mod node;
mod node_test;
mod own_report;
mod phpunit;
mod playwright;
pub mod protocol;
pub mod pytest;
mod python;
mod reports;
mod rspec;
pub mod script;
mod sources;
pub(crate) mod start;
mod trx;
mod unittest;
mod vitest;

pub use reports::{Reports, take_away};

use crate::error::Failure;
use crate::facts::{Channel, Completeness, LoadError, ProcessEnd, TestRecord};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// What a command means to a runner: which runner, started with which arguments of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The launcher's words before the runner's name: `["npx"]`, `["poetry", "run"]`, `[]`.
    pub launcher: Vec<String>,
    /// The runner's name as it was written: `vitest`, `pytest`, `cargo`.
    pub program: String,
    /// The arguments after the runner's name.
    pub args: Vec<String>,
    /// The report that the command writes by itself, relative to the folder that it runs in; `None` for a known runner.
    pub report: Option<String>,
}

/// Why a command is not taken, told at the command in the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// A few words under the underline.
    pub label: String,
    /// The command or form to write instead.
    pub help: Option<String>,
}

/// Where and with what a runner is to be started.
#[derive(Debug)]
pub struct Site<'a> {
    /// The root of the tree under test: the checkout, or a clone.
    pub root: &'a Path,
    /// The folder to run in, inside `root`.
    pub cwd: &'a Path,
    /// A fresh private folder for reporters, reports and sockets.
    pub private: &'a Path,
    /// The user's checkout, where installed dependencies may be looked up.
    pub checkout: &'a Path,
    /// A private folder for build output of this side (head, base), kept between runs.
    pub build: &'a Path,
    /// This program, for runners that start tests through it.
    pub this_program: &'a Path,
    /// The `PATH` to look programs up in.
    pub search_path: Option<&'a std::ffi::OsStr>,
}

/// How results leave the test process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transport {
    /// One connection to a private socket, accepted once. Its address and a nonce stand in the
    /// environment variable `AGENT_ACCEPTANCE_CHANNEL`.
    Socket,
    /// The same, for runners whose results come from several processes of ours one after the other.
    Sockets,
    /// The runner's own stdout is a socket pair that cannot be reopened; each line is a record.
    Stdout,
    /// A report file, read after the process ended.
    ReportFile(PathBuf),
    /// Report files that match in these folders, read after the process ended.
    ReportFolders(Vec<PathBuf>),
}

/// A process to start, complete but for the environment's allow-list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// The program, absolute where it was looked up.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The same command for people, private paths as words in angle brackets.
    pub shown: Vec<String>,
    /// Variables beyond the allow-list.
    pub env: Vec<(String, OsString)>,
    /// How results leave it.
    pub transport: Transport,
    /// The runner's version, where it was found without starting anything.
    pub version: Option<String>,
}

/// What was read from one run.
#[derive(Debug, Clone, PartialEq)]
pub struct Readout {
    /// The runner's version, where the run told it.
    pub version: Option<String>,
    /// Every test's record; files are relative to the root.
    pub records: Vec<TestRecord>,
    /// Files that failed to load.
    pub load_errors: Vec<LoadError>,
    /// Errors that belong to no test.
    pub unhandled: Vec<String>,
    /// Whether the stream is whole and its numbers agree.
    pub completeness: Completeness,
    /// Files that the run loaded, absolute: the proof of where the code came from.
    pub loaded: Vec<PathBuf>,
    /// Remarks for the finding.
    pub notes: Vec<String>,
    /// Why the runner itself could not be loaded, before anything of the project was.
    pub missing: Option<String>,
}

/// Reads the records of one run as they arrive.
pub trait RecordReader: Send {
    /// Takes one line; `connection` counts the connections of a `Sockets` transport from 0.
    fn line(&mut self, connection: usize, line: &[u8]);

    /// Returns how many tests passed and failed so far, for progress.
    fn so_far(&self) -> (usize, usize);

    /// Ends reading. `transport_fault` tells what was wrong with the channel itself (a second connection,
    /// too much data, a wrong nonce); `end` is how the process ended.
    fn finish(self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout;
}

/// Which files decide how a runner's tests run and count.
#[derive(Debug, Clone, Copy)]
pub struct HarnessRules {
    /// Globs (globset, `*` does not cross `/`) of whole files, matched against the path and, when the glob
    /// has no `/`, against the file name in any folder.
    pub files: &'static [&'static str],
    /// Manifests of which only parts matter: file name and the parts.
    pub manifests: &'static [Manifest],
    /// Keys of configuration files whose relative paths are followed one step: `setupFiles`.
    pub followed_keys: &'static [&'static str],
}

/// A manifest with many purposes and the parts of it that are harness.
#[derive(Debug, Clone, Copy)]
pub struct Manifest {
    /// The file's name in any folder: `package.json`.
    pub file_name: &'static str,
    /// Top-level keys or dotted tables that are harness for this runner.
    pub parts: &'static [&'static str],
}

/// What a package manager installs into the project's own folders for a runner, beside `node_modules` and Python's
/// environments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Installed {
    /// Folders, with `/`, wherever in the project they are: `vendor`. A clone gets copies of those that git ignores.
    pub folders: &'static [&'static str],
    /// File names, in lower case, of which a changed one means that each side needs folders of its own.
    pub manifests: &'static [&'static str],
}

/// What the README's table and `explain` tell of a runner.
#[derive(Debug, Clone, Copy)]
pub struct About {
    /// Forms of the command that are recognised.
    pub forms: &'static [&'static str],
    /// How results come out.
    pub channel: Channel,
    /// What is seen beyond passed and failed.
    pub seen: &'static str,
    /// What cannot be seen.
    pub limits: &'static str,
}

/// One test runner.
pub trait Runner: Sync {
    /// Returns its name: `vitest`.
    fn name(&self) -> &'static str;

    /// Returns what people are told of it.
    fn about(&self) -> About;

    /// Looks at a call whose launcher has been taken off. `None` when it is another program's; a refusal
    /// when it is this runner's but would not be a believable run.
    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>>;

    /// Finds the installed runner and says how to start it.
    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure>;

    /// Makes a reader for the records of one run.
    fn reader(&self, launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader>;

    /// Returns which files are its harness.
    fn harness(&self) -> HarnessRules;

    /// Returns folders of build output in the tree that are taken away before a run, since what an earlier build left
    /// there could run in place of the sources.
    fn stale(&self, _site: &Site<'_>) -> Vec<PathBuf> {
        Vec::new()
    }

    /// Returns what is installed for it into the project.
    fn installed(&self) -> Installed {
        Installed { folders: &[], manifests: &[] }
    }

    /// Returns whether a file is a test file by the runner's convention; the path is relative to the root.
    fn is_test_file(&self, path: &str) -> bool;

    /// Returns the files that the command itself names as configuration (`--config x.ts`, `--import ./setup.mjs`), as
    /// written, relative to the folder that it runs in. They are harness too.
    fn named_files(&self, _call: &Call) -> Vec<String> {
        Vec::new()
    }
}

/// Every runner, in the order in which they are asked and told. Adding one is one line here.
#[rustfmt::skip]
pub const ALL: &[&dyn Runner] = &[
    &vitest::Vitest,
    &jest::Jest,
    &node_test::NodeTest,
    &bun::Bun,
    &deno::Deno,
    &mocha::Mocha,
    &playwright::Playwright,
    &pytest::Pytest,
    &unittest::Unittest,
    &rspec::Rspec,
    &phpunit::Phpunit,
    &maven::Maven,
    &gradle::Gradle,
    &dotnet::Dotnet,
    &cargo_test::CargoTest,
    &nextest::Nextest,
    &go_test::GoTest,
    &ctest::Ctest,
    &bats::Bats,
];

/// Returns what is installed into projects for any runner: for a command of which nothing is known.
pub fn everything_installed() -> Installed {
    static FOLDERS: LazyLock<Vec<&str>> = LazyLock::new(|| all(|installed| installed.folders));
    static MANIFESTS: LazyLock<Vec<&str>> = LazyLock::new(|| all(|installed| installed.manifests));
    fn all(part: fn(Installed) -> &'static [&'static str]) -> Vec<&'static str> {
        ALL.iter().flat_map(|runner| part(runner.installed())).copied().collect()
    }
    Installed { folders: &FOLDERS, manifests: &MANIFESTS }
}

/// Is one of the processes that runners start this program as, when the arguments begin with such a one's name.
/// Returns the exit status then.
pub fn own_process(args: &[OsString]) -> Option<u8> {
    let (name, rest) = args.split_first()?;
    match name.to_str()? {
        cargo_test::DRIVER_ARGUMENT => Some(cargo_test::driver_main(rest)),
        cargo_test::ONE_ARGUMENT => Some(nextest::one_main(rest)),
        go_test::DRIVER_ARGUMENT => Some(go_test::driver_main(rest)),
        go_test::BINARY_ARGUMENT => Some(go_test::binary_main(rest)),
        cargo_test::BINARY_ARGUMENT => Some(cargo_test::binary_main(rest)),
        _ => None,
    }
}

/// Understands a command that writes a report of its own: no runner has to know it.
pub fn with_own_report(words: &[String], report: &str) -> (&'static dyn Runner, Call) {
    let (program, args) = words.split_first().map(|(first, rest)| (first.clone(), rest.to_vec())).unwrap_or_default();
    (&own_report::OwnReport, Call { launcher: Vec::new(), program, args, report: Some(report.to_owned()) })
}

/// Finds the runner of a command and takes its launcher off.
///
/// # Errors
/// Returns a refusal when no runner knows the command, its runner is hidden, or it would not be a believable run.
pub fn recognise(words: &[String]) -> Result<(&'static dyn Runner, Call), Refusal> {
    command::argv(words)?;
    let call = launcher::take_off(words)?;
    for runner in ALL {
        match runner.recognise(&call) {
            Some(Ok(())) => return Ok((*runner, call)),
            Some(Err(refusal)) => return Err(refusal),
            None => {}
        }
    }
    let forms: Vec<String> =
        ALL.iter().filter_map(|runner| runner.about().forms.first().map(|form| format!("`{form}`"))).collect();
    Err(Refusal {
        message: format!("`{}` is not a test runner that can be observed", call.program),
        label: "unknown test runner".to_owned(),
        help: Some(format!("write one of these: {}", forms.join(", "))),
    })
}
