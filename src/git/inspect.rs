//! Reads both sides of every changed file once: proves them, and notes what is media and which lines are
//! too long to mean anything. Keeps nothing of ordinary files.

use crate::error::{Failure, Kind};
use crate::git::Repository;
use crate::git::media::{Media, SNIFFED, is_packed, n_odd};
use crate::git::objects::{Object, ObjectKind, cut_off};
use crate::git::oid::Oid;
use crate::git::tree::Mode;
use crate::git::tree_diff::Pair;
use std::collections::{HashMap, HashSet};
use std::io::Read as _;

/// Lines longer than this many characters are named, because line counts say little about them.
const LONG_LINE: u64 = 5000;

/// Files over this size, in bytes, are not searched for which of their long lines are new.
const LARGEST_COMPARED: u64 = 64 << 20;

/// What was noticed.
#[derive(Debug, Default)]
pub(super) struct Inspected {
    media: HashMap<Oid, Vec<Media>>,
    /// Blobs at head with a long line, and the characters of the longest.
    long: HashMap<Oid, u64>,
    /// The longest added line by path.
    added: HashMap<Vec<u8>, u64>,
}

impl Inspected {
    /// Returns whether a blob is media or an archive that goes by this path's extension.
    pub(super) fn is_media(&self, oid: Oid, path: &[u8]) -> bool {
        self.media.get(&oid).is_some_and(|all| all.iter().any(|media| media.fits(path)))
    }

    /// Returns the characters of the longest added line, where it is long.
    pub(super) fn longest_added_line(&self, pair: &Pair) -> Option<u64> {
        self.added.get(&pair.path).copied()
    }
}

impl Repository {
    /// Reads the files of all pairs.
    pub(super) fn inspect(&self, pairs: &[Pair]) -> Result<Inspected, Failure> {
        let mut oids = Vec::with_capacity(pairs.len() * 2);
        // Of each blob, whether it is a file at head.
        let mut at_head: HashMap<Oid, bool> = HashMap::with_capacity(pairs.len() * 2);
        for pair in pairs {
            for (side, is_new) in [(pair.old, false), (pair.new, true)] {
                let Some((mode, oid)) = side.filter(|(mode, _)| *mode != Mode::Submodule) else { continue };
                let is_at_head = at_head.entry(oid).or_insert_with(|| {
                    oids.push(oid);
                    false
                });
                *is_at_head |= is_new && mode.is_file();
            }
        }
        let mut inspected = Inspected::default();
        let mut buffer = vec![0; SNIFFED];
        self.objects.each(&oids, &mut |object| {
            let oid = oids[object.index];
            if object.kind != ObjectKind::Blob {
                return Err(Failure::new(
                    Kind::ObjectUnreadable,
                    format!("object {oid} is a {}, not a file", object.kind.name()),
                ));
            }
            let wants_lines = object.size > LONG_LINE && at_head.get(&oid) == Some(&true);
            look_at(object, &mut buffer, oid, wants_lines, &mut inspected).map_err(|error| cut_off(&error))
        })?;
        for pair in pairs {
            self.note_long_lines(pair, &mut inspected)?;
        }
        Ok(inspected)
    }

    /// Finds out which long lines are new; only files that have one get here.
    fn note_long_lines(&self, pair: &Pair, inspected: &mut Inspected) -> Result<(), Failure> {
        let Some((_, new)) = pair.new.filter(|(mode, _)| mode.is_file()) else { return Ok(()) };
        let Some(&longest) = inspected.long.get(&new) else { return Ok(()) };
        let old = pair.old.filter(|(mode, oid)| mode.is_file() && *oid != new);
        let longest = match (old, pair.old) {
            (Some((_, old)), _) => match (self.small_blob(old)?, self.small_blob(new)?) {
                (Some(old), Some(new)) => longest_new_line(&old, &new),
                // Too large to compare: named rather than passed over.
                (None, _) | (_, None) => longest,
            },
            // The mode alone changed, so no line is new.
            (None, Some((_, oid))) if oid == new => 0,
            (None, _) => longest,
        };
        if longest > LONG_LINE {
            inspected.added.insert(pair.path.clone(), longest);
        }
        Ok(())
    }

    fn small_blob(&self, oid: Oid) -> Result<Option<Vec<u8>>, Failure> {
        let mut content = None;
        self.objects.each(&[oid], &mut |object| {
            if object.size <= LARGEST_COMPARED {
                content = Some(object.content().map_err(|error| cut_off(&error))?);
            }
            Ok(())
        })?;
        Ok(content)
    }
}

fn look_at(
    object: &mut Object<'_>,
    buffer: &mut [u8],
    oid: Oid,
    wants_lines: bool,
    inspected: &mut Inspected,
) -> std::io::Result<()> {
    let size = object.size;
    let mut filled = 0;
    while filled < buffer.len() {
        match object.read(&mut buffer[filled..])? {
            0 => break,
            n_read => filled += n_read,
        }
    }
    let media = Media::of_content(&buffer[..filled]);
    if media.is_empty() && !wants_lines {
        return Ok(());
    }
    let mut odd = 0;
    let mut lines = LineMeter::default();
    while filled > 0 {
        if !media.is_empty() {
            odd += n_odd(&buffer[..filled]);
        }
        if wants_lines {
            lines.take(&buffer[..filled]);
        }
        filled = object.read(buffer)?;
    }
    if !media.is_empty() && is_packed(odd, size) {
        inspected.media.insert(oid, media);
    }
    if lines.longest() > LONG_LINE {
        inspected.long.insert(oid, lines.longest());
    }
    Ok(())
}

/// Measures lines that arrive in pieces, in characters: bytes that do not continue one in UTF-8.
#[derive(Debug, Default)]
struct LineMeter {
    longest: u64,
    current: u64,
}

impl LineMeter {
    fn take(&mut self, piece: &[u8]) {
        let mut parts = piece.split(|&byte| byte == b'\n');
        self.current += parts.next().map_or(0, n_characters);
        for part in parts {
            self.longest = self.longest.max(self.current);
            self.current = n_characters(part);
        }
    }

    fn longest(&self) -> u64 {
        self.longest.max(self.current)
    }
}

fn n_characters(bytes: &[u8]) -> u64 {
    bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count() as u64
}

fn longest_new_line(old: &[u8], new: &[u8]) -> u64 {
    let long = |text| <[u8]>::split(text, |&byte| byte == b'\n').filter(|line| n_characters(line) > LONG_LINE);
    let known: HashSet<&[u8]> = long(old).collect();
    long(new).filter(|line| !known.contains(line)).map(n_characters).max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_measured_across_pieces() {
        let mut meter = LineMeter::default();
        for piece in ["ab", "c\nd\n\n", "é", "é\n", "x"] {
            meter.take(piece.as_bytes());
        }
        assert_eq!(meter.longest(), 3);
        meter.take("xyzw".as_bytes());
        assert_eq!(meter.longest(), 5);
    }

    #[test]
    fn only_new_long_lines_are_named() {
        let (old, new) = ("o".repeat(6000), "n".repeat(5500));
        assert_eq!(longest_new_line(old.as_bytes(), format!("{old}\n{new}\n").as_bytes()), 5500);
        assert_eq!(longest_new_line(old.as_bytes(), format!("short\n{old}").as_bytes()), 0);
    }
}
