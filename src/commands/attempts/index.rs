//! `INDEX.txt`: one line an attempt, for people. Always written anew from the attempts themselves, and from
//! its old lines of those that are gone: what was tried stays known.

use serde_json::Value;
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Writes the index of every attempt in the ledger, atomically.
pub(super) fn write(ledger: &Path) -> io::Result<()> {
    let mut lines = Vec::new();
    for contract in sorted_folders(ledger)? {
        for attempt in sorted_folders(&ledger.join(&contract))? {
            let place = format!("{contract}/{attempt}");
            let about = fs::read(ledger.join(&place).join("about.json"))?;
            lines.push(line(&serde_json::from_slice(&about).unwrap_or(Value::Null), &place));
        }
    }
    let gone = |line: &String| !lines.iter().any(|there| last_word(there) == last_word(line));
    let gone: Vec<String> = old_lines(ledger).into_iter().filter(gone).collect();
    lines.extend(gone);
    lines.sort_unstable();
    let mut file = tempfile::NamedTempFile::new_in(ledger)?;
    writeln!(file, "{:<20}  {:>7}  {:<9}  {:<16}  candidate  folder", "time", "attempt", "status", "next")?;
    for line in lines {
        writeln!(file, "{line}")?;
    }
    file.as_file().sync_all()?;
    file.persist(ledger.join("INDEX.txt")).map_err(|error| error.error)?;
    Ok(())
}

/// Returns the highest number that the index gives to an attempt at a contract, 0 where there is none.
pub(super) fn last(ledger: &Path, contract: &Path) -> u32 {
    let name = contract.file_name().unwrap_or_default().to_string_lossy();
    let lines = old_lines(ledger);
    let numbers = lines.iter().filter_map(|line| place_in(line)).filter(|(of, _)| **of == *name);
    numbers.map(|(_, number)| number).max().unwrap_or(0)
}

/// Returns the lines of attempts in the index as it is. A lost index is written anew, so that it may lack.
fn old_lines(ledger: &Path) -> Vec<String> {
    let text = fs::read_to_string(ledger.join("INDEX.txt")).unwrap_or_default();
    text.lines().skip(1).filter(|line| place_in(line).is_some()).map(str::to_owned).collect()
}

/// Reads the end of a line: the contract's folder, and the attempt's number.
fn place_in(line: &str) -> Option<(&str, u32)> {
    let (contract, number) = last_word(line).rsplit_once('/')?;
    Some((contract, number.parse().ok()?))
}

fn last_word(line: &str) -> &str {
    line.rsplit(' ').next().unwrap_or_default()
}

fn sorted_folders(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort_unstable();
    Ok(names)
}

fn line(about: &Value, place: &str) -> String {
    let text = |key: &str| plain(about[key].as_str().unwrap_or("-"));
    let candidates = about["candidates"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<String> =
        candidates.iter().map(|candidate| plain(candidate["name"].as_str().unwrap_or("-"))).collect();
    let attempt = about["attempt"].to_string();
    format!(
        "{:<20}  {attempt:>7}  {:<9}  {:<16}  {}  {place}",
        text("time"),
        text("status"),
        text("next"),
        names.join(", ")
    )
}

/// A path can hold anything; a line of the index stays one line.
fn plain(text: &str) -> String {
    text.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect()
}
