//! Groups of tests: the cases of one parametrised test belong together, since a case added in the middle may
//! rename the others. Pure; knows nothing of contracts.

use crate::facts::{TestId, TestRecord};

/// Names a test without its parameters, so that all its cases have one key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct GroupKey<'a> {
    project: Option<&'a str>,
    file: Option<&'a str>,
    path: Vec<&'a str>,
}

impl<'a> GroupKey<'a> {
    /// Returns the key of a record: its own name where the runner knows no group.
    pub(super) fn of(record: &'a TestRecord) -> Self {
        let mut path: Vec<&str> = record.id.path.iter().map(String::as_str).collect();
        if let (Some(last), Some(group)) = (path.last_mut(), &record.group) {
            *last = group;
        }
        Self { project: record.id.project.as_deref(), file: record.id.file.as_deref(), path }
    }

    /// Returns the file, where the runner knows it.
    pub(super) const fn file(&self) -> Option<&'a str> {
        self.file
    }

    /// Returns the names without project and file: what stays when a test moves.
    pub(super) fn names(&self) -> &[&'a str] {
        &self.path
    }
}

/// Returns a test as people read it: `[project] file > outer > inner (2)`, the number for repeats of one name.
pub(super) fn shown(id: &TestId) -> String {
    let project = id.project.as_ref().map(|project| format!("[{project}] ")).unwrap_or_default();
    let file = id.file.as_ref().map(|file| format!("{file} > ")).unwrap_or_default();
    let repeat = if id.ordinal > 0 { format!(" ({})", id.ordinal.saturating_add(1)) } else { String::new() };
    format!("{project}{file}{}{repeat}", id.full_name())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::tests::samples::record;
    use crate::facts::Status;

    #[test]
    fn cases_of_a_parametrised_test_share_a_key() {
        let case = |name: &str| {
            let mut case = record("t.py", &["TestA", name], Status::Passed);
            case.group = Some("test_x".to_owned());
            case
        };
        assert_eq!(GroupKey::of(&case("test_x[1]")), GroupKey::of(&case("test_x[2]")));
        let plain = record("t.py", &["TestA", "test_x"], Status::Passed);
        assert_eq!(GroupKey::of(&plain), GroupKey::of(&case("test_x[1]")));
        let elsewhere = record("u.py", &["TestA", "test_x"], Status::Passed);
        assert_ne!(GroupKey::of(&plain), GroupKey::of(&elsewhere));
        assert_eq!(GroupKey::of(&plain).names(), GroupKey::of(&elsewhere).names());
    }

    #[test]
    fn a_test_is_shown_with_everything_that_tells_it_apart() {
        let mut id = record("t.py", &["a", "b"], Status::Passed).id;
        assert_eq!(shown(&id), "t.py > a > b");
        id.project = Some("web".to_owned());
        id.ordinal = 1;
        assert_eq!(shown(&id), "[web] t.py > a > b (2)");
    }
}
