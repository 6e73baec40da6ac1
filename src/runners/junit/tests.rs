use super::{Dialect, JunitReader};
use crate::facts::{Completeness, ProcessEnd, Status};
use crate::runners::{Readout, RecordReader as _, Site};
use std::path::Path;

fn read(reports: &[&str]) -> Readout {
    read_as(Dialect::Plain, reports)
}

fn read_as(dialect: Dialect, reports: &[&str]) -> Readout {
    let root = Path::new("/repo");
    let site =
        Site { root, cwd: root, private: root, checkout: root, build: root, this_program: root, search_path: None };
    let mut reader = Box::new(JunitReader::of(dialect, &site));
    for (connection, report) in reports.iter().enumerate() {
        reader.line(connection, report.as_bytes());
    }
    reader.finish(None, &ProcessEnd::default())
}

#[track_caller]
fn check(report: &str, expected: &[&str]) {
    let readout = read(&[report]);
    assert_eq!(readout.completeness, Completeness::Complete, "{report}");
    let told: Vec<String> = readout
        .records
        .iter()
        .map(|record| {
            let status = serde_json::to_value(record.status).unwrap();
            let file = record.id.file.as_deref().unwrap_or("-");
            format!("{} {file} > {} #{}", status.as_str().unwrap(), record.id.full_name(), record.id.ordinal)
        })
        .collect();
    assert_eq!(told, expected, "{report}");
}

#[track_caller]
fn check_incomplete(report: &str, expected: &str) {
    match read(&[report]).completeness {
        Completeness::Incomplete { why } => assert!(why.contains(expected), "{why}"),
        other => panic!("{report}: {other:?}"),
    }
}

#[test]
fn a_bare_suite_tells_what_its_programs_did() {
    let report = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="(empty)" tests="6" failures="2" disabled="1" skipped="2">
  <testcase name="adds" classname="adds" time="0" status="run"><system-out></system-out></testcase>
  <testcase name="fails" classname="fails" status="fail"><failure message=""/><system-out>x</system-out></testcase>
  <testcase name="skipped" classname="skipped" status="notrun"><skipped message="SKIP_RETURN_CODE=77"/></testcase>
  <testcase name="disabled" classname="disabled" status="disabled"/>
  <testcase name="notfound" classname="notfound" status="notrun"><skipped message="Unable to find executable"/></testcase>
  <testcase name="new" status="of a kind that nobody knows"/>
</testsuite>"#;
    let expected = ["passed - > adds #0", "failed - > fails #0", "skipped - > skipped #0", "skipped - > disabled #0"];
    check(report, &[&expected[..], &["errored - > notfound #0", "unfinished - > new #0"]].concat());
}

#[test]
fn files_classes_reruns_and_odd_names_are_kept() {
    let report = "<testsuites><testsuite file=\"/repo/A.php\"><testsuite>\
        <testcase name=\"na\u{ef}ve &lt;x&gt; &amp; &quot;q&quot; &#65;\u{1b}[31m\" class=\"A\" line=\"4\"/>\
        <testcase name=\"same\" classname=\"A\"/><testcase name=\"same\" classname=\"A\"><error type=\"T\">boom &lt;x&gt;</error></testcase>\
        </testsuite></testsuite><testsuite errors=\"3\" failures=\"4\">\
        <testcase name=\"f\" classname=\"t.A\"><flakyFailure message=\"m\"/></testcase>\
        <testcase name=\"r\" classname=\"t.A\"><failure message=\"m\"/><rerunFailure message=\"m\"><stackTrace><![CDATA[<x>]]></stackTrace></rerunFailure></testcase>\
        <testcase name=\"x\" classname=\"t.A\"><skipped type=\"pytest.xfail\" message=\"later\"/></testcase>\
        <testcase name=\"t\" classname=\"t.A\"><skipped message=\"TODO\"/></testcase>\
        </testsuite></testsuites>";
    check(
        report,
        &[
            "passed A.php > A > na\u{ef}ve <x> & \"q\" A\u{1b}[31m #0",
            "passed A.php > A > same #0",
            "errored A.php > A > same #1",
            "flaky - > t.A > f #0",
            "failed - > t.A > r #0",
            "expected_failure - > t.A > x #0",
            "todo - > t.A > t #0",
        ],
    );
    let message = read(&[report]).records[2].message.clone();
    assert_eq!(message.as_deref(), Some("boom <x>"));
}

#[test]
fn what_is_no_whole_report_is_never_a_pass() {
    assert_eq!(read(&[]).completeness, Completeness::NoReport);
    check_incomplete("", "empty");
    check_incomplete("  \n", "empty");
    check_incomplete("<html/>", "no JUnit report");
    check_incomplete("1..2\nok 1\n", "no JUnit report");
    check_incomplete("<testsuite><testcase name='a'/>", "stops early");
    check_incomplete("<testsuite><testcase name='a'></testsuite>", "not well-formed");
    check_incomplete("<testsuite/><testsuite/>", "no JUnit report");
    check_incomplete("<testsuite><testcase time='0'/></testsuite>", "without a name");
    check_incomplete("<testsuite failures='1'><testcase name='a'/></testsuite>", "counts 1 failures");
    check_incomplete("<testsuite><error>x</error><testcase name='a'/></testsuite>", "counts 1 failures");
    check_incomplete(&"<testsuite>".repeat(1000), "too deeply");
    check_incomplete("<testsuite><testcase name='a'><testcase name='b'/></testcase></testsuite>", "holds another");
}

#[test]
fn a_failed_result_without_a_name_is_a_file_that_did_not_load() {
    let readout = read(&[
        "<testsuites><testsuite><testcase name=\"\"><failure>syntax</failure></testcase></testsuite></testsuites>",
    ]);
    assert_eq!(readout.load_errors[0].message, "syntax");
    assert_eq!(readout.completeness, Completeness::Complete);
}

#[test]
fn an_exception_in_a_test_is_a_failure_where_errors_are_exceptions() {
    let report = "<testsuite><testcase classname=\"t.A\" name=\"throws\"><error>boom</error></testcase>\
                  <testcase classname=\"t.B\" name=\"t.B\"><error>no set-up</error></testcase></testsuite>";
    for (dialect, expected) in
        [(Dialect::Plain, [Status::Errored, Status::Errored]), (Dialect::Throwing, [Status::Failed, Status::Errored])]
    {
        let readout = read_as(dialect, &[report]);
        let told: Vec<Status> = readout.records.iter().map(|record| record.status).collect();
        assert_eq!(told, expected, "{dialect:?}");
    }
}
