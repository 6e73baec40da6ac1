//! Whether the files that a contract names are there. Knows nothing of what a clause asks of them.

use super::words;
use crate::facts::{Facts, PathPresence, PathRule, Plan};
use std::collections::HashMap;

/// Asks for the presence of all literal paths among the rules.
pub(super) fn needs(plan: &mut Plan, rules: &[PathRule]) {
    plan.paths.extend(rules.iter().filter_map(PathRule::as_literal).map(str::to_owned));
}

/// What is known of the presence of paths, by path.
#[derive(Debug)]
pub(super) struct Presence<'a>(HashMap<&'a str, &'a PathPresence>);

impl<'a> Presence<'a> {
    /// Takes what the facts know, which may be nothing.
    pub(super) fn new(facts: &'a Facts) -> Self {
        let known = facts.paths.get().map_or(&[][..], Vec::as_slice);
        Self(known.iter().map(|presence| (presence.path.as_str(), presence)).collect())
    }

    /// Returns whether something stands at the path at head; `None` when nobody looked.
    pub(super) fn at_head(&self, path: &str) -> Option<bool> {
        self.0.get(path).map(|presence| presence.at_head)
    }
}

/// Lists rules, the literal ones with whether they are there at head.
pub(super) fn lines(rules: &[PathRule], facts: &Facts) -> Vec<String> {
    let presence = Presence::new(facts);
    let rows: Vec<(String, String)> = rules
        .iter()
        .map(|rule| {
            let state = match rule.as_literal() {
                None => "a pattern",
                Some(path) => match presence.at_head(path) {
                    Some(true) => "is there",
                    Some(false) => "is not there",
                    None => "",
                },
            };
            (rule.to_string(), state.to_owned())
        })
        .collect();
    words::columns(&rows)
}
