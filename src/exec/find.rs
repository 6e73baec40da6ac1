//! Finds a program in a search path as a shell would, but never in the current directory.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// Returns the program's absolute path.
///
/// A bare name is looked up in `search_path` (the value of `PATH`); its empty and relative entries are passed
/// over, because they mean the current directory, which the change under test fills. A name with a separator
/// is taken from `cwd`. On Windows the usual extensions are tried.
pub fn find_program(name: &OsStr, search_path: Option<&OsStr>, cwd: &Path) -> Option<PathBuf> {
    if name.is_empty() {
        return None;
    }
    let path = Path::new(name);
    if path.is_absolute() || path.components().count() > 1 || has_separator(name) {
        return candidates(&cwd.join(path)).into_iter().find(|candidate| is_program(candidate));
    }
    std::env::split_paths(search_path?)
        .filter(|folder| folder.is_absolute())
        .flat_map(|folder| candidates(&folder.join(path)))
        .find(|candidate| is_program(candidate))
}

fn has_separator(name: &OsStr) -> bool {
    name.as_encoded_bytes().iter().any(|byte| std::path::is_separator(char::from(*byte)))
}

/// The extensions that Windows' own shell tries when `PATHEXT` is not set, without the script hosts'.
#[cfg(windows)]
const EXTENSIONS: &[&str] = &["com", "exe", "bat", "cmd"];

#[cfg(windows)]
fn candidates(path: &Path) -> Vec<PathBuf> {
    let has_own = path
        .extension()
        .and_then(OsStr::to_str)
        .is_some_and(|own| EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(own)));
    if has_own {
        return vec![path.to_owned()];
    }
    EXTENSIONS
        .iter()
        .map(|extension| {
            let mut name = path.as_os_str().to_owned();
            name.push(".");
            name.push(extension);
            PathBuf::from(name)
        })
        .collect()
}

#[cfg(not(windows))]
fn candidates(path: &Path) -> Vec<PathBuf> {
    vec![path.to_owned()]
}

#[cfg(windows)]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    fn program(path: &Path) {
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn relative_and_empty_entries_of_the_search_path_are_never_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        program(&folder.path().join("tool"));
        let find = |path: &str| find_program(OsStr::new("tool"), Some(OsStr::new(path)), folder.path());
        for path in ["", ".", ":", "./", "sub/..", "::."] {
            assert_eq!(find(path), None, "{path:?}");
        }
        assert_eq!(find(&format!(".:{}", folder.path().display())), Some(folder.path().join("tool")));
    }

    #[test]
    fn a_name_with_a_separator_is_taken_from_the_working_folder() {
        let folder = tempfile::tempdir().unwrap();
        program(&folder.path().join("tool"));
        assert_eq!(find_program(OsStr::new("./tool"), None, folder.path()), Some(folder.path().join("./tool")));
        assert_eq!(find_program(OsStr::new("tool"), None, folder.path()), None);
        assert_eq!(find_program(OsStr::new(""), None, folder.path()), None);
    }

    #[test]
    fn folders_and_plain_files_are_no_programs() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("b"), "").unwrap();
        for name in ["a", "b", "c"] {
            assert_eq!(find_program(OsStr::new(name), Some(folder.path().as_os_str()), folder.path()), None, "{name}");
        }
    }
}
