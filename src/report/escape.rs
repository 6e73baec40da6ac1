//! Makes text from outside safe to show. Knows nothing of reports, only of media.
//!
//! Whatever a repository, a test or a contract says may hold characters that move a cursor, turn the
//! direction of writing, or cannot be seen. None of them survives `visible`, so no format lets one through.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Returns whether a character must not be shown as it is: it acts on the medium, or nobody can see it.
pub const fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{ad}'
            | '\u{34f}'
            | '\u{61c}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0e}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// Returns whether the text is ASCII without control characters, as most text is and long text had better be.
fn is_plain(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Returns the text on one line, with `\n`, `\t`, `\u{202e}` written out where a character is hidden.
pub fn visible(text: &str) -> Cow<'_, str> {
    if is_plain(text) || !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '\n' => shown.push_str("\\n"),
            '\r' => shown.push_str("\\r"),
            '\t' => shown.push_str("\\t"),
            c if is_hidden(c) => drop(write!(shown, "\\u{{{:x}}}", u32::from(c))),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Returns the lines of a passage, each made visible; a tab becomes four spaces, line ends count as one.
pub fn visible_lines(text: &str) -> Vec<String> {
    let text = text.replace("\r\n", "\n").replace('\t', "    ");
    text.trim_end_matches('\n').split('\n').map(|line| visible(line).into_owned()).collect()
}

/// Returns JSON in which every hidden character is written as `\uXXXX`, and the bracket of `##[`, which GitHub
/// Actions takes for a command anywhere in a line. The values stay the same.
pub fn json(serialized: &str) -> String {
    let mut shown = String::with_capacity(serialized.len());
    for c in serialized.chars() {
        // Line ends are layout here: inside strings the serialiser has written them out already.
        if is_hidden(c) && c != '\n' {
            for unit in c.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(c);
        }
    }
    shown.replace("##[", "##\\u005b")
}

/// Returns the text as a Markdown code span on one line.
pub fn code_span(text: &str) -> String {
    let text = visible(text);
    let fence = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.starts_with('`') || text.ends_with('`') || text.trim().is_empty() { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// Returns a code span that can stand in a table's cell, where a bar ends the cell even inside code.
pub fn code_cell(text: &str) -> String {
    code_span(text).replace('|', "\\|")
}

/// Returns a fenced block that the text cannot end. Text is indented, so that no line of it can be taken for
/// one of ours by scripts that read line by line.
pub fn code_block(language: &str, text: &str) -> String {
    let indent = if language == "text" { "  " } else { "" };
    let lines: Vec<String> = visible_lines(text).iter().map(|line| format!("{indent}{line}")).collect();
    let longest = lines.iter().map(|line| longest_run(line, '`')).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}", lines.join("\n"))
}

/// Returns the text for the middle of a Markdown line: it is read as the words it is, and links, names and
/// mentions nothing. What needs no escape stays as it is, since scripts read these lines.
pub fn markdown(text: &str) -> String {
    let text = visible(text);
    let chars: Vec<char> = text.chars().collect();
    let mut shown = String::with_capacity(text.len() + 16);
    for (at, &c) in chars.iter().enumerate() {
        let before = at.checked_sub(1).map(|at| chars[at]);
        let after = chars.get(at + 1).copied();
        let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '~' | '|' | '$' => shown.extend(['\\', c]),
            '_' if !(is_word(before) && is_word(after)) => shown.push_str("\\_"),
            // The forge links these after Markdown is done, so an escape does not help: a comment parts them.
            '@' | '#' if is_word(after) => {
                shown.push(c);
                shown.push_str("<!-- -->");
            }
            // `https://` and `www.` link by themselves.
            ':' if after == Some('/') => shown.push_str("\\:"),
            '.' if before.is_some_and(|c| c.eq_ignore_ascii_case(&'w')) => shown.push_str("\\."),
            c => shown.push(c),
        }
    }
    shown
}

/// Returns the message of a workflow command of GitHub Actions.
pub fn workflow_message(text: &str) -> String {
    // Line ends may stand in a message, written `%0A`; all else that is hidden is written out.
    let lines: Vec<Cow<'_, str>> = text.split('\n').map(|line| visible(line.trim_end_matches('\r'))).collect();
    lines.join("\n").replace('%', "%25").replace('\n', "%0A").replace("##[", "##\\u{5b}")
}

/// Returns a property of a workflow command of GitHub Actions: a file, a title.
pub fn workflow_property(text: &str) -> String {
    workflow_message(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns a log in which no line is a workflow command of GitHub Actions, whatever it quotes: `::` counts
/// at the start of a line, `##[` anywhere.
pub fn workflow_log(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        let line = match start.strip_prefix("::") {
            Some(rest) => Cow::Owned(format!("{}:\\u{{3a}}{rest}", &line[..line.len() - start.len()])),
            None => Cow::Borrowed(line),
        };
        shown.push_str(&line.replace("##[", "##\\u{5b}"));
    }
    shown
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for c in text.chars() {
        run = if c == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::{
        code_block, code_cell, code_span, is_hidden, json, markdown, visible, workflow_message, workflow_property,
    };
    use proptest::prelude::{any, proptest};
    use pulldown_cmark::{Event, Options, Parser};

    /// Returns the text that a reader of the rendered Markdown sees, and whether it holds anything but text.
    fn rendered(source: &str) -> (String, bool) {
        let mut text = String::new();
        let mut plain = true;
        let forge = Options::ENABLE_TABLES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_MATH
            | Options::ENABLE_GFM;
        for event in Parser::new_ext(source, forge) {
            match event {
                Event::Text(part) | Event::Code(part) => text.push_str(&part),
                Event::Start(pulldown_cmark::Tag::Paragraph) | Event::End(pulldown_cmark::TagEnd::Paragraph) => {}
                Event::InlineHtml(part) if &*part == "<!-- -->" => {}
                _ => plain = false,
            }
        }
        (text, plain)
    }

    #[test]
    fn hidden_characters_are_written_out() {
        for (text, shown) in [
            ("plain ü 日本 🎉", "plain ü 日本 🎉"),
            ("a\nb\tc\r", "a\\nb\\tc\\r"),
            ("\u{1b}[31m", "\\u{1b}[31m"),
            ("a\u{202e}b\u{200b}", "a\\u{202e}b\\u{200b}"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}"),
            ("\u{e0041}", "\\u{e0041}"),
        ] {
            assert_eq!(visible(text), shown);
        }
    }

    #[test]
    fn what_scripts_read_stays_as_it_is() {
        for text in ["changed: src/slugify.ts, tests/slugify.test.ts", "6 added (limit 15)", "a lacks \"f(x: y) {\""] {
            assert_eq!(markdown(text), text);
        }
    }

    #[test]
    fn a_log_holds_no_workflow_command() {
        let log = "ok\n  ::add-mask::x\nsee ##[error]y\nstd::string\n";
        assert_eq!(super::workflow_log(log), "ok\n  :\\u{3a}add-mask::x\nsee ##\\u{5b}error]y\nstd::string\n");
    }

    #[test]
    fn workflow_commands_cannot_be_injected() {
        assert_eq!(workflow_message("a\n::error::b\r\n%0A\u{1b}"), "a%0A::error::b%0A%250A\\u{1b}");
        assert_eq!(workflow_message("a##[error]b"), "a##\\u{5b}error]b");
        assert_eq!(workflow_property("a,b:c\n::x"), "a%2Cb%3Ac%0A%3A%3Ax");
    }

    proptest! {
        #[test]
        fn no_hidden_character_survives_any_medium(text in any::<String>()) {
            for shown in [
                visible(&text).into_owned(),
                code_span(&text),
                code_cell(&text),
                markdown(&text),
                workflow_message(&text),
                workflow_property(&text),
            ] {
                assert!(!shown.contains(is_hidden), "{shown:?}");
            }
            assert!(!code_block("", &text).contains(|c| is_hidden(c) && c != '\n'));
        }

        #[test]
        fn json_keeps_its_values(text in any::<String>()) {
            let shown = json(&serde_json::to_string(&text).expect("a string is JSON"));
            assert!(!shown.contains(is_hidden));
            assert_eq!(serde_json::from_str::<String>(&shown).expect("still JSON"), text);
        }

        #[test]
        fn json_holds_no_workflow_command(text in "[#\\[\\\\u:]{0,12}") {
            let shown = json(&serde_json::to_string(&text).expect("a string is JSON"));
            assert!(!shown.contains("##["));
            assert_eq!(serde_json::from_str::<String>(&shown).expect("still JSON"), text);
        }

        #[test]
        fn markdown_text_stays_text(text in "[ -~é\u{202e}\n]{0,40}") {
            let source = format!("x {} x", markdown(&text));
            let (seen, plain) = rendered(&source);
            assert!(plain, "{source:?}");
            let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(squeezed(&seen), squeezed(&format!("x {} x", visible(&text))), "{source:?}");
        }

        #[test]
        fn code_spans_hold_their_text(text in "[`| a<>\n]{1,20}") {
            let (seen, plain) = rendered(&format!("x {} x", code_span(&text)));
            assert!(plain);
            assert!(seen.contains(visible(&text).trim()), "{seen:?}");
        }
    }
}
