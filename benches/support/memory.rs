//! How much memory and processor time commands take. Linux only: elsewhere nobody tells without more crates.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs a command to its end and returns the largest sum of resident memory of it and all it started that was
/// seen, in bytes; `None` where the system does not tell.
pub(crate) fn most(command: &mut Command) -> Option<u64> {
    most_of(command, None)
}

/// The same, of only those processes that run this program.
pub(crate) fn most_of(command: &mut Command, program: Option<&Path>) -> Option<u64> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let mut most = None;
    while child.try_wait().ok()?.is_none() {
        most = most.max(resident_with_children(child.id(), program));
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}

/// Runs a command to its end and returns the processor time that it and all it waited for took.
pub(crate) fn processor_time(command: &mut Command) -> Option<Duration> {
    let before = of_children()?;
    let ended = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    assert!(ended.is_ok_and(|status| status.success()), "{command:?} failed");
    // Linux counts in hundredths of a second, whatever its clock.
    Some(Duration::from_millis(10 * (of_children()? - before)))
}

fn of_children() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name = stat.rsplit_once(')')?.1;
    let mut fields = after_name.split_whitespace().skip(13).map(str::parse::<u64>);
    Some(fields.next()?.ok()? + fields.next()?.ok()?)
}

fn resident_with_children(pid: u32, program: Option<&Path>) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let own: u64 = line.split_whitespace().next()?.parse().ok()?;
    let is_counted =
        program.is_none_or(|path| std::fs::read_link(format!("/proc/{pid}/exe")).is_ok_and(|exe| exe == path));
    // Children are listed by the thread that started them.
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let children = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|pid| pid.parse().ok())
        .collect();
    let below: u64 = children.into_iter().filter_map(|pid| resident_with_children(pid, program)).sum();
    Some(below + if is_counted { own * 1024 } else { 0 })
}
