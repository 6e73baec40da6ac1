//! The arguments of `cargo test`, sorted into what cargo and what the test binaries get.
//! Knows nothing of how they are run.

use super::super::{Call, Refusal};

/// The arguments of one command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Args {
    /// `+nightly`.
    pub(crate) toolchain: Option<String>,
    /// Cargo's own options that choose no target: features, packages, profile, ...
    pub(crate) options: Vec<String>,
    /// Options that choose targets: `--lib`, `--test slug`, `--doc`.
    pub(crate) targets: Vec<String>,
    /// The filter before `--`.
    pub(crate) filter: Option<String>,
    /// What stands after `--`: filters and options of libtest.
    pub(crate) binary: Vec<String>,
    /// The value of `--target`.
    pub(crate) triple: Option<String>,
}

impl Args {
    /// Returns whether only documentation tests are asked for.
    pub(crate) fn is_doc_only(&self) -> bool {
        self.targets.iter().any(|word| word == "--doc")
    }

    /// Returns whether documentation tests are run beside the others.
    pub(crate) fn has_doc(&self) -> bool {
        self.targets.is_empty() || self.is_doc_only()
    }
}

const TARGETS: &[&str] = &["--lib", "--bins", "--examples", "--tests", "--benches", "--all-targets", "--doc"];
const TARGETS_WITH_VALUE: &[&str] = &["--bin", "--example", "--test", "--bench"];
const FLAGS: &[&str] = &[
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
    "-v",
    "-vv",
    "--verbose",
    "-q",
    "--quiet",
];
const WITH_VALUE: &[&str] = &[
    "-p",
    "--package",
    "--exclude",
    "-F",
    "--features",
    "-j",
    "--jobs",
    "--profile",
    "--manifest-path",
    "--color",
    "--lockfile-path",
];
/// Options of libtest that leave each test's own result as it is.
const OF_LIBTEST: &[&str] = &["--exact", "--ignored", "--include-ignored"];
const OF_LIBTEST_WITHOUT_EFFECT: &[&str] =
    &["--nocapture", "--no-capture", "--show-output", "-q", "--quiet", "--report-time"];
const OF_LIBTEST_WITH_VALUE: &[&str] = &["--skip"];
const OF_LIBTEST_WITH_VALUE_WITHOUT_EFFECT: &[&str] = &["--test-threads", "--color"];

/// Sorts the arguments of a `cargo test` call; `None` when it is another of cargo's commands.
pub(crate) fn sort(call: &Call) -> Option<Result<Args, Refusal>> {
    if call.program != "cargo" {
        return None;
    }
    let toolchain = call.launcher.iter().find(|word| word.starts_with('+')).cloned();
    let [command, rest @ ..] = call.args.as_slice() else { return None };
    if command != "test" && command != "t" {
        return None;
    }
    Some(sort_words(rest).map(|args| Args { toolchain, ..args }))
}

fn sort_words(words: &[String]) -> Result<Args, Refusal> {
    let mut args = Args::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        if word == "--" {
            args.binary = of_libtest(rest.as_slice())?;
            break;
        }
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        let known = |list: &[&str]| list.contains(&flag);
        if known(TARGETS) && inline.is_none() {
            args.targets.push(word.clone());
        } else if known(FLAGS) && inline.is_none() {
            args.options.push(word.clone());
        } else if known(TARGETS_WITH_VALUE) || known(WITH_VALUE) || flag == "--target" {
            let value = inline.or_else(|| rest.next().cloned()).ok_or_else(|| no_value(flag))?;
            if flag == "--target" {
                args.triple = Some(value.clone());
            }
            let list = if known(TARGETS_WITH_VALUE) { &mut args.targets } else { &mut args.options };
            list.extend([flag.to_owned(), value]);
        } else if flag == "--no-fail-fast" {
            // It is always set.
        } else if let Some(value) = short_with_value(word) {
            args.options.extend([word[..2].to_owned(), value.to_owned()]);
        } else if word.starts_with('-') {
            return Err(refused(flag));
        } else if args.filter.replace(word.clone()).is_some() {
            return Err(Refusal {
                message: "`cargo test` takes one test name before `--`".to_owned(),
                label: "a second name".to_owned(),
                help: Some("write further names after `--`: `cargo test a -- b`".to_owned()),
            });
        }
    }
    Ok(args)
}

