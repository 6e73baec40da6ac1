//! Runners of Ruby, PHP and Java in whole checks: honest work passes in every mode, a claim does not, and what
//! bends a run is named.

use super::change::{Change, Files};
use crate::suite::support::{missing, on_path};
use serde_json::json;

/// A project with two tests at the merge base, and a change that adds a third with the code that it needs.
struct Project {
    command: &'static str,
    base: Files<'static>,
    /// The changed code, then the changed tests.
    honest: Files<'static>,
    /// A file that decides how the tests run.
    harness: (&'static str, &'static str),
    /// What is installed and git ignores.
    ignored: Files<'static>,
    /// The names of a new test, and of one that the merge base has.
    new: &'static str,
    old: &'static str,
}

impl Project {
    fn change(&self, head: Files<'_>) -> Change {
        let change = Change::new(self.base, head);
        for (path, text) in self.ignored {
            change.repo.write(path, text);
        }
        change
    }

    #[track_caller]
    fn holds_in_every_mode(&self, modes: &[&[&str]]) {
        let counted = json!({"tests": [{"command": self.command, "passed": 3}]});
        let proven = json!({"tests": [{"command": self.command, "fail_to_pass": [self.new], "pass_to_pass": true}]});
        let unproven = json!({"tests": [{"command": self.command, "fail_to_pass": [self.old]}]});
        for flags in modes {
            let honest = self.change(self.honest);
            honest.ends(&counted, flags, "passed", &[]);
            honest.ends(&proven, flags, "passed", &[]);
            honest.ends(&unproven, flags, "failed", &["tests"]);
            let claimed = self.change(&self.honest[1..]);
            claimed.ends(&counted, flags, "failed", &["tests"]);
            let bent = self.change(&[self.honest, &[self.harness]].concat());
            let verdict = bent.ends(&counted, flags, "failed", &["tests"]);
            let found = verdict["checks"][0]["evidence"]["harness"].to_string();
            assert!(found.contains(self.harness.0), "{found}");
        }
        let deleted = self.change(&[(self.honest[1].0, "")]);
        deleted.ends(&json!({"tests": [{"command": self.command, "passed": 2}]}), &[], "failed", &["tests"]);
    }
}

impl Project {
    /// The same for build tools that take seconds to start.
    #[track_caller]
    fn holds(&self) {
        let counted = json!({"tests": [{"command": self.command, "passed": 3}]});
        let proven = json!({"tests": [{"command": self.command, "fail_to_pass": [self.new], "pass_to_pass": true}]});
        self.change(self.honest).ends(&proven, &[], "passed", &[]);
        self.change(&self.honest[1..]).ends(&counted, &["--strict"], "failed", &["tests"]);
        let bent = self.change(&[self.honest, &[self.harness]].concat());
        let verdict = bent.ends(&counted, &[], "failed", &["tests"]);
        let evidence = &verdict["checks"][0]["evidence"];
        assert!(evidence["harness"].to_string().contains(self.harness.0), "{evidence:#}");
        assert_eq!(evidence["counts"]["passed"], 3, "{evidence:#}");
    }
}

const EVERY_MODE: &[&[&str]] = &[&[], &["--isolate"], &["--strict"]];

#[test]
fn rspec() {
    if on_path("rspec").is_none() {
        return missing("rspec");
    }
    let project = Project {
        command: "rspec",
        base: &[
            ("lib/slug.rb", "def slug(text) = text.downcase.gsub(' ', '-')\n"),
            (
                "spec/slug_spec.rb",
                "require 'slug'\nRSpec.describe 'slug' do\n  it('lowers') { expect(slug('A')).to eq 'a' }\n  \
                 it('joins') { expect(slug('a b')).to eq 'a-b' }\nend\n",
            ),
        ],
        honest: &[
            ("lib/slug.rb", "def slug(text) = text.downcase.gsub(/ +/, '-')\n"),
            (
                "spec/slug_spec.rb",
                "require 'slug'\nRSpec.describe 'slug' do\n  it('lowers') { expect(slug('A')).to eq 'a' }\n  \
                 it('joins') { expect(slug('a b')).to eq 'a-b' }\n  \
                 it('joins runs') { expect(slug('a  b')).to eq 'a-b' }\nend\n",
            ),
        ],
        harness: (".rspec", "--tag ~slow\n"),
        ignored: &[],
        new: "joins runs",
        old: "joins",
    };
    project.holds_in_every_mode(EVERY_MODE);
}

/// What Composer installs for `PHPUnit` 10, as far as the checker looks at it; Debian's 9 does the work.
const NEWER: &str = "<?php // PHPUnit\\TextUI\\Application\n\
    define('PHPUNIT_COMPOSER_INSTALL', 'PHPUnit/Autoload.php');\n\
    require PHPUNIT_COMPOSER_INSTALL;\nPHPUnit\\TextUI\\Command::main();\n";

#[test]
fn phpunit() {
    phpunit_called("phpunit", EVERY_MODE);
}

#[test]
fn phpunit_without_printers() {
    phpunit_called("php -d memory_limit=-1 vendor/bin/phpunit", &[&[], &["--isolate"]]);
}

