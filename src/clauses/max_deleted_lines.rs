//! `max_deleted_lines`: the change deletes at most so many lines.

use super::line_cap;
use super::line_count::Counted;
use super::schema_parts::{described, whole_number};
use super::{Clause, ClauseKind};
use crate::json::{Member, Reader};
use serde_json::{Value, json};

const KEY: &str = "max_deleted_lines";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    line_cap::read(KEY, Counted::Deleted, reader, member)
}

fn schema() -> Value {
    described(
        whole_number(),
        "The change deletes at most this many lines, over all files.",
        "The change deletes at most this many lines, over **all** files, lock files and snapshots too. \
         A limit for some files alone goes into `line_limits`.",
        &json!([10]),
    )
}
