//! Quotes of a document: each must occur word for word in the source text.

use super::fault::Fault;
use crate::json::{Node, Pointer, Value};

/// Returns every quote that is not in the source, and every place where there ought to be one.
/// A document that quotes nothing has not cited its source.
pub(super) fn not_found(root: &Node, at: &Pointer, source: &str) -> Vec<Fault> {
    let places = at.places(root);
    if places.is_empty() {
        let message = format!("there is no quote at {}", at.as_str());
        return vec![Fault { pointer: at.as_str().to_owned(), ..Fault::at("quote_not_found", "", root, message) }];
    }
    let source = source.replace("\r\n", "\n").replace('\r', "\n");
    let faults = places.into_iter().filter_map(|place| {
        let node = match place.found {
            Ok(node) => node,
            Err(above) => return Some(Fault::at("quote_not_found", &place.pointer, above, "there is no quote here")),
        };
        let message = match &node.value {
            Value::String(quote) if quote.trim().is_empty() => "an empty quote cites nothing".to_owned(),
            Value::String(quote) if source.contains(&quote.replace("\r\n", "\n").replace('\r', "\n")) => return None,
            Value::String(_) => "these words are not in the source".to_owned(),
            _ => format!("a quote must be a string, this is {}", node.kind()),
        };
        Some(Fault::at("quote_not_found", &place.pointer, node, message).found(node))
    });
    faults.collect()
}
