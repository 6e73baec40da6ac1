//! Puts our lines into Go's package `testing` for one build: an overlay of the toolchain's own files, which stay as they
//! are. A toolchain whose files do not look as expected cannot be observed, and that is said.

use crate::error::{Failure, Kind};
use std::path::{Path, PathBuf};

const OURS: &str = include_str!("../reporters/go_testing.go");

const PACKAGE: &str = "package testing\n";

/// One place: in which file, after which text the search begins, the text that is looked for, what is put there.
struct Place {
    file: &'static str,
    after: &'static str,
    text: &'static str,
    new: &'static str,
}

/// The same from Go 1.19 to 1.27.
const PLACES: [Place; 10] = [
    Place {
        file: "testing.go",
        after: "\nfunc MainStart(",
        text: ") *M {\n",
        new: ") *M {\n\tacceptanceMain(deps.ImportPath(), tests, fuzzTargets, examples)\n",
    },
    Place {
        file: "testing.go",
        after: "\nfunc (m *M) Run() (code int) {\n\tdefer func() {\n",
        text: "\t\tcode = m.exitCode\n",
        new: "\t\tcode = m.exitCode\n\t\tacceptanceDone()\n",
    },
    Place { file: "testing.go", after: "\nfunc tRunner(", text: "{\n", new: "{\n\tacceptanceStart(t.name)\n" },
    Place {
        file: "testing.go",
        after: "\nfunc (t *T) report() {\n",
        text: "\tdstr := ",
        new: "\tacceptanceEnd(t.name, t.Failed(), t.Skipped())\n\tdstr := ",
    },
    // A panic ends the process, and `report` is not called for what it takes along.
    Place {
        file: "testing.go",
        after: "\nfunc tRunner(",
        text: "root = root.parent {\n",
        new: "root = root.parent {\n\t\t\t\tacceptanceEnd(root.name, true, false)\n",
    },
    Place { file: "fuzz.go", after: "\nfunc fRunner(", text: "{\n", new: "{\n\tacceptanceStart(f.name)\n" },
    Place {
        file: "fuzz.go",
        after: "\nfunc fRunner(",
        text: "root = root.parent {\n",
        new: "root = root.parent {\n\t\t\t\tacceptanceEnd(root.name, true, false)\n",
    },
    Place {
        file: "fuzz.go",
        after: "\nfunc (f *F) report() {\n",
        text: "\tdstr := ",
        new: "\tacceptanceEnd(f.name, f.Failed(), f.Skipped())\n\tdstr := ",
    },
    Place {
        file: "example.go",
        after: "\nfunc runExamples(",
        text: "\t\tif !runExample(eg) {\n",
        new: "\t\tacceptanceStart(eg.Name)\n\t\tif !runExample(eg) {\n",
    },
    Place {
        file: "example.go",
        after: ") processRunResult(",
        text: "\tif recovered != nil {\n",
        new: "\tacceptanceEnd(eg.Name, !passed, false)\n\tif recovered != nil {\n",
    },
];

/// Writes the overlay for the toolchain at `goroot` into a folder and returns the file for `-overlay`.
pub(super) fn write(goroot: &Path, folder: &Path) -> Result<PathBuf, Failure> {
    let io = |error: std::io::Error| {
        Failure::new(Kind::Io, "failed to prepare Go's package `testing`").detail("cause", error.to_string())
    };
    let testing = goroot.join("src").join("testing");
    let mut replace = serde_json::Map::new();
    let mut put = |name: &str, with: &Path| {
        replace.insert(testing.join(name).to_string_lossy().into_owned(), with.to_string_lossy().into());
    };
    for name in ["testing.go", "fuzz.go", "example.go"] {
        let text = std::fs::read_to_string(testing.join(name)).map_err(io)?;
        let file = folder.join(name);
        std::fs::write(&file, patched(name, &text)?).map_err(io)?;
        put(name, &file);
    }
    let overlay = folder.join("overlay.json");
    std::fs::write(&overlay, serde_json::json!({ "Replace": replace }).to_string()).map_err(io)?;
    Ok(overlay)
}

fn patched(name: &str, text: &str) -> Result<String, Failure> {
    let mut text = text.replace("\r\n", "\n");
    for place in PLACES.iter().filter(|place| place.file == name) {
        let found = text.match_indices(place.after).map(|(at, _)| at).collect::<Vec<_>>();
        let at = match found.as_slice() {
            [at] => text[*at..].find(place.text).map(|offset| at + offset),
            _ => None,
        };
        let Some(at) = at else {
            let message = "this version of Go cannot be observed: its package `testing` is not built as expected";
            return Err(Failure::new(Kind::RunnerUnsupported, message)
                .detail("file", name)
                .detail("looked for", place.after.trim()));
        };
        text.replace_range(at..at + place.text.len(), place.new);
    }
    if name == "testing.go" {
        let (imports, body) = OURS.split_once("\n)\n").unwrap_or_default();
        let imports = format!("{imports}\n)\n");
        let at = text.find("\npackage testing\n").map_or(text.len(), |at| at + 1);
        text.replace_range(at..(at + PACKAGE.len()).min(text.len()), &imports);
        text.push_str(body);
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::patched;

    #[test]
    fn a_package_that_is_built_otherwise_is_refused() {
        assert!(patched("fuzz.go", "package testing\n").is_err());
        let text = "\nfunc fRunner(f *F) {\n\tfor root = root.parent {\n}\n\nfunc (f *F) report() {\n\tdstr := 1\n}\n";
        let expected = "\nfunc fRunner(f *F) {\n\tacceptanceStart(f.name)\n\tfor root = root.parent {\n\
                        \t\t\t\tacceptanceEnd(root.name, true, false)\n}\n\nfunc (f *F) report() {\n\
                        \tacceptanceEnd(f.name, f.Failed(), f.Skipped())\n\tdstr := 1\n}\n";
        assert_eq!(patched("fuzz.go", text).unwrap(), expected);
        assert!(patched("fuzz.go", &[text, text].concat()).is_err());
    }
}
