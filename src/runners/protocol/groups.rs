//! Groups the cases of a parametrised test by the title that stands in the test file, since the runner only tells
//! the titles that it made from it. The group's name does not change when a case is added.

use regex::Regex;
use std::sync::LazyLock;

/// Test files larger than this are not searched, in bytes.
pub(crate) const FILE_BYTES: u64 = 1024 * 1024;
/// More templates than this are not tried.
const TEMPLATES: usize = 500;

/// A title with places for parameters, as it stands in the source.
#[derive(Debug)]
pub(super) struct Template {
    text: String,
    pattern: Regex,
    fixed: usize,
}

/// What takes the place of a parameter: `%s`, `$name.key`, `${...}`, `$#`.
static PLACE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"%[sdifjoOpc#$%]|\$\{[^}]*\}|\$#|\$[A-Za-z_][\w.\[\]]*").ok());

/// Finds every string in a source that has places for parameters.
pub(super) fn templates(source: &str) -> Vec<Template> {
    let mut found: Vec<Template> = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find(['\'', '"', '`']) {
        let quote = rest.as_bytes()[at];
        let body = &rest[at + 1..];
        let Some(end) = closing(body, quote) else { break };
        let text = &body[..end];
        if let Some(template) = template(text).filter(|new| found.iter().all(|old| old.text != new.text)) {
            found.push(template);
        }
        if found.len() >= TEMPLATES {
            break;
        }
        rest = &body[end + 1..];
    }
    found
}

/// Finds the end of a string. A plain string ends with its line at the latest: what looked like its beginning was
/// an apostrophe in a comment then, and the search goes on behind it.
fn closing(body: &str, quote: u8) -> Option<usize> {
    let mut is_escaped = false;
    for (at, byte) in body.bytes().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'\n' if quote != b'`' => return Some(at),
            _ if byte == quote => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns whether a title is the one that stands in the source as `text`, or was made from it.
pub(crate) fn is_title(text: &str, title: &str) -> bool {
    match template(text) {
        Some(template) => template.pattern.is_match(title),
        None => unescape(text) == title,
    }
}

fn template(text: &str) -> Option<Template> {
    let place = PLACE.as_ref()?;
    if text.len() > 300 || !place.is_match(text) {
        return None;
    }
    let mut pattern = String::from("(?s)^");
    let mut from = 0;
    let mut fixed = 0;
    for found in place.find_iter(text) {
        let between = unescape(&text[from..found.start()]);
        fixed += between.len();
        pattern.push_str(&regex::escape(&between));
        pattern.push_str(if found.as_str() == "%%" { "%" } else { ".*" });
        from = found.end();
    }
    let tail = unescape(&text[from..]);
    fixed += tail.len();
    pattern.push_str(&regex::escape(&tail));
    pattern.push('$');
    Some(Template { text: text.to_owned(), pattern: Regex::new(&pattern).ok()?, fixed })
}

fn unescape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character == '\\' { plain.extend(characters.next()) } else { plain.push(character) }
    }
    plain
}

/// Returns the template that a title was made from: the one with most fixed text. A title of nothing but
/// parameters stands for a group only where the runner says that the test is a case.
pub(super) fn group(templates: &[Template], title: &str, is_case: bool) -> Option<String> {
    templates
        .iter()
        .filter(|template| (template.fixed > 0 || is_case) && template.pattern.is_match(title))
        .max_by_key(|template| template.fixed)
        .map(|template| template.text.clone())
}

#[cfg(test)]
mod tests {
    use super::{group, templates};

    const SOURCE: &str = r#"
        // it's a comment
        it.each([[1, 2]])('adds %i to %d', () => {})
        it.each`a|b`("$a.name is 100%% \"$b\"", () => {})
        for (const x of [1]) test(`handles ${x} well`, () => {})
        it('plain', () => {})
        it.each([1])('%s', () => {})
    "#;

    #[test]
    fn cases_are_grouped_by_the_title_in_the_source() {
        let templates = templates(SOURCE);
        let check = |title: &str, is_case: bool, expected: Option<&str>| {
            assert_eq!(group(&templates, title, is_case).as_deref(), expected, "{title}");
        };
        check("adds 1 to 2", true, Some("adds %i to %d"));
        check("adds x to \ny", false, Some("adds %i to %d"));
        check("Ann is 100% \"b\"", true, Some(r#"$a.name is 100%% \"$b\""#));
        check("handles 1 well", false, Some("handles ${x} well"));
        check("plain", false, None);
        check("anything", true, Some("%s"));
    }

    #[test]
    fn odd_sources_do_no_harm() {
        for source in ["'", "`${", "\"\\", "'%s\n'$a'", "%s", "`%s"] {
            let _ = group(&templates(source), "x", true);
        }
    }
}
