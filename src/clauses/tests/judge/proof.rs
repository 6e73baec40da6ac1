//! Whether one test shows that the change did something: it passes at head, and with the change's source taken back it
//! runs and fails. Whatever else kept it from running is not proof.

use super::Seen;
use crate::clauses::tests::groups::shown;
use crate::clauses::tests::outcome::{Merged, Outcome};
use crate::error::{Failure, Kind};
use crate::facts::{Known, LoadError, Status, TakenBack, TestRecord};

/// What the run with the source taken back shows of one test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Proof {
    /// It failed there.
    Proven,
    /// It could not be loaded there, for want of something that the change adds.
    ProvenByLoading,
    /// It does not prove anything.
    Not(Why),
    /// It could not be run there for another reason.
    Unknown(String),
}

/// Why a test proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// It passes there too.
    PassesWithoutChange,
    /// No test has this name.
    Absent,
    /// It was skipped there, or is no longer there.
    DidNotRun,
    /// It could not be loaded there, which strict mode does not accept.
    OnlyLoading,
    /// Its own file went back too.
    OwnFileTakenBack,
    /// It does not pass at head.
    FailedAtHead,
}

impl Why {
    /// Returns the stable word that evidence holds.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::PassesWithoutChange => "passes_without_change",
            Self::Absent | Self::DidNotRun | Self::OnlyLoading => "absent",
            Self::OwnFileTakenBack => "own_file_taken_back",
            Self::FailedAtHead => "failed_at_head",
        }
    }
}

/// The two runs in one clone: head, and head with the source taken back.
pub(super) struct Sides<'a> {
    taken: &'a TakenBack,
    head: Outcome<'a>,
    run: Outcome<'a>,
    fault: Option<String>,
    strict: bool,
    added: Vec<&'a str>,
}

impl<'a> Sides<'a> {
    /// Looks at the two runs.
    ///
    /// # Errors
    /// Returns why they are unknown.
    pub(super) fn of(seen: &Seen<'a>) -> Result<Self, Failure> {
        let not_collected = || match Known::<TakenBack>::not_collected() {
            Known::Unknown(failure) => *failure,
            Known::Known(_) => not_run("it was not asked for"),
        };
        let taken = seen.tests.taken_back.as_ref().ok_or_else(not_collected)?.get().map_err(Clone::clone)?;
        let head = Outcome::of(std::slice::from_ref(&taken.head));
        let run = Outcome::of(std::slice::from_ref(&taken.run));
        if let Some(why) = fault(&head) {
            return Err(not_run(&format!("head's own run in that clone is not whole: {why}")));
        }
        let fault = fault(&run);
        let added = added_lines(seen, taken);
        Ok(Self { taken, head, run, fault, strict: seen.tests.strict, added })
    }

    /// Returns what the runs show of one test that passes at head.
    pub(super) fn proof(&self, record: &TestRecord) -> Proof {
        if self.head.get(&record.id).is_none_or(|test| test.status != Status::Passed) {
            return Proof::Not(Why::FailedAtHead);
        }
        if self.is_own_file_taken_back(record) {
            return Proof::Not(Why::OwnFileTakenBack);
        }
        if let Some(why) = &self.fault {
            return Proof::Unknown(why.clone());
        }
        match self.run.get(&record.id).map(|test| test.status) {
            Some(Status::Failed) => Proof::Proven,
            Some(Status::Passed | Status::Flaky | Status::ExpectedFailure | Status::UnexpectedPass) => {
                Proof::Not(Why::PassesWithoutChange)
            }
            Some(Status::Skipped | Status::Todo) => Proof::Not(Why::DidNotRun),
            Some(Status::Errored) => Proof::Unknown(format!("the set-up of {} failed", shown(&record.id))),
            Some(Status::Unfinished) => Proof::Unknown(format!("{} did not end", shown(&record.id))),
            None => self.loading(record),
        }
    }

    fn is_own_file_taken_back(&self, record: &TestRecord) -> bool {
        let is_file = |path: &crate::facts::RepoPath| path.as_str() == record.id.file.as_deref();
        record.id.file.is_some()
            && self.taken.files.iter().any(is_file)
            && !self.taken.tests_kept_in.iter().any(is_file)
    }

    /// A file that fails to load is proof only for want of what the change adds or edits.
    fn loading(&self, record: &TestRecord) -> Proof {
        let concerns =
            |error: &&LoadError| error.file.is_none() || record.id.file.is_none() || error.file == record.id.file;
        let errors: Vec<&LoadError> = self.run.load_errors().into_iter().filter(concerns).collect();
        if errors.is_empty() {
            return Proof::Not(Why::DidNotRun);
        }
        match errors.iter().find(|error| !self.is_of_the_change(error)) {
            Some(error) => {
                let file = error.file.as_deref().unwrap_or("a test file");
                Proof::Unknown(format!("{file} could not be loaded, and not for want of what the change adds"))
            }
            None if self.strict => Proof::Not(Why::OnlyLoading),
            None => Proof::ProvenByLoading,
        }
    }

