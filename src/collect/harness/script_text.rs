//! Cuts JavaScript, TypeScript and JSON into words, strings and signs, well enough to find names of files.
//! Knows nothing of what the names mean.

/// A piece of a script. Comments, numbers and regular expressions are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Token {
    /// A string's content, escapes left as they are.
    Text(String),
    /// An identifier or keyword.
    Word(String),
    /// Any other character.
    Sign(char),
}

/// Cuts a script. Never fails: what is not understood is a sign.
pub(super) fn tokens(script: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut rest = script;
    while let Some(first) = rest.chars().next() {
        if first.is_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(comment) = rest.strip_prefix("/*") {
            rest = comment.find("*/").map_or("", |end| &comment[end + 2..]);
        } else if matches!(first, '"' | '\'' | '`') {
            let (text, after) = quoted(&rest[1..], first);
            found.push(Token::Text(text.to_owned()));
            rest = after;
        } else if first == '/' && starts_expression(found.last()) {
            rest = after_pattern(&rest[1..]);
        } else if is_word(first) {
            let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
            found.push(Token::Word(rest[..end].to_owned()));
            rest = &rest[end..];
        } else {
            found.push(Token::Sign(first));
            rest = &rest[first.len_utf8()..];
        }
    }
    found
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

/// Returns the text up to the quote that ends it, and what follows.
fn quoted(rest: &str, quote: char) -> (&str, &str) {
    let mut escaped = false;
    for (at, character) in rest.char_indices() {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if character == quote || quote != '`' && character == '\n' {
            return (&rest[..at], &rest[at + 1..]);
        }
    }
    (rest, "")
}

/// Returns whether a slash after this token begins a regular expression.
fn starts_expression(before: Option<&Token>) -> bool {
    match before {
        None => true,
        Some(Token::Sign(sign)) => !matches!(sign, ')' | ']' | '}'),
        Some(Token::Word(word)) => matches!(word.as_str(), "return" | "typeof" | "case" | "in" | "of"),
        Some(Token::Text(_)) => false,
    }
}

fn after_pattern(rest: &str) -> &str {
    let (mut escaped, mut in_class) = (false, false);
    for (at, character) in rest.char_indices() {
        match character {
            '\n' => return &rest[at..],
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return &rest[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, expected: &[&str]) {
        let texts: Vec<String> = tokens(script)
            .into_iter()
            .filter_map(|token| match token {
                Token::Text(text) => Some(text),
                Token::Word(_) | Token::Sign(_) => None,
            })
            .collect();
        assert_eq!(texts, expected, "{script}");
    }

    #[test]
    fn strings_are_found_beside_comments_and_patterns() {
        check("a('x', \"y\", `z`)", &["x", "y", "z"]);
        check("// 'no'\n/* 'no' */ 'yes'", &["yes"]);
        check("test: /['\"]/, b: 'c'", &["c"]);
        check("a / 2; 'x' / 'y'", &["x", "y"]);
        check(r"'a\'b'", &[r"a\'b"]);
        check("'open", &["open"]);
        check("'open\n'next'", &["open", "next"]);
    }
}
