//! What the README says is true: its story, its commands, its tables.

use super::generated::compare;
use super::support::story::story;
use super::support::{Tool, node_modules};
use agent_acceptance::exit::Exit;
use agent_acceptance::facts::Channel;
use agent_acceptance::{contract, runners};

fn readme() -> String {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    text.replace("\r\n", "\n")
}

/// Returns the bodies of the fenced blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    let parts = text.split(fence.as_str()).skip(1);
    parts.map(|part| part.split("```").next().unwrap_or_default().to_owned()).collect()
}

/// Returns whether a text has these lines in this order; `...` stands for anything, in a line or between lines.
fn matches(expected: &str, found: &str) -> bool {
    let pattern: String = expected.split("...").map(regex::escape).collect::<Vec<_>>().join("(?s:.*)");
    regex::Regex::new(&format!("^{pattern}$")).expect("a pattern").is_match(found)
}

#[test]
fn the_story_is_what_the_tool_prints() {
    let Some(modules) = node_modules("vitest3") else { return };
    let repo = story(&readme(), Some(&modules));
    repo.checkout("claim");
    for block in blocks(&readme(), "console") {
        let (command, expected) = block.split_once('\n').expect("a command and its output");
        let args = command.strip_prefix("$ agent-acceptance ").expect("a command").split_whitespace();
        let answer = Tool::new(repo.path(), args).run();
        assert!(matches(expected, &answer.stdout), "expected:\n{expected}\nfound:\n{}", answer.stdout);
    }
}

#[test]
fn its_commands_can_be_run() {
    let repo = story(&super::support::story::static_contract(), None);
    repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    repo.checkout("honest");
    let scripts = blocks(&readme(), "sh");
    assert!(scripts.len() >= 2);
    for line in scripts.iter().flat_map(|script| script.lines()).filter(|line| line.starts_with("agent-acceptance ")) {
        Tool::new(repo.path(), line.split_whitespace().skip(1)).run().code(0);
    }
    assert!(repo.file("verdict.json").is_file() && repo.file("verdict.md").is_file());
}

#[test]
fn it_holds_a_contract() {
    assert!(matches!(contract::read(readme().as_bytes()), contract::Reading::Valid(_)));
    assert!(blocks(&readme(), "acceptance")[0].lines().count() <= 20, "the first contract that people see is short");
}

#[test]
fn its_exit_codes_are_all_there_are() {
    let section =
        readme().split("## Exit codes").nth(1).expect("a section").split("\n## ").next().expect("text").to_owned();
    let told: Vec<u8> = section.lines().filter_map(|line| line.split('|').nth(1)?.trim().parse().ok()).collect();
    let all = [
        Exit::Passed,
        Exit::Failed,
        Exit::Usage,
        Exit::Unchecked,
        Exit::CouldNotCheck,
        Exit::AttemptsUsedUp,
        Exit::Bug,
        Exit::Interrupted,
    ];
    assert_eq!(told, all.map(Exit::code));
}

#[test]
fn its_table_of_runners_is_the_codes_own() {
    const START: &str = "<!-- runners: written by a test -->\n";
    const END: &str = "<!-- runners end -->";
    let mut table = vec!["| runner | written as | results | also seen | limits |\n|---|---|---|---|---|\n".to_owned()];
    for runner in runners::ALL {
        let about = runner.about();
        let forms: Vec<String> = about.forms.iter().map(|form| format!("`{form}`")).collect();
        let channel = match about.channel {
            Channel::Private => "private channel",
            Channel::ReportFile => "report file",
        };
        let row =
            [runner.name(), &forms.join(", "), channel, about.seen, about.limits].map(|cell| cell.replace('|', "\\|"));
        table.push(format!("| {} |\n", row.join(" | ")));
    }
    let table = table.concat();
    let readme = readme();
    let (before, rest) = readme.split_once(START).expect("the table's place");
    let (_, after) = rest.split_once(END).expect("the table's end");
    compare("README.md", format!("{before}{START}\n{table}\n{END}{after}").as_bytes());
}

#[test]
fn its_flags_exist() {
    use clap::CommandFactory as _;
    let root = agent_acceptance::cli::Cli::command();
    let known: Vec<String> = std::iter::once(&root)
        .chain(root.get_subcommands())
        .flat_map(clap::Command::get_arguments)
        .filter_map(|arg| arg.get_long().map(|long| format!("--{long}")))
        .collect();
    let flag = regex::Regex::new(r"`[^`\n]*?(--[a-z][a-z-]+)").expect("a pattern");
    let own = ["--path", "--test", "--test-dir", "--preset"];
    for found in flag.captures_iter(&readme()) {
        assert!(known.contains(&found[1].to_owned()) || own.contains(&&found[1]), "{} is no flag", &found[1]);
    }
}

#[test]
fn the_page_on_adding_a_runner_names_files_that_are_there() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/adding-a-runner.md")).expect("the page");
    let named: Vec<&str> =
        page.split('`').filter(|text| ["src/", "tests/", ".ci/"].iter().any(|start| text.starts_with(start))).collect();
    assert!(named.len() >= 12, "{named:?}");
    for path in named.into_iter().filter(|path| !path.contains("toytest") && !path.contains("RUNNER")) {
        assert!(root.join(path).exists(), "{path}");
    }
}