    fn is_of_the_change(&self, error: &LoadError) -> bool {
        let Some(missing) = error.missing.as_deref().map(str::trim).filter(|missing| !missing.is_empty()) else {
            return false;
        };
        let is_module = |path: &str| names_module(missing, path);
        self.taken.files.iter().filter_map(|path| path.as_str()).any(is_module)
            || symbol(missing).is_some_and(|symbol| self.added.iter().any(|line| holds_word(line, symbol)))
    }
}

/// Returns the lines that the change adds to the files that went back.
fn added_lines<'a>(seen: &Seen<'a>, taken: &TakenBack) -> Vec<&'a str> {
    let files = seen.facts.added_lines.get().map(Vec::as_slice).unwrap_or_default();
    let went_back = files.iter().filter(|file| taken.files.contains(&file.path));
    went_back.flat_map(|file| file.lines.iter().map(|(_, line)| line.as_str())).collect()
}

fn fault(outcome: &Outcome<'_>) -> Option<String> {
    if outcome.end().is_some_and(|end| end.timed_out) {
        return Some("its time was up".to_owned());
    }
    if outcome.has_no_report {
        return Some("it left no test report".to_owned());
    }
    outcome.report_faults.first().map(|why| format!("its report is not whole: {why}"))
}

/// Makes the failure of a proof that cannot be had.
pub(super) fn not_run(why: &str) -> Failure {
    Failure::new(
        Kind::BaseRunUnhealthy,
        format!("the tests could not be run with the change's source taken back to the merge base: {why}"),
    )
}

/// Returns whether a missing module is this file: `./slugify.js`, `app.slug` and `crate::slug::trim` may be files of the
/// change. The last part of a dotted or `::` name may be a symbol in the module.
fn names_module(missing: &str, path: &str) -> bool {
    let file = without_extension(path);
    let file = ["/index", "/__init__", "/mod", "/lib", "/main"]
        .iter()
        .find_map(|suffix| file.strip_suffix(suffix))
        .unwrap_or(file);
    let is_path = missing.contains('/') || missing.contains('\\');
    let as_path = if missing.contains("::") {
        missing.trim_start_matches("crate::").replace("::", "/")
    } else if is_path {
        without_extension(&missing.replace('\\', "/")).to_owned()
    } else {
        missing.trim_start_matches('.').replace('.', "/")
    };
    let as_path = as_path.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect::<Vec<_>>().join("/");
    let parent = as_path.rsplit_once('/').map(|(parent, _)| parent).filter(|_| !is_path);
    [Some(as_path.as_str()), parent].into_iter().flatten().any(|module| ends_with_path(file, module))
        // An absolute path, as some runners tell it.
        || (is_path && ends_with_path(&as_path, file))
}

fn ends_with_path(path: &str, end: &str) -> bool {
    !end.is_empty() && (path == end || path.strip_suffix(end).is_some_and(|before| before.ends_with('/')))
}

fn without_extension(path: &str) -> &str {
    let name_at = path.rfind('/').map_or(0, |index| index + 1);
    match path[name_at..].rfind('.') {
        Some(dot) if dot > 0 => &path[..name_at + dot],
        _ => path,
    }
}

/// Returns the last part of a missing name where it can be a symbol.
fn symbol(missing: &str) -> Option<&str> {
    let last = missing.rsplit([':', '.', '/', '\\', '#']).next().unwrap_or(missing);
    let is_symbol = last.chars().all(|character| character.is_alphanumeric() || matches!(character, '_' | '$'));
    (is_symbol && !missing.contains(['/', '\\']) && last.len() >= 2).then_some(last)
}

fn holds_word(line: &str, word: &str) -> bool {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    line.match_indices(word).any(|(start, found)| {
        let before = line[..start].chars().next_back();
        let after = line[start + found.len()..].chars().next();
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

/// Returns the tests of a name, if all pass at head.
pub(super) fn all_pass(tests: &[&Merged<'_>]) -> bool {
    tests.iter().all(|test| test.status == Status::Passed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_module_is_the_changes_own_only_by_its_path() {
        for (missing, path, expected) in [
            ("../src/slugify.js", "src/slugify.ts", true),
            ("./slugify", "src/slugify.ts", true),
            ("./slugify", "src/other-slugify.ts", false),
            ("/tmp/clone/src/slugify.ts", "src/slugify.ts", true),
            ("../src/util", "src/util/index.ts", true),
            ("left-pad", "src/slugify.ts", false),
            ("app.slug", "src/app/slug.py", true),
            ("app.slug.trim", "src/app/slug.py", true),
            ("app", "src/app/__init__.py", true),
            ("numpy", "src/app/slug.py", false),
            ("crate::slug::trim", "src/slug.rs", true),
            ("fd::slug", "src/slug.rs", false),
            ("", "src/slug.rs", false),
        ] {
            assert_eq!(names_module(missing, path), expected, "{missing} {path}");
        }
    }

    #[test]
    fn a_missing_symbol_is_the_changes_own_only_as_a_whole_word() {
        assert!(holds_word("pub fn trim(input: &str)", symbol("crate::slug::trim").unwrap()));
        assert!(!holds_word("pub fn trimmed()", "trim"));
        assert!(!holds_word("fn a_trim()", "trim"));
        assert_eq!(symbol("./left-pad"), None);
        assert_eq!(symbol("left-pad"), None);
    }
}
