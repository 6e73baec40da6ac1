//! The arguments of `go test`, sorted into what builds, what runs, what is tested and what the tests get.
//! Knows nothing of how they are run.

use super::super::{Call, Refusal};

/// The arguments of one command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Args {
    /// Flags that decide how packages are built.
    pub(super) build: Vec<String>,
    /// Flags of the test run alone.
    pub(super) run: Vec<String>,
    /// Packages, or files; none for the package of the folder.
    pub(super) packages: Vec<String>,
    /// `-args` and what follows.
    pub(super) after: Vec<String>,
}

/// Flags without a value that decide how packages are built.
const BUILD: &[&str] =
    &["a", "race", "msan", "asan", "x", "work", "trimpath", "modcacherw", "buildvcs", "linkshared", "cover"];
const BUILD_WITH_VALUE: &[&str] = &[
    "p",
    "asmflags",
    "buildmode",
    "covermode",
    "coverpkg",
    "gccgoflags",
    "gcflags",
    "installsuffix",
    "ldflags",
    "mod",
    "modfile",
    "pgo",
    "tags",
];
const RUN: &[&str] = &["v", "short", "failfast", "benchmem", "fullpath", "artifacts"];
const RUN_WITH_VALUE: &[&str] = &[
    "run",
    "skip",
    "count",
    "cpu",
    "parallel",
    "timeout",
    "bench",
    "benchtime",
    "blockprofile",
    "blockprofilerate",
    "coverprofile",
    "cpuprofile",
    "memprofile",
    "memprofilerate",
    "mutexprofile",
    "mutexprofilefraction",
    "outputdir",
    "shuffle",
    "trace",
    "vet",
];

/// Sorts the arguments; `None` when the command is not `go test`.
pub(super) fn sort(call: &Call) -> Option<Result<Args, Refusal>> {
    if call.program != "go" || !call.launcher.is_empty() {
        return None;
    }
    Some(match call.args.split_first() {
        Some((first, rest)) if first == "test" => sorted(rest),
        _ => Err(refusal(
            "`go` runs tests only as `go test`",
            "not a test run",
            "write `go test ./...`; for its exit status alone, use `commands`",
        )),
    })
}

fn sorted(words: &[String]) -> Result<Args, Refusal> {
    let mut args = Args::default();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let Some(flag) = word.strip_prefix("--").or_else(|| word.strip_prefix('-')).filter(|flag| !flag.is_empty())
        else {
            if super::super::node::is_absolute(word) {
                let help = "write it relative to the test's folder, such as `./...`";
                return Err(refusal(&format!("`{word}` is not inside the repository"), "an absolute path", help));
            }
            args.packages.push(word.clone());
            continue;
        };
        let (name, value) = flag.split_once('=').map_or((flag, None), |(name, value)| (name, Some(value)));
        if name == "args" {
            if let Some(bad) = rest.clone().find(|word| is_of_testing(word)) {
                let message = format!("`{bad}` sets package `testing` behind the checker's back");
                return Err(refusal(&message, "this flag is refused", "take it out of the command"));
            }
            args.after = std::iter::once(word).chain(rest).cloned().collect();
            break;
        }
        refused(name)?;
        let is_build = BUILD.contains(&name) || BUILD_WITH_VALUE.contains(&name);
        let takes_value = BUILD_WITH_VALUE.contains(&name) || RUN_WITH_VALUE.contains(&name);
        if !is_build && !takes_value && !RUN.contains(&name) {
            let message = format!("`-{name}` is not a flag of `go test` that is known");
            return Err(refusal(&message, "unknown flag", "flags of your own tests stand after `-args`"));
        }
        let next = if takes_value && value.is_none() { rest.next() } else { None };
        let value = value.or(next.map(String::as_str)).unwrap_or_default();
        repeats(name, value)?;
        let list = if is_build { &mut args.build } else { &mut args.run };
        list.push(word.clone());
        list.extend(next.cloned());
    }
    Ok(args)
}

/// Returns whether a word after `-args` is read by package `testing` itself.
fn is_of_testing(word: &str) -> bool {
    word.trim_start_matches('-').starts_with("test.") && word.starts_with('-')
}

/// A test that runs more than once has more than one result.
fn repeats(name: &str, value: &str) -> Result<(), Refusal> {
    let is_once = match name {
        "count" => value == "1",
        "cpu" => !value.contains(','),
        _ => true,
    };
    if is_once {
        return Ok(());
    }
    let message = format!("`-{name} {value}` gives one test several results");
    Err(refusal(&message, "this flag is refused", "take it out; `repeat` in the contract runs the tests several times"))
}

fn refused(name: &str) -> Result<(), Refusal> {
    let why = match name {
        "json" | "o" => "sets where results go, and the checker sets that itself",
        "exec" | "overlay" | "toolexec" | "compiler" | "pkgdir" => {
            "decides what is built and run, and the checker sets that itself"
        }
        "c" | "n" | "i" | "list" | "h" | "help" => "runs no test",
        "fuzz" | "fuzztime" | "fuzzminimizetime" => "looks for new failures until its time is up",
        "update" | "u" => "rewrites what the tests compare with",
        "C" => {
            let help = "say the folder in `cwd`";
            return Err(refusal("`-C` runs in another folder", "another folder", help));
        }
        _ if name.starts_with("test.") => "sets package `testing` behind the checker's back",
        _ => return Ok(()),
    };
    Err(refusal(&format!("`-{name}` {why}"), "this flag is refused", "take it out of the command"))
}

fn refusal(message: &str, label: &str, help: &str) -> Refusal {
    Refusal { message: message.to_owned(), label: label.to_owned(), help: Some(help.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::{Args, sort};
    use crate::runners::{launcher, recognise};

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn arguments_are_sorted() {
        let call = launcher::take_off(&words("go test -race -run ^TestA$ -tags=x ./... --timeout 5m -args -update a"));
        let args = sort(&call.unwrap()).unwrap().unwrap();
        let expected = Args {
            build: words("-race -tags=x"),
            run: words("-run ^TestA$ --timeout 5m"),
            packages: words("./..."),
            after: words("-args -update a"),
        };
        assert_eq!(args, expected);
    }

    #[test]
    fn test_runs_are_recognised_and_what_is_none_is_refused() {
        for text in ["go test", "go test ./...", "go test -v -count=1 ./a ./b", "go test a_test.go", "go test -cpu 1"] {
            assert_eq!(recognise(&words(text)).unwrap().0.name(), "go test", "{text}");
        }
        for text in [
            "go vet ./...",
            "go",
            "go test -json",
            "go test -exec x",
            "go test --overlay=x",
            "go test -toolexec x",
            "go test -c",
            "go test -n",
            "go test -list .",
            "go test -count=2",
            "go test -count 0",
            "go test -cpu 1,2",
            "go test -fuzz=.",
            "go test -update",
            "go test -C x",
            "go test -o x",
            "go test -test.list=.",
            "go test ./... -args -test.run=^$",
            "go test ./... -args --test.list .",
            "go test /etc",
            "go test -nonsense",
        ] {
            assert!(recognise(&words(text)).is_err(), "{text}");
        }
    }
}
