//! Where the repository is, in every form that repositories have.

use super::{check_fails, git, lines, open, start, told};
use crate::suite::support::Repo;
use agent_acceptance::error::Kind;
use agent_acceptance::git::{Git, Repository};
use std::path::Path;

#[track_caller]
fn check(dir: &Path, root: Option<&Path>) {
    let repo = open(dir);
    let real = |path: &Path| path.canonicalize().expect("a path");
    assert_eq!(repo.root().map(real), root.map(real), "{}", dir.display());
    let change = repo.change("main", "pr").expect("a change");
    assert_eq!(told(&change.files), ["src/app.js Modified +1 -0"]);
}

fn changed_repo() -> Repo {
    let repo = start();
    repo.write("src/app.js", lines("app", 11)).commit("Change");
    repo
}

#[test]
fn repositories_of_every_form_are_found() {
    let repo = changed_repo();
    check(repo.path(), Some(repo.path()));
    check(&repo.file("src"), Some(repo.path()));
    let dir = tempfile::tempdir().expect("a folder");
    let place = |name: &str| dir.path().join(name);
    let text = |name: &str| place(name).to_str().expect("text").to_owned();
    repo.git(&["worktree", "add", "--quiet", "--detach", &text("linked"), "main"]);
    check(&place("linked"), Some(&place("linked")));
    repo.git(&["clone", "--quiet", "--bare", ".", &text("bare.git")]);
    check(&place("bare.git"), None);
    repo.git(&["sparse-checkout", "set", "--no-cone", "/README.md"]);
    check(repo.path(), Some(repo.path()));
    repo.git(&["init", "--quiet", &format!("--separate-git-dir={}", text("separate"))]);
    check(repo.path(), Some(repo.path()));
}

#[test]
fn a_long_chain_of_borrowed_objects_is_followed() {
    let repo = changed_repo();
    let dir = tempfile::tempdir().expect("a folder");
    let mut last = repo.path().to_path_buf();
    for number in 0..7 {
        let next = dir.path().join(format!("clone {number}"));
        std::fs::create_dir_all(next.join(".git/objects/info")).expect("a folder");
        std::fs::create_dir_all(next.join(".git/refs/heads")).expect("a folder");
        for (file, text) in [("HEAD", "ref: refs/heads/pr\n"), ("config", "[core]\n\tbare = false\n")] {
            std::fs::write(next.join(".git").join(file), text).expect("a file");
        }
        for branch in ["main", "pr"] {
            let file = next.join(".git/refs/heads").join(branch);
            std::fs::write(file, repo.git(&["rev-parse", branch]) + "\n").expect("a file");
        }
        let store = last.join(".git/objects");
        std::fs::write(next.join(".git/objects/info/alternates"), format!("{}\n", store.display())).expect("a file");
        last = next;
    }
    check(&last, Some(&last));
}

#[test]
fn what_is_no_repository_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    check_fails(Repository::discover(dir.path(), git(dir.path())), Kind::NotARepository, "not in a git repository");
    let gone = dir.path().join("gone");
    check_fails(Repository::discover(&gone, git(dir.path())), Kind::NotARepository, "is not a folder");
    std::fs::write(dir.path().join(".git"), "gitdir: /nowhere\n").expect("a file");
    check_fails(Repository::discover(dir.path(), git(dir.path())), Kind::NotARepository, "not in a git repository");
}

#[test]
fn an_unknown_extension_is_told_with_git_s_words() {
    let repo = changed_repo();
    repo.git(&["config", "core.repositoryFormatVersion", "1"]);
    repo.git(&["config", "extensions.fromTheFuture", "true"]);
    check_fails(Repository::discover(repo.path(), git(repo.path())), Kind::NotARepository, "fromthefuture");
}

#[test]
fn git_of_the_repository_itself_is_never_run() {
    let repo = changed_repo();
    let path = std::env::join_paths([repo.file("node_modules/.bin"), "bin".into()]).expect("a search path");
    std::fs::create_dir_all(repo.file("bin")).expect("a folder");
    for place in ["node_modules/.bin/git", "bin/git"] {
        repo.write(place, "#!/bin/sh\ntouch pwned\n");
    }
    #[cfg(unix)]
    for place in ["node_modules/.bin/git", "bin/git"] {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::set_permissions(repo.file(place), std::fs::Permissions::from_mode(0o755)).expect("a mode");
    }
    check_fails(Git::locate(&path, &repo.file("src")), Kind::GitUnusable, "install git");
}

