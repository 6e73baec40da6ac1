//! `check` from end to end on real repositories: outcomes, exit codes, and what ends without a verdict.

use super::support::story::{static_contract, story};
use super::support::{Repo, Tool, node_modules};
use serde_json::Value;

/// Returns the checks of a JSON report that do not hold.
fn failing(report: &Value) -> Vec<String> {
    let checks = report["checks"].as_array().expect("checks");
    let failing = checks.iter().filter(|check| check["ok"] == false);
    failing.map(|check| check["check"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_story_ends_as_it_should() {
    let Some(modules) = node_modules("vitest3") else { return };
    let readme = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md")).expect("README.md");
    let repo = story(&readme, Some(&modules));
    repo.checkout("claim");
    let claim = Tool::new(repo.path(), ["check", "issue.md", "--base", "main", "--format", "json"]).run().code(1);
    assert_eq!(
        failing(&claim.json()),
        ["changed_files_only", "changed_files_required", "file_contains", "tests"],
        "{}",
        claim.stdout
    );
    repo.checkout("honest");
    let honest = Tool::new(repo.path(), ["check", "issue.md", "--base", "main", "--format", "markdown"]).run().code(0);
    let first = honest.stdout.lines().next();
    assert_eq!(first, Some("Acceptance: 6/6 checks passed (re-run by the checker, not reported by the author)."));
    assert!(
        honest.stdout.contains(
            "- ✅ `tests` — npx vitest run tests/slugify.test.ts: exit 0, 4 passed, 0 failed (expected 4 passed)"
        ),
        "{}",
        honest.stdout
    );
}

#[test]
fn every_way_to_end_has_its_code_and_one_json_document() {
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    repo.write("empty.md", "").write("plain.md", "No contract here.\n").write("binary.md", b"```acceptance\n\0\n```");
    repo.write("latin.md", b"caf\xe9\n").write("large.md", vec![b'x'; 2 << 20]).write("folder/x", "");
    repo.write("typo.md", "```acceptence\n{\"max_added_lines\": 1}\n```\n");
    repo.write("two.md", "```acceptance\n{\"max_added_lines\": 1}\n```\n\n```acceptance\n{}\n```\n");
    repo.git(&["checkout", "--quiet", "--orphan", "unrelated"]);
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "Unrelated", "--no-verify"]);
    repo.git(&["checkout", "--quiet", "--force", "honest"]);
    for (args, code, kind) in [
        ("issue.md --base main", 0, ""),
        ("issue.md --base main --head claim", 1, ""),
        ("issue.md --base main --nonsense", 2, "usage"),
        ("", 2, "no_contract_named"),
        ("issue.md --base main --head=", 2, "usage"),
        ("typo.md --base main", 2, "contract_invalid"),
        ("two.md --base main", 2, "contract_invalid"),
        ("binary.md --base main", 2, "contract_invalid"),
        ("latin.md --base main", 2, "contract_invalid"),
        ("large.md --base main", 2, "contract_invalid"),
        ("plain.md --base main", 3, ""),
        ("empty.md --base main", 3, ""),
        ("plain.md --base main --allow-unchecked", 0, ""),
        ("missing.md --base main", 4, "contract_not_found"),
        ("folder --base main", 4, "contract_not_found"),
        ("issue.md --base nowhere", 4, "ref_unknown"),
        ("issue.md --base unrelated", 4, "no_merge_base"),
        ("issue.md --base main --head main", 1, ""),
        ("issue.md --base=--output=x", 4, "ref_unknown"),
        ("issue.md", 2, "usage"),
    ] {
        let args = ["check"].into_iter().chain(args.split_whitespace()).chain(["--format", "json"]);
        let args: Vec<&str> = args.collect();
        let answer = Tool::new(repo.path(), &args).run();
        let report = answer.json();
        assert_eq!((answer.code, report["exit_code"].as_i64()), (code, Some(i64::from(code))), "{args:?} {answer:?}");
        assert_eq!(report["error"]["kind"].as_str().unwrap_or_default(), kind, "{args:?}");
        let act = report["error"]["act"].as_str();
        assert_eq!(act.is_some(), !kind.is_empty(), "{args:?}");
        assert_eq!(answer.stderr, "", "{args:?}");
    }
}

#[test]
fn an_empty_change_passes_nothing() {
    let repo = Repo::new();
    let contract = "```acceptance\n{\"max_added_lines\": 5, \"max_changed_files\": 2}\n```\n";
    repo.write("issue.md", contract).commit("Start");
    let answer = Tool::new(repo.path(), ["check", "issue.md", "--base", "main"]).run().code(4);
    assert!(
        answer.stdout.ends_with("acceptance: ERROR, could not check: the change is empty (exit 4)\n"),
        "{answer:?}"
    );
    let hook = Tool::new(repo.path(), ["check", "issue.md", "--base", "main", "--format", "hook"]).run().code(0);
    assert_eq!(hook.json()["decision"], "block");
}

#[test]
fn there_must_be_a_repository_with_commits() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("issue.md"), static_contract()).expect("a file");
    let args = ["check", "issue.md", "--base", "main", "--format", "json"];
    let answer = Tool::new(folder.path(), args).env("GIT_CEILING_DIRECTORIES", folder.path()).run().code(4);
    assert_eq!(answer.json()["error"]["kind"], "not_a_repository");
    let repo = Repo::new();
    repo.write("issue.md", static_contract());
    Tool::new(repo.path(), args).run().code(4);
    let nowhere = Tool::new(repo.path(), args).env("PATH", folder.path()).run().code(4);
    assert_eq!(nowhere.json()["error"]["kind"], "git_unusable");
}

