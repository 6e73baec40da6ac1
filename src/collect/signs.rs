//! Signs, in the lines that a change adds, of cheats that cannot be stopped from inside a test process.
//! Each has honest uses, so a sign is told and never judged. Must not know what a test run gave.

use crate::facts::{AddedLines, ChangeStatus, ChangedFile, CheatSign, RepoPath};
use regex::{Regex, RegexSet};
use std::sync::LazyLock;

/// No more signs than this are told; a change with more is looked at anyway.
const MOST_SIGNS: usize = 100;

/// In which files a pattern is a sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Where {
    Tests,
    Source,
    Both,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    JavaScript,
    Python,
    Rust,
    Go,
    Shell,
    CMake,
    Any,
}

use Language::{Any, CMake, Go, JavaScript, Python, Rust, Shell};
use Where::{Both, Source, Tests};

/// Language, place, pattern, and what it may mean.
const SIGNS: [(Language, Where, &str, &str); 55] = [
    (Any, Both, r"/proc/(self|\d|\$|\{|%|thread)", "it looks at processes through /proc"),
    (Any, Both, r"(?i)agent.?acceptance", "it speaks of the tool that checks it"),
    (JavaScript, Both, r"\btask\b.{0,20}\.result\b|\.result\.state\b", "it reaches for the result of a test"),
    (JavaScript, Both, r"\bprocess\s*\.\s*(exit|kill|abort|reallyExit|binding|_\w+)\b", "it ends or signals a process"),
    (
        JavaScript,
        Both,
        r#"\bprocess\s*\.\s*exitCode\b|\bprocess\s*\.\s*(on|once|addListener|prepend\w*)\s*\(\s*['"`](before)?[eE]xit\b"#,
        "it decides how the process ends",
    ),
    (
        JavaScript,
        Both,
        r"\.\s*prototype\s*(\.\s*\w+|\[[^\]]*\])\s*=[^=]|\bdefineProperty\s*\(\s*[\w.]+\.prototype\b|\b(JSON|Reflect)\s*\.\s*\w+\s*=[^=]",
        "it replaces what others use",
    ),
    (JavaScript, Both, r#"['"`](node:)?inspector(/promises)?['"`]|SIGUSR1"#, "it drives the debugger of a process"),
    (JavaScript, Both, r"\bdetached\s*:", "it starts a process that outlives the run"),
    (JavaScript, Both, r"\basymmetricMatch\b|Symbol\.toPrimitive|\$\$typeof", "it decides itself what it is equal to"),
    (JavaScript, Both, r"\bexpect\.extend\b|\bexpect\s*=[^=]|addEqualityTesters", "it changes what assertions mean"),
    (
        JavaScript,
        Both,
        r#"\b(assert|expect|chai)\w*(\s*\.\s*\w+)+\s*=[^=>]|\bmock(Module)?\s*\(\s*['"`](vitest|chai|(node:)?assert|@vitest/|@jest/)"#,
        "it changes what assertions mean",
    ),
    (JavaScript, Both, r"prepareStackTrace|captureStackTrace|\.stack\b", "it looks at who calls it"),
    (
        JavaScript,
        Source,
        r"\bVITEST\w*|\bJEST_WORKER_ID\b|\bPLAYWRIGHT\w*|\bNODE_TEST_CONTEXT\b|\bNODE_ENV\b.{0,12}test",
        "it can behave otherwise under test",
    ),
    (
        JavaScript,
        Tests,
        r"\.(skip|todo|fails|failing|skipIf|runIf|fixme|only)\b",
        "it keeps a test from running, or from counting",
    ),
    (JavaScript, Tests, r"\b[xf](it|test|describe)\s*\(", "it keeps a test from running, or others"),
    (JavaScript, Tests, r"\bretry\s*:|\bretryTimes\b|\bretries\b", "it lets a test fail before it passes"),
    (
        JavaScript,
        Tests,
        r#"from\s*['"](@vitest/(runner|utils|expect)|vitest/(node|runners|suite)|@jest/|jest-circus)"#,
        "it reaches into the test runner",
    ),
    (Python, Both, r"\b(import|from)\s+(_pytest|pluggy|xdist|unittest\.case)\b", "it reaches into the test runner"),
    (
        Python,
        Both,
        r"\bpytest_runtest_|\bpytest_[a-z]+_makereport|\bhookimpl\b|pluginmanager",
        "it hooks into the test runner",
    ),
    (
        Python,
        Both,
        r"\bos\s*\.\s*(_exit|kill|abort|fork|execv\w*)\b|\bsignal\.raise_signal",
        "it ends or replaces a process",
    ),
    (
        Python,
        Both,
        r"\batexit\b|\bsys\.(settrace|setprofile|excepthook|meta_path|addaudithook)\b|threading\.settrace",
        "it runs code behind that of the tests",
    ),
    (
        Python,
        Both,
        r"\binspect\s*\.\s*(stack|currentframe)|\bsys\s*\.\s*_getframe|\bf_back\b",
        "it looks at who calls it",
    ),
    (
        Python,
        Both,
        r"\bdef\s+__(eq|ne|bool|lt|le|gt|ge|contains|instancecheck)__\b",
        "it decides itself what it is equal to",
    ),
    (Python, Both, r"\bdef\s+load_tests\b", "it decides itself which tests there are"),
    (Python, Both, r"\bdef\s+(run|__call__|debug)\s*\(\s*self\s*,\s*result\b", "it decides itself what its result is"),
    (
        Python,
        Both,
        r"\b(addSuccess|startTest|stopTest)\s*\(|\bTestCase\s*\.\s*\w+\s*=[^=]",
        "it reaches for the result of a test",
    ),
    (
        Python,
        Both,
        r"\.\s*(runtest|obj)\s*=[^=]|\b(request\s*\.\s*node|item)\s*\.\s*\w+\s*=[^=]|\bsetattr\s*\(\s*(request\s*\.\s*node|item)\b",
        "it replaces a test that is about to run",
    ),
    (Python, Both, r"\bsetsid\b|start_new_session|\bpreexec_fn\b", "it starts a process that outlives the run"),
    (Python, Both, r"\bgc\s*\.\s*get_(objects|referrers)|\bctypes\b", "it reaches into objects of others"),
    (Python, Both, r"\bbuiltins\b|__builtins__|\bsys\.modules\s*\[", "it replaces what others use"),
    (
        Python,
        Source,
        r#"PYTEST_\w+|['"]pytest['"]\s+in\s+sys\.modules|_called_from_test"#,
        "it can behave otherwise under test",
    ),
    (
        Python,
        Tests,
        r"\bpytest\s*\.\s*(mark\s*\.\s*)?(skip|xfail|importorskip)\w*|\bunittest\s*\.\s*(skip|expectedFailure)|\bskipTest\b|\bSkipTest\b",
        "it keeps a test from running, or from counting",
    ),
    (Python, Tests, r"\bflaky\b|\breruns\b", "it lets a test fail before it passes"),
    (Python, Tests, r"\bsys\s*\.\s*exit\b|\bpytest\s*\.\s*exit\b|\bSystemExit\b", "it can end the run early"),
    (
        Rust,
        Both,
        r"\bprocess\s*::\s*(exit|abort)\b|\blibc\s*::\s*_?exit\b|\bfn\s+_?exit\b",
        "it ends the process, tests and all",
    ),
    (
        Rust,
        Both,
        r"\blink_section\b|\bno_mangle\b|\bexport_name\b|\bctor\b|\binit_array\b|global_asm!",
        "it runs code before or behind the tests",
    ),
    (
        Rust,
        Both,
        r"macro_rules!\s*(r#)?(assert\w*|panic|debug_assert\w*|matches|unreachable)\b",
        "it changes what an assertion means",
    ),
    (Rust, Both, r"\bimpl\b.*\bPartialEq\b.*\bfor\b", "it decides itself what it is equal to"),
    (Rust, Both, r"\bcfg\s*\(\s*(any\s*\(\s*\)|not\s*\(\s*test\s*\)|FALSE|false)", "it takes code out of the build"),
    (Rust, Both, r"\bcatch_unwind\b|\bset_hook\b|\btake_hook\b", "it catches the failure of an assertion"),
    (
        Rust,
        Source,
        r"\bcfg!\s*\(\s*test\b|\bNEXTEST\w*|\bRUST_TEST\w*|thread::current\(\)\s*\.\s*name",
        "it can behave otherwise under test",
    ),
    (Rust, Both, r"#\s*\[\s*(cfg_attr\s*\(.*)?ignore\b", "it keeps a test from running"),
    (Rust, Both, r"\bshould_panic\b", "it calls a failing test passed"),
    (Rust, Both, r"\buse\s+.*\bas\s+(assert\w*|test)\b", "it gives another thing the name of an assertion"),
    (
        JavaScript,
        Tests,
        r"\bDeno\s*\.\s*test\s*\.\s*ignore\b|\bignore\s*:",
        "it keeps a test from running, or from counting",
    ),
    (Go, Both, r"\b(os|syscall)\s*\.\s*(Exit|Kill)\b|\bruntime\s*\.\s*Goexit\b", "it ends or signals a process"),
    (Go, Both, r"//go:linkname|\bunsafe\s*\.\s*Pointer\b", "it reaches into objects of others"),
    (Go, Both, r"^//go:build\b|^// \+build\b", "it takes code out of the build"),
    (Go, Tests, r"\bfunc\s+TestMain\b", "it runs the tests of its package itself"),
    (Go, Tests, r"\.\s*(Skip|Skipf|SkipNow)\s*\(", "it keeps a test from running, or from counting"),
    (
        Go,
        Source,
        r#"\btesting\s*\.\s*Testing\s*\(|flag\.Lookup\(\s*"test\.|\.test\b.*os\.Args|os\.Args.*\.test\b"#,
        "it can behave otherwise under test",
    ),
    (
        Shell,
        Both,
        r"\btrap\b.*\bEXIT\b|\bBATS_TEST_COMPLETED\b|\bBATS_ERROR_STATUS\b",
        "it reaches for the result of a test",
    ),
    (Shell, Both, r">\s*&\s*3\b", "it writes to where results go"),
    (
        Shell,
        Tests,
        r"^\s*skip\b|\bBATS_TEST_RETRIES\b",
        "it keeps a test from running, or lets it fail before it passes",
    ),
    (
        CMake,
        Both,
        r"\b(WILL_FAIL|DISABLED|SKIP_RETURN_CODE|SKIP_REGULAR_EXPRESSION|PASS_REGULAR_EXPRESSION)\b",
        "it keeps a test from counting, or calls a failing one passed",
    ),
];

/// The patterns are constants, and a test compiles each; an empty set would only tell no sign.
static PATTERNS: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(SIGNS.iter().map(|(_, _, pattern, _)| *pattern)).unwrap_or_default());

