//! A command that no runner knows and that writes a JUnit XML report by itself: its results are believed as far as a file
//! can be that the code under test may write too.

use super::junit::JunitReader;
use super::{About, Call, HarnessRules, Launch, RecordReader, Refusal, Runner, Site, Transport, start};
use crate::error::{Failure, Kind};
use crate::facts::Channel;
use std::ffi::OsString;
use std::path::PathBuf;

/// The `junit` key of a test clause. It recognises no command by itself, and so is in no list of runners.
#[derive(Debug)]
pub(super) struct OwnReport;

impl Runner for OwnReport {
    fn name(&self) -> &'static str {
        "junit"
    }

    fn about(&self) -> About {
        About {
            forms: &[],
            channel: Channel::ReportFile,
            seen: "what the report tells",
            limits: "the command is trusted to write the report, and the code under test could write it too",
        }
    }

    fn recognise(&self, _call: &Call) -> Option<Result<(), Refusal>> {
        None
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let Some(report) = &call.report else {
            return Err(Failure::new(Kind::RunnerUnsupported, "the command names no report"));
        };
        let words: Vec<String> = std::iter::once(call.program.clone()).chain(call.args.iter().cloned()).collect();
        let started = start::start(&words, site)?;
        Ok(Launch {
            program: started.program,
            args: started.args.iter().map(OsString::from).collect(),
            shown: words,
            env: Vec::new(),
            transport: Transport::ReportFile(PathBuf::from(report)),
            version: None,
        })
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(JunitReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules { files: &[], manifests: &[], followed_keys: &[] }
    }

    fn is_test_file(&self, path: &str) -> bool {
        super::ALL.iter().any(|runner| runner.is_test_file(path))
    }
}
