//! One verdict through every format.

use super::human::{Look, Verbosity};
use super::{Command, ContractInfo, Problems, Report, Status, Timing, Unchecked, UncheckedReason};
use super::{annotations, hook, human, json, markdown, outputs};
use crate::clauses::{Block, Explanation, Finding, FindingStatus, Found, Standing, Warning};
use crate::contract::{PlacedProblem, shown_text};
use crate::error::{Detail, Failure, Kind};
use crate::facts::{Change, ChangeStatus, ChangedFile, Entry, FileKind, Plan, RepoPath, Revision};
use crate::json::Problem;
use crate::verdict::{Verdict, VerdictStatus};
use insta::assert_snapshot;
use serde_json::{Value, json};

fn changed(path: &[u8], status: ChangeStatus, added: u64, deleted: u64) -> ChangedFile {
    let entry = |object: &str| Some(Entry { mode: "100644".to_owned(), object: object.repeat(20) });
    ChangedFile {
        path: RepoPath::from_bytes(path),
        status,
        kind: FileKind::Text,
        added,
        deleted,
        old: entry("1a"),
        new: entry("2b"),
        longest_line: None,
    }
}

fn finding(check: &str, at: &str, status: FindingStatus, detail: &str, evidence: Value) -> Finding {
    let (check, at, detail) = (check.to_owned(), at.to_owned(), detail.to_owned());
    Finding {
        check,
        at,
        status,
        detail,
        command: None,
        next: None,
        evidence,
        blocks: Vec::new(),
        notes: Vec::new(),
        failure: None,
    }
}

fn lines(text: &[&str]) -> Vec<String> {
    text.iter().map(|line| (*line).to_owned()).collect()
}

fn found_path(path: &str, said: &str) -> Found {
    Found::Path(path.to_owned(), said.to_owned())
}

/// The story of the change that only claims its tests.
fn failed() -> Report {
    let mut only = finding(
        "changed_files_only",
        "/changed_files_only",
        FindingStatus::Failed,
        "unexpected changes: README.md",
        json!({"unexpected": ["README.md"], "allowed": ["src/slugify.ts", "test/slugify.test.ts"]}),
    );
    only.next = Some("undo the change to README.md".to_owned());
    only.blocks = vec![Block {
        expected: lines(&["only src/slugify.ts and test/slugify.test.ts change"]),
        found: vec![found_path("README.md", "modified, +1 -0")],
        next: lines(&["undo it: git checkout 8c1f0a2 -- README.md"]),
    }];
    let mut contains = finding(
        "file_contains",
        "/file_contains/0",
        FindingStatus::Failed,
        "src/slugify.ts lacks \"export function slugify(input: string): string {\"",
        json!({"path": "src/slugify.ts", "text": "export function slugify(input: string): string {",
               "files": [{"path": "src/slugify.ts", "state": "absent", "line": null,
                          "near": {"line": 4, "text": "export function slugify(text: string): string {",
                                   "reason": "similar"}}]}),
    );
    contains.blocks = vec![Block {
        expected: lines(&["export function slugify(input: string): string {"]),
        found: vec![Found::Nearest(
            4,
            "export function slugify(text: string): string {".to_owned(),
            "export function slugify(input: string): string {".to_owned(),
        )],
        next: lines(&["make line 4 read as expected"]),
    }];
    let mut tests = finding(
        "tests",
        "/tests/0",
        FindingStatus::Failed,
        "vitest run: exit 1, 14 passed, 1 failed (expected 17 passed)",
        json!({"argv": ["node", "vitest.mjs", "run", "test/slugify.test.ts"],
               "failed_tests": [{"id": "trims", "file": "test/slugify.test.ts", "line": 31,
                                 "message": "AssertionError: expected '-a-' to be 'a'\n::error::injected"}]}),
    );
    tests.blocks = vec![Block {
        expected: lines(&["exactly 17 passed, 0 failed, exit status 0"]),
        found: vec![
            Found::Text("14 passed, 1 failed, 0 skipped, exit status 1, in 2.1 s".to_owned()),
            Found::Quoted(
                "failed: slugify > trims\n  test/slugify.test.ts:31:19\n\tAssertionError: \u{1b}[31mno".to_owned(),
            ),
        ],
        next: lines(&["make the failing test pass; 2 tests that the issue asks for are not there yet"]),
    }];
    tests.notes = lines(&["1 expected failure is counted as passed by the runner"]);
    let added = finding(
        "max_added_lines",
        "/max_added_lines",
        FindingStatus::Passed,
        "41 added (limit 60)",
        json!({"limit": 60, "found": 41}),
    );
    let mut report = Report::new(Command::Check, Status::Error);
    report.contract = Some(ContractInfo {
        source: "octo/app#12".to_owned(),
        author: Some("maintainer".to_owned()),
        association: Some("MEMBER".to_owned()),
        digest: Some(format!("sha256:{}", "3f9a1c27b0de".repeat(6).get(..64).unwrap_or_default())),
        remarks: lines(&["unedited"]),
        notes: Vec::new(),
    });
    report.change = Some(Change {
        base: Revision { name: "origin/main".to_owned(), commit: "8c1f0a2".repeat(6) },
        merge_base: "8c1f0a2".repeat(6),
        head: Revision { name: "HEAD".to_owned(), commit: "d4e55b9".repeat(6) },
        files: vec![
            changed(b"README.md", ChangeStatus::Modified, 1, 0),
            changed(b"src/slugify.ts", ChangeStatus::Modified, 40, 3),
        ],
    });
    report.set_verdict(Verdict { status: VerdictStatus::Failed, findings: vec![only, added, contains, tests] });
    report.timing = Timing { facts: Some(12), tests: Some(2100) };
    report
}

