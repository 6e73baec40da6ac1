//! Finds the contract in a text: the one fenced block that readers of the text see, or the bare JSON object.
//! Knows nothing of what stands in the JSON.

use super::offsets::Pieces;
use crate::json::Problem;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// The first word of a contract's info string.
const NAME: &str = "acceptance";

/// A fenced code block whose name is the contract's, or nearly.
struct Fenced {
    /// The first line's fence and info string.
    opening: Range<usize>,
    /// The name as it is written.
    name: Range<usize>,
    is_contract: bool,
    in_quote: bool,
    is_closed: bool,
    json: Pieces,
}

/// Finds the contract's JSON, `None` when no reader of the text would see a contract.
pub(super) fn find(text: &str) -> Result<Option<Pieces>, Vec<Problem>> {
    let Found { blocks, hidden } = look_through(text);
    let contracts: Vec<&Fenced> = blocks.iter().filter(|block| block.is_contract).collect();
    match contracts[..] {
        [] if is_bare(text) => Ok(Some(Pieces::whole(text, 0))),
        [] => {
            let mut problems: Vec<Problem> = blocks.iter().map(|block| near_miss(text, block)).collect();
            problems.extend(hidden);
            if problems.is_empty() { Ok(None) } else { Err(problems) }
        }
        [block] => match fault(block) {
            Some(problem) => Err(vec![problem]),
            None => Ok(Some(block.json.clone())),
        },
        [first, ..] => Err(several(text, first, &contracts)),
    }
}

/// A text that is nothing but JSON: it starts as an object, or it is a list through and through.
fn is_bare(text: &str) -> bool {
    let start = text.trim_start();
    start.starts_with('{') || start.starts_with('[') && serde_json::from_str::<serde::de::IgnoredAny>(start).is_ok()
}

fn fault(block: &Fenced) -> Option<Problem> {
    if block.in_quote {
        let problem = Problem::new(block.opening.clone(), "the contract stands in a block quote", "quoted");
        return Some(problem.help("quoted text is somebody else's; write the block outside the quote"));
    }
    if !block.is_closed {
        let problem = Problem::new(block.opening.clone(), "the contract's block is not closed", "opened here");
        return Some(problem.help("close it with a line of the same fence, indented as the first"));
    }
    if block.json.text().trim().is_empty() {
        let problem = Problem::new(block.opening.clone(), "the contract's block is empty", "asks for nothing");
        return Some(problem.help("write a JSON object into it"));
    }
    None
}

fn several(text: &str, first: &Fenced, contracts: &[&Fenced]) -> Vec<Problem> {
    let line = text[..first.opening.start].matches('\n').count() + 1;
    contracts
        .iter()
        .skip(1)
        .map(|block| {
            Problem::new(block.opening.clone(), "there is more than one contract", "another contract")
                .help(format!("the first is in line {line}; keep one of them"))
        })
        .collect()
}

fn near_miss(text: &str, block: &Fenced) -> Problem {
    let message = format!("this looks like a contract, but its block is not named {NAME:?}");
    let name = block.name.clone();
    let label = if text[name.clone()].eq_ignore_ascii_case(NAME) {
        "must be the first word"
    } else {
        "read as an ordinary code block"
    };
    Problem::new(name, message, label).help(format!("did you mean {NAME:?}?"))
}

/// What a walk through a text finds.
struct Found {
    blocks: Vec<Fenced>,
    /// Contracts that nobody sees as such, told only when there is no other.
    hidden: Vec<Problem>,
}

