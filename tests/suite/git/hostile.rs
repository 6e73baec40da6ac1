//! Repositories whose configuration, attributes, refs or objects try to bend a fact.

use super::{blob, changed, check_fails, commit_tree, facts, lines, open, raw_tree, start, told};
use crate::suite::support::Repo;
use agent_acceptance::error::Kind;
use agent_acceptance::facts::{FileAt, PathRule, Plan};
use std::path::PathBuf;

const BIG: &[&str] = &["src/big.js Added +500 -0"];

/// Commits 500 new lines on `pr`.
fn big(repo: &Repo) {
    repo.write("src/big.js", lines("big", 500)).commit("Big");
}

#[track_caller]
fn check(repo: &Repo) {
    assert_eq!(told(&changed(repo).expect("a change")), BIG);
}

#[test]
fn attributes_and_drivers_have_no_say() {
    let repo = start();
    repo.checkout("main").write(".gitattributes", "* diff=x -text\n*.js binary\n").commit("Attributes");
    repo.git(&["branch", "--force", "pr"]);
    repo.checkout("pr");
    for (key, value) in [
        ("diff.x.binary", "true"),
        ("diff.x.textconv", "touch pwned; echo"),
        ("diff.x.command", "touch pwned;"),
        ("diff.external", "touch pwned;"),
        ("core.attributesFile", ".gitattributes"),
        ("core.bigFileThreshold", "1"),
        ("diff.relative", "true"),
        ("diff.orderFile", "nowhere"),
        ("diff.algorithm", "patience"),
        ("diff.ignoreSubmodules", "all"),
        ("core.fsmonitor", "touch pwned"),
        ("core.hooksPath", "."),
        ("core.pager", "touch pwned"),
        ("core.sshCommand", "touch pwned"),
        ("uploadpack.packObjectsHook", "touch pwned;"),
        ("alias.diff-tree", "!touch pwned"),
        ("alias.cat-file", "!touch pwned"),
    ] {
        repo.git(&["config", key, value]);
    }
    std::fs::write(repo.file(".git/info/attributes"), "* -diff\n").expect("a file");
    repo.write("src/big.js", lines("big", 500));
    let tree = {
        // Committed by plumbing, as the configuration above would have the user's git fail.
        let object = blob(&repo, lines("big", 500).as_bytes());
        repo.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{object},src/big.js")]);
        repo.git(&["write-tree"])
    };
    commit_tree(&repo, &tree);
    // The user's own git obeys the configuration.
    let _ = std::fs::remove_file(repo.file("pwned"));
    check(&repo);
    assert!(!repo.file("pwned").exists() && !repo.file("src/pwned").exists());
}

#[test]
fn a_nul_byte_hides_no_line() {
    let repo = start();
    repo.write("src/big.js", format!("/*\0*/\n{}", lines("big", 499))).commit("Big");
    check(&repo);
}

#[test]
fn replacements_and_grafts_have_no_say() {
    let repo = start();
    big(&repo);
    let object = repo.git(&["rev-parse", "HEAD:src/big.js"]);
    let head = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["replace", &object, &blob(&repo, b"tiny\n")]);
    std::fs::write(repo.file(".git/info/grafts"), format!("{} {head}\n", repo.git(&["rev-parse", "main"])))
        .expect("a file");
    check(&repo);
}

#[test]
fn a_planted_shallow_file_hides_no_history() {
    let repo = start();
    big(&repo);
    std::fs::write(repo.file(".git/shallow"), repo.git(&["rev-parse", "HEAD"]) + "\n").expect("a file");
    check(&repo);
}

/// Puts other content under an object's name.
fn forge(repo: &Repo, victim: &str, other: &str) {
    let place = |object: &str| -> PathBuf { repo.file(&format!(".git/objects/{}/{}", &object[..2], &object[2..])) };
    let content = std::fs::read(place(other)).expect("a loose object");
    std::fs::remove_file(place(victim)).expect("a loose object");
    std::fs::write(place(victim), content).expect("a forged object");
}

