//! Flags and environment, checked once. The only room that reads the environment.
//!
//! A variable becomes the flag that it stands for before the command line is parsed, so that both go the
//! same way and are checked by the same rules.

mod destinations;

use crate::cli::{Cli, Color, Command, Format, OutputArgs, RunArgs};
use crate::error::{Failure, Kind};
use crate::exec::OWN_VARIABLES;
use crate::report;
use clap::{CommandFactory as _, Parser as _};
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

/// The prefix of the variables that stand for flags.
const PREFIX: &str = "AGENT_ACCEPTANCE_";
/// What only a command line may say: an exception that is made without anybody looking is none.
const NO_VARIABLE: &[&str] = &["allow-harness"];

/// The environment of the process, as it was at the start.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    variables: Vec<(OsString, OsString)>,
}

/// What the tool was asked to do, complete and checked.
#[derive(Debug)]
pub struct Settings {
    /// The command and its flags.
    pub command: Command,
    /// How the outcome is told.
    pub output: Output,
    /// The folder to work in, absolute.
    pub directory: PathBuf,
    /// The environment that the tool was started with.
    pub environment: Environment,
}

/// How and where the outcome is told.
#[derive(Debug, Clone)]
pub struct Output {
    /// The form of the main report.
    pub format: Format,
    /// Its file; `None` for stdout.
    pub file: Option<PathBuf>,
    /// Further reports.
    pub further: Vec<(Format, PathBuf)>,
    /// When colours are used.
    pub color: Color,
    /// How many columns a terminal has.
    pub columns: usize,
    /// How much is told.
    pub verbosity: report::Verbosity,
    /// What GitHub Actions wants to be told, when this runs there.
    pub actions: Option<Actions>,
}

/// The files that a step of GitHub Actions appends to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Actions {
    /// The job's summary.
    pub summary: Option<PathBuf>,
    /// The step's outputs.
    pub outputs: Option<PathBuf>,
}

/// Why the settings came to nothing.
#[derive(Debug)]
pub enum Early {
    /// Help or the version was asked for: the text for stdout.
    Help(String),
    /// No command was given: the text for stderr.
    Bare(String),
    /// The command line or a variable is wrong.
    Wrong(Box<Wrong>),
}

/// A usage error, and how it is to be told.
#[derive(Debug)]
pub struct Wrong {
    /// What is wrong.
    pub failure: Failure,
    /// The command that was meant, as far as one can tell.
    pub command: report::Command,
    /// How to tell it: only to stdout or stderr.
    pub output: Output,
}

impl Environment {
    /// Takes the environment of this process.
    pub fn of_process() -> Self {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
        let variables = std::env::vars_os().collect();
        Self { variables }
    }

    /// Returns a variable. An empty one counts as unset.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        let is_it = |known: &OsStr| if cfg!(windows) { known.eq_ignore_ascii_case(name) } else { known == name };
        let value = self.variables.iter().find(|(known, _)| is_it(known)).map(|(_, value)| value.as_os_str());
        value.filter(|value| !value.is_empty())
    }

    /// Returns all variables, for those who decide what reaches the code under test.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.variables
    }
}

/// Reads the command line and the environment.
pub fn load(args: &[OsString], environment: Environment) -> Result<Settings, Early> {
    let wrong = |failure| {
        Early::Wrong(Box::new(Wrong {
            failure,
            command: command_word(args),
            output: Output::guessed(args, &environment),
        }))
    };
    let (flags, failure) = flags_of(&environment, args);
    if let Some(failure) = failure {
        return Err(wrong(failure));
    }
    let cli = match Cli::try_parse_from(with_flags(args, flags)) {
        Ok(cli) => cli,
        Err(error) if !error.use_stderr() => return Err(Early::Help(error.render().to_string())),
        Err(error) => return Err(wrong(usage_failure(&error))),
    };
    let Some(command) = cli.command else { return Err(Early::Bare(short_help())) };
    if let Err(failure) = check(&command, &cli.output) {
        return Err(wrong(failure));
    }
    let directory = match directory(cli.output.directory.clone()) {
        Ok(directory) => directory,
        Err(failure) => return Err(wrong(failure)),
    };
    if let Err(failure) = destinations::check(&command, &cli.output, &directory) {
        return Err(wrong(failure));
    }
    let output = Output::new(&cli.output, &environment).below(&directory);
    Ok(Settings { command, output, directory, environment })
}

