def acceptance_unittest(arguments):
    """Runs `python -m unittest` with a result object that tells each test's result over the channel.

    Returns the exit status.
    """
    import os
    import sys
    import unittest
    import unittest.async_case  # Loaded before the tests' folder is first on the path.

    has_path_entry = acceptance_own_path_entry()
    put, put_test, flush_when_due, batch, close = acceptance_channel()
    is_installed = acceptance_installed()
    acceptance_fresh_bytecode(os.path.join(os.path.dirname(os.path.abspath(__file__)), "pycache"), is_installed)
    put("start", {"runner": "unittest", "version": sys.version.split()[0]})
    if has_path_entry:
        sys.path.insert(0, os.getcwd())
    sys.argv = [os.path.basename(sys.executable) + " -m unittest", *arguments]
    acceptance_become("unittest.__main__", os.path.join(os.path.dirname(unittest.__file__), "__main__.py"))
    runner, finish = acceptance_unittest_runner(unittest, (put, put_test, flush_when_due, batch))
    run, text = unittest.main, acceptance_text
    status = 0
    try:
        run(module=None, testRunner=runner)
    except SystemExit as end:
        status = int(end.code) if isinstance(end.code, int) else int(end.code is not None)
    except BaseException as error:
        put("unhandled", [f"unittest ended with {type(error).__name__}: {text(error)}"])
        close()
        raise
    total = finish()
    if total is None:
        put("unhandled", ["the process was ended before any test ran"])
    loaded = acceptance_loaded(is_installed)
    for start in range(0, len(loaded), 1000):
        put("loaded", loaded[start : start + 1000])
    put("end", {"total": total or 0, "exit_status": status})
    close()
    return status


