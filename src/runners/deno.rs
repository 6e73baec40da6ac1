//! `deno test`, whose only report is a JUnit file.

use super::flags::{self, Refused, empty, endless, opened, report};
use super::junit::{Dialect, JunitReader};
use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site, node, start};
use crate::error::Failure;
use crate::facts::Channel;

/// `deno test`.
#[derive(Debug)]
pub(super) struct Deno;

const REFUSED: &[Refused] = &[
    report(&["junitpath", "reporter"]),
    empty(&["norun", "permitnofiles", "help", "-h", "version", "-V"]),
    endless(&["watch", "watchexclude", "watchhmr"]),
    opened(&["inspect", "inspectbrk", "inspectwait", "inspectpublishuid"]),
];

/// Flags whose values are files that deno loads.
const PATHS: &[&str] = &["config", "-c", "importmap", "preload", "import", "require", "envfile", "lock", "cert"];

impl Runner for Deno {
    fn name(&self) -> &'static str {
        "deno test"
    }

    fn about(&self) -> About {
        About {
            forms: &["deno test", "npx deno test"],
            channel: Channel::ReportFile,
            seen: "ignored tests, steps, a test that ends the process, a run that is cut short",
            limits: "which file did not load is said in the output alone; tests that are allowed to write files could write the \
                     report",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "deno").then(|| {
            if call.args.first().is_none_or(|word| word != "test") {
                return Err(Refusal {
                    message: "`deno` runs tests only as `deno test`".to_owned(),
                    label: "not a test run".to_owned(),
                    help: Some("write `deno test` with the permissions that the tests need".to_owned()),
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
        let own = [format!("--junit-path={}", file.display())];
        start::with_report(call, &own, "--junit-path=<report>", file, site)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(JunitReader::of(Dialect::Deno, site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: node::harness_files!["deno.json", "deno.jsonc", "import_map.json", "importmap.json"],
            manifests: &[Manifest { file_name: "package.json", parts: &["deno"] }],
            followed_keys: &["importMap"],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let is_in_folder = path.split('/').rev().skip(1).any(|folder| folder == "__tests__");
        let is_named = stem == "test" || ["_test", ".test"].iter().any(|mark| stem.ends_with(mark));
        node::has_script_ending(name) && (is_named || is_in_folder)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        flags::values(&call.args, PATHS).into_iter().map(str::to_owned).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Deno;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised_and_what_is_none_is_refused() {
        for text in ["deno test", "deno test -A --filter adds src/", "npx deno test", "deno test -c deno.ci.json"] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "deno test", "{text}");
        }
        for text in [
            "deno",
            "deno task test",
            "deno run a.ts",
            "deno test --no-run",
            "deno test --permit-no-files",
            "deno test --junit-path=x",
            "deno test --reporter tap",
            "deno test --watch",
            "deno test --inspect-brk",
            "deno test /etc",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn test_files_are_told_by_name_and_folder() {
        for (path, expected) in [
            ("a_test.ts", true),
            ("a.test.mjs", true),
            ("src/test.ts", true),
            ("__tests__/deep/a.js", true),
            ("latest.ts", false),
            ("a_test.json", false),
        ] {
            assert_eq!(Deno.is_test_file(path), expected, "{path}");
        }
    }
}