fn directory(named: Option<PathBuf>) -> Result<PathBuf, Failure> {
    let unusable = |named: &std::path::Path, error: std::io::Error| {
        Failure::new(Kind::Usage, format!("failed to work in `{}`", named.display()))
            .detail("cause", error.to_string())
            .next("name a folder that is there and can be read")
    };
    let directory = match named {
        Some(named) => std::fs::canonicalize(&named).map_err(|error| unusable(&named, error))?,
        None => std::env::current_dir().map_err(|error| unusable(".".as_ref(), error))?,
    };
    if directory.is_dir() {
        Ok(directory)
    } else {
        Err(Failure::new(Kind::Usage, format!("`{}` is not a folder", directory.display())).next("name a folder"))
    }
}

/// Checks what clap's types cannot say: a flag without its partner does nothing, and must not seem to.
fn check(command: &Command, output: &OutputArgs) -> Result<(), Failure> {
    let usage = |message: &str, next: &str| Err(Failure::new(Kind::Usage, message).next(next));
    let run = match command {
        Command::Check(args) => &args.run,
        Command::Explain(args) => &args.run,
        Command::Parse(_) => &RunArgs::default(),
    };
    if !run.setup.is_empty() && !run.isolate && !run.strict {
        return usage(
            "--setup runs in clones: it needs --isolate or --strict",
            "add one of them, or leave out --setup",
        );
    }
    if let Some(name) = run.pass_env.iter().find(|name| name.is_empty() || name.contains(['=', '\0'])) {
        let message = format!("{name:?} is not the name of a variable; --pass-env takes the name alone");
        return usage(&message, "write the name as in --pass-env DATABASE_URL");
    }
    let is_hook = output.format == Format::Hook || output.report.iter().any(|(format, _)| *format == Format::Hook);
    if is_hook && !matches!(command, Command::Check(_)) {
        let message = "the format hook is the verdict of a check, and this command judges nothing";
        return usage(message, "take --format human, json or markdown, or run check");
    }
    if let Command::Check(args) = command {
        if args.artifacts.max_attempts.is_some() && args.artifacts.record.is_none() {
            return usage("--max-attempts counts what was recorded: it needs --record", "add --record FOLDER");
        }
        let stdin = args.source.contract.iter().chain(args.artifacts.artifact.iter().map(|(_, file)| file));
        if stdin.filter(|file| file.as_os_str() == "-").count() > 1 {
            return usage("only one thing can be read from stdin", "write the others into files, and name these");
        }
        let source = args.source.contract.is_some();
        if args.demo && (source || !args.facts.is_empty() || args.source.expect_digest.is_some()) {
            return usage("--demo brings its own contract and change", "run it alone: agent-acceptance check --demo");
        }
        if args.demo && (output.format != Format::Human || output.output.is_some() || !output.report.is_empty()) {
            let message = "--demo is a story for people: it has no other form and goes into no file";
            return usage(message, "run it alone: agent-acceptance check --demo");
        }
    }
    Ok(())
}

impl Output {
    fn new(args: &OutputArgs, environment: &Environment) -> Self {
        let verbosity = match (args.quiet, args.verbose) {
            (true, _) => report::Verbosity::Quiet,
            (false, true) => report::Verbosity::Verbose,
            (false, false) => report::Verbosity::Normal,
        };
        let file = |name: &str| environment.get(name).map(PathBuf::from);
        let is_actions = environment.get("GITHUB_ACTIONS").is_some_and(|value| value == "true");
        Self {
            format: args.format,
            file: args.output.clone(),
            further: args.report.clone(),
            color: color(args.color, environment),
            columns: columns(environment),
            verbosity,
            actions: is_actions
                .then(|| Actions { summary: file("GITHUB_STEP_SUMMARY"), outputs: file("GITHUB_OUTPUT") }),
        }
    }

    /// Takes relative files from the folder to work in, as every other flag does.
    fn below(self, directory: &std::path::Path) -> Self {
        let further = self.further.iter().map(|(format, file)| (*format, directory.join(file))).collect();
        Self { file: self.file.as_ref().map(|file| directory.join(file)), further, ..self }
    }

