//! Records of a document compared with source records: each exactly once, no other, equal fields.

use super::fault::{Expected, Fault};
use crate::json::{Node, Pointer, Value, join};
use std::collections::HashMap;

/// The facts that a list of records must tell.
#[derive(Debug)]
pub(super) struct SourceRecords<'a> {
    /// Key and record, in the source's order.
    pub(super) records: Vec<(&'a str, &'a Node)>,
    /// Whether the values must not be told.
    pub(super) withheld: bool,
}

/// Reads source records: an object from key to record, or a list of records that hold the key themselves.
///
/// # Errors
/// Returns what is wrong with the source, in words.
pub(super) fn read_source<'a>(source: &'a Node, key: &str) -> Result<Vec<(&'a str, &'a Node)>, String> {
    match &source.value {
        Value::Object(members) => {
            for member in members {
                let named = member.value.get(key).map(|node| &node.value);
                if named.is_some_and(|named| !matches!(named, Value::String(id) if *id == member.key)) {
                    return Err(format!("the record {:?} of the source calls itself otherwise at {key:?}", member.key));
                }
            }
            Ok(members.iter().map(|member| (member.key.as_str(), &member.value)).collect())
        }
        Value::Array(items) => {
            let mut seen = HashMap::new();
            let mut records = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let Some(Value::String(id)) = item.get(key).map(|node| &node.value) else {
                    return Err(format!("record {index} of the source has no string at {key:?}"));
                };
                if let Some(first) = seen.insert(id.as_str(), index) {
                    return Err(format!("records {first} and {index} of the source have the same {key:?}"));
                }
                records.push((id.as_str(), item));
            }
            Ok(records)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            Err("the source is neither an object from key to record nor a list of records".to_owned())
        }
    }
}

/// Returns every difference between the list at a pointer and the source.
pub(super) fn differences(root: &Node, at: &Pointer, key: &str, source: &SourceRecords<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let place = at.places(root).into_iter().next();
    let (list, items) = match place.as_ref().map(|place| place.found) {
        Some(Ok(node)) => {
            if let Value::Array(items) = &node.value {
                (node, items.as_slice())
            } else {
                let message = format!("must be a list of records, is {}", node.kind());
                faults.push(Fault::at("record_missing", at.as_str(), node, message).found(node));
                (node, &[][..])
            }
        }
        Some(Err(above)) => {
            faults.push(Fault::at("record_missing", at.as_str(), above, "there is no list of records here"));
            (above, &[][..])
        }
        None => (root, &[][..]),
    };
    let by_key: HashMap<&str, &Node> = source.records.iter().copied().collect();
    let mut first_at: HashMap<&str, usize> = HashMap::new();
    for (index, item) in items.iter().enumerate() {
        let pointer = join(at.as_str(), &index.to_string());
        let id = match id_of(item, key) {
            Ok(id) => id,
            Err((node, message)) => {
                faults.push(Fault::at("record_unknown", &pointer, node, message).found(item));
                continue;
            }
        };
        let Some(expected) = by_key.get(id) else {
            faults.push(
                Fault::at("record_unknown", &pointer, item, format!("{id:?} is no record of the source"))
                    .key(id)
                    .found(item),
            );
            continue;
        };
        if let Some(first) = first_at.get(id) {
            let message =
                format!("{id:?} stands here again, it is at {} already", join(at.as_str(), &first.to_string()));
            faults.push(Fault::at("record_duplicate", &pointer, item, message).key(id).found(item));
            continue;
        }
        first_at.insert(id, index);
        faults.extend(field_differences(&pointer, id, item, expected, key, source.withheld));
    }
    for (id, record) in &source.records {
        if !first_at.contains_key(id) {
            let message = format!("the record {id:?} is missing");
            faults.push(
                Fault::at("record_missing", at.as_str(), list, message).key(id).expected(told(record, source.withheld)),
            );
        }
    }
    faults
}

fn id_of<'a>(item: &'a Node, key: &str) -> Result<&'a str, (&'a Node, String)> {
    if !matches!(item.value, Value::Object(_)) {
        return Err((item, format!("a record must be an object, this is {}", item.kind())));
    }
    let Some(node) = item.get(key) else {
        return Err((item, format!("this record has no {key:?}, so that nobody can tell which one it is")));
    };
    match &node.value {
        Value::String(id) => Ok(id),
        _ => Err((node, format!("{key:?} must be a string, is {}", node.kind()))),
    }
}

fn field_differences(pointer: &str, id: &str, item: &Node, expected: &Node, key: &str, withheld: bool) -> Vec<Fault> {
    let Value::Object(fields) = &expected.value else {
        return vec![Fault::whole("field_differs", format!("the source's record {id:?} is not an object")).key(id)];
    };
    let fields = fields.iter().filter(|field| field.key != key);
    let differing = fields.filter_map(|field| {
        let at = join(pointer, &field.key);
        let fault = match item.get(&field.key) {
            Some(found) if found.same_as(&field.value) => return None,
            Some(found) => {
                Fault::at("field_differs", &at, found, format!("{:?} of {id:?} differs from the source", field.key))
                    .found(found)
            }
            None => Fault::at("field_differs", &at, item, format!("{:?} of {id:?} is missing", field.key)),
        };
        Some(fault.key(id).expected(told(&field.value, withheld)))
    });
    differing.collect()
}

fn told(node: &Node, withheld: bool) -> Expected {
    if withheld { Expected::Withheld } else { Expected::Value(node.to_json()) }
}
