//! Which files changed, how, and by how many lines.

use super::{changed, check_fails, facts, lines, open, start, told};
use crate::suite::support::Repo;
use agent_acceptance::error::Kind;
use agent_acceptance::facts::{AddedLinesWanted, FileKind, PathRule, Plan};

#[track_caller]
fn check(repo: &Repo, want: &[&str]) {
    assert_eq!(told(&changed(repo).expect("a change")), want);
}

#[test]
fn every_kind_of_change_is_told() {
    let repo = Repo::new();
    repo.write("gone.txt", "a\nb\n").write("mode.sh", "x\n").write("edit.txt", "1\n2\n3").write("dir/file", "d\n");
    repo.commit("Start");
    repo.branch("pr").remove("gone.txt").remove("dir/file").write("edit.txt", "1\n2\n3\n").write("dir/file/in", "n\n");
    repo.write("new.txt", lines("new", 3)).write("moved.txt", "a\nb\n");
    repo.git(&["add", "--all"]);
    repo.git(&["update-index", "--chmod=+x", "mode.sh"]);
    repo.git(&["commit", "--quiet", "-m", "Change"]);
    let want = [
        "dir/file Deleted +0 -1",
        "dir/file/in Added +1 -0",
        "edit.txt Modified +1 -1",
        "gone.txt Deleted +0 -2",
        "mode.sh ModeChanged +0 -0",
        "moved.txt Added +2 -0",
        "new.txt Added +3 -0",
    ];
    check(&repo, &want);
}

#[test]
fn links_and_submodules_are_changes_of_their_own_kind() {
    let repo = start();
    let pointer = repo.git(&["rev-parse", "HEAD"]);
    let link = super::blob(&repo, b"README.md");
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("120000,{link},README.md")]);
    repo.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{pointer},lib")]);
    repo.git(&["commit", "--quiet", "-m", "Links"]);
    let files = changed(&repo).expect("a change");
    assert_eq!(told(&files), ["README.md TypeChanged +1 -2", "lib Added +1 -0"]);
    assert_eq!(files.iter().map(|file| file.kind).collect::<Vec<_>>(), [FileKind::Symlink, FileKind::Submodule]);
    // Both sections of a file that became a link are read, and the submodule's pointer is no line.
    let plan = Plan { added_lines: vec![AddedLinesWanted { path: None }], ..Plan::default() };
    let facts = facts(&repo, &plan).expect("facts");
    let added = facts.added_lines.get().expect("lines");
    assert_eq!(added.iter().map(|file| file.lines.clone()).collect::<Vec<_>>(), [vec![(1, "README.md".to_owned())]]);
}

#[test]
fn only_what_left_the_base_counts() {
    let repo = start();
    repo.write("src/app.js", lines("app", 12)).commit("Change");
    repo.checkout("main").write("other.txt", lines("other", 50)).commit("Base moves on");
    repo.checkout("pr");
    check(&repo, &["src/app.js Modified +2 -0"]);
    repo.git(&["merge", "--quiet", "-m", "Take base", "main"]);
    check(&repo, &["src/app.js Modified +2 -0"]);
}

#[test]
fn a_merge_that_throws_the_base_away_is_seen() {
    let repo = start();
    repo.write("src/app.js", lines("app", 11)).commit("Change");
    repo.checkout("main").write("fix.js", lines("fix", 5)).commit("Fix");
    repo.checkout("pr").git(&["merge", "--quiet", "-s", "ours", "-m", "Take base", "main"]);
    check(&repo, &["fix.js Deleted +0 -5", "src/app.js Modified +1 -0"]);
}

#[test]
fn an_empty_change_has_no_files() {
    let repo = start();
    check(&repo, &[]);
    repo.commit("Nothing");
    check(&repo, &[]);
}

#[cfg(unix)]
#[test]
fn paths_are_bytes() {
    let repo = start();
    for path in ["a\tb", "n\nl", "d \"q\"/é", ":(top)x", "-dash", "*.js", " ", "sp ", "b\\c"] {
        repo.write(path, "1\n");
    }
    let blob = super::blob(&repo, b"1\n");
    repo.git(&["add", "--all"]);
    super::git_with_input(
        &repo,
        &["update-index", "-z", "--index-info"],
        &[format!("100644 {blob}\t").as_bytes(), b"\xff\xfe\0"].concat(),
    );
    repo.git(&["commit", "--quiet", "-m", "Odd names"]);
    let files = changed(&repo).expect("a change");
    assert_eq!(files.len(), 10);
    assert!(files.iter().all(|file| (file.added, file.deleted) == (1, 0)));
    assert!(files.iter().any(|file| file.path.as_bytes() == b"\xff\xfe"));
    let plan = Plan { added_lines: vec![AddedLinesWanted { path: None }], ..Plan::default() };
    let facts = facts(&repo, &plan).expect("facts");
    let added = facts.added_lines.get().expect("lines");
    assert!(added.iter().all(|file| file.lines == [(1, "1".to_owned())]), "{added:?}");
    assert_eq!(added.len(), 10);
}

