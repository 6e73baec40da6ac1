//! Private clones hold exactly a commit's files, whatever the commit or a test run wants.

use super::{check_fails, lines, open, start};
use agent_acceptance::error::Kind;
use agent_acceptance::facts::RepoPath;
use std::path::Path;

fn git_in(dir: &Path, args: &[&str]) -> String {
    let mut command = assert_cmd::Command::new("git");
    command.current_dir(dir).env_clear().envs(crate::suite::support::environment(dir)).args(args);
    let output = command.output().expect("git");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
}

#[cfg(unix)]
#[test]
fn a_clone_holds_the_commit_and_works_with_git() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = start();
    repo.write(".gitattributes", "*.txt text eol=crlf\n*.bin filter=lfs\n*.id ident\n");
    repo.write("a.txt", "1\n2\n").write("b.bin", "smudge me\n").write("c.id", "$Id$\n").write("run.sh", "#!/bin/sh\n");
    let pointer = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 12345\n", "0".repeat(64));
    repo.write("big.psd", &pointer);
    std::fs::set_permissions(repo.file("run.sh"), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    std::os::unix::fs::symlink("../outside", repo.file("link")).expect("a link");
    repo.git(&["config", "filter.lfs.smudge", "touch pwned; cat"]);
    repo.git(&["config", "filter.lfs.clean", "cat"]);
    let commit = super::commit_with_submodule(&repo, "lib");
    let hook = repo.file(".git/hooks/post-checkout");
    std::fs::create_dir_all(hook.parent().expect("a folder")).expect("a folder");
    std::fs::write(&hook, "#!/bin/sh\ntouch pwned\n").expect("a hook");
    std::fs::set_permissions(&hook, std::fs::Permissions::from_mode(0o755)).expect("a mode");

    let dir = tempfile::tempdir().expect("a folder");
    let dest = dir.path().join("clone");
    let clone = open(repo.path()).checkout_into(&commit, &dest).expect("a clone");
    assert_eq!(clone.submodules, [RepoPath::from("lib")]);
    assert_eq!(clone.lfs_pointers, [RepoPath::from("big.psd")]);
    assert_eq!(clone.n_files, 9);
    let read = |path: &str| std::fs::read_to_string(dest.join(path)).expect("a file");
    assert_eq!((read("a.txt"), read("b.bin"), read("c.id")), ("1\n2\n".into(), "smudge me\n".into(), "$Id$\n".into()));
    assert_eq!(dest.join("run.sh").metadata().expect("a file").permissions().mode() & 0o111, 0o111);
    assert_eq!(dest.join("a.txt").metadata().expect("a file").permissions().mode() & 0o111, 0);
    assert_eq!(std::fs::read_link(dest.join("link")).expect("a link"), Path::new("../outside"));
    assert_eq!(git_in(&dest, &["rev-parse", "HEAD"]), commit);
    assert_eq!(git_in(&dest, &["status", "--porcelain"]), "");
    assert_eq!(git_in(&dest, &["log", "--format=%s", "-1"]), "With a submodule");
    assert!(!repo.file("pwned").exists() && !dest.join("pwned").exists());
    // What the clone stores stays there.
    std::fs::write(dest.join("new"), "new\n").expect("a file");
    let new = git_in(&dest, &["hash-object", "-w", "new"]);
    assert!(super::git_lines(&repo, &["cat-file", "-t", &new]).is_empty());
    check_fails(open(repo.path()).checkout_into(&commit, &dest), Kind::CloneUnusable, "not empty");
}

#[test]
fn a_clone_of_a_shallow_sha_256_clone_works() {
    let repo = crate::suite::support::Repo::with_init_args(&["--object-format=sha256"]);
    repo.write("a", "1\n").commit("One");
    repo.write("a", "2\n").commit("Two");
    let dir = tempfile::tempdir().expect("a folder");
    let shallow = dir.path().join("shallow");
    let url = format!("file://{}", repo.path().display());
    repo.git(&["clone", "--quiet", "--depth=1", &url, shallow.to_str().expect("text")]);
    let commit = git_in(&shallow, &["rev-parse", "HEAD"]);
    let dest = dir.path().join("clone");
    open(&shallow).checkout_into(&commit, &dest).expect("a clone");
    assert_eq!(git_in(&dest, &["log", "--format=%s"]), "Two");
    assert_eq!(git_in(&dest, &["status", "--porcelain"]), "");
}

#[cfg(unix)]
#[test]
fn files_go_back_without_following_links() {
    let repo = start();
    repo.write("deep/er/old.js", "old\n").write("swap/in", "inner\n").write("keep.js", "keep\n").commit("More");
    std::os::unix::fs::symlink("README.md", repo.file("link")).expect("a link");
    let base = repo.commit("Base");
    repo.remove("deep/er/old.js").remove("swap/in").remove("link");
    let _ = std::fs::remove_dir(repo.file("swap"));
    repo.write("swap", "now a file\n")
        .write("src/app.js", "new\n")
        .write("added/new.js", "new\n")
        .write("keep.js", "changed\n");
    repo.write("link", "a file\n");
    let head = repo.commit("Head");
    let dir = tempfile::tempdir().expect("a folder");
    let dest = dir.path().join("clone");
    let outside = dir.path().join("outside");
    std::fs::create_dir_all(outside.join("er")).expect("a folder");
    std::fs::write(outside.join("app.js"), "outside\n").expect("a file");
    let opened = open(repo.path());
    opened.checkout_into(&head, &dest).expect("a clone");
    // A test run planted links where files have to go back.
    std::os::unix::fs::symlink(&outside, dest.join("deep")).expect("a link");
    std::fs::rename(dest.join("src"), dest.join("src.bak")).expect("a folder");
    std::os::unix::fs::symlink(&outside, dest.join("src")).expect("a link");
    let paths = ["deep/er/old.js", "swap", "swap/in", "src/app.js", "added/new.js", "link"].map(RepoPath::from);
    opened.take_back(&dest, &base, &paths.iter().collect::<Vec<_>>()).expect("taken back");
    let read = |path: &str| std::fs::read_to_string(dest.join(path)).expect("a file");
    assert_eq!(read("deep/er/old.js"), "old\n");
    assert_eq!(read("swap/in"), "inner\n");
    assert_eq!(read("src/app.js"), lines("app", 10));
    assert_eq!(read("keep.js"), "changed\n");
    assert!(!dest.join("added").exists());
    assert_eq!(std::fs::read_link(dest.join("link")).expect("a link"), Path::new("README.md"));
    assert_eq!(std::fs::read_to_string(outside.join("app.js")).expect("a file"), "outside\n");
    assert_eq!(std::fs::read_dir(outside.join("er")).expect("a folder").count(), 0);
    for planted in ["deep", "src"] {
        assert!(!dest.join(planted).symlink_metadata().expect("a folder").is_symlink());
    }
}
