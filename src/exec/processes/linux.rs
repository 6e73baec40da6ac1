//! Processes on Linux: `/proc`, subreaper, process file descriptors.

use super::{Mark, Process, Scope};
use crate::exec::RUN_VARIABLE;
use rustix::process::{Pid, PidfdFlags, Signal};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Read as _, Result};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// More of an environment is not searched for a mark; the kernel's own limit for one is of that size.
const ENVIRONMENT_CAP: u64 = 8 << 20;

/// Whether orphans fall to the supervisor, which then reaps them.
pub(in crate::exec) const ADOPTS_ORPHANS: bool = true;

/// A line of `/proc/PID/stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stat {
    state: u8,
    parent: i32,
    session: i32,
    terminal: i32,
    started: u64,
}

/// Makes this process the one that its orphaned descendants fall to.
pub(in crate::exec) fn become_subreaper() -> Result<()> {
    Ok(rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?)
}

/// Keeps other processes of the same user from reading this one's memory, environment and open files.
pub(in crate::exec) fn hide_from_others() -> Result<()> {
    Ok(rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?)
}

/// Returns whether the process at the other end of a socket runs the given executable; why not, in words.
pub(in crate::exec) fn peer_runs(socket: impl AsFd, executable: &Path) -> std::result::Result<(), String> {
    let peer = rustix::net::sockopt::socket_peercred(socket).map_err(|error| error.to_string())?;
    let running = std::fs::metadata(format!("/proc/{}/exe", peer.pid.as_raw_pid()))
        .map_err(|_| "a process connected that could not be identified".to_owned())?;
    let expected = std::fs::metadata(executable).map_err(|error| error.to_string())?;
    if (running.dev(), running.ino()) == (expected.dev(), expected.ino()) {
        Ok(())
    } else {
        Err("a process connected that is not this tool".to_owned())
    }
}

/// Returns whether a process is stopped.
pub(in crate::exec) fn is_stopped(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| stat.state == b'T')
}

/// Returns whether a process has a terminal, from which somebody can stop it and let it go on.
pub(in crate::exec) fn has_terminal(pid: i32) -> bool {
    stat(pid).is_some_and(|stat| stat.terminal != 0)
}

/// Returns the living processes of a scope.
pub(super) fn find(scope: &Scope) -> Result<Vec<Process>> {
    let table = table()?;
    let below = scope.below.map(|root| below(&table, root, &BTreeSet::new())).unwrap_or_default();
    let orphans = match &scope.orphans_of {
        Some((root, living)) => below_outside_session(&table, *root, living),
        None => BTreeSet::new(),
    };
    let is_meant = |pid: i32, stat: &Stat| {
        below.contains(&pid)
            || orphans.contains(&pid)
            || scope.session.is_some_and(|session| stat.session == session && pid != session)
            || scope.mark.as_ref().is_some_and(|mark| is_marked(pid, mark))
    };
    let is_alive = |stat: &Stat| !matches!(stat.state, b'Z' | b'X' | b'x');
    let found = table.iter().filter(|(pid, stat)| **pid != scope.except && is_alive(stat) && is_meant(**pid, stat));
    Ok(found.map(|(pid, stat)| Process { pid: *pid, started: stat.started }).collect())
}

/// Sends a signal, but never to another process that has got the same id since.
pub(super) fn signal(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    // A process that has ended in the meantime is what is wanted, so errors say nothing.
    match rustix::process::pidfd_open(pid, PidfdFlags::empty()) {
        Ok(descriptor) => {
            if stat(process.pid).is_some_and(|stat| stat.started == process.started) {
                let _ = rustix::process::pidfd_send_signal(descriptor, signal);
            }
        }
        // Kernels before 5.3, and sandboxes that lack the call.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => {
            let _ = rustix::process::kill_process(pid, signal);
        }
        Err(_) => {}
    }
}

fn table() -> Result<BTreeMap<i32, Stat>> {
    let mut table = BTreeMap::new();
    for entry in std::fs::read_dir("/proc")? {
        let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(stat) = stat(pid) {
            table.insert(pid, stat);
        }
    }
    if table.is_empty() { Err(ErrorKind::NotFound.into()) } else { Ok(table) }
}

fn stat(pid: i32) -> Option<Stat> {
    parse_stat(&std::fs::read(format!("/proc/{pid}/stat")).ok()?)
}

fn parse_stat(line: &[u8]) -> Option<Stat> {
    // The name in brackets may hold anything, brackets too.
    let end = line.iter().rposition(|byte| *byte == b')')?;
    let rest = std::str::from_utf8(line.get(end + 1..)?).ok()?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Stat {
        state: *fields.first()?.as_bytes().first()?,
        parent: fields.get(1)?.parse().ok()?,
        session: fields.get(3)?.parse().ok()?,
        terminal: fields.get(4)?.parse().ok()?,
        started: fields.get(19)?.parse().ok()?,
    })
}