#[test]
fn media_has_no_lines_where_content_and_extension_agree() {
    let repo = start();
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 200, 10, 13, 10].repeat(20)].concat();
    let script = format!("GIF89a/*\0*/=1;\n{}", lines("evil()", 400));
    repo.write("logo.png", &png).write("logo.js", &png).write("x.gif", script).write("y.png", lines("evil", 3));
    repo.commit("Media");
    let files = changed(&repo).expect("a change");
    let kinds: Vec<_> = files.iter().map(|file| (file.path.to_lossy(), file.kind, file.added > 0)).collect();
    let want = [
        ("logo.js", FileKind::Text, true),
        ("logo.png", FileKind::Binary, false),
        ("x.gif", FileKind::Text, true),
        ("y.png", FileKind::Text, true),
    ];
    assert_eq!(kinds, want.map(|(path, kind, counts)| (path.to_owned(), kind, counts)));
}

#[test]
fn text_that_becomes_media_still_counts() {
    let repo = Repo::new();
    repo.write("a.png", lines("code", 30)).commit("Start");
    let png = [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR".as_slice(), &[0, 200, 10].repeat(20)].concat();
    repo.branch("pr").write("a.png", png).commit("Hide");
    let files = changed(&repo).expect("a change");
    assert_eq!((files[0].kind, files[0].deleted), (FileKind::Text, 30));
}

#[test]
fn long_lines_are_named_only_when_they_are_new() {
    let repo = Repo::new();
    let old = "o".repeat(7000);
    repo.write("old.js", &old).write("both.js", &old).commit("Start");
    repo.branch("pr").write("old.js", format!("{old}\nshort\n")).write("new.js", "é".repeat(5001));
    repo.write("both.js", format!("{old}\n{}\n", "n".repeat(6000))).write("edge.js", "e".repeat(5000)).commit("Long");
    let files = changed(&repo).expect("a change");
    let told: Vec<_> = files.iter().map(|file| (file.path.to_lossy(), file.longest_line)).collect();
    let want = [("both.js", Some(6000)), ("edge.js", None), ("new.js", Some(5001)), ("old.js", None)];
    assert_eq!(told, want.map(|(path, longest)| (path.to_owned(), longest)));
}

#[test]
fn added_lines_have_their_numbers_at_head() {
    let repo = start();
    let text = lines("app", 10).replace("app 3\n", "three\r\nextra\n") + "diff --git a/x b/x\n@@ -1 +1 @@\nlast";
    repo.write("src/app.js", text).write("other.md", "no\n").commit("Change");
    let rule = PathRule::glob("src/**").expect("a pattern");
    let plan = Plan { added_lines: vec![AddedLinesWanted { path: Some(rule) }], ..Plan::default() };
    let facts = facts(&repo, &plan).expect("facts");
    let added = facts.added_lines.get().expect("lines");
    assert_eq!(added.len(), 1);
    let want = [(3, "three"), (4, "extra"), (12, "diff --git a/x b/x"), (13, "@@ -1 +1 @@"), (14, "last")];
    assert_eq!(added[0].lines, want.map(|(number, line)| (number, line.to_owned())));
}

#[test]
fn added_lines_of_utf_16_are_text() {
    let repo = Repo::new();
    let utf16 = |text: &str| {
        let units = text.encode_utf16().flat_map(u16::to_le_bytes);
        [0xff, 0xfe].into_iter().chain(units).collect::<Vec<u8>>()
    };
    repo.write("a.cs", utf16("one\r\ntwo\r\n")).commit("Start");
    repo.branch("pr").write("a.cs", utf16("one\r\n// @ts-ignore\r\ntwo\r\n")).commit("Change");
    let plan = Plan { added_lines: vec![AddedLinesWanted { path: None }], ..Plan::default() };
    let facts = facts(&repo, &plan).expect("facts");
    assert_eq!(facts.added_lines.get().expect("lines")[0].lines, [(2, "// @ts-ignore".to_owned())]);
}

#[test]
fn sha_256_repositories_work() {
    let repo = Repo::with_init_args(&["--object-format=sha256"]);
    repo.write("a", "1\n").commit("Start");
    repo.branch("pr").write("a", "1\n2\n").commit("Change");
    check(&repo, &["a Modified +1 -0"]);
}

#[test]
fn unrelated_histories_have_no_merge_base() {
    let repo = start();
    repo.git(&["checkout", "--quiet", "--orphan", "other"]);
    repo.commit("Alone");
    check_fails(open(repo.path()).change("main", "other"), Kind::NoMergeBase, "unrelated");
}

#[test]
fn a_criss_cross_has_several_merge_bases() {
    let repo = start();
    let one = repo.commit("On pr");
    repo.checkout("main");
    let two = repo.commit("On main");
    repo.git(&["merge", "--quiet", "-m", "x", &one]);
    repo.checkout("pr").git(&["merge", "--quiet", "-m", "y", &two]);
    check_fails(changed(&repo), Kind::SeveralMergeBases, &one);
}

#[test]
fn a_shallow_clone_says_how_to_get_the_history() {
    let repo = start();
    repo.write("a", "1\n").commit("Change");
    repo.checkout("main").write("b", "1\n").commit("Base moves on");
    let dir = tempfile::tempdir().expect("a folder");
    let url = format!("file://{}", repo.path().display());
    let clone = dir.path().join("clone");
    repo.git(&["clone", "--quiet", "--depth=1", "--no-single-branch", &url, clone.to_str().expect("text")]);
    check_fails(open(&clone).change("origin/main", "origin/pr"), Kind::NoMergeBase, "git fetch --unshallow");
    let deep = dir.path().join("deep");
    repo.git(&["clone", "--quiet", "--depth=2", "--no-single-branch", &url, deep.to_str().expect("text")]);
    let change = open(&deep).change("origin/main", "origin/pr").expect("the merge base is there");
    assert_eq!(told(&change.files), ["a Added +1 -0"]);
}