#[test]
fn forged_objects_are_found() {
    // At head, at the merge base, a tree, and a commit in between.
    let tiny = |repo: &Repo| blob(repo, b"tiny\n");
    let repo = start();
    big(&repo);
    forge(&repo, &repo.git(&["rev-parse", "HEAD:src/big.js"]), &tiny(&repo));
    check_fails(changed(&repo), Kind::ObjectUnreadable, "hash differs");

    let repo = start();
    repo.write("src/app.js", lines("app", 300)).commit("Change");
    let almost = blob(&repo, lines("app", 299).as_bytes());
    forge(&repo, &repo.git(&["rev-parse", "main:src/app.js"]), &almost);
    check_fails(changed(&repo), Kind::ObjectUnreadable, "hash differs");

    let repo = start();
    big(&repo);
    forge(&repo, &repo.git(&["rev-parse", "HEAD:src"]), &repo.git(&["rev-parse", "main:src"]));
    check_fails(changed(&repo), Kind::ObjectUnreadable, "hash differs");

    let repo = start();
    big(&repo);
    let middle = repo.git(&["rev-parse", "HEAD"]);
    repo.write("src/app.js", lines("app", 11)).commit("Small");
    let twin = repo.git(&["commit-tree", "HEAD~1^{tree}", "-m", "no parent"]);
    repo.checkout("main").write("m", "m\n").commit("Base moves on");
    forge(&repo, &middle, &twin);
    check_fails(changed(&repo), Kind::ObjectUnreadable, "hash differs");
}

#[test]
fn a_missing_object_is_told_and_never_fetched() {
    let repo = start();
    big(&repo);
    let object = repo.git(&["rev-parse", "HEAD:src/big.js"]);
    std::fs::remove_file(repo.file(&format!(".git/objects/{}/{}", &object[..2], &object[2..]))).expect("an object");
    for (key, value) in [
        ("extensions.partialClone", "origin"),
        ("remote.origin.promisor", "true"),
        ("remote.origin.url", "."),
        ("remote.origin.uploadpack", "touch pwned; git-upload-pack"),
    ] {
        repo.git(&["config", key, value]);
    }
    repo.git(&["config", "core.repositoryFormatVersion", "1"]);
    check_fails(changed(&repo), Kind::ObjectUnreadable, &object);
    assert!(!repo.file("pwned").exists());
}

#[test]
fn malformed_trees_are_refused() {
    let entries: [(&str, &[(&str, &str)]); 4] = [
        ("duplicate", &[("100644", "dup.js"), ("100644", "dup.js")]),
        ("own folder", &[("100644", ".GIT")]),
        ("elsewhere", &[("100644", "..")]),
        ("sorted", &[("100644", "b"), ("100644", "a")]),
    ];
    for (words, names) in entries {
        let repo = start();
        let object = blob(&repo, b"ok\n");
        let inner =
            raw_tree(&repo, &names.iter().map(|(mode, name)| (*mode, *name, object.as_str())).collect::<Vec<_>>());
        let source = repo.git(&["rev-parse", "main:src"]);
        let readme = repo.git(&["rev-parse", "main:README.md"]);
        let root =
            raw_tree(&repo, &[("100644", "README.md", &readme), ("40000", "src", &source), ("40000", "zz", &inner)]);
        let commit = commit_tree(&repo, &root);
        check_fails(changed(&repo), Kind::ObjectUnreadable, words);
        let dir = tempfile::tempdir().expect("a folder");
        let dest = dir.path().join("clone");
        check_fails(open(repo.path()).checkout_into(&commit, &dest), Kind::ObjectUnreadable, words);
        assert!(!dest.exists());
    }
}

#[test]
fn trees_that_hold_each_other_many_times_end() {
    let repo = start();
    let object = blob(&repo, b"x\n");
    let names: Vec<String> = (100..300).map(|number| format!("f{number}")).collect();
    let mut tree =
        raw_tree(&repo, &names.iter().map(|name| ("100644", name.as_str(), object.as_str())).collect::<Vec<_>>());
    for _ in 0..8 {
        tree = raw_tree(&repo, &names.iter().map(|name| ("40000", name.as_str(), tree.as_str())).collect::<Vec<_>>());
    }
    let commit = commit_tree(&repo, &tree);
    check_fails(changed(&repo), Kind::ObjectUnreadable, "more than");
    check_fails(open(repo.path()).tree(&commit), Kind::ObjectUnreadable, "more than");
}

#[test]
fn what_lies_in_the_work_tree_is_no_fact() {
    let repo = start();
    repo.write(".gitignore", "out/\n").commit("Change");
    repo.write("src/app.js", "REGRESSION TEST\n").write("out/t.js", "it works\n").write("new.js", "untracked\n");
    let rules = ["src/app.js", "out/t.js", "new.js"].map(PathRule::literal).to_vec();
    let found = facts(&repo, &Plan { contents: rules, ..Plan::default() }).expect("facts");
    let contents = found.contents.get().expect("contents");
    let app = FileAt::Text { text: lines("app", 10) };
    assert_eq!(
        contents.iter().map(|content| content.at.clone()).collect::<Vec<_>>(),
        [FileAt::NoFile, FileAt::NoFile, app]
    );
}
