//! Finds the repository around a folder and asks it what only it can know. Everything after that is
//! asked of the quarantine. Knows nothing of commits.

use crate::error::{Failure, Kind};
use crate::git::oid::{ObjectFormat, Oid};
use crate::git::os;
use crate::git::program::{Git, Output, finish};
use crate::git::refs::list_refs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// What one `git rev-parse` in the target tells.
#[derive(Debug)]
pub(super) struct Location {
    /// The folder that was asked about.
    pub(super) dir: PathBuf,
    /// The repository's own folder; a linked worktree's lies inside the common one.
    pub(super) git_dir: PathBuf,
    /// The folder that all worktrees share.
    pub(super) common_dir: PathBuf,
    /// The object store.
    pub(super) objects: PathBuf,
    /// How objects are named.
    pub(super) format: ObjectFormat,
    /// Whether history was cut off.
    pub(super) is_shallow: bool,
    /// The root of the work tree, `None` where there is none.
    pub(super) root: Option<PathBuf>,
    /// What `HEAD` names, `None` before the first commit.
    pub(super) head: Option<Oid>,
    /// A folder of another owner that the user's own configuration calls safe.
    pub(super) safe_directory: Option<String>,
}

/// Asks for everything at once; the order is that of [`parse`].
const QUESTIONS: [&str; 11] = [
    "rev-parse",
    "--path-format=absolute",
    "--git-dir",
    "--git-common-dir",
    "--git-path",
    "objects",
    "--show-object-format",
    "--is-shallow-repository",
    "--is-bare-repository",
    "--show-cdup",
    "HEAD",
];

/// Locates the repository that encloses `dir`. Its refs of these names are asked for beside that, as processes take
/// longer to start than to answer; whether there is an answer matters to nobody.
pub(super) fn locate(dir: &Path, git: &Git, refs: &BTreeSet<String>) -> Result<(Location, Option<Output>), Failure> {
    let real = os::real_path(dir)
        .ok()
        .filter(|real| real.is_dir())
        .ok_or_else(|| Failure::new(Kind::NotARepository, format!("`{}` is not a folder", dir.to_string_lossy())))?;
    let version = git.start_version(&real)?;
    let listing = if refs.is_empty() { None } else { git.start(&mut list_refs(git.command(&real), refs)).ok() };
    let answer = git.run(git.command(&real).args(QUESTIONS));
    let listed = listing.and_then(|listing| finish(listing).ok());
    git.check_version(&finish(version)?)?;
    let answer = answer?;
    let Some(owner_folder) = refused_folder(&answer.stderr) else {
        return Ok((parse(&real, &answer, None)?, listed));
    };
    if !is_declared_safe(git, &real, &owner_folder)? {
        return Err(another_owner(&owner_folder));
    }
    let safe = format!("safe.directory={owner_folder}");
    let answer = git.run(git.command(&real).args(["-c", &safe]).args(QUESTIONS))?;
    Ok((parse(&real, &answer, Some(owner_folder))?, None))
}

/// Returns the folder that git refuses because somebody else owns it.
fn refused_folder(stderr: &str) -> Option<String> {
    let (_, rest) = stderr.split_once("dubious ownership in repository at '").or_else(|| {
        // git before 2.35.3 and its backports says it so.
        stderr.split_once("unsafe repository ('")
    })?;
    let folder = rest.split_once("'\n").or_else(|| rest.split_once("' is owned")).map(|(folder, _)| folder)?;
    (!folder.contains('\n')).then(|| folder.to_owned())
}

