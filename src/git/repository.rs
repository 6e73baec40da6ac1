//! The repository under check: where it is, and the quarantine that its facts come from.

use crate::error::{Failure, Kind};
use crate::git::alternates;
use crate::git::discover::{self, Location};
use crate::git::objects::Objects;
use crate::git::oid::{ObjectFormat, Oid};
use crate::git::program::{Git, Output};
use crate::git::quarantine::Quarantine;
use crate::git::refs;
use crate::git::tree::TreeCache;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// A repository whose facts can be asked. Its private folder is gone when it is dropped.
#[derive(Debug)]
pub struct Repository {
    pub(super) location: Location,
    /// Every object store that it reads from, its own first.
    pub(super) stores: Vec<PathBuf>,
    pub(super) objects: Objects,
    pub(super) trees: TreeCache,
    /// Full ref names that were asked for, and what they mean.
    pub(super) refs: Mutex<HashMap<String, Option<Oid>>>,
}

impl Repository {
    /// Finds the repository that encloses a folder, whatever the caller's environment says
    /// (`GIT_DIR` is set while hooks run).
    ///
    /// # Errors
    /// [`Kind::GitUnusable`] when git is too old, [`Kind::NotARepository`] when there is none or when it
    /// belongs to another owner, [`Kind::Io`] when no private folder can be made.
    pub fn discover(dir: &Path, git: Git) -> Result<Self, Failure> {
        Self::discover_with(dir, git, &[])
    }

    /// Does the same, and asks at the same time which refs these names of commits can mean, so that
    /// [`Self::resolve`] need not ask later.
    ///
    /// # Errors
    /// As [`Self::discover`]. A name that names nothing is none yet.
    pub fn discover_with(dir: &Path, git: Git, names: &[&str]) -> Result<Self, Failure> {
        let asked = refs::full_names(names);
        let (location, listed) = discover::locate(dir, &git, &asked)?;
        let stores = alternates::flatten(&location.objects)?;
        let quarantine = Quarantine::create(&git, &stores, location.format)?;
        let objects = Objects::start(git, quarantine, location.format)?;
        let known = listed.filter(Output::is_success).map(|listed| refs::read(&listed, asked, location.format));
        Ok(Self { location, stores, objects, trees: TreeCache::default(), refs: Mutex::new(known.unwrap_or_default()) })
    }

    /// Finds the repository that encloses another folder, by the same git.
    ///
    /// # Errors
    /// As [`Self::discover`].
    pub fn at(&self, dir: &Path) -> Result<Self, Failure> {
        Self::discover(dir, self.objects.git().clone())
    }

    /// Returns the root of the work tree, `None` in a bare repository.
    pub fn root(&self) -> Option<&Path> {
        self.location.root.as_deref()
    }

    /// Returns the repository's own folder: `.git`, or that of a linked worktree.
    pub fn git_dir(&self) -> &Path {
        &self.location.git_dir
    }

    /// Returns the folder that all worktrees share.
    pub fn common_dir(&self) -> &Path {
        &self.location.common_dir
    }

    /// Returns whether history was cut off.
    pub fn is_shallow(&self) -> bool {
        self.location.is_shallow
    }

    /// Returns how objects are named.
    pub fn object_format(&self) -> ObjectFormat {
        self.location.format
    }

    /// Makes a command that asks the target itself; only refs are asked there.
    pub(super) fn target_command(&self) -> Command {
        let mut command = self.objects.git().command(&self.location.dir);
        if let Some(folder) = &self.location.safe_directory {
            command.args(["-c", &format!("safe.directory={folder}")]);
        }
        command
    }

    /// Reads a full hash.
    pub(super) fn oid(&self, hash: &str) -> Result<Oid, Failure> {
        Oid::parse(hash.as_bytes(), self.location.format).ok_or_else(|| {
            Failure::new(Kind::RefUnknown, format!("`{hash}` is not a full {} hash", self.location.format.name()))
        })
    }
}
