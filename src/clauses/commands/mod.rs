//! `commands`: a command exits with 0. Only its exit status says something; what it prints never does.

pub(super) mod refuse;

use super::running::{self, Part, Reason};
use super::schema_parts::{described, entries};
use super::{Block, Clause, ClauseKind, DEFAULT_TIMEOUT_SECONDS, Explanation, Finding, Found, Standing};
use crate::facts::{CommandFacts, CommandPlan, Facts, Known, Plan, ProcessEnd, command_line};
use crate::json::{Member, Node, Problem, Reader, Value as Json};
use crate::runners::{self, Refusal};
use serde_json::{Value, json};

const KEY: &str = "commands";

pub(super) const KIND: ClauseKind = ClauseKind { key: KEY, read, schema };

/// This command must exit with 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandClause {
    at: String,
    command: Vec<String>,
    cwd: String,
    timeout_seconds: Option<u64>,
}

impl CommandClause {
    /// Returns the command as argv.
    pub fn command(&self) -> &[String] {
        &self.command
    }

    /// Returns the command as people read it.
    fn shown(&self) -> String {
        let command = command_line(&self.command);
        if self.cwd.is_empty() { command } else { format!("{command} (in {})", self.cwd) }
    }

    fn timeout(&self) -> u64 {
        self.timeout_seconds.unwrap_or(DEFAULT_TIMEOUT_SECONDS)
    }
}

fn read(reader: &mut Reader, member: &Member) -> Vec<Box<dyn Clause>> {
    let clauses = reader.each(&member.value, "commands", entry).unwrap_or_default();
    clauses.into_iter().map(|clause| Box::new(clause) as Box<dyn Clause>).collect()
}

fn entry(reader: &mut Reader, node: &Node) -> Option<CommandClause> {
    let object = reader.object(node, &["command", "cwd", "timeout_seconds"])?;
    let at = reader.pointer().to_owned();
    let command = reader.required(&object, "command");
    let command = command.and_then(|node| reader.within("command", |reader| argv(reader, node)));
    let cwd = object.get("cwd").map(|node| reader.within("cwd", |reader| reader.folder(node)));
    let timeout = object.get("timeout_seconds");
    let timeout = timeout.map(|node| reader.within("timeout_seconds", |reader| reader.integer(node, 1, 86_400)));
    Some(CommandClause {
        at,
        command: command?,
        cwd: cwd.unwrap_or_else(|| Some(String::new()))?,
        timeout_seconds: match timeout {
            None => None,
            Some(read) => Some(read?),
        },
    })
}

fn argv(reader: &mut Reader, node: &Node) -> Option<Vec<String>> {
    if let Json::String(text) = &node.value {
        let name = reader.name();
        // A text that a shell would take apart is not taken apart here: a quotation mark left inside an argument makes
        // a command that does something else.
        let help = match runners::command::words(text) {
            Ok(words) => format!("write each argument as an entry: {}", json!(words)),
            Err(_) => {
                "write each argument as an entry, without a shell's quotes: [\"sh\", \"-c\", \"a b; c\"]".to_owned()
            }
        };
        let problem = Problem::new(node.span.clone(), format!("{name} must be a list of strings"), "a string");
        reader.problem(problem.help(help));
        return None;
    }
    let words = reader.each(node, "strings", |reader, item| {
        if let Json::String(word) = &item.value {
            Some(word.clone())
        } else {
            reader.wrong_type(item, "must be a string");
            None
        }
    })?;
    match runners::command::argv(&words).and_then(|()| refuse::check(&words)) {
        Ok(()) => Some(words),
        Err(Refusal { message, label, help }) => {
            reader.problem(Problem { span: node.span.clone(), message, label, help });
            None
        }
    }
}

fn schema() -> Value {
    let properties = json!({
        "command": {"type": "array", "items": {"type": "string"}, "minItems": 1},
        "cwd": {"type": "string", "default": "."},
        "timeout_seconds": {"type": "integer", "minimum": 1, "maximum": 86400, "default": DEFAULT_TIMEOUT_SECONDS},
    });
    described(
        entries(&properties, &["command"], &json!({})),
        "Commands that must exit with 0: type check, build, lint.",
        "Commands that must exit with 0: type check, build, lint. A list of arguments, never a shell, a package script or \
         make. Only the exit status is looked at.",
        &json!([[{"command": ["npx", "tsc", "--noEmit"]}]]),
    )
}

