//! JSON Pointer (RFC 6901) over located values, with `*` for every element of a list.

use super::{Node, Value};

/// A pointer whose segments are unescaped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pointer {
    written: String,
    segments: Vec<String>,
}

/// What a pattern leads to: a pointer without `*`, and the value there, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place<'a> {
    /// The pointer.
    pub pointer: String,
    /// The value, or the nearest value above it, to say where something is missing.
    pub found: Result<&'a Node, &'a Node>,
}

impl Pointer {
    /// Reads a pointer: empty for the root, else `/` before each segment, `~1` for `/` and `~0` for `~`.
    pub fn parse(text: &str) -> Option<Self> {
        let written = text.to_owned();
        if text.is_empty() {
            return Some(Self { written, segments: Vec::new() });
        }
        let rest = text.strip_prefix('/')?;
        let segments = rest.split('/').map(unescape).collect::<Option<_>>()?;
        Some(Self { written, segments })
    }

    /// Returns the pointer as it was written.
    pub fn as_str(&self) -> &str {
        &self.written
    }

    /// Returns whether a segment is `*`.
    pub fn has_star(&self) -> bool {
        self.segments.iter().any(|segment| segment == "*")
    }

    /// Returns every place that the pointer leads to, in the order of the document. A segment that leads
    /// nowhere gives one place without a value; `*` over an empty list gives none.
    pub fn places<'a>(&self, root: &'a Node) -> Vec<Place<'a>> {
        let mut places = vec![Place { pointer: String::new(), found: Ok(root) }];
        for segment in &self.segments {
            places = places.into_iter().flat_map(|place| step(&place, segment)).collect();
        }
        places
    }
}

fn step<'a>(place: &Place<'a>, segment: &str) -> Vec<Place<'a>> {
    let Ok(node) = place.found else {
        return vec![Place { pointer: join(&place.pointer, segment), found: place.found }];
    };
    if let (Value::Array(items), "*") = (&node.value, segment) {
        let one = |(index, item)| Place { pointer: join(&place.pointer, &format!("{index}")), found: Ok(item) };
        return items.iter().enumerate().map(one).collect();
    }
    let found = match &node.value {
        Value::Object(_) => node.get(segment),
        Value::Array(items) => index(segment).and_then(|index| items.get(index)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    };
    vec![Place { pointer: join(&place.pointer, segment), found: found.ok_or(node) }]
}

/// Returns a pointer one segment longer.
pub fn join(pointer: &str, segment: &str) -> String {
    format!("{pointer}/{}", segment.replace('~', "~0").replace('/', "~1"))
}

/// Reads an index as RFC 6901 has it: digits without a leading zero.
fn index(segment: &str) -> Option<usize> {
    let plain = segment.bytes().all(|byte| byte.is_ascii_digit()) && (segment == "0" || !segment.starts_with('0'));
    segment.parse().ok().filter(|_| plain)
}

fn unescape(segment: &str) -> Option<String> {
    let mut rest = segment;
    while let Some(at) = rest.find('~') {
        rest = &rest[at + 1..];
        if !rest.starts_with(['0', '1']) {
            return None;
        }
    }
    Some(segment.replace("~1", "/").replace("~0", "~"))
}

#[cfg(test)]
mod tests {
    use super::Pointer;
    use crate::json::parse;

    fn leads_to(pointer: &str, text: &str) -> Vec<String> {
        let root = parse(text, 64).expect("strict JSON");
        let places = Pointer::parse(pointer).expect("a pointer").places(&root);
        let shown = |place: super::Place<'_>| match place.found {
            Ok(node) => format!("{}={}", place.pointer, &text[node.span.clone()]),
            Err(above) => format!("{} missing in {}", place.pointer, &text[above.span.clone()]),
        };
        places.into_iter().map(shown).collect()
    }

    #[test]
    fn pointers_lead_to_values() {
        assert_eq!(leads_to("", "[1]"), ["=[1]"]);
        assert_eq!(leads_to("/a~1b/0", "{\"a/b\": [7]}"), ["/a~1b/0=7"]);
        assert_eq!(leads_to("/a/01", "{\"a\": [7, 8]}"), ["/a/01 missing in [7, 8]"]);
    }

    #[test]
    fn a_star_is_every_element() {
        assert_eq!(leads_to("/*/q", "[{\"q\": 1}, {}]"), ["/0/q=1", "/1/q missing in {}"]);
        assert!(leads_to("/*/q", "[]").is_empty());
        assert_eq!(leads_to("/*", "{\"a\": 1}"), ["/* missing in {\"a\": 1}"]);
    }

    #[test]
    fn what_is_no_pointer_is_refused() {
        for text in ["a", "a/b", "/~", "/~2"] {
            assert_eq!(Pointer::parse(text), None, "{text}");
        }
    }
}
