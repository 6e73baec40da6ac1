//! Commands that are not taken because the change under test could decide what they run: shells, package scripts, make
//! and its kin, and programs that only pass a command on. Knows nothing of how a command is started.

use crate::runners::Refusal;

/// A command that leads to another program names at most so many launchers in a row.
const MAX_LAUNCHERS: usize = 8;

/// Looks at the program and at every launcher before it.
///
/// # Errors
/// Returns why the command is not taken.
pub(in crate::clauses) fn check(argv: &[String]) -> Result<(), Refusal> {
    let mut words = argv;
    for _ in 0..MAX_LAUNCHERS {
        let Some((first, rest)) = words.split_first() else {
            return Err(refusal("the command names a launcher but no program", "no program", "add the program's name"));
        };
        if let Some(refused) = program(first, rest) {
            return Err(refused);
        }
        match launched(&name_of(first), rest)? {
            Some(next) => words = next,
            None => return Ok(()),
        }
    }
    Err(refusal("the command has too many launchers", "too many launchers", "name the program itself"))
}

/// Looks at one program and its arguments.
fn program(word: &str, rest: &[String]) -> Option<Refusal> {
    let name = name_of(word);
    let name = name.as_str();
    if is_shell(name) {
        let message = format!("`{name}` is a shell, and a shell can run anything");
        return Some(refusal(&message, "a shell", "name the program and its arguments, one entry of the list each"));
    }
    if is_make(name) || script_of(name, rest) {
        let first = rest.iter().find(|word| !word.starts_with('-')).map(|word| format!(" {word}")).unwrap_or_default();
        let message =
            format!("`{name}{first}` runs what a file of the repository says, which the change could rewrite");
        let help = "write the command that stands behind it, such as [\"npx\", \"tsc\", \"--noEmit\"]";
        return Some(refusal(&message, "hides what is run", help));
    }
    if is_environment(name) || is_assignment(word) {
        let message = format!("`{word}` changes the environment, which the checker sets itself");
        let help = "leave it out; the operator passes variables on with `--pass-env NAME`";
        return Some(refusal(&message, "changes the environment", help));
    }
    if is_wrapper(name) {
        let message = format!("`{name}` stands between the checker and the program");
        return Some(refusal(&message, "a wrapper", "name the program itself"));
    }
    if is_own_program(word) {
        let message = format!("`{word}` is a program that the change itself could bring along");
        return Some(refusal(&message, "a path into the repository", "name a program that is installed"));
    }
    None
}

/// Returns the words after a launcher, or `None` when the program is no launcher.
fn launched<'a>(name: &str, rest: &'a [String]) -> Result<Option<&'a [String]>, Refusal> {
    let first = rest.first().map(String::as_str);
    let words = match (name, first) {
        ("npx" | "bunx" | "pnpx" | "uvx", _) => rest,
        ("npm" | "pnpm" | "yarn" | "yarnpkg" | "bundle" | "composer", Some("exec"))
        | ("npm" | "bun", Some("x"))
        | ("pnpm" | "yarn", Some("dlx"))
        | ("uv" | "poetry" | "pipenv", Some("run")) => &rest[1..],
        ("python" | "python3" | "py", Some("-m")) => return module(&rest[1..]),
        _ => return Ok(None),
    };
    let options = words.iter().take_while(|word| word.starts_with('-') && *word != "--").count();
    let is_call =
        |word: &String| matches!(word.as_str(), "-c" | "--call" | "--shell-mode") || word.starts_with("--call=");
    if words[..options].iter().any(is_call) {
        let message = format!("`{name}` starts a shell with this option");
        return Err(refusal(&message, "a shell", "name the program and its arguments, one entry of the list each"));
    }
    let skipped = options + usize::from(words.get(options).is_some_and(|word| word == "--"));
    Ok(Some(&words[skipped..]))
}

/// A Python module runs like the program of its name.
fn module(rest: &[String]) -> Result<Option<&[String]>, Refusal> {
    let Some((name, arguments)) = rest.split_first() else {
        return Err(refusal("`-m` names no module", "no module", "add the module's name"));
    };
    program(name, arguments).map_or(Ok(None), Err)
}

fn refusal(message: &str, label: &str, help: &str) -> Refusal {
    Refusal { message: message.to_owned(), label: label.to_owned(), help: Some(help.to_owned()) }
}

