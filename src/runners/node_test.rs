//! Node's own test runner: `node --test`, 20 and later.

use super::flags::{self, Refused, empty, endless, opened, report, rewrites};
use super::node::{self, CHANNEL, IMPORTS};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::Failure;
use crate::facts::Channel;
use std::ffi::OsString;

/// `node --test`.
#[derive(Debug)]
pub(super) struct NodeTest;

const REPORTER: (&str, &str) = ("node-test.cjs", include_str!("reporters/node-test.cjs"));

const REFUSED: &[Refused] = &[
    report(&["testreporter", "testreporterdestination"]),
    empty(&[
        "testshard",
        "testrerunfailures",
        "check",
        "-c",
        "help",
        "-h",
        "version",
        "-v",
        "v8options",
        "buildsnapshot",
    ]),
    rewrites(&["testupdatesnapshots"]),
    endless(&["watch", "watchpath", "interactive", "-i"]),
    opened(&["inspect", "inspectbrk", "inspectwait", "inspectport", "debugport"]),
    Refused {
        names: &["testisolation", "experimentaltestisolation", "experimentaldefaulttype"],
        why: "runs the test files in the runner's own process",
        help: "take it out of the command",
    },
    Refused {
        names: &["eval", "-e", "print", "-p", "run"],
        why: "does not run test files",
        help: "take it out of the command",
    },
];

/// Options whose values are files that node loads.
const PATHS: &[&str] = &[
    "import",
    "require",
    "-r",
    "loader",
    "experimentalloader",
    "envfile",
    "envfileifexists",
    "testglobalsetup",
    "experimentalconfigfile",
];

impl Runner for NodeTest {
    fn name(&self) -> &'static str {
        "node --test"
    }

    fn about(&self) -> About {
        About {
            forms: &["node --test", "node --test tests/"],
            channel: Channel::Private,
            seen: "skipped, todo, subtests, failed hooks, files that fail to load or end early",
            limits: "each file's tests share a process with the code that tells their results: code written to deceive can change what the runner itself says of a test; \
                     a file that declares no test is told in a note and not counted",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        matches!(call.program.as_str(), "node" | "nodejs").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        for path in flags::values(&call.args, PATHS).into_iter().filter(|path| path.starts_with('.')) {
            node::stays_inside(path, site)?;
        }
        let program = node::find_node(site)?;
        let reporter = node::write_reporter(site, &[REPORTER, CHANNEL, IMPORTS])?;
        let with = |name: &str| {
            let mut flag = OsString::from(name);
            flag.push(&reporter);
            flag
        };
        let own = [with("--require="), with("--test-reporter="), "--test-reporter-destination=stdout".into()];
        let args = own.into_iter().chain(call.args.iter().map(OsString::from)).collect();
        let shown = ["node", "--test-reporter=<reporter>"]
            .map(str::to_owned)
            .into_iter()
            .chain(call.args.iter().cloned())
            .collect();
        Ok(Launch { program, args, shown, env: Vec::new(), transport: Transport::Socket, version: None })
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(Reader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: node::harness_files!["node.config.json"],
            manifests: &[Manifest { file_name: "package.json", parts: &[] }],
            followed_keys: &[],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let is_script = matches!(ending, "js" | "mjs" | "cjs" | "ts" | "mts" | "cts");
        let is_in_folder = path.split('/').rev().skip(1).any(|folder| folder == "test");
        let is_named = stem == "test"
            || stem.starts_with("test-")
            || [".test", "-test", "_test"].iter().any(|mark| stem.ends_with(mark));
        is_script && (is_in_folder || is_named)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        flags::values(&call.args, PATHS).into_iter().map(str::to_owned).collect()
    }
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    let refuse = |message: &str, label: &str, help: &str| {
        Err(Refusal { message: message.to_owned(), label: label.to_owned(), help: Some(help.to_owned()) })
    };
    let is_option = |word: &&String| word.starts_with('-');
    // An option's value is no script; a script before `--test` gets it as an argument of its own.
    let test = args.iter().position(|word| word == "--test");
    let script = args.iter().enumerate().position(|(at, word)| {
        let follows_option = at > 0 && args.get(at - 1).is_some_and(|before| takes_value(before));
        !is_option(&word) && !follows_option
    });
    if test.is_none_or(|test| script.is_some_and(|script| script < test)) {
        return refuse(
            "`node` runs a script here, and only its exit status would tell something",
            "not a test runner",
            "write `node --test FILE`, or the runner's own command such as `npx vitest run`",
        );
    }
    flags::check(args, REFUSED)?;
    if let Some(path) = args.iter().find(|word| node::is_absolute(word)) {
        return refuse(
            &format!("`{path}` is not a path inside the repository"),
            "an absolute path",
            "write it relative to the test's folder",
        );
    }
    Ok(())
}

fn takes_value(option: &str) -> bool {
    matches!(
        option,
        "-r" | "--require"
            | "--import"
            | "--loader"
            | "--experimental-loader"
            | "-C"
            | "--conditions"
            | "--test-name-pattern"
            | "--test-skip-pattern"
            | "--test-concurrency"
            | "--test-timeout"
            | "--test-global-setup"
            | "--max-old-space-size"
            | "--env-file"
            | "--env-file-if-exists"
    )
}

#[cfg(test)]
mod tests {
    use super::NodeTest;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised() {
        for text in [
            "node --test",
            "node --test tests/",
            "node --import tsx --test tests/a.test.ts",
            "node --test --test-name-pattern=x a.js",
            "node --test-concurrency 1 --test a.js",
            "node --experimental-strip-types --test --test-only a.ts",
            "node -r ./setup.cjs --test",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "node --test", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for text in [
            "node a.test.js",
            "node a.js --test",
            "node",
            "node -e 0 --test",
            "node --test --test-reporter=spec",
            "node --test --test-reporter-destination x",
            "node --test --watch",
            "node --test --inspect",
            "node --test --test-isolation=none",
            "node --test --experimental-test-isolation=none",
            "node --test --test-update-snapshots",
            "node --test --test-shard=1/2",
            "node --test --test-rerun-failures=x",
            "node --test /etc",
            "node --check --test a.js",
            "node --test -p 1",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn test_files_are_told_by_name_and_folder() {
        for (path, expected) in [
            ("test/helper.js", true),
            ("src/test/deep/a.mjs", true),
            ("a.test.js", true),
            ("a-test.cjs", true),
            ("a_test.ts", true),
            ("test-a.js", true),
            ("test.js", true),
            ("tests/a.js", false),
            ("latest.js", false),
            ("test/a.json", false),
        ] {
            assert_eq!(NodeTest.is_test_file(path), expected, "{path}");
        }
    }
}
