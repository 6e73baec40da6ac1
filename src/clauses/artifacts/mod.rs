//! `artifacts`: a document that the change must produce, compared with facts that somebody else supplied.
//! What the document says of itself (`"status": "complete"`) is never read.

mod explain;
mod fault;
mod quotes;
mod read;
mod records;
mod schema;
#[cfg(test)]
mod tests;

use super::{Block, Clause, ClauseKind, Explanation, Finding, FindingStatus, Found};
use crate::error::Failure;
use crate::facts::{ArtifactFacts, ArtifactPlan, Bytes, Document, Facts, Plan, SourceFile};
use crate::json::{Node, Pointer};
use fault::{Fault, Lines};
use serde_json::{Map, Value, json};

const KEY: &str = "artifacts";

/// A document is not read when it is larger than this many bytes, unless the contract says otherwise.
const DEFAULT_MAX_BYTES: u64 = 1 << 20;

/// Lists and objects of a document may be nested this deep.
const MAX_DEPTH: usize = 128;

/// EVIDENCE: lists are whole in JSON up to this many entries.
const MAX_FAULTS: usize = 10_000;

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read: read::read, schema: explain::schema };

/// One document and what it must hold.
#[derive(Debug)]
pub(super) struct Artifact {
    at: String,
    path: String,
    max_bytes: u64,
    schema: Option<Value>,
    records: Vec<Records>,
    quotes: Vec<Quotes>,
}

/// A list of records that must tell each source record exactly once.
#[derive(Debug)]
struct Records {
    at: Pointer,
    key: String,
    source: Source<Node>,
}

/// Strings that must occur word for word in a text.
#[derive(Debug)]
struct Quotes {
    at: Pointer,
    source: Source<String>,
}

/// Where the facts stand.
#[derive(Debug)]
enum Source<T> {
    /// In the contract.
    Inline(T),
    /// In a file, read at the merge base.
    File(String),
}

impl<T> Source<T> {
    fn file(&self) -> Option<&str> {
        match self {
            Self::Inline(_) => None,
            Self::File(path) => Some(path),
        }
    }
}

impl Artifact {
    fn source_files(&self) -> Vec<String> {
        let records = self.records.iter().filter_map(|records| records.source.file());
        let quotes = self.quotes.iter().filter_map(|quotes| quotes.source.file());
        let mut files: Vec<String> = Vec::new();
        for path in records.chain(quotes) {
            if !files.iter().any(|known| known == path) {
                files.push(path.to_owned());
            }
        }
        files
    }

    /// Returns every fault of a document, in the document's order.
    fn faults(&self, facts: &ArtifactFacts) -> Result<Vec<Fault>, Failure> {
        let text = match &facts.document {
            Document::NoFile(what) => return Ok(vec![Fault::whole("no_file", what.clone())]),
            Document::TooLarge(bytes) => {
                let message = format!("the document has {bytes} bytes or more, at most {} are allowed", self.max_bytes);
                return Ok(vec![Fault::whole("too_large", message)]);
            }
            Document::Bytes(Bytes::Base64(_)) => return Ok(vec![Fault::whole("syntax", "the document is not UTF-8")]),
            Document::Bytes(Bytes::Text(text)) => text,
        };
        if u64::try_from(text.len()).is_ok_and(|bytes| bytes > self.max_bytes) {
            let message = format!("the document has {} bytes, at most {} are allowed", text.len(), self.max_bytes);
            return Ok(vec![Fault::whole("too_large", message)]);
        }
        let root = match crate::json::parse(text, MAX_DEPTH) {
            Ok(root) => root,
            Err(problems) => {
                let fault = |problem: crate::json::Problem| Fault {
                    span: Some(problem.span),
                    ..Fault::whole("syntax", format!("{}: {}", problem.message, problem.label))
                };
                return Ok(problems.into_iter().map(fault).collect());
            }
        };
        let mut faults = self.schema.as_ref().map(|schema| schema::violations(schema, &root)).unwrap_or_default();
        for records in &self.records {
            faults.extend(records.faults(&root, facts)?);
        }
        for quotes in &self.quotes {
            faults.extend(quotes.faults(&root, facts)?);
        }
        faults.sort_by_key(|fault| fault.span.as_ref().map_or(0, |span| span.start));
        Ok(faults)
    }
}

impl Records {
    fn faults(&self, root: &Node, facts: &ArtifactFacts) -> Result<Vec<Fault>, Failure> {
        let (file, parsed);
        let (source, withheld) = match &self.source {
            Source::Inline(node) => (node, false),
            Source::File(path) => {
                file = source_file(facts, path)?;
                parsed = crate::json::parse(&file.text, MAX_DEPTH).map_err(|problems| {
                    let reason = problems.first().map_or_else(String::new, |problem| problem.label.clone());
                    unusable(path, &format!("it is not strict JSON: {reason}"))
                })?;
                (&parsed, file.withheld)
            }
        };
        let path = self.source.file().unwrap_or("the contract");
        let records = records::read_source(source, &self.key).map_err(|reason| unusable(path, &reason))?;
        if records.is_empty() {
            return Err(unusable(path, "it holds no record, so that nothing could be missing"));
        }
        Ok(records::differences(root, &self.at, &self.key, &records::SourceRecords { records, withheld }))
    }
}

