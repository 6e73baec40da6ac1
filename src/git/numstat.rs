//! Has git count the lines of a change, in the quarantine, where lines of every file are counted.

use crate::error::{Failure, Kind};
use crate::git::background::Background;
use crate::git::objects::Objects;
use crate::git::oid::Oid;
use std::io::Read as _;
use std::process::Command;
use std::thread::JoinHandle;

/// What git counted for one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) path: Vec<u8>,
    /// Added and deleted lines; `None` where git did not count.
    pub(super) lines: Option<(u64, u64)>,
}

/// A count that is under way.
pub(super) struct Counting {
    process: Background,
    output: JoinHandle<std::io::Result<Vec<u8>>>,
}

impl Counting {
    /// Starts to count.
    pub(super) fn start(objects: &Objects, old: Oid, new: Oid) -> Result<Self, Failure> {
        let mut command = diff_tree(objects, &["-z", "--numstat"], old, new);
        let (process, mut stdout) = Background::start(objects, &mut command)?;
        let output = std::thread::spawn(move || {
            let mut output = Vec::new();
            stdout.read_to_end(&mut output).map(|_| output)
        });
        Ok(Self { process, output })
    }

    /// Waits for the counts, in git's order.
    pub(super) fn finish(self) -> Result<Vec<Count>, Failure> {
        let output = self.output.join().map_err(|_| Failure::new(Kind::Bug, "the reader of git's output panicked"))?;
        let output = output.map_err(|error| Failure::new(Kind::Io, format!("git's output was cut off: {error}")))?;
        let output = self.process.finish(output)?;
        if !output.is_success() {
            return Err(failed(&output.complaint("it was ended from outside")));
        }
        parse(&output.stdout).ok_or_else(|| failed("its output is not a list of counts"))
    }
}

/// Makes a `diff-tree` command for two proven trees: no renames, no programs or conversions, submodules as
/// pointers.
pub(super) fn diff_tree(objects: &Objects, form: &[&str], old: Oid, new: Oid) -> Command {
    let mut command = objects.command();
    command.args(["diff-tree", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color"]);
    command.args(["--ignore-submodules=none", "--diff-algorithm=default"]).args(form);
    command.args(["--end-of-options", &old.to_string(), &new.to_string()]);
    command
}

/// Says that git could not compare the two commits.
pub(super) fn failed(why: &str) -> Failure {
    Failure::new(Kind::ObjectUnreadable, "git could not compare the merge base with head").detail("git", why)
}

fn parse(output: &[u8]) -> Option<Vec<Count>> {
    let records = output.split(|&byte| byte == 0).filter(|record| !record.is_empty());
    records
        .map(|record| {
            let mut fields = record.splitn(3, |&byte| byte == b'\t');
            let (added, deleted, path) = (fields.next()?, fields.next()?, fields.next()?.to_vec());
            if added == b"-" && deleted == b"-" {
                return Some(Count { path, lines: None });
            }
            let number = |digits: &[u8]| std::str::from_utf8(digits).ok()?.parse().ok();
            Some(Count { path, lines: Some((number(added)?, number(deleted)?)) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_with_any_path() {
        let counts = parse(b"1\t2\ta\tb\n c\x000\t0\t-\0-\t-\tbig\0").unwrap();
        let want = [("a\tb\n c", Some((1, 2))), ("-", Some((0, 0))), ("big", None)];
        assert_eq!(counts, want.map(|(path, lines)| Count { path: path.into(), lines }));
        for wrong in [b"1\t2\0".as_slice(), b"x\t2\ta\0", b"-\t2\ta\0", b"1\0"] {
            assert!(parse(wrong).is_none(), "{wrong:?}");
        }
    }
}
