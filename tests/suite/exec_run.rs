//! Runs end in time, leave nothing behind, and tell how they ended.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot be set up fails"))]

use super::support::exec::{Place, Recorder, until};
use agent_acceptance::error::Kind;
use agent_acceptance::exec::{ChannelKind, Interrupt, Probe, capture, run};
use std::path::Path;
use std::time::{Duration, Instant};

/// A pid that a script wrote, once it is there.
fn pid_in(path: &Path) -> u32 {
    until("a process that writes its id", || std::fs::read_to_string(path).ok()?.trim().parse().ok())
}

fn is_alive(pid: u32) -> bool {
    rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid.try_into().unwrap()).unwrap()).is_ok()
}

#[test]
fn exit_status_signal_and_output_are_told() {
    let place = Place::new();
    let ended = place.run("echo out; echo err >&2; exit 7").unwrap();
    assert_eq!((ended.end.exit_status, ended.end.signal, ended.end.timed_out), (Some(7), None, false));
    assert_eq!(ended.end.output, "out\nerr\n");
    assert_eq!((ended.end.left_running, ended.channel_fault), (0, None));
    let ended = place.run("kill -SEGV $$").unwrap();
    assert_eq!((ended.end.exit_status, ended.end.signal), (None, Some(11)));
}

#[test]
fn a_process_gets_its_environment_and_an_empty_stdin_and_nothing_else() {
    let place = Place::new();
    let ended = place.run("env | cut -d= -f1 | grep -v -e '^_$' -e PWD -e SHLVL | sort | tr '\\n' ' '; cat").unwrap();
    assert_eq!(ended.end.output, "AGENT_ACCEPTANCE_RUN GATE PATH PLACE ");
    let ended = place.run("ls -l /proc/self/fd | grep -c socket").unwrap();
    assert_eq!(ended.end.output.trim(), "0", "no descriptor of ours is inherited");
}

#[test]
fn a_deadline_ends_the_whole_tree_in_time() {
    let place = Place::new();
    let mut job = place
        .job("sleep 600 & setsid sh -c 'trap \"\" TERM; echo $$ > $PLACE/pid; sleep 600' & wait", ChannelKind::None);
    job.deadline = Duration::from_millis(700);
    let started = Instant::now();
    let ended = run(&job, &mut Recorder::default(), &Interrupt::default()).unwrap();
    assert!(ended.end.timed_out);
    assert_eq!((ended.end.exit_status, ended.end.signal), (None, None));
    assert!((0.7..3.0).contains(&ended.end.seconds), "{}", ended.end.seconds);
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert!(!is_alive(pid_in(&place.file("pid"))));
}

#[test]
fn detached_processes_that_hold_the_output_are_ended_and_counted() {
    let cases = [
        ("setsid sleep 600 &", 1),
        ("(setsid sh -c '(sleep 600 & echo $! > $PLACE/deep) &' &) ; sleep 0.2", 1),
        ("setsid env -i /bin/sh -c 'sleep 600 & sleep 600 & wait' & sleep 0.2", 3),
        ("nohup sleep 600 > /dev/null 2>&1 &", 1),
    ];
    for (script, n_left) in cases {
        let place = Place::new();
        let started = Instant::now();
        let ended = place.run(&format!("{script}\necho done")).unwrap();
        assert_eq!((ended.end.exit_status, ended.end.left_running), (Some(0), n_left), "{script}");
        assert!(ended.end.output.ends_with("done\n"), "{script}");
        assert!(started.elapsed() < Duration::from_secs(5), "{script}: {:?}", started.elapsed());
        #[cfg(target_os = "linux")]
        assert_eq!(
            super::support::exec::processes_with(place.folder.path().to_str().unwrap()),
            Vec::<u32>::new(),
            "{script}"
        );
    }
}

#[test]
fn a_chain_of_processes_that_fork_and_end_is_caught() {
    let place = Place::new();
    let script = "hop() { ( (hop) & ) ; }; i=0; hop & sleep 0.3; exit 0";
    let ended = place.run(script).unwrap();
    assert_eq!(ended.end.exit_status, Some(0));
    #[cfg(target_os = "linux")]
    assert_eq!(super::support::exec::processes_with(place.folder.path().to_str().unwrap()), Vec::<u32>::new());
}

#[test]
fn a_flood_is_drained_and_its_head_and_tail_are_kept() {
    let place = Place::new();
    let mut recorder = Recorder::default();
    let job = place.job("echo first; head -c 300000000 /dev/zero; echo last", ChannelKind::None);
    let ended = run(&job, &mut recorder, &Interrupt::default()).unwrap();
    assert_eq!(ended.end.exit_status, Some(0));
    assert_eq!(recorder.n_output, 300_000_011);
    assert!(ended.end.output.starts_with("first\n") && ended.end.output.ends_with("last\n"));
    assert!(ended.end.output.len() < 2 * job.output_cap, "{}", ended.end.output.len());
}