impl Quotes {
    fn faults(&self, root: &Node, facts: &ArtifactFacts) -> Result<Vec<Fault>, Failure> {
        let text = match &self.source {
            Source::Inline(text) => text,
            Source::File(path) => &source_file(facts, path)?.text,
        };
        Ok(quotes::not_found(root, &self.at, text))
    }
}

fn source_file<'a>(facts: &'a ArtifactFacts, path: &str) -> Result<&'a SourceFile, Failure> {
    for source in &facts.sources {
        let source = source.get().map_err(Failure::clone)?;
        if source.path == path {
            return Ok(source);
        }
    }
    Err(Failure::new(crate::error::Kind::Bug, format!("the source `{path}` was not collected")))
}

fn unusable(path: &str, reason: &str) -> Failure {
    Failure::new(crate::error::Kind::ContractInvalid, format!("the source `{path}` cannot be compared with: {reason}"))
        .next("repair the source on the base branch, or name another one in the contract")
}

impl Clause for Artifact {
    fn check(&self) -> &'static str {
        KEY
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        let mut members = Map::new();
        members.insert("path".to_owned(), json!(self.path));
        members.insert("max_bytes".to_owned(), json!(self.max_bytes));
        if let Some(schema) = &self.schema {
            members.insert("schema".to_owned(), schema.clone());
        }
        let records = self.records.iter().map(|records| match &records.source {
            Source::Inline(node) => json!({"at": records.at.as_str(), "key": records.key, "source": node.to_json()}),
            Source::File(path) => json!({"at": records.at.as_str(), "key": records.key, "source_file": path}),
        });
        let quotes = self.quotes.iter().map(|quotes| match &quotes.source {
            Source::Inline(text) => json!({"at": quotes.at.as_str(), "source": text}),
            Source::File(path) => json!({"at": quotes.at.as_str(), "source_file": path}),
        });
        if !self.records.is_empty() {
            members.insert("records".to_owned(), records.collect());
        }
        if !self.quotes.is_empty() {
            members.insert("quotes".to_owned(), quotes.collect());
        }
        Value::Object(members)
    }

    fn needs(&self, plan: &mut Plan) {
        plan.artifacts.push(ArtifactPlan {
            path: self.path.clone(),
            max_bytes: self.max_bytes,
            source_files: self.source_files(),
        });
    }

    fn judge(&self, facts: &Facts, index: usize) -> Finding {
        let missing = crate::facts::Known::not_collected();
        let collected = facts.artifacts.get(index).unwrap_or(&missing);
        let artifact = match collected.get() {
            Ok(artifact) => artifact,
            Err(failure) => return Finding::unknown(KEY, &self.at, failure),
        };
        let faults = match self.faults(artifact) {
            Ok(faults) => faults,
            Err(failure) => return Finding::unknown(KEY, &self.at, &failure),
        };
        let (text, bytes) = match &artifact.document {
            Document::Bytes(Bytes::Text(text)) => (text.as_str(), json!(text.len())),
            Document::TooLarge(bytes) => ("", json!(bytes)),
            Document::Bytes(Bytes::Base64(_)) | Document::NoFile(_) => ("", Value::Null),
        };
        let lines = Lines::of(text);
        // What is to be corrected is the file that was handed over, not one that the contract's path would lead to.
        let named = artifact.file.as_ref().unwrap_or(&self.path);
        let told: Vec<Value> = faults.iter().take(MAX_FAULTS).map(|fault| fault.to_evidence(&lines)).collect();
        let mut evidence = json!({ "path": self.path, "bytes": bytes, "max_bytes": self.max_bytes, "faults": told });
        if let Some(file) = &artifact.file {
            evidence["file"] = json!(file);
        }
        if let Some(omitted) = faults.len().checked_sub(MAX_FAULTS).filter(|omitted| *omitted > 0) {
            evidence["omitted"] = json!(omitted);
        }
        let changed = artifact.sources.iter().filter_map(|source| source.get().ok());
        let notes = changed
            .filter(|source| source.changed_at_head)
            .map(|source| {
                format!("the change edits the source {}; it was read as it is at the merge base", source.path)
            })
            .collect();
        let holds = faults.is_empty();
        let count = match faults.len() {
            1 => "1 fault".to_owned(),
            n => format!("{n} faults"),
        };
        Finding {
            check: KEY.to_owned(),
            at: self.at.clone(),
            status: if holds { FindingStatus::Passed } else { FindingStatus::Failed },
            detail: if holds {
                format!("{} is as the sources say", self.path)
            } else {
                format!("{}: {count}", self.path)
            },
            command: None,
            next: (!holds).then(|| format!("correct {named} at the places listed")),
            evidence,
            blocks: if holds { Vec::new() } else { vec![self.block(&faults, &lines, named)] },
            notes,
            failure: None,
        }
    }

    fn explain(&self, facts: &Facts, index: usize) -> Explanation {
        explain::explain(self, facts, index)
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Artifact {
    fn block(&self, faults: &[Fault], lines: &Lines<'_>, named: &str) -> Block {
        let found = faults.iter().map(|fault| {
            let place = match &fault.span {
                Some(span) => {
                    let (line, column) = lines.place(span.start);
                    format!("{named}:{line}:{column}")
                }
                None => named.to_owned(),
            };
            let pointer = if fault.pointer.is_empty() { String::new() } else { format!("{}  ", fault.pointer) };
            Found::Path(place, format!("{pointer}{}", fault.message))
        });
        Block {
            expected: self.asks(),
            found: found.collect(),
            next: vec![format!("correct {named} at these places, from the sources alone")],
        }
    }
}
