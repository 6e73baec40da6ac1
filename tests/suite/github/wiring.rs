//! `--issue`, `--pr` and the event of GitHub Actions, through the whole tool.

use super::mock::mock;
use crate::suite::support::{Answer, Repo, Tool};

/// A repository in which one line was added to one file.
fn repo() -> Repo {
    let repo = Repo::new();
    repo.write("a.txt", "1\n").commit("First");
    repo.branch("topic").write("a.txt", "1\n2\n").commit("Second");
    repo
}

fn run(repo: &Repo, scenario: &str, token: &str, args: &[&str]) -> Option<Answer> {
    let mock = mock()?;
    let tool = Tool::new(repo.path(), args).env("GITHUB_API_URL", mock.base(scenario)).env("GITHUB_REPOSITORY", "o/r");
    Some(tool.env("GH_TOKEN", token).run())
}

#[test]
fn a_contract_from_github_is_judged_or_refused_with_its_exit_code() {
    if mock().is_none() {
        return;
    }
    let repo = repo();
    for (scenario, token, args, code, told) in [
        ("plain", "t", &["check", "--base", "main", "--issue", "12"][..], 0, "contract  o/r#12, by alice (MEMBER)"),
        ("plain", "", &["check", "--base", "main", "--issue", "12"], 0, "edits unknown"),
        ("plain", "", &["check", "--base", "main", "--issue", "12", "--require-edit-history"], 4, "edits of o/r#12"),
        ("plain", "t", &["check", "--base", "main", "--issue", "o/r#12"], 0, "PASSED"),
        ("plain", "t", &["check", "--base", "main", "--issue", "13"], 3, "not trusted"),
        ("plain", "t", &["check", "--base", "main", "--issue", "13", "--allow-unchecked"], 3, "not trusted"),
        ("plain", "t", &["check", "--base", "main", "--issue", "13", "--trust-user", "passer-by"], 0, "PASSED"),
        (
            "plain",
            "t",
            &["check", "--base", "main", "--issue", "13", "--trust-associations", "none,member"],
            0,
            "PASSED",
        ),
        ("plain", "t", &["check", "--base", "main", "--issue", "12", "--trust-permission", "write"], 3, "not trusted"),
        ("plain", "t", &["check", "--base", "main", "--issue", "17"], 4, "mallory"),
        ("plain", "t", &["check", "--base", "main", "--issue", "26"], 3, "UNCHECKED"),
        ("plain", "t", &["check", "--base", "main", "--issue", "26", "--allow-unchecked"], 0, "UNCHECKED"),
        ("plain", "t", &["check", "--base", "main", "--issue", "34"], 4, "pull request"),
        ("plain", "t", &["check", "--base", "main", "--issue", "99"], 4, "o/r#99"),
        ("plain", "t", &["check", "--base", "main", "--pr", "34"], 0, "PASSED"),
        ("plain", "t", &["check", "--base", "main", "--pr", "35"], 2, "--issue o/r#12 or --issue o/r#16"),
        ("plain", "t", &["check", "--base", "main", "--pr", "34"], 0, "o/r#34 proposes bbbbbbb"),
        ("plain", "t", &["check", "--base", "main", "--pr", "36"], 3, "code, a comment or a quotation"),
        ("plain", "", &["check", "--base", "main", "--pr", "36"], 3, "description: Fixes o/r#12"),
        ("plain", "t", &["check", "--base", "main", "--pr", "37"], 3, "--issue mallory/own#27"),
        ("plain", "t", &["check", "--base", "main", "--pr", "38"], 3, "--issue o/r#12"),
        ("plain", "t", &["check", "--base", "main", "--pr", "41"], 3, "Fixes #N"),
        ("plain", "t", &["check", "--base", "main", "--pr", "43"], 0, "waiting 2 s for GitHub"),
        ("plain", "t", &["check", "--base", "main", "--pr", "43", "--max-wait", "0"], 0, "PASSED"),
        ("plain", "t", &["check", "--base", "main", "--pr", "44"], 4, "mallory"),
        ("plain", "t", &["check", "--base", "main", "--pr", "45"], 3, "never a contract"),
        ("plain", "t", &["check", "--base", "main", "--pr", "37"], 3, "in another repository"),
        ("plain", "t", &["check", "--base", "main", "--pr", "38"], 3, "default branch"),
        ("plain", "t", &["check", "--base", "main", "--pr", "39"], 4, "which issues"),
        ("plain", "t", &["check", "--base", "main", "--issue", "12", "--pr", "34"], 2, "cannot be used with"),
        ("plain", "t", &["check", "--base", "main", "--issue", "x"], 2, "not the number"),
        ("plain", "t", &["check", "--base", "main", "--pr", "https://github.com/o/r/issues/12"], 2, "--issue"),
        ("plain", "t", &["parse", "--issue", "12"], 0, "sha256:"),
        ("plain", "t", &["explain", "--base", "main", "--pr", "34"], 0, "o/r#12"),
        ("limited", "t", &["check", "--base", "main", "--issue", "12"], 4, "for the token in GH_TOKEN"),
        ("unauthorized", "secret-token", &["check", "--base", "main", "--issue", "12"], 4, "does not know this token"),
    ] {
        let answer = run(&repo, scenario, token, args).expect("the mock runs").code(code);
        let all = format!("{}{}", answer.stdout, answer.stderr);
        assert!(all.contains(told), "{args:?} does not say {told:?}:\n{all}");
        assert!(!all.contains("secret-token"), "{args:?} shows the token");
    }
}

