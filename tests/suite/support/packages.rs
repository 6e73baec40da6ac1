//! Test runners for the tests, installed once from lock files under `tests/packages/`.

use assert_cmd::Command;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

static INSTALLING: Mutex<()> = Mutex::new(());

/// Says on stderr that a test cannot run here, and returns; in CI, where nothing may be missing, panics.
#[track_caller]
pub fn missing(what: &str) {
    #[expect(clippy::disallowed_methods, reason = "CI decides whether a missing runner is an error")]
    let in_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!in_ci, "{what} is missing, and in CI nothing may be");
    #[expect(clippy::print_stderr, reason = "a test that does not run says so")]
    {
        eprintln!("not run: {what} is missing");
    }
}

/// Returns the program of this name on `PATH`.
pub fn on_path(name: &str) -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the tests look for runners where the user has them")]
    let path = std::env::var_os("PATH")?;
    let names = [name.to_owned(), format!("{name}.exe"), format!("{name}.cmd")];
    std::env::split_paths(&path)
        .flat_map(|folder| names.iter().map(move |name| folder.join(name)))
        .find(|file| file.is_file())
}

/// Returns a `node_modules` folder installed from `tests/packages/NAME/package-lock.json`, or `None`, aloud,
/// when node or npm is missing. Shared between tests: copy or link it, never write into it.
#[track_caller]
pub fn node_modules(name: &str) -> Option<PathBuf> {
    let (Some(_), Some(npm)) = (on_path("node"), on_path("npm")) else {
        missing("node with npm");
        return None;
    };
    let folder = install_once(name, &["package.json", "package-lock.json"], |folder| {
        Command::new(&npm)
            .current_dir(folder)
            .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"])
            .assert()
            .success();
    });
    Some(folder.join("node_modules"))
}

/// Returns the Python interpreter of an environment installed from `tests/packages/NAME/requirements.txt`, or
/// `None`, aloud, when Python is missing.
#[track_caller]
pub fn python_with(name: &str) -> Option<PathBuf> {
    let Some(python) = on_path("python3").or_else(|| on_path("python")) else {
        missing("python");
        return None;
    };
    let folder = install_once(name, &["requirements.txt"], |folder| {
        Command::new(&python).current_dir(folder).args(["-m", "venv", "venv"]).assert().success();
        Command::new(interpreter(folder))
            .current_dir(folder)
            .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", "requirements.txt"])
            .assert()
            .success();
    });
    Some(interpreter(&folder))
}

fn interpreter(folder: &Path) -> PathBuf {
    if cfg!(windows) { folder.join("venv/Scripts/python.exe") } else { folder.join("venv/bin/python") }
}

/// Installs into a folder named after the lock file's content, so that a changed lock installs anew. A Python
/// environment must not be moved, so a mark is written last instead of renaming the folder.
fn install_once(name: &str, files: &[&str], install: impl Fn(&Path)) -> PathBuf {
    let _one_at_a_time = INSTALLING.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/packages").join(name);
    let lock = std::fs::read(source.join(files[files.len() - 1])).expect("the lock file is there");
    let sum = lock
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{sum:016x}"));
    let mark = folder.join("installed");
    if !mark.exists() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        for file in files {
            std::fs::copy(source.join(file), folder.join(file)).expect("a copy");
        }
        install(&folder);
        std::fs::write(&mark, "").expect("a mark");
    }
    folder
}

#[cfg(test)]
mod tests {
    use super::super::{Repo, Tool};
    use super::{node_modules, python_with};

    #[test]
    fn commits_of_the_builder_are_always_the_same() {
        let hashes = [0, 1].map(|_| {
            let repo = Repo::new();
            repo.write("a/b.txt", "x\n").commit("First");
            repo.branch("other").remove("a/b.txt").commit("Second");
            repo.checkout("main").git(&["rev-parse", "main", "other"])
        });
        assert_eq!(hashes[0], hashes[1]);
        assert_eq!(Repo::with_init_args(&["--object-format=sha256"]).commit("First").len(), 64);
    }

    #[test]
    fn the_tool_runs_without_the_users_environment() {
        let repo = Repo::new();
        let answer = Tool::new(repo.path(), ["--version"]).env("NO_COLOR", "1").stdin("").run();
        assert!(answer.code <= 2, "{answer:?}");
    }

    #[test]
    fn runners_are_installed_from_lock_files() {
        if let Some(folder) = node_modules("vitest3") {
            assert!(folder.join("vitest/vitest.mjs").is_file());
        }
        if let Some(python) = python_with("pytest9") {
            assert_cmd::Command::new(python).args(["-m", "pytest", "--version"]).assert().success();
        }
    }
}
