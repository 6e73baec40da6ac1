//! The story: an issue with a contract, a change that only claims its test, and the honest one.

use super::Repo;
use std::path::Path;

/// The source before and after the fix.
pub const SOURCE: [&str; 2] = [
    "export const slugify = (s: string) => s.toLowerCase().replace(/[^a-z0-9]/g, '-');\n",
    "export const slugify = (s: string) => s.toLowerCase().replace(/[^a-z0-9]+/g, '-');\n",
];

/// The tests that are there from the start.
pub const TESTS: &str = "import { expect, it } from 'vitest';
import { slugify } from '../src/slugify';

it('makes lower case', () => expect(slugify('Title')).toBe('title'));
it('keeps digits', () => expect(slugify('v2')).toBe('v2'));
it('puts one dash for a space', () => expect(slugify('a b')).toBe('a-b'));
";

/// The test that the issue asks for.
pub const NEW_TEST: &str =
    "it('collapses runs of separators into one dash', () => expect(slugify('a  b')).toBe('a-b'));\n";

/// Returns the story's repository at branch `main`, with branches `claim` and `honest`. The contract is
/// `issue.md` on `main`; `node_modules`, which git ignores, is a link to an installed runner where one is given.
pub fn story(contract: &str, node_modules: Option<&Path>) -> Repo {
    let repo = Repo::new();
    repo.write("package.json", "{\"type\": \"module\", \"private\": true}\n")
        .write(".gitignore", "node_modules\n")
        .write("README.md", "# slugify\n")
        .write("src/slugify.ts", SOURCE[0])
        .write("tests/slugify.test.ts", TESTS)
        .write("issue.md", contract)
        .commit("Start");
    repo.branch("claim").write("src/slugify.ts", SOURCE[1]);
    repo.write("README.md", "# slugify\n\nAdded a regression test, 4 pass.\n").commit("Fix slugify, add a test");
    repo.checkout("main").branch("honest").write("src/slugify.ts", SOURCE[1]);
    repo.write("tests/slugify.test.ts", format!("{TESTS}{NEW_TEST}")).commit("Collapse runs of separators");
    repo.checkout("main");
    if let Some(node_modules) = node_modules {
        link(node_modules, &repo.file("node_modules"));
    }
    repo
}

/// Returns the contract of the story without its tests clause, for tests that need no runner.
pub fn static_contract() -> String {
    let rules = "\"src/slugify.ts\", \"tests/slugify.test.ts\"";
    format!(
        "# Issue\n\n```acceptance\n{{\n  \"changed_files_only\": [{rules}],\n  \"changed_files_required\": [{rules}],\n  \
         \"max_added_lines\": 15,\n  \"file_contains\": [{{\"path\": \"tests/slugify.test.ts\", \"text\": \"collapses runs \
         of separators into one dash\"}}]\n}}\n```\n"
    )
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) {
    std::os::unix::fs::symlink(from, to).expect("a link");
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) {
    std::os::windows::fs::symlink_dir(from, to).expect("a link");
}
