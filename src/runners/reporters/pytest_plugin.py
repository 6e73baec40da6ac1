def keep_rewritten_bytecode_of_installed_packages(assertion, is_installed):
    """pytest keeps bytecode with rewritten asserts of its own; see `acceptance_fresh_bytecode`."""
    rewrite = assertion.rewrite
    original = rewrite.get_cache_dir
    rewrite.get_cache_dir = lambda file: file.parent / "__pycache__" if is_installed(str(file)) else original(file)


def acceptance_pytest_strangers(plugin_manager, is_installed):
    """Returns faults and notes about plugins that were loaded by themselves, but not from where they are installed."""
    import os

    faults, notes = [], []
    for plugin, distribution in plugin_manager.list_plugin_distinfo():
        file = getattr(plugin, "__file__", None)
        if not isinstance(file, str) or is_installed(os.path.abspath(file)):
            continue
        try:
            is_elsewhere = not is_installed(os.path.join(os.path.abspath(str(distribution.locate_file(""))), ""))
            is_editable = '"editable"' in (distribution.read_text("direct_url.json") or "")
            name = distribution.metadata["name"]
        except Exception as problem:
            is_elsewhere, is_editable, name = False, False, f"(unreadable: {type(problem).__name__})"
        told = f"pytest loaded the plugin {acceptance_text(name, 128)} from {acceptance_text(file, 512)}"
        if is_editable:
            notes.append(told)
        elif is_elsewhere:
            notes.append(f"{told}, whose metadata lies outside the installed packages")
        else:
            faults.append(f"{told}, not from where it is installed")
    return faults, notes


def acceptance_pytest_watch(pytest, modules):
    """Returns functions that tell whether pytest's own code, or who decides results, was changed while tests ran."""
    pluggy, python, reports, runner, skipping, pytest_unittest = modules
    owners = [
        (runner, ("call_and_report", "runtestprotocol", "pytest_runtest_protocol", "pytest_runtest_call")),
        (runner, ("pytest_runtest_setup", "pytest_runtest_makereport", "CallInfo", "TestReport")),
        (runner.CallInfo, ("from_call",)),
        (python.Function, ("runtest", "setup")),
        (python, ("pytest_pyfunc_call",)),
        (reports.TestReport, ("from_item_and_call",)),
        (skipping, ("pytest_runtest_makereport", "evaluate_xfail_marks")),
        (pytest_unittest, ("pytest_runtest_makereport",)),
        (pytest_unittest.TestCaseFunction, ("runtest", "addFailure", "addError", "setup")),
        (pluggy.HookCaller, ("__call__", "_add_hookimpl", "_remove_plugin")),
        (pluggy.PluginManager, ("register", "unregister", "get_hookimpls", "_hookexec")),
    ]
    deciding = (
        "pytest_runtest_makereport pytest_runtest_logreport pytest_runtest_protocol pytest_runtest_call"
        " pytest_runtest_setup pytest_pyfunc_call pytest_runtestloop pytest_sessionfinish"
        " pytest_collection_modifyitems pytest_runtest_logfinish"
    ).split()
    missing = object()
    watched = [(owner, name) for owner, names in owners for name in names if name in vars(owner)]
    state = {"code": None, "hooks": None, "config": None}

    def start(config):
        if state["code"] is None:
            state["code"] = [(owner, name, vars(owner)[name]) for owner, name in watched if name in vars(owner)]
            state["config"] = config
            state["hooks"] = {name: implementations(name) for name in deciding}

    def implementations(name):
        return list(getattr(state["config"].hook, name).get_hookimpls())

    def changed_code():
        for owner, name, value in state["code"] or ():
            if vars(owner).get(name, missing) is not value:
                return f"{owner.__name__}.{name}"
        return None

    def changed_hooks():
        for name, before in (state["hooks"] or {}).items():
            for implementation in implementations(name):
                if not any(implementation is known for known in before):
                    file = str(getattr(implementation.plugin, "__file__", ""))
                    # A folder's own `conftest.py` is loaded while tests are collected; it is harness as a file.
                    if file.replace("\\", "/").rpartition("/")[2] != "conftest.py":
                        return f"{implementation.plugin_name} ({name})"
        return None

    return start, changed_code, changed_hooks


