//! The incident, told in every way that a convincing answer can be wrong.

use crate::clauses::{Finding, FindingStatus};
use crate::contract::{Contract, Reading, read};
use crate::facts::{ArtifactFacts, Bytes, Document, Facts, Known, SourceFile};
use crate::verdict::judge;
use serde_json::{Value, json};

const INCIDENT: &str = r#"{"artifacts": [{
  "path": "incident.json",
  "schema": {
    "required": ["timeline", "owner", "unresolved"],
    "properties": {"owner": {"const": null}, "unresolved": {"contains": {"const": "cause"}}}
  },
  "records": [{
    "at": "/timeline", "key": "source_id",
    "source": {"E1": {"time": "09:00Z", "what": "outage"}, "E2": {"time": "09:20Z", "what": "recovered"}}
  }]
}]}"#;

fn contract(text: &str) -> Contract {
    match read(text.as_bytes()) {
        Reading::Valid(contract) => *contract,
        other => panic!("the contract is valid, but was read as {other:?}"),
    }
}

fn finding_of(contract_text: &str, document: Document, sources: Vec<Known<SourceFile>>) -> Finding {
    let facts = Facts {
        artifacts: vec![Known::Known(ArtifactFacts { document, sources, origin: "test".to_owned(), file: None })],
        ..Facts::none()
    };
    judge(&contract(contract_text), &facts).findings.remove(0)
}

fn of_text(contract_text: &str, document: &str) -> Finding {
    finding_of(contract_text, Document::Bytes(Bytes::Text(document.to_owned())), Vec::new())
}

/// Returns each fault as `kind pointer`.
fn faults(finding: &Finding) -> Vec<String> {
    let list = finding.evidence["faults"].as_array().expect("a list of faults");
    list.iter()
        .map(|fault| {
            format!("{} {}", fault["kind"].as_str().expect("a kind"), fault["pointer"].as_str().expect("a pointer"))
        })
        .collect()
}

