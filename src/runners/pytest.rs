//! pytest 7 to 9: recognised through Python's launchers, run by our launcher script, which passes a plugin object to
//! `pytest.main`. Results come over the private channel; see `reporters/pytest_launcher.py`.

use super::protocol::Reader;
use super::python::{self, Python};
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::{Failure, Kind};
use crate::facts::Channel;
use std::ffi::OsString;
use std::path::Path;

/// The runner.
#[derive(Debug)]
pub struct Pytest;

const LAUNCHER: &str = concat!(
    include_str!("reporters/python_channel.py"),
    "\n\n",
    include_str!("reporters/pytest_plugin.py"),
    "\n\n",
    include_str!("reporters/pytest_launcher.py")
);

/// Judges on its syntax whether a changed `conftest.py` only adds fixtures and plain helpers. Started as `python -I -S -c`
/// with `{"base": TEXT or null, "head": TEXT}` on stdin, it answers `{"harness": false}` or
/// `{"harness": true, "line": 7, "why": "..."}`. It never imports what it reads.
pub const CONFTEST_JUDGE: &str = include_str!("reporters/conftest_judge.py");

/// Flags with which nothing is judged, or something else than the tests is.
const REFUSED: &[(&str, &str)] = &[
    ("--collect-only", "runs no test"),
    ("--co", "runs no test"),
    ("--setup-plan", "runs no test and calls each of them passed"),
    ("--setup-only", "runs no test"),
    ("--fixtures", "runs no test"),
    ("--funcargs", "runs no test"),
    ("--fixtures-per-test", "runs no test"),
    ("--markers", "runs no test"),
    ("--help", "runs no test"),
    ("-h", "runs no test"),
    ("--version", "runs no test"),
    ("-V", "runs no test"),
    ("--cache-show", "runs no test"),
    ("--lf", "depends on an earlier run in the checkout"),
    ("--last-failed", "depends on an earlier run in the checkout"),
    ("--lfnf", "depends on an earlier run in the checkout"),
    ("--last-failed-no-failures", "depends on an earlier run in the checkout"),
    ("--ff", "depends on an earlier run in the checkout"),
    ("--failed-first", "depends on an earlier run in the checkout"),
    ("--nf", "depends on an earlier run in the checkout"),
    ("--new-first", "depends on an earlier run in the checkout"),
    ("--sw", "depends on an earlier run in the checkout"),
    ("--stepwise", "depends on an earlier run in the checkout"),
    ("--sw-skip", "depends on an earlier run in the checkout"),
    ("--stepwise-skip", "depends on an earlier run in the checkout"),
    ("--testmon", "depends on an earlier run in the checkout"),
    ("--picked", "depends on what git says of the checkout"),
    ("--pdb", "waits for somebody at a terminal"),
    ("--trace", "waits for somebody at a terminal"),
    ("--looponfail", "never ends"),
    ("-f", "never ends"),
    ("--junitxml", "sets a report of its own"),
    ("--junit-xml", "sets a report of its own"),
    ("--report-log", "sets a report of its own"),
    ("--json-report", "sets a report of its own"),
    ("--json-report-file", "sets a report of its own"),
    ("--resultlog", "sets a report of its own"),
    ("--snapshot-update", "rewrites what the tests compare with"),
    ("--force-regen", "rewrites what the tests compare with"),
    ("--inline-snapshot", "rewrites what the tests compare with"),
];

/// Options whose value stands in the next word, so that a value is not taken for a flag.
const WITH_VALUE: &[&str] = &[
    "-k",
    "-m",
    "-p",
    "-c",
    "-o",
    "-n",
    "-W",
    "-r",
    "--maxfail",
    "--rootdir",
    "--confcutdir",
    "--deselect",
    "--ignore",
    "--ignore-glob",
    "--tb",
    "--capture",
    "--color",
    "--durations",
    "--durations-min",
    "--basetemp",
    "--dist",
    "--tx",
    "--numprocesses",
    "--maxprocesses",
    "--override-ini",
    "--config-file",
    "--log-level",
    "--log-cli-level",
    "--log-file",
    "--import-mode",
    "--reruns",
    "--reruns-delay",
    "--only-rerun",
    "--timeout",
    "--asyncio-mode",
    "--show-capture",
    "--verbosity",
    "--pythonwarnings",
];

