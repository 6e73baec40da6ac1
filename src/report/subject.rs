//! What a finding is about, where its name alone does not say it: a file, a command, a text.

use crate::clauses::Finding;
use crate::facts::command_line;
use serde_json::Value;

/// Returns what the finding's evidence names as its subject. It comes from outside and is not escaped.
pub(super) fn subject(finding: &Finding) -> Option<String> {
    let evidence = |key: &str| finding.evidence.get(key).filter(|value| !value.is_null());
    if let Some(argv) = evidence("argv").and_then(Value::as_array) {
        let argv: Vec<String> = argv.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        return Some(command_line(&argv));
    }
    let rule = evidence("path").or_else(|| evidence("rule")).filter(|_| finding.at.matches('/').count() > 1);
    if let Some(rule) = rule {
        return rule.as_str().or_else(|| rule.get("glob")?.as_str()).map(str::to_owned);
    }
    let text = evidence("text").or_else(|| evidence("regex"))?.as_str()?;
    Some(format!("{text:?}"))
}
