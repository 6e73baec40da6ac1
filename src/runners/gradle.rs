//! Gradle, 4.4 and newer. An initialisation script of ours tells each test's result from within the build's process, in
//! a file in the private folder; see `reporters/gradle_init.gradle`. What is built lies there too.

use super::flags::{Refused, blind, empty, endless};
use super::jvm::{self, JvmReader};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Launch, Readout, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::{Failure, Kind};
use crate::facts::{Channel, ProcessEnd};
use std::ffi::OsString;

/// The runner.
#[derive(Debug)]
pub(super) struct Gradle;

const SCRIPT: (&str, &str) = ("gradle_init.gradle", include_str!("reporters/gradle_init.gradle"));

/// Long options, of which Gradle takes capitals' beginnings too, and short ones.
const REFUSED: &[Refused] = &[
    empty(&["--dry-run", "-m", "--test-dry-run", "--help", "-h", "-?", "--version", "-v", "-V", "--show-version"]),
    empty(&["--status", "--stop", "--gui", "--no-rebuild", "-a"]),
    endless(&["--continuous", "-t", "--debug-jvm"]),
    blind(&["--build-cache", "--configuration-cache"]),
    Refused {
        names: &["--daemon", "--foreground", "--project-cache-dir"],
        why: "is the checker's to say",
        help: "take it out of the command",
    },
];

/// Options that take the next word as their value.
const WITH_VALUE: &[&str] = &[
    "--tests",
    "-x",
    "--exclude-task",
    "-I",
    "--init-script",
    "-b",
    "--build-file",
    "-c",
    "--settings-file",
    "-g",
    "--gradle-user-home",
    "-p",
    "--project-dir",
    "-P",
    "--project-prop",
    "-D",
    "--system-prop",
    "--max-workers",
    "--console",
    "--warning-mode",
    "--include-build",
    "-F",
    "--dependency-verification",
    "--priority",
];

/// What ours are, after the command's own: the last one counts.
const OWN: &[&str] = &[
    "-Dorg.gradle.daemon=false",
    "-Dorg.gradle.caching=false",
    "-Dorg.gradle.configuration-cache=false",
    "-Dorg.gradle.unsafe.configuration-cache=false",
    "-Dorg.gradle.configureondemand=false",
];

