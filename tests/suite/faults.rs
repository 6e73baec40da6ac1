//! Whole checks under faults: two at once, a clock that jumps, files from the past and the future, a disk that is full.
//! Nothing looks good that is not, and nothing is left.

use super::support::{NODE_ALONE, Repo, environment, missing, on_path};
use assert_cmd::cargo::cargo_bin;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime};

/// A change of a project that needs node alone; `None`, aloud, without node.
struct Project {
    repo: Repo,
    home: tempfile::TempDir,
}

const TEST: &str = "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { two } from './two.mjs';\n\
                    test('two', () => assert.equal(two(), 2));\n";

impl Project {
    fn new(head_test: &str) -> Option<Self> {
        if on_path("node").is_none() {
            missing(NODE_ALONE);
            return None;
        }
        let repo = Repo::new();
        repo.write("package.json", "{\"private\": true}\n").write("two.mjs", "export const two = () => 1;\n");
        repo.write("a.test.mjs", TEST).commit("base");
        repo.branch("pr")
            .write("two.mjs", "export const two = () => 2;\n")
            .write("a.test.mjs", head_test)
            .commit("work");
        Some(Self { repo, home: tempfile::tempdir().expect("a folder") })
    }

    /// Prepares a check of a contract, started by way of `before`.
    fn check(&self, before: &[&str], contract: &Value, flags: &[&str]) -> Command {
        // Written once: another check may be reading it.
        let file = self.home.path().join("contract.json");
        if std::fs::read_to_string(&file).ok() != Some(contract.to_string()) {
            std::fs::write(&file, contract.to_string()).expect("a contract");
        }
        let tool = cargo_bin!("agent-acceptance").to_str().expect("a path");
        let args = ["check", shown(&file), "--base", "main", "--head", "pr", "--format", "json", "--timeout", "60"];
        let words: Vec<&str> = before.iter().chain(&[tool]).chain(&args).chain(flags).copied().collect();
        #[expect(clippy::disallowed_methods, reason = "the test plays the user who starts the tool")]
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).current_dir(self.repo.path()).env_clear().envs(environment(self.home.path()));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }
}

fn one_passes() -> Value {
    json!({"tests": [{"command": "node --test", "passed": 1}]})
}

#[track_caller]
fn verdict(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

#[track_caller]
fn ends(output: &Output, status: &str) -> Value {
    let verdict = verdict(output);
    assert_eq!(verdict["status"], status, "{verdict:#}");
    let code = match status {
        "passed" => 0,
        "failed" => 1,
        _ => 4,
    };
    assert_eq!(output.status.code(), Some(code), "{verdict:#}");
    verdict
}

#[test]
fn two_checks_of_one_checkout_at_once_give_what_each_gives_alone() {
    // A test that bends git's settings and edits the source for a while: two that are there at once would each take the
    // other's state for how the checkout was.
    let bends = format!(
        "{TEST}import fs from 'node:fs';\nimport {{ execFileSync }} from 'node:child_process';\n\
         test('bends', async () => {{\n  execFileSync('git', ['config', 'core.fsmonitor', '/nonexistent/evil']);\n  \
         const was = fs.readFileSync('two.mjs');\n  fs.writeFileSync('two.mjs', 'export const two = () => 3;');\n  \
         await new Promise((resolve) => setTimeout(resolve, 400));\n  fs.writeFileSync('two.mjs', was);\n}});\n"
    );
    let Some(project) = Project::new(&bends) else { return };
    let before = std::fs::read(project.repo.file(".git/config")).expect("a configuration");
    let cache = tempfile::tempdir().expect("a folder");
    let kept = ["--cache-dir", cache.path().to_str().expect("a path")];
    let contract = json!({"tests": [{"command": "node --test", "passed": 2}]});
    let strict = [&kept[..], &["--strict"]].concat();
    for flags in [&kept[..], &strict] {
        let running: Vec<_> =
            (0..3).map(|_| project.check(&[], &contract, flags).spawn().expect("the tool starts")).collect();
        let outputs: Vec<Output> =
            running.into_iter().map(|child| child.wait_with_output().expect("it ends")).collect();
        for output in &outputs {
            let verdict = verdict(output);
            // At the merge base no test passes, so a strict check has nothing to compare with.
            let expected = if flags.contains(&"--strict") { "error" } else { "passed" };
            assert_eq!(verdict["status"], expected, "{verdict:#}");
        }
        assert_eq!(std::fs::read(project.repo.file(".git/config")).expect("a configuration"), before);
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "");
    }
}

