//! What runners in node have in common: the installed package is found and called directly with node, our reporter
//! is written into the run's private folder. Never through `npx`, which prefers a program of the change's own.

use super::{Call, Launch, Refusal, Site, Transport};
use crate::error::{Failure, Kind};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

/// An installed package.
#[derive(Debug)]
pub(super) struct Package {
    /// Its folder, by the name under which it was found.
    pub(super) folder: PathBuf,
    /// Its version, as its manifest tells it.
    pub(super) version: String,
    manifest: Value,
}

impl Package {
    /// Returns the file behind a program's name.
    pub(super) fn program(&self, name: &str) -> Option<PathBuf> {
        let bin = self.manifest.get("bin")?;
        let written = bin.as_str().or_else(|| bin.get(name)?.as_str())?;
        let is_inside =
            Path::new(written).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        let file = self.folder.join(written.trim_start_matches("./"));
        (is_inside && file.is_file()).then_some(file)
    }

    /// Returns the first two numbers of the version.
    pub(super) fn major_minor(&self) -> (u32, u32) {
        let mut numbers = self.version.split(['.', '-', '+']).map(|part| part.parse().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    }
}

/// Finds a package as node does: in the `node_modules` of the folder and of each one around it. Behind the root of
/// a clone the search goes on around the user's checkout, since that is where the clone stands for.
pub(super) fn find_package(name: &str, site: &Site<'_>) -> Option<Package> {
    let inside = site.cwd.ancestors().take_while(|folder| folder.starts_with(site.root));
    let around = site.checkout.ancestors().skip(1);
    inside.chain(around).find_map(|folder| read_package(folder.join("node_modules").join(name)))
}

fn read_package(folder: PathBuf) -> Option<Package> {
    let manifest: Value = serde_json::from_slice(&std::fs::read(folder.join("package.json")).ok()?).ok()?;
    let version = manifest.get("version")?.as_str()?.to_owned();
    Some(Package { folder, version, manifest })
}

/// Finds the package of a runner, or says what to do.
pub(super) fn installed(name: &str, site: &Site<'_>) -> Result<Package, Failure> {
    if let Some(package) = find_package(name, site) {
        return Ok(package);
    }
    let is_virtual = site
        .cwd
        .ancestors()
        .take_while(|folder| folder.starts_with(site.root))
        .any(|folder| [".pnp.cjs", ".pnp.js"].iter().any(|file| folder.join(file).is_file()));
    if is_virtual {
        return Err(Failure::new(
            Kind::RunnerUnsupported,
            "the project uses Yarn Plug'n'Play, which has no installed runner to call",
        )
        .next("set `nodeLinker: node-modules` in `.yarnrc.yml` at the merge base")
        .next("or install with `--setup`, such as `--setup 'npm ci'`"));
    }
    Err(Failure::new(Kind::RunnerMissing, format!("`{name}` is not installed"))
        .detail("looked in", format!("node_modules of {} and of the folders around it", site.cwd.display()))
        .next("install the project's dependencies (`npm ci`) and check again"))
}

/// Finds node in the search path.
pub(super) fn find_node(site: &Site<'_>) -> Result<PathBuf, Failure> {
    crate::exec::find_program(OsStr::new("node"), site.search_path, site.cwd)
        .ok_or_else(|| Failure::new(Kind::RunnerMissing, "`node` was not found in PATH").next("install Node.js"))
}

/// Writes the files of a reporter into the private folder, and returns the first one's path.
pub(super) fn write_reporter(site: &Site<'_>, files: &[(&str, &str)]) -> Result<PathBuf, Failure> {
    for (name, text) in files {
        let file = site.private.join(name);
        std::fs::write(&file, text).map_err(|error| {
            Failure::new(Kind::Io, format!("failed to write `{}`", file.display()))
                .detail("cause", error.to_string())
                .caused_by(&error)
        })?;
    }
    Ok(files.first().map_or_else(|| site.private.to_path_buf(), |(name, _)| site.private.join(name)))
}

/// The channel's client that every reporter in node loads from beside itself.
pub(super) const CHANNEL: (&str, &str) = ("channel.cjs", include_str!("reporters/channel.cjs"));

/// Files that decide how code is loaded and tests run, whatever the runner in node.
macro_rules! harness_files {
    ($($own:literal),* $(,)?) => {
        &[
            $($own,)*
            "babel.config.*", ".babelrc", ".babelrc.*", ".swcrc", "tsconfig*.json", "jsconfig.json", ".env", ".env.local", ".env.test",
            ".env.test.*", ".npmrc", ".yarnrc", ".yarnrc.yml", "pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs", ".pnp.*", ".yarn/releases/**",
            ".yarn/plugins/**", ".yarn/patches/**", "patches/**", "postcss.config.*", ".postcssrc", ".postcssrc.*", ".browserslistrc", ".node-version",
            ".nvmrc", ".tool-versions", "bunfig.toml", "node_modules/**", "**/node_modules/**",
        ]
    };
}
pub(super) use harness_files;

/// Returns whether a file's name ends as scripts do: `.js`, `.mts`, `.tsx`, ...
pub(super) fn has_script_ending(name: &str) -> bool {
    let ending = name.rsplit('.').next().unwrap_or_default();
    matches!(ending, "js" | "mjs" | "cjs" | "ts" | "mts" | "cts" | "jsx" | "tsx" | "mjsx" | "cjsx" | "mtsx" | "ctsx")
}

/// Tells from their text which files scripts import.
pub(super) const IMPORTS: (&str, &str) = ("imports.cjs", include_str!("reporters/imports.cjs"));

/// Returns node's own options where the command calls the runner through node.
pub(super) fn node_options(call: &Call) -> &[String] {
    match call.launcher.as_slice() {
        [node, options @ .., _program] if node == "node" || node == "nodejs" => options,
        _ => &[],
    }
}

/// Returns the files that node's own options load: `--import ./x.mjs`, `-r ./x.js`.
pub(super) fn files_of_options(call: &Call) -> Vec<String> {
    let names = ["import", "require", "-r", "loader", "experimentalloader", "envfile"];
    super::flags::values(node_options(call), &names).into_iter().map(str::to_owned).collect()
}

/// Builds the launch: node with its options, the runner's program and its arguments.
pub(super) fn launch(
    call: &Call,
    site: &Site<'_>,
    program: &Path,
    args: Vec<OsString>,
    version: Option<String>,
) -> Result<Launch, Failure> {
    let node = find_node(site)?;
    let options = node_options(call);
    let shown = std::iter::once("node".to_owned())
        .chain(options.iter().cloned())
        .chain([shown_path(program, site)])
        .chain(args.iter().map(|arg| show(arg, site)))
        .collect();
    let args = options.iter().map(OsString::from).chain([program.as_os_str().to_owned()]).chain(args).collect();
    Ok(Launch { program: node, args, shown, env: Vec::new(), transport: Transport::Socket, version })
}

/// Shows a launch through a launcher of ours as what it comes to: the runner's program with one flag more.
pub(super) fn shown(call: &Call, site: &Site<'_>, program: &Path, flag: &str) -> Vec<String> {
    let options = node_options(call).iter().cloned();
    let program = shown_path(program, site);
    std::iter::once("node".to_owned())
        .chain(options)
        .chain([program, flag.to_owned()])
        .chain(call.args.iter().cloned())
        .collect()
}

fn shown_path(path: &Path, site: &Site<'_>) -> String {
    path.strip_prefix(site.cwd).unwrap_or(path).to_string_lossy().replace('\\', "/")
}

/// Returns whether a path in a command is absolute on any system.
pub(super) fn is_absolute(path: &str) -> bool {
    path.starts_with(['/', '\\', '~']) || path.get(1..3).is_some_and(|drive| matches!(drive, ":/" | ":\\"))
}

/// Flags whose value is a pattern, which may look like a path.
const PATTERNS: &[&str] =
    &["-t", "--test-name-pattern", "--filter", "-R", "-E", "-L", "-LE", "--tests-regex", "--exclude-regex", "-f"];

/// Refuses files outside the repository: among the words that are no flag, and as values of the flags `paths`.
pub(super) fn inside(args: &[String], paths: &[&str]) -> Result<(), Refusal> {
    let is_pattern = |at: usize| at > 0 && args.get(at - 1).is_some_and(|flag| PATTERNS.contains(&flag.as_str()));
    let words = args.iter().enumerate().filter(|(at, _)| !is_pattern(*at)).map(|(_, word)| word.as_str());
    match words.chain(super::flags::values(args, paths)).find(|path| is_absolute(path)) {
        None => Ok(()),
        Some(path) => Err(Refusal {
            message: format!("`{path}` is not a path inside the repository"),
            label: "an absolute path".to_owned(),
            help: Some("write it relative to the test's folder".to_owned()),
        }),
    }
}

/// Shows an argument; a private path is a word in angle brackets.
fn show(arg: &OsStr, site: &Site<'_>) -> String {
    let text = arg.to_string_lossy();
    let private = site.private.to_string_lossy();
    match text.split_once(private.as_ref()) {
        Some((before, _)) => format!("{before}<reporter>"),
        None => text.into_owned(),
    }
}

/// Refuses a path that a command names when it leads out of the tree under test: in a clone it would lead into
/// another one.
pub(super) fn stays_inside(value: &str, site: &Site<'_>) -> Result<(), Failure> {
    let mut depth = site.cwd.strip_prefix(site.root).map_or(0, |inside| inside.components().count());
    for part in Path::new(value).components() {
        depth = match part {
            Component::Normal(_) => depth + 1,
            Component::CurDir => depth,
            Component::ParentDir if depth > 0 => depth - 1,
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(Failure::new(Kind::RunnerUnsupported, format!("`{value}` leads out of the repository"))
                    .next("name a path inside the repository, relative to the folder that the tests run in"));
            }
        };
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod tests {
    use super::{find_package, stays_inside};
    use crate::runners::Site;
    use std::path::Path;

    /// A site for tests: `root` is both the tree under test and the checkout.
    pub(in crate::runners) fn site<'a>(root: &'a Path, cwd: &'a Path, checkout: &'a Path) -> Site<'a> {
        Site { root, cwd, private: root, checkout, build: root, this_program: root, search_path: None }
    }

