//! Tells what a test clause asks, what a check would run for it, and what that cannot see. Runs nothing.

use super::{Except, FailToPass, PassToPass, Passed, TestClause};
use crate::clauses::running::counted;
use crate::clauses::{Explanation, Standing};
use crate::facts::{Channel, Facts, Known, Place, TestPlan, TestPreview, command_line};

/// So many entries of a list are told in one explanation.
const MAX_LISTED: usize = 20;

/// Explains the clause.
pub(super) fn explain(clause: &TestClause, facts: &Facts, index: usize) -> Explanation {
    let mut lines = vec![passed(clause)];
    lines.extend(named(clause));
    lines.extend(fail_to_pass(clause));
    lines.extend(pass_to_pass(clause));
    if let Some(limit) = clause.max_skipped {
        lines.push(format!("At most {limit} may be skipped, announced or expected to fail."));
    }
    let mut next = Vec::new();
    let mut standing = Standing::NeedsRun;
    match facts.previews.get(index) {
        None => lines.extend(run_of_contract(clause)),
        Some(Known::Known(preview)) if preview.strict && clause.junit.is_some() => {
            let failure = TestPlan::own_report_under_strict(&clause.at);
            standing = Standing::Unknown;
            lines.push(format!("check will run nothing: {}.", failure.message));
            next.extend(failure.next);
        }
        Some(Known::Known(preview)) => lines.extend(run(clause, preview)),
        Some(Known::Unknown(failure)) => {
            standing = Standing::Unknown;
            lines.extend(run_of_contract(clause));
            lines.push(format!("That cannot be run here: {}.", failure.message));
            next.extend(failure.advice().into_iter().map(str::to_owned));
        }
    }
    if clause.passed.is_some() && clause.names.is_empty() && clause.pass_to_pass.is_none() && !is_strict(facts, index) {
        lines.push("A count cannot see which tests passed: --strict also compares with the merge base.".to_owned());
    }
    Explanation { check: "tests".to_owned(), at: clause.at.clone(), standing, lines, next }
}

fn is_strict(facts: &Facts, index: usize) -> bool {
    matches!(facts.previews.get(index), Some(Known::Known(preview)) if preview.strict)
}

fn passed(clause: &TestClause) -> String {
    let tests = |n: u64| counted(usize::try_from(n).unwrap_or(usize::MAX), "test", "tests");
    let number = match clause.passed {
        Some(Passed::Exactly(n)) => format!("Exactly {} must pass", tests(n)),
        Some(Passed::AtLeast(n)) => format!("At least {} must pass", tests(n)),
        Some(Passed::MoreThanBase(0)) => "As many tests as at the merge base, or more, must pass".to_owned(),
        Some(Passed::MoreThanBase(n)) => {
            format!("At least {} more than at the merge base must pass, under names that it does not have", tests(n))
        }
        None => "At least 1 test must pass".to_owned(),
    };
    let repeat = match clause.repeat {
        1 => String::new(),
        n => format!(" It is run {n} times; every result must be the same each time."),
    };
    format!("{number}, none may fail, none may be retried.{repeat}")
}

fn named(clause: &TestClause) -> Vec<String> {
    if clause.names.is_empty() {
        return Vec::new();
    }
    listed("Each of these tests must run and pass:", clause.names.iter().cloned())
}

fn fail_to_pass(clause: &TestClause) -> Vec<String> {
    match &clause.fail_to_pass {
        None => Vec::new(),
        Some(FailToPass::Names(names)) => listed(
            "Each of these must pass, and fail when the change's source files go back to the merge base:",
            names.iter().cloned(),
        ),
        Some(FailToPass::AtLeast(n)) => vec![format!(
            "At least {} in changed test files must pass, and fail when the change's source files go back to the merge base.",
            counted(usize::try_from(*n).unwrap_or(usize::MAX), "new or edited test", "new or edited tests")
        )],
    }
}

fn pass_to_pass(clause: &TestClause) -> Vec<String> {
    match &clause.pass_to_pass {
        None => Vec::new(),
        Some(PassToPass::All { except }) if except.is_empty() => {
            vec!["Every test that passes at the merge base must still be there and pass.".to_owned()]
        }
        Some(PassToPass::All { except }) => listed(
            "Every test that passes at the merge base must still be there and pass, except:",
            except.iter().map(|except| match except {
                Except::Name(name) => name.clone(),
                Except::Files(rule) => format!("tests in {rule}"),
            }),
        ),
        Some(PassToPass::Names(names)) => listed("Each of these must still be there and pass:", names.iter().cloned()),
    }
}

fn run(clause: &TestClause, preview: &TestPreview) -> Vec<String> {
    let place = match preview.place {
        Place::Checkout => "in the checkout",
        Place::Clone => "in a private clone of head",
    };
    let mut lines = vec![
        format!("check will run, {place}{}, for at most {} s:", folder(clause), clause.timeout()),
        format!("  {}", command_line(&preview.argv)),
    ];
    if preview.strict {
        lines.push(
            "The same runs at the merge base: nothing that passes there may be lost, skipped or repeated.".to_owned(),
        );
    } else if clause.needs_base() {
        lines.push("The same runs at the merge base, in a private clone.".to_owned());
    }
    let runner = match &preview.version {
        Some(version) => format!("{} {version}", preview.runner),
        None => preview.runner.clone(),
    };
    lines.push(match preview.channel {
        Channel::Private => format!("Results come from the reporter interface of {runner}, not from what tests print."),
        Channel::ReportFile => {
            format!("Results come from a report file of {runner}, which the code under test could write too.")
        }
    });
    if !preview.limits.is_empty() {
        lines.push(format!("What it cannot see: {}.", preview.limits.trim_end_matches('.')));
    }
    if !preview.harness.is_empty() {
        lines.push("These files decide how the tests run and must stay as they are:".to_owned());
        lines.extend(in_rows(&preview.harness));
    }
    lines
}

