//! Private clones: a repository of our own that shares only objects, with exactly a commit's files. Files
//! are written from proven blobs by this room itself, so no filter, attribute or hook has a say.

use crate::error::{Failure, Kind};
use crate::facts::RepoPath;
use crate::git::Repository;
use crate::git::content::check_blob;
use crate::git::objects::{Object, cut_off};
use crate::git::oid::Oid;
use crate::git::quarantine::{Skeleton, write_skeleton};
use crate::git::tree::Mode;
use crate::git::walk::Leaf;
use crate::git::worktree_files::Files;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The first line of a Git LFS pointer; a pointer is no larger than 1 KiB.
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
const LARGEST_POINTER: u64 = 1024;

/// A clone that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivateClone {
    /// Its root.
    pub root: PathBuf,
    /// Its commit.
    pub commit: String,
    /// How many files and links were written.
    pub n_files: usize,
    /// Submodules: empty folders here, as after `git clone`.
    pub submodules: Vec<RepoPath>,
    /// Files that hold a Git LFS pointer instead of their content.
    pub lfs_pointers: Vec<RepoPath>,
}

impl Repository {
    /// Makes a private clone of a commit in `dest`, which must be empty or not there. `HEAD` is detached,
    /// the index is the commit's, so that tests that call git work. It never reads the checkout.
    ///
    /// # Errors
    /// [`Kind::CloneUnusable`] when something cannot be written, [`Kind::ObjectUnreadable`] for missing,
    /// forged or malformed objects.
    pub fn checkout_into(&self, commit: &str, dest: &Path) -> Result<PrivateClone, Failure> {
        let leaves = self.leaves(self.root_tree(commit)?)?;
        let unusable = |error: std::io::Error| {
            Failure::new(Kind::CloneUnusable, format!("a private clone could not be made: {error}"))
                .detail("folder", dest.to_string_lossy())
                .caused_by(&error)
        };
        std::fs::create_dir_all(dest).map_err(unusable)?;
        if std::fs::read_dir(dest).map_err(unusable)?.next().is_some() {
            return Err(unusable(std::io::ErrorKind::DirectoryNotEmpty.into()));
        }
        self.write_repository(commit, &dest.join(".git")).map_err(unusable)?;
        let mut clone = PrivateClone {
            root: dest.to_path_buf(),
            commit: commit.to_owned(),
            n_files: 0,
            submodules: Vec::new(),
            lfs_pointers: Vec::new(),
        };
        self.write_leaves(&leaves, &mut Files::new(dest), &mut clone)?;
        self.write_index(commit, dest)?;
        Ok(clone)
    }

    fn write_repository(&self, commit: &str, dir: &Path) -> std::io::Result<()> {
        let skeleton = Skeleton { head: commit, bare: false, attributes: "" };
        write_skeleton(dir, &skeleton, &self.stores, self.location.format)?;
        // Without the cut, `git log` in the clone would look for commits that are not there.
        match std::fs::read_to_string(self.location.common_dir.join("shallow")) {
            Ok(text) if text.lines().all(|line| Oid::parse(line.as_bytes(), self.location.format).is_some()) => {
                std::fs::write(dir.join("shallow"), text)
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// Writes files in the order of their paths; links last, so that nothing can be written through one.
    pub(super) fn write_leaves(
        &self,
        leaves: &[Leaf],
        files: &mut Files<'_>,
        clone: &mut PrivateClone,
    ) -> Result<(), Failure> {
        let (links, others): (Vec<&Leaf>, Vec<&Leaf>) = leaves.iter().partition(|(_, mode, _)| *mode == Mode::Symlink);
        let (blobs, submodules): (Vec<&Leaf>, Vec<&Leaf>) = others.into_iter().partition(|(_, mode, _)| mode.is_file());
        for (path, mode, _) in submodules {
            files.write(path, *mode, &mut std::io::empty())?;
            clone.submodules.push(RepoPath::from_bytes(path.clone()));
        }
        for group in [blobs, links] {
            let oids: Vec<Oid> = group.iter().map(|(_, _, oid)| *oid).collect();
            self.objects.each(&oids, &mut |object| write_blob(object, group[object.index], files, clone))?;
        }
        Ok(())
    }

    fn write_index(&self, commit: &str, dest: &Path) -> Result<(), Failure> {
        let git = self.objects.git();
        let commands: [&[&str]; 2] = [
            &["read-tree", commit],
            // Notes sizes and times, so that git in the clone need not read every file again. 1 means that a
            // file would be stored in another form (line ends), which is git's business in any clone.
            &["update-index", "-q", "--refresh"],
        ];
        for (args, most) in commands.into_iter().zip([0, 1]) {
            let mut command = git.command(dest);
            command.env("GIT_DIR", dest.join(".git")).env("GIT_WORK_TREE", dest).args(args);
            let answer = git.run(&mut command)?;
            if answer.code.is_none_or(|code| code > most) {
                return Err(Failure::new(Kind::CloneUnusable, "git could not write the index of a private clone")
                    .detail("git", answer.complaint("no reason given")));
            }
        }
        Ok(())
    }
}

fn write_blob(
    object: &mut Object<'_>,
    leaf: &Leaf,
    files: &mut Files<'_>,
    clone: &mut PrivateClone,
) -> Result<(), Failure> {
    let (path, mode, oid) = leaf;
    check_blob(*oid, object.kind)?;
    clone.n_files += 1;
    if object.size > LARGEST_POINTER {
        return files.write(path, *mode, object);
    }
    let mut content = Vec::new();
    object.read_to_end(&mut content).map_err(|error| cut_off(&error))?;
    if mode.is_file() && content.starts_with(LFS) {
        clone.lfs_pointers.push(RepoPath::from_bytes(path.clone()));
    }
    files.write(path, *mode, &mut content.as_slice())
}
