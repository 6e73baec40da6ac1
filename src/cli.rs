//! The command line as clap types. Holds no logic: `settings` checks what a type cannot say.

use clap::{ArgAction, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Checks a change against a contract that a human wrote first.
#[derive(Debug, Clone, PartialEq, Eq, Parser)]
#[command(name = "agent-acceptance", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How the outcome is told
    #[command(flatten)]
    pub output: OutputArgs,
}

const EXIT_CODES: &str = "\
Exit codes:
  0    passed: every check holds (parse, explain: the contract is valid)
  1    failed: a check does not hold
  2    error: wrong usage, or a contract that is not valid
  3    unchecked: no contract applies
  4    error: could not check (git, runner, network, uncommitted work, ...)
  5    failed, and the attempts are used up
  70   error: a bug of this tool
  130  interrupted

Every flag but --allow-harness has a variable: --base is AGENT_ACCEPTANCE_BASE. A flag wins over its
variable, an empty variable counts as unset, and lists have one entry a line.";

/// The three commands.
#[derive(Debug, Clone, PartialEq, Eq, Subcommand)]
pub enum Command {
    /// Judge a change
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckArgs),
    /// Read a contract and find its errors
    #[command(after_help = PARSE_EXAMPLES)]
    Parse(ParseArgs),
    /// Say what a contract asks and how it stands, without running a test
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
}

const CHECK_EXAMPLES: &str = "\
Examples:
  agent-acceptance check --demo                       see it work
  agent-acceptance check contract.md --base main      judge HEAD against main
  agent-acceptance check --issue 12                   the contract of an issue on GitHub
  agent-acceptance check contract.md --strict         for work that nobody watched
  agent-acceptance check - < contract.md              a contract on stdin";

const PARSE_EXAMPLES: &str = "\
Examples:
  agent-acceptance parse contract.md                  the contract as understood, and its digest
  agent-acceptance parse contract.md --format json    the same for programs";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  agent-acceptance explain contract.md --base main    before the work starts, and during it";

/// The flags of `check`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub range: RangeArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub artifacts: ArtifactArgs,
    /// Exit with 0 when there is no contract
    #[arg(long)]
    pub allow_unchecked: bool,
    /// Judge these facts, gathered elsewhere, instead of gathering them
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["demo"])]
    pub facts: Vec<PathBuf>,
    /// Write the facts that were gathered, for --facts
    #[arg(long, value_name = "FILE")]
    pub write_facts: Option<PathBuf>,
    /// Show a false claim fail and honest work pass, in a temporary repository
    #[arg(long, conflicts_with_all = ["contract", "base", "head"])]
    pub demo: bool,
}

/// The flags of `parse`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct ParseArgs {
    #[command(flatten)]
    pub source: SourceArgs,
}

/// The flags of `explain`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub source: SourceArgs,
    #[command(flatten)]
    pub range: RangeArgs,
    #[command(flatten)]
    pub run: RunArgs,
}

/// Where the contract is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct SourceArgs {
    /// File with the contract, or - for stdin
    #[arg(value_name = "CONTRACT")]
    pub contract: Option<PathBuf>,
    /// Refuse any other contract than the one with this digest
    #[arg(long, value_name = "sha256:HEX", value_parser = digest)]
    pub expect_digest: Option<String>,
    /// The contract is in an issue on GitHub
    #[cfg(feature = "github")]
    #[command(flatten)]
    pub forge: ForgeArgs,
}

/// A contract in an issue on GitHub, and who is trusted with it.
#[cfg(feature = "github")]
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "GitHub")]
pub struct ForgeArgs {
    /// Read the contract from this issue: 12, owner/repo#12 or its address
    #[arg(long, value_name = "REF", conflicts_with_all = ["contract", "pr"])]
    pub issue: Option<String>,
    /// Read the contract from the issue that this pull request closes
    #[arg(long, value_name = "REF", conflicts_with = "contract")]
    pub pr: Option<String>,
    /// Look for the number in this repository [default: the environment's, then the git remote's]
    #[arg(long, value_name = "OWNER/REPO")]
    pub repo: Option<String>,
    /// Trust authors with these associations [default: OWNER,MEMBER,COLLABORATOR]
    #[arg(long, value_name = "LIST", value_delimiter = ',', action = ArgAction::Append)]
    pub trust_associations: Vec<String>,
    /// Trust this author; repeatable
    #[arg(long, value_name = "LOGIN", action = ArgAction::Append)]
    pub trust_user: Vec<String>,
    /// Trust authors with this permission instead of an association
    #[arg(long, value_name = "LEVEL", value_parser = ["write"])]
    pub trust_permission: Option<String>,
    /// Refuse a contract whose edits cannot be read
    #[arg(long)]
    pub require_edit_history: bool,
    /// Wait at most so many seconds for a rate limit to be lifted [default: 60]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(0..=3600))]
    pub max_wait: Option<u64>,
}

/// Which change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
pub struct RangeArgs {
    /// Compare with this branch or commit [default: upstream/HEAD, origin/HEAD, origin/main, origin/master]
    #[arg(long, value_name = "REF")]
    pub base: Option<String>,
    /// Judge this commit [default: HEAD]
    #[arg(long, value_name = "REF")]
    pub head: Option<String>,
}

