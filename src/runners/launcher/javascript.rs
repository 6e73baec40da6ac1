//! Launchers of JavaScript's package managers, and node itself with the path of an installed runner.

use super::{Rest, bare_name, refuse};
use crate::runners::Refusal;
use crate::runners::script::HIDES_RUNNER;

const DIRECT: &str = "write `npx RUNNER ...` with the runner's own arguments, such as `npx vitest run`";
const OTHER_FOLDER: &str = "take the option out, and name the folder in the test clause's `cwd`";

/// Takes one launcher off, when the command begins with one. Returns whether it did.
pub(super) fn take(name: &str, rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    match name {
        "npx" => {
            rest.take();
            exec(rest, "npx", true)?;
        }
        "bunx" => {
            rest.take();
            exec(rest, "bunx", true)?;
        }
        "npm" => npm(rest)?,
        "pnpm" => pnpm(rest)?,
        "pnpx" => return Err(downloads("pnpx")),
        "yarn" | "yarnpkg" => yarn(rest)?,
        "bun" => return bun(rest),
        "bundle" => {
            rest.take();
            if rest.peek() != Some("exec") {
                return Err(hides("bundle", rest));
            }
            rest.take();
        }
        "node" | "nodejs" => return node(rest),
        _ => return Ok(false),
    }
    named(rest)?;
    Ok(true)
}

fn downloads(launcher: &str) -> Refusal {
    refuse(
        &format!("`{launcher}` runs a downloaded copy, not the runner that the project has installed"),
        "another copy of the runner",
        DIRECT,
    )
}

fn hides(launcher: &str, rest: &Rest<'_>) -> Refusal {
    let what = rest.peek().map_or_else(|| launcher.to_owned(), |word| format!("{launcher} {word}"));
    refuse(
        &format!("`{what}` hides which test runner is run"),
        HIDES_RUNNER,
        "write the command that stands behind it at the merge base, such as `npx vitest run` or `npx jest`",
    )
}

/// The word after a launcher must be a bare name: not a package with a version, a URL or a path.
fn named(rest: &Rest<'_>) -> Result<(), Refusal> {
    let Some(word) = rest.peek() else {
        return Err(refuse("the command names a launcher but no test runner", "no runner", DIRECT));
    };
    if word.get(1..).is_some_and(|tail| tail.contains('@')) || word.contains(':') {
        return Err(refuse(
            &format!("`{word}` names a version to download, not the runner that the project has installed"),
            "another copy of the runner",
            "write the runner's name alone",
        ));
    }
    if word.contains('/') {
        return Err(refuse(
            &format!("`{word}` is not a runner's name"),
            "a path or a scoped package",
            "write the runner's name alone",
        ));
    }
    Ok(())
}

/// Options of `npx`, `bunx`, `npm exec`, `pnpm exec`. Without `--`, `npm exec` keeps every option for itself, also those
/// after the runner's name.
fn exec(rest: &mut Rest<'_>, launcher: &str, passes_options_on: bool) -> Result<(), Refusal> {
    while let Some(word) = rest.peek() {
        match word {
            "--" => {
                rest.take();
                return Ok(());
            }
            "-y" | "--yes" | "--no" | "--no-install" | "--quiet" | "-q" | "--silent" | "--offline"
            | "--prefer-offline" => rest.take(),
            "-c" | "--call" | "--shell-mode" => {
                return Err(refuse(&format!("`{launcher} {word}` starts a shell"), "a shell", DIRECT));
            }
            _ if word.starts_with('-') => {
                let help = if word.starts_with("-w") || word.starts_with("-C") || word.starts_with("--prefix") {
                    OTHER_FOLDER
                } else {
                    DIRECT
                };
                return Err(refuse(&format!("`{launcher} {word}` changes what is run"), "changes what is run", help));
            }
            _ => break,
        }
    }
    if !passes_options_on && rest.words.iter().skip(1).any(|word| word.starts_with('-')) {
        let command = rest.words.join(" ");
        return Err(refuse(
            &format!("`{launcher}` keeps the options after the runner's name for itself"),
            "these do not reach the runner",
            &format!("write `{launcher} -- {command}`"),
        ));
    }
    Ok(())
}

fn npm(rest: &mut Rest<'_>) -> Result<(), Refusal> {
    rest.take();
    match rest.peek() {
        Some("exec" | "x") => {
            rest.take();
            exec(rest, "npm exec", false)
        }
        _ => Err(hides("npm", rest)),
    }
}

