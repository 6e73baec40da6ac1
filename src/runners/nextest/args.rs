//! The arguments of `cargo nextest run`, sorted into what builds the tests and what chooses and runs them.
//! Knows nothing of how they are run.

use crate::runners::{Call, Refusal};

/// The arguments of one command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Args {
    /// `+nightly`.
    pub(crate) toolchain: Option<String>,
    /// Cargo's options, as nextest spells them.
    pub(crate) options: Vec<String>,
    /// The same as cargo spells them.
    pub(crate) of_cargo: Vec<String>,
    /// Options that choose targets.
    pub(crate) targets: Vec<String>,
    /// nextest's own options, and filters.
    pub(crate) own: Vec<String>,
    /// What stands after `--`.
    pub(crate) after: Vec<String>,
    /// The value of `--target`.
    pub(crate) triple: Option<String>,
    /// Configuration files that the command names.
    pub(crate) files: Vec<String>,
}

const TARGETS: &[&str] = &["--lib", "--bins", "--examples", "--tests", "--benches", "--all-targets"];
const TARGETS_WITH_VALUE: &[&str] = &["--bin", "--example", "--test", "--bench"];
const OF_CARGO: &[&str] = &[
    "--workspace",
    "--all",
    "--release",
    "-r",
    "--all-features",
    "--no-default-features",
    "--offline",
    "--locked",
    "--frozen",
    "--ignore-rust-version",
];
const OF_CARGO_WITH_VALUE: &[&str] = &[
    "-p",
    "--package",
    "--exclude",
    "-F",
    "--features",
    "--manifest-path",
    "--target",
    "--cargo-profile",
    "--build-jobs",
];
const OWN: &[&str] =
    &["--ignore-default-filter", "--hide-progress-bar", "--no-pager", "--no-output-indent", "--no-input-handler"];
const OWN_WITH_VALUE: &[&str] = &[
    "-E",
    "--filterset",
    "--filter-expr",
    "-P",
    "--profile",
    "--run-ignored",
    "-j",
    "--test-threads",
    "--platform-filter",
    "--failure-output",
    "--success-output",
    "--status-level",
    "--final-status-level",
    "--show-progress",
    "--color",
    "--config-file",
];
const WITHOUT_EFFECT: &[&str] =
    &["--no-fail-fast", "--nff", "--fail-fast", "--ff", "-v", "--verbose", "--cargo-quiet", "--cargo-verbose"];
const AFTER: &[&str] = &["--exact", "--ignored", "--include-ignored"];

/// Sorts the arguments of a `cargo nextest run` call; `None` when it is another of cargo's commands.
pub(crate) fn sort(call: &Call) -> Option<Result<Args, Refusal>> {
    if !matches!(call.program.as_str(), "cargo" | "cargo-nextest") {
        return None;
    }
    let [nextest, rest @ ..] = call.args.as_slice() else { return None };
    if nextest != "nextest" {
        return None;
    }
    let toolchain = call.launcher.iter().find(|word| word.starts_with('+')).cloned();
    match rest {
        [command, rest @ ..] if command == "run" || command == "r" => {
            Some(sort_words(rest).map(|args| Args { toolchain, ..args }))
        }
        _ => Some(Err(Refusal {
            message: "`cargo nextest` runs tests only with `run`".to_owned(),
            label: "no `run`".to_owned(),
            help: Some("write `cargo nextest run`".to_owned()),
        })),
    }
}

fn sort_words(words: &[String]) -> Result<Args, Refusal> {
    let mut args = Args::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            args.after = after(rest.as_slice())?;
            break;
        }
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let known = |list: &[&str]| list.contains(&flag);
        let mut value = || inline.clone().or_else(|| rest.next().cloned()).ok_or_else(|| no_value(flag));
        if known(WITHOUT_EFFECT) {
        } else if known(TARGETS) {
            args.targets.push(word.clone());
        } else if known(OF_CARGO) {
            args.options.push(word.clone());
            args.of_cargo.push(word.clone());
        } else if known(OWN) {
            args.own.push(word.clone());
        } else if known(TARGETS_WITH_VALUE) {
            args.targets.extend([flag.to_owned(), value()?]);
        } else if known(OF_CARGO_WITH_VALUE) {
            let value = value()?;
            if flag == "--target" {
                args.triple = Some(value.clone());
            }
            args.options.extend([flag.to_owned(), value.clone()]);
            let name = match flag {
                "--cargo-profile" => "--profile",
                "--build-jobs" => "--jobs",
                other => other,
            };
            args.of_cargo.extend([name.to_owned(), value]);
        } else if known(OWN_WITH_VALUE) {
            let value = value()?;
            if flag == "--config-file" {
                args.files.push(value.clone());
            }
            args.own.extend([flag.to_owned(), value]);
        } else if flag == "--retries" || flag == "--no-tests" {
            let value = value()?;
            if !matches!((flag, value.as_str()), ("--retries", "0") | ("--no-tests", "fail")) {
                return Err(refused(flag));
            }
        } else if word.starts_with('-') {
            return Err(refused(flag));
        } else {
            args.own.push(word.clone());
        }
    }
    Ok(args)
}

