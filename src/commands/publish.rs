//! `--publish PATH=DEST`: the artifact's bytes, written whole or not at all.

use crate::error::{Failure, Kind};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Proves that a destination can be written later: its folder is there, and it is no link or folder.
pub fn probe(destination: &Path) -> Result<(), Failure> {
    match fs::symlink_metadata(destination) {
        Ok(there) if there.is_symlink() => {
            Err(refused(destination, "it is a symbolic link, which could lead anywhere", "name the file itself"))
        }
        Ok(there) if !there.is_file() => Err(refused(destination, "it is not a regular file", "name a file")),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(failed(destination, &error)),
    }?;
    let probe = tempfile::Builder::new().prefix(".publish-").tempfile_in(folder_of(destination));
    probe.map(drop).map_err(|error| failed(destination, &error))
}

/// Writes bytes to a destination: first to a new file beside it, then renamed over it. An old file is
/// replaced whole or stays as it is; its permissions are kept.
pub fn publish(bytes: &[u8], destination: &Path) -> Result<(), Failure> {
    probe(destination)?;
    replace(bytes, destination).map_err(|error| failed(destination, &error))
}

fn replace(bytes: &[u8], destination: &Path) -> io::Result<()> {
    let folder = folder_of(destination);
    let mut file = new_file_in(folder)?;
    file.write_all(bytes)?;
    if let Ok(there) = fs::symlink_metadata(destination) {
        file.as_file().set_permissions(there.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(destination).map_err(|error| error.error)?;
    if cfg!(windows) { Ok(()) } else { fs::File::open(folder)?.sync_all() }
}

/// A new file gets what the user's mask leaves of 0666, as any other program's would.
#[cfg(unix)]
fn new_file_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    use std::os::unix::fs::PermissionsExt as _;
    tempfile::Builder::new().prefix(".publish-").permissions(fs::Permissions::from_mode(0o666)).tempfile_in(folder)
}

#[cfg(not(unix))]
fn new_file_in(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    tempfile::Builder::new().prefix(".publish-").tempfile_in(folder)
}

fn folder_of(destination: &Path) -> &Path {
    destination.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or_else(|| Path::new("."))
}

fn refused(destination: &Path, why: &str, next: &str) -> Failure {
    Failure::new(Kind::Usage, format!("the artifact cannot be published to `{}`: {why}", destination.display()))
        .next(next)
}

fn failed(destination: &Path, error: &io::Error) -> Failure {
    Failure::new(Kind::Io, format!("the artifact could not be published to `{}`", destination.display()))
        .detail("reason", error.to_string())
        .next("name a destination that this user can write to, on a disk with room")
}

#[cfg(test)]
mod tests {
    use super::publish;
    use std::fs;

    #[test]
    fn bytes_arrive_unchanged_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().expect("a folder");
        let destination = folder.path().join("out.json");
        publish(b"{\r\n}\xff", &destination).expect("it is published");
        publish(b"{\r\n}\xfe", &destination).expect("it is published again");
        assert_eq!(fs::read(&destination).expect("a file"), b"{\r\n}\xfe");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 1);
    }

    #[test]
    fn a_destination_that_is_not_a_file_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(publish(b"", folder.path()).is_err());
        assert!(publish(b"", &folder.path().join("absent/out.json")).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_permissions_are_kept() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let folder = tempfile::tempdir().expect("a folder");
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").expect("a file");
        symlink(&file, &link).expect("a link");
        assert!(publish(b"new", &link).is_err());
        assert_eq!(fs::read(&file).expect("a file"), b"old");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("permissions");
        publish(b"new", &file).expect("it is published");
        assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640);
    }
}
