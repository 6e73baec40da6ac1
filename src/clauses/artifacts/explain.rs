//! What an artifact clause asks, in plain words, revealing no more than the contract itself does.

use super::{Artifact, KEY, Records, Source};
use crate::clauses::Clause as _;
use crate::clauses::{Explanation, FindingStatus, Standing};
use crate::facts::Facts;
use serde_json::{Value, json};

impl Artifact {
    /// Returns what the contract asks, a line each.
    pub(super) fn asks(&self) -> Vec<String> {
        let mut lines = vec![format!("{} is one strict JSON document of at most {} bytes", self.path, self.max_bytes)];
        if self.schema.is_some() {
            lines.push("it is as the contract's JSON Schema asks".to_owned());
        }
        lines.extend(self.records.iter().map(Records::asks));
        lines.extend(self.quotes.iter().map(|quotes| {
            let source = match &quotes.source {
                Source::Inline(_) => "the text in the contract".to_owned(),
                Source::File(path) => format!("{path} at the merge base"),
            };
            format!("every string at {} stands word for word in {source}", quotes.at.as_str())
        }));
        lines
    }
}

impl Records {
    fn asks(&self) -> String {
        let source = match &self.source {
            Source::Inline(node) => {
                let ids = super::records::read_source(node, &self.key).unwrap_or_default();
                let ids: Vec<&str> = ids.iter().map(|(id, _)| *id).collect();
                format!("in the contract ({})", ids.join(", "))
            }
            Source::File(path) => format!("in {path} at the merge base"),
        };
        let list = if self.at.as_str().is_empty() { "the document" } else { self.at.as_str() };
        format!("{list} lists each record {source} exactly once by {:?}, no other, with equal fields", self.key)
    }
}

pub(super) fn explain(artifact: &Artifact, facts: &Facts, index: usize) -> Explanation {
    let known = facts.artifacts.get(index).is_some();
    let finding = known.then(|| artifact.judge(facts, index));
    let mut lines = artifact.asks();
    lines.push("what the document says of itself (a status, \"done\") counts for nothing".to_owned());
    let (standing, next) = match finding {
        Some(finding) => {
            lines.push(format!("Now: {}", finding.detail));
            let standing = match finding.status {
                FindingStatus::Passed => Standing::MetSoFar,
                FindingStatus::Failed => Standing::NotMet,
                FindingStatus::Unknown => Standing::Unknown,
            };
            (standing, finding.next.into_iter().collect())
        }
        None => (Standing::NotMet, vec![format!("write {} from the sources", artifact.path)]),
    };
    Explanation { check: KEY.to_owned(), at: artifact.at().to_owned(), standing, lines, next }
}

pub(super) fn schema() -> Value {
    let path = json!({ "type": "string", "minLength": 1, "description": "Repository-relative path." });
    let pointer = |text: &str| json!({ "type": "string", "pattern": "^(/.*)?$", "description": text });
    json!({
        "description": "Documents that the change must produce, compared with facts that somebody else supplied.",
        "markdownDescription": "Documents that the change must produce, compared with facts that somebody else supplied. `source_file`s are read at the merge base.",
        "examples": [[{
            "path": "incident.json",
            "records": [{ "at": "/timeline", "key": "source_id", "source": { "E1": { "time": "09:00Z" } } }]
        }]],
        "type": "array",
        "minItems": 1,
        "items": {
            "type": "object",
            "additionalProperties": false,
            "required": ["path"],
            "anyOf": [{ "required": ["schema"] }, { "required": ["records"] }, { "required": ["quotes"] }],
            "properties": {
                "path": path,
                "max_bytes": { "type": "integer", "minimum": 1, "maximum": 1_073_741_824, "default": 1_048_576, "description": "Bytes; a larger document is refused before it is read." },
                "schema": { "type": ["object", "boolean"], "description": "JSON Schema, 2020-12 unless `$schema` says otherwise." },
                "records": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["at", "key"],
                        "oneOf": [{ "required": ["source"] }, { "required": ["source_file"] }],
                        "properties": {
                            "at": pointer("JSON Pointer to the list of records."),
                            "key": { "type": "string", "minLength": 1, "description": "The member that names a record." },
                            "source": { "type": ["object", "array"], "description": "From key to record, or a list of records." },
                            "source_file": path
                        }
                    }
                },
                "quotes": {
                    "type": "array",
                    "minItems": 1,
                    "items": {
                        "type": "object",
                        "additionalProperties": false,
                        "required": ["at"],
                        "oneOf": [{ "required": ["source"] }, { "required": ["source_file"] }],
                        "properties": {
                            "at": pointer("JSON Pointer to the quotes; `*` is every element of a list."),
                            "source": { "type": "string", "minLength": 1, "description": "The text that the quotes come from." },
                            "source_file": path
                        }
                    }
                }
            }
        }
    })
}
