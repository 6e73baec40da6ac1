//! Playwright Test.

use super::flags::{self, Refused, blind, empty, endless, opened, report, rewrites};
use super::node::{self, CHANNEL, IMPORTS};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site};
use crate::error::{Failure, Kind};
use crate::facts::Channel;
use std::ffi::OsString;

/// Playwright Test.
#[derive(Debug)]
pub(super) struct Playwright;

const REPORTER: (&str, &str) = ("playwright.cjs", include_str!("reporters/playwright.cjs"));

const REFUSED: &[Refused] = &[
    report(&["reporter"]),
    empty(&["list", "passwithnotests", "shard", "onlychanged", "lastfailed", "help", "-h", "version", "-V"]),
    rewrites(&["updatesnapshots", "-u", "updatesourcemethod"]),
    endless(&["ui", "uihost", "uiport", "watch"]),
    opened(&["debug", "inspect"]),
    blind(&["ignoresnapshots"]),
];

/// Flags whose values are paths.
const PATHS: &[&str] = &["config", "-c", "tsconfig", "testlist", "testlistinvert"];

impl Runner for Playwright {
    fn name(&self) -> &'static str {
        "playwright"
    }

    fn about(&self) -> About {
        About {
            forms: &["npx playwright test", "pnpm exec playwright test", "yarn playwright test"],
            channel: Channel::Private,
            seen: "skipped, fixme, expected failures, retries, projects, files that fail to load",
            limits: "tests that `.only` silences are told by a comparison with the merge base alone",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "playwright").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        for path in flags::values(&call.args, PATHS) {
            node::stays_inside(path, site)?;
        }
        let package = match node::find_package("@playwright/test", site) {
            Some(package) => package,
            None => node::installed("playwright", site)?,
        };
        let program = package.program("playwright").ok_or_else(|| {
            Failure::new(Kind::RunnerUnsupported, "the installed Playwright has no program")
                .next("install the dependencies anew")
        })?;
        let reporter = node::write_reporter(site, &[REPORTER, CHANNEL, IMPORTS])?;
        let mut flag = OsString::from("--reporter=");
        flag.push(reporter);
        let rest = call.args.iter().skip(1).map(OsString::from);
        let args = [OsString::from("test"), flag].into_iter().chain(rest).collect();
        node::launch(call, site, &program, args, Some(package.version))
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(Reader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: node::harness_files!["playwright.config.*", "playwright.*.config.*", "playwright-ct.config.*"],
            manifests: &[Manifest { file_name: "package.json", parts: &["playwright"] }],
            followed_keys: &["globalSetup", "globalTeardown", "tsconfig", "snapshotPathTemplate"],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        node::has_script_ending(name) && matches!(stem.rsplit('.').next(), Some("test" | "spec"))
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let own = flags::values(&call.args, PATHS).into_iter().map(str::to_owned);
        own.chain(node::files_of_options(call)).collect()
    }
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    let refuse = |message: String, label: &str, help: &str| {
        Err(Refusal { message, label: label.to_owned(), help: Some(help.to_owned()) })
    };
    if args.first().is_none_or(|first| first != "test") {
        let shown = args.first().map_or_else(|| "playwright".to_owned(), |first| format!("playwright {first}"));
        return refuse(format!("`{shown}` is not a test run"), "not a test run", "write `npx playwright test`");
    }
    flags::check(args, REFUSED)?;
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
    use crate::runners::recognise;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised() {
        for text in [
            "npx playwright test",
            "yarn playwright test a.spec.ts --project=chromium --retries=2 -x",
            "pnpm exec playwright test -g name",
            "node node_modules/@playwright/test/cli.js test -c e2e/playwright.config.ts",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "playwright", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for rest in [
            "",
            "install",
            "codegen",
            "merge-reports",
            "show-report",
            "test --reporter=json",
            "test --list",
            "test --pass-with-no-tests",
            "test --shard=1/2",
            "test --only-changed",
            "test --last-failed",
            "test -u",
            "test --update-snapshots",
            "test --ui",
            "test --ui-port=0",
            "test --debug",
            "test --ignore-snapshots",
            "test -c /etc/x.ts",
            "test --help",
        ] {
            assert!(recognise(&words(&format!("npx playwright {rest}"))).is_err(), "{rest}");
        }
    }
}
