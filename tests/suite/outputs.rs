//! Where reports go: files, pipes, full disks, GitHub Actions; and that none is lost silently.

use super::support::Tool;
use super::support::story::{static_contract, story};
use std::path::Path;

const CHECK: [&str; 4] = ["check", "issue.md", "--base", "main"];

fn tool(folder: &Path, more: &[&str]) -> Tool {
    Tool::new(folder, CHECK.iter().chain(more))
}

#[test]
fn reports_are_written_in_every_form_at_once() {
    let repo = story(&static_contract(), None);
    repo.checkout("claim");
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str| folder.path().join(name);
    let further = |format: &str| format!("{format}={}", file(format).display());
    let args =
        ["--output", file("main").to_str().expect("text"), "--report", &further("json"), "--report", &further("hook")]
            .map(str::to_owned);
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let answer = tool(repo.path(), &args).run().code(1);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", ""));
    let read = |name: &str| std::fs::read_to_string(file(name)).expect("a report");
    assert!(read("main").ends_with("acceptance: FAILED, 3 of 4 checks do not hold\n"));
    assert!(read("json").contains("\"status\": \"failed\"") && read("hook").contains("\"decision\":\"block\""));
    assert!(!read("main").contains('\u{1b}'), "colours do not belong into a file");
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 3, "something was left behind");
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_and_leaves_the_old_one() {
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_str().expect("text");
    for more in [["--output", path].map(str::to_owned), ["--report".to_owned(), format!("json={path}/missing/file")]] {
        let answer = tool(repo.path(), &[&more[0], &more[1]]).run().code(4);
        assert!(answer.stderr.contains("failed to write"), "{answer:?}");
    }
    let two = tool(repo.path(), &["--output", "x", "--report", "json=x"]).run();
    assert_eq!(two.code, 2, "{two:?}");
}

#[test]
fn relative_files_are_taken_from_the_folder_that_is_worked_in() {
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    let elsewhere = tempfile::tempdir().expect("a folder");
    let there = repo.path().to_str().expect("text");
    let args = ["-C", there, "check", "issue.md", "--base", "main", "--output", "main.txt", "--report", "json=x.json"];
    Tool::new(elsewhere.path(), args).run().code(0);
    for name in ["main.txt", "x.json"] {
        assert!(repo.path().join(name).exists(), "{name}");
    }
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("the folder").count(), 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_no_pass() {
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    for more in [["--output", "/dev/full"], ["--report", "json=/dev/full"]] {
        let answer = tool(repo.path(), &more).run().code(4);
        assert!(answer.stderr.contains("failed to write `/dev/full`"), "{answer:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_written_file_keeps_its_permissions_and_a_link_its_target() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    let folder = tempfile::tempdir().expect("a folder");
    let (file, link) = (folder.path().join("file"), folder.path().join("link"));
    std::fs::write(&file, "old").expect("a file");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).expect("permissions");
    std::os::unix::fs::symlink(&file, &link).expect("a link");
    tool(repo.path(), &["--output", link.to_str().expect("text")]).run().code(0);
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&file).expect("a report").contains("acceptance: PASSED"));
    assert_eq!(std::fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640);
}

#[test]
fn colours_are_for_terminals_and_those_who_ask() {
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    for (more, variable, is_coloured) in [
        (&[][..], None, false),
        (&["--color", "always"], None, true),
        (&[], Some(("CLICOLOR_FORCE", "1")), true),
        (&["--format", "json", "--color", "always"], None, false),
        (&[], Some(("NO_COLOR", "1")), false),
    ] {
        let tool = tool(repo.path(), more);
        let tool = match variable {
            Some((name, value)) => tool.env(name, value),
            None => tool,
        };
        let answer = tool.run().code(0);
        assert_eq!(answer.stdout.contains('\u{1b}'), is_coloured, "{more:?} {variable:?}");
    }
}

