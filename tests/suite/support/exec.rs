//! Jobs for the tests of `exec`: a shell script under the real supervisor.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up fails")]

use agent_acceptance::error::Failure;
use agent_acceptance::exec::{ChannelKind, Ended, Interrupt, Job, NoObserver, Observer, Scratch, Supervisor, run};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The supervisor of this build.
pub fn supervisor() -> Supervisor {
    Supervisor { program: env!("CARGO_BIN_EXE_agent-acceptance").into() }
}

/// A place for jobs, gone when it is dropped.
pub struct Place {
    pub folder: tempfile::TempDir,
    pub scratch: Scratch,
}

impl Place {
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let scratch = Scratch::create(folder.path()).unwrap();
        Self { folder, scratch }
    }

    /// A file in the place, outside the scratch.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A job that runs a shell script, in which `$PLACE` is the place.
    pub fn job(&self, script: &str, channel: ChannelKind) -> Job {
        shell(script, channel, self.scratch.path(), self.folder.path())
    }

    /// Runs a script without a channel.
    pub fn run(&self, script: &str) -> Result<Ended, Failure> {
        run(&self.job(script, ChannelKind::None), &mut NoObserver, &Interrupt::default())
    }
}

/// A job that runs a shell script.
pub fn shell(script: &str, channel: ChannelKind, private: &Path, place: &Path) -> Job {
    Job {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), script.into()],
        env: vec![
            ("PATH".into(), std::env::join_paths(search_path()).unwrap()),
            ("PLACE".into(), place.into()),
            ("GATE".into(), OsString::from(env!("CARGO_BIN_EXE_agent-acceptance"))),
        ],
        cwd: place.to_owned(),
        deadline: Duration::from_secs(30),
        output_cap: 4096,
        channel,
        private: private.to_owned(),
        supervisor: supervisor(),
    }
}

fn search_path() -> Vec<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "tests find the system's own programs by it")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).collect()
}

/// Keeps what it is told.
#[derive(Debug, Default)]
pub struct Recorder {
    pub records: Vec<(usize, String)>,
    pub n_output: usize,
    pub n_ticks: usize,
}

impl Observer for Recorder {
    fn record(&mut self, connection: usize, line: &[u8]) {
        self.records.push((connection, String::from_utf8_lossy(line).into_owned()));
    }

    fn output(&mut self, piece: &[u8]) {
        self.n_output += piece.len();
    }

    fn tick(&mut self) {
        self.n_ticks += 1;
    }
}

/// Waits until something holds; panics with `what` when it does not within 20 seconds.
pub fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    while started.elapsed() < Duration::from_secs(20) {
        if let Some(found) = look() {
            return found;
        }
        std::thread::yield_now();
        std::thread::park_timeout(Duration::from_millis(5));
    }
    panic!("{what} did not happen within 20 seconds");
}

/// Returns the living processes whose environment or arguments hold a text, this one apart.
#[cfg(target_os = "linux")]
pub fn processes_with(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let holds = |name: &str| {
            std::fs::read(entry.path().join(name))
                .is_ok_and(|bytes| bytes.windows(text.len()).any(|window| window == text.as_bytes()))
        };
        if pid != std::process::id() && (holds("environ") || holds("cmdline")) && !is_zombie(pid) {
            found.push(pid);
        }
    }
    found
}

#[cfg(target_os = "linux")]
fn is_zombie(pid: u32) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')))
}