/// Reads the user's own list of safe folders. Only an entry that names this folder counts, or `*`; the
/// repository's configuration cannot add one.
fn is_declared_safe(git: &Git, dir: &Path, folder: &str) -> Result<bool, Failure> {
    let Some(home) = git.home() else { return Ok(false) };
    let mut command = git.command(dir);
    command.env("HOME", home).env_remove("GIT_CONFIG_GLOBAL");
    // `--global` and a folder that is no repository: only the user's file is read.
    command.current_dir(home).args(["config", "--global", "--null", "--get-all", "safe.directory"]);
    let answer = git.run(&mut command)?;
    let mut is_safe = false;
    let entries = answer.stdout.split_inclusive(|&byte| byte == 0).filter(|_| answer.is_success());
    for entry in entries.filter_map(|entry| entry.strip_suffix(b"\0")) {
        match entry {
            // git has it that an empty entry takes back all before it.
            b"" => is_safe = false,
            entry => is_safe |= entry == b"*" || entry == folder.as_bytes(),
        }
    }
    Ok(is_safe)
}

fn another_owner(folder: &str) -> Failure {
    Failure::new(Kind::NotARepository, format!("the repository at `{folder}` belongs to another owner"))
        .detail("why", "git does not work in a repository that another user could have prepared")
        .next("run it as the owner of the repository")
        .next(format!("or, if you trust its owner: git config --global --add safe.directory '{folder}'"))
}

fn parse(dir: &Path, answer: &Output, safe_directory: Option<String>) -> Result<Location, Failure> {
    let text = &answer.stdout;
    let lines: Vec<&[u8]> = text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n').collect();
    let (first, rest) = lines.split_at_checked(6).ok_or_else(|| not_found(dir, answer))?;
    // Where there is no work tree, nothing is said about the way up to its root.
    let (up, head) = match rest {
        [up, head] => (Some(*up), *head),
        [head] => (None, *head),
        _ => return Err(not_found(dir, answer)),
    };
    let &[git_dir, common_dir, objects, format, is_shallow, is_bare] = first else {
        return Err(not_found(dir, answer));
    };
    let format = match format {
        b"sha1" => ObjectFormat::Sha1,
        b"sha256" => ObjectFormat::Sha256,
        other => {
            let message = format!("objects of the format `{}` are not known", String::from_utf8_lossy(other));
            return Err(Failure::new(Kind::NotARepository, message));
        }
    };
    // Before the first commit git echoes the word and fails.
    let head = if answer.is_success() { Oid::parse(head, format) } else { None };
    if head.is_none() && !answer.stderr.contains("'HEAD'") {
        return Err(not_found(dir, answer));
    }
    let path =
        |bytes: &[u8]| os::path_of(bytes).filter(|path| path.is_absolute()).ok_or_else(|| not_found(dir, answer));
    let root = match (is_bare, up.and_then(os::path_of)) {
        (b"false", Some(up)) => os::real_path(&dir.join(up)).ok(),
        _ => None,
    };
    Ok(Location {
        dir: dir.to_path_buf(),
        git_dir: path(git_dir)?,
        common_dir: path(common_dir)?,
        objects: path(objects)?,
        format,
        is_shallow: is_shallow == b"true",
        root,
        head,
        safe_directory,
    })
}

fn not_found(dir: &Path, answer: &Output) -> Failure {
    let place = dir.to_string_lossy();
    if answer.stderr.contains("not a git repository") {
        return Failure::new(Kind::NotARepository, format!("`{place}` is not in a git repository"))
            .next("run it inside the repository, or name it with `-C DIR`");
    }
    Failure::new(Kind::NotARepository, format!("git cannot use the repository at `{place}`"))
        .detail("git", answer.complaint("no usable answer"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_another_owner_is_read_from_both_wordings() {
        let new = "fatal: detected dubious ownership in repository at '/srv/it's'\nTo add an exception ...";
        assert_eq!(refused_folder(new).as_deref(), Some("/srv/it's"));
        let old = "fatal: unsafe repository ('/srv/app' is owned by someone else)\n";
        assert_eq!(refused_folder(old).as_deref(), Some("/srv/app"));
        assert_eq!(refused_folder("fatal: not a git repository"), None);
    }
}
