//! A contract in a file, and the rule that keeps a change from writing its own: a file that the merge base
//! has is used as it is there; one that only head has is refused; any other is whoever runs the tool's.

use super::MAX_BYTES;
use crate::error::{Failure, Kind};
use crate::facts::{Change, RepoPath};
use crate::git::{Located, PathContent, Repository};
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Component, Path};

/// What was read, and what a reader of the report has to know about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileText {
    /// The text.
    pub bytes: Vec<u8>,
    /// Whether it is the merge base's version.
    pub is_of_merge_base: bool,
    /// What a reader has to know.
    pub notes: Vec<String>,
}

/// Reads a file as it lies on the disk; `shown` is how the user called it.
pub fn read_file(path: &Path, shown: &str) -> Result<Vec<u8>, Failure> {
    let not_found = |message: String| Failure::new(Kind::ContractNotFound, message);
    let unreadable = |error: &io::Error| match error.kind() {
        io::ErrorKind::NotFound => not_found(format!("there is no file named `{shown}`")),
        io::ErrorKind::IsADirectory => not_found(format!("`{shown}` is a folder, not a contract")),
        _ => not_found(format!("failed to read `{shown}`")).detail("cause", error.to_string()),
    };
    // A pipe without a writer would never answer, and a device never end.
    let metadata = std::fs::metadata(path).map_err(|error| unreadable(&error))?;
    if metadata.is_dir() {
        return Err(unreadable(&io::ErrorKind::IsADirectory.into()));
    }
    if !metadata.is_file() {
        return Err(not_found(format!("`{shown}` is not a regular file")).next("pipe the contract in: use - for stdin"));
    }
    let mut text = Vec::new();
    let mut file = File::open(path).map_err(|error| unreadable(&error))?;
    file.by_ref().take(MAX_BYTES).read_to_end(&mut text).map_err(|error| unreadable(&error))?;
    Ok(text)
}

/// Returns every path by which a work tree may know a file: as it is written, and where links lead.
///
/// `path` is absolute. Both ways count, because the change under test can put a link in either.
pub fn paths_inside(root: &Path, path: &Path) -> Vec<RepoPath> {
    let Ok(root) = std::fs::canonicalize(root) else { return Vec::new() };
    let mut found = Vec::new();
    let mut add = |rest: &Path| {
        if let Some(path) = repo_path(rest)
            && !found.contains(&path)
        {
            found.push(path);
        }
    };
    for ancestor in path.ancestors().skip(1) {
        if std::fs::canonicalize(ancestor).is_ok_and(|real| real == root)
            && let Ok(rest) = path.strip_prefix(ancestor)
        {
            add(rest);
        }
    }
    if let (Some(folder), Some(name)) = (path.parent(), path.file_name())
        && let Ok(folder) = std::fs::canonicalize(folder)
        && let Ok(rest) = folder.strip_prefix(&root)
    {
        add(&rest.join(name));
    }
    if let Ok(real) = std::fs::canonicalize(path)
        && let Ok(rest) = real.strip_prefix(&root)
    {
        add(rest);
    }
    found
}

/// Returns a relative path as git knows it, or `None` when it does not lead straight down.
fn repo_path(path: &Path) -> Option<RepoPath> {
    let mut bytes = Vec::new();
    for component in path.components() {
        let Component::Normal(name) = component else { return None };
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(name.as_encoded_bytes());
    }
    (!bytes.is_empty()).then(|| RepoPath::from_bytes(bytes))
}