/// `-pNAME`, `-j4`, `-Fa,b`.
fn short_with_value(word: &str) -> Option<&str> {
    let is_one = ["-p", "-j", "-F"].iter().any(|short| word.starts_with(short));
    word.get(2..).filter(|value| is_one && !value.is_empty())
}

fn of_libtest(words: &[String]) -> Result<Vec<String>, Refusal> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let (flag, inline) = match word.split_once('=') {
            Some((flag, value)) if flag.starts_with("--") => (flag, Some(value.to_owned())),
            _ => (word.as_str(), None),
        };
        if OF_LIBTEST.contains(&flag) && inline.is_none() {
            kept.push(word.clone());
        } else if OF_LIBTEST_WITHOUT_EFFECT.contains(&flag) {
        } else if OF_LIBTEST_WITH_VALUE.contains(&flag) || OF_LIBTEST_WITH_VALUE_WITHOUT_EFFECT.contains(&flag) {
            let value = inline.or_else(|| rest.next().cloned()).ok_or_else(|| no_value(flag))?;
            if OF_LIBTEST_WITH_VALUE.contains(&flag) {
                kept.extend([flag.to_owned(), value]);
            }
        } else if word.starts_with('-') {
            return Err(refused(flag));
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
        "--no-run" | "--list" | "-h" | "--help" | "-V" | "--version" => "runs no test",
        "--message-format" | "--format" | "--logfile" => "sets where results go, and the checker sets that itself",
        "--target-dir" => "shares build output, and the checker builds each side apart",
        "--config" | "-Z" | "-C" => "changes cargo's configuration",
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
        sort(&launcher::take_off(&words).unwrap()).expect("it is `cargo test`").map_err(|refusal| refusal.message)
    }

    fn check(text: &str, options: &[&str], targets: &[&str], expected: &[&str]) {
        let args = read(text).unwrap();
        assert_eq!(args.options, options, "{text}");
        assert_eq!(args.targets, targets, "{text}");
        assert_eq!(for_binaries(&args), expected, "{text}");
    }

    /// What cargo gives a test binary.
    fn for_binaries(args: &Args) -> Vec<String> {
        args.binary.iter().chain(&args.filter).cloned().collect()
    }

    #[test]
    fn arguments_go_where_cargo_sends_them() {
        check("cargo test", &[], &[], &[]);
        check("cargo t --offline name", &["--offline"], &[], &["name"]);
        check("cargo test --test slug -p a", &["-p", "a"], &["--test", "slug"], &[]);
        check("cargo test --test=slug -pa --no-fail-fast", &["-p", "a"], &["--test", "slug"], &[]);
        check("cargo test a -- b --exact --skip c", &[], &[], &["b", "--exact", "--skip", "c", "a"]);
        check("cargo test -- --nocapture --test-threads=1 --ignored", &[], &[], &["--ignored"]);
        check("cargo test -- --test-threads 1 --skip=a", &[], &[], &["--skip", "a"]);
        check(
            "cargo test --features a,b --workspace --exclude c",
            &["--features", "a,b", "--workspace", "--exclude", "c"],
            &[],
            &[],
        );
        assert_eq!(read("cargo +nightly test").unwrap().toolchain.as_deref(), Some("+nightly"));
        assert_eq!(read("cargo test --target x").unwrap().triple.as_deref(), Some("x"));
        assert!(read("cargo test --doc").unwrap().is_doc_only());
        assert!(read("cargo test").unwrap().has_doc() && !read("cargo test --lib").unwrap().has_doc());
    }

    #[test]
    fn what_would_not_be_a_believable_run_is_refused() {
        for text in [
            "cargo test --no-run",
            "cargo test --message-format json",
            "cargo test --message-format=json",
            "cargo test --target-dir /tmp/x",
            "cargo test --config a=b",
            "cargo test -Zunstable",
            "cargo test -- --list",
            "cargo test -- --format=json",
            "cargo test -- --logfile x",
            "cargo test -- -Zunstable-options",
            "cargo test a b",
            "cargo test --help",
            "cargo test --timings",
            "cargo test -- --shuffle",
            "cargo test -p",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn other_commands_of_cargo_are_not_taken() {
        for text in ["cargo build", "cargo nextest run", "cargo"] {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            assert!(sort(&launcher::take_off(&words).unwrap()).is_none(), "{text}");
        }
    }
}
