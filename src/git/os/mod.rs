//! What differs between systems when git's bytes meet the file system. Knows nothing of git's formats.

#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;

#[cfg(unix)]
pub(super) use unix::{
    PROGRAM, REMOVES_FOLDERS_IN_USE, bytes_of, create_file, create_symlink, is_executable, is_safe_name, let_pipe_fill,
    path_of, prefer_large_pages, real_path, remove_symlink, widen,
};
#[cfg(windows)]
pub(super) use windows::{
    PROGRAM, REMOVES_FOLDERS_IN_USE, bytes_of, create_file, create_symlink, is_executable, is_safe_name, let_pipe_fill,
    path_of, prefer_large_pages, real_path, remove_symlink, widen,
};
