//! What GitHub Actions is told: annotations at files and lines, and the step's outputs. Escaped so that
//! text from the repository cannot become a workflow command.

use super::escape::{workflow_message, workflow_property};
use super::json::status_word;
use super::model::Report;
use crate::clauses::{Finding, FindingStatus};
use serde_json::Value;
use std::fmt::Write as _;

/// Actions shows no more than ten errors a step; a few more help those who read the log.
const MAX_ANNOTATIONS: usize = 20;

/// Where an annotation points.
#[derive(Debug, Default, PartialEq, Eq)]
struct Spot {
    file: Option<String>,
    line: Option<u64>,
    message: String,
}

/// Returns the workflow commands that annotate what does not hold, a line each.
pub fn annotations(report: &Report) -> String {
    let mut commands = String::new();
    for finding in report.findings.iter().filter(|finding| !finding.is_ok()) {
        for spot in spots(finding) {
            let _ = writeln!(commands, "{}", command(&finding.check, &spot));
        }
    }
    if let Some(problems) = &report.problems {
        for problem in &problems.problems {
            let title = format!("{}:{}:{}", problems.origin, problem.line, problem.column);
            let help = problem.help.as_ref().map(|help| format!("\n{help}")).unwrap_or_default();
            let spot = Spot { message: format!("{}{help}", problem.message), ..Spot::default() };
            let _ = writeln!(commands, "{}", command(&title, &spot));
        }
    } else if let Some(failure) = report.error.as_ref().filter(|_| report.findings.is_empty()) {
        let message = [&[failure.message.as_str()][..], &failure.advice()].concat().join("\n");
        let _ = writeln!(commands, "{}", command("agent-acceptance", &Spot { message, ..Spot::default() }));
    }
    commands.lines().take(MAX_ANNOTATIONS).fold(String::new(), |all, line| all + line + "\n")
}

fn command(title: &str, spot: &Spot) -> String {
    let mut properties = Vec::new();
    if let Some(file) = &spot.file {
        properties.push(format!("file={}", workflow_property(file)));
        properties.extend(spot.line.map(|line| format!("line={line}")));
    }
    properties.push(format!("title={}", workflow_property(title)));
    format!("::error {}::{}", properties.join(","), workflow_message(&spot.message))
}

/// Returns where a finding points: the places that its evidence names, or nowhere in particular.
fn spots(finding: &Finding) -> Vec<Spot> {
    let mut spots = Vec::new();
    for key in ["matches", "failed_tests", "unexpected", "forbidden", "harness"] {
        let Some(entries) = finding.evidence.get(key).and_then(Value::as_array) else { continue };
        for entry in entries {
            let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
            let file = entry.as_str().map(str::to_owned).or_else(|| text("path")).or_else(|| text("file"));
            let message = text("message").or_else(|| text("why")).unwrap_or_else(|| finding.detail.clone());
            spots.push(Spot { file, line: entry.get("line").and_then(Value::as_u64), message });
        }
    }
    if spots.is_empty()
        && let Some(files) = finding.evidence.get("files").and_then(Value::as_array)
        && let [file] = &files[..]
    {
        let path = file.get("path").and_then(Value::as_str).map(str::to_owned);
        let line = file.get("near").and_then(|near| near.get("line")).and_then(Value::as_u64);
        spots.push(Spot { file: path, line, message: finding.detail.clone() });
    }
    if spots.is_empty() {
        spots.push(Spot { message: finding.detail.clone(), ..Spot::default() });
    }
    spots
}

/// Returns the lines for the file of the step's outputs. They hold our own words, numbers and a digest only.
pub fn outputs(report: &Report) -> String {
    let passed = report.count(FindingStatus::Passed);
    let failed = report.findings.len() - passed;
    let digest = report.contract.as_ref().and_then(|contract| contract.digest.as_deref()).unwrap_or_default();
    format!("status={}\npassed={passed}\nfailed={failed}\ndigest={digest}\n", status_word(report.status))
}
