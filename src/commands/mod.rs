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
    guarded(delivery, command, || match &settings.command {
        Command::Check(args) if args.demo => match demo::run(&settings, args) {
            Ok(()) => None,
            Err(failure) => Some(Report::failure(command, failure)),
        },
        _ => Some(outcome(&settings)),
    })
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

/// Runs something and sends its report, if it has one. A panic, which is always a bug of ours, is sent instead and ends
/// the process.
fn guarded(delivery: Delivery, command: report::Command, work: impl FnOnce() -> Option<Report>) -> Exit {
    let delivery = Arc::new(Mutex::new(Some(delivery)));
    let of_hook = Arc::clone(&delivery);
    // The hook tells, not the caller: a release build ends with its first panic and unwinds nothing.
    std::panic::set_hook(Box::new(move |panic| {
        // Held until the end: threads that wait for the one that panicked panic after it.
        let mut delivery = of_hook.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(delivery) = delivery.take() {
            let exit = delivery.send(&Report::failure(command, bug(&panic.to_string())));
            #[expect(clippy::exit, clippy::disallowed_methods, reason = "nothing is left to unwind to")]
            std::process::exit(i32::from(exit.code()));
        }
    }));
    let report = work();
    drop(std::panic::take_hook());
    match (report, delivery.lock().unwrap_or_else(PoisonError::into_inner).take()) {
        (Some(report), Some(delivery)) => delivery.send(&report),
        _ => Exit::Passed,
    }
}

fn bug(panic: &str) -> Failure {
    Failure::new(Kind::Bug, "this is a bug of agent-acceptance, and says nothing about the change")
        .detail("panic", panic)
        .next("please report it, with the command line and the lines above")
}

#[cfg(test)]
mod tests {
    use super::guarded;
    use crate::commands::deliver::Delivery;
    use crate::exit::Exit;
    use crate::report::Command;
    use crate::settings::{self, Environment};

    /// Says to the test below, run once more as a process of its own, to panic.
    const ASKED: &str = "AGENT_ACCEPTANCE_TEST_PANIC";

    #[test]
    fn a_panic_in_any_thread_is_told_as_a_bug_and_ends_the_process() {
        #[expect(clippy::disallowed_methods, reason = "a process that ends can be watched from another one only")]
        if std::env::var_os(ASKED).is_some() {
            let args = ["agent-acceptance".into(), "parse".into()];
            let settings = settings::load(&args, Environment::default()).expect("a command");
            let delivery = Delivery::to_streams(&settings.output);
            guarded(delivery, Command::Check, || {
                std::thread::spawn(|| panic!("no {}", "way")).join().expect("it panicked");
                None
            });
            return;
        }
        let name = "commands::tests::a_panic_in_any_thread_is_told_as_a_bug_and_ends_the_process";
        #[expect(clippy::disallowed_methods, reason = "this test starts itself")]
        let mut again = std::process::Command::new(std::env::current_exe().expect("this test"));
        let ended = again.args(["--exact", name, "--nocapture"]).env(ASKED, "1").output().expect("it starts");
        let told = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(i32::from(Exit::Bug.code())), "{told}");
        assert!(told.contains("no way") && told.contains("please report it"), "{told}");
    }
}
