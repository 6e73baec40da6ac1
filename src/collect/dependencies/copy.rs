//! Copies a folder of installed packages into a clone: links stay links, and none leads back.
//! Knows nothing of which folders are copied.

use crate::error::{Failure, Kind};
use std::path::{Component, Path, PathBuf};

/// A folder to copy: the same relative path in the checkout and in the clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copied {
    /// Relative to both roots.
    pub(crate) path: PathBuf,
}

/// Where copies come from and go to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Roots<'a> {
    /// The checkout, with no link in its path.
    pub(crate) checkout: &'a Path,
    /// The clone.
    pub(crate) clone: &'a Path,
}

/// What a link of a copied folder becomes.
#[derive(Debug, PartialEq, Eq)]
enum Link {
    /// The same text.
    Kept,
    /// Another text, so that it still leads to where it led.
    Rewritten(PathBuf),
    /// It leads into the checkout, outside of what is copied.
    LeadsBack(PathBuf),
}

/// Copies folders, and links that stand in place of one.
///
/// # Errors
/// Fails when a file cannot be read or written, and when a link leads into the checkout outside the folders.
pub(crate) fn copy(folders: &[Copied], roots: Roots<'_>) -> Result<(), Failure> {
    for folder in folders {
        let (from, to) = (roots.checkout.join(&folder.path), roots.clone.join(&folder.path));
        if let Some(parent) = to.parent() {
            // The clone holds head's files; a folder that only dependencies lie in may be missing there.
            std::fs::create_dir_all(parent).map_err(|error| failed(&to, &error))?;
        }
        let found = std::fs::symlink_metadata(&from).map_err(|error| failed(&from, &error))?;
        if found.is_symlink() {
            copy_link(&from, &to, folders, roots)?;
        } else {
            copy_folder(&from, &to, folders, roots)?;
        }
    }
    Ok(())
}

fn copy_folder(from: &Path, to: &Path, folders: &[Copied], roots: Roots<'_>) -> Result<(), Failure> {
    let mut files = Vec::new();
    let mut open = vec![(from.to_path_buf(), to.to_path_buf())];
    while let Some((from, to)) = open.pop() {
        std::fs::create_dir(&to).map_err(|error| failed(&to, &error))?;
        for entry in std::fs::read_dir(&from).map_err(|error| failed(&from, &error))? {
            let entry = entry.map_err(|error| failed(&from, &error))?;
            let kind = entry.file_type().map_err(|error| failed(&from, &error))?;
            let target = to.join(entry.file_name());
            if kind.is_dir() {
                open.push((entry.path(), target));
            } else if kind.is_symlink() {
                copy_link(&entry.path(), &target, folders, roots)?;
            } else if kind.is_file() {
                files.push((entry.path(), target));
            }
        }
    }
    // Two threads: one waits for the file system while the other does.
    let half = files.len().div_ceil(2).max(1);
    std::thread::scope(|scope| {
        let workers: Vec<_> = files
            .chunks(half)
            .map(|files| {
                scope.spawn(|| {
                    files.iter().try_for_each(|(from, to)| copy_file(from, to).map_err(|error| failed(from, &error)))
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(Failure::new(Kind::Bug, "copying files panicked")))
        })
    })
}

fn copy_file(from: &Path, to: &Path) -> std::io::Result<()> {
    reflink_copy::reflink_or_copy(from, to)?;
    std::fs::set_permissions(to, std::fs::metadata(from)?.permissions())
}

fn copy_link(from: &Path, to: &Path, folders: &[Copied], roots: Roots<'_>) -> Result<(), Failure> {
    let target = std::fs::read_link(from).map_err(|error| failed(from, &error))?;
    let text = match judge(from, &target, folders, roots) {
        Link::Kept => target,
        Link::Rewritten(other) => other,
        Link::LeadsBack(into) => {
            return Err(Failure::new(
                Kind::CloneUnusable,
                "a link among the installed dependencies leads back into the checkout",
            )
            .detail("link", from.display().to_string())
            .detail("leads to", into.display().to_string())
            .next("prepare each clone with a command of its own, such as --setup \"npm ci\""));
        }
    };
    make_link(&text, to, from).map_err(|error| failed(to, &error))
}

fn judge(link: &Path, target: &Path, folders: &[Copied], roots: Roots<'_>) -> Link {
    let Some(folder) = link.parent() else { return Link::Kept };
    let reached = resolved(&folder.join(target));
    let is_copied = |path: &Path| {
        path.strip_prefix(roots.checkout)
            .is_ok_and(|inside| folders.iter().any(|folder| inside.starts_with(&folder.path)))
    };
    if !reached.starts_with(roots.checkout) {
        return if target.is_absolute() { Link::Kept } else { Link::Rewritten(reached) };
    }
    if target.is_absolute() {
        return match reached.strip_prefix(roots.checkout) {
            Ok(inside) if is_copied(&reached) => Link::Rewritten(roots.clone.join(inside)),
            _ => Link::LeadsBack(reached),
        };
    }
    // A relative link to a workspace's package leads to the same package of the clone. One to what the clone
    // does not have, because git ignores it, would be broken there, and is told by the tests themselves.
    Link::Kept
}

/// Takes `.` and `..` out by text: what a link of the copy is relative to is its place, not where links lead.
fn resolved(path: &Path) -> PathBuf {
    let mut found = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                found.pop();
            }
            part => found.push(part),
        }
    }
    found
}