impl Runner for Pytest {
    fn name(&self) -> &'static str {
        "pytest"
    }

    fn about(&self) -> About {
        About {
            forms: &["pytest", "python -m pytest", "poetry run pytest", "uv run pytest", "pipenv run pytest"],
            channel: Channel::Private,
            seen: "skips, expected failures and unexpected passes, errors of set-up and tear-down, reruns, parametrised \
                   cases, modules that fail to load, outcomes that a hook rewrote",
            limits: "tests run in pytest's own process: code written to deceive can add results; with xdist the workers \
                     are not watched for changed pytest code",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        if !matches!(call.program.as_str(), "pytest" | "py.test" | "pytest.__main__") {
            return None;
        }
        Some(refused(&call.args).map_or(Ok(()), Err))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let script = if call.program == "py.test" { "py.test" } else { "pytest" };
        let found = python::find(call, site, script)?;
        launch(&found, LAUNCHER, "pytest", call, site)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(Reader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: HARNESS_FILES,
            manifests: &[
                Manifest {
                    file_name: "pyproject.toml",
                    parts: &[
                        "tool.pytest",
                        "tool.pytest-asyncio",
                        "project.entry-points.pytest11",
                        "tool.poetry.plugins.pytest11",
                        "build-system.backend-path",
                    ],
                },
                Manifest { file_name: "setup.cfg", parts: &["tool:pytest", "options.entry_points"] },
                Manifest { file_name: "tox.ini", parts: &["pytest"] },
            ],
            followed_keys: &["pytest_plugins", "-p"],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        is_python_test_file(path)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let mut named = Vec::new();
        let mut words = call.args.iter().take_while(|word| *word != "--");
        while let Some(word) = words.next() {
            match word.split_once('=') {
                Some(("-c" | "--config-file", file)) => named.push(file.to_owned()),
                None if word == "-c" || word == "--config-file" => named.extend(words.next().cloned()),
                _ => {}
            }
        }
        named
    }
}

/// What decides how pytest runs; the files that any Python obeys are known to the harness lock.
pub(super) const HARNESS_FILES: &[&str] = &[
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "conftest.py",
    "**/__pycache__/**",
    "**/site-packages/**",
    "**/.venv/**",
    "**/venv/**",
];

/// `test_*.py` and `*_test.py`, in any folder.
pub(super) fn is_python_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(".py").is_some_and(|stem| stem.starts_with("test_") || stem.ends_with("_test"))
}

fn refused(args: &[String]) -> Option<Refusal> {
    let mut words = args.iter().take_while(|word| *word != "--");
    while let Some(word) = words.next() {
        let (flag, value) = word.split_once('=').map_or((word.as_str(), None), |(flag, value)| (flag, Some(value)));
        if let Some((flag, why)) = REFUSED.iter().find(|(known, _)| *known == flag) {
            return Some(refusal(flag, why));
        }
        // Short flags may be written together: `-xf`, `-vh`.
        if let Some(cluster) = flag.strip_prefix('-').filter(|rest| !rest.starts_with('-') && value.is_none()) {
            let plain = cluster.split(['k', 'm', 'p', 'c', 'o', 'n', 'W', 'r']).next().unwrap_or_default();
            if let Some(flag) = plain.chars().find(|it| "hfV".contains(*it)) {
                let flag = format!("-{flag}");
                return REFUSED.iter().find(|(known, _)| *known == flag).map(|(known, why)| refusal(known, why));
            }
        }
        let next = if value.is_none() && WITH_VALUE.contains(&flag) { words.next() } else { None };
        let value = value.or(next.map(String::as_str));
        if let ("--dist", Some("each")) = (flag, value) {
            return Some(refusal("--dist=each", "runs every test several times"));
        }
        if matches!(flag, "--tx") {
            return Some(refusal("--tx", "runs the tests somewhere else"));
        }
    }
    None
}

