//! Permissions of written files, Unix.

use std::fs::{Metadata, Permissions};
use std::os::unix::fs::PermissionsExt as _;

/// A new file gets the permissions that any new file gets; one that is replaced keeps its own.
pub(super) fn set_permissions(builder: &mut tempfile::Builder<'_, '_>, old: Option<Metadata>) {
    builder.permissions(old.map_or_else(|| Permissions::from_mode(0o666), |old| old.permissions()));
}
