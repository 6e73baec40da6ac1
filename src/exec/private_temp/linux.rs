//! An overlay in a mount namespace of the run's own: what is there can be read, what is written is kept apart.

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// `TMPDIR` is private already, and `/tmp` often holds the checkout itself.
const SHARED: &str = "/var/tmp";

/// Covers the shared folder for this process and what it starts. Needs the rights of root; without them, or
/// where the folder is used by the run itself, everything stays as it is.
pub(in crate::exec) fn cover(private: &Path, used: &[&Path], env: &[(OsString, OsString)]) {
    let shared = Path::new(SHARED);
    let is_used =
        |path: &Path| path.starts_with(shared) || path.canonicalize().is_ok_and(|path| path.starts_with(shared));
    let is_named =
        |value: &OsString| value.as_bytes().split(|&byte| byte == b':').any(|part| part.starts_with(SHARED.as_bytes()));
    let can_be_an_option = !private.as_os_str().as_bytes().iter().any(|byte| b",:\\".contains(byte));
    if !rustix::process::geteuid().is_root()
        || !shared.is_dir()
        || !can_be_an_option
        || is_used(private)
        || used.iter().any(|path| is_used(path))
        || env.iter().any(|(_, value)| is_named(value))
    {
        return;
    }
    let (written, work) = (private.join("shared-temp"), private.join("shared-temp-work"));
    if std::fs::create_dir(&written).is_err() || std::fs::create_dir(&work).is_err() {
        return;
    }
    if let Ok(metadata) = std::fs::metadata(shared) {
        let _ = std::fs::set_permissions(&written, metadata.permissions());
    }
    if unshare(CloneFlags::CLONE_NEWNS).is_err() {
        return;
    }
    let nothing: Option<&str> = None;
    // Else the overlay would show outside of the namespace too.
    if mount(nothing, "/", nothing, MsFlags::MS_REC | MsFlags::MS_PRIVATE, nothing).is_err() {
        return;
    }
    let options = format!("lowerdir={SHARED},upperdir={},workdir={}", written.display(), work.display());
    // A system without overlays leaves the folder as it is.
    let _ = mount(Some("overlay"), shared, Some("overlay"), MsFlags::empty(), Some(options.as_str()));
}