fn refusal(flag: &str, why: &str) -> Refusal {
    Refusal {
        message: format!("`{flag}` {why}"),
        label: why.to_owned(),
        help: Some(format!("leave `{flag}` out; results are read without it")),
    }
}

/// Writes a launcher script into the private folder and says how it is started.
pub(super) fn launch(
    found: &Python,
    launcher: &str,
    runner: &str,
    call: &Call,
    site: &Site<'_>,
) -> Result<Launch, Failure> {
    let file = site.private.join(format!("{runner}_launcher.py"));
    std::fs::write(&file, launcher).map_err(|error| {
        Failure::new(Kind::Io, format!("failed to write `{}`", file.display())).detail("cause", error.to_string())
    })?;
    let (how, script) = match &found.script {
        Some(script) => ("script", script.as_path()),
        None => ("module", Path::new("-")),
    };
    let mut args = found.options.clone();
    args.extend([file.into_os_string(), how.into(), script.into()]);
    args.extend(call.args.iter().map(OsString::from));
    let mut shown = vec![found.interpreter.display().to_string()];
    shown.extend(found.options.iter().map(|option| option.to_string_lossy().into_owned()));
    shown.push(format!("<{runner} launcher>"));
    shown.extend(call.args.iter().cloned());
    Ok(Launch {
        program: found.interpreter.clone(),
        args,
        shown,
        env: Vec::new(),
        transport: Transport::Socket,
        version: found.version_of(runner),
    })
}

#[cfg(test)]
mod tests {
    use super::{Pytest, is_python_test_file};
    use crate::runners::{Runner as _, command, launcher};

    fn recognise(text: &str) -> Result<(), String> {
        let call = launcher::take_off(&command::words(text).unwrap()).unwrap();
        Pytest.recognise(&call).expect("it is pytest's").map_err(|refusal| refusal.message)
    }

    #[test]
    fn flags_with_which_nothing_is_judged_are_refused() {
        for (text, flag) in [
            ("pytest --collect-only", "--collect-only"),
            ("pytest -q --co a", "--co"),
            ("pytest --setup-plan", "--setup-plan"),
            ("python -m pytest --lf", "--lf"),
            ("pytest --last-failed-no-failures=none", "--last-failed-no-failures"),
            ("pytest --junitxml=out.xml", "--junitxml"),
            ("pytest --junit-xml out.xml", "--junit-xml"),
            ("pytest -xf", "-f"),
            ("pytest -vh", "-h"),
            ("pytest --dist each", "--dist=each"),
            ("pytest --dist=each", "--dist=each"),
            ("pytest --tx popen", "--tx"),
        ] {
            let message = recognise(text).unwrap_err();
            assert!(message.contains(&format!("`{flag}`")), "{text}: {message}");
        }
    }

    #[test]
    fn flags_of_honest_commands_are_taken() {
        for text in [
            "pytest",
            "py.test tests",
            "pytest -q -x -n 2 --dist loadfile -k foo -m slow",
            "pytest -k -f",
            "pytest -kfoo -rfE -p no:cacheprovider -W error",
            "pytest --maxfail=2 --reruns 2 --deselect tests/test_a.py::test_f",
            "pytest -- --lf",
            "pytest tests/test_a.py::test_x[1-a]",
        ] {
            assert_eq!(recognise(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_configuration_that_the_command_names_is_harness() {
        for (text, expected) in [
            ("pytest -c ci.ini", vec!["ci.ini"]),
            ("pytest --config-file=ci.ini", vec!["ci.ini"]),
            ("pytest --config-file ci.ini -q", vec!["ci.ini"]),
            ("pytest -q", vec![]),
            ("pytest -- -c x", vec![]),
        ] {
            let call = launcher::take_off(&command::words(text).unwrap()).unwrap();
            assert_eq!(Pytest.named_files(&call), expected, "{text}");
        }
    }

    #[test]
    fn test_files_are_told_by_their_name() {
        for (path, expected) in [
            ("tests/test_a.py", true),
            ("a_test.py", true),
            ("src/testing.py", false),
            ("tests/conftest.py", false),
            ("tests/test_a.txt", false),
        ] {
            assert_eq!(is_python_test_file(path), expected, "{path}");
        }
    }
}