fn phpunit_called(command: &'static str, modes: &[&[&str]]) {
    if on_path("phpunit").is_none() {
        return missing("phpunit");
    }
    let project = Project {
        command,
        base: &[
            (
                "phpunit.xml",
                "<phpunit bootstrap=\"boot.php\" cacheResult=\"false\"><testsuites><testsuite name=\"all\"><directory>tests</directory></testsuite></testsuites></phpunit>\n",
            ),
            ("boot.php", "<?php require __DIR__ . '/vendor/autoload.php';\n"),
            (".gitignore", "/vendor/\n"),
            ("src/slug.php", "<?php function slug($text) { return str_replace(' ', '-', strtolower($text)); }\n"),
            (
                "tests/SlugTest.php",
                "<?php final class SlugTest extends PHPUnit\\Framework\\TestCase {\n\
                 function testLowers() { $this->assertSame('a', slug('A')); }\n\
                 function testJoins() { $this->assertSame('a-b', slug('a b')); }\n}\n",
            ),
        ],
        honest: &[
            ("src/slug.php", "<?php function slug($text) { return preg_replace('/ +/', '-', strtolower($text)); }\n"),
            (
                "tests/SlugTest.php",
                "<?php final class SlugTest extends PHPUnit\\Framework\\TestCase {\n\
                 function testLowers() { $this->assertSame('a', slug('A')); }\n\
                 function testJoins() { $this->assertSame('a-b', slug('a b')); }\n\
                 function testJoinsRuns() { $this->assertSame('a-b', slug('a  b')); }\n}\n",
            ),
        ],
        // It is named by the configuration.
        harness: ("boot.php", "<?php require __DIR__ . '/vendor/autoload.php'; exit(0);\n"),
        // What Composer would install, and git ignores.
        ignored: &[
            ("vendor/autoload.php", "<?php require __DIR__ . '/../src/slug.php';\n"),
            ("vendor/bin/phpunit", NEWER),
        ],
        new: "testJoinsRuns",
        old: "testJoins",
    };
    project.holds_in_every_mode(modes);
}

const SLUG_JAVA: &str = "package t;\npublic class Slug {\n    public static String slug(String text) { \
    return text.toLowerCase().replace(\" \", \"-\"); }\n}\n";

const SLUG_JAVA_AFTER: &str = "package t;\npublic class Slug {\n    public static String slug(String text) { \
    return text.toLowerCase().replaceAll(\" +\", \"-\"); }\n}\n";

const SLUG_TEST_JAVA: &str = "package t;\nimport static org.junit.Assert.assertEquals;\nimport org.junit.Test;\n\
    public class SlugTest {\n    @Test public void lowers() { assertEquals(\"a\", Slug.slug(\"A\")); }\n    \
    @Test public void joins() { assertEquals(\"a-b\", Slug.slug(\"a b\")); }\n}\n";

const SLUG_TEST_JAVA_AFTER: &str = "package t;\nimport static org.junit.Assert.assertEquals;\nimport org.junit.Test;\n\
    public class SlugTest {\n    @Test public void lowers() { assertEquals(\"a\", Slug.slug(\"A\")); }\n    \
    @Test public void joins() { assertEquals(\"a-b\", Slug.slug(\"a b\")); }\n    \
    @Test public void joinsRuns() { assertEquals(\"a-b\", Slug.slug(\"a  b\")); }\n}\n";

/// A report of an earlier run, or of nobody's.
const OLD_REPORT: &str =
    "<testsuite name=\"t.Old\" tests=\"1\"><testcase name=\"passes\" classname=\"t.Old\"/></testsuite>\n";

#[test]
fn maven() {
    if on_path("mvn").is_none() || !has_debian_repository("org/apache/maven/plugins/maven-surefire-plugin") {
        return missing("maven");
    }
    let project = Project {
        command: "mvn -q test",
        base: &[
            ("pom.xml", include_str!("../../fixtures/maven/mix/pom.xml")),
            (".mvn/maven.config", include_str!("../../fixtures/maven/mix/.mvn/maven.config")),
            (".mvn/settings.xml", include_str!("../../fixtures/maven/mix/.mvn/settings.xml")),
            (".gitignore", "/target/\n"),
            ("src/main/java/t/Slug.java", SLUG_JAVA),
            ("src/test/java/t/SlugTest.java", SLUG_TEST_JAVA),
        ],
        honest: &[
            ("src/main/java/t/Slug.java", SLUG_JAVA_AFTER),
            ("src/test/java/t/SlugTest.java", SLUG_TEST_JAVA_AFTER),
        ],
        harness: (".mvn/jvm.config", "-Dnothing=true\n"),
        ignored: &[("target/surefire-reports/TEST-t.Old.xml", OLD_REPORT)],
        new: "joinsRuns",
        old: "joins",
    };
    project.holds();
}

#[test]
fn gradle() {
    if on_path("gradle").is_none() {
        return missing("gradle");
    }
    let project = Project {
        command: "gradle --offline -q test",
        base: &[
            ("build.gradle", include_str!("../../fixtures/gradle/mix/build.gradle")),
            ("settings.gradle", "rootProject.name = 'demo'\n"),
            (".gitignore", "/build/\n/.gradle/\n"),
            ("src/main/java/t/Slug.java", SLUG_JAVA),
            ("src/test/java/t/SlugTest.java", SLUG_TEST_JAVA),
        ],
        honest: &[
            ("src/main/java/t/Slug.java", SLUG_JAVA_AFTER),
            ("src/test/java/t/SlugTest.java", SLUG_TEST_JAVA_AFTER),
        ],
        harness: ("gradle.properties", "org.gradle.parallel=true\n"),
        ignored: &[("build/test-results/test/TEST-t.Old.xml", OLD_REPORT)],
        new: "joinsRuns",
        old: "joins",
    };
    project.holds();
}

fn has_debian_repository(path: &str) -> bool {
    std::path::Path::new("/usr/share/maven-repo").join(path).is_dir()
}
