//! The tool's entry: one hidden door for supervisors, then the command line.

use agent_acceptance::{commands, exec, settings};
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    // Before anything else: a supervisor is this program started again, and must be small and quick.
    if args.get(1).is_some_and(|first| first == exec::SUPERVISOR_ARGUMENT) {
        return ExitCode::from(exec::supervisor_main(&args[2..]));
    }
    ExitCode::from(commands::run(&args, settings::Environment::of_process()).code())
}
