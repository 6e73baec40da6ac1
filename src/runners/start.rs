//! Finds the program of a command that no runner knows.
//! Knows nothing of why it is run.

use super::{Call, Launch, Site, Transport, launcher};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What is started.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
}

/// Finds the program of a command. Launchers of packages are not called: they prefer the change's own programs, and
/// some install what is missing.
///
/// # Errors
/// [`Kind::RunnerMissing`] when it is not installed.
pub(crate) fn start(command: &[String], site: &Site<'_>) -> Result<Started, Failure> {
    let cwd = site.cwd;
    let missing = |name: &str| {
        Failure::new(Kind::RunnerMissing, format!("the program `{name}` is not installed"))
            .next("install it, or name it in the contract as it is installed here")
    };
    let [first, rest @ ..] = command else { return Err(missing("")) };
    let call = launcher::take_off(command).ok();
    if let Some(call) = call.filter(|call| !call.launcher.is_empty()) {
        let manager = call.launcher[0].as_str();
        if matches!(manager, "npx" | "npm" | "pnpm" | "pnpx" | "yarn" | "bunx" | "bun") {
            let program = above(cwd, site.root)
                .map(|folder| folder.join("node_modules").join(".bin"))
                .find_map(|folder| find_program(call.program.as_ref(), Some(folder.as_os_str()), cwd));
            return match program {
                Some(program) => Ok(Started { program, args: call.args }),
                None => Err(missing(&call.program)),
            };
        }
        if matches!(manager, "uv" | "poetry" | "pipenv") {
            let folder = if cfg!(windows) { "Scripts" } else { "bin" };
            let program = [cwd, site.root, site.checkout]
                .iter()
                .map(|root| root.join(".venv").join(folder))
                .find_map(|folder| find_program(call.program.as_ref(), Some(folder.as_os_str()), cwd));
            return match program {
                Some(program) => Ok(Started { program, args: call.args }),
                None => Err(missing(&call.program)),
            };
        }
    }
    let program = find_program(first.as_ref(), site.search_path, cwd).ok_or_else(|| missing(first))?;
    Ok(Started { program, args: rest.to_vec() })
}

/// The folder and those above it, up to the root.
fn above<'a>(folder: &'a Path, root: &'a Path) -> impl Iterator<Item = &'a Path> {
    folder.ancestors().take_while(move |folder| folder.starts_with(root))
}

/// Starts a runner that writes a report file: its command with `own` flags after the first word, or before all others
/// where the runner has no subcommand. `shown` stands for them where people read.
pub(super) fn with_report(
    call: &Call,
    own: &[String],
    shown: &str,
    file: PathBuf,
    site: &Site<'_>,
) -> Result<Launch, Failure> {
    // A runner that is written as a path stands in the launcher.
    let is_path = call.launcher.last().is_some_and(|word| word.contains(['/', '\\']));
    let name = (!is_path).then_some(&call.program);
    let words: Vec<String> = call.launcher.iter().chain(name).chain(&call.args).cloned().collect();
    let started = start(&words, site)?;
    let at = usize::from(call.args.first().is_some_and(|word| word == "test"));
    let (before, after) = started.args.split_at(at.min(started.args.len()));
    let args = before.iter().chain(own).chain(after).map(OsString::from).collect();
    let (shown_before, shown_after) = call.args.split_at(at);
    let shown = std::iter::once(call.program.as_str())
        .chain(shown_before.iter().map(String::as_str))
        .chain([shown])
        .chain(shown_after.iter().map(String::as_str))
        .map(str::to_owned)
        .collect();
    let transport = Transport::ReportFile(file);
    Ok(Launch { program: started.program, args, shown, env: Vec::new(), transport, version: None })
}
