//! What a step of GitHub Actions is told: log, annotations, summary, outputs; and that nothing it quotes can
//! command the runner or reach beyond its place on a page.

use super::support::{Answer, Repo, Tool, missing, on_path};
use pulldown_cmark::{Event, Options, Parser, Tag};
use std::path::{Path, PathBuf};

/// Texts that act on a log, a page or a file of outputs where nobody takes care.
const HOSTILE: [&str; 12] = [
    "::stop-commands::x",
    "::add-mask::FAILED",
    "::set-output name=status::passed",
    "##[error]forged",
    "z##[add-mask]z",
    "%0A::error::forged",
    "a\n::warning::forged",
    "a\r::warning::forged",
    "status=passed\nstatus<<EOF",
    "`x` </code></summary></details><img src=https:x>",
    "[x](javascript:x) @octocat #1 <!-- | a | b |",
    "\u{1b}[2J\u{202e}x",
];

/// A folder that outlives its step, with the files that a step appends to.
struct Step {
    folder: tempfile::TempDir,
}

impl Step {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.file(name)).expect("the file was written")
    }

    fn tool(&self, folder: &Path, args: &[&str]) -> Tool {
        Tool::new(folder, args)
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_STEP_SUMMARY", self.file("summary"))
            .env("GITHUB_OUTPUT", self.file("output"))
    }
}

/// A change whose every name and line is hostile, and a contract that quotes them all.
fn hostile() -> (Repo, String) {
    let repo = Repo::new();
    repo.write("a.txt", "1\n").commit("First");
    repo.branch("topic").write("lines.txt", HOSTILE.join("\n") + "\n");
    for name in HOSTILE {
        repo.write(&name.replace('/', "_"), "x\n");
    }
    repo.commit("Hostile");
    let quoted: Vec<serde_json::Value> =
        HOSTILE.iter().map(|text| serde_json::json!({ "path": "a.txt", "text": format!("{text}\n{text}") })).collect();
    let excluded: Vec<serde_json::Value> = HOSTILE
        .iter()
        .flat_map(|text| text.split(['\n', '\r']))
        .map(|text| serde_json::json!({ "path": "lines.txt", "text": text }))
        .collect();
    let contract =
        serde_json::json!({ "changed_files_only": ["a.txt"], "file_contains": quoted, "file_excludes": excluded });
    let contract = format!("```acceptance\n{contract}\n```\n");
    (repo, contract)
}

/// Returns the lines that GitHub's runner would take for commands: `::` after white space at the start of a
/// line, `##[` anywhere. A bare carriage return starts a line too.
fn commands(log: &str) -> Vec<&str> {
    let lines = log.split(['\n', '\r']);
    lines.filter(|line| line.trim_start().starts_with("::") || line.contains("##[")).collect()
}

#[test]
fn no_text_of_a_change_commands_the_runner() {
    let (repo, contract) = hostile();
    let step = Step::new();
    for more in [
        &[][..],
        &["--color", "always"],
        &["-v"],
        &["-q"],
        &["--format", "markdown"],
        &["--format", "json"],
        &["--format", "hook"],
    ] {
        let args = [&["check", "-", "--base", "main"], more].concat();
        let answer = step.tool(repo.path(), &args).stdin(contract.as_bytes()).run();
        let all = format!("{}\n{}", answer.stdout, answer.stderr);
        let found = commands(&all);
        assert!(found.iter().any(|line| line.starts_with("::error ")), "{more:?} annotates nothing:\n{all}");
        for line in found {
            assert!(line.starts_with("::error "), "{more:?} lets {line:?} through:\n{all}");
            let (head, message) = line["::error ".len()..].split_once("::").expect("a message");
            let names: Vec<&str> =
                head.split(',').map(|property| property.split_once('=').expect("a property").0).collect();
            assert!(matches!(names[..], ["file", "title"] | ["file", "line", "title"] | ["title"]), "{line:?}");
            assert!(!message.contains("%0D") && !all.contains('\u{202e}'), "{line:?}");
        }
    }
}

