//! The report for programs: schema version 1. The structs here are the format; inner types may change
//! without them. Keys are only ever added.

use super::escape;
use super::human::last_line;
use super::model::{Command, Next, Problems, Report, Status, UncheckedReason};
use crate::clauses::{Explanation, FindingStatus, Warning};
use crate::error::{Act, Detail, Failure, Kind};
use crate::facts::{ChangeStatus, ChangedFile, FileKind, Plan, RepoPath};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use serde_json::Value;

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    tool: Tool,
    command: &'static str,
    status: &'static str,
    next: Option<&'static str>,
    exit_code: u8,
    summary: String,
    contract: Option<Contract<'a>>,
    base: Option<Base<'a>>,
    head: Option<Head<'a>>,
    checks: Vec<Check<'a>>,
    changed_files: Vec<File<'a>>,
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    unchecked: Option<Unchecked<'a>>,
    error: Option<Error<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain<'a>>,
    timing_ms: Timing,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Contract<'a> {
    source: &'a str,
    author: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    association: Option<&'a str>,
    digest: Option<&'a str>,
    notes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    normalized: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    expect: Option<String>,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
struct Base<'a> {
    r#ref: &'a str,
    commit: &'a str,
    merge_base: &'a str,
}

#[derive(Serialize)]
struct Head<'a> {
    r#ref: &'a str,
    commit: &'a str,
}

#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
struct Check<'a> {
    check: &'a str,
    at: &'a str,
    status: FindingStatus,
    ok: bool,
    detail: &'a str,
    next: Option<&'a str>,
    evidence: &'a Value,
    #[serde(skip_serializing_if = "slice_is_empty")]
    notes: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<Error<'a>>,
}

#[derive(Serialize)]
struct File<'a> {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    status: ChangeStatus,
    kind: FileKind,
    added: u64,
    deleted: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    longest_line: Option<&'a u64>,
}

#[derive(Serialize)]
struct Unchecked<'a> {
    reason: &'static str,
    details: &'a [Detail],
    next: &'a [String],
}

#[derive(Serialize)]
struct Error<'a> {
    kind: Kind,
    act: Act,
    message: &'a str,
    details: &'a [Detail],
    next: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    problems: Vec<Problem<'a>>,
}

#[derive(Serialize)]
struct Problem<'a> {
    source: &'a str,
    line: usize,
    column: usize,
    message: &'a str,
    label: &'a str,
    help: Option<&'a str>,
}

#[derive(Serialize)]
struct Explain<'a> {
    clauses: &'a [Explanation],
    warnings: &'a [Warning],
    plan: &'a Plan,
}

#[derive(Serialize)]
struct Timing {
    facts: Option<u64>,
    tests: Option<u64>,
}

/// Returns the report as one JSON document that ends in a line end.
pub fn render(report: &Report) -> String {
    let document = document(report);
    let text = serde_json::to_string_pretty(&document)
        .expect("structs of strings and numbers with text keys can always be written as JSON");
    escape::json(&text) + "\n"
}

fn document(report: &Report) -> Document<'_> {
    let change = report.change.as_ref();
    Document {
        schema_version: 1,
        tool: Tool { name: env!("CARGO_PKG_NAME"), version: env!("CARGO_PKG_VERSION") },
        command: report.command.word(),
        status: status_word(report.status),
        next: report.next().map(next_word),
        exit_code: report.exit().code(),
        summary: last_line::plain(report),
        contract: contract(report),
        base: change.map(|change| Base {
            r#ref: &change.base.name,
            commit: &change.base.commit,
            merge_base: &change.merge_base,
        }),
        head: change.map(|change| Head { r#ref: &change.head.name, commit: &change.head.commit }),
        checks: report.findings.iter().map(check).collect(),
        changed_files: change.map(|change| change.files.iter().map(file).collect()).unwrap_or_default(),
        notes: &report.notes,
        unchecked: report.unchecked.as_ref().map(|unchecked| Unchecked {
            reason: match unchecked.reason {
                UncheckedReason::NoContract => "no_contract",
                UncheckedReason::AuthorNotTrusted => "author_not_trusted",
            },
            details: &unchecked.details,
            next: &unchecked.next,
        }),
        error: report.error.as_ref().map(|failure| error(failure, report.problems.as_ref())),
        explain: report.explained.as_ref().map(|explained| Explain {
            clauses: &explained.clauses,
            warnings: &explained.warnings,
            plan: &explained.plan,
        }),
        timing_ms: Timing { facts: report.timing.facts, tests: report.timing.tests },
    }
}

/// Returns the status as programs know it.
pub(super) const fn status_word(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed | Status::Incomplete => "failed",
        Status::Unchecked | Status::UncheckedAllowed => "unchecked",
        Status::Error => "error",
    }
}

const fn next_word(next: Next) -> &'static str {
    match next {
        Next::ReadyForReview => "ready_for_review",
        Next::NeedsRepair => "needs_repair",
        Next::Incomplete => "incomplete",
        Next::AskMaintainer => "ask_maintainer",
        Next::AskOperator => "ask_operator",
    }
}

fn contract(report: &Report) -> Option<Contract<'_>> {
    let contract = report.contract.as_ref()?;
    let is_parse = report.command == Command::Parse;
    Some(Contract {
        source: &contract.source,
        author: contract.author.as_deref(),
        association: contract.association.as_deref(),
        digest: contract.digest.as_deref(),
        notes: contract.remarks.iter().chain(&contract.notes).map(String::as_str).collect(),
        normalized: report.parsed.as_ref().map(|parsed| &parsed.normalized),
        expect: contract.digest.as_ref().filter(|_| is_parse).map(|digest| format!("--expect-digest {digest}")),
    })
}

fn check(finding: &crate::clauses::Finding) -> Check<'_> {
    Check {
        check: &finding.check,
        at: &finding.at,
        status: finding.status,
        ok: finding.is_ok(),
        detail: &finding.detail,
        next: finding.next.as_deref(),
        evidence: &finding.evidence,
        notes: &finding.notes,
        error: finding.failure.as_deref().map(|failure| error(failure, None)),
    }
}

fn file(file: &ChangedFile) -> File<'_> {
    File {
        path: file.path.to_lossy(),
        path_base64: base64_of(&file.path),
        status: file.status,
        kind: file.kind,
        added: file.added,
        deleted: file.deleted,
        longest_line: file.longest_line.as_ref(),
    }
}

fn base64_of(path: &RepoPath) -> Option<String> {
    path.as_str().is_none().then(|| STANDARD.encode(path.as_bytes()))
}

fn error<'a>(failure: &'a Failure, problems: Option<&'a Problems>) -> Error<'a> {
    let problems = problems.into_iter().flat_map(|problems| {
        problems.problems.iter().map(|problem| Problem {
            source: &problems.origin,
            line: problem.line,
            column: problem.column,
            message: &problem.message,
            label: &problem.label,
            help: problem.help.as_deref(),
        })
    });
    Error {
        kind: failure.kind,
        act: failure.act(),
        message: &failure.message,
        details: &failure.details,
        next: failure.advice(),
        problems: problems.collect(),
    }
}

fn slice_is_empty(notes: &&[String]) -> bool {
    notes.is_empty()
}
