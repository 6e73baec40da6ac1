//! `PHPUnit` 9 and newer. In 9 a printer of ours tells the results over the private channel, see
//! `reporters/phpunit_prepend.php`. Newer ones have no printers any more: their JUnit report is read, from the private
//! folder.

use super::flags::{self, Refused, empty, report, rewrites};
use super::junit::{Dialect, JunitReader};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Installed, Launch, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use crate::facts::Channel;
use std::ffi::{OsStr, OsString};
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The runner.
#[derive(Debug)]
pub(super) struct Phpunit;

const PREPEND: (&str, &str) = ("phpunit_prepend.php", include_str!("reporters/phpunit_prepend.php"));
const PRINTER: (&str, &str) = ("phpunit_printer.php", include_str!("reporters/phpunit_printer.php"));

const REFUSED: &[Refused] = &[
    report(&["log-junit", "log-teamcity", "log-otr", "log-events-text", "log-events-verbose-text", "printer"]),
    report(&["teamcity", "testdox", "testdox-html", "testdox-text", "testdox-xml", "testdox-summary", "no-logging"]),
    empty(&["list-tests", "list-tests-xml", "list-suites", "list-groups", "list-test-files", "list-test-ids"]),
    empty(&["help", "-h", "version", "check-version", "atleast-version", "check-php-configuration"]),
    empty(&["generate-configuration", "migrate-configuration", "warm-coverage-cache", "validate-configuration"]),
    rewrites(&["generate-baseline"]),
    Refused {
        names: &["repeat"],
        why: "runs tests more than once, and of each test one result is expected",
        help: "take it out of the command, and set the test clause's `repeat`",
    },
];

/// Options whose values are files.
const PATHS: &[&str] =
    &["configuration", "-c", "bootstrap", "prepend", "includepath", "extensions", "extension", "usebaseline"];

/// Which of its two ways a `PHPUnit` has for telling results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Generation {
    /// Up to 9: a class that prints.
    Printers,
    /// From 10 on: events, and report files.
    Events,
}

impl Runner for Phpunit {
    fn name(&self) -> &'static str {
        "phpunit"
    }

    fn about(&self) -> About {
        About {
            forms: &["vendor/bin/phpunit", "php vendor/bin/phpunit", "phpunit"],
            channel: Channel::Private,
            seen: "skipped, incomplete (as announced), data sets by name, warnings and errors as failures, risky tests \
                   in a note",
            limits: "tests run in PHPUnit's own process: code written to deceive can add results; from PHPUnit 10 on \
                     results come from a report file",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "phpunit").then(|| flags::check_beginnings(&call.args, REFUSED, "dc"))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        // PHP runs it, so it need not be executable.
        let written = call.launcher.last().filter(|word| word.contains('/'));
        let script = match written {
            Some(path) => Some(site.cwd.join(path)).filter(|script| script.is_file()),
            None => find_program(OsStr::new("phpunit"), site.search_path, site.cwd),
        };
        let script = script.ok_or_else(|| {
            let name = written.map_or("phpunit", String::as_str);
            Failure::new(Kind::RunnerMissing, format!("`{name}` is not there"))
                .next("install the project's dependencies (`composer install`) and check again")
        })?;
        let generation = generation_of(&script)?;
        let php = php_of(&script, site)?;
        let mut args: Vec<OsString> = settings(call).iter().map(OsString::from).collect();
        let mut shown = vec![php.display().to_string()];
        shown.extend(settings(call).iter().cloned());
        let transport = match generation {
            Generation::Printers => {
                for (name, text) in [PREPEND, PRINTER] {
                    write(&site.private.join(name), text)?;
                }
                let mut setting = OsString::from("auto_prepend_file=");
                setting.push(site.private.join(PREPEND.0));
                args.extend(["-d".into(), setting, script.clone().into()]);
                shown.extend(["-d".to_owned(), "auto_prepend_file=<printer>".to_owned(), script.display().to_string()]);
                Transport::Socket
            }
            Generation::Events => {
                let file = site.private.join("phpunit.xml");
                args.extend([script.clone().into(), "--log-junit".into(), file.clone().into()]);
                shown.extend([script.display().to_string(), "--log-junit".to_owned(), "<report>".to_owned()]);
                Transport::ReportFile(file)
            }
        };
        args.extend(call.args.iter().map(OsString::from));
        shown.extend(call.args.iter().cloned());
        Ok(Launch { program: php, args, shown, env: Vec::new(), transport, version: None })
    }

    fn reader(&self, launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        match launch.transport {
            Transport::ReportFile(_) => Box::new(JunitReader::of(Dialect::Throwing, site)),
            _ => Box::new(Reader::new(site)),
        }
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: &[
                "phpunit.xml",
                "phpunit.xml.dist",
                "phpunit.dist.xml",
                "composer.json",
                "tests/bootstrap.php",
                "tests/TestCase.php",
                "vendor/**",
                "php.ini",
                ".php-version",
                ".env.testing",
                ".env.test",
            ],
            manifests: &[],
            followed_keys: &["bootstrap"],
        }
    }

    fn installed(&self) -> Installed {
        Installed { folders: &["vendor"], manifests: &["composer.json", "composer.lock"] }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        name.ends_with("Test.php") || name.rsplit_once('.').is_some_and(|(_, ending)| ending == "phpt")
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        flags::values(&call.args, PATHS).into_iter().map(str::to_owned).collect()
    }
}

