//! Reads why sources could not be compiled, where no test ran: the words of javac as Maven and Gradle print them. They
//! explain a run that has failed already.

use crate::facts::LoadError;
use regex::Regex;
use std::path::Path;
use std::sync::LazyLock;

/// More errors are not told.
const MAX_ERRORS: usize = 50;

/// `[ERROR] /x/ATest.java:[3,5] cannot find symbol`, `/x/ATest.java:3: error: cannot find symbol`, `e: /x/A.kt: (3, 5): ...`
static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"^(?:\[ERROR\] |e: (?:file://)?)?(\S.*?\.(?:java|kt|groovy|scala)):(?:\[\d+,\d+\]| ?\(\d+, \d+\):|\d+(?::\d+)?:?)\s*(?:error: )?(.*)$",
    )
    .ok()
});

/// `symbol:   method slug(String)`, `package a.b does not exist`, `Unresolved reference: slug`
static MISSING: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"symbol:\s+(?:class|method|variable|interface|enum|record)\s+(\w+)|package (\S+) does not exist|[Uu]nresolved reference:? '?(\w+)",
    )
    .ok()
});

/// Returns what a build's output says could not be compiled.
pub(super) fn errors(output: &str, root: &Path) -> Vec<LoadError> {
    let (Some(place), Some(missing)) = (PLACE.as_ref(), MISSING.as_ref()) else { return Vec::new() };
    let prefixes = [Some(root.to_path_buf()), root.canonicalize().ok()];
    let lines: Vec<&str> = output.lines().map(str::trim_end).collect();
    let mut found: Vec<LoadError> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(captures) = place.captures(line) else { continue };
        let file = Path::new(&captures[1]);
        let inside = prefixes.iter().flatten().find_map(|root| file.strip_prefix(root).ok());
        let (Some(file), message) = (inside, captures[2].trim()) else { continue };
        let file = file.to_string_lossy().replace('\\', "/");
        // What belongs to an error stands in the lines below it, up to the next one.
        let below = lines[at..].iter().skip(1).take(6).take_while(|line| !place.is_match(line));
        let text: Vec<&str> = std::iter::once(message).chain(below.copied().map(str::trim)).collect();
        let text = text.join("\n");
        let missing = missing
            .captures(&text)
            .and_then(|found| (1..=3).find_map(|at| found.get(at)).map(|name| name.as_str().to_owned()));
        let error = LoadError { file: Some(file), message: message.to_owned(), missing };
        if !message.is_empty() && !found.contains(&error) && found.len() < MAX_ERRORS {
            found.push(error);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::errors;
    use std::path::Path;

    #[track_caller]
    fn check(output: &str, expected: &[(&str, &str, Option<&str>)]) {
        let found = errors(output, Path::new("/repo"));
        let found: Vec<_> =
            found.iter().map(|it| (it.file.as_deref().unwrap(), it.message.as_str(), it.missing.as_deref())).collect();
        assert_eq!(found, expected, "{output}");
    }

    #[test]
    fn errors_of_compilers_are_told_with_what_was_missing() {
        check(
            "[ERROR] COMPILATION ERROR : \n[ERROR] /repo/src/test/java/t/B.java:[3,5] cannot find symbol\n  symbol:   \
             method slug(java.lang.String)\n  location: class t.B\n[INFO] 1 error\n",
            &[("src/test/java/t/B.java", "cannot find symbol", Some("slug"))],
        );
        check(
            "/repo/src/test/java/t/B.java:3: error: package a.b does not exist\nimport a.b.C;\n          ^\n1 error\n",
            &[("src/test/java/t/B.java", "package a.b does not exist", Some("a.b"))],
        );
        check(
            "e: /repo/src/test/kotlin/B.kt: (3, 5): Unresolved reference: slug\n",
            &[("src/test/kotlin/B.kt", "Unresolved reference: slug", Some("slug"))],
        );
        check("at t.B(B.java:3)\n/elsewhere/B.java:3: error: x\n", &[]);
    }
}