#[test]
fn outputs_hold_our_own_words_alone() {
    let (repo, contract) = hostile();
    let step = Step::new();
    step.tool(repo.path(), &["check", "-", "--base", "main"]).stdin(contract.as_bytes()).run().code(1);
    let told = step.read("output");
    let mut lines = told.lines();
    assert_eq!(lines.next(), Some("status=failed"));
    for name in ["passed=", "failed="] {
        let line = lines.next().expect("a count");
        assert!(line.strip_prefix(name).is_some_and(|count| count.parse::<u32>().is_ok()), "{line}");
    }
    let digest = lines.next().and_then(|line| line.strip_prefix("digest=sha256:")).expect("a digest");
    assert!(digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()), "{digest}");
    assert_eq!(lines.next(), None, "{told}");
}

#[test]
fn a_summary_shows_hostile_text_as_text() {
    let (repo, contract) = hostile();
    let step = Step::new();
    step.tool(repo.path(), &["check", "-", "--base", "main"]).stdin(contract.as_bytes()).run().code(1);
    let summary = step.read("summary");
    let own = ["<details open>", "<details>", "</details>", "<summary>", "</summary>", "<!-- -->"];
    let forge = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_GFM;
    let mut depth = 0;
    for event in Parser::new_ext(&summary, forge) {
        match event {
            Event::Html(html) | Event::InlineHtml(html) => {
                let rest = own.iter().fold(html.to_string(), |rest, tag| rest.replace(tag, ""));
                assert!(!rest.contains(['<', '>']), "{html:?} is not ours:\n{summary}");
                depth += html.matches("<details").count();
                depth -= html.matches("</details").count();
            }
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                panic!("a link to {dest_url}:\n{summary}")
            }
            _ => {}
        }
    }
    assert_eq!(depth, 0, "something folded is not closed:\n{summary}");
    assert!(!summary.contains(['\u{1b}', '\u{202e}', '\r']), "{summary}");
    assert!(summary.contains("set-output name=status"), "the text is still told:\n{summary}");
}

#[test]
fn no_title_of_a_test_commands_the_runner() {
    if on_path("node").is_none() {
        missing("node");
        return;
    }
    let repo = Repo::new();
    repo.write("a.test.mjs", "import test from 'node:test';\ntest('a', () => {});\n").commit("First");
    let titles = serde_json::to_string(&HOSTILE).expect("JSON");
    let tests = format!(
        "import test from 'node:test';\nfor (const title of {titles}) {{\n  test(title, () => {{ console.log(title); throw new \
         Error(title); }});\n}}\n"
    );
    repo.branch("topic").write("a.test.mjs", tests).commit("Second");
    let contract = "```acceptance\n{\"tests\": [{\"command\": \"node --test\", \"passed\": 12}]}\n```\n";
    let step = Step::new();
    for more in [&[][..], &["-v"], &["--format", "markdown"], &["--format", "json"]] {
        let args = [&["check", "-", "--base", "main"], more].concat();
        let answer = step.tool(repo.path(), &args).stdin(contract).run().code(1);
        let all = format!("{}\n{}", answer.stdout, answer.stderr);
        for line in commands(&all) {
            assert!(line.starts_with("::error "), "{more:?} lets {line:?} through:\n{all}");
        }
        assert!(all.contains("::error file=a.test.mjs,line="), "{more:?}:\n{all}");
        assert!(all.contains("add-mask::FAILED"), "the titles are still told:\n{all}");
    }
    assert!(step.read("output").starts_with("status=failed\npassed=0\nfailed=1\n"));
}