#[test]
fn files_from_the_past_and_the_future_are_compared_by_what_they_hold() {
    let Some(project) = Project::new(TEST) else { return };
    let source = project.repo.file("two.mjs");
    let day = Duration::from_secs(86_400);
    for time in [SystemTime::UNIX_EPOCH + day, SystemTime::UNIX_EPOCH + 60_000 * day] {
        let set = || {
            let file = std::fs::File::options().write(true).open(&source).expect("a file");
            file.set_modified(time).expect("a time");
        };
        set();
        ends(&project.check(&[], &one_passes(), &[]).output().expect("it runs"), "passed");
        let good = std::fs::read(&source).expect("the source");
        std::fs::write(&source, "export const two = () => 4 - 2;\n").expect("an edit");
        set();
        let verdict = ends(&project.check(&[], &one_passes(), &[]).output().expect("it runs"), "error");
        assert_eq!(verdict["error"]["kind"], "dirty_tree", "{verdict:#}");
        std::fs::write(&source, good).expect("the source");
    }
}

/// A clock that jumps by a year at every look, now forward and now back, more forward than back.
#[cfg(target_os = "linux")]
const CLOCK: &str = "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <sys/time.h>\n#include <time.h>\n\
    static long step(void) { static long n; n++; return (n % 3 ? 1 : -1) * 31536000L * (n % 20); }\n\
    int clock_gettime(clockid_t id, struct timespec *at) {\n\
      int (*real)(clockid_t, struct timespec *) = dlsym(RTLD_NEXT, \"clock_gettime\");\n\
      int done = real(id, at);\n\
      if (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE) at->tv_sec += step();\n\
      return done;\n}\n\
    int gettimeofday(struct timeval *at, void *zone) {\n\
      int (*real)(struct timeval *, void *) = dlsym(RTLD_NEXT, \"gettimeofday\");\n\
      int done = real(at, zone);\n\
      at->tv_sec += step();\n\
      return done;\n}\n\
    time_t time(time_t *to) { struct timespec at; clock_gettime(CLOCK_REALTIME, &at); if (to) *to = at.tv_sec; return at.tv_sec; }\n";

#[cfg(target_os = "linux")]
#[test]
fn a_clock_that_jumps_ends_no_run_early_and_lets_none_go_on() {
    let endless = format!("{TEST}test('endless', () => {{ for (;;); }});\n");
    let (Some(project), Some(stuck)) = (Project::new(TEST), Project::new(&endless)) else { return };
    let Some(cc) = on_path("cc") else { return missing("a C compiler") };
    let place = tempfile::tempdir().expect("a folder");
    let (source, library) = (place.path().join("clock.c"), place.path().join("clock.so"));
    std::fs::write(&source, CLOCK).expect("a file");
    assert_cmd::Command::new(cc)
        .args(["-shared", "-fPIC", "-w", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .assert()
        .success();
    for (project, seconds, status) in [(&project, 60, "passed"), (&stuck, 3, "failed")] {
        let contract = json!({"tests": [{"command": "node --test", "passed": 1, "timeout_seconds": seconds}]});
        let started = Instant::now();
        // Every test process gets a cleared environment, so the clock jumps for the tool alone.
        let output = project.check(&[], &contract, &[]).env("LD_PRELOAD", &library).output().expect("it runs");
        let verdict = ends(&output, status);
        let took = started.elapsed();
        let told = verdict["timing_ms"]["tests"].as_u64().unwrap_or_else(|| panic!("{verdict:#}"));
        assert!(u128::from(told) <= took.as_millis() && took < Duration::from_secs(60), "{told} ms in {took:?}");
        assert_eq!(verdict.to_string().contains("\"timeout\""), status == "failed", "{verdict:#}");
    }
}

/// A small file system that only one process and its children see.
#[cfg(target_os = "linux")]
struct SmallDisk {
    place: tempfile::TempDir,
    mount: String,
}

#[cfg(target_os = "linux")]
impl SmallDisk {
    /// `None`, aloud, where nothing can be mounted.
    fn new(size: &str) -> Option<Self> {
        let place = tempfile::tempdir().expect("a folder");
        // What is left there at the end is listed in a file outside.
        let mount = format!(
            "mount -t tmpfs -o size={size} none '{0}/disk' || exit 99; mkdir '{0}/disk/temp' '{0}/disk/cache'; \"$@\"; code=$?; \
             ls -A '{0}/disk/temp' > '{0}/left'; exit $code",
            place.path().display()
        );
        std::fs::create_dir(place.path().join("disk")).expect("a folder");
        let disk = Self { place, mount };
        #[expect(clippy::disallowed_methods, reason = "the test looks whether it may mount")]
        let tried = Command::new("unshare").args(&disk.before()[1..]).arg("true").stderr(Stdio::null()).status();
        if !tried.is_ok_and(|status| status.success()) {
            #[expect(
                clippy::print_stderr,
                reason = "a test that does not run says so, and it is no fault of the machine"
            )]
            {
                eprintln!("not run: a small disk cannot be mounted here");
            }
            return None;
        }
        Some(disk)
    }

    fn before(&self) -> Vec<&str> {
        let is_root = rustix::process::geteuid().is_root();
        ["unshare", if is_root { "-m" } else { "-rm" }, "sh", "-c", &self.mount, "sh"].into()
    }

    fn folder(&self, name: &str) -> PathBuf {
        self.place.path().join("disk").join(name)
    }

    fn left(&self) -> String {
        std::fs::read_to_string(self.place.path().join("left")).expect("a list")
    }
}

