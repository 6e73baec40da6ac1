//! Reads files of a commit, each proven by its hash.

use crate::error::{Failure, Kind};
use crate::facts::{FileAt, RepoPath};
use crate::git::Repository;
use crate::git::objects::{ObjectKind, cut_off};
use crate::git::oid::Oid;
use crate::git::text;
use crate::git::walk::Located;
use std::collections::HashMap;

/// What stands at a path, and its bytes where it is a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathContent {
    /// A regular file.
    File {
        /// Whether it can be started.
        executable: bool,
        /// The full hash of its content.
        object: String,
        /// Its content as git has it.
        bytes: Vec<u8>,
    },
    /// A regular file that is larger than was allowed; its size in bytes.
    TooLarge(u64),
    /// Anything else.
    Other(Located),
}

impl PathContent {
    /// Returns what a contract's text is looked for in; `None` for a file that is too large.
    pub fn into_file_at(self) -> Option<FileAt> {
        match self {
            Self::File { bytes, .. } => Some(text::file_at(bytes)),
            Self::TooLarge(_) => None,
            Self::Other(Located::NoFile) => Some(FileAt::NoFile),
            Self::Other(Located::Symlink { at, .. }) => Some(FileAt::Symlink { at }),
            Self::Other(Located::Submodule { at }) => Some(FileAt::Submodule { at }),
            Self::Other(Located::Directory | Located::File { .. }) => Some(FileAt::Directory),
        }
    }
}

impl Repository {
    /// Reads the files at these paths of a commit; none that is larger than `max_bytes`.
    ///
    /// # Errors
    /// [`Kind::ObjectUnreadable`] for missing, forged or malformed objects.
    pub fn read_paths(&self, commit: &str, paths: &[&RepoPath], max_bytes: u64) -> Result<Vec<PathContent>, Failure> {
        let located = self.locate(commit, paths)?;
        self.read_located(located, max_bytes)
    }

    /// Reads the file at one path of a commit.
    ///
    /// # Errors
    /// Those of [`Repository::read_paths`].
    pub fn read_path(&self, commit: &str, path: &RepoPath, max_bytes: u64) -> Result<PathContent, Failure> {
        let mut contents = self.read_paths(commit, &[path], max_bytes)?;
        contents.pop().ok_or_else(|| Failure::new(Kind::Bug, "a path was asked for and not answered"))
    }

    /// Reads what was located.
    ///
    /// # Errors
    /// Those of [`Repository::read_paths`].
    pub fn read_located(&self, located: Vec<Located>, max_bytes: u64) -> Result<Vec<PathContent>, Failure> {
        let mut places: HashMap<Oid, Vec<usize>> = HashMap::new();
        let mut oids = Vec::new();
        for (index, located) in located.iter().enumerate() {
            if let Located::File { object, .. } = located {
                let oid = self.oid(object)?;
                let places = places.entry(oid).or_default();
                if places.is_empty() {
                    oids.push(oid);
                }
                places.push(index);
            }
        }
        let mut contents: Vec<PathContent> = located.into_iter().map(PathContent::Other).collect();
        self.objects.each(&oids, &mut |object| {
            let oid = oids[object.index];
            check_blob(oid, object.kind)?;
            let size = object.size;
            let bytes = if size > max_bytes { None } else { Some(object.content().map_err(|error| cut_off(&error))?) };
            for &place in places.get(&oid).into_iter().flatten() {
                let PathContent::Other(Located::File { executable, object }) = &contents[place] else { continue };
                contents[place] = match &bytes {
                    Some(bytes) => {
                        PathContent::File { executable: *executable, object: object.clone(), bytes: bytes.clone() }
                    }
                    None => PathContent::TooLarge(size),
                };
            }
            Ok(())
        })?;
        Ok(contents)
    }

    /// Reads one blob by its full hash, `None` when it is larger than `max_bytes`.
    ///
    /// # Errors
    /// [`Kind::ObjectUnreadable`] when it is missing, forged, or no blob.
    pub fn blob(&self, object: &str, max_bytes: u64) -> Result<Option<Vec<u8>>, Failure> {
        let oid = self.oid(object)?;
        let mut content = None;
        self.objects.each(&[oid], &mut |object| {
            check_blob(oid, object.kind)?;
            if object.size <= max_bytes {
                content = Some(object.content().map_err(|error| cut_off(&error))?);
            }
            Ok(())
        })?;
        Ok(content)
    }
}

/// Fails unless the object is a file's content; a tree's entry may claim so.
pub(super) fn check_blob(oid: Oid, kind: ObjectKind) -> Result<(), Failure> {
    match kind {
        ObjectKind::Blob => Ok(()),
        ObjectKind::Commit | ObjectKind::Tree | ObjectKind::Tag => {
            Err(Failure::new(Kind::ObjectUnreadable, format!("object {oid} is a {}, not a file", kind.name())))
        }
    }
}
