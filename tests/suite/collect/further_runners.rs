//! Runners of Ruby, PHP and Java in whole checks: honest work passes in every mode, a claim does not, and what
//! bends a run is named.

use super::change::{Change, Files};
use crate::suite::support::{missing, on_path};
use serde_json::json;

/// A project with two tests at the merge base, and a change that adds a third with the code that it needs.
struct Project {
    command: &'static str,
    base: Files<'static>,
    /// The changed code, then the changed tests.
    honest: Files<'static>,
    /// A file that decides how the tests run.
    harness: (&'static str, &'static str),
    /// The names of a new test, and of one that the merge base has.
    new: &'static str,
    old: &'static str,
}

impl Project {
    #[track_caller]
    fn holds_in_every_mode(&self, modes: &[&[&str]]) {
        let counted = json!({"tests": [{"command": self.command, "passed": 3}]});
        let proven = json!({"tests": [{"command": self.command, "fail_to_pass": [self.new], "pass_to_pass": true}]});
        let unproven = json!({"tests": [{"command": self.command, "fail_to_pass": [self.old]}]});
        for flags in modes {
            let honest = Change::new(self.base, self.honest);
            honest.ends(&counted, flags, "passed", &[]);
            honest.ends(&proven, flags, "passed", &[]);
            honest.ends(&unproven, flags, "failed", &["tests"]);
            let claimed = Change::new(self.base, &self.honest[1..]);
            claimed.ends(&counted, flags, "failed", &["tests"]);
            let bent = Change::new(self.base, &[self.honest, &[self.harness]].concat());
            let verdict = bent.ends(&counted, flags, "failed", &["tests"]);
            let found = verdict["checks"][0]["evidence"]["harness"].to_string();
            assert!(found.contains(self.harness.0), "{found}");
        }
        let deleted = Change::new(self.base, &[(self.honest[1].0, "")]);
        deleted.ends(&json!({"tests": [{"command": self.command, "passed": 2}]}), &[], "failed", &["tests"]);
    }
}

const EVERY_MODE: &[&[&str]] = &[&[], &["--isolate"], &["--strict"]];

#[test]
fn rspec() {
    if on_path("rspec").is_none() {
        return missing("rspec");
    }
    let project = Project {
        command: "rspec",
        base: &[
            ("lib/slug.rb", "def slug(text) = text.downcase.gsub(' ', '-')\n"),
            (
                "spec/slug_spec.rb",
                "require 'slug'\nRSpec.describe 'slug' do\n  it('lowers') { expect(slug('A')).to eq 'a' }\n  \
                 it('joins') { expect(slug('a b')).to eq 'a-b' }\nend\n",
            ),
        ],
        honest: &[
            ("lib/slug.rb", "def slug(text) = text.downcase.gsub(/ +/, '-')\n"),
            (
                "spec/slug_spec.rb",
                "require 'slug'\nRSpec.describe 'slug' do\n  it('lowers') { expect(slug('A')).to eq 'a' }\n  \
                 it('joins') { expect(slug('a b')).to eq 'a-b' }\n  \
                 it('joins runs') { expect(slug('a  b')).to eq 'a-b' }\nend\n",
            ),
        ],
        harness: (".rspec", "--tag ~slow\n"),
        new: "joins runs",
        old: "joins",
    };
    project.holds_in_every_mode(EVERY_MODE);
}