#[test]
fn a_github_flag_without_a_contract_on_github_is_a_usage_error() {
    let repo = repo();
    repo.write("contract.md", super::scenarios::CONTRACT);
    let answer = Tool::new(repo.path(), ["check", "contract.md", "--base", "main", "--trust-user", "x"]).run().code(2);
    assert!(answer.stderr.contains("--trust-user"), "{}", answer.stderr);
}

#[test]
fn a_pinned_contract_counts_whoever_edited_it_and_no_other_does() {
    if mock().is_none() {
        return;
    }
    let repo = repo();
    let parsed =
        run(&repo, "plain", "t", &["parse", "--issue", "12", "--format", "json"]).expect("the mock runs").json();
    let digest = parsed["contract"]["digest"].as_str().expect("a digest").to_owned();
    let other = format!("sha256:{}", "0".repeat(64));
    for (source, pin, code, told) in [
        (["--issue", "17"], &digest, 0, "--expect-digest names"),
        (["--pr", "44"], &digest, 0, "pinned"),
        (["--issue", "17"], &other, 4, "mallory"),
        (["--issue", "12"], &other, 4, "not the contract that was expected"),
        (["--issue", "13"], &digest, 3, "not trusted"),
        (["--issue", "26"], &digest, 4, "one was expected"),
        (["--pr", "41"], &digest, 4, "one was expected"),
    ] {
        let args = [&["check", "--base", "main", "--expect-digest", pin], &source[..]].concat();
        let answer = run(&repo, "plain", "t", &args).expect("the mock runs").code(code);
        let all = format!("{}{}", answer.stdout, answer.stderr);
        assert!(all.contains(told), "{source:?} {pin} does not say {told:?}:\n{all}");
    }
}

#[test]
fn a_bare_number_is_looked_for_where_the_nearest_word_says() {
    let Some(mock) = mock() else { return };
    let repo = repo();
    repo.git(&["remote", "add", "origin", "https://github.com/in/origin.git"]);
    let flag = ["--repo", "in/flag"];
    let variables = [("GH_REPO", "github.com/in/gh-repo"), ("GITHUB_REPOSITORY", "in/actions")];
    for (flag, variables, expected) in [
        (&flag[..], &variables[..], "in/flag#9"),
        (&[], &variables, "in/gh-repo#9"),
        (&[], &variables[1..], "in/actions#9"),
        (&[], &[], "in/origin#9"),
    ] {
        let tool = Tool::new(repo.path(), [&["parse", "--issue", "9"], flag].concat());
        let tool = tool.env("GITHUB_API_URL", mock.base("plain")).env("GH_TOKEN", "t");
        let answer = variables.iter().fold(tool, |tool, (name, value)| tool.env(name, value)).run().code(4);
        assert!(answer.stderr.contains(expected), "{flag:?} {variables:?}: {answer:?}");
    }
    repo.git(&["remote", "add", "upstream", "git@github.com:in/upstream.git"]);
    let tool = Tool::new(repo.path(), ["parse", "--issue", "9"]).env("GITHUB_API_URL", mock.base("plain"));
    let answer = tool.env("GH_TOKEN", "t").run().code(4);
    assert!(answer.stderr.contains("in/upstream#9"), "a fork's issues are upstream: {answer:?}");
}
