//! Maven with Surefire and Failsafe, 2.22 and newer. They have no reporter that could be added from outside, and always
//! write their reports below `target`; there they are read.

use super::flags::{self, Refused, blind, empty, endless, opened, report};
use super::junit::{Dialect, JunitReader};
use super::jvm::{self, JvmReader};
use super::{About, Call, HarnessRules, Launch, Readout, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::Failure;
use crate::facts::{Channel, Completeness, ProcessEnd};
use std::ffi::OsString;
use std::path::PathBuf;

/// The runner.
#[derive(Debug)]
pub(super) struct Maven;

/// Long options, of which Maven takes any beginning, and short ones.
const REFUSED: &[Refused] = &[
    blind(&["--fail-never", "-fn"]),
    empty(&["--help", "-h", "--version", "-v", "--encrypt-password", "-ep", "--encrypt-master-password", "-emp"]),
    Refused { names: &["--resume-from", "-rf"], why: "leaves modules out", help: "take it out of the command" },
];

/// Properties with which a run looks green, or tells its results elsewhere.
const PROPERTIES: &[(&str, Refused)] = &[
    ("skipTests", empty(&[])),
    ("maven.test.skip", empty(&[])),
    ("maven.test.skip.exec", empty(&[])),
    ("maven.main.skip", empty(&[])),
    ("surefire.skip", empty(&[])),
    ("maven.test.failure.ignore", blind(&[])),
    ("testFailureIgnore", blind(&[])),
    ("disableXmlReport", report(&[])),
    ("surefire.reportNameSuffix", report(&[])),
    ("surefire.reportsDirectory", report(&[])),
    ("maven.surefire.debug", endless(&[])),
    ("maven.failsafe.debug", endless(&[])),
    ("maven.ext.class.path", opened(&[])),
];

/// Options that take the next word as their value.
const WITH_VALUE: &[&str] = &[
    "-D",
    "--define",
    "-P",
    "--activate-profiles",
    "-f",
    "--file",
    "-s",
    "--settings",
    "-gs",
    "--global-settings",
    "-t",
    "--toolchains",
    "-gt",
    "--global-toolchains",
    "-T",
    "--threads",
    "-pl",
    "--projects",
    "-l",
    "--log-file",
    "-b",
    "--builder",
    "--color",
];

/// Where each plugin leaves its reports, below a module.
const REPORTS: [&str; 2] = ["target/surefire-reports", "target/failsafe-reports"];

/// What an earlier build may have left there. A class without a source would run as a test, and one that is older than
/// it looks in place of its source.
const BUILT: [&str; 7] = [
    "target/classes",
    "target/test-classes",
    "target/generated-sources",
    "target/generated-test-sources",
    "target/maven-status",
    REPORTS[0],
    REPORTS[1],
];

impl Runner for Maven {
    fn name(&self) -> &'static str {
        "maven"
    }

    fn about(&self) -> About {
        About {
            forms: &["mvn test", "mvn verify", "./mvnw test"],
            channel: Channel::ReportFile,
            seen: "skipped, tries that failed before, classes whose set-up failed, processes of the tests that ended early, \
                   sources that do not compile; what an earlier build left below `target` is taken away",
            limits: "results come from report files below `target`, which the code under test could write too",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        matches!(call.program.as_str(), "mvn" | "mvnw").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let program = jvm::find_tool("mvn", &call.launcher, site)?;
        let mut shown = vec![program.display().to_string(), "--batch-mode".to_owned()];
        shown.extend(call.args.iter().cloned());
        let args = std::iter::once("--batch-mode").chain(call.args.iter().map(String::as_str)).map(OsString::from);
        let folders = modules(site).flat_map(|module| REPORTS.map(|folder| module.join(folder))).collect();
        Ok(Launch {
            program,
            args: args.collect(),
            shown,
            env: Vec::new(),
            transport: Transport::ReportFolders(folders),
            version: None,
        })
    }

    fn stale(&self, site: &Site<'_>) -> Vec<PathBuf> {
        modules(site).flat_map(|module| BUILT.map(|folder| module.join(folder))).collect()
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(JvmReader::new(TestReports(Box::new(JunitReader::of(Dialect::Throwing, site))), site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: jvm::harness_files!["pom.xml", "pom.*", ".mvn/**", "mvnw", "mvnw.cmd"],
            manifests: &[],
            followed_keys: &[],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        jvm::is_test_file(path)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let names = ["file", "-f", "settings", "-s", "globalsettings", "-gs", "toolchains", "-t"];
        flags::values(&call.args, &names).into_iter().map(str::to_owned).collect()
    }
}

/// Passes on the reports that hold tests. Failsafe's summary and what `TestNG` writes for itself lie beside them.
struct TestReports(Box<JunitReader>);

impl RecordReader for TestReports {
    fn line(&mut self, connection: usize, line: &[u8]) {
        let text = String::from_utf8_lossy(line.get(..4096).unwrap_or(line));
        let root = text.split('<').skip(1).find(|tag| tag.starts_with(|first: char| first.is_ascii_alphabetic()));
        let name = root.and_then(|tag| tag.split(|it: char| it.is_whitespace() || matches!(it, '>' | '/')).next());
        if !matches!(name, Some("failsafe-summary" | "testng-results" | "suite")) {
            self.0.line(connection, line);
        }
    }

    fn so_far(&self) -> (usize, usize) {
        self.0.so_far()
    }

    fn finish(self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        let mut readout = self.0.finish(transport_fault, end);
        let is_open = matches!(readout.completeness, Completeness::Complete | Completeness::NoReport);
        if let (true, Some(why)) = (is_open && end.exit_status != Some(0), crashed(&end.output)) {
            readout.completeness = Completeness::Incomplete { why };
        }
        readout
    }
}

/// Says which classes a process of Surefire's took with it when it ended early: they have no report. Only Maven's output
/// tells of it, and that can only make a run worse.
fn crashed(output: &str) -> Option<String> {
    let lines = || output.lines().map(|line| line.trim_start_matches("[ERROR]").trim());
    lines().find(|line| {
        line.starts_with("The forked VM terminated without")
            || line.starts_with("There was a timeout or other error in the fork")
    })?;
    let classes: Vec<&str> = lines()
        .skip_while(|line| *line != "Crashed tests:")
        .skip(1)
        .take_while(|line| !line.is_empty() && !line.contains([' ', ':']))
        .take(5)
        .collect();
    let which = if classes.is_empty() { "tests".to_owned() } else { classes.join(", ") };
    Some(format!("the process that ran {which} ended early"))
}

/// Every folder with a `pom.xml`: which of them are modules, Maven alone knows.
fn modules(site: &Site<'_>) -> impl Iterator<Item = PathBuf> {
    jvm::folders_with(site.root, &["pom.xml"]).into_iter()
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    let refuse = |message: String, label: &str, help: &str| {
        Err(Refusal { message, label: label.to_owned(), help: Some(help.to_owned()) })
    };
    for word in args.iter().filter(|word| word.starts_with('-')) {
        let written = word.split('=').next().unwrap_or(word);
        let is_meant = |name: &str| match (written.strip_prefix("--"), name.strip_prefix("--")) {
            (Some(long), Some(name)) => name.starts_with(long),
            _ => written == name,
        };
        if let Some(refused) = REFUSED.iter().find(|refused| refused.names.iter().any(|name| is_meant(name))) {
            return refuse(format!("`{written}` {}", refused.why), "this flag is refused", refused.help);
        }
    }
    for property in properties(args) {
        let (name, value) = property.split_once('=').unwrap_or((property, "true"));
        let known = PROPERTIES.iter().find(|(known, _)| *known == name.trim());
        if let Some((_, refused)) = known.filter(|_| value.trim() != "false") {
            return refuse(format!("`-D{name}` {}", refused.why), "this property is refused", refused.help);
        }
    }
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(&arg.split('=').next().unwrap_or(arg)));
    if has(&["-pl", "--projects"]) && !has(&["-am", "--also-make"]) {
        return refuse(
            "`-pl` without `-am` takes the other modules from where they were installed, not from this repository"
                .to_owned(),
            "other modules are not built",
            "add `-am`",
        );
    }
    let phases = phases(args);
    if let Some(other) = phases.iter().find(|phase| {
        !matches!(
            **phase,
            "clean" | "test" | "integration-test" | "verify" | "package" | "validate" | "compile" | "test-compile"
        )
    }) {
        return refuse(
            format!("`mvn {other}` does more than run tests, or something else"),
            "not a test run",
            "write `mvn test`, or `mvn verify` for integration tests",
        );
    }
    if !phases.iter().any(|phase| matches!(*phase, "test" | "integration-test" | "verify" | "package")) {
        return refuse(
            "the command runs no test".to_owned(),
            "no phase that runs tests",
            "write `mvn test` or `mvn verify`",
        );
    }
    Ok(())
}

/// `-Dname=value`, `-D name=value`, `--define name=value`.
fn properties(args: &[String]) -> impl Iterator<Item = &str> {
    args.iter().enumerate().filter_map(|(at, arg)| match arg.as_str() {
        "-D" | "--define" => args.get(at + 1).map(String::as_str),
        arg => arg.strip_prefix("-D").or_else(|| arg.strip_prefix("--define=")),
    })
}

fn phases(args: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(&word.as_str()) {
            words.next();
        } else if !word.starts_with('-') {
            found.push(word.as_str());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{TestReports, crashed};
    use crate::facts::{Completeness, ProcessEnd};
    use crate::runners::junit::JunitReader;
    use crate::runners::{RecordReader as _, Site, recognise};
    use std::path::Path;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn a_summary_is_no_report_and_half_a_report_is_none() {
        let check = |reports: &[&str], is_complete: bool| {
            let root = Path::new("/repo");
            let site = Site {
                root,
                cwd: root,
                private: root,
                checkout: root,
                build: root,
                this_program: root,
                search_path: None,
            };
            let mut reader = Box::new(TestReports(Box::new(JunitReader::new(&site))));
            for report in reports {
                reader.line(0, report.as_bytes());
            }
            let readout = reader.finish(None, &ProcessEnd::default());
            assert_eq!(readout.completeness == Completeness::Complete, is_complete, "{reports:?}");
        };
        let summary = "<?xml version=\"1.0\"?>\n<!-- x -->\n<failsafe-summary result=\"255\" timeout=\"false\">\
                       <completed>1</completed></failsafe-summary>";
        let report = "<testsuite><testcase name=\"a\" classname=\"t.A\"/></testsuite>";
        check(&[summary, report], true);
        check(&[summary], false);
        check(&[report, "<testsuite><testcase"], false);
        check(&[report, ""], false);
        check(&[report, "<other/>"], false);
    }

    #[test]
    fn a_process_that_ended_early_is_told_with_its_classes() {
        let text = "[ERROR] The forked VM terminated without properly saying goodbye. VM crash or System.exit called?\n\
                    [ERROR] Process Exit Code: 0\n";
        assert_eq!(crashed(text).as_deref(), Some("the process that ran tests ended early"));
        let text =
            format!("{text}[ERROR] Crashed tests:\n[ERROR] t.CTest\n[ERROR] t.DTest\n[ERROR] org.x.Exception: The\n");
        assert_eq!(crashed(&text).as_deref(), Some("the process that ran t.CTest, t.DTest ended early"));
        assert_eq!(crashed("[ERROR] There are test failures.\n[ERROR] Crashed tests:\n[ERROR] t.CTest\n"), None);
    }

    #[test]
    fn test_runs_are_recognised() {
        for text in [
            "mvn test",
            "./mvnw -q verify",
            "mvn -B -o -s settings.xml clean test -Dtest=ATest#adds -T 2 -P ci",
            "mvn -pl core -am test -DskipTests=false",
            "mvn test -DfailIfNoTests=false -Dsurefire.rerunFailingTestsCount=2 --fail-at-end",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "maven", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for text in [
            "mvn",
            "mvn compile",
            "mvn install",
            "mvn test deploy",
            "mvn surefire:test",
            "mvn test -DskipTests",
            "mvn test -DskipTests=true",
            "mvn test -D maven.test.skip=true",
            "mvn verify --define maven.test.failure.ignore",
            "mvn test -fn",
            "mvn test --fail-never",
            "mvn test -pl core",
            "mvn test -rf :core",
            "mvn test -DdisableXmlReport=true",
            "mvn test -Dmaven.surefire.debug",
            "mvn -v",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }
}
