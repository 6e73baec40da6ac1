//! `--artifact` and `--source`: documents and sources that are handed over instead of committed.

use crate::cli::ArtifactArgs;
use crate::collect::{LARGEST_SOURCE, Supplied, SuppliedDocument, document};
use crate::error::{Failure, Kind};
use crate::facts::{ArtifactPlan, Document, Plan, SourceFile};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Checks the flags against the plan and reads what they hand over. `root` is the repository's root.
pub(super) fn supplied(
    args: &ArtifactArgs,
    plan: &Plan,
    directory: &Path,
    root: Option<&Path>,
) -> Result<Supplied, Failure> {
    let mut supplied = Supplied::default();
    for (path, file) in &args.artifact {
        let plans: Vec<&ArtifactPlan> = plan.artifacts.iter().filter(|plan| plan.path == *path).collect();
        let Some(max_bytes) = plans.iter().map(|plan| plan.max_bytes).max() else {
            let known = plan.artifacts.iter().map(|plan| plan.path.as_str());
            return Err(unknown("--artifact", path, "artifact", known));
        };
        supplied.documents.push(SuppliedDocument {
            path: path.clone(),
            file: (file.as_os_str() != OsStr::new("-")).then(|| file.display().to_string()),
            document: read_document(directory, file, max_bytes)?,
        });
    }
    for (path, file) in &args.source {
        let mut known = plan.artifacts.iter().flat_map(|plan| plan.source_files.iter().map(String::as_str));
        if !known.any(|known| known == path) {
            let known = plan.artifacts.iter().flat_map(|plan| plan.source_files.iter().map(String::as_str));
            return Err(unknown("--source", path, "source_file", known));
        }
        supplied.sources.push(read_source(directory, path, file, root)?);
    }
    if let Some((path, _)) = args.publish.iter().find(|(path, _)| plan.artifacts.iter().all(|plan| plan.path != *path))
    {
        let known = plan.artifacts.iter().map(|plan| plan.path.as_str());
        return Err(unknown("--publish", path, "artifact", known));
    }
    Ok(supplied)
}

fn unknown<'a>(flag: &str, path: &str, what: &str, known: impl Iterator<Item = &'a str>) -> Failure {
    let known: Vec<&str> = known.collect();
    let failure = Failure::new(Kind::Usage, format!("{flag} names `{path}`, which is no {what} of the contract"));
    let failure = failure.next(format!("name one that the contract has, or leave out {flag}"));
    if known.is_empty() { failure.detail("known", "none") } else { failure.detail("known", known.join(", ")) }
}

fn read_document(directory: &Path, file: &Path, max_bytes: u64) -> Result<Document, Failure> {
    let failed = |error: &io::Error| unreadable("artifact", file, error);
    if file.as_os_str() == OsStr::new("-") {
        return limited(&mut io::stdin().lock(), max_bytes).map_err(|error| failed(&error));
    }
    let path = directory.join(file);
    let metadata = match std::fs::metadata(&path) {
        Ok(metadata) => metadata,
        // That the author produced nothing is the author's fault, not the operator's.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Document::NoFile(format!("there is no file {}", file.display())));
        }
        Err(error) => return Err(failed(&error)),
    };
    if !metadata.is_file() {
        return Ok(Document::NoFile(format!("{} is not a regular file", file.display())));
    }
    if metadata.len() > max_bytes {
        return Ok(Document::TooLarge(metadata.len()));
    }
    File::open(&path).and_then(|mut opened| limited(&mut opened, max_bytes)).map_err(|error| failed(&error))
}

/// Reads at most one byte more than is allowed: a document that never ends is only too large.
fn limited(reader: &mut dyn Read, max_bytes: u64) -> io::Result<Document> {
    let mut bytes = Vec::new();
    reader.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    let read = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    Ok(if read > max_bytes { Document::TooLarge(read) } else { document(bytes) })
}

fn read_source(directory: &Path, path: &str, file: &Path, root: Option<&Path>) -> Result<SourceFile, Failure> {
    let failed = |error: &io::Error| unreadable("source", file, error);
    let opened = directory.join(file);
    let mut bytes = Vec::new();
    File::open(&opened)
        .and_then(|source| source.take(LARGEST_SOURCE + 1).read_to_end(&mut bytes))
        .map_err(|error| failed(&error))?;
    if u64::try_from(bytes.len()).is_ok_and(|read| read > LARGEST_SOURCE) {
        return Err(failed(&io::Error::other("it is over 64 MiB")));
    }
    let text = String::from_utf8(bytes).map_err(|_| failed(&io::Error::other("it is not UTF-8")))?;
    let real = std::fs::canonicalize(&opened).unwrap_or(opened);
    let is_inside = root.and_then(|root| std::fs::canonicalize(root).ok()).is_some_and(|root| real.starts_with(root));
    Ok(SourceFile {
        path: path.to_owned(),
        text: text.replace("\r\n", "\n"),
        blob: None,
        changed_at_head: false,
        withheld: !is_inside,
    })
}

fn unreadable(what: &str, file: &Path, error: &io::Error) -> Failure {
    Failure::new(Kind::Io, format!("failed to read the {what} in `{}`", file.display()))
        .detail("cause", error.to_string())
}
