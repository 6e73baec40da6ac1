//! What test runs need to know beside the plan: repository, change, options, environment.
//! Knows nothing of flags or of how progress is shown.

use crate::exec::{Interrupt, Supervisor};
use crate::facts::{Change, PathRule};
use crate::git::Repository;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

/// Where tests run, and how much is asked of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// In the checkout, which must hold exactly head's tree.
    #[default]
    Default,
    /// In a private clone of head for each command.
    Isolate,
    /// The same, and the merge base is run too: nothing may be lost.
    Strict,
}

impl Mode {
    /// Returns whether commands run in private clones.
    pub const fn is_isolated(self) -> bool {
        matches!(self, Self::Isolate | Self::Strict)
    }
}

/// What the operator decides about test runs.
#[derive(Debug, Clone)]
pub struct TestOptions {
    /// Where tests run.
    pub mode: Mode,
    /// Commands that prepare each clone, as argv.
    pub setup: Vec<Vec<String>>,
    /// Names of further environment variables that reach the tests.
    pub pass_env: Vec<String>,
    /// Harness files that may change, whatever the contract says.
    pub allow_harness: Vec<PathRule>,
    /// How many commands run side by side where they are independent.
    pub jobs: NonZeroUsize,
    /// A folder in which results of the merge base and build output are kept.
    pub cache_dir: Option<PathBuf>,
    /// How long one run may take where the contract does not say.
    pub timeout: Duration,
    /// Whether output is passed on as it comes.
    pub verbose: bool,
    /// The folder for temporary files.
    pub temp_dir: PathBuf,
}

/// How long a run may take when nobody says: 900 s.
pub const DEFAULT_TIMEOUT: Duration = Duration::from_secs(900);

/// Everything that test runs need.
#[derive(Clone, Copy)]
pub struct TestContext<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The change that is judged.
    pub change: &'a Change,
    /// The operator's options.
    pub options: &'a TestOptions,
    /// The caller's environment, of which the tests get a part.
    pub environment: &'a [(OsString, OsString)],
    /// Who supervises processes: this program.
    pub supervisor: &'a Supervisor,
    /// Asked whether to stop.
    pub interrupt: &'a Interrupt,
    /// Told what happens.
    pub progress: &'a dyn Progress,
}

impl TestContext<'_> {
    /// Returns the value of `PATH`.
    pub(crate) fn search_path(&self) -> Option<&OsStr> {
        let is_path = |name: &OsStr| if cfg!(windows) { name.eq_ignore_ascii_case("PATH") } else { name == "PATH" };
        self.environment.iter().find(|(name, _)| is_path(name)).map(|(_, value)| value.as_os_str())
    }
}

/// What is going on, for a line that is rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step<'a> {
    /// `tests` or `commands`.
    pub kind: &'static str,
    /// Which one, from 1.
    pub number: usize,
    /// Of how many.
    pub of: usize,
    /// The command as the contract names it.
    pub command: &'a str,
    /// On which side: `at HEAD`, `at the merge base`, `with the change taken back`, `setting up`.
    pub side: &'static str,
    /// Tests that passed and failed so far.
    pub so_far: (usize, usize),
    /// Since this step began.
    pub elapsed: Duration,
}

/// Is told what happens during test runs; from several threads when commands run side by side.
pub trait Progress: Sync {
    /// A step began, or goes on.
    fn step(&self, step: &Step<'_>);

    /// The process of a step printed something; only with `verbose`.
    fn output(&self, step: &Step<'_>, piece: &[u8]);
}

/// Shows nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn step(&self, _: &Step<'_>) {}

    fn output(&self, _: &Step<'_>, _: &[u8]) {}
}
