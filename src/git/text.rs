//! From bytes to the text that a contract speaks of: UTF-8, or UTF-16 with a byte-order mark; line ends
//! are LF. Knows nothing of where bytes come from.

use crate::facts::FileAt;

/// Decodes a file's content, `None` where it is no text.
pub(super) fn decode(content: Vec<u8>) -> Option<String> {
    let text = match content.as_slice() {
        // UTF-32 begins like UTF-16; read as that it would hide every word between NUL bytes.
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => return None,
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes)?,
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes)?,
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8(rest.to_vec()).ok()?,
        _ => String::from_utf8(content).ok()?,
    };
    // A lone CR ends a line too: to JavaScript and Python, and so to whoever hides code behind one.
    Some(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
}

/// Returns whether the content says that it is UTF-16, in which git's own lines are not lines of text.
pub(super) fn is_utf16(beginning: &[u8]) -> bool {
    matches!(beginning, [0xff, 0xfe, ..] | [0xfe, 0xff, ..])
}

/// Tells what a regular file's content is.
pub(super) fn file_at(content: Vec<u8>) -> FileAt {
    decode(content).map_or(FileAt::NotText, |text| FileAt::Text { text })
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let pairs = bytes.chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    char::decode_utf16(pairs.map(|pair| unit([pair[0], pair[1]]))).collect::<Result<_, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(content: &[u8], want: Option<&str>) {
        assert_eq!(decode(content.to_vec()).as_deref(), want, "{content:?}");
    }

    #[test]
    fn text_is_decoded() {
        check(b"", Some(""));
        check(b"a\r\nb\rc\n", Some("a\nb\nc\n"));
        check(b"\xef\xbb\xbfhi", Some("hi"));
        check(b"/*\0*/", Some("/*\0*/"));
        check(b"\xff\xfeh\0\xac\x20\r\0\n\0", Some("h€\n"));
        check(b"\xfe\xff\0h", Some("h"));
        check(b"\xff\xfe", Some(""));
    }

    #[test]
    fn what_is_no_text_is_told() {
        check(b"caf\xe9", None);
        check(b"\xff\xfeh", None);
        check(b"\xff\xfe\0\xd8", None);
        check(b"\xff\xfe\0\0h\0\0\0", None);
        check(b"\0\0\xfe\xff\0\0\0h", None);
    }
}
