//! One run of one test command on one side: prepared, started, watched, read.
//! Must not know why it is run or what follows from it.

use crate::collect::context::{Step, TestContext};
use crate::error::{Failure, Kind};
use crate::exec::{self, ChannelKind, Environment, Job, Observer, environment};
use crate::facts::{Channel, TestRun, command_line};
use crate::runners::{self, Call, Launch, RecordReader, Reports, Runner, Site, Transport};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How much of what a process prints is kept, in bytes.
const OUTPUT_CAP: usize = 256 << 10;

/// Where a command runs.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// The root of the tree: the checkout or a clone.
    pub(crate) root: PathBuf,
    /// The user's checkout.
    pub(crate) checkout: PathBuf,
    /// Build output of this side.
    pub(crate) build: PathBuf,
    /// A fresh private folder of this run.
    pub(crate) private: PathBuf,
    /// Whether the home is a private one.
    pub(crate) is_isolated: bool,
    /// Variables beyond the allow-list and the runner's.
    pub(crate) env: Vec<(String, OsString)>,
}

/// A test command as it is understood.
#[derive(Clone)]
pub(crate) struct Understood {
    pub(crate) runner: &'static dyn Runner,
    pub(crate) call: Call,
    /// The folder that it runs in, relative to the root.
    pub(crate) cwd: String,
    pub(crate) deadline: Duration,
}

/// What a run gave.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) run: TestRun,
    pub(crate) version: Option<String>,
    pub(crate) channel: Channel,
    /// Files that the run loaded, absolute.
    pub(crate) loaded: Vec<PathBuf>,
    /// Names of variables that were withheld.
    pub(crate) withheld: Vec<String>,
}

/// Says how a command would be started.
pub(crate) fn prepare(understood: &Understood, place: &Place, context: &TestContext<'_>) -> Result<Launch, Failure> {
    let cwd = cwd_of(understood, place)?;
    understood.runner.prepare(&understood.call, &site(place, &cwd, context))
}

/// Returns how results leave a run.
pub(crate) fn channel_of(transport: &Transport) -> Channel {
    match transport {
        Transport::Socket | Transport::Sockets | Transport::Stdout => Channel::Private,
        Transport::ReportFile(_) | Transport::ReportFolders(_) => Channel::ReportFile,
    }
}

/// Runs a command once.
///
/// # Errors
/// Fails when it cannot be started or watched; that its tests fail is no error.
pub(crate) fn run_once(
    understood: &Understood,
    place: &Place,
    context: &TestContext<'_>,
    step: &Step<'_>,
) -> Result<Ran, Failure> {
    let cwd = cwd_of(understood, place)?;
    let site = site(place, &cwd, context);
    let launch = understood.runner.prepare(&understood.call, &site)?;
    let mut environment =
        environment::build(context.environment, &context.options.pass_env, place.is_isolated, &place.private)?;
    add(&mut environment, &place.env);
    add(&mut environment, &launch.env);
    runners::take_away(&understood.runner.stale(&site), site.root)?;
    let reports = Reports::clear(&launch.transport, &site)?;
    let mut watched = Watched {
        reader: understood.runner.reader(&launch, &site),
        context,
        step: step.clone(),
        began: Instant::now(),
    };
    watched.tick();
    let job = Job {
        program: launch.program.clone(),
        args: launch.args.clone(),
        env: environment.vars,
        cwd: cwd.clone(),
        deadline: understood.deadline,
        output_cap: OUTPUT_CAP,
        channel: match launch.transport {
            Transport::Socket => ChannelKind::Once,
            Transport::Sockets => ChannelKind::Many,
            Transport::Stdout => ChannelKind::Stdout,
            Transport::ReportFile(_) | Transport::ReportFolders(_) => ChannelKind::None,
        },
        private: place.private.clone(),
        supervisor: context.supervisor.clone(),
    };
    let ended = exec::run(&job, &mut watched, context.interrupt)?;
    let fault = match reports.feed(watched.reader.as_mut()) {
        Ok(()) => ended.channel_fault,
        Err(fault) => ended.channel_fault.or(Some(fault)),
    };
    let readout = watched.reader.finish(fault.as_deref(), &ended.end);
    if let Some(why) = readout.missing {
        return Err(Failure::new(Kind::RunnerMissing, why)
            .detail("ran", command_line(&launch.shown))
            .next("install it for this interpreter, or name another one in the contract, such as `.venv/bin/python -m pytest`")
            .next("where the tests run in a clone, prepare the environment with `--setup`"));
    }
    Ok(Ran {
        version: readout.version.or(launch.version),
        channel: channel_of(&launch.transport),
        loaded: readout.loaded,
        withheld: environment.withheld,
        run: TestRun {
            argv: launch.shown,
            end: ended.end,
            records: readout.records,
            load_errors: readout.load_errors,
            unhandled: readout.unhandled,
            completeness: readout.completeness,
            notes: readout.notes,
        },
    })
}

/// Adds variables in place of those of the same name.
pub(crate) fn add(environment: &mut Environment, more: &[(String, OsString)]) {
    for (name, value) in more {
        environment.set(name, value.clone());
    }
}

fn cwd_of(understood: &Understood, place: &Place) -> Result<PathBuf, Failure> {
    folder_below(&place.root, &understood.cwd)
}

/// Returns a folder below a root, none of whose parts is a link: a link could lead anywhere.
pub(crate) fn folder_below(root: &Path, folder: &str) -> Result<PathBuf, Failure> {
    let mut found = root.to_path_buf();
    for part in folder.split('/').filter(|part| !part.is_empty()) {
        found.push(part);
        if !std::fs::symlink_metadata(&found).is_ok_and(|metadata| metadata.is_dir()) {
            let message = format!("the folder `{folder}`, in which the command is to run, is not there");
            return Err(Failure::new(Kind::CloneUnusable, message));
        }
    }
    Ok(found)
}

/// Says where a command is started, as runners ask for it.
pub(crate) fn site<'a>(place: &'a Place, cwd: &'a Path, context: &'a TestContext<'_>) -> Site<'a> {
    Site {
        root: &place.root,
        cwd,
        private: &place.private,
        checkout: &place.checkout,
        build: &place.build,
        this_program: &context.supervisor.program,
        search_path: context.search_path(),
    }
}

struct Watched<'a> {
    reader: Box<dyn RecordReader>,
    context: &'a TestContext<'a>,
    step: Step<'a>,
    began: Instant,
}

impl Observer for Watched<'_> {
    fn record(&mut self, connection: usize, line: &[u8]) {
        self.reader.line(connection, line);
    }

    fn output(&mut self, piece: &[u8]) {
        if self.context.options.verbose {
            self.context.progress.output(&self.step, piece);
        }
    }

    fn tick(&mut self) {
        self.step.so_far = self.reader.so_far();
        self.step.elapsed = self.began.elapsed();
        self.context.progress.step(&self.step);
    }
}