# Runs in an xdist worker once its tests are over; execnet gives it `channel`.
ACCEPTANCE_LOADED_REMOTELY = """
import os, sys
files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
channel.send([os.path.realpath(file) for file in files if isinstance(file, str)])
"""


def acceptance_pytest_plugin(pytest, modules, skip_test, channel, is_installed):
    """Returns the plugin, and the function that ends the records once pytest has returned."""
    import collections
    import os

    put, put_test, flush_when_due, batch = channel
    text, join, absolute = acceptance_text, os.path.join, os.path.abspath
    start_watch, changed_code, changed_hooks = acceptance_pytest_watch(pytest, modules)
    skip_types = (pytest.skip.Exception, skip_test)
    xfail_type = pytest.xfail.Exception
    running, expected, finished = {}, [], collections.Counter()
    places = {}
    state = {"config": None, "remote": False, "total": 0, "deselected": 0}
    told_collect, unknown, files = set(), [], set()

    def names_of(nodeid, item):
        """The file and the names below it; parameters may hold `::` and stay in the last name."""
        file, _, rest = nodeid.partition("::")
        head, bracket, parameters = rest.partition("[")
        names = head.split("::") if head else []
        if bracket:
            names = [*names[:-1], names[-1] + bracket + parameters] if names else [bracket + parameters]
        group = None
        if item is not None and hasattr(item, "callspec"):
            group = getattr(item, "originalname", None)
        if group is None and bracket and rest.endswith("]") and names:
            group = head.rpartition("::")[2]
        path = getattr(item, "path", None) if item is not None else None
        root = str(state["config"].rootpath)
        return str(path) if path is not None else absolute(join(root, *file.split("/"))), names, group

    def location(report, item):
        crash = getattr(getattr(report, "longrepr", None), "reprcrash", None)
        own = os.path.basename(report.nodeid.partition("::")[0])
        if crash is not None and os.path.basename(str(crash.path)) == own:
            return crash.lineno
        line = report.location[1] if report is not None and len(report.location) > 1 else None
        return line + 1 if isinstance(line, int) else None

    def message_of(report):
        """The crash message is short; whole tracebacks of thousands of failures are not."""
        longrepr = getattr(report, "longrepr", None)
        if longrepr is None:
            return None
        if isinstance(longrepr, tuple) and len(longrepr) == 3:
            return text(longrepr[2])
        crash = getattr(longrepr, "reprcrash", None)
        return text(crash.message if crash is not None else longrepr)

    def classify(excinfo):
        """What the code under test did, before anything rewrites it."""
        if excinfo is None:
            return "ok", None
        value = excinfo.value
        if isinstance(value, skip_types):
            return "skipped", None
        if isinstance(value, xfail_type):
            return "xfailed", None
        return "raised", f"{type(value).__name__}: {text(value, 1024)}"

    def expect(tests):
        """Tells how many tests each file has, and numbers them in the order of collection."""
        expected.extend(tests)
        batch(len(tests))
        counts = collections.Counter()
        for nodeid, item in tests:
            file = names_of(nodeid, item)[0]
            places.setdefault(nodeid, []).append((id(item), counts[file]))
            counts[file] += 1
        for file, count in counts.items():
            put("expected", {"file": text(file), "count": count})

    def place_of(nodeid, item):
        left = places.get(nodeid, [])
        at = next((place for place in left if item is None or place[0] == id(item)), None)
        if at is not None:
            left.remove(at)
        return None if at is None else at[1]

    def phase(entry, name):
        return [report for report in entry["reports"] if report["when"] == name]

    def conclude(entry):
        if any(report["when"] == "???" for report in entry["reports"]):
            return "errored"
        setups, calls, teardowns = (phase(entry, name) for name in ("setup", "call", "teardown"))
        forged = [r for r in entry["reports"] if r["outcome"] == "passed" and (r["raised"] or r["left"])]
        if forged:
            entry["message"] = f"its report says that it passed, but it raised {forged[0]['raised'] or 'an exception'}"
            return "failed"
        if any(report["outcome"] not in ("passed", "failed", "skipped", "rerun") for report in entry["reports"]):
            entry["message"] = "its report has an outcome that pytest does not have"
            return "failed"
        if any(report["outcome"] == "failed" for report in setups):
            return "errored"
        if any(report["outcome"] in ("failed", "rerun") for report in calls):
            return "failed"
        if any(report["outcome"] in ("failed", "rerun") for report in setups + teardowns):
            return "errored"
        if any(report["outcome"] == "skipped" for report in setups + teardowns):
            return "expected_failure" if any(report["wasxfail"] for report in setups) else "skipped"
        own = [report for report in calls if not report["part"]]
        if len(own) != 1 or len(setups) != 1:
            return "unfinished"
        if own[0]["outcome"] == "skipped":
            return "expected_failure" if own[0]["wasxfail"] else "skipped"
        if own[0]["wasxfail"]:
            return "unexpected_pass"
        if own[0]["raw"] == "skipped":
            return "skipped"
        if own[0]["raw"] is None and not state["remote"]:
            entry["message"] = "a passed report came, but no call of the test was seen"
            return "unfinished"
        return "flaky" if entry["reran"] else "passed"

    def tell(nodeid, entry):
        item = entry["item"]
        status = conclude(entry)
        file, names, group = names_of(nodeid, item)
        at = place_of(nodeid, item)
        finished[nodeid] += 1
        state["total"] += 1
        # A number that no collected test has: the reader takes it for what it is, a result out of nowhere.
        at = 4_294_967_295 if at is None else at
        record = {"file": text(file), "path": [text(name) for name in names], "at": at, "status": status}
        if status == "unexpected_pass":
            # With `strict` pytest reports a failure instead.
            record["counted_as_passed"] = True
        if group is not None:
            record["group"] = text(group)
        if entry["line"] is not None and status != "passed":
            record["line"] = entry["line"]
        if entry["message"] and status != "passed":
            record["message"] = entry["message"]
        put_test(record)

    def new_entry(item):
        return {"reports": [], "raw": {}, "item": item, "reran": False, "message": None, "line": None}

    class Plugin:
        @pytest.hookimpl(tryfirst=True)
        def pytest_configure(self, config):
            if hasattr(config, "workerinput"):
                return
            state["config"] = config
            faults, notes = acceptance_pytest_strangers(config.pluginmanager, is_installed)
            if faults:
                put("unhandled", faults)
            for note in notes:
                put("note", note)
            option = config.option
            for name, flag in (("lf", "--last-failed"), ("stepwise", "--stepwise")):
                if getattr(option, name, False):
                    # They depend on what an earlier run left in the checkout.
                    setattr(option, name, False)
                    put("note", f"`{flag}` of the project's configuration was not followed: all tests ran")
            for name in ("collectonly", "setupplan", "setuponly", "usepdb", "looponfail"):
                if getattr(option, name, False):
                    put("unhandled", [f"the project's configuration sets `{name}`, with which no test is judged"])
            if getattr(option, "numprocesses", None) or getattr(option, "tx", None):
                acceptance_share_bytecode(is_installed)
            if getattr(option, "dist", None) == "each":
                put("unhandled", ["`--dist=each` runs every test several times, which is not supported"])
            state["remote"] = bool(getattr(option, "forked", False))

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_collection(self, session):
            start_watch(session.config)
            yield

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_collection_modifyitems(self, items):
            before, told = len(items), state["deselected"]
            yield
            taken = before - len(items) - (state["deselected"] - told)
            if taken > 0:
                put("note", f"{taken} collected tests were taken out without a word")

        def pytest_deselected(self, items):
            state["deselected"] += len(items)

        @pytest.hookimpl(trylast=True)
        def pytest_collection_finish(self, session):
            if session.config.pluginmanager.hasplugin("dsession"):
                return
            expect([(item.nodeid, item) for item in session.items])

        @pytest.hookimpl(optionalhook=True)
        def pytest_xdist_node_collection_finished(self, node, ids):
            state["remote"] = True
            if not expected:
                expect([(nodeid, None) for nodeid in ids])

        @pytest.hookimpl(optionalhook=True)
        def pytest_testnodedown(self, node, error):
            if error:
                put("note", f"xdist's worker {text(node.gateway.id, 64)} went down: {text(error, 512)}")
                return
            try:
                channel = node.gateway.remote_exec(ACCEPTANCE_LOADED_REMOTELY)
                files.update(channel.receive(timeout=10))
            except Exception as problem:
                put("note", f"an xdist worker did not tell which files it loaded: {text(problem, 512)}")

        @pytest.hookimpl(tryfirst=True)
        def pytest_collectreport(self, report):
            if report.outcome == "passed" or report.nodeid in told_collect:
                return
            told_collect.add(report.nodeid)
            file, names, _ = names_of(report.nodeid, None)
            if report.outcome == "skipped":
                state["total"] += 1
                path = [text(name) for name in names] or ["(whole file)"]
                put("expected", {"file": text(file), "count": 1})
                put_test({"file": text(file), "path": path, "at": 0, "status": "skipped", "message": message_of(report)})
            else:
                put("load", {"file": text(file), "message": message_of(report) or "it could not be collected"})

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_protocol(self, item):
            running[item.nodeid] = new_entry(item)
            flush_when_due()
            yield
            entry = running.pop(item.nodeid, None)
            if entry is not None:
                tell(item.nodeid, entry)

        @pytest.hookimpl(hookwrapper=True, tryfirst=True)
        def pytest_runtest_makereport(self, item, call):
            early = getattr(item, "_excinfo", None)
            before = call.excinfo or (early[0] if early else None)
            outcome = yield
            entry = running.get(item.nodeid)
            if entry is not None and entry["item"] is item:
                raw = classify(before)
                entry["raw"][call.when] = classify(call.excinfo) if raw[0] == "ok" else raw
            if call.when == "call":
                changed = changed_code()
                if changed and changed not in unknown:
                    unknown.append(changed)
                    put("unhandled", [f"pytest's own code was changed while tests ran: {text(changed, 256)}"])
            del outcome

        @pytest.hookimpl(tryfirst=True)
        def pytest_runtest_logreport(self, report):
            nodeid = report.nodeid
            entry = running.get(nodeid)
            if entry is None:
                entry = running[nodeid] = new_entry(None)
            when, part = report.when, hasattr(report, "context")
            if when == "setup" and entry["reports"]:
                entry.update(reports=[], reran=True)
            raw, raised = entry["raw"].get(when, (None, None)) if not part else (None, None)
            fact = {"when": when, "outcome": report.outcome, "wasxfail": hasattr(report, "wasxfail"), "part": part}
            fact.update(raw=raw, raised=raised, left=report.outcome == "passed" and report.longrepr is not None)
            entry["reports"].append(fact)
            if report.outcome != "passed" and entry["message"] is None:
                reason = getattr(report, "wasxfail", None)
                entry["message"] = text(reason) if reason else message_of(report)
                entry["line"] = location(report, entry["item"])
            if when == "???":
                tell(nodeid, running.pop(nodeid))

        @pytest.hookimpl(trylast=True)
        def pytest_runtest_logfinish(self, nodeid):
            # In process the protocol's own end counts; a worker's is only told by this, after every try.
            entry = running.get(nodeid)
            if entry is None or entry["item"] is not None:
                return
            if not any(report["outcome"] == "rerun" for report in entry["reports"]):
                tell(nodeid, running.pop(nodeid))

        def pytest_internalerror(self, excrepr):
            put("unhandled", [text(excrepr)])

        def pytest_keyboard_interrupt(self, excinfo):
            put("unhandled", [f"the run was stopped: {type(excinfo.value).__name__}: {text(excinfo.value)}"])

    def finish():
        changed = changed_code() or changed_hooks()
        if changed and changed not in unknown:
            put("unhandled", [f"what decides results was changed while tests ran: {text(changed, 256)}"])
        for nodeid, entry in list(running.items()):
            entry["reports"] = [] if entry["item"] is not None and not entry["reports"] else entry["reports"]
            tell(nodeid, entry)
        running.clear()
        left = finished.copy()
        for nodeid, item in expected:
            left[nodeid] -= 1
            if left[nodeid] < 0:
                tell(nodeid, {**new_entry(item), "message": "it was collected and did not run"})
        extra = sorted(nodeid for nodeid, count in left.items() if count > 0)
        if extra:
            put("unhandled", [f"results of tests that were not collected: {text(', '.join(extra[:5]), 512)}"])
        if state["deselected"]:
            put("note", f"{state['deselected']} tests were deselected")
        return state["total"], files

    return Plugin(), finish
