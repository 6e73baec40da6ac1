//! provisional
use crate::error::{Failure, Kind};
use crate::exec::{Ended, Interrupt, Job, Observer};
use std::ffi::OsString;
/// Runs a job under its supervisor and returns when everything that it started has ended.
pub fn run(_job: &Job, _observer: &mut dyn Observer, _interrupt: &Interrupt) -> Result<Ended, Failure> {
    Err(Failure::new(Kind::ProcessFailed, "not built yet"))
}
/// Makes this process unreadable to those it starts, and the one that orphans fall to.
pub fn protect_this_process() -> Result<(), Failure> {
    Ok(())
}
/// Is the supervisor: to be called when the first argument is `SUPERVISOR_ARGUMENT`.
pub fn supervisor_main(_args: &[OsString]) -> u8 {
    70
}
/// Ends processes of a run whose private folder lay below.
pub(crate) fn end_marked(_folder: &std::path::Path) {}
