def acceptance_channel():
    """Opens the private channel and returns its functions: put one record, put a test's record, flush, batch, close.

    Everything that is called later is held by closures: tests replace functions of modules (a frozen clock, a
    blocked socket, a fake `os`), and must not reach the ones that the records depend on.
    """
    import _socket
    import hmac
    import json
    import os
    import time

    key_file = os.path.join(os.path.dirname(os.path.abspath(__file__)), "channel-key")
    with open(key_file, "rb") as opened:
        key = opened.read()
    # It can be read once: what test code writes to the connection by itself has no seal.
    os.unlink(key_file)
    try:
        from _hashlib import hmac_digest
    except ImportError:
        hmac_digest = hmac.digest
    kind, rest = os.environ.pop("AGENT_ACCEPTANCE_CHANNEL").split(":", 1)
    address, nonce = rest.rsplit(":", 1)
    if kind == "unix":
        connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        connection.connect(address)
    else:
        connection = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
        connection.connect(("127.0.0.1", int(address)))
    send_all, close_connection = connection.sendall, connection.close
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    now, process_id = time.monotonic, os.getpid
    owner = process_id()
    waiting = []
    state = {"open": True, "flushed": now(), "size": 1, "number": 0}

    def send(record):
        # A forked child inherits the connection, and what it would tell is told by its parent already.
        if not state["open"] or process_id() != owner:
            return
        try:
            line = encode(record).encode("utf-8", "replace")
            code = hmac_digest(key, b"%d:%b" % (state["number"], line), "sha256").hex().encode()
            state["number"] += 1
            send_all(code + b" " + line + b"\n")
        except OSError:
            # The missing end record tells the reader.
            state["open"] = False

    def flush():
        if waiting and process_id() == owner:
            send({"tests": list(waiting)})
            waiting.clear()
        state["flushed"] = now()

    def flush_when_due():
        if len(waiting) >= state["size"] or now() - state["flushed"] >= 0.2:
            flush()

    def batch(total):
        # Few tests are told one by one, so that a crash loses none of them; many would cost too much.
        state["size"] = 1 if total < 500 else 256

    def put(kind, value):
        flush()
        send({kind: value})

    def put_test(record):
        waiting.append(record)
        flush_when_due()

    def close():
        flush()
        state["open"] = False
        if process_id() == owner:
            close_connection()

    send_all(('{"hello":"%s","sealed":true}\n' % nonce).encode())
    return put, put_test, flush_when_due, batch, close


def acceptance_text(value, limit=4096):
    """Returns text that JSON can hold, cut at about 4 KiB."""
    text = str(value)
    if len(text) > limit:
        text = text[: limit // 2] + "\n...\n" + text[-limit // 2 :]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def acceptance_installed():
    """Returns a function that tells whether a file lies in a folder of Python itself or of installed packages."""
    import os
    import site
    import sysconfig

    folders = {sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.update(site.getsitepackages())
    folders.add(site.getusersitepackages())
    prefixes = tuple({form(folder) + os.sep for folder in folders for form in (os.path.abspath, os.path.realpath)})
    return lambda path: path.startswith(prefixes)


def acceptance_fresh_bytecode(folder, is_installed):
    """Compiles the project's files anew: bytecode that lies beside them may have been made from other sources.

    Installed packages keep their own bytecode, so that starting up costs nothing. Child processes compile
    everything anew.
    """
    import os
    import sys

    from importlib import _bootstrap_external as bootstrap

    if sys.pycache_prefix is not None:
        return
    original = bootstrap.cache_from_source
    join, split, as_path = os.path.join, os.path.split, os.fspath
    tag = sys.implementation.cache_tag + (f".opt-{sys.flags.optimize}" if sys.flags.optimize else "")

    def cache_from_source(path, debug_override=None, *, optimization=None):
        text = as_path(path)
        if debug_override is None and optimization is None and isinstance(text, str) and is_installed(text):
            head, tail = split(text)
            return join(head, "__pycache__", f"{tail.rpartition('.')[0] or tail}.{tag}.pyc")
        return original(path, debug_override, optimization=optimization)

    bootstrap.cache_from_source = cache_from_source
    sys.pycache_prefix = folder
    os.environ["PYTHONPYCACHEPREFIX"] = folder


def acceptance_share_bytecode(is_installed):
    """Lets child processes use the bytecode of installed packages that this process uses; starting them costs less."""
    import os
    import sys

    for module in list(sys.modules.values()):
        spec = getattr(module, "__spec__", None)
        origin, cached = getattr(spec, "origin", None), getattr(spec, "cached", None)
        if not (isinstance(origin, str) and isinstance(cached, str) and is_installed(origin)):
            continue
        folder = os.path.join(sys.pycache_prefix, os.path.splitdrive(os.path.dirname(origin))[1].lstrip(os.sep))
        try:
            os.makedirs(folder, exist_ok=True)
            os.symlink(cached, os.path.join(folder, os.path.basename(cached)))
        except FileExistsError:
            pass
        except OSError:
            return


def acceptance_loaded(is_installed, further=()):
    """Returns the files of all loaded modules outside the installed packages, links resolved."""
    import os
    import sys

    files = set(further)
    for name, module in list(sys.modules.items()):
        try:
            file = None if name == "__main__" else module.__file__
        except Exception:
            continue
        if isinstance(file, str) and file:
            files.add(os.path.realpath(file))
    return sorted(acceptance_text(file) for file in files if not is_installed(file) and os.path.isfile(file))


def acceptance_become(name, file):
    """Replaces the main module, as if the command's own script were running, and returns its folder's path entry."""
    import sys
    import types

    main = types.ModuleType("__main__")
    main.__file__ = file
    main.__builtins__ = __builtins__
    if name is not None:
        import importlib.util

        main.__spec__ = importlib.util.find_spec(name)
        main.__package__ = name.rpartition(".")[0]
    sys.modules["__main__"] = main


def acceptance_own_path_entry():
    """Takes this script's folder off `sys.path`, and tells whether Python put it there."""
    import os
    import sys

    if getattr(sys.flags, "safe_path", False) or sys.flags.isolated:
        return False
    here = os.path.dirname(os.path.abspath(__file__))
    if sys.path and os.path.abspath(sys.path[0]) == here:
        del sys.path[0]
        return True
    return False
