//! Reads objects through `git cat-file --batch` and proves each by its hash: git itself takes what lies
//! under a name for what the name says. Knows nothing of what objects mean.

use crate::error::{Failure, Kind};
use crate::git::commit::CommitCache;
use crate::git::oid::{ObjectFormat, ObjectHasher, Oid};
use crate::git::os;
use crate::git::program::Git;
use crate::git::quarantine::Quarantine;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read, Seek as _, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Requests that are sent ahead. Their bytes must fit into the smallest pipe (4 KiB, 65 a name), so that
/// neither side waits for the other.
const AHEAD: usize = 60;

/// From here on a process of its own, which need not answer each request at once, is cheaper.
const BULK: usize = 600;

/// A read of fewer bytes found little in the pipe.
const SMALL_READ: usize = 1 << 15;

/// What kind of object a name stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

impl ObjectKind {
    fn parse(word: &str) -> Option<Self> {
        [Self::Commit, Self::Tree, Self::Blob, Self::Tag].into_iter().find(|kind| kind.name() == word)
    }

    /// Returns git's word for it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Tree => "tree",
            Self::Blob => "blob",
            Self::Tag => "tag",
        }
    }
}

/// One object while it is read. What is read counts only once the whole call has returned without error.
pub(super) struct Object<'a> {
    /// Its place among the names that were asked for.
    pub(super) index: usize,
    /// What it is.
    pub(super) kind: ObjectKind,
    /// Its size in bytes.
    pub(super) size: u64,
    left: u64,
    hasher: ObjectHasher,
    source: &'a mut BufReader<Answers>,
}

impl Object<'_> {
    /// Reads all that is left.
    pub(super) fn content(&mut self) -> std::io::Result<Vec<u8>> {
        let mut content = Vec::with_capacity(usize::try_from(self.left.min(1 << 20)).unwrap_or_default());
        self.read_to_end(&mut content)?;
        Ok(content)
    }
}

impl Read for Object<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        let n_read = self.source.read(&mut buffer[..most])?;
        if n_read == 0 && most > 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        self.hasher.update(&buffer[..n_read]);
        self.left -= n_read as u64;
        Ok(n_read)
    }
}

/// Takes one object.
pub(super) type Taker<'a> = dyn FnMut(&mut Object<'_>) -> Result<(), Failure> + 'a;

/// The objects of the target, each proven when it is read, and the quarantine that lends them.
#[derive(Debug)]
pub(super) struct Objects {
    git: Git,
    quarantine: Quarantine,
    format: ObjectFormat,
    commits: CommitCache,
    reader: Mutex<Option<Reader>>,
    /// Readers that have told all. Their ends are waited for last: one gives much memory back.
    done: Mutex<Vec<Reader>>,
}

/// A running `cat-file` and both ends of its pipes.
#[derive(Debug)]
struct Reader {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<Answers>,
    /// The line that was read last.
    line: Vec<u8>,
}

/// What a `cat-file` writes.
#[derive(Debug)]
struct Answers {
    pipe: ChildStdout,
    /// Nobody waits for a single answer.
    in_bulk: bool,
}

impl Read for Answers {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let n_read = self.pipe.read(buffer)?;
        if self.in_bulk && (1..SMALL_READ).contains(&n_read) {
            // Git writes each object by itself. Woken by each, both sides would spend their time on waking.
            os::let_pipe_fill();
        }
        Ok(n_read)
    }
}

impl Reader {
    fn end(&mut self) {
        drop(self.stdin.take());
        // It ends by itself at the end of its input, unless it still has much to say.
        self.child.kill().ok();
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        self.end();
        self.child.wait().ok();
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        let reader = self.reader.get_mut().unwrap_or_else(PoisonError::into_inner);
        let done = self.done.get_mut().unwrap_or_else(PoisonError::into_inner);
        done.extend(reader.take());
        // They end while the quarantine, where they work, is removed; elsewhere that has to wait for them.
        done.iter_mut().for_each(Reader::end);
        if !os::REMOVES_FOLDERS_IN_USE {
            done.clear();
        }
    }
}

impl Objects {
    /// Starts the process that answers small questions.
    pub(super) fn start(git: Git, quarantine: Quarantine, format: ObjectFormat) -> Result<Self, Failure> {
        let reader = Reader::start(&git, &quarantine, Stdio::piped(), false)?;
        Ok(Self {
            reader: Mutex::new(Some(reader)),
            done: Mutex::default(),
            git,
            quarantine,
            format,
            commits: CommitCache::default(),
        })
    }

