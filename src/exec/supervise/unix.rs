//! Starting a supervisor and hearing its report, on Unix.

use super::{Conclusion, Order, Outlets, Report, Streams};
use crate::error::{Failure, Kind};
use crate::exec::processes::{self, Mark, Scope};
use crate::exec::{RUN_VARIABLE, SUPERVISOR_ARGUMENT, Supervisor};
use rustix::process::{Pid, Signal};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Error, Read as _, Write as _};
use std::net::Shutdown;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A report longer than this is none.
const REPORT_CAP: u64 = 1 << 20;

/// The supervisors that this process has started and that still live. Held while one is started, and while the
/// orphans of a dead one are ended, so that the two cannot meet.
static LIVING: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Whether orphans of dead supervisors fall to this process.
static IS_SUBREAPER: AtomicBool = AtomicBool::new(false);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends a run before its time. Dropping it does so too, so that no way out of a run leaves processes.
#[derive(Debug)]
pub(in crate::exec) struct Stopper {
    control: UnixStream,
    child: Arc<Mutex<Child>>,
    pid: i32,
}

impl Stopper {
    /// Tells the supervisor to end everything and report.
    pub(in crate::exec) fn stop(&self) {
        // A supervisor that has ended needs no telling.
        let _ = self.control.shutdown(Shutdown::Write);
    }

    /// Lets a supervisor go on that a test has stopped, so that it cannot miss its deadline.
    pub(in crate::exec) fn keep_going(&self) {
        if processes::is_stopped(self.pid)
            && let Some(pid) = Pid::from_raw(self.pid)
        {
            let _ = rustix::process::kill_process(pid, Signal::CONT);
        }
    }

    /// Ends a supervisor that does not answer.
    pub(in crate::exec) fn kill(&self) {
        let _ = lock(&self.child).kill();
    }
}

impl Drop for Stopper {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The end of a run, to be waited for.
#[derive(Debug)]
pub(in crate::exec) struct Waiting {
    control: UnixStream,
    child: Arc<Mutex<Child>>,
    pid: i32,
    mark: String,
}

impl Waiting {
    /// Waits until everything in the run has ended, and returns how.
    pub(in crate::exec) fn wait(self) -> Conclusion {
        let mut line = Vec::new();
        // A supervisor that was killed while it wrote has not reported.
        let _ = BufReader::new(&self.control).take(REPORT_CAP).read_until(b'\n', &mut line);
        let report = line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice::<Report>(line).ok());
        let status = lock(&self.child).wait();
        let mut living = lock(&LIVING);
        living.remove(&self.pid);
        match report {
            Some(report) => Conclusion::Reported(report),
            None => Conclusion::Vanished {
                signal: status.ok().and_then(|status| status.signal()),
                report: end_what_is_left(&living, self.pid, &self.mark),
            },
        }
    }
}

/// Starts a supervisor, and through it the process.
pub(in crate::exec) fn start(
    order: &Order,
    supervisor: &Supervisor,
    streams: Streams,
) -> Result<(Stopper, Waiting, Outlets), Failure> {
    try_start(order, supervisor, streams).map_err(|error| {
        Failure::new(Kind::ProcessFailed, format!("failed to start the supervisor `{}`", supervisor.program.display()))
            .detail("cause", error.to_string())
    })
}

fn try_start(order: &Order, supervisor: &Supervisor, streams: Streams) -> Result<(Stopper, Waiting, Outlets), Error> {
    let (control, far_control) = UnixStream::pair()?;
    let (stderr, far_stderr) = std::io::pipe()?;
    let (stdout, far_stdout): (Option<Box<dyn std::io::Read + Send>>, Stdio) = match streams {
        Streams::Merged => (None, far_stderr.try_clone()?.into()),
        Streams::Separate => {
            let (stdout, far_stdout) = std::io::pipe()?;
            (Some(Box::new(stdout)), far_stdout.into())
        }
        Streams::Records => {
            let (stdout, far_stdout) = UnixStream::pair()?;
            stdout.shutdown(Shutdown::Write)?;
            (Some(Box::new(stdout)), OwnedFd::from(far_stdout).into())
        }
    };
    let mut text = serde_json::to_vec(order)?;
    text.push(b'\n');
    let child = {
        let mut living = lock(&LIVING);
        #[expect(clippy::disallowed_methods, reason = "exec is the room that starts processes")]
        let child = Command::new(std::path::absolute(&supervisor.program)?)
            .args([SUPERVISOR_ARGUMENT, &order.mark])
            // Less than the process gets: a search path for libraries must not bend the supervisor.
            .env_clear()
            .env(RUN_VARIABLE, &order.mark)
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(far_control)))
            .stdout(far_stdout)
            .stderr(far_stderr)
            .spawn()?;
        living.insert(raw(&child)?);
        child
    };
    let pid = raw(&child)?;
    let child = Arc::new(Mutex::new(child));
    let stopper = Stopper { control: control.try_clone()?, child: Arc::clone(&child), pid };
    let waiting = Waiting { control, child, pid, mark: order.mark.clone() };
    // A supervisor that is gone already is told by the end of its report.
    let _ = (&stopper.control).write_all(&text);
    Ok((stopper, waiting, Outlets { stdout, stderr: Box::new(stderr) }))
}

fn raw(child: &Child) -> Result<i32, Error> {
    i32::try_from(child.id()).map_err(Error::other)
}

/// Ends what a dead supervisor was responsible for: its session, what carries the run's mark, and, where orphans
/// fall to this process, what belongs to no living supervisor.
fn end_what_is_left(living: &BTreeSet<i32>, supervisor: i32, mark: &str) -> Report {
    let own = rustix::process::getpid().as_raw_pid();
    let is_subreaper = IS_SUBREAPER.load(Ordering::SeqCst);
    let scope = Scope {
        session: Some(supervisor),
        orphans_of: is_subreaper.then(|| (own, living.clone())),
        mark: Some(Mark::run(mark)),
        except: own,
        ..Scope::default()
    };
    let mut report = Report::default();
    match processes::find(&scope) {
        Ok(found) => report.left_running = u32::try_from(found.len()).unwrap_or(u32::MAX),
        Err(error) => report.fault = Some(error.to_string()),
    }
    let ending = processes::end(&scope, &mut |pause: Duration| {
        std::thread::sleep(pause);
        true
    });
    report.survivors = ending.survivors;
    report.fault = report.fault.or(ending.fault);
    report
}

/// Ends processes that a killed run has left, known by a private folder that was its.
pub(in crate::exec) fn end_marked(folder: &Path) {
    let own = rustix::process::getpid().as_raw_pid();
    let scope = Scope { mark: Some(Mark::below(folder)), except: own, ..Scope::default() };
    if processes::find(&scope).is_ok_and(|found| !found.is_empty()) {
        // What cannot be ended belongs to another user, or is no process of ours.
        let _ = processes::end(&scope, &mut |pause: Duration| {
            std::thread::sleep(pause);
            true
        });
    }
}

/// Keeps this process's environment and memory from those it starts (Linux), and becomes the one that orphans
/// of a killed supervisor fall to. Only for a program: a library must not do so to its host.
pub(in crate::exec) fn protect_this_process() -> Result<(), Failure> {
    let failed = |error: Error| {
        Failure::new(Kind::ProcessFailed, "failed to protect this process from those it starts")
            .detail("cause", error.to_string())
    };
    processes::hide_from_others().map_err(failed)?;
    processes::become_subreaper().map_err(failed)?;
    IS_SUBREAPER.store(true, Ordering::SeqCst);
    Ok(())
}
