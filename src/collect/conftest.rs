//! Asks a Python interpreter whether a `conftest.py` only adds fixtures and plain helpers, on its syntax alone.
//! Must not let anything of the change be imported.

use crate::collect::context::TestContext;
use crate::exec::{self, Probe, environment};
use crate::runners::pytest::CONFTEST_JUDGE;
use serde::Deserialize;
use std::path::Path;
use std::time::Duration;

/// The script reads its question from stdin; a process here has none, so it is read from a file.
const WRAPPER: &str = "import sys\n\
    sys.stdin = open(sys.argv[1], encoding='utf-8')\n\
    exec(compile(open(sys.argv[2], encoding='utf-8').read(), 'judge', 'exec'))\n";

#[derive(Deserialize)]
struct Answer {
    harness: bool,
    #[serde(default)]
    why: String,
    #[serde(default)]
    line: u64,
}

/// Judges one `conftest.py`. Whatever goes wrong is a reason against it.
pub(crate) fn judge(
    interpreter: &Path,
    base: Option<&str>,
    head: &str,
    private: &Path,
    context: &TestContext<'_>,
) -> Result<(), String> {
    let unknown = |what: &str| Err(format!("nobody could tell what it does ({what})"));
    let (question, script) = (private.join("question.json"), private.join("judge.py"));
    let text = serde_json::json!({ "base": base, "head": head }).to_string();
    if std::fs::write(&question, text).and_then(|()| std::fs::write(&script, CONFTEST_JUDGE)).is_err() {
        return unknown("the question could not be written");
    }
    let Ok(environment) = environment::build(context.environment, &[], false, private) else {
        return unknown("no environment");
    };
    let args = ["-I".into(), "-S".into(), "-c".into(), WRAPPER.into(), question.into(), script.into()];
    let probe = Probe {
        program: interpreter,
        args: &args,
        env: &environment.vars,
        cwd: private,
        deadline: Duration::from_secs(30),
        output_cap: 64 << 10,
        supervisor: context.supervisor,
    };
    let Ok(captured) = exec::capture(&probe, context.interrupt) else {
        return unknown("Python could not be started");
    };
    match serde_json::from_slice::<Answer>(&captured.stdout) {
        Ok(answer) if captured.exit_status == Some(0) && !answer.harness => Ok(()),
        Ok(answer) if answer.harness => Err(format!("{}, line {}", answer.why, answer.line)),
        Ok(_) | Err(_) => unknown("Python could not read it"),
    }
}