/// How tests are run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Test runs")]
pub struct RunArgs {
    /// Run tests in a private clone of head instead of the checkout
    #[arg(long)]
    pub isolate: bool,
    /// Trust nothing: isolate, run the merge base too, and let no test be lost or newly skipped
    #[arg(long)]
    pub strict: bool,
    /// Run this command first in each clone; needs --isolate or --strict; repeatable
    #[arg(long, value_name = "COMMAND", action = ArgAction::Append)]
    pub setup: Vec<String>,
    /// Let the tests see this variable of the environment; repeatable
    #[arg(long, value_name = "NAME", action = ArgAction::Append)]
    pub pass_env: Vec<String>,
    /// Let this file change although it decides how tests run; repeatable
    #[arg(long, value_name = "PATH", action = ArgAction::Append)]
    pub allow_harness: Vec<String>,
    /// Give a run without a limit of its own so many seconds [default: 900]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub timeout: Option<u64>,
    /// Run so many independent commands at once [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: Option<u16>,
    /// Keep build output and results of the merge base here, for the next run
    #[arg(long, value_name = "DIR")]
    pub cache_dir: Option<PathBuf>,
}

/// Documents, and how often they may be repaired.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Artifacts and attempts")]
pub struct ArtifactArgs {
    /// Judge this file (- for stdin) as the artifact at PATH, instead of the committed one; repeatable
    #[arg(long, value_name = "PATH=FILE", action = ArgAction::Append, value_parser = path_and_file)]
    pub artifact: Vec<(String, PathBuf)>,
    /// Compare with this file as the source at PATH, instead of the merge base's; repeatable
    #[arg(long, value_name = "PATH=FILE", action = ArgAction::Append, value_parser = path_and_file)]
    pub source: Vec<(String, PathBuf)>,
    /// Write the artifact at PATH to this file when passed, and only then; repeatable
    #[arg(long, value_name = "PATH=FILE", action = ArgAction::Append, value_parser = path_and_file)]
    pub publish: Vec<(String, PathBuf)>,
    /// Keep every attempt in this folder
    #[arg(long, value_name = "DIR")]
    pub record: Option<PathBuf>,
    /// Allow so many attempts at this contract, then exit with 5; needs --record
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub max_attempts: Option<u32>,
}

/// How the outcome is told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Choose the form of the report
    #[arg(long, value_name = "FORMAT", global = true, default_value = "human")]
    pub format: Format,
    /// Write the report to a file instead of stdout
    #[arg(long, value_name = "FILE", global = true)]
    pub output: Option<PathBuf>,
    /// Write a further report in another form; repeatable
    #[arg(long, value_name = "FORMAT=FILE", global = true, action = ArgAction::Append, value_parser = further_report)]
    pub report: Vec<(Format, PathBuf)>,
    /// Choose when to use colours
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub color: Color,
    /// Say nothing when passed, and less otherwise
    #[arg(short, long, global = true, overrides_with = "verbose")]
    pub quiet: bool,
    /// Cut nothing, and show what test runners print
    #[arg(short, long, global = true, overrides_with = "quiet")]
    pub verbose: bool,
    /// Work in this folder
    #[arg(short = 'C', long, value_name = "DIR", global = true)]
    pub directory: Option<PathBuf>,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum Format {
    /// For people
    #[default]
    Human,
    /// For programs
    Json,
    /// For comments and summaries
    Markdown,
    /// For an agent's stop hook
    Hook,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless the environment forbids it
    #[default]
    Auto,
    /// In any case
    Always,
    /// In no case
    Never,
}

fn digest(text: &str) -> Result<String, String> {
    let hex = text.strip_prefix("sha256:").unwrap_or(text);
    if hex.len() == 64 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        Ok(format!("sha256:{}", hex.to_ascii_lowercase()))
    } else {
        Err("a digest is sha256: and 64 hexadecimal digits, as `parse` prints it".to_owned())
    }
}

fn further_report(text: &str) -> Result<(Format, PathBuf), String> {
    let (format, file) = text.split_once('=').ok_or("write it as FORMAT=FILE: json=report.json")?;
    let format = Format::from_str(format, false).map_err(|_| "the formats are human, json, markdown and hook")?;
    if file.is_empty() { Err("the file's name is missing".to_owned()) } else { Ok((format, PathBuf::from(file))) }
}

/// Splits `PATH=FILE`. The contract's path is normalised as in a contract.
fn path_and_file(text: &str) -> Result<(String, PathBuf), String> {
    let (path, file) = text.split_once('=').ok_or("write it as PATH=FILE: incident.json=out.json")?;
    let path = path.replace('\\', "/");
    let segments: Vec<&str> = path.split('/').filter(|segment| !matches!(*segment, "" | ".")).collect();
    if segments.is_empty() || file.is_empty() {
        return Err("both sides of = must be there: incident.json=out.json".to_owned());
    }
    Ok((segments.join("/"), PathBuf::from(file)))
}
