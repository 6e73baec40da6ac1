//! The answer to an agent's stop hook: nothing when it may stop, a reason when it has to repair something,
//! and an end when only a human can go on.

use super::human::{self, Look, last_line};
use super::model::{Next, Report, Status};
use super::{escape, markdown};
use serde::Serialize;

/// A hook's answer goes into a model's context: more than this helps nobody.
const MAX_BYTES: usize = 16 * 1024;

#[derive(Serialize)]
#[serde(untagged)]
enum Answer {
    Block {
        decision: &'static str,
        reason: String,
    },
    Stop {
        r#continue: bool,
        #[serde(rename = "stopReason")]
        stop_reason: String,
    },
}

/// Returns the hook's answer as one line of JSON, or nothing when the agent may stop.
pub fn render(report: &Report) -> String {
    let answer = match (report.status, report.next()) {
        (Status::UncheckedAllowed, _) | (_, None | Some(Next::ReadyForReview)) => return String::new(),
        (_, Some(Next::NeedsRepair)) => Answer::Block { decision: "block", reason: reason(report) },
        (_, Some(Next::Incomplete | Next::AskMaintainer | Next::AskOperator)) => {
            Answer::Stop { r#continue: false, stop_reason: stop_reason(report) }
        }
    };
    let text = serde_json::to_string(&answer).expect("an object of strings can always be written as JSON");
    escape::json(&text) + "\n"
}

fn reason(report: &Report) -> String {
    let blocks = human::what_to_repair(report, &Look::default());
    let blocks = anstream::adapter::strip_str(&blocks).to_string();
    let blocks = markdown::cut(blocks.trim_end(), MAX_BYTES);
    let last = last_line::plain(report);
    format!(
        "{last}.\n\n{blocks}\n\nCommit the repair. The contract and the test configuration are not yours to change."
    )
}

fn stop_reason(report: &Report) -> String {
    let mut lines = vec![last_line::plain(report)];
    if let Some(failure) = &report.error {
        lines.push(escape::visible(&failure.message).into_owned());
        lines.extend(failure.advice().into_iter().map(|line| escape::visible(line).into_owned()));
    }
    // They say what a human has before them when the attempts are used up.
    if report.status == Status::Incomplete {
        lines.extend(report.notes.iter().map(|line| escape::visible(line).into_owned()));
    }
    markdown::cut(&lines.join("\n"), MAX_BYTES)
}
