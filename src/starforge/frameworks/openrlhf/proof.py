"""Prove plans against the installed OpenRLHF: its own parsers must read them as meant.

Reads cases as JSON from standard input and writes outcomes as JSON to standard output (see
``starforge.proofs``). Stands alone beside ``contract.py``; imports neither torch nor any
module of OpenRLHF that would. The words of the plan go through the entry's own
``ArgumentParser`` and ``hierarchize``; the plan of a fresh experiment also through the
checks that the entry makes before it trains.
"""

from __future__ import annotations

import ast
import datetime
import importlib
import importlib.util
import io
import json
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from typing import Any

# The file beside this one; both run outside of the package.
contract: Any = importlib.import_module("contract")

PREFIX = "openrlhf.cli."
PLACES = ("JOB", "RECORD", "CODE", "DATA", "OUTPUT", "ATTEMPT", "MODEL", "TEACHER", "REWARD",
          "PYTHON", "LIB")  # fmt: skip


@cache
def parser_of(entry: str) -> Any:
    """Return upstream's parser of an entry."""
    return contract.build_parser(entry, datetime.datetime(2001, 1, 1, 1, 1))


@cache
def hierarchize() -> Callable[[Any], Any]:
    """Return upstream's function that nests dotted options, without importing its package."""
    path = contract.entry_file("train_sft").parent.parent / "utils" / "config.py"
    spec = importlib.util.spec_from_file_location("openrlhf_config", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    function: Callable[[Any], Any] = module.hierarchize
    return function


@cache
def own_checks(path: Path) -> Any:
    """Compile what an entry does between parsing and training."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.If) and "__name__" in ast.dump(node.test):
            start = next(i for i, s in enumerate(node.body) if "parse_args" in ast.dump(s))
            rest = [s for s in node.body[start + 1 :] if not _starts_work(s)]
            return compile(ast.Module(rest, type_ignores=[]), str(path), "exec")
    raise ValueError(f"{path} has no main block")


def run_own_checks(entry: str, flat: Any) -> None:
    """Let the entry check its settings; raises whatever upstream does."""
    names = {"args": flat, "hierarchize": hierarchize()}
    exec(own_checks(contract.entry_file(entry)), names)  # noqa: S102 - the pinned package


def _starts_work(statement: ast.stmt) -> bool:
    """Say whether a statement trains, or imports a package that training needs."""
    if isinstance(statement, ast.ImportFrom):
        return True
    called = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return called and "id='train'" in ast.dump(statement)


def fill(word: str) -> str:
    """Replace placeholders by harmless texts."""
    for name in PLACES:
        word = word.replace("${" + name + "}", name.lower())
    return word


def command(processes: list[list[str]]) -> tuple[str, list[str]]:
    """Return the entry that a plan starts and the flags it gets."""
    for argv in processes:
        for place, word in enumerate(argv):
            if word.startswith(PREFIX) and argv[place - 1] == "-m":
                return word.removeprefix(PREFIX), [fill(one) for one in argv[place + 1 :]]
    raise ValueError("no process starts an OpenRLHF entry")


def arrived(args: Any, path: str) -> Any:
    """Return the value of a dotted path in upstream's nested settings."""
    for part in path.split("."):
        args = getattr(args, part)
    return args


def same(meant: Any, found: Any) -> bool:
    """Compare after upstream's conversion: lists come as tuples, a lone word as a list."""
    if isinstance(found, (list, tuple)):
        wanted = meant if isinstance(meant, list) else [meant]
        return len(wanted) == len(found) and all(map(same, wanted, found))
    if isinstance(meant, bool) or isinstance(found, bool) or meant is None:
        return meant is found
    return bool(meant == found)


def prove(case: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of one case."""
    problems: list[str] = []
    checked = 0
    said = io.StringIO()
    try:
        entry, flags = command(case["processes"])
        with redirect_stderr(said), redirect_stdout(said):
            flat = parser_of(entry).parse_args(flags)
        for path, meant in case["expect"].items():
            found = arrived(hierarchize()(flat), path)
            checked += 1
            if not same(meant, found):
                problems.append(f"{path}: meant {meant!r}, arrived {found!r}")
        if case["name"].endswith("/fresh"):
            with redirect_stdout(said):
                run_own_checks(entry, flat)
    except SystemExit:
        problems.append(said.getvalue().strip().splitlines()[-1])
    except Exception as error:
        problems.append(f"{type(error).__name__}: {error}")
    return {"name": case["name"], "ok": not problems, "checked": checked, "problems": problems}


def main() -> None:
    """Prove all cases."""
    json.dump([prove(case) for case in json.load(sys.stdin)], sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main()
