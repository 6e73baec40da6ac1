//! What the processes of one `cargo test` run are told, and what they tell: plain data. The first connection is the
//! driver's, which runs cargo; each further one is of a process that runs one test binary.

use crate::facts::Status;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// What the driver does; it stands in a file of the private folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Plan {
    /// The cargo program.
    pub(crate) cargo: PathBuf,
    /// `+nightly`.
    pub(crate) toolchain: Option<String>,
    /// Cargo's options that choose no target.
    pub(crate) options: Vec<String>,
    /// Options that choose targets.
    pub(crate) targets: Vec<String>,
    /// The filter before `--`.
    pub(crate) filter: Option<String>,
    /// What stands after `--`.
    pub(crate) binary: Vec<String>,
    /// The value of `--target`.
    pub(crate) triple: Option<String>,
    /// Where cargo builds.
    pub(crate) target_dir: PathBuf,
    /// A path of this program without white space: cargo splits a runner's words there.
    pub(crate) this_program: PathBuf,
    /// The configuration's own runner by target, which ours calls.
    pub(crate) chain: Vec<ConfiguredRunner>,
    /// Whether documentation tests are run.
    pub(crate) doc: bool,
    /// The root of the tree under test.
    pub(crate) root: PathBuf,
    /// The folder of the run.
    pub(crate) cwd: PathBuf,
    /// How nextest runs the tests; cargo does without it.
    #[serde(default)]
    pub(crate) nextest: Option<Nextest>,
}

/// How nextest is called.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Nextest {
    /// The program `cargo-nextest`.
    pub(crate) program: PathBuf,
    /// Cargo's options, as nextest spells them.
    pub(crate) options: Vec<String>,
    /// nextest's own options, and filters.
    pub(crate) own: Vec<String>,
    /// What stands after `--`.
    pub(crate) after: Vec<String>,
}

/// A `runner` of cargo's configuration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ConfiguredRunner {
    /// The triple, or the `cfg(...)` expression.
    pub(crate) target: String,
    /// Its words.
    pub(crate) words: Vec<String>,
}

/// A line of a connection. Externally tagged: numbers in other tagged enums cannot be read with exact numbers on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Message {
    /// The driver's first line: cargo's version.
    Driver {
        /// `1.95.0`.
        version: Option<String>,
    },
    /// The binaries that were built and will be run.
    Binaries(Vec<Binary>),
    /// A target that could not be built.
    Load {
        /// Its source file.
        file: Option<String>,
        /// What the compiler said.
        message: String,
    },
    /// Documentation tests.
    Docs(Vec<DocTest>),
    /// What is wrong with the run itself.
    Unhandled(String),
    /// A remark.
    Note(String),
    /// Source files that were compiled.
    Loaded(Vec<String>),
    /// The driver's last line: the status that it ends with.
    DriverEnd {
        /// The status.
        exit_status: i32,
    },
    /// The first line of a process that runs a binary: the binary's path.
    Binary(PathBuf),
    /// Its tests' results.
    Tests(Vec<OneTest>),
    /// The binary has a harness of its own, and was run as one test.
    OwnHarness {
        /// What it did.
        status: Status,
        /// What it said, when it failed.
        message: Option<String>,
    },
    /// The tests of a binary, from nextest's list. May come in several lines.
    Suite {
        /// The binary.
        path: PathBuf,
        /// How many tests it has, chosen or not.
        n_all: usize,
        /// Its tests that run or are ignored.
        tests: Vec<Listed>,
    },
    /// The only line of a process that nextest handed one test to.
    One {
        /// The binary.
        path: PathBuf,
        /// The result.
        test: OneTest,
        /// How many others libtest says that it left out.
        n_filtered: Option<usize>,
    },
    /// Its last line: how many results there were.
    BinaryEnd {
        /// The number.
        total: usize,
    },
}

/// A test binary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Binary {
    /// Where it lies.
    pub(crate) path: PathBuf,
    /// The package's name, the target's kind and name: `mix lib`, `mix test/it`.
    pub(crate) project: String,
    /// The target's source file, absolute.
    pub(crate) file: String,
}

/// The tests of a binary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Suite {
    /// The binary.
    pub(crate) path: PathBuf,
    /// How many tests it has, chosen or not.
    pub(crate) n_all: usize,
    /// Its tests that run or are ignored.
    pub(crate) tests: Vec<Listed>,
}

/// A test in a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Listed {
    /// libtest's name.
    pub(crate) name: String,
    /// Whether it is marked as ignored.
    pub(crate) ignored: bool,
    /// Whether it will be run.
    pub(crate) runs: bool,
}

/// The result of one test of a binary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct OneTest {
    /// libtest's name: `tests::nested::adds`.
    pub(crate) name: String,
    /// What it did.
    pub(crate) status: Status,
    /// The line of its panic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u64>,
    /// What it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// The result of one documentation test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DocTest {
    /// The crate's name.
    pub(crate) package: String,
    /// rustdoc's name: `src/lib.rs - item (line 4)`.
    pub(crate) name: String,
    /// What it did.
    pub(crate) status: Status,
    /// What it said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
}

/// The hidden first argument of the driver.
pub(crate) const DRIVER_ARGUMENT: &str = "__cargo-test";
/// The hidden first argument of a process that nextest hands one test to.
pub(crate) const ONE_ARGUMENT: &str = "__nextest-runner";
/// The hidden first argument of a process that runs one test binary.
pub(crate) const BINARY_ARGUMENT: &str = "__cargo-runner";
