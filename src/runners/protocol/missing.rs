//! What was missing when a file could not be loaded, from the words of the runtimes.

use regex::Regex;
use std::sync::LazyLock;

static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    [
        r#"(?:Cannot find (?:module|package)|Failed to load url|Failed to resolve import|Could not resolve|Module not found "?)\s*["'`]?([^"'`\s]+)["'`]?"#,
        r#"does not provide an export named ["'`]([^"'`]+)["'`]"#,
        r#"No module named ["']([^"']+)["']"#,
        r#"cannot import name ["']([^"']+)["']"#,
        r"(?:ReferenceError: |^)([\p{L}_$][\p{L}\p{N}_$]*) is not defined",
        r#"name ["']([^"']+)["'] is not defined"#,
        r"cannot load such file -- (\S+)",
        r"uninitialized constant (?:\w+::)*(\w+)",
        r#"(?:Class|Interface|Trait) "(?:\w+\\)*(\w+)" not found"#,
        r"Call to undefined function (?:\w+\\)*(\w+)\(",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

/// Returns the module or symbol that a load failure's message says was missing.
pub fn missing_module(message: &str) -> Option<String> {
    PATTERNS.iter().find_map(|pattern| pattern.captures(message)?.get(1).map(|name| name.as_str().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{PATTERNS, missing_module};

    #[test]
    fn missing_modules_and_symbols_are_named() {
        assert_eq!(PATTERNS.len(), 10);
        for (message, expected) in [
            ("Cannot find module './nope.js' imported from '/repo/imp.test.js'", Some("./nope.js")),
            ("Cannot find module '../src/x' from 'x.test.js'", Some("../src/x")),
            ("Error: Cannot find package 'left-pad' imported from /a", Some("left-pad")),
            ("Failed to load url ./nope (resolved id: ./nope) in /a.test.js. Does the file exist?", Some("./nope")),
            ("Failed to resolve import \"./nope\" from \"a.test.js\". Does the file exist?", Some("./nope")),
            ("The requested module './a.js' does not provide an export named 'slug'", Some("slug")),
            ("ModuleNotFoundError: No module named 'a.b'", Some("a.b")),
            ("ImportError: cannot import name 'slug' from 'a'", Some("slug")),
            ("ReferenceError: slug is not defined", Some("slug")),
            ("LoadError:\n  cannot load such file -- /repo/lib/slug\n# ./spec/b_spec.rb:1", Some("/repo/lib/slug")),
            ("NameError:\n  uninitialized constant Text::Slug\n\n  Text::Slug", Some("Slug")),
            ("Error: Class \"App\\Text\\Slug\" not found in /repo/a.php:2", Some("Slug")),
            ("Error: Call to undefined function slug() in /repo/a.php:2", Some("slug")),
            ("top-level boom", None),
        ] {
            assert_eq!(missing_module(message).as_deref(), expected, "{message}");
        }
    }
}
