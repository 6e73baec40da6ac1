def acceptance_pytest(how, program, arguments):
    """Runs pytest as the command would, with a plugin object that tells each test's result over the channel.

    Returns the exit status. `how` is `module` for `python -m pytest` and `script` for `pytest`, `program` the
    script's path. The plugin is an object: a name given with `-p` would be loaded again by xdist's workers.
    """
    import os
    import sys
    import unittest

    has_path_entry = acceptance_own_path_entry()
    put, put_test, flush_when_due, batch, close = acceptance_channel()
    is_installed = acceptance_installed()
    acceptance_fresh_bytecode(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pycache"), is_installed)
    # The folder that the command puts first on the path comes later: a `pytest.py` there is not pytest.
    try:
        import pluggy
        import pytest
        from _pytest import assertion, python, reports, runner, skipping
        from _pytest import unittest as pytest_unittest
    except ImportError as error:
        put("missing_runner", f"pytest cannot be imported by {sys.executable}: {acceptance_text(error)}")
        close()
        return 4

    put("start", {"runner": "pytest", "version": str(pytest.__version__)})
    module_file = os.path.join(os.path.dirname(pytest.__file__), "__main__.py")
    if has_path_entry:
        sys.path.insert(0, os.getcwd() if how == "module" else os.path.dirname(os.path.realpath(program)))
    sys.argv = [module_file if how == "module" else program, *arguments]
    acceptance_become("pytest.__main__" if how == "module" else None, sys.argv[0])
    keep_rewritten_bytecode_of_installed_packages(assertion, is_installed)

    modules = (pluggy, python, reports, runner, skipping, pytest_unittest)
    channel = (put, put_test, flush_when_due, batch)
    plugin, finish = acceptance_pytest_plugin(pytest, modules, unittest.SkipTest, channel, is_installed)
    run, text = pytest.main, acceptance_text
    try:
        status = int(run(plugins=[plugin]))
    except BaseException as error:
        put("unhandled", [f"pytest ended with {type(error).__name__}: {text(error)}"])
        close()
        raise
    total, remote_files = finish()
    loaded = acceptance_loaded(is_installed, remote_files)
    for start in range(0, len(loaded), 1000):
        put("loaded", loaded[start : start + 1000])
    put("end", {"total": total, "exit_status": status})
    close()
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        status = 1
    return status


if __name__ == "__main__":
    import sys

    raise SystemExit(acceptance_pytest(sys.argv[1], sys.argv[2], sys.argv[3:]))