fn passed() -> Report {
    let mut report = failed();
    for finding in &mut report.findings {
        finding.status = FindingStatus::Passed;
        finding.blocks.clear();
    }
    report.status = Status::Passed;
    report.notes =
        lines(&["the tests and the code they test ran as one user; a change made to deceive can forge that"]);
    report
}

fn invalid() -> Report {
    let text = shown_text(b"# Task\n```acceptance\n{\n  \"changed_file_only\": [\"a\"]\n}\n```\n");
    let at = text.find("\"changed_file_only\"").expect("the key is there");
    let problem = Problem::new(at..at + 19, "unknown key \"changed_file_only\"", "no such key")
        .help("did you mean \"changed_files_only\"?");
    let problems = vec![PlacedProblem::place(problem, &text)];
    let mut report = Report::failure(Command::Check, Failure::new(Kind::ContractInvalid, "the contract is not valid"));
    report.problems = Some(Problems { origin: "issue.md".to_owned(), text, problems });
    report
}

fn dirty() -> Report {
    let failure =
        Failure::new(Kind::DirtyTree, "tracked files differ from HEAD; the tests would not test what is judged")
            .detail("found", "modified  src/slugify.ts")
            .detail("found", "modified  test/slugify.test.ts")
            .next("commit them, then run check again");
    Report::failure(Command::Check, failure)
}

fn unchecked() -> Report {
    let detail = |label: &str, text: &str| Detail { label: label.to_owned(), text: text.to_owned() };
    let unchecked = Unchecked {
        reason: UncheckedReason::NoContract,
        details: vec![detail("read", "issue.md, no acceptance block")],
        next: lines(&["a maintainer adds an acceptance block, before the work starts"]),
    };
    Report::unchecked(Command::Check, unchecked)
}

fn explained() -> Report {
    let mut report = failed();
    report.command = Command::Explain;
    report.status = Status::Passed;
    report.findings = Vec::new();
    let clause = |check: &str, standing, text: &[&str], next: &[&str]| Explanation {
        check: check.to_owned(),
        at: format!("/{check}"),
        standing,
        lines: lines(text),
        next: lines(next),
    };
    report.explained = Some(super::Explained {
        clauses: vec![
            clause(
                "changed_files_only",
                Standing::MetSoFar,
                &["Only these files may change:", "  src/slugify.ts        is there"],
                &[],
            ),
            clause("changed_files_required", Standing::NotMet, &["Each of these must change:"], &["change them"]),
            clause("tests", Standing::NeedsRun, &["Exactly 17 tests must pass."], &[]),
        ],
        warnings: vec![Warning {
            code: "W203".to_owned(),
            at: "/tests/0".to_owned(),
            message: "an exact count breaks when main gains a test; say {\"more_than_base\": 2}".to_owned(),
        }],
        plan: Plan::default(),
    });
    report
}

