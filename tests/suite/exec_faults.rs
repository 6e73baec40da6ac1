//! The tool is killed, stopped and starved at varied moments: nothing is left, and nothing looks good that is not.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot be set up fails"))]

use super::support::exec::{Recorder, processes_with, shell, until};
use agent_acceptance::exec::{ChannelKind, Interrupt, Scratch, protect_this_process, run};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The folder in which a tool process of this test works; it runs the script of that name there.
const TOOL_VARIABLE: &str = "EXEC_TEST_TOOL";

#[expect(clippy::disallowed_methods, reason = "the test binary is its own tool process")]
fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

/// Is a tool process when the variable says so, and otherwise makes sure that it is none by accident.
#[test]
fn a_tool_runs_its_script_only_where_it_is_told_to() {
    let Some(place) = variable(TOOL_VARIABLE) else { return assert_eq!(variable("EXEC_TEST_TOKEN"), None) };
    if !place.join("unprotected").exists() {
        protect_this_process().unwrap();
    }
    let interrupt = Interrupt::listen().unwrap();
    let scratch = Scratch::create(&place).unwrap();
    let script = std::fs::read_to_string(place.join("script")).unwrap();
    let job = shell(&script, ChannelKind::Once, scratch.path(), &place);
    let told = match run(&job, &mut Recorder::default(), &interrupt) {
        Ok(ended) => format!("{:?} {:?} {}", ended.end.exit_status, ended.channel_fault, ended.end.output),
        Err(failure) => format!("{:?} {failure}", failure.kind),
    };
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    drop(scratch);
    std::fs::write(place.join("told"), format!("{told}\n{peak}\n")).unwrap();
}

/// Says that a test cannot run on this machine, which is no fault of the machine.
#[expect(clippy::print_stderr, reason = "a test that does not run says so")]
fn skipped(what: &str) {
    eprintln!("not run: {what}");
}

struct Tool {
    place: tempfile::TempDir,
    child: Child,
}

impl Tool {
    fn start(script: &str, before: &[&str]) -> Self {
        let place = tempfile::tempdir().unwrap();
        Self::start_in(place, script, before)
    }

    /// Starts a tool in a place; `before` are words that start it in another way.
    fn start_in(place: tempfile::TempDir, script: &str, before: &[&str]) -> Self {
        std::fs::write(place.path().join("script"), script).unwrap();
        let test = std::env::current_exe().unwrap();
        let arguments = ["--exact", "suite::exec_faults::a_tool_runs_its_script_only_where_it_is_told_to"];
        let words: Vec<&str> = before.iter().copied().chain([test.to_str().unwrap()]).chain(arguments).collect();
        #[expect(clippy::disallowed_methods, reason = "the test plays the user who starts the tool")]
        let child = Command::new(words[0])
            .args(&words[1..])
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin")
            .env("EXEC_TEST_TOKEN", "secret-token-of-the-checker")
            .env(TOOL_VARIABLE, place.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { place, child }
    }

    fn path(&self) -> &Path {
        self.place.path()
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        // It may have ended.
        let _ = rustix::process::kill_process(pid, signal);
    }

    /// Waits for its end, and returns what it told, if it came so far.
    fn end(&mut self) -> Option<String> {
        until("the tool's end", || self.child.try_wait().unwrap());
        std::fs::read_to_string(self.path().join("told")).ok()
    }

    /// Waits until no process of its run lives.
    fn until_nothing_is_left(&self) {
        let mark = self.path().to_str().unwrap();
        until("the end of all processes", || processes_with(mark).is_empty().then_some(()));
    }

    fn until_file(&self, name: &str) {
        until(name, || self.path().join(name).exists().then_some(()));
    }

    /// Returns the scratch folders and locks that are there.
    fn scratches(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.path()).unwrap().flatten().map(|entry| entry.path());
        entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("agent-acceptance-")).collect()
    }
}

/// Starts what is hard to end, and says when it is there.
const STUBBORN: &str = "setsid sh -c 'trap \"\" TERM HUP INT; sleep 600' & (setsid sleep 600 &) ; echo $PPID > $PLACE/supervisor; echo > $PLACE/ready; sleep 600";

#[test]
fn a_killed_tool_leaves_no_process_and_the_next_run_no_folder() {
    let mut moment = 1_u64;
    for round in 0..50 {
        let mut tool = Tool::start(STUBBORN, &[]);
        // Moments between the start of the process and well into its run, always the same ones.
        moment = moment * 48_271 % 0x7fff_ffff;
        let wait = Duration::from_micros(moment % 120_000);
        let started = Instant::now();
        while started.elapsed() < wait {
            std::thread::park_timeout(wait.saturating_sub(started.elapsed()));
        }
        if round % 5 == 0 {
            tool.until_file("ready");
        }
        tool.signal(rustix::process::Signal::KILL);
        assert_eq!(tool.end(), None, "round {round}");
        tool.until_nothing_is_left();
        drop(Scratch::create(tool.path()).unwrap());
        assert_eq!(tool.scratches(), Vec::<PathBuf>::new(), "round {round}");
    }
}

