//! The run that shows whether tests test the change: head's tests over the merge base's source, in one clone.
//! Must not judge what counts as proof.

use crate::collect::context::Step;
use crate::collect::rust_tests;
use crate::collect::test_clause::TestClause;
use crate::collect::{harness_names, local_path};
use crate::error::{Failure, Kind};
use crate::facts::{ChangeStatus, RepoPath, TakenBack};

/// Folders whose files belong to tests, whatever they are named.
const OF_TESTS: [&str; 13] = [
    "test",
    "tests",
    "__tests__",
    "spec",
    "e2e",
    "testing",
    "fixtures",
    "__fixtures__",
    "testdata",
    "__mocks__",
    "__snapshots__",
    "snapshots",
    "specs",
];

/// Runs head's tests at head, and then in the same clone with the change's source files taken back.
///
/// # Errors
/// Fails when the clone cannot be made or a run cannot be started.
pub(crate) fn run(clause: &TestClause<'_, '_>) -> Result<TakenBack, Failure> {
    let session = clause.session;
    let clone = clause.clone_of_head()?;
    let head = clause.run_at(&clone, "taken-back", &clause.step)?.run;
    let files: Vec<RepoPath> = session
        .context
        .change
        .files
        .iter()
        .filter(|file| file.status != ChangeStatus::ModeChanged && !is_kept(clause, &file.path))
        .map(|file| file.path.clone())
        .collect();
    let paths: Vec<&RepoPath> = files.iter().collect();
    session.context.repository.take_back(&clone.root, &session.context.change.merge_base, &paths)?;
    let mut tests_kept_in = Vec::new();
    for path in files.iter().filter(|path| path.as_bytes().ends_with(b".rs")) {
        let name = path.to_lossy();
        let base = session.trees.text(&session.trees.base, &name)?;
        let head = session.trees.text(&session.trees.head, &name)?;
        let (Some(base), Some(head)) = (base, head) else { continue };
        let Some(merged) = rust_tests::keep_tests(&base, &head) else { continue };
        let Some(place) = local_path::below(&clone.root, path) else { continue };
        std::fs::write(&place, merged).map_err(|error| {
            Failure::new(Kind::CloneUnusable, format!("failed to write `{}`: {error}", place.display()))
                .caused_by(&error)
        })?;
        tests_kept_in.push(path.clone());
    }
    let step = Step { side: "with the change taken back", ..clause.step.clone() };
    let run = clause.run_at(&clone, "taken-back", &step)?.run;
    Ok(TakenBack { head, run, files, tests_kept_in })
}

/// Returns whether a changed file stays as head has it: tests, what belongs to them, manifests and harness.
fn is_kept(clause: &TestClause<'_, '_>, path: &RepoPath) -> bool {
    let name = path.to_lossy();
    let lower = name.to_ascii_lowercase();
    let in_tests =
        lower.rsplit_once('/').is_some_and(|(folder, _)| folder.split('/').any(|part| OF_TESTS.contains(&part)));
    let ends = |ending: &str| lower.ends_with(ending);
    let is_rust_source = ends(".rs") && !in_tests;
    in_tests
        || ends(".snap")
        || (clause.is_test_file(path) && !is_rust_source)
        || harness_names::is_manifest_or_lock_file(&lower)
        || harness_names::is_harness(clause.rules(), path)
}
