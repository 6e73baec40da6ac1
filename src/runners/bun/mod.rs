//! `bun test`, whose only report is a JUnit file.

mod reader;

use super::flags::{self, Refused, blind, empty, endless, opened, report, rewrites};
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site, node, start};
use crate::error::Failure;
use crate::facts::Channel;
use reader::BunReader;

/// `bun test`.
#[derive(Debug)]
pub(super) struct Bun;

const REFUSED: &[Refused] = &[
    report(&["reporter", "reporteroutfile", "dots", "onlyfailures"]),
    empty(&["passwithnotests", "shard", "changed", "ifpresent", "help", "-h", "version", "-v", "revision"]),
    rewrites(&["updatesnapshots", "-u"]),
    endless(&["watch", "hot"]),
    opened(&["inspect", "inspectwait", "inspectbrk"]),
    blind(&["retry", "reruneach"]),
    Refused {
        names: &["cwd"],
        why: "runs in another folder",
        help: "say the folder in `cwd`, and take it out of the command",
    },
    Refused {
        names: &["eval", "-e", "print", "-p", "filter", "-F", "workspaces"],
        why: "does not run the tests of this folder",
        help: "take it out of the command",
    },
];

/// Flags whose values are files that bun loads.
const PATHS: &[&str] = &["config", "-c", "preload", "-r", "require", "import", "envfile", "tsconfigoverride"];

impl Runner for Bun {
    fn name(&self) -> &'static str {
        "bun test"
    }

    fn about(&self) -> About {
        About {
            forms: &["bun test", "npx bun test"],
            channel: Channel::ReportFile,
            seen: "skipped, todo, expected failures, retries, failed hooks, files that fail to load, a run that is cut short",
            limits: "expected failures are told from the source, retries and the files that fail to load from the output; what \
                     the tests run could write the report",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "bun").then(|| {
            if call.args.first().is_none_or(|word| word != "test") {
                return Err(Refusal {
                    message: "`bun` runs tests only as `bun test`".to_owned(),
                    label: "not a test run".to_owned(),
                    help: Some("write `bun test`, or the runner itself, such as `bun x vitest run`".to_owned()),
                });
            }
            flags::check(&call.args, REFUSED)?;
            node::inside(&call.args, PATHS)
        })
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        for path in flags::values(&call.args, PATHS).into_iter().filter(|path| path.starts_with('.')) {
            node::stays_inside(path, site)?;
        }
        let file = site.private.join("report.xml");
        let own = ["--reporter=junit".to_owned(), format!("--reporter-outfile={}", file.display())];
        start::with_report(call, &own, "--reporter=junit", file, site)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(BunReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: node::harness_files![],
            manifests: &[Manifest { file_name: "package.json", parts: &["bun", "trustedDependencies", "catalog"] }],
            followed_keys: &["preload"],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        node::has_script_ending(name) && [".test", "_test", ".spec", "_spec"].iter().any(|mark| stem.ends_with(mark))
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        flags::values(&call.args, PATHS).into_iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Bun;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised_and_what_is_none_is_refused() {
        for text in ["bun test", "bun test -t adds ./src", "npx bun test", "bun test --preload ./setup.ts --bail=1"] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "bun test", "{text}");
        }
        for text in [
            "bun",
            "bun build",
            "bun run test",
            "bun test --reporter=dots",
            "bun test --reporter-outfile x",
            "bun test --pass-with-no-tests",
            "bun test -u",
            "bun test --watch",
            "bun test --inspect-brk",
            "bun test --retry 3",
            "bun test --rerun-each=2",
            "bun test --cwd x",
            "bun test /etc",
            "bun test --preload=/tmp/x.ts",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn test_files_are_told_by_name() {
        for (path, expected) in [
            ("a.test.ts", true),
            ("src/a_test.jsx", true),
            ("a.spec.mjs", true),
            ("a_spec.ts", true),
            ("test/a.ts", false),
            ("a.test.json", false),
        ] {
            assert_eq!(Bun.is_test_file(path), expected, "{path}");
        }
    }
}
