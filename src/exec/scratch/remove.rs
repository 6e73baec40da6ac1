//! Removes folders that hostile code has filled: unreadable, or nested deeper than can be walked.

use std::collections::VecDeque;
use std::io::{Error, ErrorKind, Result};
use std::path::Path;

/// Removes a folder with all that is in it, without following links. One that is not there is no error.
pub(super) fn remove_tree(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
        Ok(found) if !found.is_dir() => return Err(ErrorKind::NotADirectory.into()),
        Ok(_) => {}
    }
    if std::fs::remove_dir_all(path).is_ok() {
        return Ok(());
    }
    // The usual way stops at a folder that its owner may not read, and at a nesting deeper than the number of
    // files that may be open. So every folder is opened for its owner, moved up to the first level, and emptied
    // there: no path grows long, nothing is nested, nothing recurses.
    let prefix = format!(".removed-{}-", crate::exec::random_hex(16).map_err(|failure| Error::other(failure.message))?);
    let mut queue = VecDeque::from([path.to_owned()]);
    let mut n_moved = 0_u64;
    let mut first_error = None;
    while let Some(folder) = queue.pop_front() {
        let emptied = flatten(&folder, &mut |nested| {
            let target = path.join(format!("{prefix}{n_moved}"));
            n_moved += 1;
            std::fs::rename(nested, &target)?;
            queue.push_back(target);
            Ok(())
        });
        if let Err(error) = emptied.and_then(|()| if folder == path { Ok(()) } else { std::fs::remove_dir(&folder) }) {
            first_error.get_or_insert(error);
        }
    }
    match (std::fs::remove_dir(path), first_error) {
        (Ok(()), _) => Ok(()),
        (Err(_), Some(error)) | (Err(error), None) => Err(error),
    }
}

/// Removes the files of one folder and hands its folders to `move_up`.
fn flatten(folder: &Path, move_up: &mut dyn FnMut(&Path) -> Result<()>) -> Result<()> {
    open_for_owner(folder)?;
    // Read whole before anything moves: folders that were moved up must not be met again here.
    let entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>>>()?;
    for entry in entries {
        if entry.file_type()?.is_dir() {
            // A folder's entry for its parent changes with the move, so it must be writable itself.
            open_for_owner(&entry.path())?;
            move_up(&entry.path())?;
        } else {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn open_for_owner(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700))
}

#[cfg(windows)]
fn open_for_owner(_folder: &Path) -> Result<()> {
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[test]
    fn folders_nested_deeper_than_files_may_be_open_are_removed() {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("root");
        std::fs::create_dir(&root).unwrap();
        // Built from the inside out, because a path of this depth cannot be named.
        for depth in 0..3000 {
            let outer = parent.path().join("outer");
            std::fs::create_dir(&outer).unwrap();
            let inner = if depth == 0 { root.clone() } else { parent.path().join("inner") };
            std::fs::rename(inner, outer.join("d")).unwrap();
            std::fs::rename(outer, parent.path().join("inner")).unwrap();
        }
        remove_tree(&parent.path().join("inner")).unwrap();
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn closed_folders_are_removed_and_links_are_not_followed() {
        let parent = tempfile::tempdir().unwrap();
        let outside = parent.path().join("outside");
        std::fs::create_dir(&outside).unwrap();
        std::fs::write(outside.join("file"), "x").unwrap();
        let root = parent.path().join("root");
        std::fs::create_dir_all(root.join("closed/inner")).unwrap();
        std::os::unix::fs::symlink(&outside, root.join("closed/link")).unwrap();
        std::fs::set_permissions(root.join("closed/inner"), std::fs::Permissions::from_mode(0o000)).unwrap();
        std::fs::set_permissions(root.join("closed"), std::fs::Permissions::from_mode(0o000)).unwrap();
        remove_tree(&root).unwrap();
        assert!(!root.exists() && outside.join("file").is_file());
    }
}
