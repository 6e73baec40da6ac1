//! Closing keywords in the text of a pull request, as GitHub's documentation has them.
//!
//! Only text that a reader sees counts: no code, no HTML or its comments, no quoted block. GitHub's own
//! rule for block quotes is not published; a quoted keyword is somebody else's word, so it is left out.

use super::reference::Reference;
use crate::facts::RepoName;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use regex::Regex;
use std::sync::LazyLock;

/// A keyword, a colon or not, white space, and the start of what may be a reference. `(?-u:\b)` cannot be
/// used before the keyword: GitHub lets `_fixes #1_` through, where `_` would be part of the word.
static KEYWORD: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)(?:^|[^\pL\pN])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?[ \t\n]+(?<ref>https://[^\s<>()\[\]]+|(?:[\w.-]+/[\w.-]+#|GH-|#)\d+\b)")
        .expect("the pattern is a constant")
});

/// Returns every issue that the text says it closes, in order, without repeats.
pub fn closing_references(text: &str, own: &RepoName, host: &str) -> Vec<(RepoName, u64)> {
    let mut found: Vec<(RepoName, u64)> = Vec::new();
    for block in visible_blocks(text) {
        for capture in KEYWORD.captures_iter(&block) {
            let Some((repo, number)) = read_reference(&capture["ref"], own, host) else { continue };
            if !found.iter().any(|(known, n)| known.is_same(&repo) && *n == number) {
                found.push((repo, number));
            }
        }
    }
    found
}

/// Returns every issue that the text names after a keyword where no reader sees it: in code, a comment, a
/// quotation. GitHub does not link those, and people wonder why.
pub fn hidden_references(text: &str, own: &RepoName, host: &str) -> Vec<(RepoName, u64)> {
    let visible = closing_references(text, own, host);
    let mut hidden: Vec<(RepoName, u64)> = Vec::new();
    for capture in KEYWORD.captures_iter(&text.replace("\r\n", "\n")) {
        let Some((repo, number)) = read_reference(&capture["ref"], own, host) else { continue };
        let is_known = |(known, n): &(RepoName, u64)| known.is_same(&repo) && *n == number;
        if !visible.iter().any(is_known) && !hidden.iter().any(is_known) {
            hidden.push((repo, number));
        }
    }
    hidden
}

fn read_reference(text: &str, own: &RepoName, host: &str) -> Option<(RepoName, u64)> {
    let text = text.trim_end_matches(['.', ',', ';', ':', '!', '?']);
    let bare = text.strip_prefix("GH-").or_else(|| text.strip_prefix("gh-")).unwrap_or(text);
    let reference = Reference::parse(bare).ok()?;
    if reference.host.is_some_and(|named| named != host) {
        return None;
    }
    Some((reference.repo.unwrap_or_else(|| own.clone()), reference.number))
}

/// Returns the visible text of each block. A keyword in one block says nothing of a number in the next.
fn visible_blocks(text: &str) -> Vec<String> {
    let normal = text.replace("\r\n", "\n").replace('\r', "\n");
    let (mut blocks, mut block) = (Vec::new(), String::new());
    let (mut hidden, mut comment) = (0_usize, false);
    for event in
        Parser::new_ext(&normal, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS)
    {
        match event {
            Event::Start(Tag::CodeBlock(_) | Tag::BlockQuote(_) | Tag::HtmlBlock | Tag::Strikethrough) => hidden += 1,
            Event::End(TagEnd::CodeBlock | TagEnd::BlockQuote(_) | TagEnd::HtmlBlock | TagEnd::Strikethrough) => {
                hidden = hidden.saturating_sub(1);
                // What stood on both sides of something hidden was never one sentence.
                block.push('\u{fffc}');
            }
            Event::Start(Tag::Paragraph | Tag::Heading { .. } | Tag::Item | Tag::TableCell)
            | Event::End(TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::Item | TagEnd::TableCell) => {
                blocks.push(std::mem::take(&mut block));
            }
            Event::InlineHtml(html) => {
                comment = (comment || html.starts_with("<!--")) && !html.ends_with("-->");
                block.push('\u{fffc}');
            }
            Event::Code(_) => block.push('\u{fffc}'),
            Event::Text(text) if hidden == 0 && !comment => block.push_str(&text),
            Event::SoftBreak | Event::HardBreak => block.push('\n'),
            _ => {}
        }
    }
    blocks.push(block);
    blocks
}

