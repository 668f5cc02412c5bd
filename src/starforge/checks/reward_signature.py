"""What a reward file says of itself, read without running it."""

from __future__ import annotations

import ast
from pathlib import Path

import msgspec

from starforge.i18n import Text
from starforge.lab.context import PrepareContext

FUNCTION = "reward"
FIRST = ("prompts", "completions")
DEFAULT_LIMIT = 300.0  # as of `reward_file.py`


class Signature(msgspec.Struct, frozen=True):
    """The columns that a reward function takes: ``required`` has no default value."""

    columns: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    takes_all: bool = False


class Unusable(msgspec.Struct, frozen=True):
    """Why a reward file can't be used, and the line of it."""

    problem: Text
    line: int | None = None


def reward_path(context: PrepareContext) -> Path | None:
    """Return the reward file of an experiment, if it has one."""
    file = context.reward.file if context.reward is not None else None
    return context.experiment.folder / file if file is not None else None


def signature_of(context: PrepareContext) -> Signature | None:
    """Return the signature of the experiment's reward function, if it has a usable one."""
    path = reward_path(context)
    found = read_signature(path) if path is not None else None
    return found if isinstance(found, Signature) else None


def read_signature(path: Path) -> Signature | Unusable | None:
    """Read a reward file; ``None`` when its function is not a plain ``def`` (imported, say)."""
    try:
        tree = ast.parse(path.read_bytes(), path.name)
    except OSError as error:
        said = error.strerror or str(error)
        return Unusable(Text(f"it can't be read: {said}", f"无法读取：{said}"))
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        return Unusable(Text(f"it is not Python: {error}", f"不是合法的 Python：{error}"), line)
    defined = [
        node for node in tree.body
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == FUNCTION
    ]  # fmt: skip
    if defined:
        return _signature(defined[-1])
    if FUNCTION in _other_names(tree):
        return None
    return Unusable(Text(f"it has no function `{FUNCTION}`", f"其中没有函数 `{FUNCTION}`"))


def time_limit(path: Path) -> float | None:
    """Return how many seconds a call may take by the file's ``TIME_LIMIT``; ``None``: any."""
    for node in ast.parse(path.read_bytes(), path.name).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            names = [one.id for one in node.targets if isinstance(one, ast.Name)]
            if "TIME_LIMIT" in names:
                value = node.value.value
                if value is None:
                    return None
                if isinstance(value, int | float) and value > 0:
                    return float(value)
    return DEFAULT_LIMIT


def _signature(node: ast.FunctionDef | ast.AsyncFunctionDef) -> Signature | Unusable:
    if node.decorator_list:
        return Signature(takes_all=True)  # what is called may take anything
    arguments = node.args
    placed = [*arguments.posonlyargs, *arguments.args]
    names = tuple(argument.arg for argument in placed)
    if names[:2] != FIRST and not (arguments.vararg and len(names) < 2):
        wanted = f"def {FUNCTION}({', '.join(FIRST)}, ...)"
        return Unusable(
            Text(f"its function must begin with `{wanted}`", f"函数必须以 `{wanted}` 开头"),
            node.lineno,
        )
    optional = set(names[len(names) - len(arguments.defaults) :])
    keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
    optional |= {argument.arg for argument, default in keywords if default is not None}
    columns = (*names[2:], *(argument.arg for argument in arguments.kwonlyargs))
    required = tuple(name for name in columns if name not in optional)
    return Signature(columns, required, arguments.kwarg is not None)


def _other_names(tree: ast.Module) -> set[str]:
    """Return the names that a module may get other than by ``def``, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= {FUNCTION if a.name == "*" else a.asname or a.name for a in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
    return names