/// PHP's own settings that stand in the command: `php -d memory_limit=-1 vendor/bin/phpunit`.
fn settings(call: &Call) -> &[String] {
    match call.launcher.as_slice() {
        [php, settings @ .., _script] if php == "php" => settings,
        _ => &[],
    }
}

/// Tells by the text of `PHPUnit`'s script, or of the one that stands behind Composer's.
fn generation_of(script: &Path) -> Result<Generation, Failure> {
    let text = beginning(script)?;
    let behind = script.canonicalize().unwrap_or_else(|_| script.to_path_buf());
    let behind =
        behind.parent().map(|bin| bin.join("../phpunit/phpunit/phpunit")).filter(|_| text.contains("_composer_"));
    let text = match behind {
        Some(behind) if behind.is_file() => beginning(&behind)?,
        _ => text,
    };
    let unsupported = |what: &str| {
        Err(Failure::new(Kind::RunnerUnsupported, format!("`{}` {what}", script.display()))
            .next("install PHPUnit with Composer, and write `vendor/bin/phpunit`"))
    };
    if text.contains("__HALT_COMPILER") || text.contains("Phar::mapPhar") {
        unsupported("is an archive of PHPUnit, which cannot be observed")
    } else if text.contains("TextUI\\Application") {
        Ok(Generation::Events)
    } else if text.contains("TextUI\\Command::main") {
        Ok(Generation::Printers)
    } else {
        unsupported("is not a PHPUnit that is known")
    }
}

fn beginning(file: &Path) -> Result<String, Failure> {
    let mut bytes = Vec::new();
    std::fs::File::open(file).and_then(|open| open.take(64 << 10).read_to_end(&mut bytes)).map_err(|error| {
        Failure::new(Kind::Io, format!("failed to read `{}`", file.display())).detail("cause", error.to_string())
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn php_of(script: &Path, site: &Site<'_>) -> Result<PathBuf, Failure> {
    let beside = script.parent().map(|folder| folder.join(if cfg!(windows) { "php.exe" } else { "php" }));
    let is_of_system = !script.starts_with(site.root);
    beside
        .filter(|php| is_of_system && php.is_file())
        .or_else(|| find_program(OsStr::new("php"), site.search_path, site.cwd))
        .ok_or_else(|| Failure::new(Kind::RunnerMissing, "`php` was not found in PATH").next("install PHP"))
}

fn write(file: &Path, text: &str) -> Result<(), Failure> {
    std::fs::write(file, text).map_err(|error| {
        Failure::new(Kind::Io, format!("failed to write `{}`", file.display())).detail("cause", error.to_string())
    })
}

#[cfg(test)]
mod tests {
    use super::{Generation, Phpunit, generation_of};
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised() {
        for text in [
            "phpunit",
            "vendor/bin/phpunit --filter testAdds tests",
            "php -d memory_limit=-1 vendor/bin/phpunit -c phpunit.ci.xml --stop-on-failure",
            "phpunit --fail-on-risky --order-by=random --process-isolation -v",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "phpunit", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for flag in [
            "--log-junit x",
            "--log-jun=x",
            "--printer=Evil",
            "--testdox",
            "--testdox-html x",
            "--teamcity",
            "--list-tests",
            "--list-su",
            "--version",
            "-h",
            "-vh",
            "--repeat 3",
            "--generate-baseline b.xml",
            "--no-logging",
        ] {
            assert!(recognise(&words(&format!("vendor/bin/phpunit {flag}"))).is_err(), "{flag}");
        }
    }

    #[test]
    fn the_generation_is_told_by_the_script() {
        let folder = tempfile::tempdir().unwrap();
        let (bin, package) = (folder.path().join("bin"), folder.path().join("phpunit/phpunit"));
        std::fs::create_dir_all(&bin).unwrap();
        std::fs::create_dir_all(&package).unwrap();
        let script = bin.join("phpunit");
        std::fs::write(&script, "<?php $GLOBALS['_composer_autoload_path'] = 1; include '';").unwrap();
        for (text, expected) in [
            ("<?php PHPUnit\\TextUI\\Command::main();", Some(Generation::Printers)),
            ("<?php exit((new PHPUnit\\TextUI\\Application)->run($_SERVER['argv']));", Some(Generation::Events)),
            ("<?php Phar::mapPhar('phpunit.phar'); PHPUnit\\TextUI\\Command::main();", None),
            ("<?php echo 1;", None),
        ] {
            std::fs::write(package.join("phpunit"), text).unwrap();
            assert_eq!(generation_of(&script).ok(), expected, "{text}");
        }
    }

    #[test]
    fn test_files_are_told_by_name() {
        assert!(Phpunit.is_test_file("tests/Unit/ATest.php") && Phpunit.is_test_file("tests/a.phpt"));
        assert!(!Phpunit.is_test_file("tests/TestCase.php") && !Phpunit.is_test_file("src/A.php"));
    }
}
