//! A file's stamp: what the file system says of it without reading it.
//! Knows nothing of content.

use std::fs::Metadata;

/// Size, times and identity of a file. Two equal stamps mean that the file was not written in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    size: u64,
    /// Nanoseconds since 1970 of the last change to content.
    modified: i128,
    /// Nanoseconds since 1970 of the last change to anything, which programs cannot set; 0 where there is none.
    changed: i128,
    /// Device and number, 0 where there are none.
    identity: (u64, u64),
}

/// How long before "now" a stamp must lie to be believed: file systems count time in steps, the coarsest
/// being FAT's two seconds, and two changes within one step look like one.
const COARSEST_STEP: i128 = 2_100_000_000;

impl Stamp {
    /// Returns whether a change after `now` would show in the stamp.
    ///
    /// Without a time that programs cannot set (Windows), an edit can hide behind one that was set back.
    pub(super) fn is_settled(&self, now: i128) -> bool {
        self.changed != 0 && self.latest() + COARSEST_STEP < now
    }

    /// Returns the latest of its times.
    pub(super) fn latest(&self) -> i128 {
        self.modified.max(self.changed)
    }
}

#[cfg(unix)]
impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            size: metadata.size(),
            modified: nanos(metadata.mtime(), metadata.mtime_nsec()),
            changed: nanos(metadata.ctime(), metadata.ctime_nsec()),
            identity: (metadata.dev(), metadata.ino()),
        }
    }
}

#[cfg(not(unix))]
impl From<&Metadata> for Stamp {
    fn from(metadata: &Metadata) -> Self {
        let modified = metadata
            .modified()
            .ok()
            .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
            .map_or(0, |since| i128::try_from(since.as_nanos()).unwrap_or(i128::MAX));
        Self { size: metadata.len(), modified, changed: 0, identity: (0, 0) }
    }
}