impl Runner for Gradle {
    fn name(&self) -> &'static str {
        "gradle"
    }

    fn about(&self) -> About {
        About {
            forms: &["./gradlew test", "gradle test", "./gradlew check"],
            channel: Channel::ReportFile,
            seen: "skipped, tests that were never ended, further tries of the retry plugin, sources that do not compile; \
                   nothing of an earlier build runs",
            limits: "results are written by the build's process, which tests do not share, to a file that they could find; a \
                     test that ends its process with status 0 can take results of its neighbours with it",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        matches!(call.program.as_str(), "gradle" | "gradlew").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let program = jvm::find_tool("gradle", &call.launcher, site)?;
        // Gradle resolves links, and looks beside the script under the name that it has then.
        let private = site.private.canonicalize().unwrap_or_else(|_| site.private.to_path_buf());
        let script = private.join(SCRIPT.0);
        std::fs::write(&script, SCRIPT.1).map_err(|error| {
            Failure::new(Kind::Io, format!("failed to write `{}`", script.display())).detail("cause", error.to_string())
        })?;
        let mut args: Vec<OsString> = call.args.iter().map(OsString::from).collect();
        args.extend(["--init-script".into(), script.into()]);
        args.extend(["--project-cache-dir".into(), private.join("project-cache").into()]);
        args.extend(OWN.iter().map(OsString::from));
        let mut shown = vec![program.display().to_string()];
        shown.extend(call.args.iter().cloned());
        shown.extend(["--init-script", "<reporter>", "--project-cache-dir", "<private>"].map(str::to_owned));
        shown.extend(OWN.iter().map(|&word| word.to_owned()));
        let transport = Transport::ReportFile(private.join("records.jsonl"));
        Ok(Launch { program, args, shown, env: Vec::new(), transport, version: None })
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(JvmReader::new(Lines(Box::new(Reader::new(site))), site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: jvm::harness_files![
                "*.gradle",
                "*.gradle.kts",
                "gradle.properties",
                "gradle/**",
                "gradlew",
                "gradlew.bat",
                "buildSrc/**",
                "build-logic/**",
            ],
            manifests: &[],
            followed_keys: &[],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        jvm::is_test_file(path)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let names = ["initscript", "-I", "buildfile", "-b", "settingsfile", "-c"];
        super::flags::values(&call.args, &names).into_iter().map(str::to_owned).collect()
    }
}

/// The whole file comes as one line.
struct Lines(Box<Reader>);

impl RecordReader for Lines {
    fn line(&mut self, connection: usize, line: &[u8]) {
        for line in line.split(|byte| *byte == b'\n') {
            self.0.line(connection, line);
        }
    }

    fn so_far(&self) -> (usize, usize) {
        self.0.so_far()
    }

    fn finish(self: Box<Self>, transport_fault: Option<&str>, end: &ProcessEnd) -> Readout {
        self.0.finish(transport_fault, end)
    }
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    let refuse = |message: String, label: &str, help: &str| {
        Err(Refusal { message, label: label.to_owned(), help: Some(help.to_owned()) })
    };
    let mut tasks = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let written = word.split('=').next().unwrap_or(word);
        if let Some(refused) = REFUSED.iter().find(|refused| refused.names.contains(&written)) {
            return refuse(format!("`{written}` {}", refused.why), "this flag is refused", refused.help);
        }
        let value = if WITH_VALUE.contains(&word.as_str()) { words.next() } else { None };
        let excluded = match written {
            "-x" | "--exclude-task" => value.map(String::as_str).or_else(|| word.split_once('=').map(|it| it.1)),
            _ => None,
        };
        if let Some(task) = excluded.filter(|task| is_of_tests(task)) {
            return refuse(
                format!("`-x {task}` leaves tests out"),
                "this flag is refused",
                "take it out of the command",
            );
        }
        if !word.starts_with('-') {
            tasks.push(word.as_str());
        }
    }
    let is_known = |task: &&str| is_of_tests(task) || last(task) == "clean";
    if let Some(other) = tasks.iter().find(|task| !is_known(task)) {
        return refuse(
            format!("`gradle {other}` does more than run tests, or something else"),
            "not a test task",
            "name tasks that test: `./gradlew test`, `./gradlew :app:integrationTest`, `./gradlew check`",
        );
    }
    if !tasks.iter().any(|task| is_of_tests(task)) {
        return refuse("the command runs no test".to_owned(), "no task that tests", "write `./gradlew test`");
    }
    Ok(())
}

fn last(task: &str) -> &str {
    task.rsplit(':').next().unwrap_or(task)
}

/// By custom a task that tests says so in its name; `check` and `build` depend on all of them.
fn is_of_tests(task: &str) -> bool {
    let name = last(task);
    matches!(name, "check" | "build") || name.to_ascii_lowercase().contains("test")
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
            "gradle test",
            "./gradlew check --offline -q",
            "./gradlew clean :app:test --tests t.ATest --tests=t.BTest",
            "gradle integrationTest -x lint -Pname=value -D a=b --continue",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "gradle", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for text in [
            "gradle",
            "gradle compileJava",
            "gradle test publish",
            "./gradlew test --dry-run",
            "./gradlew test -m",
            "./gradlew check -x test",
            "./gradlew check --exclude-task=:app:test",
            "./gradlew test --continuous",
            "./gradlew test -t",
            "./gradlew test --build-cache",
            "./gradlew test --daemon",
            "./gradlew test --test-dry-run",
            "./gradlew -v",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }
}