fn plain(report: &Report, look: &Look) -> String {
    anstream::adapter::strip_str(&human(report, look)).to_string()
}

fn in_terminal(report: &Report) -> String {
    plain(report, &Look { width: Some(80), verbosity: Verbosity::Normal })
}

#[test]
fn people_see_what_fails_and_what_to_do() {
    assert_snapshot!("human_failed", in_terminal(&failed()));
}

#[test]
fn people_see_why_there_is_no_verdict() {
    assert_snapshot!("human_dirty", in_terminal(&dirty()));
    assert_snapshot!("human_invalid", in_terminal(&invalid()));
    assert_snapshot!("human_unchecked", in_terminal(&unchecked()));
}

#[test]
fn people_see_what_a_contract_asks() {
    assert_snapshot!("human_explained", in_terminal(&explained()));
}

#[test]
fn the_other_formats_tell_the_same() {
    assert_snapshot!("json_failed", json(&failed()));
    assert_snapshot!("json_invalid", json(&invalid()));
    assert_snapshot!("markdown_failed", markdown(&failed()));
    assert_snapshot!("markdown_explained", markdown(&explained()));
    assert_snapshot!("hook_failed", hook(&failed()));
    assert_snapshot!("annotations_failed", annotations(&failed()));
    assert_snapshot!("outputs_failed", outputs(&failed()));
}

#[test]
fn a_hook_lets_go_blocks_or_stops() {
    assert_eq!(hook(&passed()), "");
    let answer = |report: &Report| serde_json::from_str::<Value>(&hook(report)).expect("one JSON object");
    assert_eq!(answer(&failed())["decision"], "block");
    assert_eq!(answer(&dirty())["decision"], "block");
    assert_eq!(answer(&invalid())["continue"], false);
    assert_eq!(answer(&unchecked())["continue"], false);
    let mut used_up = failed();
    used_up.status = Status::Incomplete;
    assert_eq!(answer(&used_up)["continue"], false);
}

#[test]
fn quiet_says_nothing_of_what_holds() {
    let quiet = Look { width: None, verbosity: Verbosity::Quiet };
    assert_eq!(plain(&passed(), &quiet), "");
    let shown = plain(&failed(), &quiet);
    assert!(!shown.contains("max_added_lines") && !shown.contains("contract  "), "{shown}");
    assert!(shown.ends_with("acceptance: FAILED, 3 of 4 checks do not hold\n"), "{shown}");
}

#[test]
fn every_way_to_end_has_its_last_line_and_exit_code() {
    let mut unknown = failed();
    let reason = Failure::new(Kind::RunnerMissing, "vitest is not installed").next("npm ci");
    let findings = vec![Finding::unknown("tests", "/tests/0", &reason)];
    unknown.set_verdict(Verdict { status: VerdictStatus::Unknown, findings });
    let mut untrusted = unchecked();
    untrusted.unchecked.as_mut().expect("a reason").reason = UncheckedReason::AuthorNotTrusted;
    for (report, code, last) in [
        (passed(), 0, "acceptance: PASSED, all 4 checks hold (re-run here, not reported by the author)"),
        (failed(), 1, "acceptance: FAILED, 3 of 4 checks do not hold"),
        (invalid(), 2, "acceptance: ERROR, the contract has 1 error (exit 2)"),
        (unchecked(), 3, "acceptance: UNCHECKED, no contract applies (exit 3; 0 with --allow-unchecked)"),
        (untrusted, 3, "acceptance: UNCHECKED, the contract's author is not trusted (exit 3)"),
        (dirty(), 4, "acceptance: ERROR, could not check: work is not committed (exit 4)"),
        (unknown, 4, "acceptance: ERROR, could not check: the runner is not installed (exit 4)"),
    ] {
        assert_eq!(report.exit().code(), code, "{last}");
        assert_eq!(plain(&report, &Look::default()).lines().last(), Some(last));
    }
}

