//! Which files a configuration file names: through keys such as `setupFiles`, through imports, through `-p`.
//! Knows nothing of which of them exist.

use super::script_text::{Token, tokens};

/// Keys whose values name files that run in the test runner or around every test.
const KEYS: [&str; 41] = [
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "globalTeardown",
    "reporters",
    "reporter",
    "plugins",
    "transform",
    "preset",
    "testEnvironment",
    "environment",
    "environmentMatchGlobs",
    "runner",
    "testRunner",
    "resolver",
    "snapshotSerializers",
    "snapshotEnvironment",
    "testSequencer",
    "sequencer",
    "sequence",
    "testResultsProcessor",
    "watchPlugins",
    "dependencyExtractor",
    "haste",
    "extends",
    "workspace",
    "projects",
    "require",
    "file",
    "loader",
    "import",
    "customProviderModule",
    "diff",
    "configFile",
    "configPath",
    "presets",
    "filter",
    "setup",
    "globals",
    "run-wrapper",
    "command",
];

/// Of these, the ones whose value is nothing but files, so that a variable there hides some.
const ONLY_FILES: [&str; 12] = [
    "setupFiles",
    "setupFilesAfterEnv",
    "globalSetup",
    "globalTeardown",
    "setup",
    "runner",
    "testRunner",
    "resolver",
    "testEnvironment",
    "environment",
    "snapshotEnvironment",
    "preset",
];

/// A file that a configuration names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Named {
    /// What was written.
    pub(super) text: String,
    /// Through which key or statement.
    pub(super) through: String,
}

/// Finds names in JavaScript, TypeScript or JSON.
pub(super) fn in_script(script: &str, more_keys: &[&str]) -> Vec<Named> {
    let tokens = tokens(script);
    let mut found = Vec::new();
    let mut hidden = None;
    for (index, token) in tokens.iter().enumerate() {
        let next = tokens.get(index + 1);
        match token {
            Token::Word(word) if word == "from" || word == "import" || word == "require" || word == "resolve" => {
                let at = if next == Some(&Token::Sign('(')) { index + 2 } else { index + 1 };
                let text = tokens.get(at).filter(|_| word != "resolve" || at == index + 2);
                if let Some(Token::Text(text)) =
                    text.filter(|token| matches!(token, Token::Text(text) if is_relative(text)))
                {
                    found.push(Named { text: text.clone(), through: "import".to_owned() });
                }
            }
            _ => {}
        }
        let (Token::Word(key) | Token::Text(key)) = token else { continue };
        if !KEYS.contains(&key.as_str()) && !more_keys.contains(&key.as_str()) {
            continue;
        }
        match next {
            Some(Token::Sign(':' | '=')) => {
                let texts = value(&tokens[index + 2..]);
                if texts.is_empty() && ONLY_FILES.contains(&key.as_str()) {
                    hidden = Some(key.clone());
                }
                found.extend(texts.into_iter().map(|text| Named { text, through: key.clone() }));
            }
            // `{ setupFiles }` takes a variable of that name.
            Some(Token::Sign(',' | '}')) if matches!(token, Token::Word(_)) && ONLY_FILES.contains(&key.as_str()) => {
                hidden = Some(key.clone());
            }
            _ => {}
        }
    }
    if let Some(key) = hidden {
        // The value is made elsewhere in the file, so any of its paths may be meant.
        found.extend(tokens.iter().filter_map(|token| match token {
            Token::Text(text) if is_relative(text) => Some(Named { text: text.clone(), through: key.clone() }),
            _ => None,
        }));
    }
    found.sort_unstable();
    found.dedup_by(|a, b| a.text == b.text);
    found
}

/// Finds what is imported from packages, by their names: one of them may lie in the repository.
pub(super) fn package_imports(script: &str) -> Vec<Named> {
    let tokens = tokens(script);
    let mut found = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let Token::Word(word) = token else { continue };
        if !matches!(word.as_str(), "from" | "import" | "require" | "resolve") {
            continue;
        }
        let at = if tokens.get(index + 1) == Some(&Token::Sign('(')) { index + 2 } else { index + 1 };
        if let Some(Token::Text(text)) = tokens.get(at).filter(|token| matches!(token, Token::Text(_))) {
            found.push(Named { text: text.clone(), through: "import".to_owned() });
        }
    }
    found.retain(|named| !is_relative(&named.text));
    found
}