#[test]
fn quiet_is_quiet_and_a_closed_reader_is_no_error() {
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    let answer = tool(repo.path(), &["-q"]).run().code(0);
    assert_eq!((answer.stdout.as_str(), answer.stderr.as_str()), ("", ""));
    repo.checkout("claim");
    let answer = tool(repo.path(), &["-q"]).run().code(1);
    assert!(!answer.stdout.contains("max_added_lines") && answer.stdout.contains("FAILED"), "{answer:?}");
}

#[test]
fn alone_it_says_what_it_can_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let answer = Tool::new(folder.path(), [] as [&str; 0]).run().code(2);
    assert!(answer.stdout.is_empty() && answer.stderr.contains("check --demo"), "{answer:?}");
    let answer = Tool::new(folder.path(), ["check"]).run().code(2);
    assert!(answer.stderr.starts_with("error: no contract was named\n  next      name one:\n"), "{answer:?}");
    let answer = Tool::new(folder.path(), ["--help"]).run().code(0);
    assert!(answer.stdout.contains("Exit codes:"), "{answer:?}");
}

#[test]
fn github_actions_is_told_without_being_commanded() {
    let repo = story(&static_contract(), None);
    repo.checkout("claim");
    repo.write("src/::error::x.ts", "x\n").write("%0A::warning::y", "y\n").commit("Hostile names");
    let folder = tempfile::tempdir().expect("a folder");
    let (summary, outputs) = (folder.path().join("summary"), folder.path().join("outputs"));
    std::fs::write(&summary, "before\n").expect("a file");
    let run = |more: &[&str]| {
        tool(repo.path(), more)
            .env("GITHUB_ACTIONS", "true")
            .env("GITHUB_STEP_SUMMARY", &summary)
            .env("GITHUB_OUTPUT", &outputs)
            .run()
            .code(1)
    };
    let human = run(&[]);
    let commands: Vec<&str> = human.stdout.lines().filter(|line| line.trim_start().starts_with("::")).collect();
    assert!(commands.iter().all(|line| line.starts_with("::error ")), "{commands:?}");
    assert!(commands.iter().any(|line| line.contains("file=README.md,title=changed_files_only::")), "{commands:?}");
    let told = std::fs::read_to_string(&summary).expect("a summary");
    assert!(told.starts_with("before\nAcceptance: 1/4 checks passed"), "{told}");
    let told = std::fs::read_to_string(&outputs).expect("outputs");
    assert!(told.starts_with("status=failed\npassed=1\nfailed=3\ndigest=sha256:"), "{told}");
    let json = run(&["--format", "json"]);
    assert!(json.json()["checks"].is_array() && json.stderr.contains("::error "), "{json:?}");
}

#[test]
fn usage_errors_say_what_to_do() {
    let repo = story(&static_contract(), None);
    for (args, next) in [
        ("check issue.md --setup x", "add one of them, or leave out --setup"),
        ("check issue.md --max-attempts 3", "add --record FOLDER"),
        ("check issue.md --trust-user x", "name one of them, or leave out --trust-user"),
        ("check issue.md --pass-env A=1", "write the name as in --pass-env DATABASE_URL"),
        ("check - --artifact a.json=-", "write the others into files, and name these"),
        ("check --demo --format json", "run it alone: agent-acceptance check --demo"),
        ("-C none check issue.md", "name a folder that is there and can be read"),
        ("check issue.md --nonsense", "see all flags with --help"),
        ("explain issue.md --format hook", "take --format human, json or markdown, or run check"),
        ("parse issue.md --report hook=x", "take --format human, json or markdown, or run check"),
    ] {
        let hook = args.ends_with("hook");
        let answer = Tool::new(repo.path(), args.split(' ')).run().code(if hook { 0 } else { 2 });
        assert!([answer.stdout, answer.stderr].concat().contains(next), "{args}");
    }
    let answer = tool(repo.path(), &[]).env("AGENT_ACCEPTANCE_STRICT", "perhaps").run().code(2);
    assert!(answer.stderr.contains("set it to true or false, or unset it"), "{answer:?}");
}
