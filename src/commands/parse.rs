//! `parse`: the contract as it is understood, its digest, or all its errors.

use super::check::Ended;
use super::source;
use super::world::World;
use crate::cli::{ParseArgs, RangeArgs};
use crate::report::{Command, Parsed, Report, Status};
use crate::settings::Settings;

pub(super) fn run(settings: &Settings, args: &ParseArgs) -> Report {
    let range = RangeArgs::default();
    let world = World::new(settings, &range);
    let text = match source::text_for(&args.source, &world, Command::Parse) {
        Ok(text) => text,
        Err(Ended::Early(report)) => return *report,
        Err(Ended::Failed(failure)) => return Report::failure(Command::Parse, failure),
    };
    match source::read(&text, &args.source, &world, Command::Parse) {
        Ok(contract) => {
            let mut report = Report::new(Command::Parse, Status::Passed);
            report.parsed = Some(Parsed { normalized: contract.normalized(), clauses: contract.clauses.len() });
            report.contract = Some(crate::report::ContractInfo { digest: Some(contract.digest), ..text.info });
            report
        }
        Err(report) => *report,
    }
}
