"""One line for every case: number, verdict, tests.

``PYTHONPATH=tests/support python tests/cases/verdicts.py`` prints the table.
"""

import ast
import sys
from functools import lru_cache
from pathlib import Path

from case_lab import Case, read_cases

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
ROWS_TEST = "tests/cases/test_cases.py"
# Every number of the collection of real reports from which the cases come.
NUMBERS = (
    1, 2, 3, 5, 6, 7, 8, 10, 11, 13, 14, 16, 17, 18, 20, 21, 23, 24, 25, 27, 28, 30, 31, 32, 34,
    35, 36, 39, 40, 41, 43, 44, 46, 47, 50, 51, 52, 53, 55, 57, 59, 60, 62, 63, 65,
)  # fmt: skip


def verdict_of(case: Case) -> str:
    """Return in words what is decided on a case, and where."""
    if "decided" in case:
        return str(case["decided"])
    verdict = case["verdict"]
    if verdict == "accepted":
        return f"{case['method']}: accepted"
    return f"{case['method']}: {verdict['severity']} {verdict['code']}"


def proofs_of(case: Case) -> list[str]:
    """Return the tests that prove the verdict, as ``path::function``."""
    own = f"{ROWS_TEST}::test_the_verdict_on_a_case"
    return list(case.get("proved_by", [own]))


@lru_cache(maxsize=64)
def functions(path: str) -> frozenset[str]:
    """Return the names of the functions that a test file defines; none if there is no file."""
    file = ROOT / path
    tree = ast.parse(file.read_text("utf-8")) if file.is_file() else ast.Module([], [])
    return frozenset(one.name for one in ast.walk(tree) if isinstance(one, ast.FunctionDef))


def table(cases: list[Case]) -> list[str]:
    """Return the lines of a Markdown table, one a case."""
    lines = ["| case | verdict | tests |", "| --- | --- | --- |"]
    for number in sorted({case["case"] for case in cases}):
        own = [case for case in cases if case["case"] == number]
        verdicts = "; ".join(dict.fromkeys(map(verdict_of, own)))
        tests = ", ".join(dict.fromkeys(f"`{test}`" for case in own for test in proofs_of(case)))
        lines.append(f"| {number} | {verdicts} | {tests} |")
    return lines


if __name__ == "__main__":
    sys.stdout.write("\n".join(table(read_cases(FOLDER))) + "\n")