fn pnpm(rest: &mut Rest<'_>) -> Result<(), Refusal> {
    rest.take();
    match rest.peek() {
        Some("exec") => {
            rest.take();
            exec(rest, "pnpm exec", true)
        }
        Some("dlx") => Err(downloads("pnpm dlx")),
        Some("run" | "run-script" | "test" | "t" | "start") => Err(hides("pnpm", rest)),
        Some(word) if word.starts_with('-') => {
            Err(refuse(&format!("`pnpm {word}` changes where or what is run"), "changes what is run", OTHER_FOLDER))
        }
        _ => script_or_program(rest, "pnpm"),
    }
}

fn yarn(rest: &mut Rest<'_>) -> Result<(), Refusal> {
    rest.take();
    match rest.peek() {
        Some("run" | "exec") => {
            rest.take();
            if rest.peek() == Some("--") {
                rest.take();
            }
            script_or_program(rest, "yarn run")
        }
        Some("dlx") => Err(downloads("yarn dlx")),
        Some("workspace" | "workspaces") => {
            Err(refuse("`yarn workspace` runs in another folder", "another folder", OTHER_FOLDER))
        }
        Some(word) if word.starts_with('-') => {
            Err(refuse(&format!("`yarn {word}` changes where or what is run"), "changes what is run", OTHER_FOLDER))
        }
        _ => script_or_program(rest, "yarn"),
    }
}

/// `bun test` is a runner of its own; `bun x NAME` and `bun run NAME` launch another.
fn bun(rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    match rest.words.get(1).map(String::as_str) {
        Some("x") => {
            rest.take();
            rest.take();
            exec(rest, "bun x", true)?;
        }
        Some("run") => {
            rest.take();
            rest.take();
            script_or_program(rest, "bun run")?;
        }
        _ => return Ok(false),
    }
    named(rest)?;
    Ok(true)
}

/// Where a launcher takes a script's name as well as a program's, only a runner's name says what is run. A script of
/// that name does not matter: the installed runner is called directly.
fn script_or_program(rest: &Rest<'_>, launcher: &str) -> Result<(), Refusal> {
    let is_runner = rest.peek().is_some_and(|word| matches!(word, "vitest" | "jest" | "mocha" | "playwright"));
    if is_runner { Ok(()) } else { Err(hides(launcher, rest)) }
}

/// Where installed runners keep their program.
const PROGRAMS: &[(&str, &str)] = &[
    ("node_modules/vitest/vitest.mjs", "vitest"),
    ("node_modules/vitest/dist/cli.js", "vitest"),
    ("node_modules/jest/bin/jest.js", "jest"),
    ("node_modules/jest-cli/bin/jest.js", "jest"),
    ("node_modules/mocha/bin/mocha.js", "mocha"),
    ("node_modules/mocha/bin/mocha", "mocha"),
    ("node_modules/@playwright/test/cli.js", "playwright"),
    ("node_modules/playwright/cli.js", "playwright"),
];

/// Options of node that take the next word as their value.
const WITH_VALUE: &[&str] =
    &["-r", "--require", "--import", "--loader", "--experimental-loader", "-C", "--conditions", "--max-old-space-size"];

/// `node [options] node_modules/.../program`: the runner behind the path. `node --test` is a runner of its own, and so
/// is everything else that begins with `node`: it is left to the runners.
fn node(rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    let mut at = 1;
    while let Some(word) = rest.words.get(at).filter(|word| word.starts_with('-')) {
        at += if WITH_VALUE.contains(&word.as_str()) { 2 } else { 1 };
    }
    let Some(program) = rest.words.get(at).and_then(|path| installed(path)) else { return Ok(false) };
    for word in &rest.words[1..at] {
        let name = word.split('=').next().unwrap_or(word);
        let is_other_run = name.starts_with("--inspect")
            || name.starts_with("--watch")
            || matches!(
                name,
                "-e" | "--eval"
                    | "-p"
                    | "--print"
                    | "-c"
                    | "--check"
                    | "-i"
                    | "--interactive"
                    | "--test"
                    | "-pe"
                    | "--run"
            );
        if is_other_run {
            return Err(refuse(
                &format!("`node {name}` does not run the tests to their end"),
                "this option is refused",
                "take it out of the command",
            ));
        }
    }
    for _ in 0..=at {
        rest.take();
    }
    rest.resolve(program);
    Ok(true)
}

fn installed(path: &str) -> Option<&'static str> {
    let normal = path.replace('\\', "/");
    let is_at = |place: &str| normal == place || normal.strip_suffix(place).is_some_and(|before| before.ends_with('/'));
    if let Some((_, program)) = PROGRAMS.iter().find(|(place, _)| is_at(place)) {
        return Some(program);
    }
    let name = bare_name(&normal);
    let is_bin = is_at(&format!("node_modules/.bin/{name}"));
    PROGRAMS.iter().find(|(_, program)| is_bin && *program == name).map(|(_, program)| *program)
}
