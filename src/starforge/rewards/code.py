"""Whether code passes its tests."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starforge.rewards import sandbox
from starforge.rewards.answers import final_answer

_FENCED = re.compile(r"```[ \t]*(\w*)[^\n]*\n(.*?)```", re.DOTALL)

_STATEMENT = re.compile(
    r"^\s*(?:(?:async|def|class|import|from|for|while|if|try|with|return|raise|assert|pass|@)\b|@"
    r"|[\w.\[\], ]+\s*[-+*/]?=[^=]|[\w.]+\()",
    re.MULTILINE,
)


def code(
    completions: Sequence[str],
    tests: Sequence[Any],
    *,
    partial: bool = False,
    limits: sandbox.Limits = sandbox.DEFAULT,
    workers: int | None = None,
) -> list[float]:
    """Return 1.0 where the completion's Python passes all tests of its row, else 0.0.

    The code is the last fenced block (else the whole completion). A row's tests are Python
    source with assertions, a list of such, or a list of ``{"input", "output"}`` (also
    ``{"inputs": [...], "outputs": [...]}``) for programs that read and print; each also as
    JSON. ``partial`` gives the share of tests that pass. ``workers`` run at once (as many as
    there are CPUs). Code runs in :mod:`starforge.rewards.sandbox` within ``limits``.
    """
    jobs = [(python_of(text), tests_of(row)) for text, row in zip(completions, tests, strict=True)]

    def score(job: tuple[str, list[Any]]) -> float:
        if not job[0]:
            return 0.0
        verdict = sandbox.run(*job, limits)
        return verdict.passed / verdict.total if partial else float(verdict.kind == "passed")

    with ThreadPoolExecutor(max_workers=workers or os.cpu_count() or 1) as pool:
        return list(pool.map(score, jobs))


def python_of(text: str) -> str:
    """Return the code of a completion: its last fenced block of Python, else all of it.

    Empty when there is none: no block, and no line that begins as a statement does.
    """
    blocks = _FENCED.findall(text)
    python = [body for language, body in blocks if language.lower() in ("python", "py", "python3")]
    found = python or [body for _, body in blocks]
    if found:
        return str(found[-1])
    text = final_answer(text) if "<answer>" in text else text
    return text if _STATEMENT.search(text) else ""


def tests_of(row: Any) -> list[Any]:
    """Return a row's tests as a list; raises ``ValueError`` for what is none."""
    if isinstance(row, str):
        if row.lstrip()[:1] not in ("[", "{"):
            return _checked([row])
        try:
            row = json.loads(row)
        except ValueError:
            return _checked([row])  # Python may begin with a bracket, too
    if isinstance(row, dict) and "inputs" in row and "outputs" in row:
        pairs = zip(row["inputs"], row["outputs"], strict=True)
        row = [{"input": given, "output": wanted} for given, wanted in pairs]
    if isinstance(row, dict):
        row = [row]
    return _checked(list(row) if isinstance(row, list | tuple) else [row])


def _checked(tests: list[Any]) -> list[Any]:
    for test in tests:
        pair = isinstance(test, dict) and all(
            isinstance(test.get(name), str) for name in ("input", "output")
        )
        if not pair and not (isinstance(test, str) and test.strip()):
            raise ValueError(f"no test: {str(test)[:80]!r} (source, or input and output as text)")
    if not tests:
        raise ValueError("a row has no tests")
    return tests
