//! A name means exactly one commit, or it is an error that says what it could mean.

use super::{check_fails, open, start};
use crate::suite::support::Repo;
use agent_acceptance::error::Kind;

#[track_caller]
fn check(repo: &Repo, name: &str, want: &str) {
    let revisions = open(repo.path()).resolve(&[name]).expect("a commit");
    assert_eq!((revisions[0].name.as_str(), revisions[0].commit.as_str()), (name, want), "{name}");
}

#[track_caller]
fn check_unknown(repo: &Repo, name: &str, kind: Kind, words: &str) {
    check_fails(open(repo.path()).resolve(&[name]), kind, words);
}

#[test]
fn names_steps_and_hashes_are_resolved_as_git_does() {
    let repo = start();
    let first = repo.git(&["rev-parse", "main"]);
    let second = repo.commit("Second");
    repo.git(&["tag", "-a", "v1", "-m", "one", &first]);
    repo.git(&["tag", "-a", "v1-again", "-m", "tag of a tag", "v1"]);
    repo.git(&["update-ref", "refs/remotes/origin/main", &first]);
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    repo.git(&["update-ref", "refs/pull/7/head", &second]);
    for (name, want) in [
        ("main", &first),
        ("refs/heads/main", &first),
        ("heads/main", &first),
        ("HEAD", &second),
        ("@", &second),
        ("HEAD~1", &first),
        ("pr^", &first),
        ("pr^0", &second),
        ("pr~1^0^{commit}", &first),
        ("v1", &first),
        ("v1-again", &first),
        ("tags/v1^{}", &first),
        ("origin/main", &first),
        ("origin", &first),
        ("pull/7/head", &second),
        (first.as_str(), &first),
        (&first.to_uppercase(), &first),
        (&second[..9], &second),
        (&format!("{second}~1"), &first),
    ] {
        check(&repo, name, want);
    }
    let merge = {
        repo.checkout("main").commit("On main");
        repo.checkout("pr").git(&["merge", "--quiet", "-m", "Merge", "main"]);
        repo.git(&["rev-parse", "HEAD"])
    };
    check(&repo, "HEAD^2", &repo.git(&["rev-parse", "main"]));
    check(&repo, "HEAD", &merge);
}

#[test]
fn a_name_that_means_two_things_is_ambiguous() {
    let repo = start();
    repo.git(&["tag", "main"]);
    check_unknown(&repo, "main", Kind::RefAmbiguous, "refs/heads/main, refs/tags/main");
    check_unknown(&repo, "main~0", Kind::RefAmbiguous, "refs/tags/main");
    repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]);
    repo.git(&["branch", "origin/main"]);
    check_unknown(&repo, "origin/main", Kind::RefAmbiguous, "refs/heads/origin/main, refs/remotes/origin/main");
    let hash = repo.git(&["rev-parse", "HEAD"]);
    repo.git(&["branch", &hash[..7]]);
    check_unknown(&repo, &hash[..7], Kind::RefAmbiguous, &hash);
    check(&repo, "refs/heads/main", &hash);
    check(&repo, &hash, &hash);
}

#[test]
fn what_names_no_commit_is_told() {
    let repo = start();
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    repo.git(&["update-ref", "refs/tags/a-tree", &tree]);
    for name in [
        "nope",
        "--output=pwned",
        "-",
        "--all",
        "HEAD:src",
        "HEAD@{1}",
        ":/Start",
        "main..pr",
        "m*",
        "refs/heads",
        "heads",
        "HEAD~99",
        "HEAD^2",
        "deadbeef",
        "0000000000000000000000000000000000000000",
        "a b",
        "a\nb",
        "FETCH_HEAD",
        "a-tree",
        tree.as_str(),
    ] {
        let failure = open(repo.path()).resolve(&[name]).expect_err(name);
        assert!(matches!(failure.kind, Kind::RefUnknown | Kind::ObjectUnreadable), "{name}: {failure:?}");
    }
    check_unknown(&repo, "", Kind::Usage, "empty");
    check_unknown(&repo, "mian", Kind::RefUnknown, "did you mean `main`?");
    assert!(!repo.file("pwned").exists());
}