    /// Makes out how an error is to be told when the command line could not be parsed.
    fn guessed(args: &[OsString], environment: &Environment) -> Self {
        let args: Vec<&str> = args.iter().filter_map(|arg| arg.to_str()).take_while(|arg| *arg != "--").collect();
        let after = args.iter().position(|arg| *arg == "--format").and_then(|at| args.get(at + 1)).copied();
        let joined = args.iter().find_map(|arg| arg.strip_prefix("--format="));
        let variable = environment.get("AGENT_ACCEPTANCE_FORMAT").and_then(OsStr::to_str);
        let format = after.or(joined).or(variable).and_then(|word| {
            let parsed = <Format as clap::ValueEnum>::from_str(word, false);
            parsed.ok()
        });
        let args = OutputArgs { format: format.unwrap_or_default(), ..OutputArgs::default() };
        Self::new(&args, environment)
    }
}

/// `--color` wins over the variables that everybody knows.
fn color(asked: Color, environment: &Environment) -> Color {
    let is_set = |name: &str| environment.get(name).is_some_and(|value| value != "0");
    match asked {
        Color::Always | Color::Never => asked,
        Color::Auto if environment.get("NO_COLOR").is_some() => Color::Never,
        Color::Auto if is_set("CLICOLOR_FORCE") => Color::Always,
        Color::Auto if environment.get("CLICOLOR").is_some_and(|value| value == "0") => Color::Never,
        Color::Auto if environment.get("TERM").is_some_and(|value| value == "dumb") => Color::Never,
        Color::Auto => Color::Auto,
    }
}

fn columns(environment: &Environment) -> usize {
    let columns = environment.get("COLUMNS").and_then(OsStr::to_str).and_then(|text| text.parse().ok());
    columns.filter(|columns| (40..=400).contains(columns)).unwrap_or(80)
}

/// Returns the flags that the environment's variables stand for, and the first variable that is wrong.
fn flags_of(environment: &Environment, args: &[OsString]) -> (Vec<OsString>, Option<Failure>) {
    let mut flags = Vec::new();
    for (name, value) in &environment.variables {
        let Some(rest) = name.to_str().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
        if value.is_empty() || OWN_VARIABLES.iter().any(|own| name == own) {
            continue;
        }
        match flag_of(rest, value, args) {
            Ok(flag) => flags.extend(flag),
            Err(failure) => return (flags, Some(failure)),
        }
    }
    (flags, None)
}

fn flag_of(rest: &str, value: &OsStr, args: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let long = rest.to_ascii_lowercase().replace('_', "-");
    let wrong = |message: String| Failure::new(Kind::Usage, message);
    if NO_VARIABLE.contains(&long.as_str()) {
        return Err(wrong(format!("{PREFIX}{rest} is not read: --{long} has to stand on the command line"))
            .next(format!("unset it, and write --{long} where it is meant")));
    }
    let root = Cli::command();
    let commands: Vec<&clap::Command> = std::iter::once(&root).chain(root.get_subcommands()).collect();
    let find = |command: &clap::Command| {
        command.get_arguments().find(|arg| arg.get_long() == Some(&long) && rest == rest.to_ascii_uppercase()).cloned()
    };
    let Some(arg) = commands.iter().find_map(|command| find(command)) else {
        let known = commands.iter().flat_map(|command| command.get_arguments()).filter_map(clap::Arg::get_long);
        let nearest = known.min_by_key(|known| strsim::damerau_levenshtein(known, &long)).unwrap_or("base");
        let nearest = format!("{PREFIX}{}", nearest.to_ascii_uppercase().replace('-', "_"));
        return Err(wrong(format!("the variable {PREFIX}{rest} stands for no flag"))
            .next(format!("did you mean {nearest}? Unset it otherwise")));
    };
    // A variable may be meant for another command than this one; it must be known to one of them.
    let is_taken = find(&root).is_some()
        || commands.iter().any(|command| command.get_name() == command_word(args).word() && find(command).is_some());
    if !is_taken || is_on_command_line(&arg, args) {
        return Ok(Vec::new());
    }
    if !arg.get_action().takes_values() {
        return match value.to_str() {
            Some("1" | "true" | "yes" | "on") => Ok(vec![format!("--{long}").into()]),
            Some("0" | "false" | "no" | "off") => Ok(Vec::new()),
            _ => {
                Err(wrong(format!("{PREFIX}{rest} must be true or false")).next("set it to true or false, or unset it"))
            }
        };
    }
    let is_list = matches!(arg.get_action(), clap::ArgAction::Append);
    let joined = |value: &OsStr| {
        let mut flag = OsString::from(format!("--{long}="));
        flag.push(value);
        flag
    };
    match value.to_str().filter(|_| is_list) {
        Some(list) => Ok(list.lines().filter(|line| !line.is_empty()).map(|line| joined(line.as_ref())).collect()),
        None => Ok(vec![joined(value)]),
    }
}

