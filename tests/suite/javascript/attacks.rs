//! Changes that want a failing test to look green with jest, mocha, Playwright and node's own runner, by kinds. Each row
//! changes only files that tests or source may stand in, or configuration that the lock must name.

use crate::suite::collect::change::{Change, Files, link};
use crate::suite::support::{missing, node_modules, on_path};
use serde_json::json;

/// A runner: its packages, its command, and how a test file begins.
struct Runner {
    name: &'static str,
    packages: Option<&'static str>,
    command: &'static str,
    first_lines: &'static str,
}

const JEST: Runner = Runner { name: "jest", packages: Some("jest30"), command: "npx jest", first_lines: "" };
const MOCHA: Runner = Runner {
    name: "mocha",
    packages: Some("mocha12"),
    command: "npx mocha a.test.js",
    first_lines: "const { it: test, before: beforeAll, after: afterAll } = require('mocha');\n",
};
const MOCHA_11: Runner = Runner { packages: Some("mocha11"), ..MOCHA };
const PLAYWRIGHT: Runner = Runner {
    name: "playwright",
    packages: Some("playwright1"),
    command: "npx playwright test",
    first_lines: "const { test } = require('@playwright/test');\nconst { beforeAll, afterAll } = test;\n",
};
const NODE: Runner = Runner {
    name: "node",
    packages: None,
    command: "node --test",
    first_lines: "const { test, before: beforeAll, after: afterAll } = require('node:test');\n",
};

/// Two tests, of which the second fails as long as nothing is done about it.
fn tests(runner: &Runner, attack: &str) -> String {
    format!(
        "{}const assert = require('node:assert');\nconst {{ two }} = require('./two.js');\n{attack}\n\
         test('has a number', () => {{ assert.ok(two() > 0); }});\n\
         test('is two', () => {{ assert.equal(two(), 2); }});\n",
        runner.first_lines
    )
}

fn change(runner: &Runner, attack: &str, more: Files<'_>) -> Option<Change> {
    if on_path("node").is_none() {
        missing("node");
        return None;
    }
    let shared = match runner.packages {
        Some(name) => Some(node_modules(name)?),
        None => None,
    };
    let one_test = tests(runner, "").replace("test('is two'", "if (false) test('is two'");
    let base: Files<'_> = &[
        ("package.json", "{\"private\": true}\n"),
        (".gitignore", "node_modules\ntest-results/\n"),
        ("two.js", "exports.two = () => 1;\n"),
        ("a.test.js", &one_test),
    ];
    let attacked = tests(runner, attack);
    let change = Change::new(base, &[&[("a.test.js", attacked.as_str())], more].concat());
    let folder = change.repo.file("node_modules");
    if let Some(shared) = shared.filter(|_| !folder.exists()) {
        link(&shared, &folder);
    }
    Some(change)
}

/// Checks a change with each of some runners; returns the rows that were fooled.
fn fooled(runners: &[&Runner], what: &str, attack: &str, more: Files<'_>) -> Vec<String> {
    let mut fooled = Vec::new();
    for runner in runners {
        let Some(change) = change(runner, attack, more) else { continue };
        let contract = json!({"tests": [{"command": runner.command, "passed": 2}]});
        let verdict = change.check(&contract, &[]).json();
        if verdict["status"] != "failed" {
            fooled.push(format!("{what} [{}]: {} {}", runner.name, verdict["status"], verdict["error"]));
        }
    }
    fooled
}

