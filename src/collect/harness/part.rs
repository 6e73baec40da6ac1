//! One part of a manifest that changed, and how parts of parsed documents are compared.
//! Knows nothing of any manifest.

use crate::facts::HarnessWeight;
use serde_json::Value;

/// A part of a manifest that differs between the merge base and head.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// The part as people write it: `jest`, `[tool.pytest]`; `None` for the whole file.
    pub(crate) section: Option<String>,
    /// Why it matters.
    pub(crate) why: String,
    /// How much it weighs before anybody allows it.
    pub(crate) weight: HarnessWeight,
}

impl Part {
    /// Makes a part that decides how tests run.
    pub(crate) fn fault(section: impl Into<String>, why: impl Into<String>) -> Self {
        Self { section: Some(section.into()), why: why.into(), weight: HarnessWeight::Fault }
    }

    /// Makes a part that strict mode alone refuses.
    pub(crate) fn strict(section: impl Into<String>, why: impl Into<String>) -> Self {
        Self { section: Some(section.into()), why: why.into(), weight: HarnessWeight::StrictFault }
    }

    /// Makes the part of a file that cannot be read by its own format: what a runner makes of it is unknown.
    pub(crate) fn unreadable(format: &str) -> Self {
        Self {
            section: None,
            why: format!("it cannot be read as {format}, so nobody can say what it decides"),
            weight: HarnessWeight::Fault,
        }
    }
}

/// Looks a dotted key up: `tool.pytest`.
pub(crate) fn lookup<'a>(value: &'a Value, dotted: &str) -> Option<&'a Value> {
    // A key may itself hold dots or stand as a whole.
    if let Some(found) = value.get(dotted) {
        return Some(found);
    }
    dotted.match_indices('.').find_map(|(at, _)| lookup(value.get(&dotted[..at])?, &dotted[at + 1..]))
}

/// Returns the names of the members that differ between two objects.
pub(crate) fn differing_keys(base: Option<&Value>, head: Option<&Value>) -> Vec<String> {
    let empty = serde_json::Map::new();
    let base = base.and_then(Value::as_object).unwrap_or(&empty);
    let head = head.and_then(Value::as_object).unwrap_or(&empty);
    let mut keys: Vec<String> =
        base.keys().chain(head.keys()).filter(|key| base.get(*key) != head.get(*key)).cloned().collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Names a few things: `a, b and 3 more`.
pub(crate) fn few(names: &[String]) -> String {
    match names {
        [] => String::new(),
        names if names.len() <= 5 => names.join(", "),
        names => format!("{} and {} more", names[..4].join(", "), names.len() - 4),
    }
}
