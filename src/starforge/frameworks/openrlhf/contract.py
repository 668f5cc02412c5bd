"""Extract what the installed OpenRLHF accepts, as a contract in JSON on standard output.

Run it with any Python in which the package lies:
``python contract.py > contracts/openrlhf-<version>.json``. It stands alone (no import of
starforge) and imports neither torch nor OpenRLHF: the parser of an entry is built inside
``if __name__ == "__main__"``, so exactly those statements are run, with the standard library
modules that the file itself imports. What comes out is upstream's own ``ArgumentParser``.
"""

from __future__ import annotations

import argparse
import ast
import datetime
import importlib.metadata
import importlib.util
import json
import math
import sys
from pathlib import Path
from types import CodeType
from typing import Any

# Configuration -> the entry whose command line it is. A new method is one row.
ENTRIES = {"sft": "train_sft", "dpo": "train_dpo", "rm": "train_rm", "ppo": "train_ppo_ray"}
PACKAGES = ("openrlhf",)


class _Clock(datetime.datetime):
    """A clock that stands still, for defaults that hold the time of day."""

    moment = datetime.datetime(2001, 1, 1, 1, 1)

    @classmethod
    def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
        return cls.moment


def entry_file(name: str) -> Path:
    """Return the file of ``openrlhf.cli.<name>`` without importing it."""
    spec = importlib.util.find_spec("openrlhf")
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError("openrlhf is not installed in this Python")
    return Path(spec.submodule_search_locations[0]) / "cli" / f"{name}.py"


def parser_code(path: Path) -> CodeType:
    """Compile the standard library imports of a file and what its main block does up to parsing."""
    body: list[ast.stmt] = []
    for node in ast.parse(path.read_text("utf-8")).body:
        if _is_plain_import(node):
            body.append(node)
        elif isinstance(node, ast.If) and "__name__" in ast.dump(node.test):
            for statement in node.body:
                if "parse_args" in ast.dump(statement):
                    break
                body.append(statement)
    return compile(ast.Module(body, type_ignores=[]), str(path), "exec")


def _is_plain_import(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return (node.module or "").partition(".")[0] in sys.stdlib_module_names
    if isinstance(node, ast.Import):
        return all(a.name.partition(".")[0] in sys.stdlib_module_names for a in node.names)
    return False


def build_parser(name: str, moment: datetime.datetime) -> argparse.ArgumentParser:
    """Return upstream's own parser of an entry, as it would be made at ``moment``."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    real = datetime.datetime
    _Clock.moment = moment
    datetime.datetime = _Clock  # type: ignore[misc]
    try:
        exec(parser_code(entry_file(name)), namespace)  # noqa: S102 - the pinned package
    finally:
        datetime.datetime = real  # type: ignore[misc]
    parser = namespace["parser"]
    assert isinstance(parser, argparse.ArgumentParser)
    return parser


def spell(action: argparse.Action) -> str:
    """Write what an option takes as a type annotation."""
    if action.nargs == 0:
        return "bool"
    base = {int: "int", float: "float"}.get(action.type, "str")  # type: ignore[call-overload]
    if isinstance(action.nargs, int):
        kind = f"tuple[{', '.join([base] * action.nargs)}]"
    elif action.nargs in ("*", "+"):
        kind = f"list[{base}] | {base}" if isinstance(action.default, str) else f"list[{base}]"
    else:
        kind = base
    return f"{kind} | None" if plain(action.default) is None else kind


def plain(value: Any) -> Any:
    """Turn a default into a JSON value; one without a JSON form (infinity) is ``None``."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def keys_of(name: str) -> dict[str, Any]:
    """Return the contract entries of all options of an entry, by option name."""
    early = build_parser(name, datetime.datetime(2001, 1, 1, 1, 1))
    late = build_parser(name, datetime.datetime(2002, 12, 12, 12, 12))
    defaults = {action.dest: action.default for action in late._actions}
    keys: dict[str, Any] = {}
    for action in early._actions:
        if isinstance(action, argparse._HelpAction):
            continue
        if action.default != defaults[action.dest]:
            action.default = None  # it holds the time of day
        keys[action.option_strings[0].removeprefix("--")] = describe(action)
    return keys


def describe(action: argparse.Action) -> dict[str, Any]:
    """Return the contract entry of one option; defaults of the entry are left out."""
    switches_off = action.nargs == 0 and action.const is False
    default = False if switches_off else plain(action.default)
    entry: dict[str, Any] = {"type": spell(action), "section": action.dest.partition(".")[0]}
    if default is not None:
        entry["default"] = default
    if action.choices:
        entry["choices"] = list(action.choices)
    if action.required:
        entry["required"] = True
    return entry


def extract() -> dict[str, Any]:
    """Return the contract of the installed OpenRLHF in the shape of ``catalog.models.Contract``."""
    packages = {name: importlib.metadata.version(name).partition("+")[0] for name in PACKAGES}
    return {
        "framework": "openrlhf",
        "version": packages["openrlhf"],
        "packages": packages,
        "configs": {config: {"keys": keys_of(entry)} for config, entry in ENTRIES.items()},
    }


def main() -> None:
    """Print the contract."""
    json.dump(extract(), sys.stdout, indent=1, sort_keys=True, ensure_ascii=False)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
