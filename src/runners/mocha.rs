//! mocha, 8 to 12.

use super::flags::{self, Refused, blind, empty, endless, opened, report};
use super::node::{self, CHANNEL, IMPORTS};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Launch, Manifest, Readout, RecordReader, Refusal, Runner, Site};
use crate::error::{Failure, Kind};
use crate::facts::{Channel, Completeness, ProcessEnd};
use std::ffi::OsString;

/// mocha.
#[derive(Debug)]
pub(super) struct Mocha;

const LAUNCHER: (&str, &str) = ("mocha-run.cjs", include_str!("reporters/mocha-run.cjs"));
const REPORTER: (&str, &str) = ("mocha.cjs", include_str!("reporters/mocha.cjs"));

const REFUSED: &[Refused] = &[
    report(&["reporter", "-R", "reporteroption", "reporteroptions", "-O"]),
    empty(&["dryrun", "listreporters", "listinterfaces", "help", "-h", "version", "-V"]),
    endless(&["watch", "-w"]),
    opened(&["inspect", "inspectbrk", "inspectwait", "debug", "debugbrk"]),
    blind(&["passonfailingtestsuite"]),
];

/// Flags whose values may be files.
const PATHS: &[&str] = &["config", "package", "require", "-r", "file", "ui", "-u", "opts", "loader", "import"];

impl Runner for Mocha {
    fn name(&self) -> &'static str {
        "mocha"
    }

    fn about(&self) -> About {
        About {
            forms: &["npx mocha", "pnpm exec mocha", "yarn mocha", "npm exec -- mocha"],
            channel: Channel::Private,
            seen: "skipped, announced, retries, failed hooks, tests silenced by `.only`",
            limits: "tests run in the runner's own process, whose code is watched: code written to deceive can change what the runner itself says of a test; \
                     a file that fails to load ends the run",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        matches!(call.program.as_str(), "mocha" | "_mocha").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        for path in flags::values(&call.args, PATHS).into_iter().filter(|path| path.starts_with('.')) {
            node::stays_inside(path, site)?;
        }
        let package = node::installed("mocha", site)?;
        if package.major_minor() < (8, 0) {
            return Err(Failure::new(Kind::RunnerUnsupported, format!("mocha {} cannot be observed", package.version))
                .next("use mocha 8 or newer at the merge base"));
        }
        let program = package.program("mocha").ok_or_else(|| {
            Failure::new(Kind::RunnerUnsupported, "the installed mocha has no program")
                .next("install the dependencies anew")
        })?;
        let launcher = node::write_reporter(site, &[LAUNCHER, REPORTER, CHANNEL, IMPORTS])?;
        let args =
            std::iter::once(program.clone().into_os_string()).chain(call.args.iter().map(OsString::from)).collect();
        let mut launch = node::launch(call, site, &launcher, args, Some(package.version.clone()))?;
        launch.shown = node::shown(call, site, &program, "--reporter=<reporter>");
        launch.env.push(("AGENT_ACCEPTANCE_VERSION".to_owned(), package.version.into()));
        Ok(launch)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(MochaReader(Box::new(Reader::new(site))))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: node::harness_files![".mocharc", ".mocharc.*", "mocha.opts"],
            manifests: &[Manifest { file_name: "package.json", parts: &["mocha"] }],
            followed_keys: &["require", "file", "ui", "loader", "import", "node-option"],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_named = matches!(stem.rsplit('.').next(), Some("test" | "spec"));
        let is_in_folder = path.split('/').rev().skip(1).any(|folder| matches!(folder, "test" | "tests" | "spec"));
        node::has_script_ending(name) && (is_named || is_in_folder)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let own = flags::values(&call.args, PATHS).into_iter().map(str::to_owned);
        own.chain(node::files_of_options(call)).collect()
    }
}

/// What mocha ends with when an error comes after the last test and its hooks: no reporter hears of it any more.
const LATE_ERROR: i32 = 7;

/// Reads what our reporter tells, and how mocha ended.
#[derive(Debug)]
struct MochaReader(Box<Reader>);

impl RecordReader for MochaReader {
    fn line(&mut self, connection: usize, line: &[u8]) {
        self.0.line(connection, line);
    }

    fn so_far(&self) -> (usize, usize) {
        self.0.so_far()
    }

    fn finish(self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        let mut readout = self.0.finish(transport_fault, end);
        let has_bad = !readout.load_errors.is_empty()
            || !readout.unhandled.is_empty()
            || readout.records.iter().any(|record| record.status.is_bad());
        // As many failed tests give the same exit status.
        if end.exit_status == Some(LATE_ERROR) && readout.completeness == Completeness::Complete && !has_bad {
            let message = "an error was thrown after the last test had ended; the output says which";
            readout.unhandled.push(message.to_owned());
        }
        readout
    }
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    let refuse = |message: String, label: &str, help: &str| {
        Err(Refusal { message, label: label.to_owned(), help: Some(help.to_owned()) })
    };
    if let Some(word @ ("init" | "inspect" | "debug")) = args.first().map(String::as_str) {
        return refuse(format!("`mocha {word}` is not a test run that ends"), "not a test run", "write `npx mocha`");
    }
    flags::check(args, REFUSED)?;
    if flags::values(args, &["nodeoption", "-n"])
        .iter()
        .any(|option| option.trim_start_matches('-').starts_with("inspect"))
    {
        return refuse(
            "`--node-option inspect` lets the code under test take the runner over".to_owned(),
            "this flag is refused",
            "take it out of the command",
        );
    }
    if let Some(path) = flags::values(args, PATHS).into_iter().find(|path| node::is_absolute(path)) {
        return refuse(
            format!("`{path}` is not a path inside the repository"),
            "an absolute path",
            "write it relative to the test's folder",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Mocha;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised() {
        for text in [
            "npx mocha",
            "mocha test/a.js",
            "yarn mocha -g name --parallel -j 2 --retries 2 -b",
            "npx mocha -r ./test/setup.js --exit",
            "npx mocha --config .mocharc.ci.json -u bdd --node-option max-old-space-size=100 -c",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "mocha", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for flag in [
            "--reporter=json",
            "-R dot",
            "--reporter-option output=x",
            "--reporter-options=x",
            "-O x",
            "--dry-run",
            "--watch",
            "-w",
            "--inspect",
            "--inspect-brk",
            "inspect",
            "init",
            "--pass-on-failing-test-suite",
            "--list-reporters",
            "--help",
            "-V",
            "-n inspect",
            "--node-option=inspect",
            "--config /etc/x",
        ] {
            assert!(recognise(&words(&format!("npx mocha {flag}"))).is_err(), "{flag}");
        }
    }

    #[test]
    fn test_files_are_told_by_name_and_folder() {
        for (path, expected) in [
            ("test/a.js", true),
            ("src/a.spec.ts", true),
            ("a.test.mjs", true),
            ("src/a.js", false),
            ("test/a.json", false),
        ] {
            assert_eq!(Mocha.is_test_file(path), expected, "{path}");
        }
    }
}
