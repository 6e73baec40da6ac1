//! Launchers of Python: interpreters with `-m`, and environment managers, whose interpreter is found and called in
//! their place.

use super::{Rest, refuse};
use crate::runners::Refusal;

/// Takes one launcher off, when the command begins with one. Returns whether it did.
pub(super) fn take(name: &str, rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    match name {
        "poetry" | "pipenv" | "pdm" | "rye" => {
            rest.take();
            if rest.peek() != Some("run") {
                return Err(not_run(name));
            }
            rest.take();
            skip_separator(rest);
            no_options(name, rest)?;
            Ok(true)
        }
        "uv" => {
            rest.take();
            if rest.peek() != Some("run") {
                return Err(not_run(name));
            }
            rest.take();
            uv(rest)
        }
        "uvx" | "pipx" => Err(refuse(
            &format!("`{name}` runs a copy outside the project's environment"),
            "another environment",
            "write `uv run pytest`, `poetry run pytest` or `python -m pytest`",
        )),
        _ if is_interpreter(name) => interpreter(rest),
        _ => Ok(false),
    }
}

fn not_run(name: &str) -> Refusal {
    refuse(&format!("`{name}` starts a program only with `run`"), "no `run`", &format!("write `{name} run pytest`"))
}

fn skip_separator(rest: &mut Rest<'_>) {
    if rest.peek() == Some("--") {
        rest.take();
    }
}

fn no_options(name: &str, rest: &Rest<'_>) -> Result<(), Refusal> {
    match rest.peek() {
        Some(word) if word.starts_with('-') => Err(refuse(
            &format!("`{name} run {word}` changes what is run"),
            "changes what is run",
            &format!("write `{name} run pytest`"),
        )),
        _ => Ok(()),
    }
}

/// `python`, `python3`, `python3.12`, `py`, `pypy3`.
fn is_interpreter(name: &str) -> bool {
    let version = |tail: &str| tail.chars().all(|character| character.is_ascii_digit() || character == '.');
    name == "py" || name.strip_prefix("python").is_some_and(version) || name.strip_prefix("pypy").is_some_and(version)
}

/// Options that only say how the environment is brought up to date: it is used as it is, so they have no effect.
const UV_WITHOUT_EFFECT: &[&str] = &[
    "--frozen",
    "--locked",
    "--no-sync",
    "--all-extras",
    "--all-groups",
    "--dev",
    "--no-dev",
    "--active",
    "--offline",
    "-q",
    "--quiet",
    "--no-progress",
    "--exact",
    "--inexact",
];
const UV_WITHOUT_EFFECT_WITH_VALUE: &[&str] = &["--extra", "--group", "--only-group", "--no-group"];

fn uv(rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    while let Some(word) = rest.peek() {
        if word == "--" {
            rest.take();
            return Ok(true);
        }
        if word == "-m" || word == "--module" {
            return module(rest);
        }
        if !word.starts_with('-') {
            return Ok(true);
        }
        let (option, has_value) = word.split_once('=').map_or((word, false), |(option, _)| (option, true));
        if UV_WITHOUT_EFFECT_WITH_VALUE.contains(&option) {
            rest.take();
            if !has_value {
                rest.take();
            }
        } else if UV_WITHOUT_EFFECT.contains(&option) {
            rest.take();
        } else {
            return Err(refuse(
                &format!("`uv run {word}` changes what is run or where"),
                "changes what is run",
                "the project's environment is used as it is: write `uv run pytest`, and prepare it with `--setup`",
            ));
        }
    }
    Ok(true)
}

/// `-m MODULE`: the module is the program. The interpreter's options before it stay in the launcher for the runner.
fn module(rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    rest.take();
    let Some(module) = rest.peek().map(str::to_owned) else {
        return Err(refuse("`-m` names no module", "no module", "write `python -m pytest`"));
    };
    if !module.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '.' | '-')) {
        return Err(refuse(&format!("`{module}` is not a module's name"), "not a module", "write `python -m pytest`"));
    }
    rest.words = rest.words.get(1..).unwrap_or_default();
    rest.resolve(&module);
    Ok(true)
}

fn interpreter(rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    rest.take();
    while let Some(word) = rest.peek() {
        match word {
            "-m" => return module(rest),
            "-I" | "-P" | "-s" | "-E" | "-B" | "-b" | "-bb" | "-u" => rest.take(),
            "-X" | "-W" => {
                rest.take();
                rest.take();
            }
            _ if word.starts_with("-X") || word.starts_with("-W") => rest.take(),
            _ => break,
        }
    }
    Err(refuse(
        "the command starts Python without a module that is a test runner",
        "no `-m`",
        "write `python -m pytest` or `python -m unittest`",
    ))
}
