//! `go test`: a driver process of ours runs go with an overlay of package `testing` that tells each test's result, and go
//! hands each package's test binary to another process of ours, which passes the results on. What tests print is never
//! evidence: `-json` reads results out of the same stream, and there a printed line passes for one.

mod args;
mod binary;
mod driver;
mod events;
mod messages;
mod overlay;
mod reader;

use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use crate::facts::Channel;
use messages::Plan;
use std::ffi::OsString;

pub(super) use binary::main as binary_main;
pub(super) use driver::main as driver_main;
pub(super) use messages::{BINARY_ARGUMENT, DRIVER_ARGUMENT};

/// The runner.
#[derive(Debug)]
pub(super) struct GoTest;

/// What tests leave in the user's cache of builds must not reach the run they are compared with: a clone has its own.
fn own_cache(site: &Site<'_>) -> Vec<(String, OsString)> {
    let is_clone = site.root != site.checkout;
    is_clone.then(|| ("GOCACHE".to_owned(), site.build.join("go-build").into())).into_iter().collect()
}

impl Runner for GoTest {
    fn name(&self) -> &'static str {
        "go test"
    }

    fn about(&self) -> About {
        About {
            forms: &["go test ./...", "go test -race ./pkg"],
            channel: Channel::Private,
            seen: "subtests, skips, examples, fuzz seeds, panics and early exits, packages that do not compile, a `TestMain` \
                   that runs no test or hides the status",
            limits: "tests run in the process that tells their results: code written to deceive can add some; benchmarks are \
                     not told",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        args::sort(call).map(|sorted| sorted.map(|_| ()))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let args = args::sort(call).and_then(Result::ok).unwrap_or_default();
        let go = find_program("go".as_ref(), site.search_path, site.cwd).ok_or_else(|| {
            Failure::new(Kind::RunnerMissing, "go is not installed").next("install Go 1.19 or newer, in PATH")
        })?;
        let shown = std::iter::once("go".to_owned()).chain(call.args.iter().cloned()).collect();
        let plan = Plan {
            go,
            build: args.build,
            run: args.run,
            packages: args.packages,
            after: args.after,
            this_program: site.this_program.to_owned(),
            private: site.private.to_owned(),
        };
        let file = site.private.join("go-test.json");
        let text = serde_json::to_vec(&plan).unwrap_or_default();
        std::fs::write(&file, text).map_err(|error| {
            Failure::new(Kind::Io, format!("failed to write `{}`", file.display())).detail("cause", error.to_string())
        })?;
        Ok(Launch {
            program: site.this_program.to_owned(),
            args: vec![DRIVER_ARGUMENT.into(), file.into()],
            shown,
            env: own_cache(site),
            transport: Transport::Sockets,
            version: None,
        })
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(reader::GoReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: &["go.work", "**/vendor/**", "vendor/**", "*.syso"],
            manifests: &[Manifest {
                file_name: "go.mod",
                parts: &["module", "go", "toolchain", "godebug", "replace", "exclude", "tool", "ignore"],
            }],
            followed_keys: &[],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        path.rsplit('/').next().is_some_and(|name| name.ends_with("_test.go"))
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        super::flags::values(&call.args, &["modfile", "-modfile"]).into_iter().map(str::to_owned).collect()
    }
}
