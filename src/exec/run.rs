//! Runs one job from start to end, on the tool's side: streams, channel, deadline, interruption.
//! Knows neither how a system supervises processes nor what records say.

use crate::error::{Failure, Kind};
use crate::exec::channel::{Admission, Greeting, Incoming, Key, Peer, Receiver, Server, pump};
use crate::exec::clip::Clip;
use crate::exec::supervise::{Conclusion, Order, Outlets, Report, Stopper, Streams, start};
use crate::exec::{
    CHANNEL_VARIABLE, ChannelKind, Ended, Interrupt, Job, OWN_VARIABLES, Observer, RUN_VARIABLE, Supervisor,
};
use crate::facts::ProcessEnd;
use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver as Events, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// How often an observer is told that time passes, and interruption is looked for.
const TICK: Duration = Duration::from_millis(100);
/// How many pieces may wait to be looked at; a process that prints more waits itself.
const QUEUE: usize = 16;
/// How long after its deadline, or after it was told to stop, a supervisor may stay silent. It ends processes
/// itself within 10 seconds.
const SILENCE: Duration = Duration::from_secs(15);
/// How long streams may stay silent and open after everything has ended: something that got away holds them.
const SETTLING: Duration = Duration::from_secs(1);

/// Which stream of a process a piece comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// What comes out of a running process.
pub(super) trait Sink {
    fn record(&mut self, connection: usize, line: &[u8]);
    fn output(&mut self, stream: Stream, piece: &[u8]);
    fn tick(&mut self);
}

/// What is to be run.
pub(super) struct Task<'a> {
    pub(super) program: &'a Path,
    pub(super) args: &'a [OsString],
    pub(super) env: &'a [(OsString, OsString)],
    pub(super) cwd: &'a Path,
    pub(super) deadline: Duration,
    pub(super) supervisor: &'a Supervisor,
    pub(super) streams: Streams,
    /// The mark of the run's processes begins with this.
    pub(super) private: &'a Path,
}

enum Event {
    Output(Stream, Vec<u8>),
    OutputEnd,
    Channel(Incoming),
    Concluded(Conclusion),
}

/// Runs a job under its supervisor. Returns when everything that it started has ended, whatever ended it.
///
/// # Errors
/// It could not be started, or what it started could not be ended; or `interrupt` was raised.
pub fn run(job: &Job, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<Ended, Failure> {
    let mut sink = Observed { observer, clip: Clip::new(job.output_cap) };
    let streams = if job.channel == ChannelKind::Stdout { Streams::Records } else { Streams::Merged };
    let task = Task {
        program: &job.program,
        args: &job.args,
        env: &job.env,
        cwd: &job.cwd,
        deadline: job.deadline,
        supervisor: &job.supervisor,
        streams,
        private: &job.private,
    };
    let (report, channel_fault) = drive(&task, job.channel, &mut sink, interrupt)?;
    let end = ProcessEnd {
        exit_status: report.exit_status,
        signal: report.signal,
        timed_out: report.timed_out,
        seconds: Duration::from_millis(report.milliseconds).as_secs_f64(),
        output: sink.clip.into_text(),
        left_running: report.left_running,
    };
    Ok(Ended { end, channel_fault })
}

struct Observed<'a> {
    observer: &'a mut dyn Observer,
    clip: Clip,
}

impl Sink for Observed<'_> {
    fn record(&mut self, connection: usize, line: &[u8]) {
        self.observer.record(connection, line);
    }

    fn output(&mut self, _stream: Stream, piece: &[u8]) {
        self.clip.push(piece);
        self.observer.output(piece);
    }

    fn tick(&mut self) {
        self.observer.tick();
    }
}