    /// Returns how objects are named.
    pub(super) const fn format(&self) -> ObjectFormat {
        self.format
    }

    /// Returns the commits that were read already.
    pub(super) const fn commits(&self) -> &CommitCache {
        &self.commits
    }

    /// Returns the git program.
    pub(super) const fn git(&self) -> &Git {
        &self.git
    }

    /// Makes a command that asks the quarantine.
    pub(super) fn command(&self) -> Command {
        self.quarantine.command(&self.git)
    }

    /// Opens a file without a name in the private folder.
    pub(super) fn private_file(&self) -> std::io::Result<File> {
        tempfile::tempfile_in(self.quarantine.path())
    }

    /// Hands every object to `take`, in this order, and fails if one is missing or not what its name says.
    pub(super) fn each(&self, oids: &[Oid], take: &mut Taker<'_>) -> Result<(), Failure> {
        self.each_or_absent(oids, take, &mut |index| Err(missing(&oids[index].to_string())))
    }

    /// Does the same, and hands the places of missing objects to `absent`.
    pub(super) fn each_or_absent(
        &self,
        oids: &[Oid],
        take: &mut Taker<'_>,
        absent: &mut dyn FnMut(usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if oids.is_empty() {
            return Ok(());
        }
        if oids.len() >= BULK {
            return self.each_in_bulk(oids, take, absent);
        }
        // Taken out, so that a reader whose answers are out of step is never used again.
        let mut slot = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reader = self.reader(slot.take())?;
        let mut n_sent = 0;
        for (index, &oid) in oids.iter().enumerate() {
            if n_sent - index <= AHEAD / 2 && n_sent < oids.len() {
                let more = &oids[n_sent..oids.len().min(index + AHEAD)];
                reader.send(&requests(more))?;
                n_sent += more.len();
            }
            if !reader.take_one(self.format, index, oid, take)? {
                absent(index)?;
            }
        }
        *slot = Some(reader);
        Ok(())
    }

    fn each_in_bulk(
        &self,
        oids: &[Oid],
        take: &mut Taker<'_>,
        absent: &mut dyn FnMut(usize) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        // A file needs no thread that feeds the process while its answers are read.
        let input = self.private_file().and_then(|mut file| {
            file.write_all(&requests(oids))?;
            file.rewind()?;
            Ok(file)
        });
        let input = input
            .map_err(|error| Failure::new(Kind::Io, format!("a private file failed: {error}")).caused_by(&error))?;
        let mut reader = Reader::start(&self.git, &self.quarantine, Stdio::from(input), true)?;
        for (index, &oid) in oids.iter().enumerate() {
            if !reader.take_one(self.format, index, oid, take)? {
                absent(index)?;
            }
        }
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push(reader);
        Ok(())
    }

    /// Returns the commit that an abbreviated name of hexadecimal digits stands for, `None` where there
    /// is none. The commit itself is not proven yet.
    pub(super) fn expand(&self, abbreviated: &str) -> Result<Option<Oid>, Failure> {
        let mut slot = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reader = self.reader(slot.take())?;
        reader.send(format!("{abbreviated}^{{commit}}\n").as_bytes())?;
        let line = reader.line()?;
        if line.ends_with(b" ambiguous") {
            let message = format!("`{abbreviated}` begins the names of several objects");
            return Err(Failure::new(Kind::RefAmbiguous, message).next("give the full name of the commit"));
        }
        let header = parse_header(line, self.format);
        if let Some((_, _, size)) = header {
            std::io::copy(&mut (&mut reader.stdout).take(size), &mut std::io::sink())
                .map_err(|error| cut_off(&error))?;
            reader.newline()?;
        }
        *slot = Some(reader);
        Ok(header.map(|(oid, _, _)| oid))
    }

    fn reader(&self, reader: Option<Reader>) -> Result<Reader, Failure> {
        reader.map_or_else(|| Reader::start(&self.git, &self.quarantine, Stdio::piped(), false), Ok)
    }
}

fn requests(oids: &[Oid]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(oids.len() * 65);
    let mut digits = [0; 64];
    for oid in oids {
        let length = oid.write_digits(&mut digits);
        lines.extend_from_slice(&digits[..length]);
        lines.push(b'\n');
    }
    lines
}

impl Reader {
    fn start(git: &Git, quarantine: &Quarantine, input: Stdio, in_bulk: bool) -> Result<Self, Failure> {
        let mut command = quarantine.command(git);
        command
            .args(["cat-file", "--batch"])
            .args(in_bulk.then_some("--buffer"))
            .stdin(input)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        if in_bulk {
            // It keeps what it unpacks, up to 96 MiB: page by page, that is a tenth of its time.
            os::prefer_large_pages(&mut command);
        }
        let mut child = command.spawn().map_err(|error| git.not_started(&error))?;
        let stdin = child.stdin.take();
        let Some(pipe) = child.stdout.take() else {
            return Err(Failure::new(Kind::Bug, "git was started without a pipe"));
        };
        if in_bulk {
            os::widen(&pipe);
        }
        let stdout = BufReader::with_capacity(1 << 16, Answers { pipe, in_bulk });
        Ok(Self { child, stdin, stdout, line: Vec::new() })
    }

