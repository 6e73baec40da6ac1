//! Finds and ends the processes of a run, on Unix. Knows nothing of why a run ends.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod macos;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use macos as system;

pub(super) use system::{ADOPTS_ORPHANS, become_subreaper, has_terminal, hide_from_others, is_stopped, peer_runs};

use rustix::process::Signal;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long ending is tried before what still lives is told.
const ENDING_LIMIT: Duration = Duration::from_secs(10);
/// How often processes are looked for again while they are being stopped.
const FREEZING_ROUNDS: usize = 20;

/// One living process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Process {
    /// Its id.
    pub(super) pid: i32,
    /// When it started, in a unit of the system's own; tells it from a later one with the same id.
    started: u64,
}

/// Which processes are meant. What fits one of these is.
#[derive(Debug, Clone, Default)]
pub(super) struct Scope {
    /// Descendants of this process, without itself.
    pub(super) below: Option<i32>,
    /// Members of this session, without its leader.
    pub(super) session: Option<i32>,
    /// Descendants of this process that are neither in its session nor the other process or below it: what fell
    /// to a subreaper when a supervisor died, without what living supervisors still hold.
    pub(super) orphans_of: Option<(i32, BTreeSet<i32>)>,
    /// Those that carry a run's mark.
    pub(super) mark: Option<Mark>,
    /// Never this process.
    pub(super) except: i32,
}

/// The mark of a run: the value of `RUN_VARIABLE`, or how it begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mark {
    begin: Vec<u8>,
    is_whole: bool,
}

impl Mark {
    /// The mark of one run.
    pub(super) fn run(value: &str) -> Self {
        Self { begin: value.as_bytes().to_vec(), is_whole: true }
    }

    /// The marks of all runs whose private folder is `folder` or lies below it.
    pub(super) fn below(folder: &Path) -> Self {
        Self { begin: folder.as_os_str().as_encoded_bytes().to_vec(), is_whole: false }
    }
}

/// What ending came to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Ending {
    /// Processes that could not be ended.
    pub(super) survivors: Vec<i32>,
    /// Why processes could not be looked for.
    pub(super) fault: Option<String>,
}

/// Returns the processes of a scope that live (zombies do not).
pub(super) fn find(scope: &Scope) -> std::io::Result<Vec<Process>> {
    system::find(scope)
}

/// Ends every process of the scope. `is_empty` waits at most so long, and returns whether the caller knows of no
/// further child of its own.
pub(super) fn end(scope: &Scope, is_empty: &mut dyn FnMut(Duration) -> bool) -> Ending {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        let found = match freeze(scope) {
            Ok(found) => found,
            Err(error) => return Ending { survivors: Vec::new(), fault: Some(error.to_string()) },
        };
        for process in &found {
            system::signal(process, Signal::KILL);
        }
        let has_no_child = is_empty(pause);
        if found.is_empty() && has_no_child {
            return Ending::default();
        }
        if started.elapsed() > ENDING_LIMIT {
            let survivors = found.iter().map(|process| process.pid).collect();
            return Ending {
                survivors,
                fault: (!has_no_child).then(|| "children are left that cannot be found".into()),
            };
        }
        pause = (pause * 2).min(Duration::from_millis(20));
    }
}

/// Stops every process of the scope until no new one turns up, so that none can start another while they are
/// being ended; one that starts others without end would outrun that otherwise.
fn freeze(scope: &Scope) -> std::io::Result<Vec<Process>> {
    let mut stopped: BTreeSet<Process> = BTreeSet::new();
    let mut found = system::find(scope)?;
    for _ in 0..FREEZING_ROUNDS {
        let n_before = stopped.len();
        for process in &found {
            if stopped.insert(*process) {
                system::signal(process, Signal::STOP);
            }
        }
        if stopped.len() == n_before {
            break;
        }
        found = system::find(scope)?;
    }
    Ok(found)
}
