//! The repository that a command works in: opened once, when it is first needed.

use crate::cli::RangeArgs;
use crate::error::Failure;
use crate::facts::Change;
use crate::git::{Git, Repository};
#[cfg(feature = "github")]
use crate::github::EventPull;
use crate::settings::Settings;
use std::cell::OnceCell;
use std::ffi::OsStr;
use std::path::Path;

/// What git processes need of the caller's environment beside the search path.
const PASSED_TO_GIT: [&str; 4] = ["SystemRoot", "SystemDrive", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"];

/// The repository, and the change in it.
pub(super) struct World<'a> {
    settings: &'a Settings,
    range: &'a RangeArgs,
    repository: OnceCell<Result<Repository, Failure>>,
    change: OnceCell<Result<Change, Failure>>,
    #[cfg(feature = "github")]
    event: OnceCell<Result<Option<EventPull>, Failure>>,
}

impl<'a> World<'a> {
    pub(super) fn new(settings: &'a Settings, range: &'a RangeArgs) -> Self {
        Self {
            settings,
            range,
            repository: OnceCell::new(),
            change: OnceCell::new(),
            #[cfg(feature = "github")]
            event: OnceCell::new(),
        }
    }

    /// Returns the repository that encloses the folder to work in.
    pub(super) fn repository(&self) -> Result<&Repository, Failure> {
        let open = || {
            // A base that cannot be found out is told when it is asked for.
            let of_event = self.base_of_event().ok().flatten();
            let mut names = match self.range.base.as_deref().or(of_event.as_deref()) {
                Some(base) => vec![base],
                None => Repository::DEFAULT_BASES.to_vec(),
            };
            names.extend(self.range.head.as_deref());
            Repository::discover_with(&self.settings.directory, git(self.settings)?, &names)
        };
        self.repository.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    /// Returns the change that the flags name.
    pub(super) fn change(&self) -> Result<&Change, Failure> {
        let find = || {
            let repository = self.repository()?;
            let base = match (&self.range.base, self.base_of_event()?) {
                (Some(base), _) => base.clone(),
                (None, Some(base)) => base,
                (None, None) => repository.default_base()?,
            };
            repository.change(&base, self.range.head.as_deref().unwrap_or("HEAD"))
        };
        self.change.get_or_init(find).as_ref().map_err(Clone::clone)
    }

    /// Returns the pull request that GitHub Actions runs for.
    #[cfg(feature = "github")]
    pub(super) fn event(&self) -> Result<Option<&EventPull>, Failure> {
        let event = self.event.get_or_init(|| super::event::event(&self.settings.environment));
        event.as_ref().map(Option::as_ref).map_err(Clone::clone)
    }

    #[cfg(feature = "github")]
    fn base_of_event(&self) -> Result<Option<String>, Failure> {
        Ok(self.event()?.map(|event| event.base.clone()))
    }

    #[cfg(not(feature = "github"))]
    #[expect(clippy::unused_self, clippy::unnecessary_wraps, reason = "the same signature as with the feature")]
    fn base_of_event(&self) -> Result<Option<String>, Failure> {
        Ok(None)
    }

    /// Returns the root of the work tree, where there is one.
    pub(super) fn root(&self) -> Option<&Path> {
        self.repository().ok().and_then(Repository::root)
    }

    pub(super) fn settings(&self) -> &Settings {
        self.settings
    }
}

/// Finds git where the caller finds it.
pub(super) fn git(settings: &Settings) -> Result<Git, Failure> {
    let environment = &settings.environment;
    let search_path = environment.get("PATH").unwrap_or(OsStr::new(""));
    let mut git = Git::locate(search_path, &settings.directory)?;
    for name in PASSED_TO_GIT {
        if let Some(value) = environment.get(name) {
            git = git.with_variable(name, value);
        }
    }
    match environment.get("HOME").or_else(|| environment.get("USERPROFILE")) {
        Some(home) => Ok(git.with_home(home)),
        None => Ok(git),
    }
}
