//! The steps of `action.yml`, run as GitHub's runner runs them, with a release made here and programs that
//! stand for `gh` and `cargo`.

use super::support::{Repo, environment, missing, on_path};
use serde_yaml_ng::Value;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn action() -> Value {
    let text = std::fs::read_to_string(root().join("action.yml")).expect("the file is there");
    serde_yaml_ng::from_str(&text).expect("YAML")
}

fn steps() -> Vec<Value> {
    action()["runs"]["steps"].as_sequence().expect("steps").clone()
}

/// Stands for `gh`: a release is a folder, and an attestation holds when the folder says so.
const GH: &str = r#"#!/bin/sh
case "$1 $2" in
  "release download") [ -d "$RELEASE" ] && cp "$RELEASE"/agent-acceptance-* . ;;
  "attestation verify") [ -e "$RELEASE/attested" ] ;;
  *) exit 9 ;;
esac
"#;

/// Stands for `cargo build`: tells where it was started and whether it sees the token, and builds the program.
const CARGO: &str = r#"#!/bin/sh
echo "cargo in $(pwd) with token '${GH_TOKEN-}'"
while [ "$1" != --target-dir ]; do shift; done
mkdir -p "$2/release" && cp "$BUILT" "$2/release/agent-acceptance"
"#;

/// A job on a runner: its folders, and what its steps gave.
struct Job {
    folder: tempfile::TempDir,
    inputs: BTreeMap<String, String>,
    variables: Vec<(String, String)>,
}

struct Ended {
    code: i32,
    log: String,
    outputs: BTreeMap<String, String>,
}

