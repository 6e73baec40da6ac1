//! Runs nextest once the tests are built: first its own list of what will run, then the run.

use super::list;
use crate::error::Failure;
use crate::exec::Output;
use crate::runners::cargo_test::build::Build;
use crate::runners::cargo_test::driver::{Driver, failure};
use crate::runners::cargo_test::messages::{Listed, Message, Nextest};
use std::ffi::OsString;

/// So many tests are listed in one line of the channel.
const CHUNK: usize = 1000;

/// Runs the built tests; `runners` are the variables that hand tests to processes of ours.
pub(crate) fn run(
    driver: &mut Driver,
    nextest: &Nextest,
    build: &Build,
    runners: &[(OsString, OsString)],
) -> Result<(), Failure> {
    let selections = if driver.worst() == 0 {
        vec![[nextest.options.clone(), driver.plan().targets.clone()].concat()]
    } else {
        Driver::selections(&nextest.options, &build.binaries)
    };
    for selection in selections {
        let mut list: Vec<String> = ["nextest", "list", "--message-format", "json"].map(str::to_owned).to_vec();
        list.extend(selection.iter().cloned());
        list.extend(nextest.own.iter().cloned());
        list.extend(after(nextest));
        let mut text = Vec::new();
        let listed = driver.start(&nextest.program, &list, Vec::new(), Output::Stdout, &mut |piece| {
            text.extend_from_slice(piece);
        })?;
        let Some(suites) = list::read(&text) else {
            return Err(failure("nextest did not list its tests", &format!("status {listed}")));
        };
        for suite in suites {
            // A binary without tests is listed too.
            let mut chunks: Vec<&[Listed]> = suite.tests.chunks(CHUNK).collect();
            if chunks.is_empty() {
                chunks.push(&[]);
            }
            for tests in chunks {
                let (path, n_all) = (suite.path.clone(), suite.n_all);
                driver.tell(&Message::Suite { path, n_all, tests: tests.to_vec() })?;
            }
        }
        let mut run: Vec<String> = ["nextest", "run"].map(str::to_owned).to_vec();
        run.extend(selection);
        run.extend(nextest.own.iter().cloned());
        run.extend(["--no-fail-fast", "--retries", "0"].map(str::to_owned));
        run.extend(after(nextest));
        let status = driver.start(&nextest.program, &run, runners.to_vec(), Output::Inherited, &mut |_| {})?;
        driver.end_with(status);
    }
    Ok(())
}

fn after(nextest: &Nextest) -> Vec<String> {
    if nextest.after.is_empty() {
        return Vec::new();
    }
    std::iter::once("--".to_owned()).chain(nextest.after.iter().cloned()).collect()
}
