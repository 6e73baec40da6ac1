//! Keeps a Rust file's own tests while the rest of it goes back: base's items, and head's `#[cfg(test)]` items.
//! Pure; text in, text out.

use std::ops::Range;
use syn::spanned::Spanned as _;
use syn::{Attribute, Item, Meta};

/// Returns the merge base's text with head's tests in place of its own. `None` when head's file has no tests, or
/// either text cannot be read as Rust: the whole file goes back then.
pub(crate) fn keep_tests(base: &str, head: &str) -> Option<String> {
    let tests = test_items(head)?;
    if tests.is_empty() {
        return None;
    }
    let mut merged = base.to_owned();
    for range in test_items(base)?.into_iter().rev() {
        merged.replace_range(range, "");
    }
    for range in tests {
        merged.push('\n');
        merged.push_str(&head[range]);
        merged.push('\n');
    }
    // What comes out must be Rust, or a failure to build would look like proof.
    syn::parse_file(&merged).ok()?;
    Some(merged)
}

/// Returns where the outermost items lie that exist for tests alone.
fn test_items(text: &str) -> Option<Vec<Range<usize>>> {
    let file = syn::parse_file(text).ok()?;
    // `syn` takes a byte-order mark and a `#!` line off, and counts from behind them.
    let taken_off =
        text.len() - text.trim_start_matches('\u{feff}').len() + file.shebang.as_ref().map_or(0, String::len);
    file.items
        .iter()
        .filter(|item| attributes(item).iter().any(is_for_tests))
        .map(|item| {
            let range = item.span().byte_range();
            let first = attributes(item).iter().map(|attribute| attribute.span().byte_range().start).min();
            let start = first.unwrap_or(range.start).min(range.start) + taken_off;
            let range = start..range.end + taken_off;
            text.get(range.clone()).map(|_| range)
        })
        .collect()
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// `#[test]`, `#[tokio::test]`, `#[cfg(test)]`, `#[cfg(all(test, unix))]`; not `#[cfg(not(test))]`.
fn is_for_tests(attribute: &Attribute) -> bool {
    let path = attribute.path();
    if path.segments.last().is_some_and(|last| last.ident == "test") {
        return true;
    }
    match &attribute.meta {
        Meta::List(list) if path.is_ident("cfg") => {
            let mut words = Vec::new();
            collect_words(list.tokens.clone(), &mut words);
            words.iter().any(|word| word == "test") && !words.iter().any(|word| word == "not" || word == "any")
        }
        Meta::List(_) | Meta::Path(_) | Meta::NameValue(_) => false,
    }
}

fn collect_words(tokens: proc_macro2::TokenStream, words: &mut Vec<String>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(ident) => words.push(ident.to_string()),
            proc_macro2::TokenTree::Group(group) => collect_words(group.stream(), words),
            proc_macro2::TokenTree::Punct(_) | proc_macro2::TokenTree::Literal(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(base: &str, head: &str, expected: Option<&str>) {
        assert_eq!(keep_tests(base, head).as_deref(), expected, "{base} / {head}");
    }

    #[test]
    fn heads_tests_stand_over_the_rest_of_the_base() {
        check(
            "fn a() -> u8 { 1 }\n#[cfg(test)]\nmod tests { #[test] fn old() {} }\n",
            "fn a() -> u8 { 2 }\n/// Doc.\n#[cfg(test)]\nmod tests { #[test] fn new() {} }\n",
            Some("fn a() -> u8 { 1 }\n\n\n/// Doc.\n#[cfg(test)]\nmod tests { #[test] fn new() {} }\n"),
        );
        check("fn a() {}\n", "fn a() {}\n#[test]\nfn t() {}\n", Some("fn a() {}\n\n#[test]\nfn t() {}\n"));
        check("fn a() {}\n", "fn b() {}\n", None);
        check("fn a() {}\n", "fn b( {}\n#[test] fn t() {}", None);
        check(
            "fn ä() {}\n",
            "fn ö() {}\n#[cfg(all(test, unix))]\nmod t {}\n",
            Some("fn ä() {}\n\n#[cfg(all(test, unix))]\nmod t {}\n"),
        );
        check("fn a() {}\n", "#[cfg(not(test))]\nfn a() {}\n", None);
        check("fn a() {}\n", "\u{feff}fn a() {}\n#[test]\nfn t() {}\n", Some("fn a() {}\n\n#[test]\nfn t() {}\n"));
    }
}