#[cfg(unix)]
#[test]
fn an_old_git_is_refused() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = tempfile::tempdir().expect("a folder");
    let program = dir.path().join("git");
    std::fs::write(&program, "#!/bin/sh\necho git version 2.31.9\n").expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("a mode");
    let repo = changed_repo();
    let git = Git::locate(dir.path().as_os_str(), repo.path()).expect("a program");
    check_fails(Repository::discover(repo.path(), git), Kind::GitUnusable, "2.31 is too old");
}

#[test]
fn the_owner_of_a_repository_is_git_s_decision() {
    let repo = changed_repo();
    let home = tempfile::tempdir().expect("a folder");
    let discover = || {
        let git = git(repo.path()).with_variable("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1").with_home(home.path());
        Repository::discover(repo.path(), git).and_then(|opened| opened.change("main", "pr"))
    };
    let root = repo.path().canonicalize().expect("a path");
    let declare = |lines: &[&str]| {
        let text = format!("[safe]\n\tdirectory = {}\n", lines.join("\n\tdirectory = "));
        std::fs::write(home.path().join(".gitconfig"), text).expect("a file");
    };
    check_fails(discover(), Kind::NotARepository, "belongs to another owner");
    declare(&["/elsewhere"]);
    check_fails(discover(), Kind::NotARepository, "git config --global --add safe.directory");
    declare(&[&root.to_string_lossy(), ""]);
    check_fails(discover(), Kind::NotARepository, "belongs to another owner");
    // The repository's own configuration cannot call itself safe.
    repo.git(&["config", "safe.directory", "*"]);
    check_fails(discover(), Kind::NotARepository, "belongs to another owner");
    declare(&["", &root.to_string_lossy()]);
    assert_eq!(told(&discover().expect("the user calls it safe").files).len(), 1);
}

#[test]
fn the_environment_of_a_hook_has_no_say() {
    let repo = changed_repo();
    let other = changed_repo();
    repo.write("task.json", r#"{"changed_files_only": ["src/app.js"], "max_added_lines": 1}"#);
    let git_dir = other.file(".git");
    crate::suite::support::Tool::new(&repo.file("src"), ["check", "../task.json", "--base", "main", "--head", "pr"])
        .env("GIT_DIR", &git_dir)
        .env("GIT_INDEX_FILE", git_dir.join("nowhere"))
        .env("GIT_WORK_TREE", "/nowhere")
        .env("GIT_OBJECT_DIRECTORY", "/nowhere")
        .env("GIT_TRACE", repo.file("trace"))
        .env("GIT_EXTERNAL_DIFF", "touch pwned;")
        .env("GIT_CONFIG_PARAMETERS", "'core.bigfilethreshold'='1'")
        .run()
        .code(0);
    assert!(!repo.file("trace").exists() && !repo.file("src/pwned").exists());
}

#[test]
fn remotes_are_read_from_the_configuration_s_text() {
    let repo = changed_repo();
    assert_eq!(open(repo.path()).remotes().expect("remotes"), []);
    for (name, url) in
        [("fork", "../fork"), ("origin", "git@github.com:octo/fork.git"), ("upstream", "https://github.com/octo/app")]
    {
        repo.git(&["remote", "add", name, url]);
    }
    repo.git(&["config", "url.https://evil.example/.insteadOf", "https://github.com/"]);
    repo.git(&["config", "include.path", "other"]);
    std::fs::write(repo.file(".git/other"), "[remote \"a\"]\nurl = evil\n").expect("a file");
    let remotes = open(repo.path()).remotes().expect("remotes");
    let told: Vec<_> = remotes.iter().map(|remote| (remote.name.as_str(), remote.url.as_str())).collect();
    let want =
        [("upstream", "https://github.com/octo/app"), ("origin", "git@github.com:octo/fork.git"), ("fork", "../fork")];
    assert_eq!(told, want);
}

#[test]
fn private_folders_are_gone_afterwards() {
    let repo = changed_repo();
    let dir = tempfile::tempdir().expect("a folder");
    let opened = Repository::discover(repo.path(), git(repo.path()).with_temporary(dir.path())).expect("a repository");
    opened.change("main", "pr").expect("a change");
    let n_entries = || std::fs::read_dir(dir.path()).expect("a folder").count();
    assert_eq!(n_entries(), 1);
    drop(opened);
    assert_eq!(n_entries(), 0);
    let gone = dir.path().join("gone");
    check_fails(Repository::discover(repo.path(), git(repo.path()).with_temporary(gone)), Kind::Io, "make room");
}