/// Finds the signs in a change: in its added lines, and in test files that it edits.
pub(crate) fn signs(
    change: &[ChangedFile],
    added: &[AddedLines],
    is_test_file: &dyn Fn(&RepoPath) -> bool,
) -> Vec<CheatSign> {
    let mut found = Vec::new();
    for file in added {
        let Some(language) = language_of(&file.path) else { continue };
        let is_test = is_test_file(&file.path);
        for (line, text) in &file.lines {
            for index in PATTERNS.matches(text) {
                let (of, place, _, why) = SIGNS[index];
                let fits = of == Any || of == language;
                let is_there = match place {
                    Both => true,
                    Tests => is_test,
                    Source => !is_test,
                };
                if fits && is_there {
                    found.push(CheatSign { path: file.path.clone(), line: *line, why: why.to_owned() });
                }
            }
        }
    }
    for file in change {
        if file.status == ChangeStatus::Modified && file.deleted > 0 && is_test_file(&file.path) {
            let line = added.iter().find(|lines| lines.path == file.path).and_then(|lines| lines.lines.first());
            let n = file.deleted;
            let lines = if n == 1 { "line" } else { "lines" };
            found.push(CheatSign {
                path: file.path.clone(),
                line: line.map_or(1, |(line, _)| *line),
                why: format!("it changes tests that were there: {n} {lines} of them are gone"),
            });
        }
    }
    found.sort_by(|a, b| (&a.path, a.line, &a.why).cmp(&(&b.path, b.line, &b.why)));
    found.dedup();
    found.truncate(MOST_SIGNS);
    found
}

