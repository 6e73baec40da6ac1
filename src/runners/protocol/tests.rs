use super::Reader;
use super::message;
use crate::facts::{Completeness, ProcessEnd, Status};
use crate::runners::{Readout, RecordReader as _, Site};
use proptest::prelude::{ProptestConfig, Strategy, any, prop, proptest};
use std::path::Path;

fn reader() -> Box<Reader> {
    let root = Path::new("/repo");
    Box::new(Reader::new(&Site {
        root,
        cwd: root,
        private: Path::new("/private-folder"),
        checkout: root,
        build: root,
        this_program: root,
        search_path: None,
    }))
}

fn read(lines: &[&str]) -> Readout {
    let mut reader = reader();
    for line in lines {
        reader.line(0, line.as_bytes());
    }
    reader.finish(None, &ProcessEnd::default())
}

const HELLO: &str = r#"{"hello":"n"}"#;

fn one(file: &str, name: &str, at: u32, status: &str) -> String {
    format!(r#"{{"tests":[{{"file":"/repo/{file}","path":["{name}"],"at":{at},"status":"{status}"}}]}}"#)
}

fn end(total: u32) -> String {
    format!(r#"{{"end":{{"total":{total}}}}}"#)
}

#[test]
fn a_whole_stream_is_complete() {
    let readout = read(&[
        HELLO,
        r#"{"start":{"runner":"vitest","version":"3.2.4"}}"#,
        r#"{"expected":{"file":"/repo/a.test.js","count":2}}"#,
        &one("a.test.js", "second", 1, "failed"),
        &one("a.test.js", "first", 0, "passed"),
        r#"{"load":{"file":"/repo/b.test.js","message":"Cannot find module './x' imported from b"}}"#,
        r#"{"unhandled":["boom"]}"#,
        r#"{"loaded":["/repo/a.test.js","/private-folder/reporter.mjs"]}"#,
        r#"{"note":"n"}"#,
        &end(2),
    ]);
    assert_eq!(readout.completeness, Completeness::Complete);
    assert_eq!(readout.version.as_deref(), Some("3.2.4"));
    let told: Vec<_> = readout.records.iter().map(|record| (record.id.full_name(), record.status)).collect();
    assert_eq!(told, [("first".to_owned(), Status::Passed), ("second".to_owned(), Status::Failed)]);
    assert_eq!(readout.records[0].id.file.as_deref(), Some("a.test.js"));
    assert_eq!(readout.load_errors[0].missing.as_deref(), Some("./x"));
    assert_eq!(readout.load_errors[0].file.as_deref(), Some("b.test.js"));
    assert_eq!((readout.unhandled.len(), readout.loaded.len(), readout.notes.len()), (1, 1, 1));
}

#[test]
fn equal_names_are_numbered_in_the_order_of_their_definition() {
    let readout = read(&[
        HELLO,
        &one("a.test.js", "same", 2, "failed"),
        &one("a.test.js", "other", 1, "passed"),
        &one("a.test.js", "same", 0, "passed"),
        &end(3),
    ]);
    let told: Vec<_> = readout.records.iter().map(|record| (record.id.ordinal, record.status)).collect();
    assert_eq!(told, [(0, Status::Passed), (0, Status::Passed), (1, Status::Failed)]);
}

fn check_incomplete(lines: &[&str], expected: &str) {
    match read(lines).completeness {
        Completeness::Incomplete { why } => assert!(why.contains(expected), "{why}"),
        other => panic!("{lines:?}: {other:?}"),
    }
}

#[test]
fn a_stream_that_is_not_whole_says_why() {
    let passed = one("a.test.js", "x", 0, "passed");
    assert_eq!(read(&[]).completeness, Completeness::NoReport);
    check_incomplete(&[HELLO, &passed], "without its end record");
    check_incomplete(&[HELLO, &passed, &end(2)], "counted 2 tests and told the results of 1");
    check_incomplete(&[HELLO, &passed, &passed, &end(1)], "more than one result");
    check_incomplete(&[HELLO, &passed, &end(1), &one("a.test.js", "y", 1, "passed")], "after the end record");
    check_incomplete(&[HELLO, &end(0), &end(0)], "after the end record");
    check_incomplete(&[HELLO, HELLO, &end(0)], "opened twice");
    check_incomplete(&[HELLO, "not a record", &end(0)], "not a record");
    check_incomplete(&[HELLO, r#"{"tests":[{"path":["x"],"at":0,"status":"green"}]}"#, &end(1)], "not a record");
    check_incomplete(&[HELLO, r#"{"end":{"total":-1}}"#], "not a record");
    check_incomplete(&[HELLO, r#"{"tests":[{"path":[],"at":0,"status":"passed"}]}"#, &end(1)], "no name");
    let expected = r#"{"expected":{"file":"/repo/a.test.js","count":1}}"#;
    check_incomplete(&[HELLO, expected, &end(0)], "announced 1 tests");
    check_incomplete(&[HELLO, expected, &one("a.test.js", "y", 1, "passed"), &end(1)], "was not collected");
    check_incomplete(&[HELLO, expected, &expected.replace('1', "2"), &passed, &end(1)], "collected twice");
}

#[test]
fn a_fault_of_the_channel_makes_the_stream_incomplete() {
    let mut reader = reader();
    reader.line(0, HELLO.as_bytes());
    reader.line(0, end(0).as_bytes());
    let readout = reader.finish(Some("the channel was opened twice"), &ProcessEnd::default());
    assert!(matches!(readout.completeness, Completeness::Incomplete { why } if why.contains("opened twice")));
}

#[test]
fn messages_lose_their_colours_and_are_cut_at_a_character() {
    assert_eq!(message("a\u{1b}[31;1mred\u{1b}[0m \u{1b}[2K \u{1b}["), "ared \u{1b}[2K \u{1b}[");
    let long = message(&"é".repeat(5000));
    assert!(long.len() <= super::MESSAGE_BYTES && long.chars().all(|character| character == 'é'));
}

/// Lines that a hostile process might send: honest ones, in any order, cut and with bytes changed.
fn hostile_line() -> impl Strategy<Value = Vec<u8>> {
    let honest = prop::sample::select(vec![
        HELLO.to_owned(),
        r#"{"start":{"runner":"vitest","version":null}}"#.to_owned(),
        r#"{"expected":{"file":"/repo/a.test.js","count":1}}"#.to_owned(),
        one("a.test.js", "x", 0, "passed"),
        one("../../etc/passwd", "x", 4_294_967_295, "flaky"),
        r#"{"load":{"message":"\u001b[31mx"}}"#.to_owned(),
        r#"{"loaded":["/a","\\\\?\\C:\\x"]}"#.to_owned(),
        r#"{"end":{"total":1e400}}"#.to_owned(),
        end(1),
    ]);
    (honest, any::<Option<(prop::sample::Index, u8)>>(), any::<Option<prop::sample::Index>>()).prop_map(
        |(line, change, cut)| {
            let mut bytes = line.into_bytes();
            if let Some((at, byte)) = change {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            if let Some(at) = cut {
                let at = at.index(bytes.len());
                bytes.truncate(at);
            }
            bytes
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn hostile_bytes_never_panic_and_only_a_whole_stream_is_complete(lines in prop::collection::vec(hostile_line(), 0..12)) {
        let mut reader = reader();
        for line in &lines {
            reader.line(0, line);
        }
        let told = reader.so_far();
        let readout = reader.finish(None, &ProcessEnd::default());
        assert!(told.0 <= readout.records.len());
        if readout.completeness == Completeness::Complete {
            let last: serde_json::Value = serde_json::from_slice(lines.last().unwrap()).unwrap();
            assert_eq!(last["end"]["total"], readout.records.len() as u64);
        }
    }

    #[test]
    fn nothing_that_comes_later_takes_a_result_back(lines in prop::collection::vec(hostile_line(), 0..8)) {
        let mut reader = reader();
        reader.line(0, HELLO.as_bytes());
        reader.line(0, one("a.test.js", "x", 0, "failed").as_bytes());
        for line in &lines {
            reader.line(0, line);
        }
        let readout = reader.finish(None, &ProcessEnd::default());
        assert!(readout.records.iter().any(|record| record.status == Status::Failed && record.id.full_name() == "x"));
    }
}