    fn install(folder: &Path, version: &str) {
        let package = folder.join("node_modules/runner");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(
            package.join("package.json"),
            format!(r#"{{"version":"{version}","bin":{{"runner":"./r.js","evil":"../x.js"}}}}"#),
        )
        .unwrap();
        std::fs::write(package.join("r.js"), "").unwrap();
        std::fs::write(package.join("../x.js"), "").unwrap();
    }

    #[test]
    fn packages_are_found_as_node_finds_them() {
        let folder = tempfile::tempdir().unwrap();
        let (outer, clone) = (folder.path().join("outer"), folder.path().join("clone"));
        let checkout = outer.join("checkout");
        for root in [&checkout, &clone] {
            std::fs::create_dir_all(root.join("packages/a")).unwrap();
        }
        install(folder.path(), "0.0.1");
        let version = |root: &Path, cwd: &str| {
            find_package("runner", &site(root, &root.join(cwd), &checkout)).map(|package| package.version)
        };
        install(&outer, "1.0.0");
        assert_eq!(version(&checkout, "packages/a").as_deref(), Some("1.0.0"));
        assert_eq!(version(&clone, "packages/a").as_deref(), Some("1.0.0"));
        install(&checkout, "2.0.0");
        assert_eq!(version(&checkout, "packages/a").as_deref(), Some("2.0.0"));
        assert_eq!(version(&clone, "packages/a").as_deref(), Some("1.0.0"));
        install(&checkout.join("packages/a"), "3.1.4");
        let package = find_package("runner", &site(&checkout, &checkout.join("packages/a"), &checkout)).unwrap();
        assert_eq!(package.major_minor(), (3, 1));
        assert!(package.program("runner").is_some());
        assert!(package.program("evil").is_none() && package.program("none").is_none());
    }

    #[test]
    fn paths_of_a_command_stay_in_the_repository() {
        let root = Path::new("/repo");
        let cwd = root.join("packages/a");
        let site = site(root, &cwd, root);
        for inside in ["x", "./x/../y", "../../vitest.config.ts", "../b"] {
            assert!(stays_inside(inside, &site).is_ok(), "{inside}");
        }
        for outside in ["../../../x", "/etc/x", "../../../repo/x"] {
            assert!(stays_inside(outside, &site).is_err(), "{outside}");
        }
    }
}
