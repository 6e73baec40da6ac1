use super::{Python, find, interpreter_of};
use crate::error::Kind;
use crate::runners::{Site, launcher};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// A checkout and a home beside it, with programs that are never run.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("checkout/sub")).unwrap();
        Self { folder }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    fn file(&self, below: &str, text: &str) -> PathBuf {
        let path = self.path(below);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    fn program(&self, below: &str, text: &str) -> PathBuf {
        let path = self.file(below, text);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        path
    }

    fn environment(&self, below: &str) -> PathBuf {
        self.file(&format!("{below}/pyvenv.cfg"), "version = 3.11.7\n");
        let python = self.program(&format!("{below}/bin/python"), "");
        self.program(&format!("{below}/bin/pytest"), &format!("#!{}\nimport sys\n", python.display()));
        python
    }

    fn find(&self, command: &str, search: &[&str]) -> Result<Python, Kind> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let call = launcher::take_off(&words).unwrap();
        let search: Vec<PathBuf> = search.iter().map(|below| self.path(below)).collect();
        let search = std::env::join_paths(search).unwrap();
        // The run is in a clone, and dependencies are the checkout's.
        std::fs::create_dir_all(self.path("clone/sub")).unwrap();
        let (root, cwd, checkout) = (self.path("clone"), self.path("clone/sub"), self.path("checkout"));
        let site = site(&root, &cwd, &checkout, &search);
        find(&call, &site, "pytest").map_err(|failure| failure.kind)
    }
}

fn site<'a>(root: &'a Path, cwd: &'a Path, checkout: &'a Path, search: &'a OsString) -> Site<'a> {
    Site {
        root,
        cwd,
        private: Path::new("/private-folder"),
        checkout,
        build: Path::new("/build-folder"),
        this_program: Path::new("/this-program"),
        search_path: Some(search),
    }
}

#[cfg(unix)]
#[test]
fn a_script_is_run_by_the_interpreter_in_its_first_line() {
    let machine = Machine::new();
    let python = machine.environment("env");
    let found = machine.find("pytest -q", &["env/bin"]).unwrap();
    assert_eq!((&found.interpreter, found.script), (&python, Some(machine.path("env/bin/pytest"))));
    let shown = python.display();
    for (text, expected) in [
        (format!("#!{shown} -sE\n"), Ok((python.clone(), vec![OsString::from("-sE")]))),
        (format!("#!/bin/sh\n'''exec' {shown} \"$0\" \"$@\"\n' '''\n"), Ok((python.clone(), vec![]))),
        ("#!/usr/bin/env python\n".to_owned(), Ok((python.clone(), vec![]))),
        ("#!/usr/bin/env bash\n".to_owned(), Err(Kind::RunnerMissing)),
        ("#!/bin/bash\n".to_owned(), Err(Kind::RunnerUnsupported)),
        ("#!/nowhere/python3\n".to_owned(), Err(Kind::RunnerMissing)),
        ("#!python\n".to_owned(), Err(Kind::RunnerMissing)),
        ("\u{7f}ELF".to_owned(), Err(Kind::RunnerUnsupported)),
        ("#!\n".to_owned(), Err(Kind::RunnerUnsupported)),
    ] {
        let script = machine.program("script", &text);
        let search = OsString::from(machine.path("env/bin"));
        let root = machine.path("checkout");
        let answer = interpreter_of(&script, &site(&root, &root, &root, &search));
        assert_eq!(answer.map_err(|failure| failure.kind), expected, "{text:?}");
    }
}

#[cfg(unix)]
#[test]
fn a_module_is_run_by_the_interpreter_that_the_command_names() {
    let machine = Machine::new();
    let python = machine.environment("checkout/sub/.venv");
    let found = machine.find(".venv/bin/python -I -X dev -m pytest", &["nothing"]).unwrap();
    // The folder is the checkout's, though the run is in a clone.
    assert_eq!(found.interpreter, python);
    assert_eq!((found.options, found.script), (["-I", "-X", "dev"].map(OsString::from).to_vec(), None));
    let found = machine.find(".venv/bin/pytest", &["nothing"]).unwrap();
    assert_eq!(found.interpreter, python);
    assert_eq!(machine.find("python -m pytest", &["nothing"]), Err(Kind::RunnerMissing));
    assert_eq!(machine.find("pytest", &["nothing"]), Err(Kind::RunnerMissing));
}

#[cfg(unix)]
#[test]
fn managers_are_not_called_and_their_environment_is_found() {
    let machine = Machine::new();
    let inside = machine.environment("checkout/.venv");
    for command in ["uv run pytest", "uv run --frozen --extra a -- pytest", "poetry run pytest", "pdm run pytest"] {
        let found = machine.find(command, &["nothing"]).unwrap();
        assert_eq!((&found.interpreter, found.script.is_some()), (&inside, true), "{command}");
    }
    for command in ["uv run -m pytest", "uv run python -m pytest", "poetry run python -m pytest"] {
        let found = machine.find(command, &["nothing"]).unwrap();
        assert_eq!((&found.interpreter, found.script), (&inside, None), "{command}");
    }
    let active = machine.environment("active");
    assert_eq!(machine.find("poetry run pytest", &["active/bin"]).unwrap().interpreter, active);
    assert_eq!(machine.find("uv run pytest", &["active/bin"]).unwrap().interpreter, inside);
}

#[test]
fn an_environment_that_is_not_there_is_told() {
    let machine = Machine::new();
    machine.program("path/python", "");
    for command in ["uv run pytest", "poetry run pytest", "pipenv run python -m pytest"] {
        assert_eq!(machine.find(command, &["path"]), Err(Kind::RunnerMissing), "{command}");
    }
}

#[cfg(unix)]
#[test]
fn a_shim_of_a_version_manager_is_seen_through() {
    let machine = Machine::new();
    machine.program("pyenv/shims/python", "#!/usr/bin/env bash\n");
    let old = machine.program("pyenv/versions/3.11.7/bin/python", "");
    let new = machine.program("pyenv/versions/3.11.10/bin/python", "");
    let system = machine.program("system/python", "");
    let search = ["pyenv/shims", "system"];
    let interpreter = || machine.find("python -m pytest", &search).unwrap().interpreter;
    machine.file("pyenv/version", "3.11.7\n");
    assert_eq!(interpreter(), old);
    machine.file("clone/.python-version", "3.11\n");
    assert_eq!(interpreter(), new);
    machine.file("clone/sub/.python-version", "system\n");
    assert_eq!(interpreter(), system);
    // A version is a folder's name, never a path that the change could choose.
    machine.program("clone/evil/bin/python", "");
    for hostile in ["../../clone/evil", "..", "/clone/evil"] {
        machine.file("clone/sub/.python-version", hostile);
        assert_eq!(interpreter(), machine.path("pyenv/shims/python"), "{hostile}");
    }
}

#[test]
fn the_version_stands_in_the_name_of_the_metadata() {
    let machine = Machine::new();
    let interpreter = machine.program("env/bin/python", "");
    std::fs::create_dir_all(machine.path("env/lib/python3.11/site-packages/pytest-9.2.0.dist-info")).unwrap();
    std::fs::create_dir_all(machine.path("env/lib/python3.11/site-packages/pytest_asyncio-1.5.0.dist-info")).unwrap();
    let python = Python { interpreter, options: Vec::new(), script: None };
    assert_eq!(python.version_of("pytest").as_deref(), Some("9.2.0"));
    assert_eq!(python.version_of("unittest"), None);
}
