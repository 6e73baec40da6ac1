//! What the runs at one side come to: repetitions merged, statuses counted, faults of the report named. Pure.

use crate::clauses::running::ended_well;
use crate::facts::{Completeness, LoadError, ProcessEnd, Status, TestId, TestRecord, TestRun};
use std::collections::{HashMap, HashSet};

/// One test over all repetitions.
#[derive(Debug, Clone)]
pub(super) struct Merged<'a> {
    /// The record that tells most: the first one that is not like a pass, else the first.
    pub(super) record: &'a TestRecord,
    /// Its status over all repetitions.
    pub(super) status: Status,
}

impl<'a> Merged<'a> {
    /// Makes the merge of a single record.
    pub(super) const fn of_one_run(record: &'a TestRecord) -> Self {
        Self { record, status: record.status }
    }

    /// Returns whether the count of passed tests holds it.
    pub(super) fn counts_as_passed(&self) -> bool {
        self.status == Status::Passed || self.is_counted_failure()
    }

    /// Returns whether it alone makes a run fail. An unexpected pass does where its runner says so.
    pub(super) fn is_bad(&self) -> bool {
        self.status.is_bad() && !self.is_let_through()
    }

    /// Returns whether it did not do its work but made no noise either. An unexpected pass that its runner lets through
    /// (pytest without `strict`) is one more declaration that nobody can rely on, and never a pass.
    pub(super) fn is_soft(&self) -> bool {
        self.status.is_soft() || self.is_let_through()
    }

    fn is_let_through(&self) -> bool {
        self.status == Status::UnexpectedPass && self.record.counted_as_passed
    }

    /// Returns whether it failed as declared, and its runner calls that passed.
    pub(super) fn is_counted_failure(&self) -> bool {
        self.status == Status::ExpectedFailure && self.record.counted_as_passed
    }
}

/// The runs of one side.
#[derive(Debug)]
pub(super) struct Outcome<'a> {
    /// The runs.
    pub(super) runs: &'a [TestRun],
    /// Every test, in the order of the first run.
    pub(super) tests: Vec<Merged<'a>>,
    by_id: HashMap<&'a TestId, usize>,
    /// What is wrong with the reports, each once.
    pub(super) report_faults: Vec<String>,
    /// Whether a run left no report at all.
    pub(super) has_no_report: bool,
}

impl<'a> Outcome<'a> {
    /// Merges the repetitions of one side. No run at all is no report.
    pub(super) fn of(runs: &'a [TestRun]) -> Self {
        let mut outcome = Self {
            runs,
            tests: Vec::new(),
            by_id: HashMap::new(),
            report_faults: Vec::new(),
            has_no_report: runs.is_empty(),
        };
        let mut seen_in: Vec<usize> = Vec::new();
        for run in runs {
            outcome.note_completeness(run);
            let mut ids: HashSet<&TestId> = HashSet::with_capacity(run.records.len());
            for record in &run.records {
                if !ids.insert(&record.id) {
                    outcome.note_fault("two records came for one test");
                    continue;
                }
                outcome.merge(record, &mut seen_in);
            }
        }
        for (test, seen_in) in outcome.tests.iter_mut().zip(seen_in) {
            if seen_in < runs.len() {
                test.status = Status::Flaky;
            }
        }
        outcome
    }

    fn merge(&mut self, record: &'a TestRecord, seen_in: &mut Vec<usize>) {
        match self.by_id.get(&record.id) {
            None => {
                self.by_id.insert(&record.id, self.tests.len());
                self.tests.push(Merged::of_one_run(record));
                seen_in.push(1);
            }
            Some(&index) => {
                seen_in[index] += 1;
                let test = &mut self.tests[index];
                if test.status != record.status || test.record.counted_as_passed != record.counted_as_passed {
                    test.status = Status::Flaky;
                }
                if test.record.status == Status::Passed && record.status != Status::Passed {
                    test.record = record;
                }
            }
        }
    }

    fn note_completeness(&mut self, run: &TestRun) {
        match &run.completeness {
            Completeness::Complete => {}
            Completeness::NoReport => self.has_no_report = true,
            Completeness::Incomplete { why } => self.note_fault(why),
        }
    }

    fn note_fault(&mut self, why: &str) {
        if !self.report_faults.iter().any(|fault| fault == why) {
            self.report_faults.push(why.to_owned());
        }
    }