fn incident(timeline: &str, owner: &str) -> String {
    format!(r#"{{"status": "complete", "done": true, "timeline": [{timeline}], {owner} "unresolved": ["cause"]}}"#)
}

const E1: &str = r#"{"source_id": "E1", "time": "09:00Z", "what": "outage"}"#;
const E2: &str = r#"{"source_id": "E2", "time": "09:20Z", "what": "recovered"}"#;
const NOBODY: &str = r#""owner": null,"#;

#[test]
fn a_source_record_that_calls_itself_otherwise_is_no_source() {
    let text = |id: &str| {
        format!(
            r#"{{"artifacts": [{{"path": "a.json", "records": [{{"at": "/t", "key": "id", "source": {{"E1": {{"id": {id}}}}}}}]}}]}}"#
        )
    };
    for (id, is_valid) in [(r#""E1""#, true), (r#""E2""#, false), ("1", false), ("null", false)] {
        assert_eq!(matches!(read(text(id).as_bytes()), Reading::Valid(_)), is_valid, "{id}");
    }
}

#[test]
fn each_answer_to_the_incident_gets_its_verdict_and_pointers() {
    let both = format!("{E1}, {E2}");
    for (what, document, expected) in [
        ("complete", incident(&both, NOBODY), vec![]),
        ("reordered", incident(&format!("{E2}, {E1}"), NOBODY), vec![]),
        ("more fields than asked", incident(&format!("{}, {E2}", E1.replace('}', ", \"note\": 1}")), NOBODY), vec![]),
        ("an event omitted", incident(E1, NOBODY), vec!["record_missing /timeline"]),
        ("an owner invented", incident(&both, r#""owner": "J. Doe","#), vec!["schema /owner"]),
        ("the owner absent", incident(&both, ""), vec!["schema "]),
        ("the owner empty", incident(&both, r#""owner": "","#), vec!["schema /owner"]),
        ("an event told twice", incident(&format!("{E1}, {E2}, {E1}"), NOBODY), vec!["record_duplicate /timeline/2"]),
        (
            "an unknown event",
            incident(&format!("{both}, {{\"source_id\": \"E3\"}}"), NOBODY),
            vec!["record_unknown /timeline/2"],
        ),
        (
            "a wrong time",
            incident(&format!("{}, {E2}", E1.replace("09:00", "09:05")), NOBODY),
            vec!["field_differs /timeline/0/time"],
        ),
        (
            "swapped times",
            incident(&format!("{}, {}", E1.replace("09:00", "09:20"), E2.replace("09:20", "09:00")), NOBODY),
            vec!["field_differs /timeline/0/time", "field_differs /timeline/1/time"],
        ),
        (
            "a field left out",
            incident(&format!("{}, {E2}", E1.replace("\"time\": \"09:00Z\", ", "")), NOBODY),
            vec!["field_differs /timeline/0/time"],
        ),
        (
            "a field of another type",
            incident(&format!("{}, {E2}", E1.replace("\"09:00Z\"", "900")), NOBODY),
            vec!["field_differs /timeline/0/time"],
        ),
        (
            "a null field",
            incident(&format!("{}, {E2}", E1.replace("\"09:00Z\"", "null")), NOBODY),
            vec!["field_differs /timeline/0/time"],
        ),
        ("a row that is no object", incident(&format!("\"E1\", {both}"), NOBODY), vec!["record_unknown /timeline/0"]),
        (
            "a key that is no string",
            incident(&format!("{{\"source_id\": 1}}, {both}"), NOBODY),
            vec!["record_unknown /timeline/0"],
        ),
        ("a row without a key", incident(&format!("{{}}, {both}"), NOBODY), vec!["record_unknown /timeline/0"]),
        ("an empty list", incident("", NOBODY), vec!["record_missing /timeline", "record_missing /timeline"]),
        ("the cause explained away", incident(&both, NOBODY).replace("[\"cause\"]", "[]"), vec!["schema /unresolved"]),
        ("not JSON", "The incident is resolved.".to_owned(), vec!["syntax "]),
        ("empty", String::new(), vec!["syntax "]),
        ("fenced", format!("```json\n{}\n```", incident(&both, NOBODY)), vec!["syntax "]),
        ("text after it", format!("{} done", incident(&both, NOBODY)), vec!["syntax "]),
        ("NaN", incident(&both, r#""owner": NaN,"#), vec!["syntax "]),
        ("duplicate keys", incident(&both, r#""owner": "J. Doe", "owner": null,"#), vec!["syntax "]),
        ("nested too deep", "[".repeat(129), vec!["syntax "]),
    ] {
        let finding = of_text(INCIDENT, &document);
        assert_eq!(faults(&finding), expected, "{what}");
        let status = if expected.is_empty() { FindingStatus::Passed } else { FindingStatus::Failed };
        assert_eq!(finding.status, status, "{what}");
    }
}

#[test]
fn what_a_document_claims_of_itself_changes_nothing() {
    let honest = incident(E1, NOBODY);
    let modest = honest.replace("\"status\": \"complete\", \"done\": true, ", "");
    assert_eq!(faults(&of_text(INCIDENT, &honest)), faults(&of_text(INCIDENT, &modest)));
}

#[test]
fn documents_that_cannot_be_read_are_faults_of_the_author() {
    for (document, expected) in [
        (Document::NoFile("there is no file at incident.json".to_owned()), "no_file "),
        (Document::TooLarge(50_000_000), "too_large "),
        (Document::Bytes(Bytes::Base64("/w==".to_owned())), "syntax "),
        (Document::Bytes(Bytes::Text(format!("\"{}\"", "x".repeat(1 << 20)))), "too_large "),
    ] {
        assert_eq!(faults(&finding_of(INCIDENT, document, Vec::new())), [expected]);
    }
}

#[test]
fn a_fault_says_what_was_expected_and_found_and_where() {
    let document = "{\n  \"timeline\": [\n    {\"source_id\": \"E1\", \"time\": \"09:05Z\", \"what\": \"outage\"},\n"
        .to_owned()
        + &format!("    {E2}], \"owner\": null, \"unresolved\": [\"cause\"]}}");
    let finding = of_text(INCIDENT, &document);
    assert_eq!(
        finding.evidence["faults"],
        json!([{
            "kind": "field_differs", "pointer": "/timeline/0/time", "line": 3, "column": 33, "keyword": null, "key": "E1",
            "expected": "09:00Z", "found": "09:05Z", "message": "\"time\" of \"E1\" differs from the source"
        }])
    );
}

#[test]
fn equal_numbers_are_equal_however_they_are_written() {
    let contract =
        r#"{"artifacts": [{"path": "a.json", "records": [{"at": "", "key": "id", "source": {"a": {"n": 5}}}]}]}"#;
    for (number, holds) in [
        ("5", true),
        ("5.0", true),
        ("50e-1", true),
        ("\"5\"", false),
        ("5.000000000000000000001", false),
        ("null", false),
    ] {
        let finding = of_text(contract, &format!(r#"[{{"id": "a", "n": {number}}}]"#));
        assert_eq!(finding.is_ok(), holds, "{number}");
    }
}

const QUOTES: &str =
    r#"{"artifacts": [{"path": "a.json", "quotes": [{"at": "/findings/*/quote", "source_file": "log.txt"}]}]}"#;

fn log(withheld: bool) -> Vec<Known<SourceFile>> {
    let text = "disk full\non db-1\n".to_owned();
    vec![Known::Known(SourceFile { path: "log.txt".to_owned(), text, blob: None, changed_at_head: true, withheld })]
}

#[test]
fn a_quote_must_stand_in_the_source_and_a_document_must_quote() {
    for (document, expected) in [
        (r#"{"findings": [{"quote": "disk full\r\non db-1"}]}"#, vec![]),
        (
            r#"{"findings": [{"quote": "disk full"}, {"quote": "disk empty"}]}"#,
            vec!["quote_not_found /findings/1/quote"],
        ),
        (r#"{"findings": [{"quote": ""}]}"#, vec!["quote_not_found /findings/0/quote"]),
        (r#"{"findings": [{}]}"#, vec!["quote_not_found /findings/0/quote"]),
        (r#"{"findings": [{"quote": 7}]}"#, vec!["quote_not_found /findings/0/quote"]),
        (r#"{"findings": []}"#, vec!["quote_not_found /findings/*/quote"]),
        ("{}", vec!["quote_not_found /findings/*/quote"]),
    ] {
        let finding = finding_of(QUOTES, Document::Bytes(Bytes::Text(document.to_owned())), log(false));
        assert_eq!(faults(&finding), expected, "{document}");
        assert_eq!(finding.notes.len(), 1, "the change to the source is named");
    }
}

#[test]
fn values_of_a_source_outside_the_repository_are_not_told() {
    let contract =
        r#"{"artifacts": [{"path": "a.json", "records": [{"at": "", "key": "id", "source_file": "facts.json"}]}]}"#;
    let text = r#"[{"id": "a", "pin": "1234"}, {"id": "b", "pin": "5678"}]"#.to_owned();
    let source = SourceFile { path: "facts.json".to_owned(), text, blob: None, changed_at_head: false, withheld: true };
    let document = Document::Bytes(Bytes::Text(r#"[{"id": "a", "pin": "0000"}]"#.to_owned()));
    let finding = finding_of(contract, document, vec![Known::Known(source)]);
    assert_eq!(faults(&finding), ["record_missing ", "field_differs /0/pin"]);
    let told = serde_json::to_string(&finding).expect("it can be written");
    assert!(!told.contains("1234") && !told.contains("5678"), "{told}");
    assert!(told.contains("expected_withheld"));
}

#[test]
fn a_source_that_cannot_be_compared_with_makes_the_clause_unknown() {
    let contract =
        r#"{"artifacts": [{"path": "a.json", "records": [{"at": "", "key": "id", "source_file": "facts.json"}]}]}"#;
    for text in ["", "[]", "{}", "7", "[{}]", "[{\"id\": \"a\"}, {\"id\": \"a\"}]"] {
        let source = SourceFile {
            path: "facts.json".to_owned(),
            text: text.to_owned(),
            blob: None,
            changed_at_head: false,
            withheld: false,
        };
        let document = Document::Bytes(Bytes::Text("[]".to_owned()));
        let finding = finding_of(contract, document, vec![Known::Known(source)]);
        assert_eq!(finding.status, FindingStatus::Unknown, "{text}");
    }
}

#[test]
fn wrong_artifact_clauses_are_refused_at_their_place() {
    for clause in [
        r#"{"path": "a.json"}"#,
        r#"{"path": "a.json", "schema": 7}"#,
        r#"{"path": "a.json", "schema": {"type": "nothing"}}"#,
        r#"{"path": "a.json", "schema": {"$ref": "https://example.com/schema.json"}}"#,
        r#"{"path": "a.json", "schema": {"$ref": "file:///etc/passwd"}}"#,
        r##"{"path": "a.json", "schema": {"$ref": "#/nowhere"}}"##,
        r#"{"path": "a.json", "records": []}"#,
        r#"{"path": "a.json", "records": [{"at": "timeline", "key": "id", "source": {"a": {}}}]}"#,
        r#"{"path": "a.json", "records": [{"at": "/*", "key": "id", "source": {"a": {}}}]}"#,
        r#"{"path": "a.json", "records": [{"at": "", "key": "id", "source": {}}]}"#,
        r#"{"path": "a.json", "records": [{"at": "", "key": "id", "source": {"a": 1}}]}"#,
        r#"{"path": "a.json", "records": [{"at": "", "key": "id"}]}"#,
        r#"{"path": "a.json", "quotes": [{"at": "/q", "source": "x", "source_file": "y"}]}"#,
        r#"{"path": "../a.json", "quotes": [{"at": "/q", "source": "x"}]}"#,
        r#"{"path": "a.json", "max_bytes": 0, "quotes": [{"at": "/q", "source": "x"}]}"#,
    ] {
        let text = format!("{{\"artifacts\": [{clause}]}}");
        assert!(matches!(read(text.as_bytes()), Reading::Invalid(_)), "{clause} was taken");
    }
}

#[test]
fn the_digest_does_not_depend_on_how_a_number_is_written() {
    let of = |number: &str| {
        let text = r#"{"artifacts": [{"path": "a.json", "schema": {"minimum": N}}]}"#.replace('N', number);
        contract(&text).digest
    };
    assert_eq!(of("1"), of("1.0"));
    assert_ne!(of("1"), of("2"));
}

/// Each keyword of JSON Schema 2020-12 that asserts something: schema, a document that is as it asks, one that is not.
#[test]
fn every_keyword_of_the_schema_language_judges() {
    let table: Value = serde_json::from_str(include_str!("keywords.json")).expect("the table is JSON");
    let rows = table.as_array().expect("a list");
    for row in rows {
        let schema = &row["schema"];
        let text = json!({ "artifacts": [{ "path": "a.json", "schema": schema }] }).to_string();
        for (documents, holds) in [("valid", true), ("invalid", false)] {
            for document in row[documents].as_array().expect("a list of documents") {
                let finding = of_text(&text, &document.to_string());
                assert_eq!(finding.is_ok(), holds, "{schema} on {document}");
            }
        }
    }
    assert!(rows.len() >= 60, "{} rows", rows.len());
}
