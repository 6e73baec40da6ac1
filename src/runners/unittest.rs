//! `python -m unittest`: run by our launcher script with a result object of ours. Results come over the private
//! channel; see `reporters/unittest_launcher.py`.

use super::protocol::Reader;
use super::pytest::{is_python_test_file, launch};
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site, python};
use crate::error::Failure;
use crate::facts::Channel;

/// The runner.
#[derive(Debug)]
pub(super) struct Unittest;

const LAUNCHER: &str =
    concat!(include_str!("reporters/python_channel.py"), "\n\n", include_str!("reporters/unittest_launcher.py"));

impl Runner for Unittest {
    fn name(&self) -> &'static str {
        "unittest"
    }

    fn about(&self) -> About {
        About {
            forms: &["python -m unittest", "python -m unittest discover", "uv run python -m unittest"],
            channel: Channel::Private,
            seen: "skips, expected failures and unexpected passes, subtests (a failed one fails its test), classes and \
                   modules whose set-up failed, modules that fail to load",
            limits: "tests run in unittest's own process: code written to deceive can add results",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        if call.program != "unittest" || call.launcher.last().is_none_or(|word| word != "-m") {
            return None;
        }
        let refused = call.args.iter().find(|word| matches!(word.as_str(), "-h" | "--help"));
        Some(refused.map_or(Ok(()), |flag| {
            Err(Refusal {
                message: format!("`{flag}` runs no test"),
                label: "this flag is refused".to_owned(),
                help: Some("take it out of the command".to_owned()),
            })
        }))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let found = python::find(call, site, "unittest")?;
        launch(&found, LAUNCHER, "unittest", call, site)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(Reader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: &["**/__pycache__/**", "**/site-packages/**", "**/.venv/**", "**/venv/**"],
            manifests: &[Manifest { file_name: "pyproject.toml", parts: &["build-system.backend-path"] }],
            followed_keys: &[],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        // The pattern of discovery is `test*.py`.
        is_python_test_file(path) || name.starts_with("test") && name.strip_suffix(".py").is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::Unittest;
    use crate::runners::{Runner as _, launcher};

    #[test]
    fn the_module_is_taken_and_a_program_of_that_name_is_not() {
        let ask = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
            Unittest.recognise(&launcher::take_off(&words).unwrap()).map(|answer| answer.is_ok())
        };
        assert_eq!(ask("python -m unittest discover -s tests"), Some(true));
        assert_eq!(ask("uv run -m unittest"), Some(true));
        assert_eq!(ask("python -m unittest --help"), Some(false));
        assert_eq!(ask("unittest"), None);
        assert_eq!(ask("python -m pytest"), None);
    }
}