/// Runs a task, and returns its report and what was wrong with its channel.
pub(super) fn drive(
    task: &Task<'_>,
    kind: ChannelKind,
    sink: &mut dyn Sink,
    interrupt: &Interrupt,
) -> Result<(Report, Option<String>), Failure> {
    interrupt.check()?;
    let (sender, events) = sync_channel(QUEUE);
    let mut server = open_channel(task, kind, &sender)?;
    let greeting = match (&server, kind) {
        (Some(server), ChannelKind::Many) => Greeting::AnsweredHello(server.nonce()),
        (Some(server), _) => Greeting::Hello(server.nonce()),
        (None, _) => Greeting::None,
    };
    let key = matches!(greeting, Greeting::Hello(_)).then(|| Key::leave_in(task.private)).transpose()?;
    let mut receiver = Receiver::new(greeting).with_key(key);
    let order = order(task, server.as_ref())?;
    let (stopper, waiting, outlets) = start(&order, task.supervisor, task.streams)?;
    let n_outputs = read_outlets(outlets, task.streams, &sender);
    if server.is_none() && task.streams != Streams::Records {
        receiver.take(Incoming::NoMore, &mut |_, _| {});
    }
    std::thread::spawn(move || sender.send(Event::Concluded(waiting.wait())));
    let conclusion = Watch {
        stopper: &stopper,
        deadline: Instant::now().checked_add(task.deadline),
        n_outputs,
        server: &mut server,
        receiver: &mut receiver,
        sink,
        interrupt,
    }
    .until_the_end(&events)?;
    // What is still on its way is no longer wanted; readers notice.
    drop(events);
    let fault = receiver.finish();
    Key::remove_from(task.private);
    interrupt.check()?;
    let (report, fault) = match conclusion {
        Conclusion::Reported(report) => (report, fault),
        Conclusion::Vanished { signal, report } => {
            let why = "the process that supervises the run was ended by another";
            (Report { signal: signal.or(report.signal), ..report }, Some(why.to_owned()))
        }
    };
    checked(task, report).map(|report| (report, fault))
}

/// A report is believed only if everything has ended.
fn checked(task: &Task<'_>, report: Report) -> Result<Report, Failure> {
    let program = task.program.display();
    if let Some((cause, is_missing)) = report.not_started {
        let kind = if is_missing { Kind::RunnerMissing } else { Kind::ProcessFailed };
        return Err(Failure::new(kind, format!("failed to start `{program}`")).detail("cause", cause));
    }
    if let Some(fault) = report.fault {
        return Err(Failure::new(Kind::ProcessFailed, format!("cannot tell whether all of `{program}` has ended"))
            .detail("cause", fault));
    }
    if !report.survivors.is_empty() {
        let pids: Vec<String> = report.survivors.iter().map(ToString::to_string).collect();
        return Err(Failure::new(Kind::ProcessFailed, format!("`{program}` left processes that could not be ended"))
            .detail("processes", pids.join(", ")));
    }
    Ok(report)
}

fn order(task: &Task<'_>, server: Option<&Server>) -> Result<Order, Failure> {
    let mark = format!("{}#{}", task.private.display(), crate::exec::random_hex(32)?);
    let is_own = |name: &OsStr| OWN_VARIABLES.iter().any(|own| name == *own);
    let mut env: Vec<_> = task.env.iter().filter(|(name, _)| !is_own(name)).cloned().collect();
    env.push((RUN_VARIABLE.into(), mark.clone().into()));
    if let Some(server) = server {
        env.push((CHANNEL_VARIABLE.into(), server.address()));
    }
    Ok(Order {
        program: task.program.into(),
        args: task.args.to_vec(),
        env,
        cwd: task.cwd.into(),
        deadline_ms: u64::try_from(task.deadline.as_millis()).unwrap_or(u64::MAX),
        mark,
    })
}

fn open_channel(task: &Task<'_>, kind: ChannelKind, sender: &SyncSender<Event>) -> Result<Option<Server>, Failure> {
    let admission = match kind {
        ChannelKind::None | ChannelKind::Stdout => return Ok(None),
        ChannelKind::Once => Admission::First,
        ChannelKind::Many => Admission::Executable(task.supervisor.program.clone()),
    };
    let sender = sender.clone();
    Server::open(task.private, admission, move |incoming| sender.send(Event::Channel(incoming)).is_ok()).map(Some)
}