impl Job {
    /// Returns a job with the inputs' defaults, or `None`, aloud, without bash.
    fn new() -> Option<Self> {
        if on_path("bash").is_none() {
            missing("bash");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder");
        let program = |name: &str, text: &str| {
            let file = folder.path().join("bin").join(name);
            std::fs::create_dir_all(folder.path().join("bin")).expect("a folder");
            std::fs::write(&file, text).expect("a file");
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        };
        program("gh", GH);
        program("cargo", CARGO);
        std::fs::create_dir(folder.path().join("temp dir")).expect("a folder");
        let inputs = action()["inputs"].as_mapping().expect("inputs").clone();
        let inputs = inputs.iter().map(|(name, input)| {
            let default = input["default"].as_str().expect("every input has a default").to_owned();
            (name.as_str().expect("a name").to_owned(), default)
        });
        let mut inputs: BTreeMap<String, String> = inputs.collect();
        inputs.insert("github-token".to_owned(), "secret-token".to_owned());
        Some(Self { folder, inputs, variables: Vec::new() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[cfg(any(feature = "github", target_os = "linux"))]
    fn input(mut self, name: &str, value: &str) -> Self {
        assert!(self.inputs.insert(name.to_owned(), value.to_owned()).is_some(), "{name} is an input");
        self
    }

    fn variable(mut self, name: &str, value: impl Into<String>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Makes a release for this machine, with the release workflow's own script.
    fn release(&self, is_attested: bool) -> PathBuf {
        let machine = std::env::consts::ARCH;
        let target = if cfg!(target_os = "macos") {
            format!("{machine}-apple-darwin")
        } else {
            format!("{machine}-unknown-linux-musl")
        };
        let (folder, release) = (self.path("pack"), self.path("release"));
        let built = folder.join("target").join(&target).join("release");
        for folder in [&built, &release] {
            std::fs::create_dir_all(folder).expect("a folder");
        }
        std::fs::copy(program(), built.join("agent-acceptance")).expect("a copy");
        std::fs::write(built.join("agent-acceptance.d"), "").expect("a file");
        for name in ["completions", "man", "README.md", "CHANGELOG.md", "LICENSE"] {
            let copied = assert_cmd::Command::new("cp").arg("-r").arg(root().join(name)).arg(&folder).output();
            assert!(copied.expect("cp runs").status.success());
        }
        let text = std::fs::read_to_string(root().join(".github/workflows/release.yml")).expect("the file is there");
        let workflow: Value = serde_yaml_ng::from_str(&text).expect("YAML");
        let steps = workflow["jobs"]["build"]["steps"].as_sequence().expect("steps");
        let pack = steps.iter().find(|step| step["name"] == "Pack").expect("a step");
        let mut command = assert_cmd::Command::new("bash");
        command.current_dir(&folder).env("TARGET", &target).arg("-ec").arg(pack["run"].as_str().expect("a script"));
        let packed = command.output().expect("bash starts");
        assert!(packed.status.success(), "{}", String::from_utf8_lossy(&packed.stderr));
        for end in ["", ".sha256"] {
            let name = format!("agent-acceptance-{target}.tar.gz{end}");
            std::fs::rename(folder.join(&name), release.join(&name)).expect("it was packed");
        }
        if is_attested {
            std::fs::write(release.join("attested"), "").expect("a file");
        }
        release
    }

    /// Evaluates the one expression of a value of `env`.
    fn value_of(&self, expression: &str, reference: &str, program: &str) -> String {
        let inner = expression.strip_prefix("${{ ").and_then(|rest| rest.strip_suffix(" }}"));
        match inner.unwrap_or_else(|| panic!("{expression} is not one expression")) {
            "github.action_path" => self.path("action").display().to_string(),
            "github.action_ref" => reference.to_owned(),
            "github.action_repository" => "octo/agent-acceptance".to_owned(),
            "steps.get.outputs.program" => program.to_owned(),
            input => self.inputs[input.strip_prefix("inputs.").expect("an input")].clone(),
        }
    }

    /// Runs a step in the checkout, with the command line that the runner uses for `shell: bash`.
    fn run(&self, step: &Value, checkout: &Path, reference: &str, program: &str) -> Ended {
        assert_eq!(step["shell"], "bash");
        let script = self.path("step.sh");
        std::fs::write(&script, step["run"].as_str().expect("a script")).expect("a file");
        let output = self.path("output");
        std::fs::write(&output, "").expect("a file");
        std::fs::create_dir_all(self.path("action")).expect("a folder");
        let mut command = assert_cmd::Command::new(on_path("bash").expect("bash"));
        command.current_dir(checkout).env_clear().envs(environment(self.folder.path()));
        let path = environment(self.folder.path()).into_iter().find(|(name, _)| name == "PATH").expect("PATH").1;
        let mut folders = vec![self.path("bin")];
        folders.extend(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).expect("a path"));
        command.env("RUNNER_TEMP", self.path("temp dir")).env("GITHUB_OUTPUT", &output).env("GITHUB_ACTIONS", "true");
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        for (name, expression) in step["env"].as_mapping().expect("env") {
            let value = self.value_of(expression.as_str().expect("text"), reference, program);
            command.env(name.as_str().expect("a name"), value);
        }
        command.args(["--noprofile", "--norc", "-eo", "pipefail"]).arg(&script);
        let ended = command.timeout(std::time::Duration::from_secs(120)).output().expect("bash starts");
        let told = std::fs::read_to_string(&output).expect("a file");
        let outputs = told.lines().filter_map(|line| line.split_once('='));
        Ended {
            code: ended.status.code().unwrap_or(-1),
            log: format!("{}{}", String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr)),
            outputs: outputs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        }
    }
}

fn program() -> &'static Path {
    assert_cmd::cargo::cargo_bin!("agent-acceptance")
}

#[test]
fn scripts_hold_no_expression_and_every_input_reaches_one() {
    let mut used = String::new();
    for step in steps() {
        assert!(!step["run"].as_str().expect("a script").contains("${{"), "a title could become a command");
        for (_, value) in step["env"].as_mapping().expect("env") {
            used.push_str(value.as_str().expect("text"));
        }
    }
    for (name, input) in action()["inputs"].as_mapping().expect("inputs") {
        let name = name.as_str().expect("a name");
        assert!(used.contains(&format!("inputs.{name} }}}}")), "{name} does nothing");
        assert!(input["description"].is_string(), "{name} is not described");
    }
}

#[test]
fn a_release_is_taken_when_its_checksum_and_its_attestation_hold() {
    let Some(job) = Job::new() else { return };
    let release = job.release(true);
    let job = job.variable("RELEASE", release.display().to_string());
    let checkout = Repo::new();
    let ended = job.run(&steps()[0], checkout.path(), "v0.1.0", "");
    assert_eq!(ended.code, 0, "{}", ended.log);
    assert!(!ended.log.contains("cargo in"), "{}", ended.log);
    let got = std::fs::read(&ended.outputs["program"]).expect("a program");
    assert!(got == std::fs::read(program()).expect("the program"), "it is another program");
}

#[test]
fn a_release_that_was_replaced_ends_the_job() {
    for (is_attested, is_changed) in [(true, true), (false, false)] {
        let Some(job) = Job::new() else { return };
        let release = job.release(is_attested);
        if is_changed {
            let entries = std::fs::read_dir(&release).expect("a folder").map(|entry| entry.expect("an entry").path());
            let archive = entries.into_iter().find(|path| path.extension().is_some_and(|end| end == "gz"));
            let archive = archive.expect("an archive");
            let mut bytes = std::fs::read(&archive).expect("an archive");
            bytes.push(0);
            std::fs::write(&archive, bytes).expect("a file");
        }
        let job = job.variable("RELEASE", release.display().to_string());
        let checkout = Repo::new();
        let ended = job.run(&steps()[0], checkout.path(), "v0.1.0", "");
        assert_ne!(ended.code, 0, "{}", ended.log);
        assert_eq!(ended.log.contains("checksum"), is_changed, "{}", ended.log);
        assert!(ended.outputs.is_empty() && !ended.log.contains("cargo in"), "{}", ended.log);
    }
}

#[test]
fn without_a_release_it_is_built_where_the_checkout_has_no_say() {
    // A commit, a branch, a version that was never released.
    for reference in ["0123456789abcdef0123456789abcdef01234567", "main", "v9.9.9"] {
        let Some(job) = Job::new() else { return };
        let job = job.variable("BUILT", program().display().to_string());
        let checkout = Repo::new();
        checkout.write(".cargo/config.toml", "[build]\nrustc-wrapper = './evil'\n");
        let ended = job.run(&steps()[0], checkout.path(), reference, "");
        assert_eq!(ended.code, 0, "{}", ended.log);
        let at = job.path("action").canonicalize().expect("a folder");
        assert!(ended.log.contains(&format!("cargo in {} with token ''", at.display())), "{}", ended.log);
        assert!(Path::new(&ended.outputs["program"]).is_file(), "{}", ended.log);
    }
}

/// A checkout of a pull request, and the file of the event that names it.
#[cfg(feature = "github")]
fn pull(job: &Job, number: u64, lines: usize) -> (Repo, String) {
    let repo = Repo::new();
    let base = repo.write("a.txt", "1\n").commit("First");
    let head = repo.branch("topic").write("a.txt", "1\n".repeat(lines + 1)).commit("Second");
    let payload = serde_json::json!({
        "repository": { "full_name": "o/r" },
        "pull_request": { "number": number, "head": { "sha": head }, "base": { "sha": base } }
    });
    let event = job.path("event.json");
    std::fs::write(&event, payload.to_string()).expect("a file");
    (repo, event.display().to_string())
}

#[cfg(feature = "github")]
#[test]
fn a_check_ends_the_step_as_its_inputs_say() {
    let Some(mock) = super::github::mock::mock() else { return };
    for (number, lines, inputs, code, status) in [
        (34, 1, &[][..], 0, "passed"),
        (34, 99, &[], 1, "failed"),
        (41, 1, &[], 0, "unchecked"),
        (41, 1, &[("require-contract", "true")], 3, "unchecked"),
        (42, 1, &[], 0, "unchecked"),
        (42, 1, &[("trusted-associations", "NONE,MEMBER")], 0, "passed"),
        (99, 1, &[], 4, "failed"),
        (34, 1, &[("format", "$(exit 7)")], 2, "failed"),
        (34, 1, &[("working-directory", "absent; true")], 2, "failed"),
        (34, 1, &[("strict", "true"), ("format", "json")], 0, "passed"),
        (34, 1, &[("base", "HEAD")], 4, "failed"),
        (34, 1, &[("base", "$(touch pwned)")], 4, "failed"),
    ] {
        let Some(mut job) = Job::new() else { return };
        for (name, value) in inputs {
            job = job.input(name, value);
        }
        let (repo, event) = pull(&job, number, lines);
        let job = job.variable("GITHUB_API_URL", mock.base("plain")).variable("GITHUB_EVENT_PATH", event);
        let job = job.variable("GITHUB_EVENT_NAME", "pull_request");
        let ended = job.run(&steps()[1], repo.path(), "v0.1.0", program().to_str().expect("text"));
        assert_eq!((ended.code, ended.outputs["status"].as_str()), (code, status), "{inputs:?}:\n{}", ended.log);
        assert!(!ended.log.contains("secret-token") && !repo.file("pwned").exists(), "{}", ended.log);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn no_process_but_the_check_was_started_with_the_token() {
    // Stands for the check: tells what it got, and what its ancestors were started with.
    const PROGRAM: &str = r#"#!/bin/sh
if { true <&3; } 2> /dev/null; then echo "ancestor left secret-token open"; fi
echo "token $GITHUB_TOKEN."
at=$PPID
for step in 1 2; do
  tr '\0' '\n' < /proc/$at/environ | sed 's/^/ancestor /'
  echo "ancestor's command $(tr '\0' ' ' < /proc/$at/cmdline)"
  at=$(sed -n 's/^PPid:[^0-9]*//p' /proc/$at/status)
  [ "$at" = "$STOP_AT" ] && break
done
"#;
    for token in ["secret-token", ""] {
        let Some(job) = Job::new() else { return };
        let job = job.input("github-token", token).variable("STOP_AT", std::process::id().to_string());
        let program = job.path("program");
        std::fs::write(&program, PROGRAM).expect("a file");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("permissions");
        let checkout = Repo::new();
        let ended = job.run(&steps()[1], checkout.path(), "v0.1.0", program.to_str().expect("text"));
        assert_eq!((ended.code, ended.outputs["status"].as_str()), (0, "passed"), "{}", ended.log);
        assert!(ended.log.contains(&format!("token {token}.")), "{}", ended.log);
        assert!(ended.log.contains("ancestor GITHUB_ACTIONS=true"), "{}", ended.log);
        let known = ended.log.lines().filter(|line| line.starts_with("ancestor"));
        assert_eq!(known.filter(|line| line.contains("secret-token")).count(), 0, "{}", ended.log);
    }
}