def acceptance_unittest_runner(unittest, channel):
    """Returns the runner's class, and the function that ends the records: the number of tests, or `None`."""
    import collections
    import inspect
    import os
    import sys

    put, put_test, flush_when_due, batch = channel
    text = acceptance_text
    failed_type, holder_type = unittest.loader._FailedTest, unittest.suite._ErrorHolder
    watched = [
        (unittest.TestCase, ("run", "__call__", "_callTestMethod", "_callSetUp", "fail", "assertEqual", "assertTrue")),
        (unittest.IsolatedAsyncioTestCase, ("run", "_callTestMethod")),
        (unittest.suite.TestSuite, ("run", "__call__")),
        (unittest.suite.BaseTestSuite, ("run", "__call__", "__iter__")),
        (unittest.case._Outcome, ("__init__", "testPartExecutor")),
    ]
    known = [(owner, name, vars(owner).get(name)) for owner, names in watched for name in names]
    tests, state = {}, {"total": 0, "has_run": False, "class_skips": []}

    def each(suite):
        if isinstance(suite, unittest.TestCase):
            yield suite
            return
        for test in suite:
            yield from each(test)

    def file_of(test):
        module = sys.modules.get(type(test).__module__)
        file = getattr(module, "__file__", None)
        if isinstance(test, unittest.FunctionTestCase) or type(test).__module__ in ("doctest", "unittest.loader"):
            return None
        return file if isinstance(file, str) else None

    def names_of(test):
        method = getattr(test, "_testMethodName", None)
        if file_of(test) is None or method is None:
            return [text(test.id())]
        return [*(text(name) for name in type(test).__qualname__.split(".")), text(method)]

    def expect(suite):
        counts, every = collections.Counter(), []
        for test in each(suite):
            if isinstance(test, failed_type):
                continue
            file = file_of(test)
            # The suite forgets its tests as they run; here they are kept, and with them their identity.
            tests[id(test)] = {"test": test, "file": file, "at": counts[file], "outcomes": [], "told": False}
            every.append(test)
            counts[file] += 1
        batch(len(every))
        for file, count in counts.items():
            if file is not None:
                put("expected", {"file": text(file), "count": count})

    def note(test, outcome, message=None, error=None):
        if isinstance(test, failed_type):
            module = test._testMethodName
            put("load", {"file": source_of(module), "message": text(f"{module}: {message}")})
            return
        if isinstance(test, holder_type):
            if outcome == "skipped":
                state["class_skips"].append((test.description, message))
            else:
                put("unhandled", [text(f"{test.description}: {message}")])
            return
        entry = tests.get(id(test))
        if entry is None:
            put("unhandled", [f"a result of a test that was not loaded: {text(test.id(), 512)}"])
            return
        entry["outcomes"].append((outcome, message, line_of(error, entry["file"])))

    def source_of(module):
        """Where a module that failed to load would have been found."""
        candidates = (os.path.join(folder, *module.split(".")) + ".py" for folder in sys.path)
        return next((text(os.path.abspath(file)) for file in candidates if os.path.isfile(file)), None)

    def line_of(error, file):
        line, trace = None, error[2] if error else None
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == file:
                line = trace.tb_lineno
            trace = trace.tb_next
        return line

    def is_unrun(test):
        """Whether unittest calls a function whose body runs only when the result is awaited or iterated, which it is not."""
        own = unittest.TestCase
        if isinstance(test, unittest.IsolatedAsyncioTestCase) or not isinstance(test, own):
            return False
        if any(getattr(type(test), name, None) is not getattr(own, name, None) for name in ("run", "_callTestMethod")):
            return False
        method = getattr(test, getattr(test, "_testMethodName", ""), None)
        kinds = (inspect.iscoroutinefunction, inspect.isgeneratorfunction, inspect.isasyncgenfunction)
        return any(kind(method) for kind in kinds)

    def said(error):
        return f"{error[0].__name__}: {error[1]}"

    def tell(entry):
        if entry["told"]:
            put("unhandled", [f"a second result of {text(entry['test'].id(), 512)}"])
            return
        entry["told"] = True
        state["total"] += 1
        order = ("failed", "unexpected_pass", "skipped", "expected_failure", "passed")
        outcomes = sorted(entry["outcomes"], key=lambda outcome: order.index(outcome[0]))
        status, message, line = outcomes[0] if outcomes else ("unfinished", "it ended without a result", None)
        record = {"path": names_of(entry["test"]), "at": entry["at"], "status": status}
        if entry["file"] is not None:
            record["file"] = text(entry["file"])
        if status != "passed":
            if message:
                record["message"] = text(message)
            if line is not None:
                record["line"] = line
        put_test(record)

    class Result(unittest.TextTestResult):
        def startTest(self, test):
            flush_when_due()
            super().startTest(test)

        def stopTest(self, test):
            super().stopTest(test)
            entry = tests.get(id(test))
            if entry is not None:
                tell(entry)

        def addSuccess(self, test):
            super().addSuccess(test)
            if is_unrun(test):
                note(test, "failed", "its body never ran: nobody awaits or iterates what it returns")
            else:
                note(test, "passed")

        def addFailure(self, test, err):
            super().addFailure(test, err)
            note(test, "failed", said(err), err)

        def addError(self, test, err):
            super().addError(test, err)
            note(test, "failed", said(err), err)

        def addSkip(self, test, reason):
            super().addSkip(test, reason)
            # A subtest that is skipped says nothing of the rest of its test.
            if not hasattr(test, "test_case"):
                note(test, "skipped", str(reason))

        def addExpectedFailure(self, test, err):
            super().addExpectedFailure(test, err)
            note(test, "expected_failure", said(err), err)

        def addUnexpectedSuccess(self, test):
            super().addUnexpectedSuccess(test)
            note(test, "unexpected_pass")

        def addSubTest(self, test, subtest, err):
            super().addSubTest(test, subtest, err)
            if err is not None:
                note(test, "failed", f"{subtest._subDescription()} {said(err)}", err)

    class Runner(unittest.TextTestRunner):
        resultclass = Result

        def run(self, test):
            expect(test)
            result = super().run(test)
            state["has_run"] = True
            return result

    def finish():
        for owner, name, value in known:
            if vars(owner).get(name) is not value:
                put("unhandled", [f"unittest's own code was changed while tests ran: {owner.__name__}.{name}"])
        if not state["has_run"]:
            return None
        for entry in tests.values():
            if not entry["told"]:
                reason = skipped_with(entry["test"])
                entry["outcomes"] = [("skipped", reason, None)] if reason is not None else []
                tell(entry)
        return state["total"]

    def skipped_with(test):
        """`setUpClass (module.Class)` and `setUpModule (module)` skip tests that are then never started."""
        module, name = type(test).__module__, f"{type(test).__module__}.{type(test).__qualname__}"
        for description, reason in state["class_skips"]:
            if description.endswith((f"({name})", f"({module})")):
                return reason
        return None

    return Runner, finish


if __name__ == "__main__":
    import sys

    raise SystemExit(acceptance_unittest(sys.argv[3:]))