/// Reads a contract's file under the rule. `paths` is what [`paths_inside`] returned.
///
/// # Errors
/// [`Kind::ContractSelfWritten`] when only head has it, [`Kind::ContractNotFound`] when nothing has it.
pub fn read_trusted(
    path: &Path,
    shown: &str,
    paths: &[RepoPath],
    repository: &Repository,
    change: &Change,
) -> Result<FileText, Failure> {
    let paths: Vec<&RepoPath> = paths.iter().collect();
    let at_base = repository.locate(&change.merge_base, &paths)?;
    let at_head = repository.locate(&change.head.commit, &paths)?;
    for (path, (base, head)) in paths.iter().zip(at_base.iter().zip(&at_head)) {
        if let Located::File { object, .. } = base {
            return of_merge_base(path, object, head, repository, change);
        }
        let is_same_link = matches!(base, Located::Symlink { .. }) && base == head;
        let is_untouched = is_same_link || matches!(head, Located::NoFile | Located::Directory);
        if !is_untouched {
            return Err(self_written(path, head, change));
        }
    }
    let bytes = read_file(path, shown)?;
    let untracked = || format!("{shown} is not tracked: it is used as it lies there, whoever wrote it");
    let notes = if paths.is_empty() { Vec::new() } else { vec![untracked()] };
    Ok(FileText { bytes, is_of_merge_base: false, notes })
}

fn of_merge_base(
    path: &RepoPath,
    object: &str,
    head: &Located,
    repository: &Repository,
    change: &Change,
) -> Result<FileText, Failure> {
    let mut notes = Vec::new();
    match head {
        Located::File { object: at_head, .. } if at_head == object => {}
        Located::File { .. } => {
            notes.push(format!("the change edits {path}; it is used as the merge base has it"));
        }
        _ => notes.push(format!("the change removes {path}; it is used as the merge base has it")),
    }
    match repository.read_path(&change.merge_base, path, MAX_BYTES)? {
        PathContent::File { bytes, .. } => Ok(FileText { bytes, is_of_merge_base: true, notes }),
        PathContent::TooLarge(size) => {
            let message = format!("`{path}` has {size} bytes at the merge base, more than a contract may have");
            Err(Failure::new(Kind::ContractNotFound, message))
        }
        PathContent::Other(_) => Err(Failure::new(Kind::Bug, format!("`{path}` was a file and then none"))),
    }
}

fn self_written(path: &RepoPath, head: &Located, change: &Change) -> Failure {
    let what = match head {
        Located::Symlink { .. } => "a link to it",
        _ => "it",
    };
    let short = change.merge_base.get(..7).unwrap_or(&change.merge_base);
    Failure::new(Kind::ContractSelfWritten, format!("the change brings its own contract: {what} is new in `{path}`"))
        .detail("merge base", format!("{short} has no such file"))
        .next("name a contract that was there before the change, or one outside the repository")
}

#[cfg(test)]
mod tests {
    use super::{paths_inside, read_file};
    use crate::error::Kind;
    use std::path::Path;

    #[test]
    fn what_is_no_file_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        for path in [folder.path().to_owned(), folder.path().join("missing"), Path::new("/dev/null").to_owned()] {
            assert_eq!(read_file(&path, "x").expect_err("no file").kind, Kind::ContractNotFound, "{path:?}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_path_counts_as_written_and_as_links_lead() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("repo");
        std::fs::create_dir_all(root.join("real")).expect("a folder");
        std::fs::write(root.join("real/c.md"), "").expect("a file");
        std::os::unix::fs::symlink("real", root.join("link")).expect("a link");
        std::os::unix::fs::symlink(&root, folder.path().join("alias")).expect("a link");
        let check = |path: &str, expected: &[&str]| {
            let found: Vec<String> =
                paths_inside(&root, &folder.path().join(path)).iter().map(ToString::to_string).collect();
            assert_eq!(found, expected, "{path}");
        };
        check("repo/real/c.md", &["real/c.md"]);
        check("repo/link/c.md", &["link/c.md", "real/c.md"]);
        check("alias/link/c.md", &["link/c.md", "real/c.md"]);
        check("repo/real/../link/c.md", &["link/c.md", "real/c.md"]);
        check("repo/missing.md", &["missing.md"]);
        check("elsewhere.md", &[]);
    }
}