fn look_through(text: &str) -> Found {
    let mut found = Found { blocks: Vec::new(), hidden: Vec::new() };
    let mut quotes = 0_usize;
    let mut open: Option<Fenced> = None;
    let mut html_start = 0;
    for (event, range) in Parser::new_ext(text, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::BlockQuote(_)) => quotes += 1,
            Event::End(TagEnd::BlockQuote(_)) => quotes = quotes.saturating_sub(1),
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                open = opening(text, &range, &info, quotes > 0);
            }
            Event::Text(piece) => {
                if let Some(block) = &mut open {
                    block.json.push(&piece, range);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                if let Some(mut block) = open.take() {
                    block.is_closed = is_closed(text, &block, &range);
                    found.blocks.push(block);
                }
            }
            Event::Start(Tag::HtmlBlock) => html_start = range.start,
            Event::Html(line) => found.hidden.extend(hidden_in_html(&text[html_start..], &line, range.start)),
            _ => {}
        }
    }
    found
}

fn opening(text: &str, range: &Range<usize>, info: &str, in_quote: bool) -> Option<Fenced> {
    let line = &text[range.start..];
    let line = &line[..line.find(['\n', '\r']).unwrap_or(line.len())];
    let opening = range.start..range.start + line.len();
    let first = info.split_whitespace().next()?;
    let is_contract = first.eq_ignore_ascii_case(NAME);
    let wanted = if is_contract || is_nearly(first) {
        first
    } else {
        info.split_whitespace().find(|word| word.eq_ignore_ascii_case(NAME))?
    };
    // Escapes and entities in the info string can make it differ from what is written.
    let name = line.find(wanted).map_or(opening.clone(), |at| opening.start + at..opening.start + at + wanted.len());
    Some(Fenced { opening, name, is_contract, in_quote, is_closed: false, json: Pieces::default() })
}

/// A misspelt name: a typo must never pass for "no contract".
fn is_nearly(word: &str) -> bool {
    let word = word.to_lowercase();
    let plain = word.trim_matches(|character: char| !character.is_alphanumeric());
    plain.starts_with(NAME) || strsim::damerau_levenshtein(plain, NAME) <= 2
}

/// Returns whether the block ends with its own fence, and not with its list or with the text.
fn is_closed(text: &str, block: &Fenced, range: &Range<usize>) -> bool {
    let fence = &text[block.opening.clone()];
    let mark = fence.chars().next().unwrap_or('`');
    let length = fence.chars().take_while(|&character| character == mark).count();
    let end = block.json.origin_end().unwrap_or(block.opening.end);
    let closing = text.get(end..range.end).unwrap_or("").trim_matches(|c: char| c.is_whitespace() || c == '>');
    closing.len() >= length && closing.chars().all(|character| character == mark)
}

/// Finds a fence that is swallowed by `<details>`, because no empty line stands between. Nobody means that;
/// inside a comment or `<pre>` the same line is an example.
fn hidden_in_html(html: &str, line: &str, at: usize) -> Option<Problem> {
    let fence = line.trim();
    let info = fence.trim_start_matches(['`', '~']);
    let is_named = info.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(NAME));
    if fence.len() - info.len() < 3 || !is_named || !is_folding(html) {
        return None;
    }
    let start = at + (line.len() - line.trim_start().len());
    let problem =
        Problem::new(start..start + fence.len(), "the contract's block is read as HTML", "not a code block here");
    Some(problem.help("leave an empty line before it"))
}

