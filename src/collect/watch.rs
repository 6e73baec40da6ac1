//! Watches a process that gives no records: passes progress and output on.
//! Knows nothing of why it runs.

use crate::collect::context::{Step, TestContext};
use crate::exec::Observer;
use std::time::Instant;

/// An observer of one such process.
pub(crate) struct Watched<'a> {
    context: &'a TestContext<'a>,
    step: Step<'a>,
    began: Instant,
}

impl<'a> Watched<'a> {
    /// Begins a step.
    pub(crate) fn new(context: &'a TestContext<'a>, step: Step<'a>) -> Self {
        Self { context, step, began: Instant::now() }
    }
}

impl Observer for Watched<'_> {
    fn record(&mut self, _: usize, _: &[u8]) {}

    fn output(&mut self, piece: &[u8]) {
        if self.context.options.verbose {
            self.context.progress.output(&self.step, piece);
        }
    }

    fn tick(&mut self) {
        self.step.elapsed = self.began.elapsed();
        self.context.progress.step(&self.step);
    }
}