fn shown(path: &Path) -> &str {
    path.to_str().expect("a path")
}

#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_is_an_error_with_advice_and_nothing_is_left() {
    // What fills it: a clone that does not fit, and a test that writes until nothing fits any more.
    let fills = format!(
        "{TEST}import fs from 'node:fs';\nimport os from 'node:os';\nimport path from 'node:path';\n\
         const file = fs.openSync(path.join(os.tmpdir(), 'filler'), 'a');\n\
         try {{ for (let size = 1 << 20; size > 0; size >>= 1) {{ try {{ for (;;) fs.writeSync(file, Buffer.alloc(size)); }} catch {{}} }} }} catch {{}}\n"
    );
    let (Some(disk), Some(large), Some(filling), Some(claimed)) =
        (SmallDisk::new("2m"), Project::new(TEST), Project::new(&fills), Project::new(&fills))
    else {
        return;
    };
    large.repo.write("large.bin", vec![7_u8; 4 << 20]).commit("a large file");
    claimed.repo.write("two.mjs", "export const two = () => 3;\n").commit("no work");
    let check = |project: &Project, flags: &[&str], before: &[&str]| {
        let mut check = project.check(before, &one_passes(), flags);
        let output = check.env("TMPDIR", disk.folder("temp")).output().expect("it runs");
        assert_eq!(disk.left(), "", "{flags:?}");
        assert_eq!(project.repo.git(&["status", "--porcelain"]), "");
        let verdict = verdict(&output);
        if verdict["status"] == "error" {
            assert_eq!(output.status.code(), Some(4), "{verdict:#}");
            assert!(verdict["error"].to_string().to_lowercase().contains("space"), "{flags:?} {verdict:#}");
            let next = verdict["error"]["next"].to_string();
            assert!(next.contains("room") || next.contains("space"), "{flags:?} {verdict:#}");
        }
        verdict["status"].as_str().expect("a status").to_owned()
    };
    assert_eq!(check(&large, &["--isolate"], &disk.before()), "error");
    for flags in [&[][..], &["--isolate"]] {
        // Whether the checker itself still needs room is for the file system to say.
        assert_ne!(check(&filling, flags, &disk.before()), "failed", "{flags:?}");
        assert_ne!(check(&claimed, flags, &disk.before()), "passed", "{flags:?}");
    }
    for size in ["40k", "80k", "120k", "160k", "200k"] {
        let Some(disk) = SmallDisk::new(size) else { return };
        let mut check = filling.check(&disk.before(), &one_passes(), &["--isolate"]);
        let output = check.env("TMPDIR", disk.folder("temp")).output().expect("it runs");
        assert_ne!(output.status.code(), Some(1), "{size}: {:#}", verdict(&output));
        assert_eq!(disk.left(), "", "{size}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_does_not_fit_on_the_disk_is_not_a_pass() {
    let (Some(disk), Some(project)) = (SmallDisk::new("16k"), Project::new(TEST)) else { return };
    let contract = json!({"changed_files_only": ["two.mjs", "a.test.mjs"], "file_contains": [
        {"path": "two.mjs", "text": "x".repeat(20_000)}]});
    let passes = json!({"changed_files_only": ["two.mjs", "a.test.mjs"]});
    let file = disk.folder("report");
    let report = format!("json={}", shown(&file));
    let output = project.check(&disk.before(), &contract, &["--report", &report]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stderr).contains("space"), "{output:?}");
    let full = std::fs::File::options().write(true).open("/dev/full").expect("a device");
    let mut check = project.check(&[], &passes, &[]);
    let output = check.stdout(full).output().expect("it runs");
    assert_eq!(output.status.code(), Some(4), "{output:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_cache_on_a_full_disk_costs_time_and_changes_no_answer() {
    let (Some(disk), Some(project)) = (SmallDisk::new("12k"), Project::new(TEST)) else { return };
    project.repo.checkout("main").write("two.mjs", "export const two = () => 2; // base\n").commit("green");
    project.repo.checkout("pr").git(&["rebase", "--quiet", "-X", "theirs", "main"]);
    let kept = json!({"tests": [{"command": "node --test", "pass_to_pass": true}]});
    let cache = disk.folder("cache");
    let mut check = project.check(&disk.before(), &kept, &["--cache-dir", shown(&cache)]);
    ends(&check.output().expect("it runs"), "passed");
}
