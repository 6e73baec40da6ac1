//! Where tests run: in the checkout, which must hold exactly head's tree, or in clones.

use super::change::{CLAIMED, HONEST, SLUG};
use super::vitest;
use serde_json::{Value, json};

fn exactly(n: u64) -> Value {
    json!({"tests": [{"command": "npx vitest run", "passed": n}]})
}

#[test]
fn honest_work_passes_and_a_claim_fails_in_every_mode() {
    for flags in [&[][..], &["--isolate"], &["--strict"]] {
        let Some(honest) = vitest(SLUG, HONEST) else { return };
        honest.ends(&exactly(3), flags, "passed", &[]);
        let Some(claimed) = vitest(SLUG, CLAIMED) else { return };
        claimed.ends(&exactly(3), flags, "failed", &["tests"]);
    }
}

#[test]
fn work_that_is_not_committed_is_not_tested_in_the_checkout_and_not_seen_in_a_clone() {
    let Some(change) = vitest(SLUG, CLAIMED) else { return };
    change.repo.write(HONEST[0].0, HONEST[0].1);
    let verdict = change.ends(&exactly(3), &[], "error", &["tests"]);
    assert_eq!(verdict["error"]["kind"], "dirty_tree", "{verdict:#}");
    change.ends(&exactly(3), &["--isolate"], "failed", &["tests"]);
}

#[test]
fn an_edit_that_git_was_told_to_overlook_is_seen() {
    let Some(change) = vitest(SLUG, CLAIMED) else { return };
    for flag in ["--assume-unchanged", "--skip-worktree"] {
        change.repo.git(&["update-index", flag, "src/slug.js"]);
        change.repo.write(HONEST[0].0, HONEST[0].1);
        assert_eq!(change.repo.git(&["status", "--porcelain"]), "");
        change.ends(&exactly(3), &[], "error", &["tests"]);
    }
}

#[test]
fn untracked_configuration_and_untracked_source_that_is_loaded_are_seen() {
    let Some(change) = vitest(SLUG, HONEST) else { return };
    change.repo.write("vitest.config.js", "export default {};\n");
    let verdict = change.ends(&exactly(3), &[], "error", &["tests"]);
    assert_eq!(verdict["error"]["kind"], "dirty_tree", "{verdict:#}");
    change.ends(&exactly(3), &["--isolate"], "passed", &[]);

    let source = "export { slug } from './more.js';\n";
    let Some(change) = vitest(SLUG, &[("src/slug.js", source), HONEST[1]]) else { return };
    change.repo.write("src/more.js", HONEST[0].1);
    change.ends(&exactly(3), &[], "failed", &["tests"]);
    change.ends(&exactly(3), &["--isolate"], "failed", &["tests"]);
}

#[test]
fn a_run_that_edits_the_code_it_tests_fails() {
    let test = format!(
        "import fs from 'node:fs';\nfs.writeFileSync(new URL('../src/slug.js', import.meta.url), {:?});\n{}",
        HONEST[0].1, CLAIMED[0].1
    );
    for flags in [&[][..], &["--isolate"]] {
        let Some(change) = vitest(SLUG, &[("tests/slug.test.js", &test)]) else { return };
        let twice = json!({"tests": [
            {"command": "npx vitest run", "passed": 3}, {"command": "npx vitest run", "passed": 3},
        ]});
        let verdict = change.check(&twice, flags).json();
        assert_eq!(verdict["status"], "failed", "{flags:?} {verdict:#}");
    }
}

#[test]
fn a_wrong_checkout_and_a_bare_repository_are_told_and_clones_work_there() {
    let Some(change) = vitest(SLUG, HONEST) else { return };
    change.repo.checkout("main");
    let verdict = change.ends(&exactly(3), &[], "error", &["tests"]);
    assert_eq!(verdict["error"]["kind"], "wrong_checkout", "{verdict:#}");
    change.ends(&exactly(3), &["--isolate"], "passed", &[]);
}

#[test]
fn gits_own_settings_are_as_they_were_after_a_run() {
    let test = format!(
        "import {{ execFileSync }} from 'node:child_process';\n\
         execFileSync('git', ['config', 'core.fsmonitor', '/tmp/evil']);\n{}",
        HONEST[1].1
    );
    for flags in [&[][..], &["--strict"]] {
        let Some(change) = vitest(SLUG, &[HONEST[0], ("tests/slug.test.js", &test)]) else { return };
        let before = std::fs::read(change.repo.file(".git/config")).expect("a configuration");
        change.ends(&exactly(3), flags, "passed", &[]);
        assert_eq!(std::fs::read(change.repo.file(".git/config")).expect("a configuration"), before);
    }
}

#[test]
fn strict_mode_sees_lost_and_softened_tests_that_a_count_does_not() {
    let padded = "import { expect, it } from 'vitest';\nimport { slug } from '../src/slug.js';\n\
         it('lowers', () => { expect(slug('A')).toBe('a'); });\n\
         it('pads', () => {});\nit('pads more', () => {});\n";
    let Some(change) = vitest(SLUG, &[("tests/slug.test.js", padded)]) else { return };
    change.ends(&exactly(3), &[], "passed", &[]);
    change.ends(&exactly(3), &["--strict"], "failed", &["tests"]);
    let skipped = HONEST[1].1.replace("it('joins',", "it.skip('joins',");
    let Some(change) = vitest(SLUG, &[HONEST[0], ("tests/slug.test.js", &skipped)]) else { return };
    change.ends(&exactly(2), &[], "passed", &[]);
    change.ends(&exactly(2), &["--strict"], "failed", &["tests"]);
}

