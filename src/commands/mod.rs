//! The commands: each tells the pipeline in order. Only this room knows all the others.

pub mod attempts;
mod check;
mod deliver;
mod demo;
pub(crate) mod documents;
#[cfg(feature = "github")]
mod event;
mod explain;
#[cfg(feature = "github")]
mod forge;
mod hidden_runner;
mod parse;
mod progress;
pub mod publish;
mod runs;
mod source;
mod supplied;
mod world;

use crate::cli::Command;
use crate::error::{Failure, Kind};
use crate::exit::Exit;
use crate::report::{self, Report};
use crate::settings::{self, Early, Environment, Settings};
use deliver::Delivery;
use std::ffi::OsString;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// Runs the tool: reads the command line, runs one command, tells its outcome and returns how to exit.
pub fn run(args: &[OsString], environment: Environment) -> Exit {
    let settings = match settings::load(args, environment) {
        Ok(settings) => settings,
        Err(Early::Help(text)) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            return Exit::Passed;
        }
        Err(Early::Bare(text)) => {
            let _ = std::io::stderr().write_all(text.as_bytes());
            return Exit::Usage;
        }
        Err(Early::Wrong(wrong)) => {
            return Delivery::to_streams(&wrong.output).send(&Report::failure(wrong.command, wrong.failure));
        }
    };
    let command = word(&settings.command);
    let delivery = match Delivery::open(&settings.output, command == report::Command::Check) {
        Ok(delivery) => delivery,
        Err(failure) => return Delivery::to_streams(&settings.output).send(&Report::failure(command, failure)),
    };
    if let Command::Check(args) = &settings.command
        && args.demo
    {
        return match caught(|| demo::run(&settings, args, &delivery)) {
            Ok(Ok(())) => Exit::Passed,
            Ok(Err(failure)) | Err(failure) => delivery.send(&Report::failure(command, failure)),
        };
    }
    let report = caught(|| outcome(&settings)).unwrap_or_else(|bug| Report::failure(command, bug));
    delivery.send(&report)
}

/// Runs the command. A failure becomes a report of its own.
fn outcome(settings: &Settings) -> Report {
    match &settings.command {
        Command::Parse(args) => parse::run(settings, args),
        Command::Check(args) => check::run(settings, args),
        Command::Explain(args) => explain::run(settings, args),
    }
}

const fn word(command: &Command) -> report::Command {
    match command {
        Command::Check(_) => report::Command::Check,
        Command::Parse(_) => report::Command::Parse,
        Command::Explain(_) => report::Command::Explain,
    }
}

/// Runs something, and turns a panic, which is always a bug of ours, into a failure.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Failure> {
    let told: Arc<Mutex<Option<String>>> = Arc::default();
    let hook_told = Arc::clone(&told);
    std::panic::set_hook(Box::new(move |panic| {
        // The first one is the cause: threads that wait for others panic after it.
        hook_told.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| panic.to_string());
    }));
    let result = catch_unwind(AssertUnwindSafe(work));
    drop(std::panic::take_hook());
    result.map_err(|_| {
        let told = told.lock().unwrap_or_else(PoisonError::into_inner).take().unwrap_or_default();
        Failure::new(Kind::Bug, "this is a bug of agent-acceptance, and says nothing about the change")
            .detail("panic", told)
            .next("please report it, with the command line and the lines above")
    })
}

#[cfg(test)]
mod tests {
    use super::caught;
    use crate::exit::Exit;

    #[test]
    fn a_panic_is_told_as_a_bug() {
        let failure = caught(|| panic!("no {}", "way")).expect_err("it panicked");
        assert_eq!(failure.exit(), Exit::Bug);
        assert!(failure.details[0].text.contains("no way"), "{failure:?}");
    }
}
