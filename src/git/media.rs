//! Tells media and archives, whose lines mean nothing, from everything else. Content and extension must
//! agree: neither a NUL byte, nor a name, nor an attribute takes a file's lines out of the count.

/// How much of a file's beginning is looked at, in bytes.
pub(super) const SNIFFED: usize = 1 << 16;

/// Media and archives are packed: at least one byte in this many is no character of a text. A script can
/// begin like an image (`GIF89a/*\0*/=1;`), but then most of it is text.
const ODD_SHARE: u64 = 8;

/// A kind of file, with the extensions that it goes by. What is code in a container (`jar`, `wasm`, `pyc`,
/// `so`, `exe`) is not here, nor is anything that is text (`svg`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Media(&'static [&'static str]);

/// Where a magic number stands, and the extensions that go with it.
const MAGIC: &[(usize, &[u8], Media)] = &[
    (0, b"\x89PNG\r\n\x1a\n", Media(&["png", "apng"])),
    (0, b"\xff\xd8\xff", Media(&["jpg", "jpeg", "jpe", "jfif"])),
    (0, b"GIF87a", Media(&["gif"])),
    (0, b"GIF89a", Media(&["gif"])),
    (8, b"WEBP", Media(&["webp"])),
    (8, b"WAVE", Media(&["wav"])),
    (8, b"AVI ", Media(&["avi"])),
    (0, b"BM", Media(&["bmp"])),
    (0, b"\0\0\x01\0", Media(&["ico"])),
    (0, b"\0\0\x02\0", Media(&["cur"])),
    (0, b"icns", Media(&["icns"])),
    (0, b"II*\0", Media(&["tif", "tiff"])),
    (0, b"MM\0*", Media(&["tif", "tiff"])),
    (0, b"8BPS", Media(&["psd"])),
    (4, b"ftyp", Media(&["mp4", "m4a", "m4v", "mov", "avif", "heic", "heif", "3gp"])),
    (0, b"\x1aE\xdf\xa3", Media(&["mkv", "webm", "mka"])),
    (0, b"ID3", Media(&["mp3"])),
    (0, b"\xff\xfb", Media(&["mp3"])),
    (0, b"\xff\xf3", Media(&["mp3"])),
    (0, b"\xff\xf1", Media(&["aac"])),
    (0, b"OggS", Media(&["ogg", "oga", "ogv", "opus"])),
    (0, b"fLaC", Media(&["flac"])),
    (0, b"wOFF", Media(&["woff"])),
    (0, b"wOF2", Media(&["woff2"])),
    (0, b"\0\x01\0\0", Media(&["ttf"])),
    (0, b"true", Media(&["ttf"])),
    (0, b"ttcf", Media(&["ttc"])),
    (0, b"OTTO", Media(&["otf"])),
    (34, b"LP", Media(&["eot"])),
    (0, b"%PDF-", Media(&["pdf"])),
    (0, b"PK\x03\x04", Media(&["zip", "docx", "xlsx", "pptx", "odt", "ods", "odp", "epub"])),
    (0, b"PK\x05\x06", Media(&["zip"])),
    (0, b"\x1f\x8b\x08", Media(&["gz", "tgz"])),
    (0, b"BZh", Media(&["bz2", "tbz2"])),
    (0, b"\xfd7zXZ\0", Media(&["xz", "txz"])),
    (0, b"\x28\xb5\x2f\xfd", Media(&["zst"])),
    (0, b"7z\xbc\xaf\x27\x1c", Media(&["7z"])),
    (0, b"Rar!\x1a\x07", Media(&["rar"])),
    (257, b"ustar", Media(&["tar"])),
];

impl Media {
    /// Recognises content by its beginning. What reads as text is no media, whatever it begins with.
    pub(super) fn of_content(beginning: &[u8]) -> Vec<Self> {
        let has_magic =
            |(at, magic, _): &&(usize, &[u8], Self)| beginning.get(*at..).is_some_and(|rest| rest.starts_with(magic));
        let found: Vec<Self> = MAGIC.iter().filter(has_magic).map(|(_, _, media)| *media).collect();
        if found.is_empty() || is_text(beginning) { Vec::new() } else { found }
    }

    /// Returns whether the path's extension is one that this kind goes by.
    pub(super) fn fits(self, path: &[u8]) -> bool {
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        let extension = name.iter().rposition(|&byte| byte == b'.').map(|dot| &name[dot + 1..]);
        extension.is_some_and(|extension| self.0.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(extension)))
    }
}

/// Counts the bytes that do not occur in plain English text.
pub(super) fn n_odd(piece: &[u8]) -> u64 {
    piece.iter().filter(|byte| !matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~')).count() as u64
}

/// Returns whether this many odd bytes are enough for media of this size.
pub(super) fn is_packed(n_odd: u64, size: u64) -> bool {
    n_odd.saturating_mul(ODD_SHARE) >= size
}

fn is_text(beginning: &[u8]) -> bool {
    let is_utf8 = match std::str::from_utf8(beginning) {
        Ok(_) => true,
        // The end may cut a character.
        Err(error) => error.error_len().is_none() && beginning.len() >= SNIFFED,
    };
    is_utf8 && !beginning.contains(&0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, content: &[u8], want: bool) {
        let got = Media::of_content(content).iter().any(|media| media.fits(path.as_bytes()));
        assert_eq!(got, want, "{path} {content:?}");
    }

    #[test]
    fn content_and_extension_must_agree() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        check("docs/logo.png", png, true);
        check("LOGO.PNG", png, true);
        check("src/evil.js", png, false);
        check("png", png, false);
        check("x.png/evil", png, false);
        check("logo.png", b"alert(1)\n", false);
        check("logo.png", b"\0\0\0alert(1)\n", false);
        check("a.webp", b"RIFF\x10\0\0\0WEBPVP8 ", true);
        check("a.zip", b"PK\x03\x04\x14\0", true);
        check("lib.jar", b"PK\x03\x04\x14\0", false);
        check("font.woff2", b"wOF2\0\x01\0\0", true);
        check("", b"", false);
    }

    #[test]
    fn text_that_begins_like_media_is_text() {
        check("a.gif", b"GIF89a=1;\nalert(1)\n", false);
        check("a.pdf", b"%PDF-1.4\nconsole.log(1)\n", false);
        check("a.pdf", b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n\x93\x8c", true);
        check("a.bmp", b"BMW.drive()\n", false);
        check("true.ttf", b"true && run()\n", false);
    }
}
