//! `php` with the path of an installed runner.

use super::{Rest, refuse};
use crate::runners::Refusal;

/// Settings of PHP that a command may give: none of them loads code or hides what a test does.
const SETTINGS: &[&str] =
    &["memory_limit", "max_execution_time", "error_reporting", "display_errors", "zend.assertions"];

/// Takes one launcher off, when the command begins with one. Returns whether it did.
pub(super) fn take(name: &str, rest: &mut Rest<'_>) -> Result<bool, Refusal> {
    if name != "php" {
        return Ok(false);
    }
    rest.take();
    while let Some(word) = rest.peek().filter(|word| word.starts_with('-')) {
        let setting = if word == "-d" { rest.words.get(1).map(String::as_str) } else { word.strip_prefix("-d") };
        let n_words = if word == "-d" { 2 } else { 1 };
        let is_known = setting.is_some_and(|it| SETTINGS.contains(&it.split('=').next().unwrap_or(it)));
        if !is_known {
            return Err(refuse(
                &format!("`php {word}` changes what is run"),
                "changes what is run",
                "write `vendor/bin/phpunit`, or `php -d memory_limit=-1 vendor/bin/phpunit`",
            ));
        }
        for _ in 0..n_words {
            rest.take();
        }
    }
    match rest.peek() {
        Some(word) if word.contains('/') => Ok(true),
        other => Err(refuse(
            &format!("`php {}` hides which test runner is run", other.unwrap_or_default()),
            "hides the runner",
            "write `vendor/bin/phpunit`",
        )),
    }
}
