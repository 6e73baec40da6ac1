//! Unix: paths are bytes, files have an executable bit, links need no permission.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{ChildStdout, Command};
use std::time::Duration;

/// The file name of the git program.
pub(in crate::git) const PROGRAM: &str = "git";

/// Whether a folder can be removed while a process works in it.
pub(in crate::git) const REMOVES_FOLDERS_IN_USE: bool = true;

/// Lets a pipe hold more, where the system can and allows it.
#[cfg(target_os = "linux")]
pub(in crate::git) fn widen(pipe: &ChildStdout) {
    rustix::pipe::fcntl_setpipe_size(pipe, 1 << 19).ok();
}

/// Lets a pipe hold more, where the system can and allows it.
#[cfg(not(target_os = "linux"))]
pub(in crate::git) fn widen(_pipe: &ChildStdout) {}

/// Lets a process that will fill much memory take it in large pages, where its C library knows how to.
#[cfg(target_os = "linux")]
pub(in crate::git) fn prefer_large_pages(command: &mut Command) {
    command.env("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");
}

/// Lets a process that will fill much memory take it in large pages, where its C library knows how to.
#[cfg(not(target_os = "linux"))]
pub(in crate::git) fn prefer_large_pages(_command: &mut Command) {}

/// Gives the writer of a pipe time to fill it.
pub(in crate::git) fn let_pipe_fill() {
    // Git writes about 100 bytes in a microsecond; a pipe that could not be widened holds 64 KiB.
    let micros = if cfg!(target_os = "linux") { 500 } else { 100 };
    std::thread::sleep(Duration::from_micros(micros));
}

/// Returns the path that these bytes name, or `None` where the system cannot have such a path.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same on every system")]
pub(in crate::git) fn path_of(bytes: &[u8]) -> Option<PathBuf> {
    Some(OsStr::from_bytes(bytes).into())
}

/// Returns the bytes that git knows this path by.
pub(in crate::git) fn bytes_of(path: &Path) -> Vec<u8> {
    path.as_os_str().as_bytes().to_vec()
}

/// Returns whether the system takes this component of a path as the name of one file.
pub(in crate::git) fn is_safe_name(_name: &[u8]) -> bool {
    true
}

/// Returns the absolute path with its links resolved.
pub(in crate::git) fn real_path(path: &Path) -> io::Result<PathBuf> {
    path.canonicalize()
}

/// Returns whether the file can be started.
pub(in crate::git) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// Creates a file that must not be there yet; also a link that leads nowhere counts as there.
pub(in crate::git) fn create_file(path: &Path, executable: bool) -> io::Result<File> {
    let mode = if executable { 0o777 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

/// Creates a symbolic link to what the bytes say.
pub(in crate::git) fn create_symlink(target: &[u8], path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(OsStr::from_bytes(target), path)
}

/// Removes a symbolic link, never what it leads to.
pub(in crate::git) fn remove_symlink(path: &Path) -> io::Result<()> {
    std::fs::remove_file(path)
}
