//! The tool's entry: hidden doors for the processes that it starts itself, then the command line.

use agent_acceptance::{commands, exec, runners, settings};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    // Before anything else: a supervisor is this program started again, and must be small and quick.
    if args.get(1).is_some_and(|first| first == exec::SUPERVISOR_ARGUMENT) {
        return ExitCode::from(exec::supervisor_main(&args[2..]));
    }
    if let Some(code) = runners::own_process(args.get(1..).unwrap_or_default()) {
        return ExitCode::from(code);
    }
    ExitCode::from(commands::run(&args, settings::Environment::of_process()).code())
}
