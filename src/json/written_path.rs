//! Paths and patterns as people write them, brought into their one form. Knows nothing of which files there are.

/// What is wrong with a path in a few words, and what to write instead.
type Refused = (&'static str, &'static str);

/// In bytes; a pattern of megabytes would become a regular expression that is too large to make.
const LONGEST_PATTERN: usize = 1_000;

/// Normalises a path: `\`, `./`, `//` and a leading `/` mean nothing; what leads out is an error.
pub(super) fn normalize_path(text: &str) -> Result<String, Refused> {
    if text.trim().is_empty() {
        return Err(("no path", "write a path such as \"src/main.rs\""));
    }
    if text.contains('\0') {
        return Err(("holds a NUL character", "no file name can hold it"));
    }
    let slashed = text.replace('\\', "/");
    if slashed.ends_with('/') {
        return Err(("a folder is not a file", "for all files below it write {\"glob\": \"folder/**\"}"));
    }
    let segments: Vec<&str> = slashed.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    if segments.is_empty() {
        return Err(("the root is not a file", "name a file, or write {\"glob\": \"**\"}"));
    }
    if segments.contains(&"..") {
        return Err(("`..` leads elsewhere", "write the path from the root of the repository"));
    }
    in_one_form(&segments)
}

/// Normalises a pattern as far as `\`, which escapes in patterns, lets it be read as a path.
pub(super) fn normalize_glob(text: &str) -> Result<String, Refused> {
    if text.trim().is_empty() {
        return Err(("no pattern", "write a pattern such as \"src/**/*.rs\""));
    }
    if text.contains('\0') {
        return Err(("holds a NUL character", "no file name can hold it"));
    }
    if text.len() > LONGEST_PATTERN {
        return Err(("a very long pattern", "write several shorter ones"));
    }
    if text.ends_with('/') {
        return Err(("a folder is not a file", "for all files below it end the pattern with `/**`"));
    }
    let segments: Vec<&str> = text.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    if segments.is_empty() {
        return Err(("the root is not a file", "for every file write \"**\""));
    }
    if segments.contains(&"..") {
        return Err(("`..` leads elsewhere", "write the pattern from the root of the repository"));
    }
    in_one_form(&segments)
}

fn in_one_form(segments: &[&str]) -> Result<String, Refused> {
    if segments.iter().any(|segment| segment.eq_ignore_ascii_case(".git")) {
        return Err(("git's own folder", "it is never part of a change"));
    }
    let path = segments.join("/");
    if path.trim().is_empty() {
        return Err(("only white space", "write a path such as \"src/main.rs\""));
    }
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::{normalize_glob, normalize_path};

    #[test]
    fn patterns_have_one_form_and_stay_inside() {
        assert_eq!(normalize_glob("/./src//**"), Ok("src/**".to_owned()));
        assert_eq!(normalize_glob("a\\*b"), Ok("a\\*b".to_owned()));
        let long = "?".repeat(1_001);
        for written in [&long, "", " ", "/", "../**", "a/../b", "src/", ".git/**", "a\0"] {
            assert!(normalize_glob(written).is_err(), "{written:?} was taken");
        }
    }

    #[test]
    fn paths_have_one_form() {
        for (written, normal) in [
            ("/src/a.ts", "src/a.ts"),
            ("./src//a.ts", "src/a.ts"),
            ("src\\a.ts", "src/a.ts"),
            ("a..b.ts", "a..b.ts"),
            (".../a.ts", ".../a.ts"),
        ] {
            assert_eq!(normalize_path(written).as_deref(), Ok(normal), "{written}");
        }
    }

    #[test]
    fn paths_that_lead_out_are_refused() {
        for written in ["src/../a", "..", "", "  ", ".", "/", "src/", ".git/config", ".GIT/x", "a/.git/b", "a\0b", "/ "]
        {
            assert!(normalize_path(written).is_err(), "{written:?} was taken");
        }
    }
}
