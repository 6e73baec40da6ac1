//! Supervision on Windows, by job objects: every process of a run is in one, and cannot leave it. The tool waits
//! itself, so there is no supervisor process. That everything ends with a killed tool is kept by a second job,
//! which holds the tool and ends when its last handle is closed.

use super::{Conclusion, Order, Outlets, Report, Streams};
use crate::error::{Failure, Kind};
use crate::exec::Supervisor;
use process_wrap::std::{ChildWrapper, CommandWrap, JobObject};
use std::ffi::OsString;
use std::io::Error;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a process is asked whether it has ended.
const PAUSE: Duration = Duration::from_millis(5);
/// How long a process that was ended may take to end.
const ENDING_LIMIT: Duration = Duration::from_secs(10);

/// Ends a run before its time. Dropping it does so too.
#[derive(Debug)]
pub(in crate::exec) struct Stopper {
    is_stopped: Arc<AtomicBool>,
}

impl Stopper {
    /// Ends everything.
    pub(in crate::exec) fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }

    /// There is no supervisor that could be stopped.
    pub(in crate::exec) fn keep_going(&self) {}

    /// Ends everything; there is nobody else to be ended here.
    pub(in crate::exec) fn kill(&self) {
        self.stop();
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
    started: Result<Box<dyn ChildWrapper>, (String, bool)>,
    is_stopped: Arc<AtomicBool>,
    deadline: Duration,
}

impl Waiting {
    /// Waits until everything in the run has ended, and returns how.
    pub(in crate::exec) fn wait(self) -> Conclusion {
        let mut report = Report::default();
        match self.started {
            Err(not_started) => report.not_started = Some(not_started),
            Ok(child) => watch(child, &self.is_stopped, self.deadline, &mut report),
        }
        Conclusion::Reported(report)
    }
}

fn watch(mut child: Box<dyn ChildWrapper>, is_stopped: &AtomicBool, deadline: Duration, report: &mut Report) {
    let started = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => {
                report.exit_status = status.code();
                break;
            }
            Ok(None) if is_stopped.load(Ordering::SeqCst) => report.is_stopped = true,
            Ok(None) if started.elapsed() >= deadline => report.timed_out = true,
            Ok(None) => {
                std::thread::sleep(PAUSE);
                continue;
            }
            Err(error) => report.fault = Some(error.to_string()),
        }
        break;
    }
    report.milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    // The whole job, also when its first process has ended by itself.
    if let Err(error) = child.start_kill() {
        report.fault.get_or_insert_with(|| error.to_string());
    }
    let ending = Instant::now();
    while ending.elapsed() < ENDING_LIMIT {
        match child.try_wait() {
            Ok(None) => std::thread::sleep(PAUSE),
            Ok(Some(_)) | Err(_) => return,
        }
    }
    report.fault.get_or_insert_with(|| "the process did not end when it was told to".to_owned());
}

/// Starts the process in a job of its own.
pub(in crate::exec) fn start(
    order: &Order,
    _supervisor: &Supervisor,
    streams: Streams,
) -> Result<(Stopper, Waiting, Outlets), Failure> {
    try_start(order, streams).map_err(|error| {
        Failure::new(Kind::ProcessFailed, "failed to prepare a process").detail("cause", error.to_string())
    })
}

fn try_start(order: &Order, streams: Streams) -> Result<(Stopper, Waiting, Outlets), Error> {
    let (stderr, far_stderr) = std::io::pipe()?;
    let (stdout, far_stdout): (Option<Box<dyn std::io::Read + Send>>, Stdio) = match streams {
        Streams::Merged => (None, far_stderr.try_clone()?.into()),
        Streams::Separate | Streams::Records => {
            let (stdout, far_stdout) = std::io::pipe()?;
            (Some(Box::new(stdout)), far_stdout.into())
        }
    };
    #[expect(clippy::disallowed_methods, reason = "exec is the room that starts processes")]
    let mut command = Command::new(&order.program);
    command
        .args(&order.args)
        .env_clear()
        .envs(order.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&order.cwd)
        .stdin(Stdio::null())
        .stdout(far_stdout)
        .stderr(far_stderr);
    // Started suspended, put into the job, then let go: nothing can be started outside it.
    let started = CommandWrap::from(command)
        .wrap(JobObject)
        .spawn()
        .map_err(|error| (error.to_string(), error.kind() == std::io::ErrorKind::NotFound));
    let is_stopped = Arc::new(AtomicBool::new(false));
    let stopper = Stopper { is_stopped: Arc::clone(&is_stopped) };
    let waiting = Waiting { started, is_stopped, deadline: Duration::from_millis(order.deadline_ms) };
    Ok((stopper, waiting, Outlets { stdout, stderr: Box::new(stderr) }))
}

/// There is nothing left to end: a job ends with the tool.
pub(in crate::exec) fn end_marked(_folder: &Path) {}

/// Puts this process into a job that ends when this process does, however it ends.
pub(in crate::exec) fn protect_this_process() -> Result<(), Failure> {
    let mut limits = win32job::ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = win32job::Job::create_with_limit_info(&limits).and_then(|job| {
        job.assign_current_process()?;
        Ok(job)
    });
    match job {
        // The handle stays open for as long as this process lives: closing it ends the process.
        Ok(job) => {
            let _handle = job.into_handle();
            Ok(())
        }
        Err(error) => Err(Failure::new(Kind::ProcessFailed, "failed to protect this process from those it starts")
            .detail("cause", error.to_string())),
    }
}

/// There is no supervisor process on Windows.
pub(in crate::exec) fn supervisor_main(_args: &[OsString]) -> u8 {
    crate::exit::Exit::Usage.code()
}
