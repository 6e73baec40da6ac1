//! `parse`: the contract as it is understood, its digest, or all its errors.

use super::source;
use crate::cli::ParseArgs;
use crate::report::{Command, Parsed, Report, Status};
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, args: &ParseArgs) -> Report {
    let text = match source::text(&args.source, &settings.directory, Command::Parse) {
        Ok(text) => text,
        Err(failure) => return Report::failure(Command::Parse, failure),
    };
    match source::read(&text, &args.source, Command::Parse) {
        Ok(contract) => {
            let mut report = Report::new(Command::Parse, Status::Passed);
            report.parsed = Some(Parsed { normalized: contract.normalized(), clauses: contract.clauses.len() });
            report.contract = Some(crate::report::ContractInfo { digest: Some(contract.digest), ..text.info });
            report
        }
        Err(report) => *report,
    }
}
