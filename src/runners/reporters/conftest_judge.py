"""Tells whether a changed `conftest.py` only adds fixtures and plain helpers. Reads its syntax and runs none of it."""

import ast
import json
import sys

DECORATORS = {
    "fixture",
    "pytest.fixture",
    "pytest_asyncio.fixture",
    "contextmanager",
    "contextlib.contextmanager",
    "asynccontextmanager",
    "contextlib.asynccontextmanager",
    "staticmethod",
    "classmethod",
    "property",
    "dataclass",
    "dataclasses.dataclass",
    "typing.overload",
    "overload",
}
# Names that pytest reads from the module.
READ_BY_PYTEST = ("pytest_", "collect_ignore", "pytestmark", "__")


class Harness(Exception):
    def __init__(self, node, why):
        super().__init__(why)
        self.line = getattr(node, "lineno", 1)


def check_name(node, name):
    if name.startswith(READ_BY_PYTEST) and name not in ("__all__", "__author__", "__version__"):
        raise Harness(node, f"it defines `{name}`, which pytest reads")


def check_constant(node):
    """What runs while the module is loaded may only put constants together."""
    for part in ast.walk(node):
        if isinstance(part, (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr, ast.Lambda)):
            if isinstance(part, ast.Call) and dotted(part.func) in ("Path", "pathlib.Path", "frozenset", "set", "tuple", "dict"):
                continue
            raise Harness(part, "it runs code while it is loaded")


def dotted(node):
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    names.append(node.id if isinstance(node, ast.Name) else "?")
    return ".".join(reversed(names))


def check_decorator(node):
    call = node if isinstance(node, ast.Call) else None
    name = dotted(call.func if call else node)
    if name not in DECORATORS:
        raise Harness(node, f"its decorator `{name}` runs code while it is loaded")
    for keyword in call.keywords if call else ():
        if keyword.arg is None:
            raise Harness(node, "a fixture's options cannot be read")
        if keyword.arg == "autouse" and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False):
            raise Harness(node, "a fixture is used by every test (`autouse`)")
        if keyword.arg == "name":
            if not (isinstance(keyword.value, ast.Constant) and isinstance(keyword.value.value, str)):
                raise Harness(node, "a fixture's name cannot be read")
        check_constant(keyword.value)
    for argument in call.args if call else ():
        check_constant(argument)


def check_function(node):
    check_name(node, node.name)
    for decorator in node.decorator_list:
        check_decorator(decorator)
    arguments = node.args
    for default in [*arguments.defaults, *arguments.kw_defaults]:
        if default is not None:
            check_constant(default)
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    for annotation in [node.returns, *(argument.annotation for argument in every if argument is not None)]:
        if annotation is not None:
            check_constant(annotation)


def check_assignment(node, targets, value):
    for target in targets:
        if not isinstance(target, ast.Name):
            raise Harness(node, "it changes something that it did not define")
        check_name(node, target.id)
    if value is not None:
        check_constant(value)


def check_import(node):
    for alias in node.names:
        if alias.name == "*":
            raise Harness(node, "it imports every name of a module, and pytest reads some")
        bound = alias.asname or alias.name.split(".")[0]
        if bound.startswith("pytest_") and bound != "pytest_asyncio":
            raise Harness(node, f"it imports `{bound}`, which pytest reads")
        if bound.startswith(("collect_ignore", "pytestmark")):
            raise Harness(node, f"it imports `{bound}`, which pytest reads")


def check_statement(node, inside_class=False):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        if inside_class and node.name.startswith("__"):
            node = ast.copy_location(type(node)(**{**dict(ast.iter_fields(node)), "name": "method"}), node)
        check_function(node)
    elif isinstance(node, ast.ClassDef):
        check_name(node, node.name)
        for decorator in node.decorator_list:
            check_decorator(decorator)
        if node.keywords:
            raise Harness(node, "a class has a metaclass or options")
        for base in node.bases:
            check_constant(base)
        for statement in node.body:
            check_statement(statement, inside_class=True)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        check_import(node)
    elif isinstance(node, ast.Assign):
        check_assignment(node, node.targets, node.value)
    elif isinstance(node, ast.AnnAssign):
        check_constant(node.annotation)
        check_assignment(node, [node.target], node.value)
    elif isinstance(node, ast.Pass) or isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        pass
    elif isinstance(node, ast.If) and dotted(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
        for statement in [*node.body, *node.orelse]:
            check_statement(statement)
    else:
        raise Harness(node, "a statement runs while it is loaded")


def judge(base, head):
    before = ast.parse(base).body if base is not None else []
    after = ast.parse(head).body
    kept = {}
    for node in before:
        kept.setdefault(ast.dump(node), []).append(node)
    seen = []
    for node in after:
        form = ast.dump(node)
        if kept.get(form):
            kept[form].pop()
            seen.append(form)
        else:
            check_statement(node)
    gone = [node for nodes in kept.values() for node in nodes]
    imports = (ast.Import, ast.ImportFrom)
    if any(not isinstance(node, imports) for node in gone):
        raise Harness(next(node for node in gone if not isinstance(node, imports)), "it takes away or changes what was there")
    if seen != [form for form in map(ast.dump, before) if form in set(seen)]:
        raise Harness(after[0], "it puts what was there in another order")
    imports_before = [node for node in before if isinstance(node, imports)]
    names = [name for node in before if node not in imports_before for name in defined(node)]
    for node in after:
        if ast.dump(node) not in set(seen):
            for name in defined(node):
                if name in names:
                    raise Harness(node, f"it defines `{name}` anew")


def defined(node):
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name.split(".")[0] for alias in node.names]
    return []


def main():
    sources = json.load(sys.stdin)
    try:
        judge(sources["base"], sources["head"])
        answer = {"harness": False}
    except Harness as harness:
        answer = {"harness": True, "line": harness.line, "why": str(harness)}
    except (SyntaxError, ValueError, RecursionError) as error:
        answer = {"harness": True, "line": getattr(error, "lineno", None) or 1, "why": "it cannot be read as Python"}
    json.dump(answer, sys.stdout)


main()