fn is_on_command_line(arg: &clap::Arg, args: &[OsString]) -> bool {
    let long = arg.get_long().unwrap_or_default();
    args.iter().filter_map(|arg| arg.to_str()).take_while(|word| *word != "--").any(|word| {
        let is_long = word.strip_prefix("--").is_some_and(|word| word.split('=').next() == Some(long));
        let is_short = !word.starts_with("--") && word.starts_with('-');
        is_long || is_short && arg.get_short().is_some_and(|short| word.contains(short))
    })
}

/// Puts flags behind the command's word, before everything that the user wrote for it.
fn with_flags(args: &[OsString], flags: Vec<OsString>) -> Vec<OsString> {
    let Some(at) = command_position(args) else { return args.to_vec() };
    let (before, after) = args.split_at(at + 1);
    before.iter().cloned().chain(flags).chain(after.iter().cloned()).collect()
}

/// Returns where the command's word stands: the first one that is neither a flag nor a flag's value.
fn command_position(args: &[OsString]) -> Option<usize> {
    let root = Cli::command();
    let mut is_value = false;
    for (at, word) in args.iter().enumerate().skip(1) {
        let word = word.to_str().unwrap_or_default();
        if is_value {
            is_value = false;
        } else if let Some(long) = word.strip_prefix("--") {
            let takes = |arg: &clap::Arg| arg.get_long() == Some(long) && arg.get_action().takes_values();
            is_value = root.get_arguments().any(takes);
        } else if let Some(short) = word.strip_prefix('-') {
            let takes = |arg: &clap::Arg| arg.get_short() == short.chars().next() && arg.get_action().takes_values();
            is_value = short.chars().count() == 1 && root.get_arguments().any(takes);
        } else {
            return Some(at);
        }
    }
    None
}

fn command_word(args: &[OsString]) -> report::Command {
    match command_position(args).and_then(|at| args[at].to_str()) {
        Some("parse") => report::Command::Parse,
        Some("explain") => report::Command::Explain,
        _ => report::Command::Check,
    }
}

/// Turns clap's text into a failure, so that every format can tell it.
fn usage_failure(error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let message = lines.next().unwrap_or_default().trim_start_matches("error: ").to_owned();
    let mut failure = Failure::new(Kind::Usage, message);
    for line in lines {
        if let Some(usage) = line.strip_prefix("Usage: ") {
            failure = failure.next(format!("write it as  {usage}"));
        } else if let Some(tip) = line.strip_prefix("tip: ") {
            failure = failure.next(tip);
        } else if line.starts_with("For more information") {
            failure = failure.next("see all flags with --help");
        } else {
            failure = failure.detail("", line);
        }
    }
    failure
}

fn short_help() -> String {
    let forms = if cfg!(feature = "github") { "CONTRACT | --issue REF | --pr REF   " } else { "CONTRACT   " };
    format!(
        "\
Checks a change against a contract that a human wrote first.

  agent-acceptance check   {forms}judge the change
  agent-acceptance explain {forms}say what it asks
  agent-acceptance parse   {forms}find its errors

  agent-acceptance check --demo    see a false claim fail and honest work pass
  agent-acceptance help check      all flags, exit codes, examples
"
    )
}

#[cfg(test)]
mod tests {
    use super::{Early, Environment, Settings, load};
    use crate::cli::{Color, Command, Format};