#[test]
fn a_change_does_not_write_its_own_contract() {
    let easy = "```acceptance\n{\"max_added_lines\": 1000}\n```\n";
    let repo = story(&static_contract(), None);
    repo.checkout("claim").write("issue.md", easy).write("mine.md", easy).commit("Make it easier");
    let edited = Tool::new(repo.path(), ["check", "issue.md", "--base", "main"]).run().code(1);
    assert!(edited.stdout.contains("the change edits issue.md; it is used as the merge base has it"), "{edited:?}");
    let own = Tool::new(repo.path(), ["check", "mine.md", "--base", "main", "--format", "json"]).run().code(4);
    assert_eq!(own.json()["error"]["kind"], "contract_self_written");
    let explained = Tool::new(repo.path(), ["explain", "mine.md", "--base", "main"]).run().code(0);
    assert!(explained.stdout.contains("check will refuse this"), "{explained:?}");
    std::fs::remove_file(repo.file("issue.md")).expect("the file was there");
    Tool::new(repo.path(), ["check", "issue.md", "--base", "main"]).run().code(1);
    repo.write("untracked.md", easy);
    let untracked = Tool::new(repo.path(), ["check", "untracked.md", "--base", "main"]).run().code(0);
    assert!(untracked.stdout.contains("untracked.md is not tracked"), "{untracked:?}");
}

#[cfg(unix)]
#[test]
fn a_link_of_the_change_leads_to_no_other_contract() {
    let easy = "```acceptance\n{\"max_added_lines\": 1000}\n```\n";
    let elsewhere = tempfile::tempdir().expect("a folder");
    std::fs::write(elsewhere.path().join("issue.md"), easy).expect("a file");
    let repo = Repo::new();
    repo.write("contracts/issue.md", "```acceptance\n{\"max_added_lines\": 0}\n```\n")
        .write("a", "1\n")
        .commit("Start");
    let change = repo.branch("change").write("a", "2\n").commit("Change");
    for link_folder in [true, false] {
        repo.git(&["reset", "--quiet", "--hard", &change]);
        std::fs::remove_file(repo.file("contracts/issue.md")).expect("the file was there");
        let (link, to) = if link_folder {
            (repo.file("contracts"), elsewhere.path().to_owned())
        } else {
            (repo.file("contracts/issue.md"), elsewhere.path().join("issue.md"))
        };
        let _ = std::fs::remove_dir(&link);
        std::os::unix::fs::symlink(to, link).expect("a link");
        repo.git(&["add", "--all"]);
        repo.git(&["commit", "--quiet", "-m", "Link", "--no-verify"]);
        let answer = Tool::new(repo.path(), ["check", "contracts/issue.md", "--base", "main"]).run();
        assert_eq!(answer.code, 1, "{answer:?}");
    }
}

#[test]
fn a_pinned_contract_is_the_only_one_taken() {
    let repo = story(&static_contract(), None);
    repo.checkout("honest");
    let parsed = Tool::new(repo.path(), ["parse", "issue.md", "--format", "json"]).run().code(0).json();
    let digest = parsed["contract"]["digest"].as_str().expect("a digest").to_owned();
    assert_eq!(parsed["contract"]["expect"], format!("--expect-digest {digest}"));
    let args = ["check", "issue.md", "--base", "main", "--expect-digest"];
    Tool::new(repo.path(), args.into_iter().chain([digest.as_str()])).run().code(0);
    let other = format!("sha256:{}", "0".repeat(64));
    Tool::new(repo.path(), args.into_iter().chain([other.as_str()])).run().code(4);
    Tool::new(repo.path(), args.into_iter().chain(["sha256:12"])).run().code(2);
    let stdin = Tool::new(repo.path(), ["check", "-", "--base", "main"]).stdin(static_contract()).run().code(0);
    assert!(stdin.stdout.starts_with("contract  stdin, "), "{stdin:?}");
}

