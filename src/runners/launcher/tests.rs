use super::take_off;
use crate::runners::command;

fn check(text: &str, launcher: &[&str], program: &str, args: &[&str]) {
    let call = take_off(&command::words(text).unwrap()).unwrap_or_else(|refusal| panic!("{text}: {refusal:?}"));
    assert_eq!(
        (call.launcher.as_slice(), call.program.as_str(), call.args.as_slice()),
        (
            launcher.iter().map(|&word| word.to_owned()).collect::<Vec<_>>().as_slice(),
            program,
            args.iter().map(|&word| word.to_owned()).collect::<Vec<_>>().as_slice()
        ),
        "{text}"
    );
}

fn check_refused(text: &str, expected: &str) {
    let refusal = take_off(&command::words(text).unwrap()).map(|call| panic!("{text}: {call:?}")).unwrap_err();
    assert!(refusal.message.contains(expected), "{text}: {refusal:?}");
    assert!(refusal.help.is_some(), "{text}");
    assert!(!refusal.message.contains('\0'), "{text}");
}

#[test]
fn launchers_of_javascript_are_taken_off() {
    check("vitest run", &[], "vitest", &["run"]);
    check("npx vitest run a", &["npx"], "vitest", &["run", "a"]);
    check("npx --no-install vitest run", &["npx", "--no-install"], "vitest", &["run"]);
    check("npx -y -- jest --ci", &["npx", "-y", "--"], "jest", &["--ci"]);
    check("npm exec -- vitest run --x", &["npm", "exec", "--"], "vitest", &["run", "--x"]);
    check("npm exec vitest run", &["npm", "exec"], "vitest", &["run"]);
    check("pnpm exec vitest run --x", &["pnpm", "exec"], "vitest", &["run", "--x"]);
    check("pnpm vitest run", &["pnpm"], "vitest", &["run"]);
    check("yarn vitest run", &["yarn"], "vitest", &["run"]);
    check("yarn run jest", &["yarn", "run"], "jest", &[]);
    check("bunx vitest run", &["bunx"], "vitest", &["run"]);
    check("bun x vitest run", &["bun", "x"], "vitest", &["run"]);
    check("bun test a", &[], "bun", &["test", "a"]);
    check("./node_modules/.bin/vitest run", &["./node_modules/.bin/vitest"], "vitest", &["run"]);
    check("../../node_modules/.bin/jest", &["../../node_modules/.bin/jest"], "jest", &[]);
    check("node node_modules/vitest/vitest.mjs run", &["node", "node_modules/vitest/vitest.mjs"], "vitest", &["run"]);
    check(
        "node --experimental-vm-modules node_modules/jest/bin/jest.js a",
        &["node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js"],
        "jest",
        &["a"],
    );
    check(
        "node --experimental-vm-modules node_modules/.bin/jest",
        &["node", "--experimental-vm-modules", "node_modules/.bin/jest"],
        "jest",
        &[],
    );
    check(
        "node --import tsx node_modules/mocha/bin/mocha.js a",
        &["node", "--import", "tsx", "node_modules/mocha/bin/mocha.js"],
        "mocha",
        &["a"],
    );
    check("node --test tests", &[], "node", &["--test", "tests"]);
    check("bundle exec rspec", &["bundle", "exec"], "rspec", &[]);
    check("vendor/bin/phpunit a", &["vendor/bin/phpunit"], "phpunit", &["a"]);
    check("php vendor/bin/phpunit", &["php", "vendor/bin/phpunit"], "phpunit", &[]);
    check(
        "php -d memory_limit=-1 -derror_reporting=0 vendor/bin/phpunit",
        &["php", "-d", "memory_limit=-1", "-derror_reporting=0", "vendor/bin/phpunit"],
        "phpunit",
        &[],
    );
}

#[test]
fn launchers_of_python_and_rust_are_taken_off() {
    check("pytest -q", &[], "pytest", &["-q"]);
    check("python -m pytest -q", &["python", "-m"], "pytest", &["-q"]);
    check("python3.12 -I -m pytest", &["python3.12", "-I", "-m"], "pytest", &[]);
    check(".venv/bin/python -m pytest", &[".venv/bin/python", "-m"], "pytest", &[]);
    check(".venv/bin/pytest a", &[".venv/bin/pytest"], "pytest", &["a"]);
    check("poetry run pytest", &["poetry", "run"], "pytest", &[]);
    check("poetry run python -m pytest", &["poetry", "run", "python", "-m"], "pytest", &[]);
    check("uv run --frozen --extra dev pytest a", &["uv", "run", "--frozen", "--extra", "dev"], "pytest", &["a"]);
    check("uv run -m pytest", &["uv", "run", "-m"], "pytest", &[]);
    check("uv run -- pytest", &["uv", "run", "--"], "pytest", &[]);
    check("pipenv run pytest", &["pipenv", "run"], "pytest", &[]);
    check("cargo test a", &[], "cargo", &["test", "a"]);
    check("cargo +nightly test", &["+nightly"], "cargo", &["test"]);
}

#[test]
fn what_hides_the_runner_is_refused() {
    for text in [
        "npm test",
        "npm t",
        "npm run test",
        "npm run vitest",
        "yarn test",
        "pnpm test",
        "pnpm run test",
        "pnpm t",
        "bun run test",
        "make test",
        "just test",
        "tox -e py",
        "nox",
        "turbo run test",
        "rake spec",
        "yarn",
        "yarn build",
        "deno task test",
        "composer test",
        "hatch run test",
        "npm",
    ] {
        check_refused(text, "hides which test runner");
    }
    check_refused("sh -c id", "shell");
    check_refused("bash run.sh", "shell");
    check_refused("CI=1 npx vitest run", "environment variable");
    check_refused("env A=b npx vitest run", "environment");
    check_refused("timeout 5 npx vitest run", "stands between");
    check_refused("./scripts/test.sh", "bring along");
    check_refused("scripts/vitest run", "bring along");
    check_refused("npx", "no test runner");
    check_refused("python test.py", "without a module");
}

#[test]
fn what_a_direct_call_would_not_do_is_refused() {
    check_refused("node --inspect node_modules/jest/bin/jest.js", "to their end");
    check_refused("npx vitest@3 run", "version");
    check_refused("npx -p vitest vitest run", "changes what is run");
    check_refused("npx -c vitest", "shell");
    check_refused("npx ./evil", "not a runner's name");
    check_refused("npx github:a/b", "version");
    check_refused("npm exec vitest run --retry=2", "for itself");
    check_refused("pnpm dlx vitest run", "downloaded copy");
    check_refused("yarn dlx vitest run", "downloaded copy");
    check_refused("pnpm -r exec vitest run", "changes where");
    check_refused("yarn workspace a vitest run", "another folder");
    check_refused("bunx --bun vitest run", "changes what is run");
    check_refused("uv run --with pytest pytest", "changes what is run");
    check_refused("uvx pytest", "outside the project's environment");
    check_refused("php -d auto_prepend_file=x vendor/bin/phpunit", "changes what is run");
    check_refused("php artisan test", "hides which test runner");
    check_refused("php scripts/run.php", "bring along");
    check_refused("uv sync", "only with `run`");
    check_refused("python -m ../x", "not a module's name");
}
