//! Finds the test that a contract names. A name is a test's full name, its last part, or `file > full name`; it must
//! mean exactly one test, and without its parameters it means all its cases. Pure.

use super::groups::{GroupKey, shown};
use super::outcome::Merged;
use crate::facts::TestRecord;
use std::collections::BTreeSet;

/// At most so many candidates are told for a name.
const MAX_CANDIDATES: usize = 10;

/// What a name means among the tests of one run.
#[derive(Debug)]
pub(super) enum Named<'a, 'b> {
    /// One test, or all cases of one parametrised test.
    Tests(Vec<&'b Merged<'a>>),
    /// No test; the nearest names.
    Absent(Vec<String>),
    /// Several tests.
    Ambiguous(Vec<String>),
}

/// Finds what a name means.
pub(super) fn find<'a, 'b>(name: &str, tests: &'b [Merged<'a>]) -> Named<'a, 'b> {
    let wanted = one_form(name);
    let whole: Vec<&Merged<'a>> = tests.iter().filter(|test| is_called(&wanted, test.record)).collect();
    let cases: Vec<&Merged<'a>> = tests.iter().filter(|test| is_case_of(&wanted, test.record)).collect();
    let found = if cases.is_empty() { whole } else { whole_and_cases(whole, cases) };
    let keys: BTreeSet<GroupKey<'a>> = found.iter().map(|test| GroupKey::of(test.record)).collect();
    let all_cases = found.iter().all(|test| is_case_of(&wanted, test.record));
    if found.is_empty() {
        Named::Absent(nearest(&wanted, tests))
    } else if keys.len() == 1 && (found.len() == 1 || all_cases) {
        Named::Tests(found)
    } else {
        Named::Ambiguous(found.iter().take(MAX_CANDIDATES).map(|test| shown(&test.record.id)).collect())
    }
}

/// Returns whether a name means this record: as a whole, or as one of its cases.
pub(super) fn means(name: &str, record: &TestRecord) -> bool {
    let wanted = one_form(name);
    is_called(&wanted, record) || is_case_of(&wanted, record)
}

fn whole_and_cases<'a, 'b>(whole: Vec<&'b Merged<'a>>, cases: Vec<&'b Merged<'a>>) -> Vec<&'b Merged<'a>> {
    let rest = whole.into_iter().filter(|test| !cases.iter().any(|case| case.record.id == test.record.id));
    let rest: Vec<_> = rest.collect();
    cases.into_iter().chain(rest).collect()
}

/// Runners and people join names with ` > ` or with `::`; both mean the same here.
fn one_form(name: &str) -> String {
    name.trim().replace("::", " > ")
}

fn is_called(wanted: &str, record: &TestRecord) -> bool {
    let title = record.id.path.last().map(String::as_str).unwrap_or_default();
    ends_alike(wanted, title) && spellings(record, &record.id.full_name()).any(|spelling| spelling == wanted)
}

fn is_case_of(wanted: &str, record: &TestRecord) -> bool {
    let Some(group) = &record.group else { return false };
    ends_alike(wanted, group) && {
        let full = GroupKey::of(record).names().join(" > ");
        spellings(record, &full).any(|spelling| spelling == wanted)
    }
}

/// Every spelling of a name ends with the last part of its title: most tests are told apart by that, without making any.
fn ends_alike(wanted: &str, title: &str) -> bool {
    let last = title.rsplit("::").next().and_then(|part| part.rsplit(" > ").next()).unwrap_or(title);
    wanted.ends_with(last.trim())
}

/// Every way to write one test's name, in one form.
fn spellings(record: &TestRecord, full: &str) -> impl Iterator<Item = String> {
    let full = one_form(full);
    let last = full.rsplit(" > ").next().unwrap_or(&full).to_owned();
    // A title may hold ` > ` or `::` itself: its last part is then the title as a whole too.
    let title = record.id.path.last().map(|title| match &record.group {
        Some(group) if !full.ends_with(&one_form(title)) => one_form(group),
        _ => one_form(title),
    });
    let with = |before: Option<&String>| before.map(|before| format!("{before} > {full}"));
    let in_file = with(record.id.file.as_ref());
    let in_project = with(record.id.project.as_ref());
    let in_both = record.id.project.as_ref().zip(in_file.as_ref());
    let in_both = in_both.map(|(project, in_file)| format!("{project} > {in_file}"));
    // As candidates are told, so that a copied one is understood.
    let told = record.id.project.as_ref().map(|project| match &in_file {
        Some(in_file) => format!("[{project}] {in_file}"),
        None => format!("[{project}] {full}"),
    });
    [Some(last), title, in_file, in_project, in_both, told, Some(full)].into_iter().flatten()
}