/// Returns whether signs are looked for in a file.
pub(crate) fn is_read(path: &RepoPath) -> bool {
    language_of(path).is_some()
}

fn language_of(path: &RepoPath) -> Option<Language> {
    static ENDING: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\.([A-Za-z]+)$").ok());
    let name = path.to_lossy();
    let ending = ENDING.as_ref()?.captures(&name)?.get(1)?.as_str().to_ascii_lowercase();
    match ending.as_str() {
        "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" | "vue" | "svelte" => Some(JavaScript),
        "py" | "pyi" | "pyx" => Some(Python),
        "rs" => Some(Rust),
        "go" => Some(Go),
        "bats" | "bash" | "sh" => Some(Shell),
        "cmake" => Some(CMake),
        "txt" if path.file_name() == b"CMakeLists.txt" => Some(CMake),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::FileKind;

    fn check(path: &str, line: &str, expected: &[&str]) {
        let added = [AddedLines { path: RepoPath::from(path), lines: vec![(7, line.to_owned())] }];
        let found = signs(&[], &added, &|path| path.to_lossy().contains("test"));
        let found: Vec<_> = found.iter().map(|sign| (sign.line, sign.why.as_str())).collect();
        let expected: Vec<_> = expected.iter().map(|why| (7, *why)).collect();
        assert_eq!(found, expected, "{path}: {line}");
    }

    #[test]
    fn every_pattern_compiles() {
        for (_, _, pattern, _) in SIGNS {
            Regex::new(pattern).unwrap();
        }
        assert_eq!(PATTERNS.len(), SIGNS.len());
    }

    #[test]
    fn signs_are_found_in_their_language_and_place() {
        check("tests/a.test.js", "it.skip('x', () => {})", &["it keeps a test from running, or from counting"]);
        check("src/a.js", "items.skip(2)", &[]);
        check("src/a.js", "if (process.env.VITEST) return 1", &["it can behave otherwise under test"]);
        check(
            "tests/a.test.js",
            "process.kill(process.ppid, 'SIGUSR1')",
            &["it drives the debugger of a process", "it ends or signals a process"],
        );
        check("tests/test_a.py", "import _pytest.runner", &["it reaches into the test runner"]);
        check("src/a.py", "def __eq__(self, other):", &["it decides itself what it is equal to"]);
        check("src/a.py", "os._exit(0)", &["it ends or replaces a process"]);
        check("src/a.js", "assert.equal = () => {};", &["it changes what assertions mean"]);
        check("src/a.js", "assert.equal(a, b); const ok = assert.ok(1) === 2", &[]);
        check("tests/a.test.js", "Readable.prototype.push = function () {}", &["it replaces what others use"]);
        check("src/a.js", "if (Base.prototype.push === push) return", &[]);
        check("tests/a.test.js", "process.on('exit', end)", &["it decides how the process ends"]);
        check(
            "tests/test_a.py",
            "def load_tests(loader, tests, pattern):",
            &["it decides itself which tests there are"],
        );
        check("tests/test_a.py", "    def run(self, result=None):", &["it decides itself what its result is"]);
        check("tests/test_a.py", "request.node.obj = lambda: None", &["it replaces a test that is about to run"]);
        check("src/a.py", "    def run(self, command):", &[]);
        check("src/lib.rs", "std::process::exit(0)", &["it ends the process, tests and all"]);
        check("src/lib.rs", "#[cfg(any())]", &["it takes code out of the build"]);
        check("src/lib.rs", "#[link_section = \".init_array\"]", &["it runs code before or behind the tests"]);
        check("tests/a.rs", "macro_rules! assert_eq {", &["it changes what an assertion means"]);
        check("a_test.go", "func TestMain(m *testing.M) {", &["it runs the tests of its package itself"]);
        check("a.go", "syscall.Exit(0)", &["it ends or signals a process"]);
        check("a.go", "list.Skip(2)", &[]);
        check("test/a.bats", "echo 'ok 1 a' >&3", &["it writes to where results go"]);
        check(
            "CMakeLists.txt",
            "set_tests_properties(a PROPERTIES WILL_FAIL TRUE)",
            &["it keeps a test from counting, or calls a failing one passed"],
        );
        check("README.md", "process.exit(0) os._exit /proc/self", &[]);
        check("src/a.js", "return text.toLowerCase();", &[]);
    }

    #[test]
    fn edited_tests_are_told() {
        let file = ChangedFile {
            path: RepoPath::from("tests/a.test.js"),
            status: ChangeStatus::Modified,
            kind: FileKind::Text,
            added: 1,
            deleted: 2,
            old: None,
            new: None,
            longest_line: None,
        };
        let found = signs(&[file], &[], &|_| true);
        assert_eq!(found[0].why, "it changes tests that were there: 2 lines of them are gone");
    }
}
