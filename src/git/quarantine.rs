//! A repository of our own that borrows only objects: the facts' quarantine and the clones' `.git`.
//! No configuration, attribute, ref, replacement, graft, hook or index of the target can reach it.

use crate::error::{Failure, Kind};
use crate::git::alternates;
use crate::git::oid::ObjectFormat;
use crate::git::program::Git;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// A fresh, bare repository in a private folder, gone when this is dropped.
#[derive(Debug)]
pub(super) struct Quarantine {
    dir: TempDir,
}

impl Quarantine {
    /// Writes the repository as files; `git init` would cost more than all questions that follow.
    pub(super) fn create(git: &Git, stores: &[PathBuf], format: ObjectFormat) -> Result<Self, Failure> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("agent-acceptance-git-");
        let dir = match git.temporary() {
            Some(parent) => builder.tempdir_in(parent),
            None => builder.tempdir(),
        };
        let dir = dir.map_err(|error| unwritable(&std::env::temp_dir(), &error))?;
        let skeleton = Skeleton { head: "ref: refs/heads/none", bare: true, attributes: "* diff\n" };
        write_skeleton(dir.path(), &skeleton, stores, format).map_err(|error| unwritable(dir.path(), &error))?;
        Ok(Self { dir })
    }

    /// Returns the private folder.
    pub(super) fn path(&self) -> &Path {
        self.dir.path()
    }

    /// Makes a command that asks this repository.
    pub(super) fn command(&self, git: &Git) -> Command {
        let mut command = git.command(self.path());
        command.env("GIT_DIR", self.path());
        command
    }
}

/// What differs between the repositories that are written.
pub(super) struct Skeleton<'a> {
    /// The line in `HEAD`.
    pub(super) head: &'a str,
    /// Whether it has no work tree.
    pub(super) bare: bool,
    /// Attributes that no file of a tree can overrule. `* diff` has lines counted in every file: the
    /// one way to do so, as `--text` has no effect on counts.
    pub(super) attributes: &'a str,
}

/// Writes a repository's own files into a folder.
pub(super) fn write_skeleton(
    dir: &Path,
    skeleton: &Skeleton<'_>,
    stores: &[PathBuf],
    format: ObjectFormat,
) -> io::Result<()> {
    // Where nothing is written, the fewest folders that git takes for a repository will do.
    let further: &[&str] = if skeleton.bare { &[] } else { &["objects/pack", "refs/heads"] };
    for folder in ["objects/info", "info", "refs"].iter().chain(further) {
        std::fs::create_dir_all(dir.join(folder))?;
    }
    let (version, extensions) = match format {
        ObjectFormat::Sha1 => (0, String::new()),
        ObjectFormat::Sha256 => (1, format!("[extensions]\n\tobjectformat = {}\n", format.name())),
    };
    let config = format!(
        "[core]\n\trepositoryformatversion = {version}\n\tbare = {}\n\tlogallrefupdates = false\n[gc]\n\tauto = 0\n{extensions}",
        skeleton.bare
    );
    std::fs::write(dir.join("config"), config)?;
    std::fs::write(dir.join("objects/info/alternates"), alternates::render(stores))?;
    if !skeleton.attributes.is_empty() {
        std::fs::write(dir.join("info/attributes"), skeleton.attributes)?;
    }
    std::fs::write(dir.join("HEAD"), format!("{}\n", skeleton.head))
}

fn unwritable(place: &Path, error: &io::Error) -> Failure {
    Failure::new(Kind::Io, format!("a private folder could not be written: {error}"))
        .detail("folder", place.to_string_lossy())
        .next("make room there, or point the folder for temporary files elsewhere")
}
