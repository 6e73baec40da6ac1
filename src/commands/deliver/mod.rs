//! Brings a report to where it was asked for: stdout, files, GitHub Actions. Every file is opened before
//! any test runs, so that one that cannot be written is known at once.

mod summary;
#[cfg(unix)]
#[path = "unix.rs"]
mod system;
#[cfg(not(unix))]
#[path = "windows.rs"]
mod system;
mod target;

pub(super) use target::Target;
use target::unwritable;

use crate::cli::{Color, Format};
use crate::error::Failure;
use crate::exit::Exit;
use crate::report::{self, Look, Report, Status, escape};
use crate::settings::Output;
use anstream::{AutoStream, ColorChoice};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use summary::StepFile;

/// Where reports go.
#[derive(Debug)]
pub(super) struct Delivery {
    output: Output,
    main: Option<Target>,
    further: Vec<(Format, Target)>,
    summary: Option<StepFile>,
    outputs: Option<StepFile>,
}

impl Delivery {
    /// Opens everything that will be written. `is_check` decides whether GitHub Actions is told.
    pub(super) fn open(output: &Output, is_check: bool) -> Result<Self, Failure> {
        let open = |path: &Option<PathBuf>| path.as_deref().map(StepFile::open).transpose();
        let actions = output.actions.clone().filter(|_| is_check).unwrap_or_default();
        let further: Result<Vec<_>, Failure> =
            output.further.iter().map(|(format, path)| Ok((*format, Target::open(path)?))).collect();
        Ok(Self {
            output: output.clone(),
            main: output.file.as_deref().map(Target::open).transpose()?,
            further: further?,
            summary: open(&actions.summary)?,
            outputs: open(&actions.outputs)?,
        })
    }

    /// Makes a delivery to stdout and stderr alone.
    pub(super) fn to_streams(output: &Output) -> Self {
        Self { output: output.clone(), main: None, further: Vec::new(), summary: None, outputs: None }
    }

    /// Writes everything and returns the exit status: the report's, or that of a report that was lost.
    pub(super) fn send(mut self, report: &Report) -> Exit {
        let mut lost = Vec::new();
        for (format, target) in std::mem::take(&mut self.further) {
            lost.extend(target.write(&render(format, report, &file_look(&self.output))).err());
        }
        let mut untold = None;
        if let Some(mut summary) = self.summary.take() {
            let text = format!("{}\n", report::markdown(report));
            match summary.append_summary(&text, &escape::markdown(&report::last_line(report))) {
                Ok(warning) => untold = warning,
                Err(failure) => lost.push(failure),
            }
        }
        if let Some(mut outputs) = self.outputs.take() {
            lost.extend(outputs.append(&report::outputs(report)).err());
        }
        lost.extend(self.send_main(report).err());
        if self.output.actions.is_some() {
            let warning = untold.map(|text| format!("::warning title=agent-acceptance::{text}\n")).unwrap_or_default();
            self.log(&(report::annotations(report) + &warning));
        }
        match lost.into_iter().next() {
            // The verdict may be a pass, but whoever reads the file would not learn it.
            Some(failure) => {
                let report = Report::failure(report.command, failure);
                let _ = self.write_stream(&mut io::stderr(), io::stderr().is_terminal(), Format::Human, &report);
                report.exit()
            }
            // A hook's answer is in what it prints; any other status would be read as a broken hook.
            None if self.output.format == Format::Hook && report.exit() != Exit::Interrupted => Exit::Passed,
            None => report.exit(),
        }
    }

    /// Prints a text of our own to stdout.
    pub(super) fn say(text: &str) -> Result<(), Failure> {
        told(io::stdout().write_all(text.as_bytes()), "stdout")
    }

    /// Prints a report for people to stdout, whatever it says.
    pub(super) fn show(&self, report: &Report) -> Result<(), Failure> {
        let is_terminal = io::stdout().is_terminal();
        told(self.write_stream(&mut io::stdout(), is_terminal, Format::Human, report), "stdout")
    }

    fn send_main(&mut self, report: &Report) -> Result<(), Failure> {
        let format = self.output.format;
        if let Some(target) = self.main.take() {
            target.write(&render(format, report, &file_look(&self.output)))?;
            if !is_plain_error(report) {
                return Ok(());
            }
            // Nobody looks into the file to learn why there is no verdict.
            let _ = self.write_stream(&mut io::stderr(), io::stderr().is_terminal(), Format::Human, report);
            return Ok(());
        }
        let is_error = format == Format::Human && is_plain_error(report);
        let result = if is_error {
            self.write_stream(&mut io::stderr(), io::stderr().is_terminal(), format, report)
        } else {
            self.write_stream(&mut io::stdout(), io::stdout().is_terminal(), format, report)
        };
        told(result, if is_error { "stderr" } else { "stdout" })
    }

    fn write_stream<S>(&self, stream: &mut S, is_terminal: bool, format: Format, report: &Report) -> io::Result<()>
    where
        S: anstream::stream::RawStream + anstream::stream::AsLockedWrite,
    {
        let width = is_terminal.then_some(self.output.columns);
        let mut text = render_painted(format, report, &Look { width, verbosity: self.output.verbosity });
        let is_coloured = format == Format::Human
            && match self.output.color {
                Color::Always => true,
                Color::Auto => is_terminal,
                Color::Never => false,
            };
        if format == Format::Human && !is_coloured {
            text = anstream::adapter::strip_str(&text).to_string();
        }
        // Only now: a colour that goes away could have hidden where a line begins.
        if self.output.actions.is_some() && matches!(format, Format::Human | Format::Markdown) {
            text = escape::workflow_log(&text);
        }
        if is_coloured {
            // An old console is spoken to in calls instead of escape sequences.
            AutoStream::new(&mut *stream, ColorChoice::Always).write_all(text.as_bytes())?;
        } else {
            stream.write_all(text.as_bytes())?;
        }
        stream.flush()
    }

    /// Writes commands to the log of GitHub Actions, beside the report or where it is not in the way.
    fn log(&self, commands: &str) {
        // A log that cannot be written is no reason to change the outcome: it was told already.
        let _ = if self.output.format == Format::Human && self.output.file.is_none() {
            io::stdout().write_all(commands.as_bytes())
        } else {
            io::stderr().write_all(commands.as_bytes())
        };
    }
}

fn told(result: io::Result<()>, stream: &str) -> Result<(), Failure> {
    match result {
        // Nobody reads any more: that is their choice.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|error| unwritable(Path::new(stream), &error)),
    }
}

/// Returns whether a report is an error and nothing else: people read that on stderr.
fn is_plain_error(report: &Report) -> bool {
    report.status == Status::Error && report.findings.is_empty()
}

fn file_look(output: &Output) -> Look {
    Look { width: None, verbosity: output.verbosity }
}

/// Returns a report without colours.
fn render(format: Format, report: &Report, look: &Look) -> String {
    let text = render_painted(format, report, look);
    if format == Format::Human { anstream::adapter::strip_str(&text).to_string() } else { text }
}

fn render_painted(format: Format, report: &Report, look: &Look) -> String {
    match format {
        Format::Human => report::human(report, look),
        Format::Json => report::json(report),
        Format::Markdown => report::markdown(report),
        Format::Hook => report::hook(report),
    }
}
