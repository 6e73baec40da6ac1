//! cargo nextest: built and driven as `cargo test` is, but run by nextest, called directly, so that no alias of the
//! tree stands in its place. nextest hands each test to a process of ours, which tells its result.

mod args;
mod list;
mod one;
mod run;

use super::cargo_test::messages::{Nextest as Plan, Plan as CargoPlan};
use super::cargo_test::{self, CargoReader, toolchain};
use super::{About, Call, HarnessRules, Launch, RecordReader, Refusal, Runner, Site};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use crate::facts::Channel;
use std::ffi::OsStr;

pub(super) use one::main as one_main;
pub(super) use run::run;

/// The runner.
#[derive(Debug)]
pub(super) struct Nextest;

impl Runner for Nextest {
    fn name(&self) -> &'static str {
        "cargo nextest"
    }

    fn about(&self) -> About {
        About {
            forms: &["cargo nextest run", "cargo nextest r", "cargo +nightly nextest run"],
            channel: Channel::Private,
            seen: "ignored tests, panics that were expected, crashes and early exits, targets that do not compile; \
                   retries of the configuration are off",
            limits: "no documentation tests; code that runs before `main` can answer for a test",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        args::sort(call).map(|sorted| sorted.map(|_| ()))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let args = args::sort(call).and_then(Result::ok).unwrap_or_default();
        let program = find_program(OsStr::new("cargo-nextest"), site.search_path, site.cwd)
            .or_else(|| {
                let installed = std::env::home_dir()?.join(".cargo/bin/cargo-nextest");
                find_program(installed.as_os_str(), None, site.cwd)
            })
            .ok_or_else(|| {
                Failure::new(Kind::RunnerMissing, "`cargo nextest` is not installed").next("install cargo-nextest")
            })?;
        let configuration = toolchain::configuration(site)?;
        let plan = CargoPlan {
            cargo: cargo_test::find_cargo(site)?,
            toolchain: args.toolchain.clone(),
            options: args.of_cargo.clone(),
            targets: args.targets.clone(),
            filter: None,
            binary: Vec::new(),
            triple: args.triple.clone().or(configuration.triple),
            target_dir: site.build.join("cargo-target"),
            this_program: toolchain::plain_path(site.this_program, site.private)?,
            chain: configuration.runners,
            doc: false,
            root: site.root.to_owned(),
            cwd: site.cwd.to_owned(),
            nextest: Some(Plan { program: program.clone(), options: args.options, own: args.own, after: args.after }),
        };
        cargo_test::launch(&plan, &program, call, site)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(CargoReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules { files: HARNESS_FILES, ..cargo_test::HARNESS }
    }

    fn is_test_file(&self, path: &str) -> bool {
        cargo_test::is_rust_test_file(path)
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        args::sort(call).and_then(Result::ok).unwrap_or_default().files
    }
}

const HARNESS_FILES: &[&str] = &[
    "**/.config/nextest.toml",
    "rust-toolchain",
    "rust-toolchain.toml",
    "**/.cargo/config",
    "**/.cargo/config.toml",
    "build.rs",
    "*.rlib",
    "*.rmeta",
];
