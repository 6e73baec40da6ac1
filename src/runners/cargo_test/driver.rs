//! The process that runs cargo: builds the test binaries, has cargo hand each to a process of ours, then runs the
//! documentation tests, and tells what was built and how it ended.

use super::build::{Build, Choice};
use super::doc::DocReader;
use super::lock_file::LockFiles;
use super::messages::{BINARY_ARGUMENT, Binary, Message, ONE_ARGUMENT, Plan};
use super::telling::Telling;
use super::toolchain::runner_of;
use crate::error::{Failure, Kind};
use crate::exec::channel::Connection;
use crate::exec::{CHANNEL_VARIABLE, Direct, Output, run_direct};
use crate::facts::Status;
use crate::runners::protocol::message as cut;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

const FAILED: u8 = 101;

/// Carries out the plan in the file that the first argument names. Returns the exit status.
pub(crate) fn main(args: &[OsString]) -> u8 {
    let done = args.first().ok_or_else(|| failure("no plan", "nothing")).and_then(|file| {
        let text = std::fs::read(file).map_err(|error| failure("no plan", &error.to_string()))?;
        let plan: Plan = serde_json::from_slice(&text).map_err(|error| failure("no plan", &error.to_string()))?;
        let connection = Connection::of_environment()?.ok_or_else(|| failure("no channel", "nothing"))?;
        Driver { plan, telling: Telling::new(connection), worst: 0 }.run_and_restore()
    });
    done.unwrap_or_else(|failure| {
        // Nobody is left to tell when stderr is closed.
        let _ = writeln!(std::io::stderr(), "error: {failure}");
        FAILED
    })
}

pub(crate) fn failure(what: &str, cause: &str) -> Failure {
    Failure::new(Kind::ProcessFailed, format!("cargo could not be run: {what}")).detail("cause", cause)
}

/// The driver of one run.
pub(crate) struct Driver {
    plan: Plan,
    telling: Telling,
    worst: u8,
}

impl Driver {
    fn run_and_restore(mut self) -> Result<u8, Failure> {
        let manifest = self.plan.options.iter().skip_while(|word| *word != "--manifest-path").nth(1);
        let manifest = manifest.map(|path| self.plan.cwd.join(path));
        let starts = std::iter::once(self.plan.cwd.as_path()).chain(manifest.as_deref().and_then(Path::parent));
        let lock_files = LockFiles::remember(&starts.collect::<Vec<_>>(), &self.plan.root);
        let done = self.run();
        for path in lock_files.restore() {
            let shown = path.strip_prefix(&self.plan.root).unwrap_or(&path).display();
            self.telling.tell(&Message::Note(format!(
                "cargo wrote `{shown}` anew, and it was put back: it does not fit the manifests"
            )))?;
        }
        done?;
        self.telling.tell(&Message::DriverEnd { exit_status: i32::from(self.worst) })?;
        Ok(self.worst)
    }

    fn run(&mut self) -> Result<(), Failure> {
        let (version, host) = self.version()?;
        self.telling.tell(&Message::Driver { version })?;
        let mut build = Build::default();
        if !self.plan.targets.iter().any(|word| word == "--doc") {
            build = self.build()?;
            let binaries = build.binaries.iter().map(|(binary, _)| binary.clone()).collect();
            self.telling.tell(&Message::Binaries(binaries))?;
            self.run_binaries(&build, host.as_deref())?;
        }
        if self.plan.doc && (build.has_doc || self.plan.targets.iter().any(|word| word == "--doc")) {
            self.run_doc()?;
        }
        for sources in build.sources().chunks(500) {
            self.telling.tell(&Message::Loaded(sources.to_vec()))?;
        }
        Ok(())
    }