#[test]
fn explain_tells_how_things_stand_and_judges_nothing() {
    let repo = story(&static_contract(), None);
    let told = Tool::new(repo.path(), ["explain", "issue.md", "--base", "main"]).run().code(0);
    assert!(told.stdout.contains("no commit yet"), "{told:?}");
    assert!(told.stdout.lines().last().expect("a line").starts_with("explain: 4 clauses: 0 met, "), "{told:?}");
    let json =
        Tool::new(repo.path(), ["explain", "issue.md", "--base", "main", "--format", "json"]).run().code(0).json();
    assert_eq!(json["explain"]["clauses"][1]["standing"], "not_met");
    assert_eq!(json["explain"]["plan"]["change"], true);
}

#[test]
fn the_demonstration_needs_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let answer = Tool::new(folder.path(), ["check", "--demo"]).run().code(0);
    let outcomes: Vec<&str> = answer.stdout.lines().filter(|line| line.starts_with("acceptance: ")).collect();
    assert_eq!(outcomes.len(), 2, "{answer:?}");
    assert!(outcomes[0].starts_with("acceptance: FAILED, ") && outcomes[1].starts_with("acceptance: PASSED, "));
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0, "something was left behind");
    Tool::new(folder.path(), ["check", "--demo", "--format", "json"]).run().code(2);
}

#[test]
fn facts_of_another_machine_are_bound_to_their_change() {
    let Some(modules) = node_modules("vitest3") else { return };
    let contract = static_contract().replace(
        "\"max_added_lines\"",
        "\"tests\": [{\"command\": \"npx vitest run\", \"passed\": 4}], \"max_added_lines\"",
    );
    let elsewhere = tempfile::tempdir().expect("a folder");
    let facts = elsewhere.path().join("facts.json");
    let facts = facts.to_str().expect("a path that is text");
    let repo = story(&contract, Some(&modules));
    repo.checkout("honest");
    let check = ["check", "issue.md", "--base", "main"];
    Tool::new(repo.path(), check.into_iter().chain(["--write-facts", facts])).run().code(0);
    std::fs::remove_file(repo.file("node_modules")).expect("the link was there");
    Tool::new(repo.path(), check).run().code(4);
    Tool::new(repo.path(), check.into_iter().chain(["--facts", facts])).run().code(0);
    let strict = Tool::new(repo.path(), check.into_iter().chain(["--strict", "--facts", facts])).run().code(4);
    assert!(strict.stderr.contains("were not strict"), "{strict:?}");
    let twice = Tool::new(repo.path(), check.into_iter().chain(["--facts", facts, facts])).run().code(4);
    assert!(twice.stderr.contains("two files hold the result of /tests/0"), "{twice:?}");
    repo.write("src/slugify.ts", "export const slugify = (s: string) => s;\n").commit("Break it");
    let other = Tool::new(repo.path(), check.into_iter().chain(["--facts", facts])).run().code(4);
    assert!(other.stderr.contains("are of another head"), "{other:?}");
}

#[test]
fn a_contract_that_hides_its_runner_is_told_what_stands_behind_the_script_at_the_merge_base() {
    let repo = Repo::new();
    repo.write("package.json", "{\"scripts\": {\"test\": \"vitest run --coverage\", \"ci\": \"./ci.sh\"}}\n");
    repo.write("a.js", "1\n").commit("base");
    repo.branch("pr")
        .write("package.json", "{\"scripts\": {\"test\": \"jest --coverage\"}}\n")
        .commit("another runner");
    for (command, expected) in [
        ("npm test", "write `npx vitest run --coverage`, which stands behind it in package.json at the merge base"),
        ("yarn ci", "at the merge base `./ci.sh` stands behind it; write the test runner's own command"),
        ("npm run none", "write the command that stands behind it at the merge base"),
    ] {
        let contract = format!("{{\"tests\": [{{\"command\": \"{command}\", \"passed\": 1}}]}}");
        let tool = Tool::new(repo.path(), ["check", "-", "--base", "main", "--format", "json"]).stdin(contract);
        let answer = tool.run().code(2);
        assert!(answer.stdout.contains(expected), "{command}: {}", answer.stdout);
    }
}