/// Ways of which each runs in the process of the tests.
const IN_TESTS: &[(&str, &str)] = &[
    ("nothing", ""),
    ("exit in a hook", "afterAll(() => { process.exit(0); });"),
    ("exit before all", "beforeAll(() => { process.exit(0); });"),
    ("exit at load", "process.exit(0);"),
    ("real exit at load", "(process.reallyExit ?? process.exit)(0);"),
    ("exit code at the end", "process.on('exit', () => { process.exitCode = 0; });"),
    ("exit rewritten at the end", "process.on('exit', () => { process.reallyExit(0); });"),
    (
        "exit code pinned",
        "Object.defineProperty(process, 'exitCode', { get: () => 0, set() {}, configurable: true });\n\
         process.exit = () => {}; process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "records over every open socket, then an exit",
        "const forge = () => {\n  const fs = require('node:fs');\n\
           const tests = ['has a number', 'is two'].map((name, at) => ({ file: __filename, path: [name], at, status: 'passed' }));\n\
           const lines = `${JSON.stringify({ tests })}\\n${JSON.stringify({ end: { total: 2, reason: null } })}\\n`;\n\
           for (let fd = 3; fd < 64; fd++) { try { if (fs.fstatSync(fd).isSocket()) fs.writeSync(fd, lines); } catch {} }\n};\n\
         test('z', () => { forge(); process.exit(0); });",
    ),
    (
        "records over every open socket a while after the load, then an exit",
        "const forge = () => {\n  const fs = require('node:fs');\n\
           const tests = ['has a number', 'is two'].map((name, at) => ({ file: __filename, path: [name], at, status: 'passed' }));\n\
           const lines = `${JSON.stringify({ tests })}\\n${JSON.stringify({ end: { total: 2, reason: null } })}\\n`;\n\
           for (let fd = 3; fd < 64; fd++) { try { if (fs.fstatSync(fd).isSocket()) fs.writeSync(fd, lines); } catch {} }\n};\n\
         test('z', async () => { await new Promise((resolve) => setTimeout(resolve, 500)); forge(); process.reallyExit(0); });",
    ),
    (
        "records over every open socket at load, then an exit",
        "const forge = () => {\n  const fs = require('node:fs');\n\
           const tests = ['has a number', 'is two'].map((name, at) => ({ file: __filename, path: [name], at, status: 'passed' }));\n\
           const lines = `${JSON.stringify({ tests })}\\n${JSON.stringify({ end: { total: 2, reason: null } })}\\n`;\n\
           for (let fd = 3; fd < 64; fd++) { try { if (fs.fstatSync(fd).isSocket()) fs.writeSync(fd, lines); } catch {} }\n};\n\
         forge(); process.reallyExit(0);",
    ),
    (
        "records through node's own handles, then an exit",
        "{ const tests = ['has a number', 'is two'].map((name, at) => ({ file: __filename, path: [name], at, status: 'passed' }));\n\
           const lines = `${JSON.stringify({ tests })}\\n${JSON.stringify({ end: { total: 2, reason: null } })}\\n`;\n\
           for (const it of process._getActiveHandles?.() ?? []) { try { it.write?.(lines); } catch {} }\n\
           setTimeout(() => process.reallyExit(0), 100); const until = Date.now() + 300; }",
    ),
    (
        "JSON and sockets replaced",
        "JSON.stringify = ((real) => (value, ...rest) => real(value, ...rest)?.replaceAll('\"failed\"', '\"passed\"'))(JSON.stringify);\n\
         for (const name of ['write', 'end']) { const { Socket } = require('node:net'); const real = Socket.prototype[name];\n\
           Socket.prototype[name] = function (data, ...rest) { return real.call(this, typeof data === 'string' ? data.replaceAll('\"failed\"', '\"passed\"') : data, ...rest); }; }\n\
         process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "arrays and strings replaced",
        "Array.prototype.join = ((real) => function (...a) { return real.apply(this, a).replaceAll('\"failed\"', '\"passed\"'); })(Array.prototype.join);\n\
         String.prototype.replace = ((real) => function (...a) { const text = real.apply(this, a); return text === 'failed' ? 'passed' : text; })(String.prototype.replace);\n\
         process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "the runner's own code replaced",
        "try { const { Runner } = require('mocha'); Runner.prototype.fail = function (it) { it.state = 'passed'; this.emit('pass', it); }; } catch {}\n\
         process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "the runner's own code replaced and put back",
        "try { const { Runner } = require('mocha'); const real = Runner.prototype.fail;\n\
           beforeAll(() => { Runner.prototype.fail = function (it) { it.state = 'passed'; this.emit('pass', it); Runner.prototype.fail = real; }; }); } catch {}\n\
         process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "events replaced",
        "{ const { EventEmitter } = require('node:events'); const { emit } = EventEmitter.prototype;\n\
           EventEmitter.prototype.emit = function (name, ...rest) { return emit.call(this, name === 'fail' ? 'pass' : name, ...rest); }; }\n\
         process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "streams replaced",
        "{ const { Readable } = require('node:stream'); const real = Readable.prototype[Symbol.asyncIterator];\n\
           const turned = (it) => { if (it.value?.type === 'test:fail') { it.value.type = 'test:pass'; } return it; };\n\
           Readable.prototype[Symbol.asyncIterator] = function () { const it = real.call(this);\n\
             return { next: async () => turned(await it.next()), [Symbol.asyncIterator]() { return this; } }; }; }\n\
         process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "the reporter replaced",
        "for (const { exports: held } of Object.values(require.cache ?? {})) { for (const name of ['onTestResult', 'onTestEnd', 'done', 'report', 'send', 'test']) {\n\
           try { if (typeof held?.prototype?.[name] === 'function') held.prototype[name] = () => {}; } catch {} } }\n\
         process.on('exit', () => { process.reallyExit(0); });",
    ),
    (
        "a getter on every object",
        "Object.defineProperty(Object.prototype, 'error', { get() { return undefined; }, set() {}, configurable: true });",
    ),
];

