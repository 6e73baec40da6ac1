//! Facts that other machines gathered: bound to this head, merge base and contract, and merged.
//!
//! Facts from git are always gathered here: they cost little, and are the root of trust. Only results of
//! runs are taken over.

use crate::contract::Contract;
use crate::error::{Failure, Kind};
use crate::facts::{Change, CommandFacts, Facts, Known, Plan, TestFacts};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// A larger file of facts is refused, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Adds what the files know of runs to the facts.
///
/// # Errors
/// [`Kind::FactsMismatch`] when a file belongs to something else, or two of them hold the same result.
pub(super) fn add_results(
    facts: &mut Facts,
    files: &[PathBuf],
    directory: &Path,
    contract: &Contract,
    change: &Change,
    is_strict: bool,
) -> Result<(), Failure> {
    let plan = contract.plan();
    let mut tests: Vec<Option<Known<TestFacts>>> = vec![None; plan.tests.len()];
    let mut commands: Vec<Option<Known<CommandFacts>>> = vec![None; plan.commands.len()];
    for file in files {
        let shown = file.display().to_string();
        let supplied = read(&directory.join(file), &shown)?;
        bind(&supplied, &shown, contract, change, &plan)?;
        let is_weak = |test: &Known<TestFacts>| matches!(test, Known::Known(test) if !test.strict);
        let is_weak_command = |command: &Known<CommandFacts>| matches!(command, Known::Known(found) if !found.strict);
        if is_strict && (supplied.tests.iter().any(is_weak) || supplied.commands.iter().any(is_weak_command)) {
            return Err(mismatch(format!("the runs in `{shown}` were not strict, and --strict is asked for")));
        }
        merge(&mut tests, supplied.tests, "tests", &shown)?;
        merge(&mut commands, supplied.commands, "commands", &shown)?;
    }
    facts.tests = complete(tests, "tests");
    facts.commands = complete(commands, "commands");
    Ok(())
}

fn read(path: &Path, shown: &str) -> Result<Facts, Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::new(Kind::Io, format!("failed to read the facts in `{shown}`")).detail("cause", error.to_string())
    };
    let mut text = Vec::new();
    File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut text)).map_err(unreadable)?;
    if text.len() as u64 > MAX_BYTES {
        return Err(mismatch(format!("`{shown}` is over 256 MiB, too large for facts")));
    }
    serde_json::from_slice(&text).map_err(|error| {
        mismatch(format!("`{shown}` does not hold facts"))
            .detail("cause", error.to_string())
            .next("write them with check --write-facts FILE, of the same version of this tool")
    })
}

fn bind(supplied: &Facts, shown: &str, contract: &Contract, change: &Change, plan: &Plan) -> Result<(), Failure> {
    if supplied.contract_digest.as_ref() != Some(&contract.digest) {
        return Err(mismatch(format!("the facts in `{shown}` were gathered for another contract"))
            .detail("expected", &contract.digest)
            .detail("found", supplied.contract_digest.as_deref().unwrap_or("none")));
    }
    let Known::Known(theirs) = &supplied.change else {
        return Err(mismatch(format!("the facts in `{shown}` do not say of which change they are")));
    };
    for (what, ours, theirs) in
        [("head", &change.head.commit, &theirs.head.commit), ("merge base", &change.merge_base, &theirs.merge_base)]
    {
        if ours != theirs {
            return Err(mismatch(format!("the facts in `{shown}` are of another {what}"))
                .detail("expected", ours)
                .detail("found", theirs));
        }
    }
    let is_whole = |found: usize, planned: usize| found == planned || found == 0;
    if is_whole(supplied.tests.len(), plan.tests.len()) && is_whole(supplied.commands.len(), plan.commands.len()) {
        Ok(())
    } else {
        Err(mismatch(format!("the facts in `{shown}` do not have one entry a clause")))
    }
}

fn merge<T>(merged: &mut [Option<Known<T>>], supplied: Vec<Known<T>>, key: &str, shown: &str) -> Result<(), Failure> {
    for (index, (place, found)) in merged.iter_mut().zip(supplied).enumerate() {
        match (&place, &found) {
            (Some(Known::Known(_)), Known::Known(_)) => {
                // Which of two results counts is not ours to choose.
                return Err(mismatch(format!("two files hold the result of /{key}/{index}; the second is `{shown}`")));
            }
            (Some(Known::Known(_)), Known::Unknown(_)) => {}
            (None | Some(Known::Unknown(_)), _) => *place = Some(found),
        }
    }
    Ok(())
}

fn complete<T>(merged: Vec<Option<Known<T>>>, key: &str) -> Vec<Known<T>> {
    let missing = |index| Known::Unknown(Box::new(mismatch(format!("no file holds the result of /{key}/{index}"))));
    merged.into_iter().enumerate().map(|(index, found)| found.unwrap_or_else(|| missing(index))).collect()
}

fn mismatch(message: String) -> Failure {
    Failure::new(Kind::FactsMismatch, message)
}
