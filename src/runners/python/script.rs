//! From a console script to its interpreter. Knows nothing of where scripts are looked up.

use super::super::Site;
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Reads which interpreter a console script is run by, with the interpreter's options.
///
/// # Errors
/// The file cannot be read, is no Python script, or its interpreter is gone.
pub(in crate::runners) fn interpreter_of(script: &Path, site: &Site<'_>) -> Result<(PathBuf, Vec<OsString>), Failure> {
    let head = read_head(script)?;
    if !head.starts_with(b"#!") {
        return beside(script).map(|interpreter| (interpreter, Vec::new())).ok_or_else(|| not_python(script));
    }
    let text = String::from_utf8_lossy(&head);
    let mut lines = text.lines();
    let first = lines.next().unwrap_or_default().trim_start_matches("#!").trim();
    let words: Vec<&str> = match (first, lines.next()) {
        // A path that is too long for a first line is written so: `'''exec' /a/long/path/python "$0" "$@"`.
        ("/bin/sh", Some(second)) if second.starts_with("'''exec' ") => {
            let tail = second.trim_start_matches("'''exec' ");
            vec![tail.split("\"$0\"").next().unwrap_or_default().trim().trim_matches('"')]
        }
        _ => first.split_whitespace().collect(),
    };
    let (program, options) = words.split_first().ok_or_else(|| not_python(script))?;
    let name = Path::new(program).file_name().and_then(OsStr::to_str).unwrap_or_default();
    let (program, options) = match (name, options.split_first()) {
        ("env", Some((name, options))) => {
            let found = find_program(OsStr::new(name), site.search_path, site.cwd);
            (found.ok_or_else(|| gone(script, name))?, options)
        }
        _ => (PathBuf::from(program), options),
    };
    let name = program.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if !(name.starts_with("python") || name.starts_with("pypy")) {
        return Err(not_python(script));
    }
    if !program.is_absolute() || !program.is_file() {
        return Err(gone(script, &program.to_string_lossy()));
    }
    Ok((program, options.iter().map(OsString::from).collect()))
}

fn read_head(script: &Path) -> Result<Vec<u8>, Failure> {
    let mut head = Vec::new();
    std::fs::File::open(script).and_then(|file| file.take(4096).read_to_end(&mut head)).map_err(|error| {
        Failure::new(Kind::Io, format!("failed to read `{}`", script.display())).detail("cause", error.to_string())
    })?;
    Ok(head)
}

/// On Windows a script is a program of its own, next to the interpreter or one folder below it.
fn beside(script: &Path) -> Option<PathBuf> {
    let folder = script.parent()?;
    [Some(folder), folder.parent()]
        .into_iter()
        .flatten()
        .map(|folder| folder.join("python.exe"))
        .find(|it| it.is_file())
}

fn not_python(script: &Path) -> Failure {
    Failure::new(Kind::RunnerUnsupported, format!("`{}` is not a Python script", script.display()))
        .next("write the interpreter's form of the command: `python -m pytest`")
}

fn gone(script: &Path, interpreter: &str) -> Failure {
    Failure::new(Kind::RunnerMissing, format!("the interpreter of `{}` is not there", script.display()))
        .detail("interpreter", interpreter)
        .next("install the environment anew")
}
