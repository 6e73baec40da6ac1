//! Windows: paths are text, some names are devices or streams, links may need a permission.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command};

/// The file name of the git program. A `git.cmd` would be a shell script.
pub(in crate::git) const PROGRAM: &str = "git.exe";

/// Whether a folder can be removed while a process works in it.
pub(in crate::git) const REMOVES_FOLDERS_IN_USE: bool = false;

/// Lets a pipe hold more, where the system can and allows it.
pub(in crate::git) fn widen(_pipe: &ChildStdout) {}

/// Lets a process that will fill much memory take it in large pages, where its C library knows how to.
pub(in crate::git) fn prefer_large_pages(_command: &mut Command) {}

/// Gives the writer of a pipe time to fill it. Here the shortest sleep is far longer than that takes.
pub(in crate::git) fn let_pipe_fill() {
    std::thread::yield_now();
}

/// Returns the path that these bytes name, or `None` where the system cannot have such a path.
pub(in crate::git) fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    std::str::from_utf8(bytes).ok().map(PathBuf::from)
}

/// Returns the bytes that git knows this path by.
pub(in crate::git) fn bytes_of(path: &Path) -> Vec<u8> {
    path.to_string_lossy().replace('\\', "/").into_bytes()
}

/// Returns whether the system takes this component of a path as the name of one file.
pub(in crate::git) fn is_safe_name(name: &[u8]) -> bool {
    const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];
    let Ok(text) = std::str::from_utf8(name) else { return false };
    let stem = text.split('.').next().unwrap_or(text).trim_end().to_ascii_lowercase();
    let numbered = stem.strip_prefix("com").or_else(|| stem.strip_prefix("lpt"));
    let is_device = DEVICES.contains(&stem.as_str())
        || numbered
            .is_some_and(|rest| rest.chars().count() == 1 && !rest.starts_with(|c: char| c.is_ascii_alphabetic()));
    !is_device
        && !text.ends_with(['.', ' '])
        && !text.contains(['\\', ':', '<', '>', '"', '|', '?', '*'])
        && !text.chars().any(|c| c < ' ')
}

/// Returns the absolute path. Links stay, because resolving them gives a form that other programs do not take.
pub(in crate::git) fn real_path(path: &Path) -> io::Result<PathBuf> {
    std::path::absolute(path)
}

/// Returns whether the file can be started.
pub(in crate::git) fn is_executable(path: &Path) -> bool {
    path.is_file()
}

/// Creates a file that must not be there yet.
pub(in crate::git) fn create_file(path: &Path, _executable: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

/// Creates a symbolic link to what the bytes say.
pub(in crate::git) fn create_symlink(target: &[u8], path: &Path) -> io::Result<()> {
    let target = path_of(target).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidFilename))?;
    let full = path.parent().map_or_else(|| target.clone(), |parent| parent.join(&target));
    if full.is_dir() {
        std::os::windows::fs::symlink_dir(target, path)
    } else {
        std::os::windows::fs::symlink_file(target, path)
    }
}

/// Removes a symbolic link, never what it leads to.
pub(in crate::git) fn remove_symlink(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path).or_else(|_| std::fs::remove_dir(path))
}