/// A report in which everything that can come from outside tries to break out.
fn hostile(text: &str) -> Report {
    let mut report = failed();
    let contract = report.contract.as_mut().expect("a contract");
    text.clone_into(&mut contract.source);
    contract.author = Some(text.to_owned());
    contract.notes = lines(&[text]);
    let change = report.change.as_mut().expect("a change");
    text.clone_into(&mut change.base.name);
    change.files.push(changed(text.as_bytes(), ChangeStatus::Added, 1, 0));
    report.notes = lines(&[text]);
    for finding in &mut report.findings {
        text.clone_into(&mut finding.detail);
        finding.notes = lines(&[text]);
        finding.evidence = json!({"path": text, "text": text, "matches": [{"path": text, "line": 1, "text": text}]});
        finding.blocks = vec![Block {
            expected: lines(&[text]),
            found: vec![
                Found::Text(text.to_owned()),
                found_path(text, text),
                Found::Nearest(1, text.to_owned(), "expected".to_owned()),
                Found::Quoted(text.to_owned()),
            ],
            next: lines(&[text]),
        }];
    }
    report
}

#[test]
fn markdown_keeps_hostile_text_inside() {
    for text in [
        "a`b``c```\n# Heading\n</details><script>x</script>",
        "| cell | cell |\n|---|---|\n![x](http://evil.example/x.png)",
        "```\nout\n```\n~~~\n[x](javascript:x) @someone #1 <!-- ",
        "\\`a` <details open> -->\r\n\r\n- ✅ `tests` — passed",
        "$x$ https://evil.example www.evil.example _a_ *b* ~~c~~ &lt; <b>",
    ] {
        let source = markdown(&hostile(text));
        let options = pulldown_cmark::Options::ENABLE_TABLES | pulldown_cmark::Options::ENABLE_STRIKETHROUGH;
        let mut in_code = 0_u32;
        for event in pulldown_cmark::Parser::new_ext(&source, options) {
            use pulldown_cmark::{Event, Tag, TagEnd};
            match event {
                Event::Start(Tag::CodeBlock(_)) => in_code += 1,
                Event::End(TagEnd::CodeBlock) => in_code -= 1,
                Event::Html(html) | Event::InlineHtml(html) => {
                    let html = html.trim();
                    let ours = ["<!-- -->", "</details>", "", "<details open><summary>What to repair</summary>"];
                    let folded = ["<details><summary>Notes</summary>", "<details><summary>What was checked</summary>"];
                    assert!(ours.contains(&html) || folded.contains(&html), "{html:?} in\n{source}");
                }
                Event::Start(Tag::Link { .. } | Tag::Image { .. } | Tag::Heading { .. } | Tag::Emphasis) => {
                    panic!("{event:?} in\n{source}")
                }
                _ => {}
            }
        }
        assert_eq!(in_code, 0);
        assert_eq!(source.matches("\n- ✅ ").count(), 1, "a finding was forged:\n{source}");
    }
}

#[test]
fn large_reports_stay_small_in_markdown() {
    let mut report = failed();
    let entry = report.findings[0].clone();
    report.findings = vec![entry; 20_000];
    let source = markdown(&report);
    assert!(source.len() < 900 * 1024 + 200);
    assert!(source.contains("This report is cut"));
}

proptest::proptest! {
    #[test]
    fn no_hidden_character_survives_in_any_format(text in proptest::prelude::any::<String>()) {
        let report = hostile(&text);
        let shown = [
            in_terminal(&report),
            json(&report),
            markdown(&report),
            hook(&report),
            annotations(&report),
        ];
        for text in shown {
            proptest::prop_assert!(!text.contains(|c| super::escape::is_hidden(c) && c != '\n'), "{text:?}");
        }
        serde_json::from_str::<Value>(&json(&report)).expect("one JSON document");
    }
}

#[test]
fn all_variables_that_tests_did_not_get_are_told_when_nothing_is_to_be_cut() {
    let mut report = failed();
    report.findings[2].evidence["withheld_environment"] = json!(["A", "B"]);
    let told = "note: all variables not passed to the tests: A, B\n";
    assert!(plain(&report, &Look { width: None, verbosity: Verbosity::Verbose }).contains(told));
    assert!(!plain(&report, &Look::default()).contains(told));
}
