//! Laws of the contract's room, tried on generated texts.

use super::{Reading, block, read, shown_text};
use proptest::prelude::*;

/// Lines that may stand in a block: nothing that closes it, and at least one character that is not white.
fn lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ \t]{0,6}[{}\",:a-zé語\u{1f600}]{1,8}[ \t\\\\x]{0,3}", 1..6)
}

/// The prefix of a block's first line and of its others: lists in lists.
fn containers() -> impl Strategy<Value = (String, String)> {
    let inner = prop::collection::vec(prop::sample::select(vec!["- ", "*  ", "12. "]), 0..3);
    (prop::sample::select(vec!["", "+\t"]), inner).prop_map(|(outer, inner)| {
        let first = format!("{outer}{}", inner.concat());
        // A tab leads to the next multiple of four columns.
        let mut width = 0;
        for character in first.chars() {
            width = if character == '\t' { (width / 4 + 1) * 4 } else { width + 1 };
        }
        (first, " ".repeat(width))
    })
}

proptest! {
    #[test]
    fn every_character_leads_back_to_where_it_was_written(
        lines in lines(),
        (first, rest) in containers(),
        indent in 0_usize..2,
        fence in prop::sample::select(vec!["```", "~~~~", "``````"]),
        end in prop::sample::select(vec!["\n", "\r\n", "\r"]),
        starts_with_mark in any::<bool>(),
    ) {
        let indent = " ".repeat(indent);
        let mark = if starts_with_mark { "\u{feff}" } else { "" };
        let content: String = lines.iter().map(|line| [&rest, &indent, line, end].concat()).collect();
        let text = format!(
            "{mark}Wörds{end}{end}{first}{indent}{fence}acceptance x{end}{content}{rest}{indent}{fence}{end}"
        );
        let shown = shown_text(text.as_bytes());
        let pieces = block::find(&shown).expect("a block").expect("a block");
        let written: Vec<&str> = lines.iter().map(|line| line.trim_start_matches([' ', '\t'])).collect();
        let found: Vec<&str> = pieces.text().lines().map(|line| line.trim_start_matches([' ', '\t'])).collect();
        prop_assert_eq!(found, written);
        for (at, character) in pieces.text().char_indices() {
            let origin = pieces.origin(&(at..at + character.len_utf8()));
            let there = &shown[origin];
            // A tab that is only in part indentation becomes spaces, which stand at the tab or nowhere.
            let is_part_of_a_tab = character == ' ' && matches!(there, "" | "\t");
            prop_assert!(there.starts_with(character) || is_part_of_a_tab, "{:?} leads to {:?}", character, there);
        }
    }

    #[test]
    fn a_contract_as_understood_is_a_contract_with_the_same_digest(
        rules in prop::collection::vec("[a-z*\\[\\]{}?./\\\\ ]{1,8}", 1..5),
        texts in prop::collection::vec("[ -~\né]{1,12}", 1..3),
        limit in any::<u64>(),
    ) {
        let globs: Vec<_> = rules.iter().map(|rule| serde_json::json!({ "glob": rule })).collect();
        let entries: Vec<_> = texts.iter().map(|text| serde_json::json!({ "path": "a", "text": text })).collect();
        for contract in [
            serde_json::json!({ "changed_files_only": rules, "max_added_lines": limit }),
            serde_json::json!({ "changed_files_forbidden": globs, "file_contains": entries }),
        ] {
            if let Reading::Valid(contract) = read(contract.to_string().as_bytes()) {
                match read(contract.normalized().to_string().as_bytes()) {
                    Reading::Valid(again) => {
                        prop_assert_eq!(&again.digest, &contract.digest);
                        prop_assert_eq!(again.normalized(), contract.normalized());
                    }
                    other => prop_assert!(false, "{other:?}"),
                }
            }
        }
    }

    #[test]
    fn any_text_is_read_and_its_problems_lie_in_it(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "```", "~~~", "acceptance", "acceptence", "\n", "\r", "\r\n", "> ", "- ", "  ", "\t", "{", "}", "[", "]",
            "\"max_added_lines\"", "\"tests\"", ":", ",", "1", "-", "e9", "\"", "\\u", "\\ud800", "<!--", "-->",
            "<details>", "é", "\u{feff}", "\u{0}", "\u{1f600}", "null", "true",
        ]), 0..40),
        tail in prop::collection::vec(any::<u8>(), 0..3),
    ) {
        let mut text = pieces.concat().into_bytes();
        text.extend(tail);
        if let Reading::Invalid(problems) = read(&text) {
            prop_assert!(!problems.is_empty());
            let shown = shown_text(&text);
            for problem in problems {
                prop_assert!(shown.get(problem.span.clone()).is_some(), "{:?} is not in {:?}", problem, shown);
                prop_assert!(problem.line >= 1 && problem.column >= 1);
            }
        }
    }
}