#[cfg(test)]
mod tests {
    use super::closing_references;
    use crate::facts::RepoName;

    fn closes(text: &str) -> String {
        let own = RepoName::parse("octo/app").expect("a name");
        let found = closing_references(text, &own, "github.com");
        found.iter().map(|(repo, number)| format!("{repo}#{number}")).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_github_documents_closes() {
        for (text, expected) in [
            ("Closes #10", "octo/app#10"),
            ("closes: #10", "octo/app#10"),
            ("CLOSES #10", "octo/app#10"),
            ("This fixes #1, resolves #2 and closed octo/lib#3.", "octo/app#1 octo/app#2 octo/lib#3"),
            ("Closes #10, #11", "octo/app#10"),
            ("fix GH-7", "octo/app#7"),
            ("Fixes https://github.com/octo/lib/issues/9.", "octo/lib#9"),
            ("_fixes #10_", "octo/app#10"),
            ("Fixes **#10**", "octo/app#10"),
            ("Closes\r\n#10", "octo/app#10"),
            ("- [x] done\n- closes #4", "octo/app#4"),
            ("closes #10 and closes #10", "octo/app#10"),
            // It is the grammar that counts, not what is meant.
            ("This does NOT close #10", "octo/app#10"),
            ("Fixed: #10's item", "octo/app#10"),
            ("Fixes https://github.com/octo/app/pull/9", "octo/app#9"),
            ("Fixes https://github.com/octo/app/issues/9#issuecomment-77", "octo/app#9"),
        ] {
            assert_eq!(closes(text), expected, "{text:?}");
        }
    }

    #[test]
    fn each_of_the_nine_words_closes_and_no_other_does() {
        for word in ["close", "closes", "closed", "fix", "fixes", "fixed", "resolve", "resolves", "resolved"] {
            for text in [format!("{word} #10"), format!("{}: #10", word.to_uppercase()), format!("x ({word} #10)")] {
                assert_eq!(closes(&text), "octo/app#10", "{text}");
            }
        }
        for word in ["closing", "fixing", "resolving", "implements", "see", "refs", "fixs", "closeds", "disclose"] {
            assert_eq!(closes(&format!("{word} #10")), "", "{word}");
        }
    }

    #[test]
    fn what_is_named_out_of_sight_is_told_apart() {
        let own = RepoName::parse("octo/app").expect("a name");
        let text = "Closes #1\n\n`Closes #2` <!-- fixes #3 --> closes #1";
        let numbers: Vec<u64> =
            super::hidden_references(text, &own, "github.com").into_iter().map(|(_, number)| number).collect();
        assert_eq!(numbers, [2, 3]);
    }

    #[test]
    fn what_a_reader_does_not_see_closes_nothing() {
        for text in [
            "`Closes #10`",
            "```\nCloses #10\n```",
            "    Closes #10",
            "<!-- Closes #10 -->",
            "text <!-- Closes #10 --> text",
            "<!--\nCloses #10\n-->",
            "> Closes #10",
            "~~Closes #10~~",
            "Fixes\n\n#10",
            "Fixes `x` #10",
            "closing #10",
            "Closes#10",
            "Closes:#10",
            "Closes : #10",
            "closes #10abc",
            "prefixes #10",
            "Closes issue #10",
            "https://github.com/octo/app/issues/10",
            "closes #99999999999999999999",
            "closes https://github.com/octo/app/discussions/10",
            "closes https://evil.example/octo/app/issues/10",
        ] {
            assert_eq!(closes(text), "", "{text:?}");
        }
    }
}
