//! jest, 27 to 30.

use super::flags::{self, Refused, empty, endless, opened, report, rewrites};
use super::node::{self, CHANNEL};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site};
use crate::error::{Failure, Kind};
use crate::facts::Channel;
use std::ffi::OsString;

/// jest.
#[derive(Debug)]
pub(super) struct Jest;

const LAUNCHER: (&str, &str) = ("jest.cjs", include_str!("reporters/jest.cjs"));

const REFUSED: &[Refused] = &[
    report(&["reporters", "reporter", "json", "outputfile", "testresultsprocessor"]),
    empty(&[
        "passwithnotests",
        "listtests",
        "showconfig",
        "init",
        "clearcache",
        "shard",
        "onlychanged",
        "-o",
        "changedsince",
        "lastcommit",
        "changedfileswithancestor",
        "onlyfailures",
        "-f",
        "findrelatedtests",
        "help",
        "-h",
        "version",
        "-v",
        "filter",
        "testfailureexitcode",
    ]),
    rewrites(&["updatesnapshot", "-u", "noci"]),
    endless(&["watch", "watchall"]),
    opened(&["inspect", "inspectbrk"]),
];

/// Flags whose values are paths; `--config` may hold JSON too.
const PATHS: &[&str] = &[
    "config",
    "-c",
    "rootdir",
    "roots",
    "projects",
    "globalsetup",
    "globalteardown",
    "setupfiles",
    "setupfilesafterenv",
    "testenvironment",
    "env",
    "runner",
    "testrunner",
    "resolver",
    "testsequencer",
    "transform",
    "preset",
    "snapshotserializers",
    "dependencyextractor",
    "modulepaths",
];

impl Runner for Jest {
    fn name(&self) -> &'static str {
        "jest"
    }

    fn about(&self) -> About {
        About {
            forms: &["npx jest", "pnpm exec jest", "yarn jest", "npm exec -- jest", "bunx jest"],
            channel: Channel::Private,
            seen: "skipped, todo, expected failures, retries, projects, files that fail to load",
            limits: "tests may run in the runner's own process: code written to deceive can change what jest itself says of a \
                     test; before jest 30 expected failures are told from the source",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "jest").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        for path in flags::values(&call.args, PATHS).into_iter().filter(|value| !is_json(value)) {
            node::stays_inside(path.trim_start_matches("<rootDir>/"), site)?;
        }
        let package = match node::installed("jest", site) {
            Ok(package) => package,
            Err(failure) => node::find_package("jest-cli", site).ok_or(failure)?,
        };
        if package.major_minor() < (27, 0) {
            return Err(Failure::new(Kind::RunnerUnsupported, format!("jest {} cannot be observed", package.version))
                .next("use jest 27 or newer at the merge base"));
        }
        let program = package.program("jest").ok_or_else(|| {
            Failure::new(Kind::RunnerUnsupported, "the installed jest has no program")
                .next("install the dependencies anew")
        })?;
        let launcher = node::write_reporter(site, &[LAUNCHER, CHANNEL])?;
        let mut args: Vec<OsString> = vec![program.clone().into_os_string(), (&package.version).into()];
        args.extend(call.args.iter().map(OsString::from));
        let mut launch = node::launch(call, site, &launcher, args, Some(package.version))?;
        launch.shown = node::shown(call, site, &program, "--reporters=<reporter>");
        Ok(launch)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(Reader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: node::harness_files![
                "jest.config.*",
                "jest.*.config.*",
                "jest.setup*",
                "jest.*.*",
                "jest-*.*",
                "jest-preset.*"
            ],
            manifests: &[Manifest { file_name: "package.json", parts: &["jest"] }],
            followed_keys: &[
                "setupFiles",
                "setupFilesAfterEnv",
                "globalSetup",
                "globalTeardown",
                "testEnvironment",
                "runner",
                "testRunner",
                "resolver",
                "transform",
                "preset",
                "snapshotSerializers",
                "testSequencer",
                "testResultsProcessor",
                "snapshotResolver",
            ],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let is_in_folder = path.split('/').rev().skip(1).any(|folder| folder == "__tests__");
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_named = matches!(stem.rsplit('.').next(), Some("test" | "spec"));
        node::has_script_ending(name) && (is_in_folder || is_named)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let own = flags::values(&call.args, PATHS).into_iter().filter(|value| !is_json(value)).map(str::to_owned);
        own.chain(node::files_of_options(call)).collect()
    }
}

fn is_json(value: &str) -> bool {
    value.trim_start().starts_with(['{', '['])
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    flags::check(args, REFUSED)?;
    let refuse = |word: &str, message: &str, help: &str| {
        Err(Refusal {
            message: format!("`{word}` {message}"),
            label: "this is refused".to_owned(),
            help: Some(help.to_owned()),
        })
    };
    // `--ci false` lets a new snapshot be written, and then it matches.
    if flags::values(args, &["ci"]).contains(&"false") {
        return refuse("--ci=false", "rewrites what the tests compare with", "take it out of the command");
    }
    if let Some(path) = flags::values(args, PATHS).into_iter().find(|path| node::is_absolute(path)) {
        return refuse(path, "is not a path inside the repository", "write it relative to the test's folder");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Jest;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised_through_every_launcher() {
        for text in [
            "npx jest",
            "jest",
            "yarn jest --ci",
            "pnpm exec jest src/a.test.js",
            "node --experimental-vm-modules node_modules/jest/bin/jest.js",
            "npx jest -t name -i -w 2 --coverage --bail --config jest.ci.config.js",
            "npx jest --config {\"rootDir\":\"x\"}",
            "npx jest --ci=true",
            "npx jest -- --reporters",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "jest", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for flag in [
            "--reporters=x",
            "--json",
            "--outputFile=x",
            "--testResultsProcessor=x",
            "--passWithNoTests",
            "--pass-with-no-tests",
            "--listTests",
            "--showConfig",
            "--shard=1/2",
            "-o",
            "--onlyChanged",
            "--changedSince=main",
            "--lastCommit",
            "-f",
            "--onlyFailures",
            "--findRelatedTests",
            "-u",
            "--updateSnapshot",
            "--watch",
            "--watchAll",
            "--ci=false",
            "--no-ci",
            "--testFailureExitCode=0",
            "--filter=./f.js",
            "-iu",
            "--config=/etc/jest.json",
            "--help",
            "--clearCache",
            "--init",
        ] {
            let refused = recognise(&words(&format!("npx jest {flag}"))).err();
            assert!(refused.is_some_and(|refusal| refusal.help.is_some()), "{flag}");
        }
    }

    #[test]
    fn test_files_are_told_by_name_and_folder() {
        for (path, expected) in [
            ("__tests__/a.js", true),
            ("src/__tests__/deep/a.tsx", true),
            ("a.test.js", true),
            ("a.spec.mts", true),
            ("test.js", true),
            ("a.js", false),
            ("__tests__/a.snap", false),
            ("latest.js", false),
            ("tests/a.js", false),
        ] {
            assert_eq!(Jest.is_test_file(path), expected, "{path}");
        }
    }
}
