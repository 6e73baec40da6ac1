//! What each clause asks and how it stands, before any test is run.

use super::page::Page;
use crate::clauses::{Explanation, Standing};
use crate::report::model::Explained;
use crate::report::words::standing;
use owo_colors::OwoColorize as _;

/// The column at whose right the standing is written.
const STANDING_COLUMN: usize = 65;

pub(super) fn write(page: &mut Page, explained: &Explained) {
    let number_width = explained.clauses.len().to_string().len();
    for (index, clause) in explained.clauses.iter().enumerate() {
        write_clause(page, &format!("{:>number_width$}", index + 1), clause);
        page.blank();
    }
    if !explained.warnings.is_empty() {
        page.line(&"warnings for whoever writes the contract".bold().to_string());
        for warning in &explained.warnings {
            let at = warning.at.trim_start_matches('/');
            let text = if at.is_empty() { warning.message.clone() } else { format!("{at}: {}", warning.message) };
            page.wrapped(&format!("  {}  ", warning.code), &text);
        }
        page.blank();
    }
}

fn write_clause(page: &mut Page, number: &str, clause: &Explanation) {
    let name = format!("{number}  {}", clause.check);
    let word = standing(clause.standing);
    let standing = match clause.standing {
        Standing::Met | Standing::MetSoFar => word.green().to_string(),
        Standing::NotMet => word.red().to_string(),
        Standing::NeedsRun | Standing::Unknown => word.yellow().to_string(),
    };
    let pad = STANDING_COLUMN.saturating_sub(name.len()).max(2);
    page.line(&format!("{}{:pad$}{standing}", name.bold(), ""));
    let indent = number.len() + 4;
    for line in &clause.lines {
        // An indented line is an entry of a list: what does not fit goes under it.
        let rest = line.trim_start_matches(' ');
        page.wrapped(&" ".repeat(indent + line.len() - rest.len()), rest);
    }
    for (index, line) in clause.next.iter().enumerate() {
        let label = if index == 0 { "next" } else { "" };
        page.wrapped(&format!("{:indent$}{label:<6}", ""), line);
    }
}
