"""Judges on syntax alone whether a new version of a conftest.py only adds fixtures and plain helpers.

usage: judge_conftest.py BASE HEAD     (two files; an empty BASE for a new file)
Prints "plain", or one line that says what else there is. Nothing of either file is imported or run.
"""
import ast
import sys

FORBIDDEN_NAMES = {"pytest_plugins", "collect_ignore", "collect_ignore_glob", "pytestmark", "__getattr__", "__test__"}
PLAIN_DECORATORS = {"staticmethod", "classmethod", "property", "dataclass", "dataclasses.dataclass", "contextmanager",
                    "contextlib.contextmanager", "asynccontextmanager", "contextlib.asynccontextmanager",
                    "functools.wraps", "functools.lru_cache", "functools.cache", "functools.cached_property"}
FIXTURES = {"pytest.fixture", "fixture", "pytest_asyncio.fixture", "pytest.yield_fixture"}


class Other(Exception):
    pass


def dotted(node):
    if isinstance(node, ast.Attribute):
        before = dotted(node.value)
        return before and before + "." + node.attr
    return node.id if isinstance(node, ast.Name) else None


def is_constant(node):
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(is_constant(item) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(key is not None and is_constant(key) for key in node.keys) and all(map(is_constant, node.values))
    if isinstance(node, ast.UnaryOp):
        return is_constant(node.operand)
    return False


def is_name_or_constant(node):
    return node is None or is_constant(node) or dotted(node) is not None


def check_name(name):
    if name.startswith("pytest_") and name not in ("pytest_asyncio", "pytest_mock") or name in FORBIDDEN_NAMES:
        raise Other("it defines `%s`" % name)


def check_decorator(node):
    call = node.func if isinstance(node, ast.Call) else node
    name = dotted(call)
    arguments = node.args + [keyword.value for keyword in node.keywords] if isinstance(node, ast.Call) else []
    if not all(map(is_name_or_constant, arguments)):
        raise Other("a decorator of it runs code")
    if name in FIXTURES:
        if isinstance(node, ast.Call):
            for keyword in node.keywords:
                if keyword.arg is None:
                    raise Other("a decorator of it hides its arguments")
                if keyword.arg == "autouse" and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value):
                    raise Other("it has a fixture that every test uses (autouse)")
                if keyword.arg == "name":
                    if not isinstance(keyword.value, ast.Constant):
                        raise Other("a fixture of it hides its name")
        return
    if name not in PLAIN_DECORATORS:
        raise Other("it has a decorator, `%s`" % (name or "a call"))


def check_annotation(node):
    if node is not None:
        for part in ast.walk(node):
            if isinstance(part, (ast.Call, ast.Await, ast.NamedExpr, ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.SetComp,
                                 ast.DictComp)):
                raise Other("an annotation of it runs code")


def check_function(node):
    check_name(node.name)
    for decorator in node.decorator_list:
        check_decorator(decorator)
    arguments = node.args
    for default in arguments.defaults + arguments.kw_defaults:
        if not is_name_or_constant(default):
            raise Other("a default value of it runs code")
    every = arguments.posonlyargs + arguments.args + arguments.kwonlyargs + [arguments.vararg, arguments.kwarg]
    for argument in every:
        if argument is not None:
            check_annotation(argument.annotation)
    check_annotation(node.returns)
    # `global pytest_plugins` or globals() in a fixture comes too late for pytest, and needs no look.


def check_class(node):
    check_name(node.name)
    for decorator in node.decorator_list:
        check_decorator(decorator)
    if node.keywords or not all(dotted(base) for base in node.bases):
        raise Other("a class of it runs code")
    for inner in node.body:
        check_statement(inner)


def check_import(node):
    for alias in node.names:
        if alias.name == "*":
            raise Other("it imports whatever another module has (`*`)")
        check_name((alias.asname or alias.name).split(".")[0])
        if isinstance(node, ast.ImportFrom):
            check_name(alias.name)


def check_assignment(node):
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    for target in targets:
        if not isinstance(target, ast.Name):
            raise Other("it assigns to something that is not a name")
        check_name(target.id)
    if isinstance(node, ast.AnnAssign):
        check_annotation(node.annotation)
    if node.value is not None and not is_constant(node.value):
        raise Other("it has a value that is no constant")


def check_statement(node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        check_function(node)
    elif isinstance(node, ast.ClassDef):
        check_class(node)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        check_import(node)
    elif isinstance(node, (ast.Assign, ast.AnnAssign)):
        check_assignment(node)
    elif isinstance(node, ast.Pass) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        pass
    else:
        raise Other("it has a statement that runs when it is loaded (line %d)" % node.lineno)


def judge(base, head):
    before = [ast.dump(node) for node in ast.parse(base).body]
    names = set()
    for node in ast.parse(base).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                names.update(part.id for part in ast.walk(target) if isinstance(part, ast.Name))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
    kept = list(before)
    for node in ast.parse(head).body:
        dump = ast.dump(node)
        if kept and dump == kept[0]:
            kept.pop(0)
            continue
        check_statement(node)
        defined = []
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            defined = [node.name]
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            defined = [target.id for target in (node.targets if isinstance(node, ast.Assign) else [node.target])]
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            defined = [(alias.asname or alias.name).split(".")[0] for alias in node.names]
        for name in defined:
            if name in names:
                raise Other("it defines `%s` again" % name)
    if kept:
        raise Other("it changes or takes away what was there")


def main():
    texts = []
    for path in sys.argv[1:3]:
        with open(path, "rb") as file:
            texts.append(file.read())
    try:
        judge(*texts)
    except Other as other:
        return str(other)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "it cannot be read as Python"
    return "plain"


print(main())
