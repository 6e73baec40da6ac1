//! `dotnet test` with `VSTest`: its TRX reports are read, from the private folder.

use super::flags::{Refused, empty, opened, report};
use super::trx::TrxReader;
use super::{About, Call, HarnessRules, Launch, RecordReader, Refusal, Runner, Site, Transport, jvm};
use crate::error::{Failure, Kind};
use crate::facts::Channel;
use std::ffi::OsString;
use std::path::PathBuf;

/// The runner.
#[derive(Debug)]
pub(super) struct Dotnet;

const REFUSED: &[Refused] = &[
    report(&["--logger", "-l", "--results-directory", "-r", "--report-trx"]),
    empty(&["--list-tests", "-t", "--help", "-h", "-?", "--version"]),
    opened(&["--test-adapter-path"]),
    Refused {
        names: &["--no-build", "--no-restore", "--output", "-o", "--artifacts-path"],
        why: "could test what an earlier build left, which the checker takes away",
        help: "take it out of the command",
    },
];

/// Build output and what was restored, beside a project: both can hold code that no source shows.
const BUILT: [&str; 3] = ["bin/Debug", "bin/Release", "obj"];

impl Runner for Dotnet {
    fn name(&self) -> &'static str {
        "dotnet"
    }

    fn about(&self) -> About {
        About {
            forms: &["dotnet test"],
            channel: Channel::ReportFile,
            seen: "skipped and inconclusive, cases by name, a test host that crashed; what an earlier build left in `bin` \
                   and `obj` is taken away",
            limits: "results come from a report file; the newer Microsoft.Testing.Platform is not read",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "dotnet").then(|| recognise(&call.args))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let folders = site.cwd.ancestors().take_while(|folder| folder.starts_with(site.root));
        let is_platform = |text: String| text.contains("Microsoft.Testing.Platform");
        if folders
            .map(|folder| folder.join("global.json"))
            .any(|file| std::fs::read_to_string(file).is_ok_and(is_platform))
        {
            return Err(Failure::new(Kind::RunnerUnsupported, "the project tests with Microsoft.Testing.Platform")
                .next("let the command write a JUnit report, and name it in the test clause's `junit`"));
        }
        let program = jvm::find_tool("dotnet", &[], site)?;
        let results = site.private.join("results");
        let mut args: Vec<OsString> = call.args.iter().map(OsString::from).collect();
        args.extend(["--logger".into(), "trx".into(), "--results-directory".into(), results.clone().into()]);
        let mut shown = vec![program.display().to_string()];
        shown.extend(call.args.iter().cloned());
        shown.extend(["--logger", "trx", "--results-directory", "<report>"].map(str::to_owned));
        let fixed = [
            ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
            ("DOTNET_NOLOGO", "1"),
            // Build processes would outlive the run.
            ("MSBUILDDISABLENODEREUSE", "1"),
            ("DOTNET_CLI_USE_MSBUILD_SERVER", "0"),
            ("UseSharedCompilation", "false"),
        ];
        let env = fixed.map(|(name, value)| (name.to_owned(), value.into())).to_vec();
        Ok(Launch { program, args, shown, env, transport: Transport::ReportFolders(vec![results]), version: None })
    }

    fn stale(&self, site: &Site<'_>) -> Vec<PathBuf> {
        let projects = jvm::folders_with_ending(site.root, &["csproj", "fsproj", "vbproj"]);
        projects.iter().flat_map(|project| BUILT.map(|folder| project.join(folder))).collect()
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(TrxReader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: &[
                "*.csproj",
                "*.fsproj",
                "*.vbproj",
                "*.props",
                "*.targets",
                "*.sln",
                "*.slnx",
                "*.slnf",
                "*.runsettings",
                "*.rsp",
                "*.dll",
                "global.json",
                "nuget.config",
                "xunit.runner.json",
                "*.xunit.runner.json",
                "testconfig.json",
                ".config/dotnet-tools.json",
            ],
            manifests: &[],
            followed_keys: &[],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        let Some((folders, name)) = path.rsplit_once('/').or(Some(("", path))) else { return false };
        let Some((stem, ending)) = name.rsplit_once('.') else { return false };
        let is_named = |text: &str| ["Test", "Tests", "Spec", "Specs"].iter().any(|end| text.ends_with(end));
        let is_folder = |folder: &str| is_named(folder) || matches!(folder, "test" | "tests");
        matches!(ending, "cs" | "fs" | "vb") && (is_named(stem) || folders.split('/').any(is_folder))
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        super::flags::values(&call.args, &["settings", "-s"]).into_iter().map(str::to_owned).collect()
    }
}

fn recognise(args: &[String]) -> Result<(), Refusal> {
    let refuse = |message: String, label: &str, help: &str| {
        Err(Refusal { message, label: label.to_owned(), help: Some(help.to_owned()) })
    };
    let [first, rest @ ..] = args else {
        return refuse("`dotnet` alone runs no test".to_owned(), "no `test`", "write `dotnet test`");
    };
    if first != "test" {
        return refuse(format!("`dotnet {first}` is not a test run"), "not a test run", "write `dotnet test`");
    }
    for word in rest {
        let written = word.split([':', '=']).next().unwrap_or(word);
        if word == "--" {
            return refuse(
                "what follows `--` gives settings that can send results elsewhere".to_owned(),
                "settings of the run",
                "put them into a `.runsettings` file at the merge base, and name it with `--settings`",
            );
        }
        if let Some(refused) = REFUSED.iter().find(|refused| refused.names.contains(&written)) {
            return refuse(format!("`{written}` {}", refused.why), "this flag is refused", refused.help);
        }
        let property = ["-p:", "/p:", "-property:", "--property:", "/property:", "--property="]
            .iter()
            .find_map(|prefix| word.strip_prefix(prefix))
            .unwrap_or_else(|| if word.contains('=') && !word.starts_with('-') { word } else { "" });
        if property.split(';').any(|it| it.to_ascii_lowercase().starts_with("vstest")) {
            return refuse(
                format!("`{word}` sets where results go, or which tests run"),
                "this property is refused",
                "take it out of the command",
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Dotnet;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised() {
        for text in [
            "dotnet test",
            "dotnet test App.sln -c Release --filter Category=Unit --settings ci.runsettings",
            "dotnet test tests/App.Tests -p:Version=1 --blame --nologo -v q",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "dotnet", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for text in [
            "dotnet",
            "dotnet build",
            "dotnet run",
            "dotnet test --list-tests",
            "dotnet test -t",
            "dotnet test --logger trx",
            "dotnet test -l:trx",
            "dotnet test --results-directory=x",
            "dotnet test --no-build",
            "dotnet test --no-restore",
            "dotnet test --output x",
            "dotnet test -p:VSTestNoBuild=true",
            "dotnet test --property:A=1;VSTestListTests=true",
            "dotnet test -p VSTestLogger=x",
            "dotnet test --test-adapter-path x",
            "dotnet test -- RunConfiguration.ResultsDirectory=x",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn test_files_are_told_by_name_and_folder() {
        for (path, expected) in [
            ("tests/App.Tests/Slug.cs", true),
            ("App.Tests/Helpers.fs", true),
            ("App/SlugTests.cs", true),
            ("App/Slug.cs", false),
            ("tests/data.json", false),
        ] {
            assert_eq!(Dotnet.is_test_file(path), expected, "{path}");
        }
    }
}