#[test]
fn a_tool_killed_together_with_its_supervisor_is_cleared_away_by_the_next_run() {
    let mut tool = Tool::start(STUBBORN, &[]);
    tool.until_file("ready");
    // The supervisor is stopped first, so that it cannot act on the tool's end.
    let supervisor = std::fs::read_to_string(tool.path().join("supervisor")).unwrap().trim().parse().unwrap();
    let supervisor = rustix::process::Pid::from_raw(supervisor).unwrap();
    tool.signal(rustix::process::Signal::STOP);
    rustix::process::kill_process(supervisor, rustix::process::Signal::STOP).unwrap();
    tool.signal(rustix::process::Signal::KILL);
    rustix::process::kill_process(supervisor, rustix::process::Signal::KILL).unwrap();
    assert_eq!(tool.end(), None);
    assert!(!processes_with(tool.path().to_str().unwrap()).is_empty(), "there is something to clear away");
    drop(Scratch::create(tool.path()).unwrap());
    assert_eq!(processes_with(tool.path().to_str().unwrap()), Vec::<u32>::new());
    assert_eq!(tool.scratches(), Vec::<PathBuf>::new());
}

#[test]
fn a_living_run_is_left_alone_by_another_in_the_same_folder() {
    let mut tool = Tool::start("echo > $PLACE/ready; while [ ! -e $PLACE/go ]; do sleep 0.01; done; exit 5", &[]);
    tool.until_file("ready");
    drop(Scratch::create(tool.path()).unwrap());
    assert_eq!(tool.scratches().len(), 2);
    std::fs::write(tool.path().join("go"), "").unwrap();
    assert!(tool.end().unwrap().starts_with("Some(5) None"));
    assert_eq!(tool.scratches(), Vec::<PathBuf>::new());
}

#[test]
fn signals_end_the_run_and_remove_everything() {
    use rustix::process::Signal;
    for signal in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut tool = Tool::start(STUBBORN, &[]);
        tool.until_file("ready");
        tool.signal(signal);
        let told = tool.end().unwrap();
        assert!(told.starts_with("Interrupted"), "{signal:?}: {told}");
        assert_eq!(tool.scratches(), Vec::<PathBuf>::new());
        assert_eq!(processes_with(tool.path().to_str().unwrap()), Vec::<u32>::new());
    }
}

#[test]
fn a_stopped_supervisor_goes_on() {
    let mut tool = Tool::start("kill -STOP $PPID; echo done", &[]);
    assert!(tool.end().unwrap().starts_with("Some(0) None done"));
}

#[test]
fn a_tool_that_a_test_stopped_goes_on_when_everything_has_ended() {
    let script = "kill -STOP $(awk '{print $4}' /proc/$PPID/stat); echo done";
    let mut tool = Tool::start(script, &["setsid", "-w"]);
    assert!(tool.end().unwrap().starts_with("Some(0) None done"));
}

#[test]
fn orphans_that_cleared_their_environment_are_ended_when_the_supervisor_is_killed() {
    let script = "setsid env -i /bin/sh -c 'exec -a /tmp sleep 86399' 2>/dev/null & setsid env -i sleep 86399 & sleep 0.2; kill -9 $PPID; sleep 600";
    let mut tool = Tool::start(script, &[]);
    let told = tool.end().unwrap();
    assert!(told.contains("supervises"), "{told}");
    assert_eq!(processes_with("86399"), Vec::<u32>::new());
}

#[test]
fn memory_stays_small_in_a_flood_of_output() {
    let mut tool = Tool::start("head -c 300000000 /dev/zero; echo done", &[]);
    let told = tool.end().unwrap();
    let peak: u64 = told.lines().last().unwrap().split_ascii_whitespace().nth(1).unwrap().parse().unwrap();
    assert!(told.starts_with("Some(0) None"), "{told}");
    assert!(peak < 64 * 1024, "{peak} KiB");
}

#[test]
fn the_environment_of_the_tool_is_not_readable_to_an_ordinary_user() {
    let is_root = rustix::process::geteuid().is_root();
    let before: &[&str] = if is_root { &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] } else { &[] };
    if is_root && super::support::on_path("setpriv").is_none() {
        return super::support::missing("setpriv");
    }
    // Every process that can be read, so the tool's in any case.
    let script = "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; tr '\\0' '\\n' < $p/cmdline; done 2>/dev/null | grep -c '^EXEC_TEST_TOKEN=' ; exit 0";
    for (is_protected, is_readable) in [(true, false), (false, true)] {
        let place = tempfile::tempdir().unwrap();
        std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        if !is_protected {
            std::fs::write(place.path().join("unprotected"), "").unwrap();
        }
        let mut tool = Tool::start_in(place, script, before);
        let told = tool.end().unwrap();
        let output = told.strip_prefix("Some(0) None ").unwrap_or_else(|| panic!("{told}"));
        let n_found: u32 = output.lines().next().unwrap().parse().unwrap();
        assert_eq!(n_found > 0, is_readable, "{told}");
    }
}

#[test]
fn a_full_disk_is_a_failure_with_advice() {
    let place = tempfile::tempdir().unwrap();
    // A file system with room for three entries, which only this process and its children see.
    let script = format!(
        "mount -t tmpfs -o size=64k,nr_inodes=3 none '{0}' && : > '{0}/script' && exec \"$@\"",
        place.path().display()
    );
    #[expect(clippy::disallowed_methods, reason = "the test looks whether it may mount")]
    let may_mount = Command::new("unshare")
        .args(["-m", "sh", "-c", &script, "sh", "true"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !may_mount {
        return skipped("a full disk: a small file system cannot be mounted here");
    }
    #[expect(clippy::disallowed_methods, reason = "the test plays the user who starts the tool")]
    let output = Command::new("unshare")
        .args(["-m", "sh", "-c", &script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "suite::exec_faults::a_tool_runs_its_script_only_where_it_is_told_to", "--nocapture"])
        .env(TOOL_VARIABLE, place.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(told.contains("kind: Io") && told.contains("failed to make a private folder"), "{told}");
}
