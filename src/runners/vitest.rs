//! vitest, 0.34 to 5 and later.

use super::flags::{self, Refused, blind, empty, endless, opened, report, rewrites};
use super::node::{self, CHANNEL};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site};
use crate::error::{Failure, Kind};
use crate::facts::Channel;
use std::ffi::OsString;

/// vitest.
#[derive(Debug)]
pub(super) struct Vitest;

const REPORTER: (&str, &str) = ("vitest.mjs", include_str!("reporters/vitest.mjs"));

const REFUSED: &[Refused] = &[
    report(&["reporter", "reporters", "outputfile"]),
    empty(&[
        "passwithnotests",
        "shard",
        "changed",
        "mergereports",
        "list",
        "listtests",
        "standalone",
        "clearcache",
        "help",
        "version",
        "-h",
        "-v",
        "norun",
        "related",
    ]),
    rewrites(&["update", "-u"]),
    endless(&["watch", "-w", "ui", "open", "experimentalwatch"]),
    opened(&["inspect", "inspectbrk", "inspector", "api"]),
    blind(&["dangerouslyignoreunhandlederrors"]),
    Refused {
        names: &["allowonly"],
        why: "lets one test silence the others",
        help: "take it out of the command, and name one test with `-t`",
    },
];

/// Flags whose values are paths.
const PATHS: &[&str] = &["config", "-c", "root", "-r", "dir", "workspace", "globalsetup", "diff"];

impl Runner for Vitest {
    fn name(&self) -> &'static str {
        "vitest"
    }

    fn about(&self) -> About {
        About {
            forms: &[
                "npx vitest run",
                "pnpm exec vitest run",
                "yarn vitest run",
                "npm exec -- vitest run",
                "bunx vitest run",
            ],
            channel: Channel::Private,
            seen: "skipped, todo, expected failures, retries, projects, type tests, files that fail to load, unhandled errors",
            limits: "tests run beside the runner's own code: code written to deceive can change what the runner itself says of a test",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "vitest").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        for path in flags::values(&call.args, PATHS) {
            node::stays_inside(path, site)?;
        }
        let package = node::installed("vitest", site)?;
        if package.major_minor() < (0, 34) {
            return Err(Failure::new(
                Kind::RunnerUnsupported,
                format!("vitest {} cannot be observed", package.version),
            )
            .next("use vitest 0.34 or newer at the merge base"));
        }
        let program = package.program("vitest").ok_or_else(|| {
            Failure::new(Kind::RunnerUnsupported, "the installed vitest has no program")
                .next("install the dependencies anew")
        })?;
        let reporter = node::write_reporter(site, &[REPORTER, CHANNEL])?;
        let mut flag = OsString::from("--reporter=");
        flag.push(slashed(reporter.into_os_string()));
        // Right behind the first word: before a `--`, after the sub-command.
        let (first, rest) =
            call.args.split_first().map_or((None, call.args.as_slice()), |(first, rest)| (Some(first), rest));
        let args = first.into_iter().map(OsString::from).chain([flag]).chain(rest.iter().map(OsString::from)).collect();
        node::launch(call, site, &program, args, Some(package.version))
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(Reader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: node::harness_files!["vitest.config.*", "vite.config.*", "vitest.workspace.*", "vitest.projects.*"],
            manifests: &[Manifest { file_name: "package.json", parts: &["vitest"] }],
            followed_keys: &[
                "setupFiles",
                "globalSetup",
                "runner",
                "environment",
                "snapshotEnvironment",
                "snapshotSerializers",
                "provider",
            ],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        node::has_script_ending(name)
            && (name.contains(".test.")
                || name.contains(".spec.")
                || name.contains(".test-d.")
                || name.contains(".spec-d."))
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let own = flags::values(&call.args, PATHS).into_iter().map(str::to_owned);
        own.chain(node::files_of_options(call)).collect()
    }
}

