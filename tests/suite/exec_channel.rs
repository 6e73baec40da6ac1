//! The private channel against processes that misuse it.

#![cfg_attr(test, expect(clippy::unwrap_used, reason = "a test that cannot be set up fails"))]

use super::support::exec::{Place, Recorder};
use agent_acceptance::exec::{CHANNEL_VARIABLE, ChannelKind, Ended, Interrupt, run};
use std::io::{Read as _, Write as _};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

/// What a client process is told to do.
const CLIENT_VARIABLE: &str = "EXEC_TEST_CLIENT";

#[expect(clippy::disallowed_methods, reason = "the test binary is its own client process")]
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Is a client process when the variable says so, and otherwise makes sure that it is none by accident.
#[test]
fn a_client_speaks_only_where_it_is_told_to() {
    let Some(act) = variable(CLIENT_VARIABLE) else {
        assert_eq!(variable(CHANNEL_VARIABLE), None, "this test runs inside a run of its own");
        return;
    };
    let address = variable(CHANNEL_VARIABLE).unwrap();
    let (path, nonce) = address.strip_prefix("unix:").unwrap().rsplit_once(':').unwrap();
    assert!(path.len() < 100 && nonce.len() == 32);
    let connect = || UnixStream::connect(path).unwrap();
    let hello = format!("{{\"hello\":\"{nonce}\"}}\n");
    match act.as_str() {
        "good" => connect().write_all(format!("{hello}one\ntwo\n").as_bytes()).unwrap(),
        "bytewise" => {
            let mut stream = connect();
            for byte in format!("{hello}one\ntwo\n").bytes() {
                stream.write_all(&[byte]).unwrap();
            }
        }
        "silent" => {}
        "mute" => drop(connect()),
        "cut" => connect().write_all(format!("{hello}one\ntw").as_bytes()).unwrap(),
        "wrong nonce" => {
            let _ = connect().write_all(format!("{}one\n", hello.replace(nonce, &"0".repeat(32))).as_bytes());
        }
        "garbled" => {
            let _ = connect().write_all(b"\xff\xfe\0\n\0one\n");
        }
        "twice" => {
            let mut first = connect();
            first.write_all(format!("{hello}one\n").as_bytes()).unwrap();
            let mut second = connect();
            let _ = second.write_all(format!("{hello}forged\n").as_bytes());
            let mut answer = Vec::new();
            let _ = second.read_to_end(&mut answer);
            first.write_all(b"two\n").unwrap();
        }
        "again" => {
            for record in ["one", "forged"] {
                let _ = connect().write_all(format!("{hello}{record}\n").as_bytes());
            }
        }
        "flood" => {
            let mut stream = connect();
            stream.write_all(hello.as_bytes()).unwrap();
            let piece = b"0123456789abcde\n".repeat(4096);
            let n_written = (0..3200).take_while(|_| stream.write_all(&piece).is_ok()).count();
            assert!(n_written < 1200, "{n_written} pieces of 64 KiB were taken");
        }
        "endless line" => {
            let mut stream = connect();
            stream.write_all(hello.as_bytes()).unwrap();
            let piece = vec![b'x'; 65536];
            let n_written = (0..3200).take_while(|_| stream.write_all(&piece).is_ok()).count();
            assert!(n_written < 100, "{n_written} pieces of 64 KiB were taken");
        }
        other => panic!("{other}"),
    }
}

/// Runs a client, and returns its records, how it ended, and how long that took.
fn client(act: &str, prefix: &str) -> (Vec<String>, Ended) {
    let place = Place::new();
    let test = std::env::current_exe().unwrap();
    let script = format!(
        "{prefix} '{}' --exact suite::exec_channel::a_client_speaks_only_where_it_is_told_to --nocapture",
        test.display()
    );
    let mut job = place.job(&script, ChannelKind::Once);
    job.env.push((CLIENT_VARIABLE.into(), act.into()));
    let mut recorder = Recorder::default();
    let started = Instant::now();
    let ended = run(&job, &mut recorder, &Interrupt::default()).unwrap();
    assert!(started.elapsed() < Duration::from_secs(20), "{act}: {:?}", started.elapsed());
    assert_eq!(std::fs::read_dir(place.scratch.path()).unwrap().count(), 0, "the socket is removed");
    (recorder.records.into_iter().map(|(_, line)| line).collect(), ended)
}