/// Returns the nearest full names, for a name that no test has.
fn nearest(wanted: &str, tests: &[Merged<'_>]) -> Vec<String> {
    /// Distances cost time that grows with both lengths and the number of tests.
    const MAX_COMPARED: usize = 2_000;
    const MAX_LENGTH: usize = 200;
    let mut scored: Vec<(usize, String)> = tests
        .iter()
        .take(MAX_COMPARED)
        .filter_map(|test| {
            let full = one_form(&test.record.id.full_name());
            let last = full.rsplit(" > ").next().unwrap_or(&full).to_owned();
            let distance = [&full, &last]
                .into_iter()
                .filter(|text| text.len() <= MAX_LENGTH && wanted.len() <= MAX_LENGTH)
                .map(|text| strsim::damerau_levenshtein(&text.to_lowercase(), &wanted.to_lowercase()))
                .min()?;
            (distance <= 2 + wanted.chars().count() / 3).then(|| (distance, shown(&test.record.id)))
        })
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::tests::samples::record;
    use crate::facts::Status;

    fn records() -> Vec<TestRecord> {
        let case = |name: &str| {
            let mut case = record("tests/test_a.py", &["TestA", name], Status::Passed);
            case.group = Some("test_x".to_owned());
            case
        };
        let mut twin = record("d.test.ts", &["same"], Status::Passed);
        twin.id.ordinal = 1;
        let mut rust = record("", &["filter::time::tests::is_before"], Status::Passed);
        rust.id.file = None;
        rust.id.project = Some("fd".to_owned());
        vec![
            record("a.test.ts", &["slugify", "trims"], Status::Passed),
            record("b.test.ts", &["trims"], Status::Passed),
            record("b.test.ts", &["only here"], Status::Passed),
            record("b.test.ts", &["Map::get > works"], Status::Passed),
            record("d.test.ts", &["same"], Status::Passed),
            twin,
            rust,
            case("test_x[1-a]"),
            case("test_x[2-b]"),
        ]
    }

    #[test]
    fn a_name_means_exactly_one_test_or_all_its_cases() {
        let records = records();
        let tests: Vec<Merged<'_>> = records.iter().map(Merged::of_one_run).collect();
        for (name, expected) in [
            ("slugify > trims", "1"),
            ("a.test.ts > slugify > trims", "1"),
            ("b.test.ts > trims", "1"),
            ("trims", "ambiguous 2"),
            ("only here", "1"),
            ("Map::get > works", "1"),
            ("same", "ambiguous 2"),
            ("filter::time::tests::is_before", "1"),
            ("is_before", "1"),
            ("tests::is_before", "absent"),
            ("fd > filter::time::tests::is_before", "1"),
            ("[fd] filter::time::tests::is_before", "1"),
            ("test_x", "2"),
            ("TestA::test_x", "2"),
            ("tests/test_a.py::TestA::test_x", "2"),
            ("tests/test_a.py::TestA::test_x[1-a]", "1"),
            ("test_x[2-b]", "1"),
            ("test_x[3]", "absent"),
            ("trim", "absent"),
            ("", "absent"),
        ] {
            let found = match find(name, &tests) {
                Named::Tests(found) => found.len().to_string(),
                Named::Absent(_) => "absent".to_owned(),
                Named::Ambiguous(candidates) => format!("ambiguous {}", candidates.len()),
            };
            assert_eq!(found, expected, "{name}");
        }
    }

    #[test]
    fn an_absent_name_gets_the_nearest_ones() {
        let records = records();
        let tests: Vec<Merged<'_>> = records.iter().map(Merged::of_one_run).collect();
        let Named::Absent(candidates) = find("only hear", &tests) else { panic!("no test is called so") };
        assert_eq!(candidates, ["b.test.ts > only here"]);
    }
}