/// vite takes module paths with `/` on every system.
fn slashed(path: OsString) -> OsString {
    if cfg!(windows) { path.to_string_lossy().replace('\\', "/").into() } else { path }
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    let refuse = |message: &str, label: &str, help: &str| {
        Err(Refusal { message: message.to_owned(), label: label.to_owned(), help: Some(help.to_owned()) })
    };
    let is_run = args.first().is_some_and(|first| first == "run");
    let has_flag = args.iter().take_while(|word| *word != "--").any(|word| word == "--run");
    match args.first().map(String::as_str) {
        Some(other @ ("bench" | "list" | "init" | "related" | "watch" | "dev")) => {
            return refuse(
                &format!("`vitest {other}` is not a test run that ends"),
                "not a test run",
                "write `vitest run`",
            );
        }
        _ if !is_run && !has_flag => {
            return refuse(
                "`vitest` without `run` watches files and does not end",
                "would not end",
                "write `vitest run` in front of the other words",
            );
        }
        _ => {}
    }
    flags::check(args, REFUSED)?;
    if let Some(path) = flags::values(args, PATHS).into_iter().find(|path| node::is_absolute(path)) {
        return refuse(
            &format!("`{path}` is not a path inside the repository"),
            "an absolute path",
            "write it relative to the test's folder",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Vitest;
    use crate::runners::{Runner as _, command, recognise};

    #[test]
    fn test_runs_are_recognised_through_every_launcher() {
        for text in [
            "npx vitest run",
            "npx vitest run tests/a.test.ts",
            "yarn vitest run a",
            "pnpm exec vitest run",
            "bunx vitest run",
            "vitest run",
            "npm exec -- vitest run --retry=3",
            "node node_modules/vitest/vitest.mjs run",
            "npx vitest run -t name",
            "npx vitest --run a",
            "npx vitest run --globals --coverage --config vitest.ci.ts --project a --root packages/a --pool=forks --bail=1",
        ] {
            let (runner, call) =
                recognise(&command::words(text).unwrap()).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!((runner.name(), call.program.as_str()), ("vitest", "vitest"), "{text}");
        }
    }

    fn check_refused(text: &str, expected: &str) {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        let refusal = recognise(&words).map(|_| panic!("{text} is not refused")).unwrap_err();
        assert!(refusal.message.contains(expected) && refusal.help.is_some(), "{text}: {refusal:?}");
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        check_refused("npx vitest", "does not end");
        check_refused("npx vitest runx", "does not end");
        check_refused("npx vitest tests/a", "does not end");
        check_refused("npx vitest watch", "not a test run");
        check_refused("npx vitest bench --run", "not a test run");
        check_refused("npx vitest list", "not a test run");
        for flag in [
            "--reporter=dot",
            "--reporter",
            "--reporters=x",
            "--outputFile=x",
            "--outputFile.json=x",
            "--output-file",
            "--passWithNoTests",
            "--pass-with-no-tests",
            "--watch",
            "-w",
            "--update",
            "-u",
            "-tu",
            "--shard=1/2",
            "--changed",
            "--changed=HEAD~1",
            "--mergeReports",
            "--merge-reports=x",
            "--standalone",
            "--inspect",
            "--inspect-brk=0",
            "--api.port=1",
            "--ui",
            "--dangerouslyIgnoreUnhandledErrors",
            "--allowOnly",
            "--clearCache",
            "--help",
            "--version",
            "--no-run",
        ] {
            check_refused(&format!("npx vitest run {flag}"), &flag[..flag.find('=').unwrap_or(flag.len())]);
        }
        check_refused("npx vitest run --config /etc/x.ts", "inside the repository");
        check_refused("npx vitest run --root=C:/x", "inside the repository");
    }

    #[test]
    fn test_files_are_told_by_their_names() {
        for (path, expected) in [
            ("tests/a.test.ts", true),
            ("a.spec.mjs", true),
            ("a.test-d.ts", true),
            ("src/a.ts", false),
            ("a.test.md", false),
            ("__tests__/a.js", false),
            ("x.test.tsx", true),
        ] {
            assert_eq!(Vitest.is_test_file(path), expected, "{path}");
        }
    }
}
