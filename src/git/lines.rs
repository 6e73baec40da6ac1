//! The lines that a change adds, with their numbers at head, read from git's own diff without context.
//! Knows nothing of which lines matter.

use crate::error::{Failure, Kind};
use crate::facts::{AddedLines, ChangeStatus, ChangedFile, FileKind, RepoPath};
use crate::git::Repository;
use crate::git::background::Background;
use crate::git::numstat::{diff_tree, failed};
use crate::git::text;
use std::collections::HashMap;
use std::io::{BufRead, BufReader};

/// UTF-16 files over this size, in bytes, are not decoded.
const LARGEST_DECODED: u64 = 64 << 20;

/// All that is kept of added lines together, in bytes.
const MOST_BYTES: usize = 1 << 30;

impl Repository {
    /// Returns the added lines of those files that are wanted, in the order of `files`, which must be what
    /// [`Repository::diff`] returned for the same commits. Line ends are taken off; what is not UTF-8 has
    /// replacement characters. Media and submodules have no lines.
    ///
    /// # Errors
    /// [`Kind::ObjectUnreadable`] when git cannot make the diff, or makes another one than it counted.
    pub fn added_lines(
        &self,
        old: &str,
        new: &str,
        files: &[ChangedFile],
        wanted: &dyn Fn(&RepoPath) -> bool,
    ) -> Result<Vec<AddedLines>, Failure> {
        if !files.iter().any(|file| wanted(&file.path)) {
            return Ok(Vec::new());
        }
        let form = ["-p", "-U0", "--inter-hunk-context=0", "--full-index", "--submodule=short", "--no-relative"];
        let mut command = diff_tree(&self.objects, &form, self.root_tree(old)?, self.root_tree(new)?);
        let (process, stdout) = Background::start(&self.objects, &mut command)?;
        let mut patch = Patch { source: BufReader::with_capacity(1 << 16, stdout), line: Vec::new(), n_kept: 0 };
        let mut added = Vec::new();
        patch.next_line()?;
        for file in files {
            let keeps = wanted(&file.path) && matches!(file.kind, FileKind::Text | FileKind::Symlink);
            let (lines, is_odd) = patch.file(file, keeps)?;
            if keeps {
                let decoded = if is_odd { self.decoded_lines(file)? } else { None };
                added.push(AddedLines { path: file.path.clone(), lines: decoded.unwrap_or(lines) });
            }
        }
        if !patch.line.is_empty() {
            return Err(failed("its diff shows more files than it counted"));
        }
        let output = process.finish(Vec::new())?;
        if output.is_success() { Ok(added) } else { Err(failed(&output.complaint("it was ended from outside"))) }
    }

    /// Decodes a UTF-16 file, in whose bytes git's lines are not lines of text. Its added lines are those
    /// that do not occur as often in the old text.
    fn decoded_lines(&self, file: &ChangedFile) -> Result<Option<Vec<(u64, String)>>, Failure> {
        let read = |object: &str| self.blob(object, LARGEST_DECODED);
        let Some(new) = file.new.as_ref().map(|entry| read(&entry.object)).transpose()?.flatten() else {
            return Ok(None);
        };
        let Some(new) = Some(new).filter(|new| text::is_utf16(new)).and_then(text::decode) else { return Ok(None) };
        let old = file.old.as_ref().filter(|entry| entry.mode.starts_with("100"));
        let old = old.map(|entry| read(&entry.object)).transpose()?.flatten();
        let old = old.and_then(text::decode).unwrap_or_default();
        let mut known: HashMap<&str, u64> = HashMap::new();
        for line in old.lines() {
            *known.entry(line).or_default() += 1;
        }
        let mut added = Vec::new();
        for (number, line) in (1..).zip(new.lines()) {
            match known.get_mut(line) {
                Some(count) if *count > 0 => *count -= 1,
                Some(_) | None => added.push((number, line.to_owned())),
            }
        }
        Ok(Some(added))
    }
}

/// A diff while it is read, one line ahead. A line of a file's content always begins with `+`, `-` or
/// `\`, so no content can pass for a header; the paths in headers are not read at all.
struct Patch<R> {
    source: R,
    /// The next line without its end, empty at the end of the diff.
    line: Vec<u8>,
    n_kept: usize,
}

impl<R: BufRead> Patch<R> {
    /// Reads one file's sections; a file that becomes a link has two. Returns its added lines, and whether
    /// one of them is not plain text.
    fn file(&mut self, file: &ChangedFile, keeps: bool) -> Result<(Vec<(u64, String)>, bool), Failure> {
        let n_sections = if file.status == ChangeStatus::TypeChanged { 2 } else { 1 };
        let mut kept = Kept { lines: Vec::new(), is_odd: false, n_added: 0, n_deleted: 0 };
        for _ in 0..n_sections {
            if !self.line.starts_with(b"diff --git ") {
                return Err(failed("its diff shows fewer files than it counted"));
            }
            self.next_line()?;
            while !self.line.is_empty() && !self.line.starts_with(b"diff --git ") {
                if let Some(index) = self.line.strip_prefix(b"index ") {
                    check_index(index, file)?;
                    self.next_line()?;
                } else if self.line.starts_with(b"@@ ") {
                    self.hunk(keeps, &mut kept)?;
                } else {
                    self.next_line()?;
                }
            }
        }
        if file.kind != FileKind::Binary && (kept.n_added, kept.n_deleted) != (file.added, file.deleted) {
            return Err(failed("its diff has other lines than it counted"));
        }
        Ok((kept.lines, kept.is_odd))
    }

