//! The story as files: an issue, the change that only claims its test, and the honest one. Told once for
//! each test runner that comes with a language.

/// The story for one language.
#[derive(Debug)]
pub(super) struct Story {
    /// The test command of the contract; `None` when the story is told without running tests.
    pub(super) command: Option<&'static str>,
    /// The file with the bug, before and after.
    pub(super) source: [&'static str; 3],
    /// The file with the tests, before and after.
    pub(super) tests: [&'static str; 3],
    /// What else is there from the start.
    pub(super) others: &'static [(&'static str, &'static str)],
}

/// The name of the test that the issue asks for, as it stands in the test file.
pub(super) const NAME: &str = "collapses runs of separators into one dash";

pub(super) const README: &str = "# slugify\n\nTurns a title into a part of an address.\n";
pub(super) const README_WITH_CLAIM: &str =
    "# slugify\n\nTurns a title into a part of an address.\n\nFixed, and added a regression test: all 4 tests pass.\n";

const NODE: Story = Story {
    command: Some("node --test tests/slugify.test.js"),
    source: [
        "src/slugify.js",
        "export const slugify = (text) => text.toLowerCase().replace(/[^a-z0-9]/g, '-');\n",
        "export const slugify = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-');\n",
    ],
    tests: [
        "tests/slugify.test.js",
        "import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugify } from '../src/slugify.js';

test('makes lower case', () => assert.equal(slugify('Title'), 'title'));
test('keeps digits', () => assert.equal(slugify('v2'), 'v2'));
test('puts a dash for a space', () => assert.equal(slugify('a b'), 'a-b'));
",
        "import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slugify } from '../src/slugify.js';

test('makes lower case', () => assert.equal(slugify('Title'), 'title'));
test('keeps digits', () => assert.equal(slugify('v2'), 'v2'));
test('puts a dash for a space', () => assert.equal(slugify('a b'), 'a-b'));
test('collapses runs of separators into one dash', () => assert.equal(slugify('a  b'), 'a-b'));
",
    ],
    others: &[("package.json", "{\"type\": \"module\", \"private\": true}\n")],
};

const PYTHON_SOURCE: [&str; 3] = [
    "slugify.py",
    "import re\n\n\ndef slugify(text):\n    return re.sub(r\"[^a-z0-9]\", \"-\", text.lower())\n",
    "import re\n\n\ndef slugify(text):\n    return re.sub(r\"[^a-z0-9]+\", \"-\", text.lower())\n",
];

const PYTEST: Story = Story {
    command: Some("python3 -m pytest test_slugify.py"),
    source: PYTHON_SOURCE,
    tests: [
        "test_slugify.py",
        "from slugify import slugify


def test_makes_lower_case():
    assert slugify(\"Title\") == \"title\"


def test_keeps_digits():
    assert slugify(\"v2\") == \"v2\"


def test_puts_a_dash_for_a_space():
    assert slugify(\"a b\") == \"a-b\"
",
        "from slugify import slugify


def test_makes_lower_case():
    assert slugify(\"Title\") == \"title\"


def test_keeps_digits():
    assert slugify(\"v2\") == \"v2\"


def test_puts_a_dash_for_a_space():
    assert slugify(\"a b\") == \"a-b\"


def test_collapses_runs_of_separators():
    \"\"\"collapses runs of separators into one dash\"\"\"
    assert slugify(\"a  b\") == \"a-b\"
",
    ],
    others: &[],
};

const UNITTEST: Story = Story {
    command: Some("python3 -m unittest test_slugify"),
    source: PYTHON_SOURCE,
    tests: [
        "test_slugify.py",
        "import unittest

from slugify import slugify


class Slugify(unittest.TestCase):
    def test_makes_lower_case(self):
        self.assertEqual(slugify(\"Title\"), \"title\")

    def test_keeps_digits(self):
        self.assertEqual(slugify(\"v2\"), \"v2\")

    def test_puts_a_dash_for_a_space(self):
        self.assertEqual(slugify(\"a b\"), \"a-b\")
",
        "import unittest

from slugify import slugify


class Slugify(unittest.TestCase):
    def test_makes_lower_case(self):
        self.assertEqual(slugify(\"Title\"), \"title\")

    def test_keeps_digits(self):
        self.assertEqual(slugify(\"v2\"), \"v2\")

    def test_puts_a_dash_for_a_space(self):
        self.assertEqual(slugify(\"a b\"), \"a-b\")

    def test_collapses_runs_of_separators(self):
        \"collapses runs of separators into one dash\"
        self.assertEqual(slugify(\"a  b\"), \"a-b\")
",
    ],
    others: &[],
};

const WITHOUT_TESTS: Story = Story { command: None, ..NODE };

/// Every telling, the quickest runner first; the last one needs no runner.
pub(super) const TELLINGS: [Story; 4] = [NODE, UNITTEST, PYTEST, WITHOUT_TESTS];

impl Story {
    /// Returns the issue, which holds the contract.
    pub(super) fn issue(&self) -> String {
        let (source, tests) = (self.source[0], self.tests[0]);
        let run = match self.command {
            Some(command) => format!(",\n  \"tests\": [{{\"command\": \"{command}\", \"passed\": 4}}]"),
            None => String::new(),
        };
        format!(
            "# slugify('a  b') gives a--b

It should give a-b. Please add a regression test.

```acceptance
{{
  \"changed_files_only\": [\"{source}\", \"{tests}\"],
  \"changed_files_required\": [\"{source}\", \"{tests}\"],
  \"max_added_lines\": 15,
  \"max_deleted_lines\": 3,
  \"file_contains\": [{{\"path\": \"{tests}\", \"text\": \"{NAME}\"}}]{run}
}}
```
"
        )
    }
}
