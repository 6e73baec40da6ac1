//! What stands at paths: found in trees, never by the file system.

use super::{facts, lines, open, start};
use agent_acceptance::facts::{FileAt, FileContent, PathRule, Plan, RepoPath};
use agent_acceptance::git::{Located, PathContent};

fn text(text: &str) -> FileAt {
    FileAt::Text { text: text.to_owned() }
}

#[cfg(unix)]
#[test]
fn what_stands_in_the_way_is_told() {
    let repo = start();
    repo.write("real/t.js", "ok\n");
    std::os::unix::fs::symlink("real", repo.file("tests")).expect("a link");
    std::os::unix::fs::symlink("real/t.js", repo.file("link.js")).expect("a link");
    super::commit_with_submodule(&repo, "lib");
    let link = |at: &str| FileAt::Symlink { at: RepoPath::from(at) };
    let submodule = FileAt::Submodule { at: RepoPath::from("lib") };
    let cases = [
        ("README.md/x", FileAt::Directory),
        ("lib", submodule.clone()),
        ("lib/x/y", submodule),
        ("link.js", link("link.js")),
        ("nope", FileAt::NoFile),
        ("nope/x", FileAt::NoFile),
        ("real", FileAt::Directory),
        ("real/t.js", text("ok\n")),
        ("tests", link("tests")),
        ("tests/t.js", link("tests")),
    ];
    let rules: Vec<PathRule> = cases.iter().map(|(path, _)| PathRule::literal(*path)).collect();
    let plan = Plan {
        contents: rules.clone(),
        paths: cases.iter().map(|(path, _)| (*path).to_owned()).collect(),
        ..Plan::default()
    };
    let found = facts(&repo, &plan).expect("facts");
    let want = cases.map(|(path, at)| FileContent { path: RepoPath::from(path), at });
    assert_eq!(found.contents.get().expect("contents"), &want);
    let there: Vec<&str> =
        found.paths.get().expect("paths").iter().filter(|path| path.at_head).map(|path| path.path.as_str()).collect();
    assert_eq!(there, ["lib", "link.js", "real/t.js", "tests"]);
}

#[test]
fn patterns_read_every_file_that_matches_on_both_sides() {
    let repo = start();
    repo.write("src/b.ts", "\u{feff}b\r\nc\r\n")
        .write("src/deep/c.ts", [0xe9])
        .write("src/d.js", "d\n")
        .commit("Change");
    let rules = vec![PathRule::glob("src/**/*.ts").expect("a pattern"), PathRule::literal("src/b.ts")];
    let plan = Plan { contents: rules.clone(), base_contents: rules, base_tree: true, ..Plan::default() };
    let found = facts(&repo, &plan).expect("facts");
    let contents = found.contents.get().expect("contents");
    let want = [("src/b.ts", text("b\nc\n")), ("src/deep/c.ts", FileAt::NotText)];
    assert_eq!(contents, &want.map(|(path, at)| FileContent { path: RepoPath::from(path), at }));
    let base = found.base_contents.get().expect("contents");
    assert_eq!(base, &[FileContent { path: RepoPath::from("src/b.ts"), at: FileAt::NoFile }]);
    let tree = found.base_tree.get().expect("a tree");
    assert_eq!(tree, &["README.md", "src/app.js"].map(RepoPath::from));
    assert!(found.added_lines.get().is_err() && found.paths.get().is_err());
}

#[test]
fn bytes_can_be_read_with_a_limit() {
    let repo = start();
    let commit = repo.commit("Change");
    let opened = open(repo.path());
    let path = RepoPath::from("src/app.js");
    let PathContent::File { executable, object, bytes } = opened.read_path(&commit, &path, 1000).expect("content")
    else {
        panic!("a file");
    };
    assert_eq!((executable, String::from_utf8(bytes)), (false, Ok(lines("app", 10))));
    assert_eq!(opened.blob(&object, 1000).expect("a blob").map(|bytes| bytes.len()), Some(lines("app", 10).len()));
    assert_eq!(opened.blob(&object, 10).expect("a blob"), None);
    let size = lines("app", 10).len() as u64;
    assert_eq!(opened.read_path(&commit, &path, 10).expect("content"), PathContent::TooLarge(size));
    let missing = opened.read_path(&commit, &RepoPath::from("x"), 10).expect("content");
    assert_eq!(missing, PathContent::Other(Located::NoFile));
    assert!(opened.blob(&commit, 1000).is_err());
    // The reader is still in step after an error.
    assert!(opened.blob(&object, 1000).is_ok());
}

#[test]
fn many_paths_are_read_at_once() {
    let repo = start();
    let paths: Vec<String> = (0..1500).map(|number| format!("d{}/f{number}.txt", number % 40)).collect();
    for path in &paths {
        repo.write(path, format!("content of {path}\n"));
    }
    let commit = repo.commit("Many");
    let opened = open(repo.path());
    let wanted: Vec<RepoPath> = paths.iter().map(|path| RepoPath::from(path.as_str())).collect();
    let read = opened.read_paths(&commit, &wanted.iter().collect::<Vec<_>>(), 1000).expect("contents");
    for (path, content) in paths.iter().zip(read) {
        assert!(
            matches!(content, PathContent::File { bytes, .. } if bytes == format!("content of {path}\n").as_bytes())
        );
    }
    assert_eq!(opened.tree(&commit).expect("a tree").len(), 1502);
}