    fn hunk(&mut self, keeps: bool, kept: &mut Kept) -> Result<(), Failure> {
        let (n_deleted, start, n_added) =
            parse_hunk(&self.line).ok_or_else(|| failed("a hunk's header is malformed"))?;
        kept.n_deleted += n_deleted;
        kept.n_added += n_added;
        let mut left = (n_deleted, n_added);
        self.next_line()?;
        while left != (0, 0) || self.line.starts_with(b"\\") {
            match self.line.split_first() {
                Some((b'-', _)) if left.0 > 0 => left.0 -= 1,
                Some((b'+', text)) if left.1 > 0 => {
                    if keeps {
                        kept.is_odd |= text.contains(&0) || std::str::from_utf8(text).is_err();
                        let text = text.strip_suffix(b"\r").unwrap_or(text);
                        self.n_kept += text.len();
                        let number = start + (n_added - left.1);
                        // What stands behind a lone CR is a line of its own, under git's number.
                        kept.lines.extend(
                            text.split(|byte| *byte == b'\r')
                                .map(|text| (number, String::from_utf8_lossy(text).into_owned())),
                        );
                    }
                    left.1 -= 1;
                }
                Some((b'\\', _)) => {}
                Some(_) | None => return Err(failed("its diff is cut off")),
            }
            if self.n_kept > MOST_BYTES {
                return Err(Failure::new(Kind::ObjectUnreadable, "the change adds more than 1 GiB of lines"));
            }
            self.next_line()?;
        }
        Ok(())
    }

    fn next_line(&mut self) -> Result<(), Failure> {
        self.line.clear();
        let read = self.source.read_until(b'\n', &mut self.line);
        read.map_err(|error| failed(&format!("its diff is cut off: {error}")))?;
        if self.line.last() == Some(&b'\n') {
            self.line.pop();
        }
        Ok(())
    }
}

/// What one file's sections gave.
struct Kept {
    lines: Vec<(u64, String)>,
    is_odd: bool,
    n_added: u64,
    n_deleted: u64,
}

/// Fails unless the section speaks of the objects that the file has.
fn check_index(index: &[u8], file: &ChangedFile) -> Result<(), Failure> {
    let index = String::from_utf8_lossy(index);
    let names = index.split(' ').next().and_then(|names| names.split_once(".."));
    let fits = |name: &str, entry: Option<&crate::facts::Entry>| {
        name.bytes().all(|byte| byte == b'0') || entry.is_some_and(|entry| entry.object == name)
    };
    match names {
        Some((old, new)) if fits(old, file.old.as_ref()) && fits(new, file.new.as_ref()) => Ok(()),
        Some(_) | None => Err(failed("its diff shows other files than it counted")),
    }
}

/// Reads `@@ -3,2 +3 @@`: how many deleted, the first added, how many added.
fn parse_hunk(line: &[u8]) -> Option<(u64, u64, u64)> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.strip_prefix("@@ ")?.split(' ');
    let range = |word: &str, sign: char| -> Option<(u64, u64)> {
        let word = word.strip_prefix(sign)?;
        let (start, count) = word.split_once(',').unwrap_or((word, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    let (_, n_deleted) = range(words.next()?, '-')?;
    let (start, n_added) = range(words.next()?, '+')?;
    Some((n_deleted, start, n_added))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "1111111111111111111111111111111111111111";
    const NEW: &str = "2222222222222222222222222222222222222222";

    fn file(added: u64, deleted: u64) -> ChangedFile {
        let entry = |object: &str| crate::facts::Entry { mode: "100644".to_owned(), object: object.to_owned() };
        ChangedFile {
            path: RepoPath::from("a"),
            status: ChangeStatus::Modified,
            kind: FileKind::Text,
            added,
            deleted,
            old: Some(entry(OLD)),
            new: Some(entry(NEW)),
            longest_line: None,
        }
    }

    fn read(body: &str, added: u64, deleted: u64) -> Result<Vec<(u64, String)>, Failure> {
        let text = format!("diff --git a/a b/a\nindex {OLD}..{NEW} 100644\n--- a/a\n+++ b/a\n{body}");
        let mut patch = Patch { source: text.as_bytes(), line: Vec::new(), n_kept: 0 };
        patch.next_line()?;
        patch.file(&file(added, deleted), true).map(|(lines, _)| lines)
    }

    #[test]
    fn lines_that_look_like_a_diff_are_lines() {
        let lines = read(
            "@@ -1 +1,3 @@ x\n-@@ -1 +1 @@\n\\ No newline at end of file\n+diff --git a/b b/b\n+++ b/b\n+index 0..1\r\n\
             @@ -9,0 +12 @@\n+end\n\\ No newline at end of file\n",
            4,
            1,
        );
        let want = [(1, "diff --git a/b b/b"), (2, "++ b/b"), (3, "index 0..1"), (12, "end")];
        assert_eq!(lines.unwrap(), want.map(|(number, line)| (number, line.to_owned())));
    }

    #[test]
    fn a_lone_cr_ends_a_line_too() {
        let lines = read("@@ -0,0 +1 @@\n+// hi\reval()\r\n", 1, 0);
        assert_eq!(lines.unwrap(), [(1, "// hi".to_owned()), (1, "eval()".to_owned())]);
    }

    #[test]
    fn a_diff_that_disagrees_is_refused() {
        assert!(read("@@ -0,0 +1 @@\n+a\n", 2, 0).is_err());
        assert!(read("@@ -0,0 +1,2 @@\n+a\n", 2, 0).is_err());
        assert!(read("@@ -0,0 +x @@\n+a\n", 1, 0).is_err());
        assert!(read("@@ -0,0 +1 @@\n+a\nindex 3..4 100644\n", 1, 0).is_err());
    }
}