    fn loaded(args: &str, variables: &[(&str, &str)]) -> Result<Settings, String> {
        let args: Vec<_> = std::iter::once("tool").chain(args.split_whitespace()).map(Into::into).collect();
        let variables = variables.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        load(&args, Environment { variables }).map_err(|early| match early {
            Early::Help(text) | Early::Bare(text) => text,
            Early::Wrong(wrong) => format!("{:?}: {}", wrong.output.format, wrong.failure.message),
        })
    }

    fn base(args: &str, variables: &[(&str, &str)]) -> Option<String> {
        match loaded(args, variables).expect("valid settings").command {
            Command::Check(check) => check.range.base,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_flag_wins_over_its_variable_and_an_empty_one_is_unset() {
        let main = &[("AGENT_ACCEPTANCE_BASE", "main")];
        assert_eq!(base("check c.md", main).as_deref(), Some("main"));
        assert_eq!(base("check c.md --base other", main).as_deref(), Some("other"));
        assert_eq!(base("check c.md --base=other", main).as_deref(), Some("other"));
        assert_eq!(base("--color never check c.md", main).as_deref(), Some("main"));
        assert_eq!(base("check c.md", &[("AGENT_ACCEPTANCE_BASE", "")]), None);
    }

    #[test]
    fn variables_that_stand_for_nothing_are_refused() {
        for (name, value) in [
            ("AGENT_ACCEPTANCE_BSE", "main"),
            ("AGENT_ACCEPTANCE_base", "main"),
            ("AGENT_ACCEPTANCE_ALLOW_HARNESS", "conftest.py"),
            ("AGENT_ACCEPTANCE_STRICT", "perhaps"),
            ("AGENT_ACCEPTANCE_TIMEOUT", "0"),
            ("AGENT_ACCEPTANCE_", "x"),
        ] {
            assert!(loaded("check c.md", &[(name, value)]).is_err(), "{name} was taken");
        }
        assert!(loaded("parse c.md", &[("AGENT_ACCEPTANCE_TIMEOUT", "5")]).is_ok(), "it is for another command");
        assert!(loaded("parse c.md", &[("AGENT_ACCEPTANCE_RUN", "5")]).is_ok(), "it is the tool's own");
    }

    #[test]
    fn booleans_and_lists_have_variables_too() {
        let variables = [("AGENT_ACCEPTANCE_STRICT", "true"), ("AGENT_ACCEPTANCE_SETUP", "npm ci\nnpm run build\n")];
        let Command::Check(check) = loaded("check c.md", &variables).expect("valid").command else { panic!("check") };
        assert!(check.run.strict);
        assert_eq!(check.run.setup, ["npm ci", "npm run build"]);
    }

    #[test]
    fn a_flag_without_its_partner_is_refused() {
        for args in ["check c.md --setup x", "check --demo c.md", "check c.md --output a --report json=a"] {
            assert!(loaded(args, &[]).is_err(), "{args}");
        }
    }

    #[test]
    fn an_error_is_told_in_the_format_that_was_asked_for() {
        for args in ["check --format json --nonsense", "check --nonsense --format=json", "--format json nonsense"] {
            let told = loaded(args, &[]).expect_err("a usage error");
            assert!(told.starts_with("Json: "), "{told}");
        }
        assert!(loaded("nonsense", &[("AGENT_ACCEPTANCE_FORMAT", "json")]).expect_err("usage").starts_with("Json"));
    }

    #[test]
    fn colours_follow_flag_then_variables() {
        for (args, variables, color) in [
            ("check c.md", &[][..], Color::Auto),
            ("check c.md", &[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")], Color::Never),
            ("check c.md", &[("NO_COLOR", "")], Color::Auto),
            ("check c.md", &[("CLICOLOR_FORCE", "1")], Color::Always),
            ("check c.md --color always", &[("NO_COLOR", "1")], Color::Always),
        ] {
            assert_eq!(loaded(args, variables).expect("valid").output.color, color, "{args} {variables:?}");
        }
    }

    #[test]
    fn formats_and_files_are_read() {
        let settings = loaded("check c.md --format markdown --report json=a=b.json", &[]).expect("valid");
        let further = vec![(Format::Json, settings.directory.join("a=b.json"))];
        assert_eq!((settings.output.format, settings.output.further), (Format::Markdown, further));
    }
}
