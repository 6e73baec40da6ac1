//! Completions, man pages and the contract's JSON Schema are committed, so that reviewers see every change of
//! the interface in a diff and packagers find files. `BLESS=1 cargo test generated` writes them anew.

use agent_acceptance::cli::Cli;
use clap::CommandFactory as _;
use clap_complete::{Shell, generate};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns the tool's command with a version that no release changes.
fn command() -> clap::Command {
    Cli::command()
}

#[track_caller]
pub fn compare(path: &str, expected: &[u8]) {
    let file = root().join(path);
    #[expect(clippy::disallowed_methods, reason = "a maintainer asks for new files with it")]
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        std::fs::write(&file, expected).expect("a file");
    }
    // A checkout on Windows may have other line ends.
    let committed = std::fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    let expected = String::from_utf8_lossy(expected);
    assert!(committed == expected, "{path} is not up to date: run BLESS=1 cargo test");
}

#[test]
fn completions_are_up_to_date() {
    for (shell, file) in [
        (Shell::Bash, "agent-acceptance.bash"),
        (Shell::Zsh, "_agent-acceptance"),
        (Shell::Fish, "agent-acceptance.fish"),
        (Shell::PowerShell, "_agent-acceptance.ps1"),
        (Shell::Elvish, "agent-acceptance.elv"),
    ] {
        let mut script = Vec::new();
        generate(shell, &mut command(), "agent-acceptance", &mut script);
        compare(&format!("completions/{file}"), &script);
    }
}

#[test]
fn man_pages_are_up_to_date() {
    let mut root = command();
    root.build();
    let mut pages = vec![(root.get_name().to_owned(), root.clone())];
    for sub in root.get_subcommands().filter(|sub| sub.get_name() != "help") {
        pages.push((format!("agent-acceptance-{}", sub.get_name()), sub.clone()));
    }
    for (name, command) in pages {
        let mut page = Vec::new();
        // A name is what `man` finds it by; the date would change every day.
        let man = clap_mangen::Man::new(command.name(name.clone().leak() as &'static str)).date("");
        man.render(&mut page).expect("a page is rendered into memory");
        compare(&format!("man/{name}.1"), &page);
    }
}

#[test]
fn the_schema_of_contracts_is_up_to_date() {
    let schema = serde_json::to_string_pretty(&agent_acceptance::contract::json_schema()).expect("JSON");
    compare("docs/contract.schema.json", format!("{schema}\n").as_bytes());
}

#[test]
fn help_texts_are_imperative_lines_without_a_full_stop() {
    let root = command();
    let commands = std::iter::once(&root).chain(root.get_subcommands());
    for command in commands {
        for arg in command.get_arguments() {
            let name = format!("{} --{}", command.get_name(), arg.get_id());
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            assert!(help.starts_with(|c: char| c.is_uppercase()), "{name}: {help:?} starts small or is missing");
            assert!(!help.ends_with('.') && !help.contains('\n'), "{name}: {help:?} is not one line without full stop");
            assert!(help.len() < 110, "{name}: {help:?} is long");
            let is_switch_or_verb = !help.starts_with("The ") && !help.starts_with("A ");
            assert!(is_switch_or_verb || arg.is_positional(), "{name}: {help:?} says what it is, not what it does");
        }
    }
}

#[test]
fn short_letters_are_used_once() {
    for command in command().get_subcommands() {
        let shorts: Vec<char> = command.get_arguments().filter_map(clap::Arg::get_short).collect();
        let mut once = shorts.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), shorts.len(), "{}", command.get_name());
    }
}