/// Sets short entries side by side, a few rows of them; the rest is counted.
fn in_rows(entries: &[String]) -> Vec<String> {
    const WIDTH: usize = 70;
    const MAX_ENTRIES: usize = 12;
    let mut rows: Vec<String> = Vec::new();
    let more = entries.len().saturating_sub(MAX_ENTRIES);
    let rest = (more > 0).then(|| format!("and {more} more"));
    for entry in entries.iter().take(MAX_ENTRIES).chain(&rest) {
        match rows.last_mut() {
            Some(row) if row.chars().count() + entry.chars().count() < WIDTH => {
                row.push_str("  ");
                row.push_str(entry);
            }
            _ => rows.push(format!("  {entry}")),
        }
    }
    rows
}

fn run_of_contract(clause: &TestClause) -> Vec<String> {
    vec![
        format!("check will run{}, for at most {} s:", folder(clause), clause.timeout()),
        format!("  {}", clause.command_line()),
    ]
}

fn folder(clause: &TestClause) -> String {
    if clause.cwd.is_empty() { String::new() } else { format!(" (in {})", clause.cwd) }
}

fn listed(head: &str, entries: impl ExactSizeIterator<Item = String>) -> Vec<String> {
    let number = entries.len();
    let mut lines = vec![head.to_owned()];
    lines.extend(entries.take(MAX_LISTED).map(|entry| format!("  {entry}")));
    if number > MAX_LISTED {
        lines.push(format!("  and {} more", number - MAX_LISTED));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::tests::samples::clause;
    use crate::error::{Failure, Kind};

    fn preview() -> TestPreview {
        TestPreview {
            runner: "vitest".to_owned(),
            version: Some("4.0.3".to_owned()),
            argv: ["node", "node_modules/vitest/vitest.mjs", "run"].map(str::to_owned).to_vec(),
            channel: Channel::Private,
            place: Place::Checkout,
            strict: false,
            harness: vec!["vitest.config.*".to_owned(), ".npmrc".to_owned()],
            limits: String::new(),
        }
    }

    fn facts_with(preview: Known<TestPreview>) -> Facts {
        Facts { previews: vec![preview], ..Facts::none() }
    }

    #[test]
    fn a_preview_is_told_in_plain_words() {
        let mut clause = clause();
        clause.passed = Some(Passed::Exactly(17));
        let explained = explain(&clause, &facts_with(Known::Known(preview())), 0);
        assert_eq!(explained.standing, Standing::NeedsRun);
        assert_eq!(
            explained.lines,
            [
                "Exactly 17 tests must pass, none may fail, none may be retried.",
                "check will run, in the checkout, for at most 900 s:",
                "  node node_modules/vitest/vitest.mjs run",
                "Results come from the reporter interface of vitest 4.0.3, not from what tests print.",
                "These files decide how the tests run and must stay as they are:",
                "  vitest.config.*  .npmrc",
                "A count cannot see which tests passed: --strict also compares with the merge base.",
            ]
        );
    }

    #[test]
    fn many_harness_files_are_told_in_short_rows() {
        let entries: Vec<String> = (0..20).map(|number| format!("configuration-{number:02}")).collect();
        let rows = in_rows(&entries);
        assert!(rows.iter().all(|row| row.len() <= 72), "{rows:?}");
        assert!(rows.last().is_some_and(|row| row.ends_with("and 8 more")), "{rows:?}");
    }

    #[test]
    fn what_cannot_be_run_here_says_why_and_what_to_do() {
        let mut clause = clause();
        clause.pass_to_pass = Some(PassToPass::All { except: Vec::new() });
        let failure = Failure::new(Kind::RunnerMissing, "vitest is not installed").next("npm ci");
        let explained = explain(&clause, &facts_with(Known::Unknown(Box::new(failure))), 0);
        assert_eq!(explained.standing, Standing::Unknown);
        assert_eq!(explained.lines.last().unwrap(), "That cannot be run here: vitest is not installed.");
        assert_eq!(explained.next, ["npm ci"]);
    }

    #[test]
    fn every_field_is_told() {
        let mut clause = clause();
        clause.passed = Some(Passed::MoreThanBase(2));
        clause.names = vec!["a".to_owned()];
        clause.fail_to_pass = Some(FailToPass::AtLeast(1));
        clause.pass_to_pass = Some(PassToPass::Names(vec!["b".to_owned()]));
        clause.max_skipped = Some(0);
        clause.repeat = 3;
        clause.cwd = "web".to_owned();
        let text = explain(&clause, &Facts::none(), 0).lines.join("\n");
        for piece in ["2 tests more", "3 times", "  a", "1 new or edited test", "  b", "At most 0", "(in web)"] {
            assert!(text.contains(piece), "{piece:?} is not in {text}");
        }
    }
}
