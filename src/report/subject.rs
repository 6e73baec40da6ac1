//! What a finding is about, where its name alone does not say it: a file, a command, a text.

use crate::clauses::Finding;
use serde_json::Value;

/// Returns what the finding's evidence names as its subject. It comes from outside and is not escaped.
pub(super) fn subject(finding: &Finding) -> Option<String> {
    let evidence = |key: &str| finding.evidence.get(key).filter(|value| !value.is_null());
    if let Some(argv) = evidence("argv").and_then(Value::as_array) {
        return Some(argv.iter().filter_map(Value::as_str).map(quoted).collect::<Vec<_>>().join(" "));
    }
    let rule = evidence("path").or_else(|| evidence("rule")).filter(|_| finding.at.matches('/').count() > 1);
    if let Some(rule) = rule {
        return rule.as_str().or_else(|| rule.get("glob")?.as_str()).map(str::to_owned);
    }
    let text = evidence("text").or_else(|| evidence("regex"))?.as_str()?;
    Some(format!("{text:?}"))
}

/// Returns an argument so that people see where it ends.
fn quoted(argument: &str) -> String {
    if argument.is_empty() || argument.contains(char::is_whitespace) {
        format!("{argument:?}")
    } else {
        argument.to_owned()
    }
}
