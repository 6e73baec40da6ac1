//! `cargo test`: a driver process of ours builds the test binaries and has cargo run them, each handed to another
//! process of ours, which runs the tests one at a time. What tests print is never evidence, but for documentation
//! tests, which have no other report on stable Rust. Never silently another runner.

mod args;
mod binary;
pub(super) mod build;
mod doc;
pub(super) mod driver;
pub(super) mod libtest;
mod lock_file;
pub(super) mod messages;
mod reader;
mod telling;
pub(super) mod toolchain;

use super::{About, Call, HarnessRules, Launch, Manifest, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use crate::facts::Channel;
use messages::Plan;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(super) use binary::main as binary_main;
pub(super) use driver::main as driver_main;
pub(super) use messages::{BINARY_ARGUMENT, DRIVER_ARGUMENT, ONE_ARGUMENT};
pub(super) use reader::CargoReader;

/// The runner.
#[derive(Debug)]
pub(super) struct CargoTest;

impl Runner for CargoTest {
    fn name(&self) -> &'static str {
        "cargo test"
    }

    fn about(&self) -> About {
        About {
            forms: &["cargo test", "cargo +nightly test", "cargo t"],
            channel: Channel::Private,
            seen: "ignored tests, panics that were expected, crashes and early exits, each test in a process of its own, \
                   targets that do not compile, binaries with a harness of their own (as one test)",
            limits: "documentation tests are read from rustdoc's text; code that runs before `main` can answer for a test",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        args::sort(call).map(|sorted| sorted.map(|_| ()))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let args = args::sort(call).and_then(Result::ok).unwrap_or_default();
        let cargo = find_cargo(site)?;
        let configuration = toolchain::configuration(site)?;
        let doc = args.has_doc();
        let plan = Plan {
            cargo: cargo.clone(),
            toolchain: args.toolchain.clone(),
            options: args.options.clone(),
            targets: args.targets.clone(),
            filter: args.filter.clone(),
            binary: args.binary.clone(),
            triple: args.triple.clone().or(configuration.triple),
            target_dir: site.build.join("cargo-target"),
            this_program: toolchain::plain_path(site.this_program, site.private)?,
            chain: configuration.runners,
            doc,
            nextest: None,
            root: site.root.to_owned(),
            cwd: site.cwd.to_owned(),
        };
        launch(&plan, &cargo, call, site)
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(CargoReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HARNESS
    }

    fn is_test_file(&self, path: &str) -> bool {
        is_rust_test_file(path)
    }
}

/// Writes the plan into the private folder and says how the driver is started.
pub(super) fn launch(plan: &Plan, program: &Path, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
    let file = site.private.join("cargo-test.json");
    let text = serde_json::to_vec(plan).unwrap_or_default();
    std::fs::write(&file, text).map_err(|error| {
        Failure::new(Kind::Io, format!("failed to write `{}`", file.display())).detail("cause", error.to_string())
    })?;
    let env = toolchain::forced_toolchain(site).map(|name| ("RUSTUP_TOOLCHAIN".to_owned(), name.into()));
    Ok(Launch {
        program: site.this_program.to_owned(),
        args: vec![DRIVER_ARGUMENT.into(), file.into()],
        shown: shown(program, call),
        env: env.into_iter().collect(),
        transport: Transport::Sockets,
        version: None,
    })
}

/// What decides how Rust's tests run, whichever runner it is.
pub(super) const HARNESS: HarnessRules = HarnessRules {
    files: &[
        "rust-toolchain",
        "rust-toolchain.toml",
        ".cargo/config",
        ".cargo/config.toml",
        "**/.cargo/config",
        "**/.cargo/config.toml",
        "build.rs",
        "*.rlib",
        "*.rmeta",
    ],
    manifests: &[Manifest {
        file_name: "Cargo.toml",
        parts: &[
            "package.autotests",
            "package.build",
            "profile.dev",
            "profile.test",
            "features.default",
            "patch",
            "replace",
            "lib.harness",
            "lib.test",
            "lib.doctest",
            "test",
            "bin",
            "example",
            "bench",
            "workspace.members",
            "workspace.exclude",
            "workspace.default-members",
        ],
    }],
    followed_keys: &["build"],
};

/// Integration tests; unit tests stand in the files that they test.
pub(super) fn is_rust_test_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_rust = name.strip_suffix(".rs");
    let in_tests = path.split('/').rev().skip(1).any(|folder| folder == "tests");
    is_rust.is_some_and(|stem| in_tests || stem == "tests" || stem.ends_with("_test") || stem.ends_with("_tests"))
}

/// Finds cargo in the search path.
pub(super) fn find_cargo(site: &Site<'_>) -> Result<PathBuf, Failure> {
    find_program(OsStr::new("cargo"), site.search_path, site.cwd).ok_or_else(|| {
        Failure::new(Kind::RunnerMissing, "`cargo` is not installed").next("install Rust, or put cargo on the PATH")
    })
}

fn shown(program: &Path, call: &Call) -> Vec<String> {
    let mut shown = vec![program.display().to_string()];
    shown.extend(call.launcher.iter().filter(|word| word.starts_with('+')).cloned());
    shown.extend(call.args.iter().cloned());
    shown
}
