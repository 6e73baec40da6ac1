//! The most memory that a program and everything it starts held at one time.

use std::process::{Command, Stdio};
use std::time::Duration;

/// Runs a command to its end and returns the largest sum of resident memory that was seen, in bytes;
/// `None` where the system does not tell.
pub(crate) fn most(command: &mut Command) -> Option<u64> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let mut most = None;
    while child.try_wait().ok()?.is_none() {
        most = most.max(resident_with_children(child.id()));
        std::thread::sleep(Duration::from_millis(2));
    }
    most
}

fn resident_with_children(pid: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let own: u64 = line.split_whitespace().next()?.parse().ok()?;
    // Children are listed by the thread that started them.
    let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    let children = tasks.flatten().filter_map(|task| std::fs::read_to_string(task.path().join("children")).ok());
    let children: Vec<u32> = children
        .flat_map(|text| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
        .filter_map(|pid| pid.parse().ok())
        .collect();
    Some(own * 1024 + children.into_iter().filter_map(resident_with_children).sum::<u64>())
}