#[cfg(unix)]
fn make_link(target: &Path, link: &Path, _: &Path) -> std::io::Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(windows)]
fn make_link(target: &Path, link: &Path, original: &Path) -> std::io::Result<()> {
    if original.is_dir() {
        std::os::windows::fs::symlink_dir(target, link)
    } else {
        std::os::windows::fs::symlink_file(target, link)
    }
}

#[cfg(not(any(unix, windows)))]
fn make_link(_: &Path, _: &Path, _: &Path) -> std::io::Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

fn failed(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(Kind::CloneUnusable, format!("failed to copy `{}` into a private clone: {error}", path.display()))
        .caused_by(error)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn check(target: &str, expected: &Link) {
        let folders = [Copied { path: PathBuf::from("node_modules") }];
        let roots = Roots { checkout: Path::new("/co"), clone: Path::new("/clone") };
        assert_eq!(&judge(Path::new("/co/node_modules/a"), Path::new(target), &folders, roots), expected, "{target}");
    }

    #[test]
    fn no_link_of_a_copy_leads_into_the_checkout() {
        check("../packages/a", &Link::Kept);
        check(".pnpm/a@1/node_modules/a", &Link::Kept);
        check("/usr/lib/a", &Link::Kept);
        check("../../elsewhere/a", &Link::Rewritten(PathBuf::from("/elsewhere/a")));
        check("/co/node_modules/b", &Link::Rewritten(PathBuf::from("/clone/node_modules/b")));
        check("/co/packages/a", &Link::LeadsBack(PathBuf::from("/co/packages/a")));
        check("/co/./node_modules/../packages/a", &Link::LeadsBack(PathBuf::from("/co/packages/a")));
    }

    #[test]
    fn a_copy_has_the_same_files_modes_and_links() {
        use std::os::unix::fs::PermissionsExt as _;
        let (checkout, clone) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let from = checkout.path().join("a/node_modules/b");
        std::fs::create_dir_all(&from).unwrap();
        std::fs::write(from.join("cli.js"), "x").unwrap();
        std::fs::set_permissions(from.join("cli.js"), std::fs::Permissions::from_mode(0o755)).unwrap();
        symlink("../../src", checkout.path().join("a/node_modules/link")).unwrap();
        let folders = [Copied { path: PathBuf::from("a/node_modules") }];
        let roots = Roots { checkout: checkout.path(), clone: clone.path() };
        copy(&folders, roots).unwrap();
        let to = clone.path().join("a/node_modules");
        assert_eq!(std::fs::read_to_string(to.join("b/cli.js")).unwrap(), "x");
        assert_eq!(std::fs::metadata(to.join("b/cli.js")).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(std::fs::read_link(to.join("link")).unwrap(), Path::new("../../src"));
    }
}