    /// Starts cargo; the channel is only named to it when it is to run tests.
    fn cargo(
        &self,
        args: Vec<String>,
        with: Vec<(OsString, OsString)>,
        output: Output,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<u8, Failure> {
        let args: Vec<String> = self.plan.toolchain.iter().cloned().chain(args).collect();
        self.start(&self.plan.cargo, &args, with, output, take)
    }

    /// Starts cargo or nextest.
    pub(crate) fn start(
        &self,
        program: &Path,
        args: &[String],
        with: Vec<(OsString, OsString)>,
        output: Output,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<u8, Failure> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let mut with = with;
        let without: &[&str] = if with.is_empty() { &[CHANNEL_VARIABLE] } else { &[] };
        with.push(("CARGO_TARGET_DIR".into(), self.plan.target_dir.clone().into()));
        if let (Some(toolchain), Some(_)) = (&self.plan.toolchain, &self.plan.nextest) {
            with.push(("RUSTUP_TOOLCHAIN".into(), toolchain.trim_start_matches('+').into()));
        }
        let direct = Direct { program: program.as_os_str(), args: &args, without, with: &with };
        let status =
            run_direct(&direct, output, take).map_err(|error| failure("it did not start", &error.to_string()))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED))
    }

    fn version(&self) -> Result<(Option<String>, Option<String>), Failure> {
        let mut text = Vec::new();
        self.cargo(vec!["-vV".to_owned()], Vec::new(), Output::Stdout, &mut |piece| text.extend_from_slice(piece))?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let field = |name: &str| text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim().to_owned()));
        Ok((field("release:"), field("host:")))
    }

    /// Builds everything, and tells what could not be built.
    fn build(&mut self) -> Result<Build, Failure> {
        let mut build = Build::default();
        let mut status = 0;
        for mut call in self.build_calls() {
            call.extend(["--message-format", "json-diagnostic-rendered-ansi"].map(str::to_owned));
            status = status.max(self.cargo(call, Vec::new(), Output::Stdout, &mut |piece| build.push(piece))?);
        }
        for told in std::mem::take(&mut build.failures) {
            if let Message::Load { file, message } = told {
                let message = cut(&message);
                let _ = writeln!(std::io::stderr(), "{message}");
                self.telling.tell(&Message::Load { file, message })?;
                self.worst = FAILED;
            }
        }
        if status != 0 && self.worst == 0 {
            self.worst = status;
            let message = format!("cargo could not build the tests (status {status}); its output says why");
            self.telling.tell(&Message::Load { file: None, message })?;
        }
        Ok(build)
    }

    /// `cargo test` stops at the first target that does not compile, and the results of all others would be lost.
    /// `cargo build` goes on, but builds only some kinds of targets as tests; the others are built one by one. The
    /// profile is that of tests, so that nothing is built twice.
    fn build_calls(&self) -> Vec<Vec<String>> {
        let (mut together, mut alone) = (Vec::new(), Vec::new());
        let mut rest = self.plan.targets.iter().cloned();
        while let Some(flag) = rest.next() {
            let takes_value = matches!(flag.as_str(), "--bin" | "--test" | "--example" | "--bench");
            let is_together = matches!(flag.as_str(), "--tests" | "--test" | "--benches" | "--bench" | "--all-targets");
            let words: Vec<String> = std::iter::once(flag).chain(takes_value.then(|| rest.next()).flatten()).collect();
            if is_together { together.extend(words) } else { alone.push(words) }
        }
        if self.plan.targets.is_empty() {
            // `cargo test` builds examples too, to see that they compile.
            together = ["--tests", "--examples"].map(str::to_owned).to_vec();
        }
        let call = |command: &str, targets: Vec<String>, more: &[&str]| {
            let words = std::iter::once(command.to_owned()).chain(self.plan.options.iter().cloned()).chain(targets);
            words.chain(more.iter().map(|&word| word.to_owned())).collect::<Vec<_>>()
        };
        let has_profile = self.plan.options.iter().any(|it| matches!(it.as_str(), "--release" | "-r" | "--profile"));
        let with_profile: &[&str] =
            if has_profile { &["--keep-going"] } else { &["--keep-going", "--profile", "test"] };
        let together = (!together.is_empty()).then(|| call("build", together, with_profile));
        together.into_iter().chain(alone.into_iter().map(|words| call("test", words, &["--no-run"]))).collect()
    }

    fn run_binaries(&mut self, build: &Build, host: Option<&str>) -> Result<(), Failure> {
        if build.binaries.is_empty() {
            return Ok(());
        }
        let (Some(host), plan) = (host, &self.plan) else {
            return Err(failure("it does not tell its host", "`cargo -vV` has no line `host:`"));
        };
        let triple = plan.triple.as_deref().unwrap_or(host);
        let chain = match runner_of(triple, triple == host, &plan.chain) {
            Ok(words) => words,
            Err(why) => {
                self.worst = FAILED;
                return self.telling.tell(&Message::Unhandled(why));
            }
        };
        let variable = format!("CARGO_TARGET_{}_RUNNER", triple.to_uppercase().replace(['-', '.'], "_"));
        let argument = if plan.nextest.is_some() { ONE_ARGUMENT } else { BINARY_ARGUMENT };
        let mut words = vec![plan.this_program.to_string_lossy().into_owned(), argument.to_owned()];
        words.extend([variable.clone(), chain.len().to_string()]);
        words.extend(chain.iter().cloned());
        let runner: (OsString, OsString) = (variable.into(), words.join(" ").into());
        if let Some(nextest) = plan.nextest.clone() {
            return crate::runners::nextest::run(self, &nextest, build, &[runner]);
        }
        let calls = if self.worst == 0 { vec![self.one_call()] } else { self.calls_of(&build.binaries) };
        for call in calls {
            let status = self.cargo(call, vec![runner.clone()], Output::Inherited, &mut |_| {})?;
            self.end_with(status);
        }
        Ok(())
    }

    /// Sends one message.
    pub(crate) fn tell(&mut self, message: &Message) -> Result<(), Failure> {
        self.telling.tell(message)
    }

    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The worst status so far.
    pub(crate) fn worst(&self) -> u8 {
        self.worst
    }

    /// Takes one more status into account.
    pub(crate) fn end_with(&mut self, status: u8) {
        self.worst = self.worst.max(status);
    }

    fn one_call(&self) -> Vec<String> {
        let targets = if self.plan.targets.is_empty() { vec!["--tests".to_owned()] } else { self.plan.targets.clone() };
        self.call(&self.plan.options, targets)
    }

    fn calls_of(&self, binaries: &[(Binary, Choice)]) -> Vec<Vec<String>> {
        Self::selections(&self.plan.options, binaries).into_iter().map(|words| self.call(&words, Vec::new())).collect()
    }

    /// Options that choose the targets that could be built, one list a package.
    pub(crate) fn selections(all: &[String], binaries: &[(Binary, Choice)]) -> Vec<Vec<String>> {
        let mut packages: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for (_, choice) in binaries {
            packages.entry(&choice.package).or_default().extend(choice.flags.iter().cloned());
        }
        let mut options = Vec::new();
        let mut rest = all.iter();
        while let Some(word) = rest.next() {
            match word.as_str() {
                "-p" | "--package" | "--exclude" => {
                    rest.next();
                }
                "--workspace" | "--all" => {}
                _ => options.push(word.clone()),
            }
        }
        let of_package = |(package, targets): (&str, Vec<String>)| {
            options.iter().cloned().chain(["-p".to_owned(), package.to_owned()]).chain(targets).collect()
        };
        packages.into_iter().map(of_package).collect()
    }

    fn call(&self, options: &[String], targets: Vec<String>) -> Vec<String> {
        let mut args = vec!["test".to_owned()];
        args.extend(options.iter().cloned());
        args.extend(targets);
        args.push("--no-fail-fast".to_owned());
        args.extend(self.plan.filter.clone());
        args.push("--".to_owned());
        args.extend(self.plan.binary.iter().cloned());
        args
    }

    fn run_doc(&mut self) -> Result<(), Failure> {
        let mut reader = DocReader::default();
        let call = self.call(&self.plan.options, vec!["--doc".to_owned()]);
        let status = self.cargo(call, Vec::new(), Output::Both, &mut |piece| {
            let _ = std::io::stdout().write_all(piece);
            reader.push(piece);
        })?;
        let (tests, fault) = reader.finish();
        let has_failed = tests.iter().any(|test| test.status == Status::Failed);
        for some in tests.chunks(100) {
            let mut some = some.to_vec();
            for test in &mut some {
                test.message = test.message.take().map(|text| cut(&text));
            }
            self.telling.tell(&Message::Docs(some))?;
        }
        if let Some(why) = fault {
            self.telling.tell(&Message::Unhandled(why))?;
        }
        if status != 0 && !has_failed {
            let why = format!("the documentation tests could not be built or run (status {status})");
            self.telling.tell(&Message::Unhandled(why))?;
        }
        self.worst = self.worst.max(status);
        Ok(())
    }
}
