"""Compare expressions with math-verify: the child process of ``math_equal``.

A line of standard input is ``{"gold", "text", "seconds"}``, a line of output ``{"equal"}`` or
``{"problem"}``; the first line says that it is ready. It ends with its input.
"""

from __future__ import annotations

import json
import logging
import math
import os
import sys
from typing import Any


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
        return {"problem": f"the row's answer {job['gold']!r} is no mathematical expression"}
    found = _parse(math_verify, job["text"], seconds)
    try:
        return {"equal": math_verify.verify(gold, found, timeout_seconds=seconds)}
    except Exception:  # whatever SymPy makes of a model's answer, it is not equal
        return {"equal": False}


def _parse(math_verify: Any, text: str, seconds: int) -> Any:
    """Read an expression; a bare one in LaTeX is found only between dollar signs."""
    try:
        found = math_verify.parse(text, parsing_timeout=seconds)
        if "\\" in text and "$" not in text and "\\boxed" not in text and len(text) < 200:
            return math_verify.parse(f"${text}$", parsing_timeout=seconds) or found
    except Exception:
        return []
    return found


if __name__ == "__main__":
    main()
