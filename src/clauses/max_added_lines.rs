//! `max_added_lines`: the change adds at most so many lines.

use super::line_cap::{self, Counted};
use super::{Clause, ClauseKind};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "max_added_lines";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    line_cap::read(KEY, Counted::Added, reader, member)
}

fn schema() -> Value {
    json!({})
}