impl Clause for CommandClause {
    fn check(&self) -> &'static str {
        KEY
    }

    fn at(&self) -> &str {
        &self.at
    }

    fn normalized(&self) -> Value {
        json!({
            "command": self.command,
            "cwd": if self.cwd.is_empty() { "." } else { &self.cwd },
            "timeout_seconds": self.timeout(),
        })
    }

    fn needs(&self, plan: &mut Plan) {
        plan.change = true;
        plan.commands.push(CommandPlan {
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            timeout_seconds: self.timeout_seconds,
        });
    }

    fn judge(&self, facts: &Facts, index: usize) -> Finding {
        let not_collected = Known::not_collected();
        match facts.commands.get(index).unwrap_or(&not_collected).get() {
            Ok(run) => judge(self, run, facts),
            Err(failure) => {
                let mut finding = Finding::unknown(KEY, &self.at, failure);
                finding.evidence = json!({ "argv": self.command, "cwd": self.cwd });
                finding
            }
        }
    }

    fn explain(&self, _facts: &Facts, _index: usize) -> Explanation {
        Explanation {
            check: KEY.to_owned(),
            at: self.at.clone(),
            standing: Standing::NeedsRun,
            lines: vec![
                format!("This command must exit with 0, within {} s:", self.timeout()),
                format!("  {}", self.shown()),
                "Only its exit status is looked at, not what it prints.".to_owned(),
                "The files that configure it must stay as they are.".to_owned(),
            ],
            next: Vec::new(),
        }
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

fn judge(clause: &CommandClause, run: &CommandFacts, facts: &Facts) -> Finding {
    let change = facts.change.get();
    let harness = running::harness(&run.harness, run.strict, change.ok(), "what the command does");
    let mut part = if run.not_run.is_none() { exit(clause, run) } else { Part::default() };
    part.add(harness);
    let ended = match run.not_run.as_deref() {
        Some(failure) => {
            running::not_run(&mut part, "the command was", failure);
            format!("not run: {}", failure.message)
        }
        None => format!("{} (exit status only)", end_words(&run.end)),
    };
    part.add(running::tree(&run.tree_after));
    part.unknown.extend(change.err().cloned());
    let end = &run.end;
    let mut evidence = json!({
        "argv": clause.command,
        "cwd": clause.cwd,
        "exit_status": end.exit_status,
        "signal": end.signal,
        "timed_out": end.timed_out,
        "seconds": running::milliseconds(end.seconds),
        "output_tail": running::tail(end.output.trim_end()),
        "reasons": [],
    });
    if let Some(Known::Known(base)) = &run.base {
        evidence["base_exit_status"] = json!(base.exit_status);
    }
    part.take_list("harness", &mut evidence);
    part.take_list("tree_after", &mut evidence);
    let command = clause.shown();
    let finding = part.into_finding(KEY, &clause.at, format!("{command}: {ended}"), evidence);
    Finding { command: Some(command), ..finding }
}

/// Judges how the command ended, and tells how it ended at the merge base.
fn exit(clause: &CommandClause, run: &CommandFacts) -> Part {
    let mut part = Part::default();
    let end = &run.end;
    let is_red_at_base = match &run.base {
        Some(Known::Known(base)) => !running::ended_well(base),
        Some(Known::Unknown(failure)) => {
            part.notes.push(format!("how it ends at the merge base is unknown: {}", failure.message));
            false
        }
        None => false,
    };
    if is_red_at_base {
        part.detail.push("it fails at the merge base already".to_owned());
    }
    if end.left_running > 0 {
        part.notes.push(format!("processes that the command left running, and that were ended: {}", end.left_running));
    }
    if running::ended_well(end) {
        return part;
    }
    part.reasons.push(if end.timed_out { Reason::Timeout } else { Reason::ExitStatus });
    let mut block = Block {
        expected: vec!["exit status 0".to_owned()],
        found: vec![Found::Text(format!("{}, in {:.1} s", end_words(end), end.seconds))],
        next: vec![if end.timed_out {
            format!("make the command end within {} s", clause.timeout())
        } else {
            "make the command succeed: the end of its output says what is wrong".to_owned()
        }],
    };
    if is_red_at_base {
        block.found.push(Found::Text("also fails at the merge base".to_owned()));
    }
    let output = running::tail(end.output.trim_end());
    if !output.is_empty() {
        block.found.push(Found::Quoted(output.to_owned()));
    }
    part.blocks.push(block);
    part
}

fn end_words(end: &ProcessEnd) -> String {
    match (end.timed_out, end.signal, end.exit_status) {
        (true, _, _) => "timed out".to_owned(),
        (false, Some(signal), _) => format!("signal {signal}"),
        (false, None, Some(status)) => format!("exit {status}"),
        (false, None, None) => "no exit status".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clauses::{FindingStatus, samples};
    use crate::contract::{Reading, read as read_contract};
    use crate::error::{Failure, Kind};
    use crate::facts::{ChangeStatus, HarnessChange, HarnessWeight, RepoPath, TreeDifference};

    const CONTRACT: &str = r#"{"commands": [{"command": ["npx", "tsc", "--noEmit"]}]}"#;

    fn run(exit_status: i32) -> CommandFacts {
        CommandFacts {
            end: ProcessEnd {
                exit_status: Some(exit_status),
                output: "a.ts(1,1): error".to_owned(),
                ..ProcessEnd::default()
            },
            not_run: None,
            base: None,
            harness: Vec::new(),
            tree_after: Vec::new(),
            strict: false,
        }
    }

    #[track_caller]
    fn judged(run: Known<CommandFacts>) -> Finding {
        let mut facts = samples::facts([samples::file("a.ts", ChangeStatus::Modified, 1, 1)]);
        facts.commands = vec![run];
        samples::judge(CONTRACT, &facts)
    }

    #[track_caller]
    fn check(run: CommandFacts, reasons: &[&str], detail: &str) -> Finding {
        let finding = judged(Known::Known(run));
        let status = if reasons.is_empty() { FindingStatus::Passed } else { FindingStatus::Failed };
        assert_eq!((finding.status, &finding.evidence["reasons"]), (status, &json!(reasons)));
        assert_eq!(finding.detail, format!("npx tsc --noEmit: {detail}"));
        finding
    }

    #[test]
    fn only_exit_status_0_holds_and_the_finding_says_that_it_is_all() {
        check(run(0), &[], "exit 0 (exit status only)");
        check(run(2), &["exit_status"], "exit 2 (exit status only)");
        let mut killed = run(0);
        killed.end.signal = Some(9);
        check(killed, &["exit_status"], "signal 9 (exit status only)");
        let mut late = run(0);
        late.end.timed_out = true;
        check(late, &["timeout"], "timed out (exit status only)");
        let mut without = run(0);
        without.end.exit_status = None;
        check(without, &["exit_status"], "no exit status (exit status only)");
    }

    #[test]
    fn harness_and_tree_fail_beside_exit_status_0() {
        let mut changed = run(0);
        changed.harness = vec![HarnessChange {
            path: RepoPath::from("tsconfig.json"),
            status: ChangeStatus::Modified,
            section: None,
            why: "it configures tsc".to_owned(),
            weight: HarnessWeight::StrictFault,
        }];
        check(changed.clone(), &[], "exit 0 (exit status only)");
        changed.strict = true;
        check(changed.clone(), &["harness"], "exit 0 (exit status only); 1 harness file changed");
        let failure = Failure::new(Kind::RunnerMissing, "the program `tsc` is not installed");
        let not_run = CommandFacts { not_run: Some(Box::new(failure)), end: ProcessEnd::default(), ..changed.clone() };
        check(not_run, &["harness"], "not run: the program `tsc` is not installed; 1 harness file changed");
        changed.harness.clear();
        changed.tree_after = vec![TreeDifference { path: RepoPath::from("a.ts"), what: "modified".to_owned() }];
        check(changed, &["dirty_tree"], "exit 0 (exit status only); 1 file changed by the run");
    }

    #[test]
    fn strict_mode_says_whether_it_was_red_before() {
        let mut red = run(2);
        red.base = Some(Known::Known(run(2).end));
        check(red.clone(), &["exit_status"], "exit 2 (exit status only); it fails at the merge base already");
        red.base = Some(Known::Known(run(0).end));
        check(red.clone(), &["exit_status"], "exit 2 (exit status only)");
        red.base = Some(Known::Unknown(Box::new(Failure::new(Kind::CloneUnusable, "no clone"))));
        let finding = check(red, &["exit_status"], "exit 2 (exit status only)");
        assert_eq!(finding.notes, ["how it ends at the merge base is unknown: no clone"]);
    }

    #[test]
    fn an_unknown_end_is_no_pass() {
        let finding = judged(Known::Unknown(Box::new(Failure::new(Kind::RunnerMissing, "tsc is not installed"))));
        assert_eq!(finding.status, FindingStatus::Unknown);
        assert_eq!(finding.evidence, json!({"argv": ["npx", "tsc", "--noEmit"], "cwd": ""}));
    }

    #[test]
    fn problems_are_told_at_their_place() {
        for (entry, message) in [
            (r#"{"command": "npx tsc"}"#, "\"command\" must be a list of strings"),
            (r#"{"command": []}"#, "\"command\" is an empty list"),
            (r#"{"command": ["npx", 1]}"#, "entry 2 of \"command\" must be a string"),
            (r#"{"command": ["sh", "-c", "x"]}"#, "`sh` is a shell, and a shell can run anything"),
            (r#"{"cwd": "a"}"#, "entry 1 of \"commands\" has no \"command\""),
            (
                r#"{"command": ["tsc"], "timeout_seconds": 0}"#,
                "\"timeout_seconds\" must be a whole number, from 1 to 86400",
            ),
            (r#"{"command": ["tsc"], "passed": 1}"#, "unknown key \"passed\""),
        ] {
            let text = format!(r#"{{"commands": [{entry}]}}"#);
            let Reading::Invalid(problems) = read_contract(text.as_bytes()) else { panic!("{entry} was taken") };
            assert_eq!(problems[0].message, message, "{entry}");
        }
    }

    #[test]
    fn defaults_are_written_out() {
        let expected = json!({"command": ["npx", "tsc", "--noEmit"], "cwd": ".", "timeout_seconds": 900});
        assert_eq!(samples::clauses(CONTRACT)[0].normalized(), expected);
    }
}
