//! The object stores of a repository: its own and the alternates, flattened, and how such a list is
//! written down. Knows nothing of what the stores hold.

use crate::error::{Failure, Kind};
use crate::git::os;
use std::path::{Path, PathBuf};

/// More stores than any honest chain has.
const MOST_STORES: usize = 200;

/// Returns the store and every store that it borrows from, directly or not.
///
/// Git follows a chain only five deep; a clone that borrows from the last would not see the first.
pub(super) fn flatten(objects: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut stores = vec![os::real_path(objects).unwrap_or_else(|_| objects.to_path_buf())];
    let mut next = 0;
    while let Some(store) = stores.get(next).cloned() {
        next += 1;
        let Ok(text) = std::fs::read(store.join("info/alternates")) else { continue };
        for path in parse(&text) {
            let Some(path) = os::path_of(&path) else { continue };
            // A store that is gone is git's warning; what it held is told as a missing object.
            let Ok(path) = os::real_path(&store.join(path)) else { continue };
            if path.is_dir() && !stores.contains(&path) {
                stores.push(path);
            }
        }
        if stores.len() > MOST_STORES {
            return Err(Failure::new(Kind::ObjectUnreadable, "the repository borrows from too many object stores")
                .detail("file", store.join("info/alternates").to_string_lossy()));
        }
    }
    Ok(stores)
}

/// Writes the list that makes another repository borrow from all of these stores.
pub(super) fn render(stores: &[PathBuf]) -> Vec<u8> {
    let mut text = Vec::new();
    for store in stores {
        quote(&os::bytes_of(store), &mut text);
        text.push(b'\n');
    }
    text
}

/// Quotes a path as git's C style does, where it needs that.
fn quote(path: &[u8], text: &mut Vec<u8>) {
    if !path.starts_with(b"\"") && !path.contains(&b'\n') {
        text.extend_from_slice(path);
        return;
    }
    text.push(b'"');
    for &byte in path {
        match byte {
            b'"' | b'\\' => text.extend_from_slice(&[b'\\', byte]),
            b'\n' => text.extend_from_slice(b"\\n"),
            _ => text.push(byte),
        }
    }
    text.push(b'"');
}

/// Reads the lines of an `alternates` file: comments, plain and quoted paths.
fn parse(text: &[u8]) -> Vec<Vec<u8>> {
    let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#"));
    lines.map(|line| unquote(line).unwrap_or_else(|| line.to_vec())).collect()
}

fn unquote(line: &[u8]) -> Option<Vec<u8>> {
    let inner = line.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut path = Vec::new();
    let mut bytes = inner.iter().copied();
    while let Some(byte) = bytes.next() {
        if byte != b'\\' {
            path.push(byte);
            continue;
        }
        path.push(match bytes.next()? {
            b'a' => 7,
            b'b' => 8,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            escaped @ (b'"' | b'\\') => escaped,
            first @ b'0'..=b'3' => {
                let (second, third) = (bytes.next()?, bytes.next()?);
                let octal = |digit: u8| (b'0'..=b'7').contains(&digit).then(|| digit - b'0');
                (octal(first)? << 6) | (octal(second)? << 3) | octal(third)?
            }
            _ => return None,
        });
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_is_read_as_git_reads_it() {
        let text = b"# borrowed\n/a/objects\n\n../b/objects\n\"/q\\\"\\303\\251\\n\"\n\"torn\n";
        let want: [&[u8]; 4] = [b"/a/objects", b"../b/objects", b"/q\"\xc3\xa9\n", b"\"torn"];
        assert_eq!(parse(text), want);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_written_is_read_back() {
        let stores: Vec<PathBuf> = ["/a b", "/a\nb", "\"odd", "/back\\slash"].iter().map(PathBuf::from).collect();
        let back: Vec<PathBuf> = parse(&render(&stores)).iter().filter_map(|bytes| os::path_of(bytes)).collect();
        assert_eq!(back, stores);
    }

    #[test]
    fn a_circle_of_stores_ends() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        for (store, other) in [(&a, "../b"), (&b, "../a")] {
            std::fs::create_dir_all(store.join("info")).unwrap();
            std::fs::write(store.join("info/alternates"), format!("{other}\n")).unwrap();
        }
        assert_eq!(flatten(&a).unwrap().len(), 2);
    }
}