#[test]
fn what_a_client_may_do_is_no_fault() {
    for (act, expected) in
        [("good", &["one", "two"][..]), ("bytewise", &["one", "two"]), ("silent", &[]), ("mute", &[])]
    {
        let (records, ended) = client(act, "");
        assert_eq!(
            (records.as_slice(), ended.channel_fault),
            (&expected.iter().map(ToString::to_string).collect::<Vec<_>>()[..], None),
            "{act}"
        );
        assert_eq!(ended.end.exit_status, Some(0), "{act}: {}", ended.end.output);
    }
}

#[test]
fn what_a_client_must_not_do_is_a_fault() {
    let cases = [
        ("cut", &["one"][..], "the last record is cut off"),
        ("wrong nonce", &[], "a connection did not begin with the right hello"),
        ("garbled", &[], "a connection did not begin with the right hello"),
        ("twice", &["one", "two"], "a second connection was tried"),
        ("again", &["one"], "a second connection was tried"),
    ];
    for (act, expected, fault) in cases {
        let (records, ended) = client(act, "");
        assert_eq!(records, expected, "{act}");
        assert_eq!(ended.channel_fault.as_deref(), Some(fault), "{act}");
        assert_eq!(ended.end.exit_status, Some(0), "{act}: {}", ended.end.output);
    }
}

#[test]
fn floods_are_cut_and_the_flooder_gets_a_broken_pipe() {
    let (records, ended) = client("flood", "");
    assert_eq!(ended.channel_fault.as_deref(), Some("more than 64 MiB of records"));
    assert!(records.len() <= 4 << 20, "{}", records.len());
    assert_eq!(ended.end.exit_status, Some(0), "{}", ended.end.output);
    let (records, ended) = client("endless line", "");
    assert_eq!(ended.channel_fault.as_deref(), Some("a record is longer than 1024 KiB"));
    assert!(records.is_empty());
    assert_eq!(ended.end.exit_status, Some(0), "{}", ended.end.output);
}

#[test]
fn a_record_that_a_killed_process_had_sent_arrives() {
    let (records, ended) = client("good", "trap 'kill -9 $$' EXIT;");
    assert_eq!((records, ended.end.signal), (vec!["one".to_owned(), "two".to_owned()], Some(9)));
}

#[test]
fn records_on_stdout_are_told_apart_from_output() {
    let place = Place::new();
    let mut recorder = Recorder::default();
    let job = place.job("echo one; echo noise >&2; readlink /proc/self/fd/3 3>&1 >&2; echo two", ChannelKind::Stdout);
    let ended = run(&job, &mut recorder, &Interrupt::default()).unwrap();
    assert_eq!(recorder.records, [(0, "one".to_owned()), (0, "two".to_owned())]);
    assert!(ended.end.output.starts_with("noise\n"));
    #[cfg(target_os = "linux")]
    assert!(ended.end.output.contains("socket:"), "{}", ended.end.output);
    assert_eq!(ended.channel_fault, None);
    let job = place.job("echo one; echo x > /dev/stdout; printf two", ChannelKind::Stdout);
    let mut recorder = Recorder::default();
    let ended = run(&job, &mut recorder, &Interrupt::default()).unwrap();
    assert_eq!(recorder.records, [(0, "one".to_owned())], "a socket cannot be opened again by its path");
    assert!(ended.channel_fault.is_some());
    let job = place.job("yes record", ChannelKind::Stdout);
    let mut recorder = Recorder::default();
    let ended = run(&job, &mut recorder, &Interrupt::default()).unwrap();
    assert_eq!(ended.channel_fault.as_deref(), Some("more than 64 MiB of records"));
    assert_ne!(ended.end.exit_status, Some(0), "it gets a broken pipe");
}

#[test]
fn a_runner_under_many_connections_that_is_not_this_tool_is_refused() {
    let place = Place::new();
    let test = std::env::current_exe().unwrap();
    let script = format!(
        "'{}' --exact suite::exec_channel::a_client_speaks_only_where_it_is_told_to --nocapture",
        test.display()
    );
    let mut job = place.job(&script, ChannelKind::Many);
    job.env.push((CLIENT_VARIABLE.into(), "wrong nonce".into()));
    let mut recorder = Recorder::default();
    let ended = run(&job, &mut recorder, &Interrupt::default()).unwrap();
    assert!(recorder.records.is_empty());
    assert!(ended.channel_fault.is_some());
}