/// Returns the program's name: its last part, in lower case, without what Windows adds.
fn name_of(word: &str) -> String {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word).to_lowercase();
    let ending = [".exe", ".cmd", ".bat", ".ps1", ".com"].into_iter().find(|ending| name.ends_with(ending));
    ending.map_or(name.clone(), |ending| name[..name.len() - ending.len()].to_owned())
}

fn is_shell(name: &str) -> bool {
    let plain = name.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    matches!(
        plain,
        "sh" | "bash"
            | "rbash"
            | "dash"
            | "ash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "pdksh"
            | "yash"
            | "fish"
            | "csh"
            | "tcsh"
            | "nu"
            | "elvish"
            | "xonsh"
            | "osh"
            | "ysh"
            | "busybox"
            | "toybox"
            | "cmd"
            | "command"
            | "powershell"
            | "pwsh"
            | "wsl"
            | "git-bash"
            | "osascript"
            | "wscript"
            | "cscript"
            | "mshta"
            | "eval"
            | "source"
            | "."
            | ""
    )
}

/// Programs whose targets stand in a file of the repository.
fn is_make(name: &str) -> bool {
    matches!(
        name,
        "make"
            | "gmake"
            | "bmake"
            | "nmake"
            | "mingw32-make"
            | "remake"
            | "just"
            | "task"
            | "go-task"
            | "rake"
            | "mage"
            | "tox"
            | "nox"
            | "invoke"
            | "inv"
            | "doit"
            | "poe"
            | "gulp"
            | "grunt"
            | "jake"
            | "cake"
            | "wireit"
            | "turbo"
            | "nx"
            | "lerna"
            | "lage"
            | "moon"
            | "rush"
            | "rushx"
            | "earthly"
            | "mask"
            | "cargo-make"
            | "makers"
            | "npm-run-all"
            | "run-s"
            | "run-p"
            | "nr"
            | "ni"
            | "concurrently"
            | "foreman"
            | "honcho"
            | "pre-commit"
            | "lefthook"
            | "husky"
            | "act"
    )
}

/// Package managers asked for a script of the repository.
fn script_of(name: &str, rest: &[String]) -> bool {
    let mut words = rest.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let first = words.next().unwrap_or_default();
    let is_first = rest.first().is_some_and(|word| word == first);
    match name {
        "npm" => !(is_first && matches!(first, "exec" | "x" | "audit" | "ls" | "outdated")),
        "pnpm" => !(is_first && matches!(first, "exec" | "dlx" | "audit" | "ls" | "outdated")),
        "yarn" | "yarnpkg" => !(is_first && matches!(first, "exec" | "dlx" | "audit" | "npm")),
        "bun" => matches!(first, "run" | "" | "install" | "i") || !is_first,
        "node" => rest.iter().any(|word| word == "--run" || word.starts_with("--run=")),
        "deno" => first == "task",
        "cargo" => matches!(first, "make" | "xtask"),
        "composer" => first != "exec" && first != "validate" && first != "audit",
        "hatch" | "pdm" | "rye" | "pixi" | "mise" | "asdf" | "rtx" | "devbox" | "direnv" => true,
        _ => false,
    }
}

fn is_environment(name: &str) -> bool {
    matches!(
        name,
        "env"
            | "cross-env"
            | "cross-env-shell"
            | "dotenv"
            | "dotenvx"
            | "env-cmd"
            | "export"
            | "set"
            | "op"
            | "doppler"
    )
}

/// Programs that only pass a command on.
fn is_wrapper(name: &str) -> bool {
    matches!(
        name,
        "sudo"
            | "doas"
            | "su"
            | "runuser"
            | "time"
            | "timeout"
            | "gtimeout"
            | "nice"
            | "ionice"
            | "nohup"
            | "exec"
            | "xargs"
            | "parallel"
            | "find"
            | "setsid"
            | "stdbuf"
            | "unbuffer"
            | "script"
            | "watch"
            | "watchexec"
            | "entr"
            | "strace"
            | "ltrace"
            | "gdb"
            | "docker"
            | "docker-compose"
            | "podman"
            | "nerdctl"
            | "kubectl"
            | "ssh"
            | "chroot"
            | "unshare"
            | "nsenter"
            | "bwrap"
            | "firejail"
            | "systemd-run"
            | "xvfb-run"
            | "flock"
            | "chrt"
            | "taskset"
            | "start"
            | "forfiles"
            | "nix"
            | "nix-shell"
            | "tmux"
            | "screen"
            | "at"
    )
}