#[test]
fn base_runs_say_what_is_new_proven_and_kept() {
    let Some(change) = vitest(SLUG, HONEST) else { return };
    let contract = |clause: &Value| {
        let mut test = json!({"command": "npx vitest run"});
        test.as_object_mut().expect("an object").extend(clause.as_object().expect("an object").clone());
        json!({"tests": [test]})
    };
    let more = contract(&json!({"passed": {"more_than_base": 1}}));
    let proven = contract(&json!({"fail_to_pass": ["joins runs"]}));
    let kept = contract(&json!({"pass_to_pass": true}));
    for flags in [&[][..], &["--strict"]] {
        for contract in [&more, &proven, &kept] {
            change.ends(contract, flags, "passed", &[]);
        }
        change.ends(&contract(&json!({"passed": {"more_than_base": 2}})), flags, "failed", &["tests"]);
        change.ends(&contract(&json!({"fail_to_pass": ["joins"]})), flags, "failed", &["tests"]);
    }
    let renamed = HONEST[1].1.replace("'joins'", "'puts together'");
    let Some(change) = vitest(SLUG, &[HONEST[0], ("tests/slug.test.js", &renamed)]) else { return };
    change.ends(&kept, &[], "failed", &["tests"]);
}

#[test]
fn a_kept_baseline_is_used_again_and_a_damaged_one_is_not() {
    let Some(change) = vitest(SLUG, HONEST) else { return };
    let kept = json!({"tests": [{"command": "npx vitest run", "pass_to_pass": true}]});
    let cache = tempfile::tempdir().expect("a folder");
    let flags = ["--cache-dir", cache.path().to_str().expect("a path")];
    let entries = || -> Vec<_> {
        let entries = std::fs::read_dir(cache.path().join("baselines")).expect("entries");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    change.ends(&kept, &flags, "passed", &[]);
    assert_eq!(entries().len(), 1);
    let entry = entries().remove(0);
    let whole = std::fs::read(&entry).expect("an entry");
    for cut in [0, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&entry, &whole[..cut]).expect("an entry");
        change.ends(&kept, &flags, "passed", &[]);
        assert_ne!(std::fs::read(&entry).expect("an entry").len(), cut, "it was written anew");
    }
}

#[test]
fn commands_are_judged_by_exit_status_with_their_configuration_locked() {
    let Some(change) = vitest(SLUG, HONEST) else { return };
    let command = |words: &[&str]| json!({"commands": [{"command": words}]});
    for flags in [&[][..], &["--isolate"], &["--strict"]] {
        change.ends(&command(&["node", "--check", "src/slug.js"]), flags, "passed", &[]);
        change.ends(&command(&["node", "-e", "process.exit(3)"]), flags, "failed", &["commands"]);
        change.ends(&command(&["no-such-program-here"]), flags, "error", &["commands"]);
    }
    let script = ("check.mjs", "process.exit(1)\n");
    let base = [SLUG, &[script]].concat();
    let Some(change) = vitest(&base, &[("check.mjs", "process.exit(0)\n")]) else { return };
    change.ends(&command(&["node", "check.mjs"]), &[], "failed", &["commands"]);
}

#[cfg(unix)]
#[test]
fn an_interpreter_without_pytest_is_a_missing_runner_and_nobodys_failure() {
    let Some(python) = crate::suite::support::python_with("pytest9") else { return };
    let test = ("tests/test_a.py", "def test_a():\n    pass\n");
    let ignore = (".gitignore", ".venv/\n__pycache__/\n");
    let change = super::change::Change::new(&[ignore, ("readme", "x\n")], &[test]);
    let venv = change.repo.file(".venv");
    assert_cmd::Command::new(&python).args(["-m", "venv", "--without-pip"]).arg(&venv).assert().success();
    let contract = json!({"tests": [{"command": ".venv/bin/python -m pytest", "passed": 1}]});
    for flags in [&[][..], &["--isolate"]] {
        let verdict = change.ends(&contract, flags, "error", &["tests"]);
        assert_eq!(verdict["error"]["kind"], "runner_missing", "{verdict:#}");
        assert_eq!(verdict["error"]["act"], "operator", "{verdict:#}");
        assert!(verdict["error"]["message"].to_string().contains("pytest cannot be imported"), "{verdict:#}");
    }
    // One that stands in the change is none: it is not what would run.
    let mine = ("pytest.py", "raise ImportError('gone')\n");
    let Some(change) = super::change::pytest(&[ignore, ("readme", "x\n")], &[test, mine]) else { return };
    let contract = json!({"tests": [{"command": "python -m pytest", "passed": 1}]});
    change.ends(&contract, &[], "failed", &["tests"]);
}
