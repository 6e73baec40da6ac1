//! `ctest`, 3.21 or newer, whose only report is a JUnit file: one process a test, judged by its exit status.

use super::flags::{self, Refused, blind, empty, opened, report};
use super::junit::JunitReader;
use super::{About, Call, HarnessRules, Launch, RecordReader, Refusal, Runner, Site, node, start};
use crate::error::Failure;
use crate::facts::Channel;

/// `ctest`.
#[derive(Debug)]
pub(super) struct Ctest;

const REFUSED: &[Refused] = &[
    report(&["outputjunit", "outputlog", "-O", "testoutputtruncation"]),
    empty(&[
        "showonly",
        "-N",
        "printlabels",
        "listpresets",
        "help",
        "-h",
        "-H",
        "version",
        "rerunfailed",
        "notests",
        "shownolabels",
    ]),
    blind(&["repeat", "repeatuntilfail", "-F", "quiet", "-Q"]),
    opened(&["interactivedebugmode"]),
    Refused {
        names: &[
            "dashboard",
            "-D",
            "testmodel",
            "-M",
            "testaction",
            "-T",
            "script",
            "-S",
            "scriptnewprocess",
            "submitindex",
            "buildandtest",
            "buildtarget",
            "buildrundir",
            "addnotes",
            "-A",
            "extrasubmit",
            "overwrite",
            "resourcespecfile",
            "testcommand",
        ],
        why: "does more than run the tests that are built",
        help: "take it out of the command",
    },
];

impl Runner for Ctest {
    fn name(&self) -> &'static str {
        "ctest"
    }

    fn about(&self) -> About {
        About {
            forms: &["ctest --test-dir build", "ctest --preset ci"],
            channel: Channel::ReportFile,
            seen: "skipped and disabled tests, programs that are not there, crashes, time that is up",
            limits: "what is built in the checkout is tested, not what head would build (`--setup` builds it in a clone); tests that \
                     are declared to fail count as passed; what the tests run could write the report",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "ctest" && call.launcher.is_empty()).then(|| {
            flags::check(&call.args, REFUSED)?;
            node::inside(&call.args, &["testdir"])
        })
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        for path in flags::values(&call.args, &["testdir"]) {
            node::stays_inside(path, site)?;
        }
        let file = site.private.join("report.xml");
        let own = ["--output-junit".to_owned(), file.to_string_lossy().into_owned()];
        start::with_report(call, &own, "--output-junit <report>", file, site)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(JunitReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: &[
                "CTestCustom.cmake",
                "CTestCustom.ctest",
                "CTestConfig.cmake",
                "CTestTestfile.cmake",
                "CMakePresets.json",
                "CMakeUserPresets.json",
                "DartConfiguration.tcl",
            ],
            manifests: &[],
            followed_keys: &[],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path).to_ascii_lowercase();
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let is_source =
            matches!(ending, "c" | "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "cu" | "f90" | "cmake" | "py" | "sh");
        let is_in_folder =
            path.split('/').rev().skip(1).any(|folder| matches!(folder, "test" | "tests" | "Tests" | "unittests"));
        let is_named =
            stem.starts_with("test_") || stem.ends_with("_test") || stem.ends_with("test") || stem.ends_with("tests");
        is_source && (is_in_folder || is_named)
    }
}

#[cfg(test)]
mod tests {
    use super::Ctest;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised_and_what_is_none_is_refused() {
        for text in
            ["ctest", "ctest --test-dir build -R adds -j 2", "ctest -C Debug --output-on-failure -VV", "ctest -E slow"]
        {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "ctest", "{text}");
        }
        for text in [
            "ctest -N",
            "ctest --show-only=json-v1",
            "ctest --output-junit x",
            "ctest --repeat until-pass:3",
            "ctest --no-tests=ignore",
            "ctest --rerun-failed",
            "ctest -S script.cmake",
            "ctest -D Experimental",
            "ctest --build-and-test a b",
            "ctest --test-dir /tmp/build",
            "make test",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn test_files_are_told_by_name_and_folder() {
        for (path, expected) in [
            ("tests/a.c", true),
            ("src/parser_test.cpp", true),
            ("test_a.cc", true),
            ("ParserTest.cpp", true),
            ("src/parser.cpp", false),
            ("tests/data.json", false),
        ] {
            assert_eq!(Ctest.is_test_file(path), expected, "{path}");
        }
    }
}
