//! From the text of a command to its words. There is no shell: what a shell would interpret is refused, so that a
//! command never means something else than what it says. Knows nothing of runners.

use super::Refusal;

/// A command longer than this, in bytes, or with more words than [`MAX_WORDS`] is refused.
const MAX_BYTES: usize = 32 * 1024;
const MAX_WORDS: usize = 1024;

/// Splits the string form of a command at white space.
///
/// # Errors
/// Returns a refusal for shell syntax, control and invisible characters, and for an empty command.
pub fn words(text: &str) -> Result<Vec<String>, Refusal> {
    let mut starts_word = true;
    for character in text.trim().chars() {
        if let Some(name) = forbidden(character, starts_word) {
            return Err(refusal(&format!("the command holds {name}, and no shell reads it"), name, &array_form(text)));
        }
        starts_word = character.is_whitespace();
    }
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    argv(&words)?;
    Ok(words)
}

/// Checks the array form of a command, in which every character stands for itself.
///
/// # Errors
/// Returns a refusal for an empty list or program, NUL, or a size that no system takes.
pub fn argv(words: &[String]) -> Result<(), Refusal> {
    let [program, ..] = words else {
        return Err(refusal("the command is empty", "empty", "write the runner's command, such as `npx vitest run`"));
    };
    if program.trim().is_empty() {
        return Err(refusal("the command's first word is empty", "no program", "begin with the program's name"));
    }
    if words.iter().any(|word| word.contains('\0')) {
        return Err(refusal("the command holds a NUL character", "NUL", "take it out: no program can be given one"));
    }
    if words.len() > MAX_WORDS || words.iter().map(String::len).sum::<usize>() > MAX_BYTES {
        return Err(refusal("the command is too long", "too long", "name a folder or a pattern instead of every file"));
    }
    Ok(())
}

fn refusal(message: &str, label: &str, help: &str) -> Refusal {
    Refusal { message: message.to_owned(), label: label.to_owned(), help: Some(help.to_owned()) }
}

/// Shows the array form of the same words where that is readable.
fn array_form(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let is_plain =
        words.len() <= 8 && !text.contains(['\'', '"', '\\', '`', '$', '|', '&', ';', '<', '>', '(', ')', '\n']);
    if is_plain {
        let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
        return format!("where it is meant literally, write the command as a list: `[{}]`", quoted.join(", "));
    }
    "write one command as a list, an argument each: `[\"npx\", \"vitest\", \"run\", \"-t\", \"a b; c\"]`".to_owned()
}

/// Names what a shell would interpret, or what a reader could not see. `~`, `#` and `!` mean something only where a
/// word begins; `[` is left alone: paths such as `app/[slug]` and pytest's ids hold it, and no reader takes it for a list.
fn forbidden(character: char, starts_word: bool) -> Option<&'static str> {
    match character {
        '\n' | '\r' => Some("a line break"),
        '\t' | ' ' => None,
        '$' => Some("`$`"),
        '`' => Some("a backtick"),
        '(' | ')' => Some("a parenthesis"),
        '<' | '>' => Some("a redirection"),
        '|' => Some("a pipe"),
        '&' => Some("`&`"),
        ';' => Some("`;`"),
        '*' | '?' => Some("a wildcard"),
        '\'' | '"' => Some("a quotation mark"),
        '{' | '}' => Some("a brace"),
        '\\' => Some("a backslash"),
        '~' if starts_word => Some("`~`"),
        '#' if starts_word => Some("`#`"),
        '!' if starts_word => Some("`!`"),
        character if character.is_control() => Some("a control character"),
        '\u{00ad}'
        | '\u{061c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{2069}'
        | '\u{feff}' => Some("an invisible character"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{argv, words};

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(words(text).unwrap(), expected, "{text:?}");
    }

    #[test]
    fn words_are_split_at_white_space() {
        check("npx vitest run", &["npx", "vitest", "run"]);
        check("  npx \t vitest\u{a0}run a ", &["npx", "vitest", "run", "a"]);
        check("pytest tests/test_a.py::test_x[1-a]", &["pytest", "tests/test_a.py::test_x[1-a]"]);
        check("npx vitest run app/[slug]/page.test.tsx", &["npx", "vitest", "run", "app/[slug]/page.test.tsx"]);
        check("cargo test a~b c#d e!", &["cargo", "test", "a~b", "c#d", "e!"]);
    }

    #[test]
    fn shell_syntax_is_refused_and_the_array_form_is_named() {
        for text in [
            "npx vitest run $(id)",
            "npx vitest run `id`",
            "npx vitest run && id",
            "npx vitest run; id",
            "a | b",
            "a > x",
            "a < x",
            "a *.ts",
            "a ?.ts",
            "a 'b c'",
            "a \"b\"",
            "a {b,c}",
            "a ~/x",
            "a # b",
            "! a",
            "a\nb",
            "a\r\nb",
            "a \\ b",
            "$HOME/a",
            "a &",
        ] {
            let refusal = words(text).unwrap_err();
            assert!(refusal.help.as_deref().unwrap_or_default().contains('['), "{text:?}: {refusal:?}");
        }
    }

    #[test]
    fn what_a_reader_cannot_see_is_refused() {
        for text in ["a\0b", "a \u{1b}[31m", "npx vitest run --\u{200b}reporter=x", "a \u{202e}b", "a \u{7f}", ""] {
            assert!(words(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_array_form_takes_every_character_but_nul() {
        let list = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        assert!(argv(&list(&["npx", "vitest", "run", "-t", "a b; $(c)\n*"])).is_ok());
        assert!(argv(&list(&["npx", "a\0"])).is_err());
        assert!(argv(&list(&[])).is_err());
        assert!(argv(&list(&["", "a"])).is_err());
        assert!(argv(&vec!["a".to_owned(); 2000]).is_err());
    }
}
