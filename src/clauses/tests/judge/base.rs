//! The run at the merge base: which of it can be compared with. It need not pass, but it must be whole.

use crate::clauses::tests::outcome::Outcome;
use crate::error::{Failure, Kind};
use crate::facts::{Known, TestFacts, TestRun};

/// The run at the merge base, or why there is none.
pub(super) enum Base<'a> {
    /// It is known, healthy or not.
    Ran(Box<Outcome<'a>>),
    /// It is unknown, or nobody asked for it.
    Unknown(Failure),
}

impl<'a> Base<'a> {
    /// Looks at the facts' run at the merge base.
    pub(super) fn of(tests: &'a TestFacts) -> Self {
        match &tests.base {
            None => match Known::<TestRun>::not_collected() {
                Known::Unknown(failure) => Self::Unknown(*failure),
                Known::Known(_) => Self::Unknown(unhealthy("it was not asked for")),
            },
            Some(Known::Unknown(failure)) => Self::Unknown((**failure).clone()),
            Some(Known::Known(run)) => Self::Ran(Box::new(Outcome::of(std::slice::from_ref(run)))),
        }
    }

    /// Returns the run where it can be compared with. A run without any test is comparable: there was none then.
    ///
    /// # Errors
    /// Returns why the run is unknown or not healthy.
    pub(super) fn healthy(&self) -> Result<&Outcome<'a>, Failure> {
        let outcome = match self {
            Self::Ran(outcome) => outcome,
            Self::Unknown(failure) => return Err(failure.clone()),
        };
        match fault(outcome) {
            None => Ok(outcome),
            Some(why) => Err(unhealthy(&why)),
        }
    }

    /// Returns the run where at least one test passed in it.
    ///
    /// # Errors
    /// Returns why the run is unknown or not healthy.
    pub(super) fn with_passing_tests(&self) -> Result<&Outcome<'a>, Failure> {
        let outcome = self.healthy()?;
        if outcome.passed() == 0 { Err(unhealthy("no test passes there")) } else { Ok(outcome) }
    }

    /// Returns the run if there is one, healthy or not: for what is told beside a failure, never for a pass.
    pub(super) fn told(&self) -> Option<&Outcome<'a>> {
        match self {
            Self::Ran(outcome) => Some(outcome),
            Self::Unknown(_) => None,
        }
    }
}

fn fault(outcome: &Outcome<'_>) -> Option<String> {
    let end = outcome.end();
    if end.is_some_and(|end| end.timed_out) {
        return Some("its time was up".to_owned());
    }
    if let Some(signal) = end.and_then(|end| end.signal) {
        return Some(format!("signal {signal} ended it"));
    }
    if outcome.has_no_report {
        return Some("it left no test report".to_owned());
    }
    if let Some(why) = outcome.report_faults.first() {
        return Some(format!("its report is not whole: {why}"));
    }
    match outcome.load_errors().len() {
        0 if !outcome.tests.is_empty() && outcome.passed() == 0 => Some("no test passes there".to_owned()),
        0 => None,
        1 => Some("1 file fails to load there".to_owned()),
        n => Some(format!("{n} files fail to load there")),
    }
}

fn unhealthy(why: &str) -> Failure {
    Failure::new(Kind::BaseRunUnhealthy, format!("the run at the merge base cannot be compared with: {why}"))
        .next("make the test command work at the merge base, with its dependencies installed there")
}
