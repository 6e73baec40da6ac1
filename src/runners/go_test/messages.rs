//! What the processes of one `go test` run are told, and what they tell: plain data. The first connection is the
//! driver's, which runs go; each further one is of a process that runs one package's test binary.

use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The argument with which this program is the driver; the file with the plan follows.
pub(in crate::runners) const DRIVER_ARGUMENT: &str = "__go-test";
/// The argument with which this program runs one test binary.
pub(in crate::runners) const BINARY_ARGUMENT: &str = "__go-binary";
/// What tells package `testing` in a test binary that somebody listens.
pub(super) const LISTENING: &str = "AGENT_ACCEPTANCE_GO_TEST";

/// What the driver does; it stands in a file of the private folder.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Plan {
    /// The go program.
    pub(super) go: PathBuf,
    /// Flags that decide how packages are built.
    pub(super) build: Vec<String>,
    /// Flags of the test run alone.
    pub(super) run: Vec<String>,
    /// Packages, or files.
    pub(super) packages: Vec<String>,
    /// `-args` and what follows, or nothing.
    pub(super) after: Vec<String>,
    /// This program.
    pub(super) this_program: PathBuf,
    /// Where the overlay is written.
    pub(super) private: PathBuf,
}

/// A line of a connection. Externally tagged: numbers in other tagged enums cannot be read with exact numbers on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Message {
    /// The driver's first line: the version of Go.
    Driver { version: String },
    /// A package that could not be built.
    Load { file: Option<String>, message: String },
    /// What a failed test printed.
    Said { package: String, test: String, text: String },
    /// Something that keeps the tests from being observed.
    Unhandled(String),
    /// Files that the tests are built from.
    Loaded(Vec<String>),
    /// The driver's last line.
    DriverEnd { exit_status: i32 },
    /// Lines of a test binary.
    Lines(Vec<String>),
    /// How the binary ended.
    BinaryEnd { exit_status: i32 },
}