#[test]
fn what_does_not_hold_is_annotated_where_it_stands() {
    let repo = Repo::new();
    repo.write("a b.txt", "1\n").commit("First");
    repo.branch("topic").write("a b.txt", "1\n2\nDROP\n").write("dir/c.txt", "x\n").commit("Second");
    let contract = r#"{ "changed_files_only": ["a b.txt"], "max_added_lines": 1,
        "file_excludes": [{ "path": "a b.txt", "text": "DROP" }],
        "added_lines_exclude": [{ "path": "a b.txt", "text": "2" }] }"#;
    std::fs::create_dir_all(repo.file("dir")).expect("a folder");
    let step = Step::new();
    // From a folder below the root too: GitHub wants paths from the root.
    for folder in [repo.path().to_owned(), repo.file("dir")] {
        let answer =
            step.tool(&folder, &["check", "-", "--base", "main"]).stdin(format!("```acceptance\n{contract}\n```\n"));
        let answer = answer.run().code(1);
        for expected in [
            "::error file=dir/c.txt,title=changed_files_only::",
            "::error file=a b.txt,line=3,title=file_excludes::",
            "::error file=a b.txt,line=2,title=added_lines_exclude::",
            "::error title=max_added_lines::",
        ] {
            assert!(answer.stdout.contains(expected), "{expected} is not said:\n{}", answer.stdout);
        }
    }
}

/// A change of one line, and a contract that it fulfils.
fn plain() -> (Repo, &'static str) {
    let repo = Repo::new();
    repo.write("a.txt", "1\n").commit("First");
    repo.branch("topic").write("a.txt", "1\n2\n").commit("Second");
    (repo, "```acceptance\n{\"max_added_lines\": 5}\n```\n")
}

fn check(step: &Step, more: impl FnOnce(Tool) -> Tool) -> Answer {
    let (repo, contract) = plain();
    more(step.tool(repo.path(), &["check", "-", "--base", "main"])).stdin(contract).run()
}

#[test]
fn without_its_files_a_step_is_told_in_its_log_alone() {
    let step = Step::new();
    let answer = check(&step, |tool| tool.env("GITHUB_STEP_SUMMARY", "").env("GITHUB_OUTPUT", "")).code(0);
    assert!(answer.stdout.contains("PASSED"), "{answer:?}");
    assert_eq!(std::fs::read_dir(step.folder.path()).expect("the folder").count(), 0);
}

#[test]
fn a_summary_that_cannot_be_written_is_told_before_anything_runs() {
    for name in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
        let step = Step::new();
        let path = step.file("absent").join("file");
        let answer = check(&step, |tool| tool.env(name, &path)).code(4);
        assert!(answer.stderr.contains("failed to write") && answer.stderr.contains("absent"), "{answer:?}");
        assert!(!answer.stdout.contains("PASSED"), "{answer:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_summary_that_is_lost_on_a_full_disk_is_no_pass() {
    for name in ["GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"] {
        let step = Step::new();
        let answer = check(&step, |tool| tool.env(name, "/dev/full")).code(4);
        assert!(answer.stderr.contains("failed to write `/dev/full`"), "{answer:?}");
    }
}

#[test]
fn what_a_step_told_before_stays_and_the_whole_stays_under_the_limit() {
    const LIMIT: usize = 1 << 20;
    let step = Step::new();
    std::fs::write(step.file("summary"), "before\n").expect("a file");
    check(&step, |tool| tool).code(0);
    assert!(step.read("summary").starts_with("before\nAcceptance: 1/1 checks passed"));

    let earlier = "x".repeat(LIMIT - 300) + "\n";
    std::fs::write(step.file("summary"), &earlier).expect("a file");
    check(&step, |tool| tool).code(0);
    let whole = step.read("summary");
    assert!(whole.len() <= LIMIT && whole.starts_with(&earlier), "{} bytes", whole.len());
    let told = &whole[earlier.len()..];
    assert!(told.contains("PASSED") && told.contains("no room"), "{told}");

    std::fs::write(step.file("summary"), "x".repeat(LIMIT)).expect("a file");
    let answer = check(&step, |tool| tool).code(0);
    assert_eq!(step.read("summary").len(), LIMIT, "one byte more and the runner drops all of it");
    assert!(answer.stdout.contains("::warning ") && answer.stdout.contains("no room"), "{answer:?}");
}