    fn send(&mut self, requests: &[u8]) -> Result<(), Failure> {
        let Some(stdin) = &mut self.stdin else { return Err(Failure::new(Kind::Bug, "git takes no more requests")) };
        stdin.write_all(requests).map_err(|error| cut_off(&error))
    }

    fn line(&mut self) -> Result<&[u8], Failure> {
        self.line.clear();
        // A header is short; a longer line is not one.
        (&mut self.stdout).take(4096).read_until(b'\n', &mut self.line).map_err(|error| cut_off(&error))?;
        if self.line.pop() != Some(b'\n') {
            return Err(cut_off(&std::io::ErrorKind::UnexpectedEof.into()));
        }
        Ok(&self.line)
    }

    fn newline(&mut self) -> Result<(), Failure> {
        let mut byte = [0];
        self.stdout.read_exact(&mut byte).map_err(|error| cut_off(&error))?;
        if byte == *b"\n" { Ok(()) } else { Err(cut_off(&std::io::ErrorKind::InvalidData.into())) }
    }

    /// Returns whether the object is there.
    fn take_one(
        &mut self,
        format: ObjectFormat,
        index: usize,
        want: Oid,
        take: &mut Taker<'_>,
    ) -> Result<bool, Failure> {
        let Some((_, kind, size)) = parse_header(self.line()?, format) else { return Ok(false) };
        let hasher = ObjectHasher::new(format, kind.name(), size);
        let mut object = Object { index, kind, size, left: size, hasher, source: &mut self.stdout };
        take(&mut object)?;
        // Even of nothing, a copy first clears a buffer.
        if object.left > 0 {
            std::io::copy(&mut object, &mut std::io::sink()).map_err(|error| cut_off(&error))?;
        }
        let is_proven = object.hasher.finish() == Some(want);
        self.newline()?;
        if is_proven { Ok(true) } else { Err(forged(&want.to_string())) }
    }
}

/// Reads `NAME KIND SIZE`; anything else says that the object is not there.
fn parse_header(line: &[u8], format: ObjectFormat) -> Option<(Oid, ObjectKind, u64)> {
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    let oid = Oid::parse(words.next()?.as_bytes(), format)?;
    let kind = ObjectKind::parse(words.next()?)?;
    let size = words.next()?.parse().ok()?;
    words.next().is_none().then_some((oid, kind, size))
}

/// Says that an object is not in the repository; a partial clone lacks objects by design.
pub(super) fn missing(oid: &str) -> Failure {
    Failure::new(Kind::ObjectUnreadable, format!("the repository lacks object {oid}"))
        .detail("why", "a partial or shallow clone, or a damaged one; nothing is downloaded during a check")
        .next("a shallow clone: git fetch --unshallow")
        .next("a partial clone: git fetch --refetch --no-filter")
}

fn forged(oid: &str) -> Failure {
    Failure::new(Kind::ObjectUnreadable, format!("object {oid} is not what its name says: its hash differs"))
        .detail("why", "the object store is damaged, or somebody put other content under that name")
        .next("check a fresh clone; `git fsck` tells what else is wrong")
}

/// Says that git stopped in the middle of an answer.
pub(super) fn cut_off(error: &std::io::Error) -> Failure {
    Failure::new(Kind::ObjectUnreadable, format!("git stopped in the middle of an object: {error}"))
        .detail("why", "an object that git cannot unpack, or git was ended from outside")
        .next("`git fsck` tells whether objects are damaged")
}
