//! One checkout of a few files, and every kind of edit.

use super::*;
use std::os::unix::fs::{PermissionsExt as _, symlink};

fn entry(mode: &str, content: &[u8]) -> Entry {
    Entry { mode: mode.to_owned(), object: hash_of_blob(content, 40) }
}

/// A checkout of three files and a link, changed by `change`, and what differs then.
fn check(change: impl FnOnce(&Path), expected: &[(&str, &str)]) {
    let folder = tempfile::tempdir().unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let root = folder.path();
    std::fs::create_dir(root.join("src")).unwrap();
    std::fs::write(root.join("src/a.js"), "a\n").unwrap();
    std::fs::write(root.join("run.sh"), "r\n").unwrap();
    std::fs::set_permissions(root.join("run.sh"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::write(root.join("b.txt"), "b\n").unwrap();
    symlink("src/a.js", root.join("link")).unwrap();
    let files = vec![
        (RepoPath::from("src/a.js"), entry("100644", b"a\n")),
        (RepoPath::from("run.sh"), entry("100755", b"r\n")),
        (RepoPath::from("b.txt"), entry("100644", b"b\n")),
        (RepoPath::from("link"), entry("120000", b"src/a.js")),
        (RepoPath::from("module"), entry("160000", b"")),
    ];
    let read = |_: &str| Ok(b"what head has".to_vec());
    let mut checkout = Checkout::new(root, files, &read);
    assert_eq!(checkout.differences(scratch.path()).unwrap(), []);
    change(root);
    for _ in 0..2 {
        let found: Vec<_> = checkout
            .differences(scratch.path())
            .unwrap()
            .into_iter()
            .map(|difference| (difference.path.to_lossy(), difference.what))
            .collect();
        let found: Vec<_> = found.iter().map(|(path, what)| (path.as_str(), what.as_str())).collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn every_kind_of_edit_differs() {
    check(|_| (), &[]);
    check(|root| std::fs::write(root.join("src/a.js"), "A\n").unwrap(), &[("src/a.js", "modified")]);
    check(|root| std::fs::remove_file(root.join("b.txt")).unwrap(), &[("b.txt", "missing")]);
    check(|root| std::fs::write(root.join("b.txt"), "b\r\n").unwrap(), &[]);
    check(
        |root| {
            std::fs::remove_file(root.join("link")).unwrap();
            symlink("b.txt", root.join("link")).unwrap();
        },
        &[("link", "modified")],
    );
    check(
        |root| {
            std::fs::rename(root.join("b.txt"), root.join("c.txt")).unwrap();
            symlink("c.txt", root.join("b.txt")).unwrap();
        },
        &[("b.txt", "not a file")],
    );
    check(
        |root| {
            std::fs::rename(root.join("src"), root.join("elsewhere")).unwrap();
            symlink("elsewhere", root.join("src")).unwrap();
        },
        &[("src/a.js", "in a folder that was replaced")],
    );
    check(
        |root| {
            std::fs::set_permissions(root.join("b.txt"), std::fs::Permissions::from_mode(0o755)).unwrap();
        },
        &[("b.txt", "other executable bit")],
    );
    check(
        |root| {
            std::fs::remove_dir_all(root.join("src")).unwrap();
            std::fs::write(root.join("src"), "").unwrap();
        },
        &[("src/a.js", "in a folder that was replaced")],
    );
}

#[test]
fn an_edit_whose_time_was_set_back_differs() {
    check(
        |root| {
            let place = root.join("src/a.js");
            let before = std::fs::metadata(&place).unwrap().modified().unwrap();
            std::fs::write(&place, "B\n").unwrap();
            std::fs::File::options().write(true).open(&place).unwrap().set_modified(before).unwrap();
        },
        &[("src/a.js", "modified")],
    );
}
