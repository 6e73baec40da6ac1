//! The example contracts of the documentation: honest work passes, a lazy answer fails on the clause that is
//! meant to catch it.

use super::support::{Repo, Tool, python_with};
use std::fs;
use std::path::Path;

/// Files and their content; an empty content removes the file.
type Files = &'static [(&'static str, &'static str)];

struct Example {
    kind: &'static str,
    base: Files,
    honest: Files,
    lazy: Files,
    /// The checks that fail for the lazy answer.
    caught_by: &'static [&'static str],
}

const EXAMPLES: &[Example] = &[
    Example {
        kind: "bug-fix",
        base: &[
            ("src/slug.py", "def slug(text):\n    return text.lower().replace(' ', '-')\n"),
            ("tests/test_slug.py", "from src.slug import slug\n\n\ndef test_lower():\n    assert slug('AB') == 'ab'\n"),
        ],
        honest: &[
            ("src/slug.py", "def slug(text):\n    return '-'.join(text.lower().split())\n"),
            (
                "tests/test_slug.py",
                "from src.slug import slug\n\n\ndef test_lower():\n    assert slug('AB') == 'ab'\n\n\ndef test_runs():\n    assert slug('a  b') == 'a-b'\n",
            ),
        ],
        lazy: &[
            ("src/slug.py", "def slug(text):\n    # collapse runs\n    return text.lower().replace(' ', '-')\n"),
            (
                "tests/test_slug.py",
                "from src.slug import slug\n\n\ndef test_lower():\n    assert slug('AB') == 'ab'\n\n\ndef test_runs():\n    assert slug('a b') == 'a-b'\n",
            ),
        ],
        caught_by: &["tests"],
    },
    Example {
        kind: "feature",
        base: &[
            ("src/report.py", "def total(rows):\n    return sum(rows)\n"),
            (
                "tests/test_report.py",
                "from src.report import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n",
            ),
        ],
        honest: &[
            (
                "src/report.py",
                "import csv\nimport io\n\n\ndef total(rows):\n    return sum(rows)\n\n\ndef to_csv(row):\n    text = io.StringIO()\n    csv.writer(text).writerow(row)\n    return text.getvalue()\n",
            ),
            (
                "tests/test_csv.py",
                "from src.report import to_csv\n\n\ndef test_a_comma_is_quoted():\n    assert to_csv(['a,b']) == '\"a,b\"\\r\\n'\n",
            ),
        ],
        lazy: &[
            (
                "src/report.py",
                "def total(rows):\n    return sum(rows)\n\n\ndef to_csv(row):\n    return ','.join(row)\n",
            ),
            (
                "tests/test_csv.py",
                "import pytest\n\n\n@pytest.mark.skip\ndef test_a_comma_is_quoted():\n    assert False\n",
            ),
        ],
        caught_by: &["tests"],
    },
    Example {
        kind: "refactor",
        base: &[
            (
                "src/text.py",
                "def trim_spaces(text):\n    return text.strip(' ')\n\n\ndef trim(text):\n    return text.strip(' ')\n\n\ndef clean(text):\n    return trim_spaces(text)\n",
            ),
            (
                "tests/test_text.py",
                "from src.text import clean\n\n\ndef test_clean():\n    assert clean(' a ') == 'a'\n",
            ),
        ],
        honest: &[(
            "src/text.py",
            "def trim(text):\n    return text.strip(' ')\n\n\ndef clean(text):\n    return trim(text)\n",
        )],
        lazy: &[(
            "src/text.py",
            "def trim_spaces(text):\n    return trim(text)\n\n\ndef trim(text):\n    return text.strip(' ')\n\n\ndef clean(text):\n    return trim_spaces(text)\n",
        )],
        caught_by: &["file_excludes"],
    },
    Example {
        kind: "dependency",
        base: &[
            ("requirements.txt", "idna>=3.4\n"),
            ("requirements.lock", "idna==3.6\n"),
            ("tests/test_one.py", "def test_one():\n    assert True\n"),
        ],
        honest: &[("requirements.txt", "idna>=3.7\n"), ("requirements.lock", "idna==3.10\n")],
        lazy: &[("requirements.txt", "idna>=3.7\n"), ("requirements.lock", "# refreshed\nidna==3.6\n")],
        caught_by: &["file_contains", "file_excludes"],
    },
    Example {
        kind: "docs",
        base: &[("README.md", "# App\n"), ("docs/release.md", "# Release\n")],
        honest: &[
            ("README.md", "# App\n\nSee docs/release.md.\n"),
            ("docs/release.md", "# Release\n\n## Undo a release\n\nRun git revert\n--mainline 1 on the merge.\n"),
        ],
        lazy: &[
            ("README.md", "# App\n\nSee docs/release.md.\n"),
            ("docs/release.md", "# Release\n\n## Undo a release\n\nTBD\n"),
        ],
        caught_by: &["file_contains", "file_excludes"],
    },
    Example {
        kind: "performance",
        base: &[
            (
                "src/search.py",
                "def find(items, wanted, step):\n    for at, item in enumerate(items):\n        step()\n        if item == wanted:\n            return at\n    return -1\n",
            ),
            (
                "bench/count_steps.py",
                "import sys\nfrom src.search import find\n\nsteps = []\nfind(list(range(1000)), 999, lambda: steps.append(1))\nsys.exit(len(steps) > 20)\n",
            ),
            (
                "tests/test_search.py",
                "from src.search import find\n\n\ndef test_find():\n    assert find([1, 2, 3], 3, lambda: None) == 2\n    assert find([1, 2, 3], 4, lambda: None) == -1\n",
            ),
        ],
        honest: &[(
            "src/search.py",
            "def find(items, wanted, step):\n    low, high = 0, len(items)\n    while low < high:\n        step()\n        middle = (low + high) // 2\n        if items[middle] < wanted:\n            low = middle + 1\n        else:\n            high = middle\n    return low if low < len(items) and items[low] == wanted else -1\n",
        )],
        lazy: &[(
            "src/search.py",
            "def find(items, wanted, step):\n    position = -1\n    for at, item in enumerate(items):\n        step()\n        if item == wanted:\n            position = at\n            break\n    return position\n",
        )],
        caught_by: &["commands"],
    },
    Example {
        kind: "removal",
        base: &[
            ("src/legacy.py", "def export():\n    return 'legacy'\n"),
            ("src/report.py", "from src.legacy import export\n\n\ndef report():\n    return 1\n"),
            ("tests/test_legacy.py", "from src.legacy import export\n\n\ndef test_export():\n    assert export()\n"),
            (
                "tests/test_report.py",
                "from src.report import report\n\n\ndef test_report():\n    assert report() == 1\n\n\ndef test_again():\n    assert report() == 1\n",
            ),
        ],
        honest: &[
            ("src/legacy.py", ""),
            ("tests/test_legacy.py", ""),
            ("src/report.py", "def report():\n    return 1\n"),
        ],
        lazy: &[
            ("src/legacy.py", ""),
            ("tests/test_legacy.py", ""),
            ("src/report.py", "def report():\n    return 1\n"),
            (
                "tests/test_report.py",
                "from src.report import report\n\n\ndef test_report():\n    assert report() == 1\n",
            ),
        ],
        caught_by: &["tests"],
    },
    Example {
        kind: "tests-only",
        base: &[
            ("src/sum.py", "def add(a, b):\n    return a + b\n"),
            ("tests/test_sum.py", "from src.sum import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"),
        ],
        honest: &[(
            "tests/test_more.py",
            "from src.sum import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n\n\ndef test_negative():\n    assert add(-1, -2) == -3\n",
        )],
        lazy: &[(
            "tests/test_more.py",
            "import pytest\nfrom src.sum import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n\n\n@pytest.mark.skip\ndef test_negative():\n    assert add(-1, -2) == -3\n",
        )],
        caught_by: &["added_lines_exclude", "tests"],
    },
    Example {
        kind: "ci",
        base: &[(
            ".github/workflows/ci.yml",
            "on: push\njobs:\n  test:\n    runs-on: ubuntu-22.04\n    steps:\n      - run: make test\n",
        )],
        honest: &[(
            ".github/workflows/ci.yml",
            "on: push\npermissions:\n  contents: read\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: make test\n",
        )],
        lazy: &[(
            ".github/workflows/ci.yml",
            "on: push\npermissions:\n  contents: read\njobs:\n  test:\n    runs-on: ubuntu-24.04\n    steps:\n      - run: make test\n        continue-on-error: true\n",
        )],
        caught_by: &["added_lines_exclude"],
    },
    Example {
        kind: "translations",
        base: &[
            ("locales/de.json", "{\n  \"hello\": \"Hallo\"\n}\n"),
            ("locales/en.json", "{\n  \"hello\": \"Hello\"\n}\n"),
        ],
        honest: &[
            ("locales/de.json", "{\n  \"hello\": \"Hallo\",\n  \"goodbye\": \"Tschüss\"\n}\n"),
            ("locales/en.json", "{\n  \"hello\": \"Hello\",\n  \"goodbye\": \"Goodbye\"\n}\n"),
        ],
        lazy: &[("locales/en.json", "{\n  \"hello\": \"Hello\",\n  \"goodbye\": \"Goodbye\"\n}\n")],
        caught_by: &["file_contains"],
    },
    Example {
        kind: "migration",
        base: &[
            ("migrations/0001_users.sql", "CREATE TABLE users (id INTEGER);\n"),
            ("schema.sql", "CREATE TABLE users (id INTEGER);\n"),
        ],
        honest: &[
            ("migrations/0002_add_email.sql", "ALTER TABLE users ADD COLUMN email TEXT;\n"),
            ("schema.sql", "CREATE TABLE users (id INTEGER, email TEXT);\n"),
        ],
        lazy: &[
            ("migrations/0001_users.sql", "CREATE TABLE users (id INTEGER, email TEXT);\n"),
            ("schema.sql", "CREATE TABLE users (id INTEGER, email TEXT);\n"),
        ],
        caught_by: &["changed_files_forbidden", "changed_files_only", "changed_files_required", "file_contains"],
    },
    Example {
        kind: "security",
        base: &[
            (
                "src/files.py",
                "import os\n\n\ndef locate(folder, name):\n    return os.path.normpath(os.path.join(folder, name))\n",
            ),
            (
                "tests/test_files.py",
                "from src.files import locate\n\n\ndef test_a_name_is_found():\n    assert locate('/srv', 'a').endswith('a')\n",
            ),
        ],
        honest: &[
            (
                "src/files.py",
                "import os\n\n\ndef locate(folder, name):\n    path = os.path.normpath(os.path.join(folder, name))\n    if os.path.commonpath([folder, path]) != os.path.normpath(folder):\n        raise ValueError(name)\n    return path\n",
            ),
            (
                "tests/test_files.py",
                "import pytest\nfrom src.files import locate\n\n\ndef test_a_name_is_found():\n    assert locate('/srv', 'a').endswith('a')\n\n\ndef test_a_path_that_leads_out_is_refused():\n    with pytest.raises(ValueError):\n        locate('/srv', '../etc/passwd')\n",
            ),
        ],
        lazy: &[
            (
                "src/files.py",
                "import os\n\n\ndef locate(folder, name):\n    return os.path.normpath(os.path.join(folder, name))  # nosec\n",
            ),
            (
                "tests/test_files.py",
                "from src.files import locate\n\n\ndef test_a_name_is_found():\n    assert locate('/srv', 'a').endswith('a')\n\n\ndef test_a_path_that_leads_out_is_refused():\n    assert locate('/srv', '../etc/passwd')\n",
            ),
        ],
        caught_by: &["added_lines_exclude", "tests"],
    },
];

