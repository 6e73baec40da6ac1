//! Documents and their sources: from the commit that is judged, or from what the operator hands over.

use crate::error::{Failure, Kind};
use crate::facts::{ArtifactFacts, ArtifactPlan, Bytes, Change, Document, Known, RepoPath, SourceFile};
use crate::git::{Located, PathContent, Repository};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// A larger source is refused, in bytes.
pub const LARGEST_SOURCE: u64 = 64 << 20;

/// Documents and sources that the operator hands over instead of the repository's.
#[derive(Debug, Clone, Default)]
pub struct Supplied {
    /// Documents.
    pub documents: Vec<SuppliedDocument>,
    /// Sources, by the contract's path.
    pub sources: Vec<SourceFile>,
}

/// A document that is handed over instead of a committed one.
#[derive(Debug, Clone)]
pub struct SuppliedDocument {
    /// The contract's path.
    pub path: String,
    /// The file it was read from, as its operator names it; `None` for stdin.
    pub file: Option<String>,
    /// What was read.
    pub document: Document,
}

/// Makes a document of bytes; text stays readable.
pub fn document(bytes: Vec<u8>) -> Document {
    Document::Bytes(match String::from_utf8(bytes) {
        Ok(text) => Bytes::Text(text),
        Err(error) => Bytes::Base64(STANDARD.encode(error.into_bytes())),
    })
}

/// Returns the bytes of a document exactly as they were read.
pub fn bytes_of(document: &Document) -> Option<Vec<u8>> {
    match document {
        Document::Bytes(Bytes::Text(text)) => Some(text.clone().into_bytes()),
        Document::Bytes(Bytes::Base64(text)) => STANDARD.decode(text).ok(),
        Document::TooLarge(_) | Document::NoFile(_) => None,
    }
}

/// Finds out what the artifacts of a plan hold. `history` is asked for only where something of it is needed.
pub fn artifact_facts<'a>(
    plans: &[ArtifactPlan],
    supplied: &Supplied,
    history: &dyn Fn() -> Result<(&'a Repository, &'a Change), Failure>,
) -> Vec<Known<ArtifactFacts>> {
    plans.iter().map(|plan| one(plan, supplied, history).into()).collect()
}

fn one<'a>(
    plan: &ArtifactPlan,
    supplied: &Supplied,
    history: &dyn Fn() -> Result<(&'a Repository, &'a Change), Failure>,
) -> Result<ArtifactFacts, Failure> {
    let handed = supplied.documents.iter().find(|handed| handed.path == plan.path);
    let (document, origin) = match handed {
        Some(handed) => (handed.document.clone(), "--artifact".to_owned()),
        None => committed(plan, history)?,
    };
    let file = handed.and_then(|handed| handed.file.clone());
    let sources = plan.source_files.iter().map(|path| source(path, supplied, history).into()).collect();
    Ok(ArtifactFacts { document, sources, origin, file })
}

fn committed<'a>(
    plan: &ArtifactPlan,
    history: &dyn Fn() -> Result<(&'a Repository, &'a Change), Failure>,
) -> Result<(Document, String), Failure> {
    let (repository, change) = history().map_err(|failure| {
        let path = &plan.path;
        failure.next(format!("a document that is not committed is handed over so: --artifact {path}=FILE"))
    })?;
    let head = &change.head.commit;
    let nothing = |what: &str| Document::NoFile(format!("{what} at {}", plan.path));
    Ok(match repository.read_path(head, &RepoPath::from(plan.path.as_str()), plan.max_bytes)? {
        PathContent::File { object, bytes, .. } => (document(bytes), object),
        PathContent::TooLarge(size) => (Document::TooLarge(size), head.clone()),
        PathContent::Other(Located::NoFile) => (nothing("there is no file"), head.clone()),
        PathContent::Other(Located::Symlink { .. }) => (nothing("there is a symbolic link, not a file"), head.clone()),
        PathContent::Other(Located::Submodule { .. }) => (nothing("there is a submodule, not a file"), head.clone()),
        PathContent::Other(Located::Directory | Located::File { .. }) => {
            (nothing("there is a folder, not a file"), head.clone())
        }
    })
}

fn source<'a>(
    path: &str,
    supplied: &Supplied,
    history: &dyn Fn() -> Result<(&'a Repository, &'a Change), Failure>,
) -> Result<SourceFile, Failure> {
    if let Some(source) = supplied.sources.iter().find(|source| source.path == path) {
        return Ok(source.clone());
    }
    let advice = format!("or hand the source over: --source {path}=FILE");
    let (repository, change) = history().map_err(|failure| failure.next(advice.clone()))?;
    let unusable = |why: &str| {
        Failure::new(Kind::ContractInvalid, format!("the source `{path}` {why} at the merge base"))
            .detail("merge base", change.merge_base.clone())
            .next("commit it on the base branch before the work starts")
            .next(advice.clone())
    };
    match repository.read_path(&change.merge_base, &RepoPath::from(path), LARGEST_SOURCE)? {
        PathContent::File { object, bytes, .. } => {
            let text = String::from_utf8(bytes).map_err(|_| unusable("is not UTF-8"))?;
            Ok(SourceFile {
                path: path.to_owned(),
                text: text.replace("\r\n", "\n"),
                blob: Some(object),
                changed_at_head: change.files.iter().any(|file| file.path.as_str() == Some(path)),
                withheld: false,
            })
        }
        PathContent::TooLarge(_) => Err(unusable("is over 64 MiB")),
        PathContent::Other(_) => Err(unusable("is not a regular file")),
    }
}
