"""What a reward file takes from ``starforge``, against what a job has of it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from starforge import layout, rewards
from starforge.checks import rules_reward as rules
from starforge.findings import Finding, Location
from starforge.findings.nearest import nearest
from starforge.i18n import Text

PACKAGE = "starforge"
REWARDS = "starforge.rewards"


def check_imports(path: Path, name: str) -> Iterator[Finding]:
    """Yield names that are imported from ``starforge`` and are not there in a job."""
    tree = ast.parse(path.read_bytes(), path.name)
    modules = job_modules()
    aliases = {"starforge.rewards"}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and _ours(node.module):
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                if whole == REWARDS:
                    aliases.add(alias.asname or alias.name)
                if not _known(str(node.module), alias.name, modules):
                    yield _unknown(node, name, whole, modules)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if _ours(alias.name) and alias.name not in modules:
                    yield _unknown(node, name, alias.name, modules)
                if alias.name == REWARDS and alias.asname:
                    aliases.add(alias.asname)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) in aliases:
            whole = f"{REWARDS}.{node.attr}"
            if node.attr not in rewards.__all__ and whole not in modules:
                yield _unknown(node, name, whole, modules)


def job_modules() -> set[str]:
    """Return the modules of ours that a job can import."""
    files = (name.removesuffix(".py").replace("/", ".") for name in layout.library_sources())
    return {PACKAGE} | {f"{PACKAGE}.{name.removesuffix('.__init__')}" for name in files}


def _ours(module: str | None) -> bool:
    return module is not None and (module == PACKAGE or module.startswith(f"{PACKAGE}."))


def _known(module: str, name: str, modules: set[str]) -> bool:
    if module == REWARDS:
        return name == "*" or name in rewards.__all__ or f"{module}.{name}" in modules
    if module == PACKAGE:
        return f"{module}.{name}" in modules
    return module in modules  # what is inside of a module shows when the file is tried


def _unknown(node: ast.stmt | ast.expr, file: str, whole: str, modules: set[str]) -> Finding:
    at = Location(file=file, line=node.lineno, column=node.col_offset + 1)
    known = [f"{REWARDS}.{one}" for one in rewards.__all__]
    near = nearest(whole.rpartition(".")[2], rewards.__all__, count=1)
    hint = None
    if near and whole.startswith(REWARDS):
        hint = Text(f"did you mean `{near[0]}`?", f"是不是想写 `{near[0]}`？")
    listed = ", ".join(one.rpartition(".")[2] for one in known)
    return rules.UNKNOWN_BUILTIN.at(at, hint=hint, file=file, name=whole, known=listed)
