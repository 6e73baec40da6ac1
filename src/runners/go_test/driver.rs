//! The process that runs go: prepares the overlay for the toolchain that go chooses here, has go hand each test binary to
//! a process of ours, and tells what could not be built and what the tests are built from.

use super::events::Events;
use super::messages::{BINARY_ARGUMENT, Message, Plan};
use super::overlay;
use crate::error::{Failure, Kind};
use crate::exec::channel::Connection;
use crate::exec::{CHANNEL_VARIABLE, Direct, Output, run_direct};
use serde::Deserialize;
use std::ffi::OsString;
use std::io::Write as _;
use std::path::Path;

const FAILED: u8 = 1;

/// The files of every package that is no part of Go itself.
const FILES: &str = "{{if not .Standard}}{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}\n{{end}}\
                     {{range .CgoFiles}}{{$dir}}/{{.}}\n{{end}}{{range .EmbedFiles}}{{$dir}}/{{.}}\n{{end}}{{end}}";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
struct Toolchain {
    goroot: String,
    goversion: String,
}

/// Carries out the plan in the file that the first argument names. Returns the exit status.
pub(crate) fn main(args: &[OsString]) -> u8 {
    let done = args.first().ok_or_else(|| failure("no plan", "nothing")).and_then(|file| {
        let text = std::fs::read(file).map_err(|error| failure("no plan", &error.to_string()))?;
        let plan: Plan = serde_json::from_slice(&text).map_err(|error| failure("no plan", &error.to_string()))?;
        let connection = Connection::of_environment()?.ok_or_else(|| failure("no channel", "nothing"))?;
        Driver { plan, connection }.run()
    });
    done.unwrap_or_else(|failure| {
        // Nobody is left to tell when stderr is closed.
        let _ = writeln!(std::io::stderr(), "error: {failure}");
        FAILED
    })
}

fn failure(what: &str, cause: &str) -> Failure {
    Failure::new(Kind::ProcessFailed, format!("go could not be run: {what}")).detail("cause", cause)
}

struct Driver {
    plan: Plan,
    connection: Connection,
}

impl Driver {
    fn run(mut self) -> Result<u8, Failure> {
        let toolchain = self.toolchain()?;
        self.tell(&Message::Driver { version: toolchain.goversion.trim_start_matches("go").to_owned() })?;
        let status = match overlay::write(Path::new(&toolchain.goroot), &self.plan.private) {
            Ok(overlay) => self.test(&overlay)?,
            Err(failure) => {
                self.tell(&Message::Unhandled(failure.to_string()))?;
                FAILED
            }
        };
        self.tell(&Message::DriverEnd { exit_status: status.into() })?;
        Ok(status)
    }

    fn tell(&mut self, message: &Message) -> Result<(), Failure> {
        self.connection.send(&serde_json::to_vec(message).unwrap_or_default())
    }

    fn go(
        &self,
        args: &[String],
        output: Output,
        names_channel: bool,
        take: &mut dyn FnMut(&[u8]),
    ) -> Result<u8, Failure> {
        let args: Vec<OsString> = args.iter().map(OsString::from).collect();
        let without: &[&str] = if names_channel { &[] } else { &[CHANNEL_VARIABLE] };
        let direct = Direct { program: self.plan.go.as_os_str(), args: &args, without, with: &[] };
        let status =
            run_direct(&direct, output, take).map_err(|error| failure("it did not start", &error.to_string()))?;
        Ok(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(FAILED))
    }

    /// The toolchain that go chooses for this folder: `go.mod` may ask for another than the installed one.
    fn toolchain(&self) -> Result<Toolchain, Failure> {
        let words = ["env", "-json", "GOROOT", "GOVERSION"].map(str::to_owned);
        let mut text = Vec::new();
        self.go(&words, Output::Stdout, false, &mut |piece| text.extend_from_slice(piece))?;
        serde_json::from_slice(&text)
            .map_err(|error| failure("it does not tell which toolchain it takes", &error.to_string()))
    }

    fn test(&mut self, overlay: &Path) -> Result<u8, Failure> {
        let this_program = self.plan.this_program.to_string_lossy();
        let quote = if this_program.contains('\'') { '"' } else { '\'' };
        let exec = format!("{quote}{this_program}{quote} {BINARY_ARGUMENT}");
        let mut words = ["test", "-json", "-count=1", "-exec", &exec].map(str::to_owned).to_vec();
        words.extend(["-overlay".to_owned(), overlay.to_string_lossy().into_owned()]);
        let plan = &self.plan;
        words.extend([&plan.build, &plan.run, &plan.packages, &plan.after].into_iter().flatten().cloned());
        let mut events = Events::default();
        let mut told = Vec::new();
        let mut lost = None;
        // Told while it runs would need the connection twice; failures' words are short.
        let status = self.go(&words, Output::Both, true, &mut |piece| {
            let shown = events.push(piece);
            told.append(&mut events.messages);
            if let Err(error) = std::io::stdout().write_all(shown.as_bytes()) {
                lost.get_or_insert(error);
            }
        })?;
        told.extend(events.finish(status));
        for message in told {
            self.tell(&message)?;
        }
        for files in self.files()?.chunks(500) {
            self.tell(&Message::Loaded(files.to_vec()))?;
        }
        Ok(status)
    }

    /// Returns the files that the tests are built from, Go's own left out.
    fn files(&self) -> Result<Vec<String>, Failure> {
        let mut words = ["list", "-e", "-deps", "-test", "-f", FILES].map(str::to_owned).to_vec();
        let mut build = self.plan.build.iter();
        while let Some(word) = build.next() {
            // `go list` has no flags of coverage before 1.20, and needs none.
            let name = word.trim_start_matches('-');
            if name.starts_with("cover") {
                if name != "cover" && !name.contains('=') {
                    build.next();
                }
                continue;
            }
            words.push(word.clone());
        }
        words.extend(self.plan.packages.iter().cloned());
        let mut text = Vec::new();
        self.go(&words, Output::Stdout, false, &mut |piece| text.extend_from_slice(piece))?;
        let mut files: Vec<String> = String::from_utf8_lossy(&text)
            .lines()
            .filter(|line| !line.is_empty())
            // The generated `main` of a test binary already has a path of its own, in Go's cache.
            .map(|line| line.rfind("//").map_or(line, |at| &line[at + 1..]).to_owned())
            .collect();
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }
}