/// Returns the strings of a value.
fn value(tokens: &[Token]) -> Vec<String> {
    let (mut texts, mut depth) = (Vec::new(), 0_u32);
    for token in tokens {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}' | ',' | ';') if depth == 0 => break,
            Token::Sign(')' | ']' | '}') => depth -= 1,
            Token::Text(text) => texts.push(text.clone()),
            Token::Word(_) | Token::Sign(_) => {}
        }
    }
    texts
}

fn is_relative(text: &str) -> bool {
    text.starts_with("./") || text.starts_with("../") || text.starts_with("<rootDir>") || text.starts_with("${")
}

/// Finds names in YAML, TOML and ini files: every word that could be a path.
pub(super) fn in_plain(text: &str) -> Vec<Named> {
    let mut found: Vec<Named> = text
        .lines()
        .filter(|line| !line.trim_start().starts_with(['#', ';']))
        .flat_map(|line| {
            line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '[' | ']' | '=' | '(' | ')'))
        })
        .map(|word| word.trim_end_matches(':'))
        .filter(|word| word.contains('/') || word.contains('.'))
        .map(|word| Named { text: word.to_owned(), through: "its text".to_owned() })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Finds the modules that pytest is told to load as plugins: `-p name` in options, `pytest_plugins` in Python,
/// values of `pytest11`.
pub(super) fn python_modules(text: &str) -> Vec<Named> {
    let mut found = Vec::new();
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '[' | ']' | '=' | '(' | ')'))
        .filter(|word| !word.is_empty())
        .collect();
    for (index, word) in words.iter().enumerate() {
        let module = match *word {
            "-p" => words.get(index + 1).copied(),
            word => word.strip_prefix("-p").filter(|rest| !rest.is_empty()),
        };
        found.extend(module.map(|module| Named { text: module.to_owned(), through: "-p".to_owned() }));
    }
    for key in ["pytest_plugins", "pytest11"] {
        for (at, _) in text.match_indices(key) {
            // The value ends with its bracket, or with the line.
            let after = &text[at + key.len()..];
            let opened = after.find(['[', '(', '{']).filter(|open| !after[..*open].contains('\n'));
            let end = match opened {
                Some(open) => after[open..].find([']', ')', '}']).map_or(after.len(), |close| open + close),
                None if key == "pytest11" => after.find("\n[").unwrap_or(after.len()),
                None => after.find('\n').unwrap_or(after.len()),
            };
            found.extend(
                after[..end]
                    .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.')))
                    .filter(|word| !word.is_empty())
                    .map(|word| Named { text: word.to_owned(), through: key.to_owned() }),
            );
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, expected: &[&str]) {
        let found: Vec<String> = in_script(script, &[]).into_iter().map(|named| named.text).collect();
        assert_eq!(found, expected, "{script}");
    }

    #[test]
    fn named_files_are_found_in_the_forms_that_people_write() {
        check(
            "export default { test: { setupFiles: ['./a.js', 'test/b.ts'], name: './no' } }",
            &["./a.js", "test/b.ts"],
        );
        check("setupFiles: path.resolve(__dirname, 'test/setup.ts')", &["test/setup.ts"]);
        check("globalSetup: new URL('./g.mjs', import.meta.url).pathname, x: './no'", &["./g.mjs"]);
        check("const files = ['./a.js'];\nexport default { test: { setupFiles: files } }", &["./a.js"]);
        check("const setupFiles = x; export default { test: { setupFiles } , y: './b' }", &["./b"]);
        check("import shared from './vite.shared';\nimport x from 'vite'", &["./vite.shared"]);
        check("module.exports = require('./base')", &["./base"]);
        check(r#"{"jest": {"transform": {"\\.ts$": "<rootDir>/t.js"}}}"#, &["<rootDir>/t.js", r"\\.ts$"]);
        check("alias: { '@': './src' }", &[]);
        check("plugins: [vue()], build: { lib: { entry: './src/index.ts' } }", &[]);
    }

    fn check_modules(text: &str, expected: &[&str]) {
        let found: Vec<String> = python_modules(text).into_iter().map(|named| named.text).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn plugins_are_found_where_pytest_finds_them() {
        check_modules("addopts = -ra -p helper_x\n", &["helper_x"]);
        check_modules("addopts = [\"-p\", \"tests.plugin\"]", &["tests.plugin"]);
        check_modules("addopts = -phelper\n", &["helper"]);
        check_modules("pytest_plugins = ['a.b',\n  'c']\nx = 1\n", &["a.b", "c"]);
        check_modules("pytest_plugins = 'a'\nx = 1\n", &["a"]);
        check_modules("pytest11 =\n  x = pkg.plugin\n", &["pkg.plugin", "x"]);
    }
}
