//! Hand-made facts for the tests of this clause.

use super::TestClause;
use crate::facts::{
    Change, ChangeStatus, ChangedFile, Channel, Completeness, Facts, FileKind, Known, Place, ProcessEnd, RepoPath,
    Revision, Status, TakenBack, TestFacts, TestId, TestRecord, TestRun,
};

/// Makes a record; an empty file is none.
pub(super) fn record(file: &str, path: &[&str], status: Status) -> TestRecord {
    TestRecord {
        id: TestId {
            project: None,
            file: (!file.is_empty()).then(|| file.to_owned()),
            path: path.iter().map(|&name| name.to_owned()).collect(),
            ordinal: 0,
        },
        status,
        counted_as_passed: false,
        line: None,
        message: None,
        group: None,
    }
}

/// Makes a whole run that ended as its records suggest.
pub(super) fn run(records: Vec<TestRecord>) -> TestRun {
    let is_bad = records.iter().any(|record| record.status.is_bad());
    TestRun {
        argv: vec!["node".to_owned(), "vitest".to_owned()],
        end: ProcessEnd { exit_status: Some(i32::from(is_bad)), seconds: 2.1, ..ProcessEnd::default() },
        records,
        load_errors: Vec::new(),
        unhandled: Vec::new(),
        completeness: Completeness::Complete,
        notes: Vec::new(),
    }
}

/// Makes a run of tests in `t.test.ts` from words such as `a b:failed c:skipped`; alone a name passes.
pub(super) fn run_of(words: &str) -> TestRun {
    run(records_of("t.test.ts", words))
}

/// Makes records in a file from words such as `a b:failed`.
pub(super) fn records_of(file: &str, words: &str) -> Vec<TestRecord> {
    let status = |word: &str| match word {
        "failed" => Status::Failed,
        "skipped" => Status::Skipped,
        "todo" => Status::Todo,
        "xfail" => Status::ExpectedFailure,
        "xpass" => Status::UnexpectedPass,
        "flaky" => Status::Flaky,
        "errored" => Status::Errored,
        "unfinished" => Status::Unfinished,
        other => panic!("no status {other:?}"),
    };
    words
        .split_whitespace()
        .map(|word| match word.split_once(':') {
            Some((name, word)) => record(file, &[name], status(word)),
            None => record(file, &[word], Status::Passed),
        })
        .collect()
}

/// Makes facts of one test clause in default mode.
pub(super) fn test_facts(head: TestRun) -> TestFacts {
    TestFacts {
        runner: "vitest".to_owned(),
        version: Some("4.0.3".to_owned()),
        channel: Channel::Private,
        place: Place::Checkout,
        strict: false,
        head: vec![head],
        not_run: None,
        base: None,
        taken_back: None,
        harness: Vec::new(),
        tree_after: Vec::new(),
        signs: Vec::new(),
        test_files: vec![RepoPath::from("t.test.ts")],
        untracked_test_files: Vec::new(),
        withheld: Vec::new(),
        named_deletions: Vec::new(),
    }
}

/// Adds a run at the merge base.
pub(super) fn with_base(mut facts: TestFacts, base: TestRun) -> TestFacts {
    facts.base = Some(Known::Known(base));
    facts
}

/// Adds a run with `src/slugify.ts` taken back; head's run in that clone is as head's own.
pub(super) fn with_taken_back(mut facts: TestFacts, run: TestRun) -> TestFacts {
    let head = facts.head[0].clone();
    let files = vec![RepoPath::from("src/slugify.ts")];
    facts.taken_back = Some(Known::Known(TakenBack { head, run, files, tests_kept_in: Vec::new() }));
    facts
}

/// Makes facts of a change to a source and a test file, with one test clause.
pub(super) fn facts(tests: TestFacts) -> Facts {
    let revision = |name: &str| Revision { name: name.to_owned(), commit: "c".repeat(40) };
    let file = |path: &str| ChangedFile {
        path: RepoPath::from(path),
        status: ChangeStatus::Modified,
        kind: FileKind::Text,
        added: 3,
        deleted: 1,
        old: None,
        new: None,
        longest_line: None,
    };
    Facts {
        change: Known::Known(Change {
            base: revision("origin/main"),
            merge_base: "8c1f0a2".repeat(5),
            head: revision("HEAD"),
            files: vec![file("src/slugify.ts"), file("t.test.ts")],
        }),
        added_lines: Known::Known(Vec::new()),
        tests: vec![Known::Known(tests)],
        ..Facts::none()
    }
}

/// Makes a clause that asks for nothing yet.
pub(super) fn clause() -> TestClause {
    TestClause {
        at: "/tests/0".to_owned(),
        command: ["npx", "vitest", "run"].map(str::to_owned).to_vec(),
        cwd: String::new(),
        passed: None,
        names: Vec::new(),
        fail_to_pass: None,
        pass_to_pass: None,
        test_files: None,
        max_skipped: None,
        repeat: 1,
        timeout_seconds: None,
        junit: None,
    }
}
