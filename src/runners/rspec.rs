//! rspec 3: run by our launcher script with a formatter of ours. Results come over the private channel; see
//! `reporters/rspec_launcher.rb`.

use super::flags::{self, Refused, blind, empty, endless, opened, report};
use super::protocol::Reader;
use super::{About, Call, HarnessRules, Installed, Launch, RecordReader, Refusal, Runner, Site, Transport};
use crate::error::{Failure, Kind};
use crate::exec::find_program;
use crate::facts::Channel;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The runner.
#[derive(Debug)]
pub(super) struct Rspec;

const LAUNCHER: &str = include_str!("reporters/rspec_launcher.rb");

const REFUSED: &[Refused] = &[
    report(&["format", "-f", "out", "-o"]),
    empty(&["dry-run", "only-failures", "next-failure", "-n", "init", "version", "-v", "help", "-h"]),
    endless(&["bisect"]),
    opened(&["drb", "-X", "drb-port"]),
    blind(&["failure-exit-code", "error-exit-code"]),
];

/// Short options that take the rest of their word, or the next word, as their value.
const WITH_VALUE: &str = "IrOofPeEtp";

impl Runner for Rspec {
    fn name(&self) -> &'static str {
        "rspec"
    }

    fn about(&self) -> About {
        About {
            forms: &["bundle exec rspec", "rspec"],
            channel: Channel::Private,
            seen: "skipped, announced without a body, pending that failed as declared or passed, tries of rspec-retry, \
                   errors outside of examples, files that fail to load",
            limits: "examples run in rspec's own process: code written to deceive can add results",
        }
    }

    fn recognise(&self, call: &Call) -> Option<Result<(), Refusal>> {
        (call.program == "rspec").then(|| flags::check_beginnings(&call.args, REFUSED, WITH_VALUE))
    }

    fn prepare(&self, call: &Call, site: &Site<'_>) -> Result<Launch, Failure> {
        let file = site.private.join("rspec_launcher.rb");
        std::fs::write(&file, LAUNCHER).map_err(|error| {
            Failure::new(Kind::Io, format!("failed to write `{}`", file.display())).detail("cause", error.to_string())
        })?;
        let is_bundled = call.launcher.first().is_some_and(|word| word == "bundle");
        let (program, mut args, seen_as) = if is_bundled {
            let bundle = find("bundle", site)?;
            (bundle, vec!["exec".into(), "ruby".into()], OsString::from("rspec"))
        } else {
            let rspec = find(call.launcher.last().map_or("rspec", String::as_str), site)?;
            (ruby_of(&rspec, site)?, Vec::new(), rspec.into_os_string())
        };
        let mut shown: Vec<String> = vec![program.display().to_string()];
        shown.extend(args.iter().map(|arg: &OsString| arg.to_string_lossy().into_owned()));
        shown.push("<rspec launcher>".to_owned());
        shown.extend(call.args.iter().cloned());
        args.extend([file.into_os_string(), seen_as]);
        args.extend(call.args.iter().map(OsString::from));
        Ok(Launch { program, args, shown, env: Vec::new(), transport: Transport::Socket, version: None })
    }

    fn reader(&self, _launch: &Launch, site: &Site<'_>) -> Box<dyn RecordReader> {
        Box::new(Reader::new(site))
    }

    fn harness(&self) -> HarnessRules {
        HarnessRules {
            files: &[
                ".rspec",
                ".rspec-local",
                "spec/spec_helper.rb",
                "spec/rails_helper.rb",
                "spec/support/**",
                // `lib` and `spec` come first on the load path.
                "lib/rspec.rb",
                "spec/rspec.rb",
                "lib/rspec/**",
                "spec/rspec/**",
                "Gemfile",
                "gems.rb",
                "*.gemspec",
                ".bundle/**",
                "vendor/bundle/**",
                "vendor/cache/**",
                ".ruby-version",
                ".tool-versions",
            ],
            manifests: &[],
            followed_keys: &[],
        }
    }

    fn installed(&self) -> Installed {
        Installed {
            folders: &["vendor/bundle", ".bundle"],
            manifests: &["gemfile", "gemfile.lock", "gems.rb", "gems.locked"],
        }
    }

    fn is_test_file(&self, path: &str) -> bool {
        path.rsplit('/').next().unwrap_or(path).ends_with("_spec.rb")
    }

    fn named_files(&self, call: &Call) -> Vec<String> {
        let named = flags::values(&call.args, &["require", "-r", "options", "-O"]);
        named
            .into_iter()
            .flat_map(|name| {
                let name = name.trim_start_matches("./");
                [name.to_owned(), format!("{name}.rb"), format!("spec/{name}.rb"), format!("lib/{name}.rb")]
            })
            .collect()
    }
}

fn find(name: &str, site: &Site<'_>) -> Result<PathBuf, Failure> {
    find_program(OsStr::new(name), site.search_path, site.cwd).ok_or_else(|| {
        Failure::new(Kind::RunnerMissing, format!("`{name}` was not found in PATH"))
            .next("install it, such as with `bundle install`, and check again")
    })
}

/// The Ruby that lies beside a program of its gems, or else the one in `PATH`.
fn ruby_of(program: &Path, site: &Site<'_>) -> Result<PathBuf, Failure> {
    let beside = program.parent().map(|folder| folder.join(if cfg!(windows) { "ruby.exe" } else { "ruby" }));
    match beside.filter(|ruby| ruby.is_file()) {
        Some(ruby) => Ok(ruby),
        None => find("ruby", site),
    }
}

#[cfg(test)]
mod tests {
    use super::Rspec;
    use crate::runners::{Runner as _, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn test_runs_are_recognised() {
        for text in [
            "rspec",
            "bundle exec rspec spec/a_spec.rb:12",
            "rspec --fail-fast --order rand:1 -e name -tfast -Ifixtures",
            "rspec --tag ~slow --require ./spec/other_helper --warnings -b -c",
            "rspec --default-path spec --pattern x_spec.rb --options .rspec-ci",
        ] {
            let (runner, _) = recognise(&words(text)).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
            assert_eq!(runner.name(), "rspec", "{text}");
        }
    }

    #[test]
    fn runs_that_could_not_be_believed_are_refused() {
        for flag in [
            "--format=json",
            "--form json",
            "-fdoc",
            "-bf doc",
            "--out x",
            "-o x",
            "--dry-run",
            "--dry",
            "--only-failures",
            "--next-failure",
            "-n",
            "--bisect=verbose",
            "--drb",
            "-X",
            "--failure-exit-code=0",
            "--failure-exit 0",
            "--error-exit-code 0",
            "--init",
            "-v",
            "--help",
        ] {
            assert!(recognise(&words(&format!("bundle exec rspec {flag}"))).is_err(), "{flag}");
        }
    }

    #[test]
    fn test_files_and_files_that_the_command_names_are_told() {
        assert!(Rspec.is_test_file("spec/models/a_spec.rb"));
        assert!(!Rspec.is_test_file("spec/spec_helper.rb"));
        let (_, call) = recognise(&words("rspec -r ./ci -O other")).unwrap();
        let named = Rspec.named_files(&call);
        assert!(named.contains(&"ci.rb".to_owned()) && named.contains(&"other".to_owned()), "{named:?}");
    }
}
