//! Writes a commit's files into a folder of ours. What lies in the folder may be hostile by then: no link
//! is ever followed. Knows nothing of git's repository in that folder.

use crate::error::{Failure, Kind};
use crate::git::os;
use crate::git::tree::Mode;
use std::collections::HashSet;
use std::io::{self, Read, Write as _};
use std::path::{Path, PathBuf};

/// A folder that files are written into.
pub(super) struct Files<'a> {
    root: &'a Path,
    /// Folders that this has made itself, and that nothing else can have touched since.
    made: HashSet<Vec<u8>>,
}

impl<'a> Files<'a> {
    pub(super) fn new(root: &'a Path) -> Self {
        Self { root, made: HashSet::new() }
    }

    /// Writes one file that must not be there yet.
    pub(super) fn write(&mut self, path: &[u8], mode: Mode, content: &mut dyn Read) -> Result<(), Failure> {
        let place = self.place(path)?;
        self.make_parents(path)?;
        let written = match mode {
            Mode::Symlink => {
                let mut target = Vec::new();
                content.read_to_end(&mut target).and_then(|_| os::create_symlink(&target, &place))
            }
            Mode::Submodule | Mode::Directory => std::fs::create_dir(&place),
            Mode::File | Mode::Executable => {
                os::create_file(&place, mode == Mode::Executable).and_then(|mut file| copy(content, &mut file))
            }
        };
        written.map_err(|error| unwritable(path, &error))
    }

    /// Removes what stands at a path, and folders above it that are empty then.
    pub(super) fn remove(&mut self, path: &[u8]) -> Result<(), Failure> {
        self.made.clear();
        if !self.is_reachable(path)? {
            return Ok(());
        }
        let place = self.place(path)?;
        match place.symlink_metadata() {
            Ok(meta) if meta.is_dir() => std::fs::remove_dir_all(&place),
            Ok(meta) if meta.is_symlink() => os::remove_symlink(&place),
            Ok(_) => std::fs::remove_file(&place),
            Err(_) => return Ok(()),
        }
        .map_err(|error| unwritable(path, &error))?;
        let mut parent = place.parent();
        while let Some(folder) = parent.filter(|folder| *folder != self.root) {
            if std::fs::remove_dir(folder).is_err() {
                break;
            }
            parent = folder.parent();
        }
        Ok(())
    }

    /// Removes links and files that stand where this path needs folders.
    pub(super) fn clear_way(&mut self, path: &[u8]) -> Result<(), Failure> {
        self.made.clear();
        for end in parents(path) {
            let place = self.place(&path[..end])?;
            match place.symlink_metadata() {
                Ok(meta) if meta.is_dir() => {}
                Ok(meta) if meta.is_symlink() => {
                    return os::remove_symlink(&place).map_err(|error| unwritable(path, &error));
                }
                Ok(_) => return std::fs::remove_file(&place).map_err(|error| unwritable(path, &error)),
                Err(_) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Returns whether only real folders lie on the way to a path.
    fn is_reachable(&self, path: &[u8]) -> Result<bool, Failure> {
        for end in parents(path) {
            if !self.place(&path[..end])?.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn make_parents(&mut self, path: &[u8]) -> Result<(), Failure> {
        let ends: Vec<usize> = parents(path).collect();
        // From the innermost out, as most files lie beside one that was written before.
        let known = ends.iter().rposition(|&end| self.made.contains(&path[..end])).map_or(0, |index| index + 1);
        for &end in &ends[known..] {
            let folder = self.place(&path[..end])?;
            let is_folder = || folder.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            match std::fs::create_dir(&folder) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && is_folder() => {}
                Err(error) => return Err(unwritable(path, &error)),
            }
            self.made.insert(path[..end].to_vec());
        }
        Ok(())
    }

    fn place(&self, path: &[u8]) -> Result<PathBuf, Failure> {
        let is_safe = path.split(|&byte| byte == b'/').all(os::is_safe_name);
        let relative = os::path_of(path).filter(|_| is_safe);
        let relative = relative.ok_or_else(|| unwritable(path, &io::ErrorKind::InvalidFilename.into()))?;
        Ok(self.root.join(relative))
    }
}

/// Where each folder's path ends, from the outermost.
fn parents(path: &[u8]) -> impl Iterator<Item = usize> {
    path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end)
}

fn copy(content: &mut dyn Read, file: &mut std::fs::File) -> io::Result<()> {
    let mut buffer = [0; 1 << 14];
    loop {
        match content.read(&mut buffer)? {
            0 => return Ok(()),
            n_read => file.write_all(&buffer[..n_read])?,
        }
    }
}

fn unwritable(path: &[u8], error: &io::Error) -> Failure {
    let path = String::from_utf8_lossy(path);
    let failure =
        Failure::new(Kind::CloneUnusable, format!("`{path}` could not be written into a private clone: {error}"))
            .caused_by(error);
    if error.kind() == io::ErrorKind::AlreadyExists {
        failure.detail("why", "two paths of the commit are one path on this file system")
    } else {
        failure
    }
}
