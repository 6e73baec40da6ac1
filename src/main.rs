//! The tool's entry: one hidden door for supervisors, then the command line.

use agent_acceptance::exec;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    // Before anything else: a supervisor is this program started again, and must be small and quick.
    if args.next().is_some_and(|first| first == exec::SUPERVISOR_ARGUMENT) {
        return ExitCode::from(exec::supervisor_main(&args.collect::<Vec<_>>()));
    }
    ExitCode::SUCCESS
}
