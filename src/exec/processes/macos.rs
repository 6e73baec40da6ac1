//! Processes on macOS and other systems without `/proc`: what `ps` shows.
//!
//! There is no subreaper there: an orphan falls to the first process of the system, and is known only by its
//! session or by its mark. `ps -E` shows the environment of the user's own processes, but not of programs that
//! the system protects (`/bin/sh` and the like). So a process that detached itself with `setsid` and runs such a
//! program is not found; the README says so.

use super::{Mark, Process, Scope};
use rustix::process::{Pid, Signal};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Error, ErrorKind, Result};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Command, Stdio};

/// Whether orphans fall to the supervisor, which then reaps them.
pub(in crate::exec) const ADOPTS_ORPHANS: bool = false;

/// There is no such thing; orphans are found by session and mark.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same on every system")]
pub(in crate::exec) fn become_subreaper() -> Result<()> {
    Ok(())
}

/// The system itself shows no process's memory to another; the environment stays readable to the same user.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same on every system")]
pub(in crate::exec) fn hide_from_others() -> Result<()> {
    Ok(())
}

/// The other end cannot be identified without unsafe code; the nonce alone vouches for it.
#[expect(clippy::unnecessary_wraps, reason = "the signature is the same on every system")]
pub(in crate::exec) fn peer_runs(_socket: impl AsFd, _executable: &Path) -> std::result::Result<(), String> {
    Ok(())
}

/// Is not found out here.
pub(in crate::exec) fn is_stopped(_pid: i32) -> bool {
    false
}

/// Is not found out here; a process that may have one is left as it is.
pub(in crate::exec) fn has_terminal(_pid: i32) -> bool {
    true
}

/// Returns the living processes of a scope.
pub(super) fn find(scope: &Scope) -> Result<Vec<Process>> {
    let table = table()?;
    let below = scope.below.map(|root| below(&table, root, &BTreeSet::new())).unwrap_or_default();
    let orphans = match &scope.orphans_of {
        Some((root, living)) => below_outside_session(&table, *root, living),
        None => BTreeSet::new(),
    };
    let marked = scope.mark.as_ref().map(marked).transpose()?.unwrap_or_default();
    let in_session = |pid: i32| scope.session.is_some_and(|session| pid != session && session_of(pid) == Some(session));
    let found = table.keys().copied().filter(|pid| {
        *pid != scope.except
            && (below.contains(pid) || orphans.contains(pid) || marked.contains(pid) || in_session(*pid))
    });
    Ok(found.map(|pid| Process { pid, started: 0 }).collect())
}

/// Sends a signal. An id that was given to another process since the search is met by it; the time between is
/// a few milliseconds, and ids are not given again so soon.
pub(super) fn signal(process: &Process, signal: Signal) {
    if let Some(pid) = Pid::from_raw(process.pid) {
        // A process that has ended in the meantime is what is wanted.
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Returns the living processes, each with its parent, without the one that was asked.
fn table() -> Result<BTreeMap<i32, i32>> {
    let (asked, text) = ps(&["-ax", "-o", "pid=,ppid=,stat="])?;
    let lines = text.lines().filter_map(|line| {
        let mut fields = line.split_ascii_whitespace();
        let (pid, parent, state) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?, fields.next()?);
        (!state.starts_with('Z') && pid != asked).then_some((pid, parent))
    });
    Ok(lines.collect())
}

/// Returns the processes whose shown arguments or environment hold the mark.
fn marked(mark: &Mark) -> Result<BTreeSet<i32>> {
    let (_, text) = ps(&["-axEww", "-o", "pid=,command="])?;
    let lines = text.lines().filter_map(|line| {
        let (pid, words) = line.trim_start().split_once(' ')?;
        // Words are not told apart from spaces inside them, so the mark is looked for as a text; its random
        // part makes it unique.
        let begin = std::str::from_utf8(&mark.begin).ok()?;
        let is_marked = words.match_indices(begin).any(|(at, _)| {
            let rest = &words[at + begin.len()..];
            mark.is_whole || rest.starts_with('/') || rest.starts_with('#')
        });
        is_marked.then(|| pid.parse().ok()).flatten()
    });
    Ok(lines.collect())
}

/// Returns the id of the process that was asked, and what it printed.
fn ps(args: &[&str]) -> Result<(i32, String)> {
    #[expect(clippy::disallowed_methods, reason = "exec is the room that starts processes")]
    let child = Command::new("/bin/ps")
        .args(args)
        .env_clear()
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let pid = i32::try_from(child.id()).map_err(Error::other)?;
    let output = child.wait_with_output()?;
    if !output.status.success() {
        return Err(Error::new(ErrorKind::Unsupported, "`ps` does not show the processes"));
    }
    Ok((pid, String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn session_of(pid: i32) -> Option<i32> {
    rustix::process::getsid(Some(Pid::from_raw(pid)?)).ok().map(Pid::as_raw_pid)
}

fn below(table: &BTreeMap<i32, i32>, root: i32, leave: &BTreeSet<i32>) -> BTreeSet<i32> {
    let mut found = BTreeSet::new();
    let mut queue = vec![root];
    while let Some(parent) = queue.pop() {
        let children = table.iter().filter(|(pid, of)| **of == parent && !leave.contains(pid));
        for (child, _) in children {
            if found.insert(*child) {
                queue.push(*child);
            }
        }
    }
    found
}

fn below_outside_session(table: &BTreeMap<i32, i32>, root: i32, living: &BTreeSet<i32>) -> BTreeSet<i32> {
    let own = session_of(root);
    let mut found = below(table, root, living);
    found.retain(|pid| session_of(*pid) != own);
    found
}