#[test]
fn the_default_base_is_the_remote_s() {
    let repo = start();
    let base = || open(repo.path()).default_base();
    check_fails(base(), Kind::Usage, "--base");
    repo.git(&["update-ref", "refs/remotes/origin/master", "main"]);
    assert_eq!(base().expect("a base"), "origin/master");
    repo.git(&["update-ref", "refs/remotes/origin/main", "main"]);
    check_fails(base(), Kind::Usage, "only one of");
    repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]);
    assert_eq!(base().expect("a base"), "origin/HEAD");
    repo.git(&["symbolic-ref", "refs/remotes/upstream/HEAD", "refs/remotes/upstream/gone"]);
    assert_eq!(base().expect("a base"), "origin/HEAD");
    repo.git(&["update-ref", "refs/remotes/upstream/HEAD", "main"]);
    assert_eq!(base().expect("a base"), "upstream/HEAD");
    let found = open(repo.path());
    let name = found.default_base().expect("a base");
    assert_eq!(found.resolve(&[&name]).expect("a commit")[0].commit, repo.git(&["rev-parse", "main"]));
}

#[test]
fn an_empty_repository_says_that_nothing_is_committed() {
    let repo = Repo::new();
    check_unknown(&repo, "HEAD", Kind::RefUnknown, "nothing is committed yet");
    check_unknown(&repo, "main", Kind::RefUnknown, "names no commit either");
    check_fails(open(repo.path()).default_base(), Kind::Usage, "there is no base");
}

#[test]
fn merge_bases_are_those_that_git_finds() {
    // Many small histories with merges and clocks that go backwards, from a fixed seed.
    let repo = Repo::new();
    let tree = repo.git(&["mktree"]);
    let mut seed = 7_u64;
    let mut random = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("small") % below
    };
    let mut stream = String::new();
    for number in 1..=60 {
        use std::fmt::Write as _;
        let time = 1_700_000_000 + random(40) * 100;
        write!(stream, "commit refs/heads/c{number}\nmark :{number}\ncommitter a <a@x> {time} +0000\ndata 1\nx\n")
            .expect("memory");
        if number > 3 {
            writeln!(stream, "from :{}", number - 1 - random(3)).expect("memory");
            for _ in 0..random(2) {
                writeln!(stream, "merge :{}", 1 + random(number - 1)).expect("memory");
            }
        }
        stream.push('\n');
    }
    assert!(!tree.is_empty());
    super::git_with_input(&repo, &["fast-import", "--quiet"], stream.as_bytes());
    let opened = open(repo.path());
    let mut kinds = [0; 3];
    for _ in 0..40 {
        let (one, other) = (format!("c{}", 1 + random(60)), format!("c{}", 1 + random(60)));
        let hash = |name: &str| repo.git(&["rev-parse", name]);
        let script = format!("merge-base --all {one} {other}");
        let want = super::git_lines(&repo, &script.split(' ').collect::<Vec<_>>());
        let got = opened.merge_base(&hash(&one), &hash(&other));
        match (want.as_slice(), got) {
            ([only], Ok(base)) => {
                assert_eq!(*only, base);
                kinds[1] += 1;
            }
            ([], Err(failure)) => {
                assert_eq!(failure.kind, Kind::NoMergeBase);
                kinds[0] += 1;
            }
            (many, Err(failure)) => {
                assert_eq!(failure.kind, Kind::SeveralMergeBases, "{failure:?} {many:?}");
                assert!(many.len() > 1, "{failure:?} {many:?}");
                kinds[2] += 1;
            }
            (want, got) => panic!("{one} {other}: {want:?} {got:?}"),
        }
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
}
