//! Folders on disk: claiming a number, writing an attempt whole, cleaning up after a killed writer.

use super::{index, unusable};
use crate::error::Failure;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Unfinished attempts have names that start so; nobody but their writer reads them.
const UNFINISHED: &str = ".unfinished-";

/// How long another writer is waited for.
const MOST_WAIT: Duration = if cfg!(test) { Duration::from_secs(2) } else { Duration::from_secs(60) };

/// A folder in which attempts are kept.
#[derive(Debug)]
pub struct Ledger {
    folder: PathBuf,
}

/// The right to write the next attempt for one contract. Held by a lock, so that numbers are given once.
#[derive(Debug)]
pub struct Claim {
    ledger: PathBuf,
    contract: PathBuf,
    number: u32,
    _lock: File,
}

/// What was judged.
#[derive(Debug, Clone)]
pub struct Candidate {
    /// Its name: the artifact's path, or the head commit.
    pub name: String,
    /// Its bytes; `None` for a commit, which git keeps, and for a document that could not be read.
    pub bytes: Option<Vec<u8>>,
}

impl Ledger {
    /// Opens or makes the folder, and proves that it can be written to before anything long is run.
    pub fn open(folder: &Path) -> Result<Self, Failure> {
        fs::create_dir_all(folder).map_err(|error| unusable(folder, "opened", &error))?;
        let probe = tempfile::Builder::new().prefix(UNFINISHED).tempfile_in(folder);
        probe.map_err(|error| unusable(folder, "written to", &error))?;
        Ok(Self { folder: folder.to_owned() })
    }

    /// Claims the next number for a contract, waiting for another writer to finish.
    pub fn claim(&self, digest: &str) -> Result<Claim, Failure> {
        let lock_path = self.folder.join(".lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path);
        let lock = lock.map_err(|error| unusable(&lock_path, "locked", &error))?;
        wait_for(&lock).map_err(|error| unusable(&lock_path, "locked", &error))?;
        self.remove_unfinished().map_err(|error| unusable(&self.folder, "cleaned up", &error))?;
        let contract = self.folder.join(digest.replace(':', "-"));
        fs::create_dir_all(&contract).map_err(|error| unusable(&contract, "written to", &error))?;
        let last = last_number(&contract).map_err(|error| unusable(&contract, "read", &error))?;
        // An attempt whose folder somebody took away was made all the same.
        let last = last.max(index::last(&self.folder, &contract));
        let number = last
            .checked_add(1)
            .ok_or_else(|| unusable(&contract, "numbered", &io::Error::other("too many attempts")))?;
        Ok(Claim { ledger: self.folder.clone(), contract, number, _lock: lock })
    }

    /// Whoever holds the lock is the only writer, so that every unfinished attempt is a killed one's.
    fn remove_unfinished(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let is_folder = entry.file_type()?.is_dir();
            if is_folder && entry.file_name().to_string_lossy().starts_with(UNFINISHED) {
                fs::remove_dir_all(entry.path())?;
            }
        }
        Ok(())
    }
}

impl Claim {
    /// Returns the attempt's number, counted from 1.
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Writes the attempt: candidate bytes, contract, verdict, and what is known about it. Afterwards it
    /// is on disk whole; after any failure or kill before that it is not there at all.
    pub fn commit(
        self,
        candidates: &[Candidate],
        contract: &Value,
        verdict: &str,
        about: Value,
    ) -> Result<PathBuf, Failure> {
        let done = self.contract.join(format!("{:04}", self.number));
        self.write(candidates, contract, verdict, about, &done).map_err(|error| unusable(&done, "written", &error))?;
        index::write(&self.ledger).map_err(|error| unusable(&self.ledger, "indexed", &error))?;
        Ok(done)
    }

    fn write(
        &self,
        candidates: &[Candidate],
        contract: &Value,
        verdict: &str,
        about: Value,
        done: &Path,
    ) -> io::Result<()> {
        let unfinished = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(&self.ledger)?;
        let mut listed = Vec::with_capacity(candidates.len());
        for (index, candidate) in candidates.iter().enumerate() {
            let mut entry = json!({ "name": candidate.name });
            if let Some(bytes) = &candidate.bytes {
                let file = format!("candidate-{}", index + 1);
                write_new(&unfinished.path().join(&file), bytes)?;
                entry["file"] = json!(file);
                entry["bytes"] = json!(bytes.len());
                entry["sha256"] = json!(hex(&Sha256::digest(bytes)));
            }
            listed.push(entry);
        }
        let mut about = about;
        about["attempt"] = json!(self.number);
        about["candidates"] = Value::Array(listed);
        write_new(&unfinished.path().join("contract.json"), format!("{contract:#}\n").as_bytes())?;
        write_new(&unfinished.path().join("verdict.json"), verdict.as_bytes())?;
        write_new(&unfinished.path().join("about.json"), format!("{about:#}\n").as_bytes())?;
        sync_folder(unfinished.path())?;
        if done.exists() {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "an attempt with this number is there already"));
        }
        fs::rename(unfinished.path(), done)?;
        // The folder has its final name now; there is nothing left to remove.
        let _ = unfinished.keep();
        sync_folder(&self.contract)
    }
}

