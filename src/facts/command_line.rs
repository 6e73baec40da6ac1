//! A command as people write it: one that is pasted into a shell is the one that was run. Knows nothing of what it does.

/// What a shell takes for more than itself, inside a word.
const SPECIAL: &[char] =
    &['\'', '"', '\\', '$', '`', '!', '*', '?', '[', ']', '{', '}', '(', ')', '<', '>', '|', '&', ';', '#', '~'];

/// What stands for a private path of a run, which nobody could paste.
const OURS: &[&str] = &["<reporter>", "<report>", "<printer>", "<private>"];

/// Returns an argv as one line, with quotation marks where a shell would take an argument apart or for something else.
pub fn command_line(argv: &[String]) -> String {
    argv.iter().map(|word| quoted(word)).collect::<Vec<_>>().join(" ")
}

/// Double quotation marks mean the same in every shell; where a POSIX shell would still read something in them, single ones.
fn quoted(word: &str) -> String {
    let is_special = |c: char| SPECIAL.contains(&c);
    let without_ours = OURS.iter().find_map(|ours| word.strip_suffix(ours)).unwrap_or(word).trim_end();
    if !word.is_empty() && !without_ours.contains(|c: char| is_special(c) || c.is_whitespace()) {
        return word.to_owned();
    }
    if word.contains(['\'', '"', '\\', '$', '`', '!']) {
        format!("'{}'", word.replace('\'', "'\\''"))
    } else {
        format!("\"{word}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::command_line;

    #[track_caller]
    fn check(argv: &[&str], expected: &str) {
        let argv: Vec<String> = argv.iter().map(|&word| word.to_owned()).collect();
        assert_eq!(command_line(&argv), expected);
    }

    #[test]
    fn a_plain_command_is_its_words() {
        check(&["npx", "vitest", "--project=a,b", "src/a.ts:3"], "npx vitest --project=a,b src/a.ts:3");
        check(&["ctest", "--output-junit <report>"], "ctest --output-junit <report>");
    }

    #[test]
    fn what_a_shell_would_take_apart_or_for_something_else_is_quoted() {
        check(&["vitest", "-t", "adds two"], "vitest -t \"adds two\"");
        check(&["vitest", "", "a\tb"], "vitest \"\" \"a\tb\"");
        check(&["pytest", "t.py::test[1]", "*"], "pytest \"t.py::test[1]\" \"*\"");
        check(&["echo", "it's", "$HOME", "say \"a\"", "a\\b"], r#"echo 'it'\''s' '$HOME' 'say "a"' 'a\b'"#);
        check(&["a", ";", "rm", "-rf", "~"], "a \";\" rm -rf \"~\"");
    }
}
