//! Results of runs at the merge base, kept between checks. An entry that is damaged is as good as none.
//! Must not know how a run is made.

use crate::collect::checkout::hex;
use crate::facts::TestRun;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// The meaning of entries; rises when what is kept changes.
const VERSION: &str = "agent-acceptance baseline 1";

/// What an entry is found by.
#[derive(Debug, Clone)]
pub(crate) struct Key(String);

impl Key {
    /// Makes a key of everything that a result depends on; each part is told apart from its neighbours.
    pub(crate) fn new<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Sha256::new().chain_update(VERSION).chain_update(env!("CARGO_PKG_VERSION"));
        for part in parts {
            hasher.update(part.len().to_le_bytes());
            hasher.update(part);
        }
        Self(hex(&hasher.finalize()))
    }
}

/// A run at the merge base, as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Baseline {
    pub(crate) run: TestRun,
}

/// The folder of entries.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// Uses a folder below the operator's cache folder.
    pub(crate) fn new(cache_dir: &Path) -> Self {
        Self { folder: cache_dir.join("baselines") }
    }

    /// Finds an entry that is whole.
    pub(crate) fn load(&self, key: &Key) -> Option<Baseline> {
        let bytes = std::fs::read(self.place(key)).ok()?;
        let at = bytes.iter().position(|&byte| byte == b'\n')?;
        let (checksum, body) = (&bytes[..at], &bytes[at + 1..]);
        // The key is part of the checksum: an entry under another name is another's.
        if checksum != checksum_of(key, body).as_bytes() {
            return None;
        }
        serde_json::from_slice(body).ok()
    }

    /// Keeps an entry, whole or not at all. That it cannot be kept is no failure of a check.
    pub(crate) fn store(&self, key: &Key, baseline: &Baseline) {
        let Ok(body) = serde_json::to_vec(baseline) else { return };
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.folder)?;
            let mut file = tempfile::NamedTempFile::new_in(&self.folder)?;
            writeln!(file, "{}", checksum_of(key, &body))?;
            file.write_all(&body)?;
            file.as_file().sync_all()?;
            file.persist(self.place(key))?;
            Ok(())
        };
        let _ = write();
    }

    fn place(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.json", key.0))
    }
}

fn checksum_of(key: &Key, body: &[u8]) -> String {
    hex(&Sha256::new().chain_update(&key.0).chain_update(body).finalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::{Completeness, ProcessEnd};

    fn baseline() -> Baseline {
        Baseline {
            run: TestRun {
                argv: vec!["pytest".to_owned()],
                end: ProcessEnd { exit_status: Some(0), seconds: 1.25, ..ProcessEnd::default() },
                records: Vec::new(),
                load_errors: Vec::new(),
                unhandled: Vec::new(),
                completeness: Completeness::Complete,
                notes: Vec::new(),
            },
        }
    }

    #[test]
    fn an_entry_is_found_again_and_a_damaged_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::new(folder.path());
        let (key, other) = (Key::new([&b"a"[..], b"b"]), Key::new([&b"ab"[..]]));
        assert_eq!(cache.load(&key), None);
        cache.store(&key, &baseline());
        assert_eq!(cache.load(&key), Some(baseline()));
        assert_eq!(cache.load(&other), None);
        std::fs::copy(cache.place(&key), cache.place(&other)).unwrap();
        assert_eq!(cache.load(&other), None);
        let bytes = std::fs::read(cache.place(&key)).unwrap();
        for cut in [0, 10, bytes.len() / 2, bytes.len() - 1] {
            std::fs::write(cache.place(&key), &bytes[..cut]).unwrap();
            assert_eq!(cache.load(&key), None, "cut at {cut}");
        }
        let mut changed = bytes.clone();
        let last = changed.len() - 2;
        changed[last] ^= 1;
        std::fs::write(cache.place(&key), changed).unwrap();
        assert_eq!(cache.load(&key), None);
        assert_eq!(std::fs::read_dir(cache.folder).unwrap().count(), 2, "no temporary file is left");
    }
}