/// Reads each outlet in a thread of its own, and returns how many are output. Such a thread ends with its stream;
/// one whose stream something that got away keeps open stays behind, and takes nothing but its memory.
fn read_outlets(outlets: Outlets, streams: Streams, sender: &SyncSender<Event>) -> usize {
    let mut n_outputs = 1;
    read_output(outlets.stderr, Stream::Stderr, sender.clone());
    if let Some(stdout) = outlets.stdout {
        if streams == Streams::Records {
            read_records(stdout, sender.clone());
        } else {
            n_outputs += 1;
            read_output(stdout, Stream::Stdout, sender.clone());
        }
    }
    n_outputs
}

fn read_output(mut outlet: Box<dyn Read + Send>, stream: Stream, sender: SyncSender<Event>) {
    std::thread::spawn(move || {
        pump(&mut outlet, &mut |piece| sender.send(Event::Output(stream, piece)).is_ok());
        sender.send(Event::OutputEnd)
    });
}

fn read_records(mut outlet: Box<dyn Read + Send>, sender: SyncSender<Event>) {
    let is_closed = Arc::new(AtomicBool::new(false));
    let peer = Box::new(OwnStdout { is_closed: Arc::clone(&is_closed) });
    std::thread::spawn(move || {
        let send = |incoming| sender.send(Event::Channel(incoming)).is_ok();
        send(Incoming::Opened(0, peer));
        pump(&mut outlet, &mut |piece| !is_closed.load(Ordering::SeqCst) && send(Incoming::Data(0, piece)));
        drop(outlet);
        send(Incoming::Closed(0));
        send(Incoming::NoMore);
    });
}

/// The other end of a process's stdout.
struct OwnStdout {
    is_closed: Arc<AtomicBool>,
}

impl Peer for OwnStdout {
    fn answer(&mut self, _text: &[u8]) {}

    fn close(&mut self) {
        self.is_closed.store(true, Ordering::SeqCst);
    }
}

/// What is looked after while a process runs.
struct Watch<'a> {
    stopper: &'a Stopper,
    deadline: Option<Instant>,
    n_outputs: usize,
    server: &'a mut Option<Server>,
    receiver: &'a mut Receiver,
    sink: &'a mut dyn Sink,
    interrupt: &'a Interrupt,
}

impl Watch<'_> {
    /// Takes events until the supervisor has reported and every stream has ended, or has fallen silent after that.
    fn until_the_end(mut self, events: &Events<Event>) -> Result<Conclusion, Failure> {
        let mut conclusion = None;
        let mut stopped_at: Option<Instant> = None;
        let mut last_tick = Instant::now();
        let mut last_event = Instant::now();
        loop {
            match events.recv_timeout(TICK) {
                Ok(event) => {
                    last_event = Instant::now();
                    if let Some(concluded) = self.take(event) {
                        conclusion = Some(concluded);
                        if let Some(server) = self.server {
                            server.close();
                        }
                    }
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            if last_tick.elapsed() >= TICK {
                last_tick = Instant::now();
                self.sink.tick();
                if conclusion.is_none() {
                    self.stopper.keep_going();
                }
            }
            if conclusion.is_some() {
                let is_settled = self.n_outputs == 0 && self.receiver.is_done();
                if is_settled || last_event.elapsed() > SETTLING {
                    break;
                }
                continue;
            }
            // The supervisor keeps the deadline itself; this is for one that a test has stopped.
            let is_late = self.deadline.is_some_and(|deadline| deadline + SILENCE < Instant::now());
            match stopped_at {
                None if self.interrupt.is_raised() || is_late => {
                    self.stopper.stop();
                    stopped_at = Some(Instant::now());
                }
                Some(stopped) if stopped.elapsed() > SILENCE => self.stopper.kill(),
                _ => {}
            }
        }
        conclusion.ok_or_else(|| Failure::new(Kind::ProcessFailed, "a supervisor ended without a word"))
    }

    fn take(&mut self, event: Event) -> Option<Conclusion> {
        match event {
            Event::Output(stream, piece) => self.sink.output(stream, &piece),
            Event::OutputEnd => self.n_outputs = self.n_outputs.saturating_sub(1),
            Event::Channel(incoming) => {
                let sink = &mut *self.sink;
                self.receiver.take(incoming, &mut |connection, line| sink.record(connection, line));
            }
            Event::Concluded(conclusion) => return Some(conclusion),
        }
        None
    }
}