/// Returns the descendants of a process, without those in `leave` and what is below them.
fn below(table: &BTreeMap<i32, Stat>, root: i32, leave: &BTreeSet<i32>) -> BTreeSet<i32> {
    let mut children: BTreeMap<i32, Vec<i32>> = BTreeMap::new();
    for (pid, stat) in table {
        children.entry(stat.parent).or_default().push(*pid);
    }
    let mut found = BTreeSet::new();
    let mut queue = vec![root];
    while let Some(parent) = queue.pop() {
        for child in children.get(&parent).into_iter().flatten() {
            if !leave.contains(child) && found.insert(*child) {
                queue.push(*child);
            }
        }
    }
    found
}

fn below_outside_session(table: &BTreeMap<i32, Stat>, root: i32, living: &BTreeSet<i32>) -> BTreeSet<i32> {
    let Some(own) = table.get(&root) else { return BTreeSet::new() };
    let mut found = below(table, root, living);
    found.retain(|pid| table.get(pid).is_some_and(|stat| stat.session != own.session));
    found
}

/// Returns whether a process has the mark in the environment that it was started with, or, for a supervisor, whose
/// environment cannot be read, as an argument.
fn is_marked(pid: i32, mark: &Mark) -> bool {
    let read = |name: &str| {
        let mut bytes = Vec::new();
        File::open(format!("/proc/{pid}/{name}")).ok()?.take(ENVIRONMENT_CAP).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let has = |bytes: Option<Vec<u8>>, fits: &dyn Fn(&[u8]) -> bool| {
        bytes.is_some_and(|bytes| bytes.split(|byte| *byte == 0).any(fits))
    };
    let is_supervisor = |bytes: Option<Vec<u8>>| {
        let bytes = bytes.unwrap_or_default();
        let mut words = bytes.split(|byte| *byte == 0).skip(1);
        words.next() == Some(crate::exec::SUPERVISOR_ARGUMENT.as_bytes())
            && words.next().is_some_and(|word| mark.fits(word))
    };
    has(read("environ"), &|entry| mark.fits_entry(entry)) || is_supervisor(read("cmdline"))
}

impl Mark {
    /// Returns whether a value of the variable fits.
    fn fits(&self, value: &[u8]) -> bool {
        match value.strip_prefix(self.begin.as_slice()) {
            Some(rest) if self.is_whole => rest.is_empty(),
            Some(rest) => matches!(rest.first(), Some(b'/' | b'#')),
            None => false,
        }
    }

    /// Returns whether an entry of an environment is this mark.
    fn fits_entry(&self, entry: &[u8]) -> bool {
        let value = entry.strip_prefix(RUN_VARIABLE.as_bytes()).and_then(|rest| rest.strip_prefix(b"="));
        value.is_some_and(|value| self.fits(value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_brackets_and_spaces_do_not_shift_the_fields() {
        let rest = "S 10 11 12 34816 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 987654 4096 1";
        let expected = Stat { state: b'S', parent: 10, session: 12, terminal: 34816, started: 987_654 };
        for name in ["sh", "a b", ") R 1 1 1 (", "((", "\u{e9}"] {
            assert_eq!(parse_stat(format!("7 ({name}) {rest}").as_bytes()), Some(expected), "{name}");
        }
        assert_eq!(parse_stat(b"7 (sh"), None);
        assert_eq!(parse_stat(b"7 (sh) S"), None);
    }

    #[test]
    fn descendants_are_found_without_those_of_living_supervisors() {
        let stat = |parent, session| Stat { state: b'S', parent, session, terminal: 0, started: 1 };
        let table = BTreeMap::from([
            (1, stat(0, 1)),
            (2, stat(1, 2)),
            (3, stat(2, 3)),
            (4, stat(3, 4)),
            (5, stat(2, 5)),
            (6, stat(2, 2)),
            (7, stat(1, 7)),
        ]);
        assert_eq!(below(&table, 2, &BTreeSet::new()), BTreeSet::from([3, 4, 5, 6]));
        assert_eq!(below_outside_session(&table, 2, &BTreeSet::from([3])), BTreeSet::from([5]));
    }

    #[test]
    fn a_mark_fits_its_run_and_a_folder_fits_the_runs_below_it() {
        let check = |mark: &Mark, entry: &str, expected: bool| {
            assert_eq!(mark.fits_entry(entry.as_bytes()), expected, "{mark:?} {entry}");
        };
        let run = Mark::run("/tmp/a/job#01");
        check(&run, "AGENT_ACCEPTANCE_RUN=/tmp/a/job#01", true);
        check(&run, "AGENT_ACCEPTANCE_RUN=/tmp/a/job#012", false);
        check(&run, "OTHER=/tmp/a/job#01", false);
        let folder = Mark::below(Path::new("/tmp/a"));
        check(&folder, "AGENT_ACCEPTANCE_RUN=/tmp/a/job#01", true);
        check(&folder, "AGENT_ACCEPTANCE_RUN=/tmp/a#01", true);
        check(&folder, "AGENT_ACCEPTANCE_RUN=/tmp/ab/job#01", false);
        check(&folder, "AGENT_ACCEPTANCE_RUN=/tmp/a", false);
    }
}