#[test]
fn honest_work_passes_every_example_and_a_lazy_answer_fails_it() {
    let Some(python) = python_with("pytest9") else { return };
    for example in EXAMPLES {
        let failing = |change: Files| {
            let repo = Repo::new();
            repo.write(".gitignore", "__pycache__/\n.pytest_cache/\n");
            apply(&repo, example.base).commit("Base");
            repo.branch("work");
            apply(&repo, change).commit("Work");
            judged(&repo, example.kind, &python)
        };
        assert_eq!(failing(example.honest), Vec::<String>::new(), "{}: honest work", example.kind);
        assert_eq!(failing(example.lazy), example.caught_by, "{}: a lazy answer", example.kind);
    }
}

fn apply(repo: &Repo, files: Files) -> &Repo {
    for (path, content) in files {
        if content.is_empty() {
            repo.remove(path);
        } else {
            repo.write(path, content);
        }
    }
    repo
}

/// Returns which checks do not hold, each once.
fn judged(repo: &Repo, kind: &str, python: &Path) -> Vec<String> {
    let contract = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/contracts/{kind}.md"));
    let folder = python.parent().expect("a folder").to_owned();
    let path = std::env::join_paths(std::iter::once(folder).chain(search_path())).expect("a path");
    let contract = contract.to_str().expect("a path");
    let answer =
        Tool::new(repo.path(), ["check", contract, "--base", "main", "--format", "json"]).env("PATH", path).run();
    assert!(matches!(answer.code, 0 | 1), "{kind}: {answer:?}");
    let report = answer.json();
    let checks = report["checks"].as_array().expect("checks").iter();
    let mut failing: Vec<String> = checks
        .filter(|check| check["ok"] == false)
        .map(|check| check["check"].as_str().expect("a name").to_owned())
        .collect();
    failing.sort();
    failing.dedup();
    failing
}

fn search_path() -> Vec<std::path::PathBuf> {
    let (_, path) =
        super::support::environment(Path::new("/")).into_iter().find(|(name, _)| name == "PATH").expect("a path");
    std::env::split_paths(&path).collect()
}

#[test]
fn every_example_of_the_documentation_is_tried() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/contracts");
    let mut there: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path().file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    there.sort();
    let mut tried: Vec<&str> = EXAMPLES.iter().map(|example| example.kind).collect();
    tried.sort_unstable();
    assert_eq!(there, tried);
    assert_eq!(tried.len(), 12);
}