#[track_caller]
fn check_from_inside(runner: &Runner) {
    let wrong: Vec<String> = IN_TESTS.iter().flat_map(|(what, attack)| fooled(&[runner], what, attack, &[])).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_way_from_inside_a_test_of_jest_makes_a_failing_one_look_green() {
    check_from_inside(&JEST);
}

#[test]
fn no_way_from_inside_a_test_of_mocha_makes_a_failing_one_look_green() {
    check_from_inside(&MOCHA);
}

#[test]
fn no_way_from_inside_a_test_of_mocha_11_makes_a_failing_one_look_green() {
    check_from_inside(&MOCHA_11);
}

#[test]
fn no_way_from_inside_a_test_of_playwright_makes_a_failing_one_look_green() {
    check_from_inside(&PLAYWRIGHT);
}

#[test]
fn no_way_from_inside_a_test_of_node_makes_a_failing_one_look_green() {
    check_from_inside(&NODE);
}

/// Files beside the tests that decide how they run: each is named by the lock.
const BESIDE: &[(&Runner, &str, &str)] = &[
    (&JEST, "jest.config.js", "module.exports = { testResultsProcessor: './p.js' };"),
    (&JEST, "jest.config.js", "module.exports = { projects: [{ testMatch: ['**/b.js'] }] };"),
    (&JEST, "jest.config.js", "module.exports = { moduleNameMapper: { two: '<rootDir>/fake.js' } };"),
    (&JEST, "package.json", "{\"private\": true, \"jest\": {\"globalSetup\": \"./g.js\"}}"),
    (&JEST, "package.json", "{\"private\": true, \"jest\": {\"transform\": {\".*\": \"./t.js\"}}}"),
    (&JEST, "babel.config.js", "module.exports = {};"),
    (&MOCHA, ".mocharc.yml", "require: ./r.js\n"),
    (&MOCHA, ".mocharc.cjs", "module.exports = { grep: 'has' };"),
    (&MOCHA, "package.json", "{\"private\": true, \"mocha\": {\"require\": \"./r.js\"}}"),
    (&PLAYWRIGHT, "playwright.config.js", "module.exports = { grepInvert: /two/ };"),
    (&PLAYWRIGHT, "playwright.config.ts", "export default { globalSetup: './g.ts' };"),
    (&NODE, "node.config.json", "{\"testRunner\": {}}"),
    (&NODE, ".npmrc", "node-options=--require ./r.js\n"),
    (&NODE, "node_modules/assert/index.js", "exports.equal = () => {};"),
    (&NODE, ".env", "NODE_OPTIONS=--require=./r.js\n"),
];

#[test]
fn files_beside_the_tests_that_decide_how_they_run_are_named() {
    let mut wrong = Vec::new();
    for (runner, path, text) in BESIDE {
        let Some(change) = change(runner, "", &[(path, text)]) else { continue };
        let contract = json!({"tests": [{"command": runner.command, "passed": 2}]});
        let verdict = change.check(&contract, &[]).json();
        let harness = verdict["checks"][0]["evidence"]["harness"].to_string();
        if verdict["status"] != "failed" || !harness.contains(path) {
            wrong.push(format!("{path} [{}]: {} {harness}", runner.name, verdict["status"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
