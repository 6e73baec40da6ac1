//! The supervisor process itself, on Unix. Safe Rust; it must stay small, and never write to its stdout and
//! stderr, which are the process's.

use super::{Order, Report};
use crate::exec::private_temp;
use crate::exec::processes::{self, Mark, Scope};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Read as _, Result, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// An order longer than this is none.
const ORDER_CAP: u64 = 64 << 20;
/// What is about to end by itself when the process has ended gets this long, and is not called left running.
const GRACE: Duration = Duration::from_millis(100);

/// What happens to a supervisor.
enum Event {
    /// The tool has ended, or wants everything to end.
    Stop,
    /// The process ended.
    Ended(WaitStatus),
    /// No child is left, and no orphan that fell to us.
    NoneLeft,
}

/// Is the supervisor of one run, and returns its exit status. Its stdin is the socket to the tool.
pub(in crate::exec) fn supervisor_main(_args: &[OsString]) -> u8 {
    match supervise() {
        Ok(()) => 0,
        // Nobody reads a message of ours; without a report the tool knows that something is wrong.
        Err(_) => crate::exit::Exit::Bug.code(),
    }
}

fn supervise() -> Result<()> {
    processes::hide_from_others()?;
    rustix::process::setsid()?;
    let adopts = processes::become_subreaper();
    // A signal to the runner's parent is a common accident of tests; only SIGKILL ends a supervisor. A handler,
    // unlike an ignored signal, is not passed on to the process.
    let _ = ctrlc::set_handler(|| {});
    let socket = UnixStream::from(std::io::stdin().as_fd().try_clone_to_owned()?);
    let mut reader = BufReader::new(socket.try_clone()?);
    let mut line = Vec::new();
    reader.by_ref().take(ORDER_CAP).read_until(b'\n', &mut line)?;
    let order: Order = serde_json::from_slice(&line)?;
    cover_shared_temp(&order);
    let (sender, events) = channel();
    let stop = sender.clone();
    std::thread::spawn(move || {
        // Nothing more is ever sent to us: this returns when the other end is closed.
        let _ = std::io::copy(&mut reader, &mut std::io::sink());
        let _ = stop.send(Event::Stop);
    });
    let report = match start(&order) {
        Err((message, is_missing)) => Report { not_started: Some((message, is_missing)), ..Report::default() },
        Ok(pid) => {
            std::thread::spawn(move || reap(pid, &sender));
            let mut report = watch(&order, pid, &events);
            if let Err(error) = adopts {
                report.fault.get_or_insert_with(|| format!("orphans cannot be adopted: {error}"));
            }
            report
        }
    };
    // A tool that told us to stop is awake, or has ended.
    if !report.is_stopped {
        wake_tool();
    }
    let mut text = serde_json::to_vec(&report)?;
    text.push(b'\n');
    (&socket).write_all(&text)
}

/// Keeps to the run what it writes past its own `TMPDIR`. On the thread that starts the process: a mount
/// namespace is a thread's.
fn cover_shared_temp(order: &Order) {
    let own = order.env.iter().find(|(name, _)| name == "TMPDIR");
    if let Some(private) = own.and_then(|(_, folder)| Path::new(folder).parent()) {
        private_temp::cover(private, &[Path::new(&order.cwd)], &order.env);
    }
}

/// Starts the process and returns its id, or why not and whether its program is not there.
fn start(order: &Order) -> std::result::Result<Pid, (String, bool)> {
    if !Path::new(&order.cwd).is_dir() {
        return Err(("its working folder is not there".to_owned(), false));
    }
    #[expect(clippy::disallowed_methods, reason = "exec is the room that starts processes")]
    let spawned = Command::new(&order.program)
        .args(&order.args)
        .env_clear()
        .envs(order.env.iter().map(|(name, value)| (name, value)))
        .current_dir(&order.cwd)
        .stdin(Stdio::null())
        // A group of its own: `kill 0` in a test must not meet the supervisor.
        .process_group(0)
        .spawn();
    match spawned {
        Ok(child) => Ok(Pid::from_child(&child)),
        Err(error) => Err((error.to_string(), error.kind() == std::io::ErrorKind::NotFound)),
    }
}

/// Waits for the process and for every orphan that falls to us, so that "no child" means "nothing is left".
fn reap(process: Pid, events: &Sender<Event>) {
    loop {
        let waited = if processes::ADOPTS_ORPHANS {
            // Not `waitpid` without an id: that waits for our own process group alone.
            rustix::process::wait(WaitOptions::empty())
        } else {
            rustix::process::waitpid(Some(process), WaitOptions::empty())
        };
        match waited {
            Ok(Some((pid, status))) if pid == process => {
                let _ = events.send(Event::Ended(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => {
                let _ = events.send(Event::NoneLeft);
                return;
            }
        }
    }
}

/// Waits for the end, ends everything, and reports.
fn watch(order: &Order, pid: Pid, events: &Receiver<Event>) -> Report {
    let started = Instant::now();
    let mut report = Report::default();
    let mut status = None;
    match events.recv_timeout(Duration::from_millis(order.deadline_ms)) {
        Ok(Event::Ended(ended)) => status = Some(ended),
        Err(RecvTimeoutError::Timeout) => report.timed_out = true,
        // Without its threads a supervisor can do no more than end everything.
        Ok(Event::Stop | Event::NoneLeft) | Err(RecvTimeoutError::Disconnected) => report.is_stopped = true,
    }
    report.milliseconds = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let own = rustix::process::getpid().as_raw_pid();
    let scope = Scope {
        below: Some(own),
        session: Some(own),
        mark: Some(Mark::run(&order.mark)),
        except: own,
        ..Scope::default()
    };
    let mut is_empty = false;
    let mut is_told = report.is_stopped;
    let mut wait = |limit: Duration| {
        let until = Instant::now() + limit;
        while !is_empty {
            match events.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(Event::NoneLeft) => is_empty = true,
                Ok(Event::Ended(ended)) => {
                    status.get_or_insert(ended);
                }
                Ok(Event::Stop) => is_told = true,
                Err(_) => break,
            }
        }
        is_empty
    };
    let has_no_child = wait(GRACE * u32::from(!report.timed_out && !report.is_stopped));
    match processes::find(&scope) {
        Ok(found) if found.is_empty() && has_no_child => {}
        Ok(found) => {
            let n_left = found.iter().filter(|process| process.pid != pid.as_raw_pid()).count();
            report.left_running = u32::try_from(n_left).unwrap_or(u32::MAX);
            let ending = processes::end(&scope, &mut wait);
            report.survivors = ending.survivors;
            report.fault = ending.fault;
        }
        Err(error) => report.fault = Some(error.to_string()),
    }
    report.is_stopped = is_told;
    if !report.timed_out && !report.is_stopped {
        report.exit_status = status.and_then(WaitStatus::exit_status);
        report.signal = status.and_then(WaitStatus::terminating_signal);
    }
    report
}

/// Lets a tool go on that a test has stopped where nobody else could. Nothing of the run lives any more that could
/// stop it again, and the signal also takes back a stop that has been sent and has not taken effect yet.
fn wake_tool() {
    if let Some(tool) = rustix::process::getppid()
        && !processes::has_terminal(tool.as_raw_pid())
    {
        let _ = rustix::process::kill_process(tool, Signal::CONT);
    }
}
