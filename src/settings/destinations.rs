//! The files that a run will write: each its own. Of two that are written to one place the last would win,
//! and nobody would know which that is. Must not open any of them.

use crate::cli::{Command, OutputArgs};
use crate::error::{Failure, Kind};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Fails where one file would be written twice, or would take the place of one that is read.
pub(super) fn check(command: &Command, output: &OutputArgs, directory: &Path) -> Result<(), Failure> {
    let mut written: Vec<(&str, &Path)> = Vec::new();
    written.extend(output.output.iter().map(|file| ("--output", file.as_path())));
    written.extend(output.report.iter().map(|(_, file)| ("--report", file.as_path())));
    let mut read: Vec<(&str, &Path)> = Vec::new();
    let source = match command {
        Command::Check(args) => &args.source,
        Command::Explain(args) => &args.source,
        Command::Parse(args) => &args.source,
    };
    read.extend(source.contract.iter().map(|file| ("the contract", file.as_path())));
    if let Command::Check(args) = command {
        written.extend(args.write_facts.iter().map(|file| ("--write-facts", file.as_path())));
        written.extend(args.artifacts.publish.iter().map(|(_, file)| ("--publish", file.as_path())));
        read.extend(args.facts.iter().map(|file| ("--facts", file.as_path())));
        read.extend(args.artifacts.source.iter().map(|(_, file)| ("--source", file.as_path())));
    }
    let of = |files: &[(&'static str, &Path)]| -> Vec<(&'static str, PathBuf)> {
        files
            .iter()
            .filter(|(_, file)| *file != "-")
            .filter_map(|(what, file)| Some((*what, place(directory, file)?)))
            .collect()
    };
    let (written, read) = (of(&written), of(&read));
    for (index, (flag, file)) in written.iter().enumerate() {
        if let Some((other, _)) = written[..index].iter().find(|(_, other)| other == file) {
            let what = if flag == other { format!("{flag} names") } else { format!("{other} and {flag} both name") };
            return Err(Failure::new(Kind::Usage, format!("{what} `{}`, which can hold one of them", file.display()))
                .next("name a file for each"));
        }
        if let Some((other, _)) = read.iter().find(|(_, other)| other == file) {
            let message = format!("{flag} would write over {other}, `{}`", file.display());
            return Err(Failure::new(Kind::Usage, message).next("name another file"));
        }
    }
    Ok(())
}

/// Returns a name that two ways of writing one file share; `None` for devices and pipes, which take all.
fn place(directory: &Path, file: &Path) -> Option<PathBuf> {
    let file = directory.join(file);
    match std::fs::metadata(&file) {
        Ok(there) if !there.is_file() => return None,
        Ok(_) => return Some(std::fs::canonicalize(&file).unwrap_or(file)),
        Err(_) => {}
    }
    let folder = file.parent().and_then(|folder| std::fs::canonicalize(folder).ok());
    let name = file.file_name().map(OsStr::to_owned);
    Some(folder.zip(name).map_or(file, |(folder, name)| folder.join(name)))
}
