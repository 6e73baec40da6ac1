//! A contract's clauses by kind, with their own data, so that one can be compared with another.

use crate::clauses::artifacts::Artifact;
use crate::clauses::{
    AddedLinesExclude, ChangedFilesForbidden, ChangedFilesOnly, ChangedFilesRequired, Clause, CommandClause, Counted,
    FileContains, FileExcludes, LineCap, LineLimit, MaxChangedFiles, TestClause,
};
use crate::facts::PathRule;

/// What a contract asks, by kind of clause.
#[derive(Debug, Default)]
pub(super) struct Asked<'a> {
    pub(super) only: Option<&'a ChangedFilesOnly>,
    pub(super) required: Option<&'a ChangedFilesRequired>,
    pub(super) forbidden: Option<&'a ChangedFilesForbidden>,
    pub(super) caps: Vec<&'a LineCap>,
    pub(super) max_files: Option<&'a MaxChangedFiles>,
    pub(super) line_limits: Vec<&'a LineLimit>,
    pub(super) contains: Vec<&'a FileContains>,
    pub(super) excludes: Vec<&'a FileExcludes>,
    pub(super) added_lines: Vec<&'a AddedLinesExclude>,
    pub(super) tests: Vec<&'a TestClause>,
    pub(super) commands: Vec<&'a CommandClause>,
    pub(super) n_artifacts: usize,
}

impl<'a> Asked<'a> {
    /// Sorts clauses by kind.
    pub(super) fn of(clauses: &'a [Box<dyn Clause>]) -> Self {
        let mut asked = Self::default();
        for clause in clauses {
            let clause = clause.as_any();
            asked.only = clause.downcast_ref().or(asked.only);
            asked.required = clause.downcast_ref().or(asked.required);
            asked.forbidden = clause.downcast_ref().or(asked.forbidden);
            asked.max_files = clause.downcast_ref().or(asked.max_files);
            asked.caps.extend(clause.downcast_ref::<LineCap>());
            asked.line_limits.extend(clause.downcast_ref::<LineLimit>());
            asked.contains.extend(clause.downcast_ref::<FileContains>());
            asked.excludes.extend(clause.downcast_ref::<FileExcludes>());
            asked.added_lines.extend(clause.downcast_ref::<AddedLinesExclude>());
            asked.tests.extend(clause.downcast_ref::<TestClause>());
            asked.commands.extend(clause.downcast_ref::<CommandClause>());
            asked.n_artifacts += usize::from(clause.is::<Artifact>());
        }
        asked
    }

    /// Returns whether the change may touch a path: everything may, where nothing says otherwise.
    pub(super) fn may_change(&self, path: &str) -> bool {
        let path = path.into();
        self.only.is_none_or(|only| only.rules().iter().any(|rule| rule.matches(&path)))
    }

    /// Returns the limit over all lines, where there is one.
    pub(super) fn cap(&self, counted: Counted) -> Option<u64> {
        self.caps.iter().find(|cap| cap.counted() == counted).map(|cap| cap.limit())
    }

    /// Returns the limit for the lines of one file, where there is one of its own.
    pub(super) fn limit_of(&self, path: &str, counted: Counted) -> Option<u64> {
        let path = path.into();
        let of_path = self.line_limits.iter().filter(|limit| limit.path().matches(&path));
        of_path.flat_map(|limit| limit.limits()).filter(|(of, _)| *of == counted).map(|(_, limit)| *limit).min()
    }

    /// Returns the literal paths that must change.
    pub(super) fn required_paths(&self) -> impl Iterator<Item = &'a str> {
        let rules = self.required.map(ChangedFilesRequired::rules).unwrap_or_default();
        rules.iter().filter_map(PathRule::as_literal)
    }

    /// Returns every path rule of the contract, with its place.
    pub(super) fn rules(&self) -> Vec<(String, &'a PathRule)> {
        let mut rules = Vec::new();
        let mut list = |key: &str, of: &'a [PathRule]| {
            rules.extend(of.iter().enumerate().map(|(index, rule)| (format!("/{key}/{index}"), rule)));
        };
        list("changed_files_only", self.only.map(ChangedFilesOnly::rules).unwrap_or_default());
        list("changed_files_required", self.required.map(ChangedFilesRequired::rules).unwrap_or_default());
        list("changed_files_forbidden", self.forbidden.map(ChangedFilesForbidden::rules).unwrap_or_default());
        let at = |clause: &dyn Clause| clause.at().to_owned();
        rules.extend(self.line_limits.iter().map(|clause| (at(*clause), clause.path())));
        rules.extend(self.contains.iter().map(|clause| (at(*clause), clause.entry().path())));
        rules.extend(self.excludes.iter().map(|clause| (at(*clause), clause.entry().path())));
        rules.extend(self.added_lines.iter().filter_map(|clause| Some((at(*clause), clause.path()?))));
        rules
    }
}