fn is_folding(html: &str) -> bool {
    let html = html.trim_start();
    ["<details", "<summary", "</summary"]
        .iter()
        .any(|tag| html.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
}

#[cfg(test)]
mod tests {
    use super::find;

    /// Returns the JSON that was found, `absent`, or the problems, each with the text that it is about.
    fn outcome(text: &str) -> String {
        match find(text) {
            Ok(None) => "absent".to_owned(),
            Ok(Some(json)) => format!("found {:?}", json.text()),
            Err(problems) => problems
                .into_iter()
                .map(|problem| format!("{:?}: {}", &text[problem.span], problem.message))
                .collect::<Vec<_>>()
                .join("; "),
        }
    }

    #[track_caller]
    fn check(text: &str, expected: &str) {
        assert_eq!(outcome(text), expected, "{text}");
    }

    #[test]
    fn a_fence_is_what_commonmark_says_it_is() {
        for text in [
            "```acceptance\n{}\n```",
            "Words\n\n~~~~ Acceptance v1\n{}\n~~~~~~\nmore",
            "  ```ACCEPTANCE\n  {}\n  ```\n",
            "- a\n\n  ```acceptance\n  {}\n  ```\n",
            "1. - ```acceptance\n     {}\n     ```\n",
            "<details><summary>x</summary>\n\n```acceptance\n{}\n```\n\n</details>",
            "```acceptance\r\n{}\r\n```\r\n",
            "text\n```acceptance\n{}\n```",
        ] {
            check(text, "found \"{}\\n\"");
        }
    }

    #[test]
    fn what_readers_do_not_see_as_a_contract_is_none() {
        for text in [
            "<!--\n```acceptance\n{}\n```\n-->",
            "<!-- x\n\n```acceptance\n{}\n```\n\n-->",
            "````md\n```acceptance\n{}\n```\n````",
            "~~~\n```acceptance\n{}\n```\n~~~",
            "    ```acceptance\n    {}\n    ```",
            "- a\n\n      ```acceptance\n      {}\n      ```",
            "``acceptance {}``",
            "```json\n{\"max_added_lines\": 1}\n```",
            "<pre>\n```acceptance\n{}\n```\n</pre>",
            "Acceptance\n==========\n\n- [ ] it works",
        ] {
            check(text, "absent");
        }
    }

    #[test]
    fn a_block_that_cannot_be_the_contract_is_told() {
        check("> ```acceptance\n> {}\n> ```", "\"```acceptance\": the contract stands in a block quote");
        check("- > ```acceptance\n  > {}\n  > ```", "\"```acceptance\": the contract stands in a block quote");
        check("~~~acceptance\n{}\n```", "\"~~~acceptance\": the contract's block is not closed");
        check("````acceptance\n{}\n```", "\"````acceptance\": the contract's block is not closed");
        check("- ```acceptance\n  {}\n```\n", "\"```acceptance\": the contract's block is not closed");
        check("```acceptance", "\"```acceptance\": the contract's block is not closed");
        check("```acceptance\n \n```", "\"```acceptance\": the contract's block is empty");
        check(
            "<details>\n```acceptance\n{}\n```\n</details>",
            "\"```acceptance\": the contract's block is read as HTML",
        );
    }

    #[test]
    fn more_than_one_block_is_an_error_wherever_they_stand() {
        let quoted = "> ```acceptance\n> {}\n> ```\n\n```Acceptance\n{}\n```";
        check(quoted, "\"```Acceptance\": there is more than one contract");
        let nested = "```acceptance\n{}\n```\n- ~~~acceptance\n  {}\n  ~~~\n- ```acceptance\n  {}\n  ```";
        check(
            nested,
            "\"~~~acceptance\": there is more than one contract; \"```acceptance\": there is more than one contract",
        );
    }

    #[test]
    fn a_typo_never_passes_for_no_contract() {
        let looks = "this looks like a contract, but its block is not named \"acceptance\"";
        for name in [
            "acceptence",
            "accceptance",
            "Aceptance",
            "acceptance-contract",
            "acceptance_v1",
            "acceptances",
            "acceptance:",
            "{acceptance}",
            "acceptance.json",
            "acc\u{435}ptance",
            "acceptance\u{200b}",
        ] {
            check(&format!("```{name}\n{{}}\n```"), &format!("{name:?}: {looks}"));
        }
        check("```json acceptance\n{}\n```", &format!("\"acceptance\": {looks}"));
        check("```accept\n{}\n```", "absent");
        check("```acceptence\n{}\n```\n```acceptance\n[]\n```", "found \"[]\\n\"");
    }

    #[test]
    fn bare_json_is_a_contract_too() {
        check(" \n{\"a\": 1}", "found \" \\n{\\\"a\\\": 1}\"");
        check("[1]", "found \"[1]\"");
        check("[a link](b)", "absent");
    }
}