fn after(words: &[String]) -> Result<Vec<String>, Refusal> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--skip" {
            let value = rest.next().cloned().ok_or_else(|| no_value("--skip"))?;
            kept.extend([word.clone(), value]);
        } else if word.starts_with('-') && !AFTER.contains(&word.as_str()) && !word.starts_with("--skip=") {
            return Err(refused(word));
        } else {
            kept.push(word.clone());
        }
    }
    Ok(kept)
}

fn no_value(flag: &str) -> Refusal {
    Refusal {
        message: format!("`{flag}` has no value"),
        label: "no value".to_owned(),
        help: Some(format!("write `{flag} VALUE`")),
    }
}

fn refused(flag: &str) -> Refusal {
    let why = match flag {
        "--no-run" | "-h" | "--help" | "-V" | "--version" => "runs no test",
        "--no-tests" => "lets a run pass in which there are no tests",
        "--retries" | "--flaky-result" => "lets a test pass that failed first",
        "--partition" | "--max-fail" | "-R" | "--rerun" => "leaves tests out",
        "--message-format" | "--message-format-version" | "--no-capture" | "--nocapture" => {
            "changes where results or outputs go, and the checker sets that itself"
        }
        "--archive-file" | "--binaries-metadata" | "--cargo-metadata" => "runs binaries that were built elsewhere",
        "--target-dir" => "shares build output, and the checker builds each side apart",
        "--config" | "-Z" | "--tool-config-file" | "--user-config-file" => "changes the configuration",
        _ => "is not an option that the checker knows to be harmless",
    };
    Refusal {
        message: format!("`{flag}` {why}"),
        label: "this flag is refused".to_owned(),
        help: Some("take it out of the command".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{Args, sort};
    use crate::runners::launcher;

    fn read(text: &str) -> Result<Args, String> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        sort(&launcher::take_off(&words).unwrap()).expect("it is nextest").map_err(|refusal| refusal.message)
    }

    #[test]
    fn arguments_go_where_nextest_sends_them() {
        let args =
            read("cargo nextest run --offline --cargo-profile ci -P ci -E test(a) --test it name -- --skip b").unwrap();
        assert_eq!(args.options, ["--offline", "--cargo-profile", "ci"]);
        assert_eq!(args.of_cargo, ["--offline", "--profile", "ci"]);
        assert_eq!(args.targets, ["--test", "it"]);
        assert_eq!(args.own, ["-P", "ci", "-E", "test(a)", "name"]);
        assert_eq!(args.after, ["--skip", "b"]);
        let args = read("cargo +nightly nextest r --no-fail-fast --retries 0 --config-file=x.toml").unwrap();
        assert_eq!(
            (args.toolchain.as_deref(), args.own),
            (Some("+nightly"), vec!["--config-file".to_owned(), "x.toml".to_owned()])
        );
        assert_eq!(args.files, ["x.toml"]);
        assert!(read("cargo-nextest nextest run").is_ok());
    }

    #[test]
    fn what_would_not_be_a_believable_run_is_refused() {
        for text in [
            "cargo nextest run --no-run",
            "cargo nextest run --no-tests=pass",
            "cargo nextest run --retries 2",
            "cargo nextest run --partition count:1/2",
            "cargo nextest run --message-format libtest-json",
            "cargo nextest run --archive-file x",
            "cargo nextest run --no-capture",
            "cargo nextest run --config a=b",
            "cargo nextest run --max-fail 1",
            "cargo nextest run -R latest",
            "cargo nextest run -- --nocapture",
            "cargo nextest list",
            "cargo nextest",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let words = ["cargo", "test"].map(str::to_owned);
        assert!(sort(&launcher::take_off(&words).unwrap()).is_none());
    }
}