/// Waits until no other writer holds the lock. Each holds it for a moment only, so that one who does not let
/// go is no writer of ours.
fn wait_for(lock: &File) -> io::Result<()> {
    let deadline = Instant::now() + MOST_WAIT;
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(10)),
            Err(TryLockError::WouldBlock) => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process holds it and does not let go"));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn last_number(contract: &Path) -> io::Result<u32> {
    let mut last = 0;
    for entry in fs::read_dir(contract)? {
        let name = entry?.file_name();
        last = last.max(name.to_str().and_then(|name| name.parse().ok()).unwrap_or(0));
    }
    Ok(last)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes a rename in the folder survive a crash of the machine. Windows has no such call and needs none.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(windows) { Ok(()) } else { File::open(folder)?.sync_all() }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::{Candidate, Ledger};
    use serde_json::json;
    use std::fs;
    use std::path::Path;

    fn attempt(ledger: &Ledger, digest: &str, bytes: &[u8]) -> u32 {
        let claim = ledger.claim(digest).expect("a number");
        let number = claim.number();
        let candidate = Candidate { name: "a.json".to_owned(), bytes: Some(bytes.to_vec()) };
        let about =
            json!({ "time": "2026-01-02T03:04:05Z", "status": "failed", "next": "needs_repair", "digest": digest });
        claim.commit(&[candidate], &json!({}), "{}", about).expect("it is written");
        number
    }

    fn read(folder: &Path, file: &str) -> String {
        fs::read_to_string(folder.join(file)).expect("a file")
    }

    #[test]
    fn attempts_are_numbered_for_each_contract_and_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(folder.path()).expect("a ledger");
        assert_eq!(
            [
                attempt(&ledger, "sha256:a", b"1"),
                attempt(&ledger, "sha256:a", b"2"),
                attempt(&ledger, "sha256:b", b"3")
            ],
            [1, 2, 1]
        );
        assert_eq!(read(folder.path(), "sha256-a/0001/candidate-1"), "1");
        assert_eq!(read(folder.path(), "sha256-a/0002/candidate-1"), "2");
        assert_eq!(read(folder.path(), "INDEX.txt").lines().filter(|line| line.contains("a.json")).count(), 3);
    }

    #[test]
    fn what_a_killed_writer_left_is_neither_counted_nor_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(folder.path()).expect("a ledger");
        attempt(&ledger, "sha256:a", b"1");
        fs::create_dir(folder.path().join(".unfinished-x")).expect("a folder");
        fs::write(folder.path().join(".unfinished-x/candidate-1"), "half").expect("a file");
        fs::remove_file(folder.path().join("INDEX.txt")).expect("a file");
        assert_eq!(attempt(&ledger, "sha256:a", b"2"), 2);
        assert!(!folder.path().join(".unfinished-x").exists());
        assert_eq!(read(folder.path(), "INDEX.txt").lines().filter(|line| line.contains("a.json")).count(), 2);
    }

    #[test]
    fn an_attempt_that_was_taken_away_is_counted_and_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(folder.path()).expect("a ledger");
        assert_eq!([attempt(&ledger, "sha256:a", b"1"), attempt(&ledger, "sha256:a", b"2")], [1, 2]);
        fs::remove_dir_all(folder.path().join("sha256-a")).expect("it is removed");
        assert_eq!([attempt(&ledger, "sha256:b", b"1"), attempt(&ledger, "sha256:a", b"3")], [1, 3]);
        let index = read(folder.path(), "INDEX.txt");
        assert_eq!(index.lines().filter(|line| line.contains("sha256-a/")).count(), 3, "{index}");
    }

    #[test]
    fn a_lock_that_nobody_lets_go_of_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        let ledger = Ledger::open(folder.path()).expect("a ledger");
        let held = ledger.claim("sha256:a").expect("a number");
        assert!(ledger.claim("sha256:a").is_err());
        drop(held);
        assert!(ledger.claim("sha256:a").is_ok());
    }

    #[test]
    fn two_writers_never_get_the_same_number() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = || {
            let ledger = Ledger::open(folder.path()).expect("a ledger");
            (0..10).map(|_| attempt(&ledger, "sha256:a", b"x")).collect::<Vec<u32>>()
        };
        let mut numbers = std::thread::scope(|scope| {
            let writers = [scope.spawn(write), scope.spawn(write)];
            writers.into_iter().flat_map(|writer| writer.join().expect("a writer")).collect::<Vec<u32>>()
        });
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=20).collect::<Vec<u32>>());
    }

    #[test]
    fn a_folder_that_cannot_be_written_to_is_found_at_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "").expect("a file");
        assert!(Ledger::open(&file).is_err());
        assert!(Ledger::open(&file.join("below")).is_err());
    }
}
