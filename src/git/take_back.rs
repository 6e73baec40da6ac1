//! Puts single files of another commit into a private clone: what shows whether a test tests a change.

use crate::error::{Failure, Kind};
use crate::facts::RepoPath;
use crate::git::Repository;
use crate::git::private_clone::PrivateClone;
use crate::git::tree::Mode;
use crate::git::walk::{Leaf, Located};
use crate::git::worktree_files::Files;
use std::path::Path;

impl Repository {
    /// Makes these paths in the folder what they are in `commit`: files and links are written anew, what is
    /// not there is removed together with folders that are empty then. Nothing else is touched, neither
    /// the index; no link that lies in the folder is followed.
    ///
    /// # Errors
    /// [`Kind::CloneUnusable`] when something cannot be written, or a submodule would have to be put back;
    /// [`Kind::ObjectUnreadable`] for missing, forged or malformed objects.
    pub fn take_back(&self, dest: &Path, commit: &str, paths: &[&RepoPath]) -> Result<(), Failure> {
        let located = self.locate(commit, paths)?;
        let mut files = Files::new(dest);
        let mut leaves: Vec<Leaf> = Vec::new();
        for (path, located) in paths.iter().zip(located) {
            let bytes = path.as_bytes().to_vec();
            match located {
                Located::File { executable, object } => {
                    let mode = if executable { Mode::Executable } else { Mode::File };
                    leaves.push((bytes, mode, self.oid(&object)?));
                }
                Located::Symlink { at, object } if at == **path => {
                    leaves.push((bytes, Mode::Symlink, self.oid(&object)?));
                }
                Located::Submodule { at } if at == **path => {
                    return Err(Failure::new(
                        Kind::CloneUnusable,
                        format!("the submodule `{path}` cannot be put back"),
                    ));
                }
                Located::NoFile | Located::Directory | Located::Symlink { .. } | Located::Submodule { .. } => {}
            }
        }
        // Everything goes first, so that a file can take a folder's place and the other way round.
        for path in paths {
            files.remove(path.as_bytes())?;
        }
        for (path, _, _) in &leaves {
            files.clear_way(path)?;
        }
        leaves.sort_unstable();
        let mut written = PrivateClone {
            root: dest.to_path_buf(),
            commit: commit.to_owned(),
            n_files: 0,
            submodules: Vec::new(),
            lfs_pointers: Vec::new(),
        };
        self.write_leaves(&leaves, &mut files, &mut written)
    }
}
