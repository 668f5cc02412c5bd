"""The console has words for every reason that a job can end or wait for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TEXTS = ROOT / "console/src/i18n/common.ts"


def given() -> Iterator[str]:
    """Reasons as the server and the runner write them: of an `Ending`, or of a job that waits."""
    for room in ("runner", "server"):
        for file in (ROOT / "src/starforge" / room).rglob("*.py"):
            tree = ast.parse(file.read_text("utf-8"))
            for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
                named = [one.value for one in call.keywords if one.arg == "reason"]
                ending = isinstance(call.func, ast.Name) and call.func.id == "Ending"
                for value in named + (call.args[1:2] if ending else []):
                    if isinstance(value, ast.Constant) and isinstance(value.value, str):
                        yield value.value


def known(language: str) -> set[str]:
    """Reasons that the console has words for."""
    text = TEXTS.read_text("utf-8").split(f"export const {language} = ")[1]
    block = re.search(r"reasons: \{(.*?)\n  \}", text, re.DOTALL)
    assert block is not None
    return set(re.findall(r"^    (\w+):", block[1], re.MULTILINE))


def test_every_reason_has_words_in_both_languages():
    reasons = {one for one in given() if re.fullmatch(r"[a-z_]+", one)}
    assert {"exit_code", "budget", "waiting_for_slot"} <= reasons
    assert reasons - known("en") == set()
    assert reasons - known("zh") == set()
