"""What a reward file takes from ``starforge``, against what a job has of it.

Nothing of it is imported here: built-in rewards belong to the job's side.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import msgspec

from starforge import layout
from starforge.checks import rules_reward as rules
from starforge.findings import Finding, Location
from starforge.findings.nearest import nearest
from starforge.i18n import Text

PACKAGE = "starforge"
REWARDS = "starforge.rewards"
Node = ast.stmt | ast.expr


class JobLibrary(msgspec.Struct, frozen=True):
    """What a job can import of ours: modules, and the names of ``starforge.rewards``."""

    modules: frozenset[str]
    rewards: tuple[str, ...]

    def has(self, module: str, name: str | None) -> bool:
        """Say whether a module, or a name in it, is there."""
        if name is None or name == "*":
            return module in self.modules
        if f"{module}.{name}" in self.modules:
            return True
        if module == REWARDS:
            return name in self.rewards
        # What is inside of other modules shows when the file is tried.
        return module in self.modules and module != PACKAGE


def check_imports(path: Path, name: str) -> Iterator[Finding]:
    """Yield names that are taken from ``starforge`` and are not there in a job."""
    taken = list(_taken(ast.parse(path.read_bytes(), path.name)))
    if not taken:
        return
    library = job_library()
    for node, module, wanted in taken:
        if not library.has(module, wanted):
            yield _unknown(node, name, f"{module}.{wanted}" if wanted else module, library)


def job_library() -> JobLibrary:
    """Read what jobs have of the package."""
    sources = layout.library_sources()
    names = (name.removesuffix(".py").replace("/", ".") for name in sources)
    modules = {f"{PACKAGE}.{name.removesuffix('.__init__')}" for name in names}
    public: list[str] = []
    for node in ast.parse(sources["rewards/__init__.py"]).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            public = ast.literal_eval(node.value)
    return JobLibrary(frozenset({PACKAGE, *modules}), tuple(public))


def _taken(tree: ast.Module) -> Iterator[tuple[Node, str, str | None]]:
    """Yield ``(where, module, name)`` for all that a file takes from our package."""
    aliases = {REWARDS}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and _ours(node.module):
            for alias in node.names:
                yield node, str(node.module), alias.name
                if f"{node.module}.{alias.name}" == REWARDS:
                    aliases.add(alias.asname or alias.name)
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if _ours(alias.name):
                    yield node, alias.name, None
                if alias.name == REWARDS and alias.asname:
                    aliases.add(alias.asname)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name | ast.Attribute)
            and ast.unparse(node.value) in aliases
        ):
            yield node, REWARDS, node.attr


def _ours(module: str | None) -> bool:
    return module is not None and (module == PACKAGE or module.startswith(f"{PACKAGE}."))


def _unknown(node: Node, file: str, whole: str, library: JobLibrary) -> Finding:
    at = Location(file=file, line=node.lineno, column=node.col_offset + 1)
    near = nearest(whole.rpartition(".")[2], library.rewards, count=1)
    hint = None
    if near and whole.startswith(REWARDS):
        hint = Text(f"did you mean `{near[0]}`?", f"是不是想写 `{near[0]}`？")
    known = ", ".join(library.rewards)
    return rules.UNKNOWN_BUILTIN.at(at, hint=hint, file=file, name=whole, known=known)
