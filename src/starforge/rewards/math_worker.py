"""Compare expressions with math-verify: the child process of ``math_equal``.

A line of standard input is ``{"gold", "text", "seconds"}``, a line of output ``{"equal"}``;
the first line says that it is ready. It ends with its input.
"""

from __future__ import annotations

import json
import logging
import math
import os
import re
import sys
from typing import Any

_FUNCTIONS = {"sin", "cos", "tan", "cot", "log", "exp", "sqrt", "abs", "max", "min", "inf"}


def main() -> None:
    """Answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # nothing that a library prints may stand among the answers
    # This folder has modules with names of the standard library.
    here = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    sys.path[:] = [place for place in sys.path if place != here]
    import math_verify  # type: ignore[import-not-found]

    logging.disable(logging.WARNING)
    print("true", file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_answer(math_verify, json.loads(line))), file=answers, flush=True)


def _answer(math_verify: Any, job: dict[str, Any]) -> dict[str, Any]:
    seconds = max(1, math.ceil(job["seconds"]))
    gold = _parse(math_verify, job["gold"], seconds)
    if not gold:
        return {"equal": _tidy(job["gold"]) == _tidy(job["text"])}  # a name, a word
    found = _parse(math_verify, job["text"], seconds)
    try:
        return {"equal": math_verify.verify(gold, found, timeout_seconds=seconds)}
    except Exception:  # whatever SymPy makes of a model's answer, it is not equal
        return {"equal": False}


def _parse(math_verify: Any, text: str, seconds: int) -> Any:
    """Read an expression; math-verify finds a whole one between dollar signs only."""
    try:
        if _is_bare(text):
            found = math_verify.parse(f"${text}$", parsing_timeout=seconds)
            if found:
                return found
        return math_verify.parse(text, parsing_timeout=seconds)
    except Exception:
        return []


def _tidy(text: str) -> str:
    """Return a text for comparison: without LaTeX's wrapping, spaces and case."""
    text = re.sub(r"\\(?:text|mathrm|textbf)\{([^{}]*)\}", r"\1", text.replace("$", ""))
    return " ".join(text.split()).casefold()


def _is_bare(text: str) -> bool:
    """Say whether a text is an expression and nothing else, rather than words with one in it."""
    if len(text) > 200 or not text.isascii() or "$" in text or "\\boxed" in text:
        return False
    words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\\[A-Za-z]+", " ", text))
    return all(word.lower() in _FUNCTIONS for word in words)


if __name__ == "__main__":
    main()
