//! Results that test code writes to the reporter's open connection by itself.

use super::change::pytest;
use serde_json::json;

#[cfg(unix)]
#[test]
fn records_that_a_python_test_writes_to_every_open_socket_are_not_believed() {
    let forged = "import json, os, stat\n\n\ndef tell(path):\n    names = ['test_one', 'test_two']\n    \
        tests = [{'file': path, 'path': [name], 'at': at, 'status': 'passed'} for at, name in enumerate(names)]\n    \
        lines = json.dumps({'tests': tests}) + '\\n' + json.dumps({'end': {'total': 2, 'exit_status': 0}}) + '\\n'\n    \
        for fd in range(3, 64):\n        try:\n            if stat.S_ISSOCK(os.fstat(fd).st_mode):\n                \
        os.write(fd, lines.encode())\n        except OSError:\n            pass\n    os._exit(0)\n\n\n\
        def test_one():\n    tell(os.path.abspath(__file__))\n\n\ndef test_two():\n    assert False\n";
    let ignore = (".gitignore", "__pycache__/\n");
    let Some(change) = pytest(&[ignore, ("readme", "x\n")], &[("tests/test_a.py", forged)]) else { return };
    for command in ["pytest", "python -m pytest -q"] {
        let contract = json!({"tests": [{"command": command, "passed": 2}]});
        change.ends(&contract, &[], "failed", &["tests"]);
    }
}