    /// Returns one test.
    pub(super) fn get(&self, id: &TestId) -> Option<&Merged<'a>> {
        self.by_id.get(id).map(|&index| &self.tests[index])
    }

    /// Counts the tests with a status.
    pub(super) fn count(&self, status: Status) -> u64 {
        count(self.tests.iter().filter(|test| test.status == status))
    }

    /// Counts the tests that count as passed.
    pub(super) fn passed(&self) -> u64 {
        count(self.tests.iter().filter(|test| test.counts_as_passed()))
    }

    /// Returns the tests that did not do their work but made no noise.
    pub(super) fn soft(&self) -> impl Iterator<Item = &Merged<'a>> {
        self.tests.iter().filter(|test| test.is_soft())
    }

    /// Returns the files that failed to load, each once.
    pub(super) fn load_errors(&self) -> Vec<&'a LoadError> {
        let mut seen = HashSet::new();
        let errors = self.runs.iter().flat_map(|run| &run.load_errors);
        errors.filter(|error| seen.insert((&error.file, &error.message))).collect()
    }

    /// Returns the errors that belong to no test, each once.
    pub(super) fn unhandled(&self) -> Vec<&'a str> {
        let mut seen = HashSet::new();
        let errors = self.runs.iter().flat_map(|run| &run.unhandled).map(String::as_str);
        errors.filter(|error| seen.insert(*error)).collect()
    }

    /// Returns the end that tells most: of the first run that did not end well, else of the last one.
    pub(super) fn end(&self) -> Option<&'a ProcessEnd> {
        let ends = || self.runs.iter().map(|run| &run.end);
        ends().find(|end| !ended_well(end)).or_else(|| ends().next_back())
    }

    /// Returns the wall time of all runs in seconds.
    pub(super) fn seconds(&self) -> f64 {
        // A sum of nothing would be -0.0.
        self.runs.iter().fold(0.0, |sum, run| sum + run.end.seconds)
    }
}

fn count<T>(items: impl Iterator<Item = T>) -> u64 {
    u64::try_from(items.count()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::tests::samples::{record, run};

    fn statuses(runs: &[Vec<TestRecord>]) -> Vec<Status> {
        let runs: Vec<TestRun> = runs.iter().cloned().map(run).collect();
        Outcome::of(&runs).tests.iter().map(|test| test.status).collect()
    }

    #[test]
    fn repetitions_that_differ_are_flaky() {
        let with = |status| record("a", &["x"], status);
        for (runs, expected) in [
            (vec![vec![with(Status::Passed)], vec![with(Status::Passed)]], Status::Passed),
            (vec![vec![with(Status::Passed)], vec![with(Status::Failed)]], Status::Flaky),
            (vec![vec![with(Status::Failed)], vec![with(Status::Failed)]], Status::Failed),
            (vec![vec![with(Status::Passed)], vec![with(Status::Skipped)]], Status::Flaky),
            (vec![vec![with(Status::Passed)], vec![]], Status::Flaky),
            (vec![vec![], vec![with(Status::Passed)]], Status::Flaky),
            (vec![vec![with(Status::Passed)], vec![with(Status::Failed)], vec![with(Status::Passed)]], Status::Flaky),
        ] {
            assert_eq!(statuses(&runs), [expected], "{runs:?}");
        }
    }

    #[test]
    fn a_second_record_for_one_test_is_a_fault_of_the_report() {
        let twice = vec![record("a", &["x"], Status::Failed), record("a", &["x"], Status::Passed)];
        let runs = [run(twice)];
        let outcome = Outcome::of(&runs);
        assert_eq!(outcome.report_faults, ["two records came for one test"]);
        assert_eq!(outcome.tests[0].status, Status::Failed);
    }

    #[test]
    fn no_run_is_no_report() {
        assert!(Outcome::of(&[]).has_no_report);
    }

    #[test]
    fn an_expected_failure_counts_only_where_its_runner_says_so() {
        let mut counted = record("a", &["x"], Status::ExpectedFailure);
        let plain = record("a", &["y"], Status::ExpectedFailure);
        counted.counted_as_passed = true;
        let runs = [run(vec![counted, plain])];
        assert_eq!(Outcome::of(&runs).passed(), 1);
    }
}