#[test]
fn signals_to_the_parent_do_not_end_the_supervisor() {
    let place = Place::new();
    let ended = place.run("for s in TERM INT HUP; do kill -$s $PPID; done; kill -TERM 0").unwrap();
    assert_eq!((ended.end.signal, ended.channel_fault), (Some(15), None));
}

#[test]
fn a_killed_supervisor_leaves_nothing_and_is_a_fault() {
    let place = Place::new();
    let started = Instant::now();
    let ended = place.run("setsid sleep 600 & sleep 600 & kill -9 $PPID; sleep 600").unwrap();
    assert!(ended.channel_fault.is_some_and(|fault| fault.contains("supervises")));
    assert_eq!((ended.end.exit_status, ended.end.signal), (None, Some(9)));
    assert!(started.elapsed() < Duration::from_secs(5));
    #[cfg(target_os = "linux")]
    assert_eq!(super::support::exec::processes_with(place.folder.path().to_str().unwrap()), Vec::<u32>::new());
}

#[test]
fn an_interruption_ends_everything_and_is_a_failure() {
    let place = Place::new();
    let interrupt = Interrupt::default();
    let job = place.job("setsid sleep 600 & echo $$ > $PLACE/pid; sleep 600", ChannelKind::None);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| run(&job, &mut Recorder::default(), &interrupt));
        let pid = pid_in(&place.file("pid"));
        interrupt.raise();
        let failure = running.join().unwrap().unwrap_err();
        assert_eq!(failure.kind, Kind::Interrupted);
        assert!(!is_alive(pid));
    });
    let again = run(&job, &mut Recorder::default(), &interrupt).unwrap_err();
    assert_eq!(again.kind, Kind::Interrupted, "nothing is started after an interruption");
}

#[test]
fn runs_side_by_side_do_not_meet() {
    let (one, two) = (Place::new(), Place::new());
    std::thread::scope(|scope| {
        let long = scope.spawn(|| one.run("while [ ! -e $PLACE/go ]; do sleep 0.01; done; exit 3"));
        let ended = two.run("setsid sleep 600 & exit 0").unwrap();
        assert_eq!((ended.end.exit_status, ended.end.left_running), (Some(0), 1));
        let killed = two.run("kill -9 $PPID; sleep 600").unwrap();
        assert!(killed.channel_fault.is_some());
        std::fs::write(one.file("go"), "").unwrap();
        let ended = long.join().unwrap().unwrap();
        assert_eq!((ended.end.exit_status, ended.end.left_running, ended.channel_fault), (Some(3), 0, None));
    });
}

#[test]
fn what_cannot_be_started_is_a_failure_that_says_why() {
    let place = Place::new();
    let mut job = place.job("", ChannelKind::None);
    job.program = "/nonexistent/runner".into();
    let failure = run(&job, &mut Recorder::default(), &Interrupt::default()).unwrap_err();
    assert_eq!(
        (failure.kind, failure.message.as_str()),
        (Kind::RunnerMissing, "failed to start `/nonexistent/runner`")
    );
    let mut job = place.job("", ChannelKind::None);
    job.cwd = place.file("absent");
    let failure = run(&job, &mut Recorder::default(), &Interrupt::default()).unwrap_err();
    assert_eq!(
        (failure.kind, failure.details[0].text.as_str()),
        (Kind::ProcessFailed, "its working folder is not there")
    );
    let mut job = place.job("", ChannelKind::None);
    job.supervisor.program = "/bin/true".into();
    let ended = run(&job, &mut Recorder::default(), &Interrupt::default()).unwrap();
    assert!(ended.channel_fault.is_some(), "a supervisor that is none is never a good end");
}

#[test]
fn a_probe_answers_on_stdout_within_its_caps() {
    let place = Place::new();
    let probe = |script: &str, deadline_ms: u64| {
        let args = ["-c".into(), script.into()];
        capture(
            &Probe {
                program: Path::new("/bin/sh"),
                args: &args,
                env: &[("PATH".into(), "/usr/bin:/bin".into())],
                cwd: place.folder.path(),
                deadline: Duration::from_millis(deadline_ms),
                output_cap: 10,
                supervisor: &super::support::exec::supervisor(),
            },
            &Interrupt::default(),
        )
        .unwrap()
    };
    let answer = probe("echo v20; echo warn >&2; setsid sleep 600 &", 20_000);
    assert_eq!((answer.stdout.as_slice(), answer.stderr.as_slice()), (&b"v20\n"[..], &b"warn\n"[..]));
    assert_eq!((answer.exit_status, answer.timed_out, answer.is_cut), (Some(0), false, false));
    let answer = probe("echo 0123456789abc", 20_000);
    assert_eq!((answer.stdout.as_slice(), answer.is_cut), (&b"0123456789"[..], true));
    let answer = probe("sleep 600", 200);
    assert_eq!((answer.exit_status, answer.timed_out), (None, true));
}