/// `NAME=value` in front of a command.
fn is_assignment(word: &str) -> bool {
    let Some((name, _)) = word.split_once('=') else { return false };
    !name.is_empty() && name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_')
}

/// A program by its path inside the repository, other than where package managers install programs.
fn is_own_program(word: &str) -> bool {
    let path = word.replace('\\', "/");
    let is_absolute = path.starts_with('/') || path.get(1..3) == Some(":/");
    let Some((folder, name)) = path.rsplit_once('/') else { return false };
    if is_absolute {
        return false;
    }
    let folder = folder.trim_start_matches("./");
    let is_installed = ["node_modules/.bin", "vendor/bin", ".venv/bin", "venv/bin", ".venv/Scripts", "venv/Scripts"]
        .iter()
        .any(|place| folder == *place || folder.ends_with(&format!("/{place}")));
    let is_build_wrapper = matches!(name, "gradlew" | "mvnw" | "gradlew.bat" | "mvnw.cmd");
    let leads_out = folder.split('/').any(|part| part == "..");
    leads_out || !(is_installed || is_build_wrapper)
}

#[cfg(test)]
mod tests {
    use super::check;

    fn refused(command: &str) -> Option<String> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        check(&words).err().map(|refusal| refusal.label)
    }

    #[test]
    fn programs_that_are_installed_are_taken() {
        for command in [
            "npx tsc --noEmit",
            "npx -- eslint .",
            "npx --no-install tsc",
            "npm exec -- tsc",
            "npm audit",
            "pnpm exec tsc",
            "yarn exec tsc",
            "bunx tsc",
            "node_modules/.bin/tsc --noEmit",
            "./node_modules/.bin/tsc",
            "node scripts/check.mjs",
            "cargo clippy --all-targets -- -D warnings",
            "cargo +nightly fmt --check",
            "go vet ./...",
            "python -m mypy src",
            "poetry run ruff check",
            "uv run mypy",
            ".venv/bin/ruff check",
            "ruff check .",
            "mvn -q compile",
            "./gradlew build",
            "cmake --build build",
            "/usr/bin/git diff --check",
            "deno check main.ts",
        ] {
            assert_eq!(refused(command), None, "{command}");
        }
    }

    #[test]
    fn what_the_change_could_decide_is_refused_with_the_reason() {
        for (command, label) in [
            ("sh -c x", "a shell"),
            ("/bin/bash x.sh", "a shell"),
            ("BASH.EXE -c x", "a shell"),
            ("cmd /c x", "a shell"),
            ("powershell -c x", "a shell"),
            ("pwsh.exe -File x", "a shell"),
            ("busybox sh", "a shell"),
            ("ksh93 x", "a shell"),
            ("npx sh -c x", "a shell"),
            ("npx -c x", "a shell"),
            ("npm exec --call=x", "a shell"),
            ("poetry run bash x", "a shell"),
            ("npm run build", "hides what is run"),
            ("npm test", "hides what is run"),
            ("npm --silent run build", "hides what is run"),
            ("npm ci", "hides what is run"),
            ("yarn build", "hides what is run"),
            ("yarn run build", "hides what is run"),
            ("pnpm build", "hides what is run"),
            ("pnpm run build", "hides what is run"),
            ("pnpm -r build", "hides what is run"),
            ("bun run build", "hides what is run"),
            ("node --run build", "hides what is run"),
            ("deno task build", "hides what is run"),
            ("make", "hides what is run"),
            ("make build", "hides what is run"),
            ("just build", "hides what is run"),
            ("task build", "hides what is run"),
            ("cargo make build", "hides what is run"),
            ("cargo xtask ci", "hides what is run"),
            ("python -m tox", "hides what is run"),
            ("npx turbo build", "hides what is run"),
            ("uv run make", "hides what is run"),
            ("env A=1 tsc", "changes the environment"),
            ("A=1 tsc", "changes the environment"),
            ("npx cross-env A=1 tsc", "changes the environment"),
            ("timeout 5 make", "a wrapper"),
            ("docker run x", "a wrapper"),
            ("./check.sh", "a path into the repository"),
            ("scripts/check", "a path into the repository"),
            ("../x/node_modules/.bin/tsc", "a path into the repository"),
            ("npx", "no program"),
            ("npx npx npx npx npx npx npx npx npx tsc", "too many launchers"),
        ] {
            assert_eq!(refused(command).as_deref(), Some(label), "{command}");
        }
    }
}
