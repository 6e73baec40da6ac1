//! Reads the `artifacts` key of a contract.

use super::{Artifact, DEFAULT_MAX_BYTES, Quotes, Records, Source, records, schema};
use crate::clauses::Clause;
use crate::json::{Member, Node, Object, Pointer, Problem, Reader, Value};

/// Larger documents are nobody's summary, and reading them whole would cost too much memory: 1 GiB.
const LARGEST_MAX_BYTES: u64 = 1 << 30;

pub(super) fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let artifacts = reader.each(&member.value, "artifacts", artifact).unwrap_or_default();
    artifacts.into_iter().map(|artifact| Box::new(artifact) as Box<dyn Clause>).collect()
}

fn artifact(reader: &mut Reader, node: &Node) -> Option<Artifact> {
    let object = reader.object(node, &["path", "max_bytes", "schema", "records", "quotes"])?;
    let path = reader.required(&object, "path").and_then(|node| reader.within("path", |reader| reader.path(node)));
    let max_bytes = match object.get("max_bytes") {
        Some(node) => reader.within("max_bytes", |reader| reader.integer(node, 1, LARGEST_MAX_BYTES)),
        None => Some(DEFAULT_MAX_BYTES),
    };
    let schema = object.get("schema").map(|node| reader.within("schema", |reader| schema_of(reader, node)));
    let records = optional_list(reader, &object, "records", "records to compare", record_list);
    let quotes = optional_list(reader, &object, "quotes", "quotes to look up", quote_list);
    if object.get("schema").is_none() && object.get("records").is_none() && object.get("quotes").is_none() {
        let problem =
            Problem::new(object.span().clone(), "this artifact asks for nothing", "no schema, records or quotes");
        reader.problem(problem.help("add at least one of \"schema\", \"records\", \"quotes\""));
        return None;
    }
    let schema = match schema {
        Some(schema) => Some(schema?),
        None => None,
    };
    let at = reader.pointer().to_owned();
    Some(Artifact { at, path: path?, max_bytes: max_bytes?, schema, records: records?, quotes: quotes? })
}

/// Reads a list that may be left out; `None` only when it is there and wrong.
fn optional_list<T>(
    reader: &mut Reader,
    object: &Object<'_>,
    key: &str,
    what: &str,
    read: fn(&mut Reader, &Node) -> Option<T>,
) -> Option<Vec<T>> {
    match object.get(key) {
        Some(node) => reader.within(key, |reader| reader.each(node, what, read)),
        None => Some(Vec::new()),
    }
}

fn schema_of(reader: &mut Reader, node: &Node) -> Option<serde_json::Value> {
    if !matches!(node.value, Value::Object(_) | Value::Bool(_)) {
        reader.wrong_type(node, "must be a JSON Schema: an object, true or false");
        return None;
    }
    let value = node.to_json();
    match schema::compile(&value) {
        Ok(_) => Some(value),
        Err((pointer, message)) => {
            let place = Pointer::parse(&pointer).and_then(|pointer| pointer.places(node).pop()?.found.ok());
            let span = place.unwrap_or(node).span.clone();
            let problem = Problem::new(span, "this is not a JSON Schema that can be used here", message);
            reader.problem(problem.help("`$ref` may only lead to a place inside this schema"));
            None
        }
    }
}

fn record_list(reader: &mut Reader, node: &Node) -> Option<Records> {
    let object = reader.object(node, &["at", "key", "source", "source_file"])?;
    let at = pointer(reader, &object, false);
    let key_node = reader.required(&object, "key");
    let key = key_node.and_then(|node| reader.within("key", |reader| reader.string(node))).map(str::to_owned);
    let source = source(reader, &object, |reader, node| {
        let key = key.as_deref()?;
        match records::read_source(node, key).and_then(|records| all_objects(&records)) {
            Ok(()) => Some(node.clone()),
            Err(message) => {
                reader.problem(Problem::new(node.span.clone(), message, "not source records"));
                None
            }
        }
    });
    Some(Records { at: at?, key: key?, source: source? })
}

fn all_objects(records: &[(&str, &Node)]) -> Result<(), String> {
    if records.is_empty() {
        return Err("the source has no record".to_owned());
    }
    match records.iter().find(|(_, record)| !matches!(record.value, Value::Object(_))) {
        Some((id, record)) => Err(format!("the record {id:?} of the source must be an object, is {}", record.kind())),
        None => Ok(()),
    }
}

fn quote_list(reader: &mut Reader, node: &Node) -> Option<Quotes> {
    let object = reader.object(node, &["at", "source", "source_file"])?;
    let at = pointer(reader, &object, true);
    let source = source(reader, &object, |reader, node| reader.string(node).map(str::to_owned));
    Some(Quotes { at: at?, source: source? })
}

fn pointer(reader: &mut Reader, object: &Object<'_>, may_have_star: bool) -> Option<Pointer> {
    let node = reader.required(object, "at")?;
    let Value::String(text) = &node.value else {
        reader.within("at", |reader| reader.wrong_type(node, "must be a JSON Pointer"));
        return None;
    };
    match Pointer::parse(text) {
        Some(pointer) if pointer.has_star() && !may_have_star => {
            let problem = Problem::new(node.span.clone(), "`*` has no meaning here", "one list is compared");
            reader.problem(problem.help("name the list itself: \"/timeline\""));
            None
        }
        Some(pointer) => Some(pointer),
        None => {
            let problem =
                Problem::new(node.span.clone(), "this is not a JSON Pointer", "must be empty or start with `/`");
            reader.problem(problem.help("write the path from the root: \"/timeline\""));
            None
        }
    }
}

fn source<T>(
    reader: &mut Reader,
    object: &Object<'_>,
    read: impl FnOnce(&mut Reader, &Node) -> Option<T>,
) -> Option<Source<T>> {
    match (object.get("source"), object.get("source_file")) {
        (Some(node), None) => reader.within("source", |reader| read(reader, node)).map(Source::Inline),
        (None, Some(node)) => reader.within("source_file", |reader| reader.path(node)).map(Source::File),
        (Some(_), Some(_)) => {
            let problem =
                Problem::new(object.span().clone(), "both \"source\" and \"source_file\" are given", "one too many");
            reader.problem(problem);
            None
        }
        (None, None) => {
            let problem = Problem::new(object.span().clone(), "there is nothing to compare with", "no source");
            reader.problem(problem.help("add \"source\" with the facts, or \"source_file\" with a path"));
            None
        }
    }
}
