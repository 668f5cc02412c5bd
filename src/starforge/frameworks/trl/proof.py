"""Prove plans: TRL's own configuration classes take what the driver will give them.

Reads a JSON list of cases (see ``starforge.proofs.cases.Case``) and writes a JSON list of
outcomes on the last line. It runs inside the runtime and stands alone (no import of
starforge); which classes a method has comes from ``contract.py`` beside it.
"""

from __future__ import annotations

import dataclasses
import enum
import importlib
import json
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CONFIG = "record/config.json"
MISSING = object()


def fill(value: Any, folder: str) -> Any:
    """Replace placeholders by something harmless: files go into ``folder``."""
    if isinstance(value, str):
        return value.replace("${OUTPUT}", folder).replace("${", "").replace("}", "")
    if isinstance(value, dict):
        return {key: fill(item, folder) for key, item in value.items()}
    if isinstance(value, list):
        return [fill(item, folder) for item in value]
    return value


def build(config: dict[str, Any], names: tuple[str, ...]) -> list[Any]:
    """Return TRL's objects made of native keys; a key that none of them has is a ``KeyError``."""
    trl = importlib.import_module("trl")
    left, made = dict(config), []
    for name in names:
        cls = getattr(trl, name)
        own = [field.name for field in dataclasses.fields(cls) if field.name in left]
        arguments = {key: left.pop(key) for key in own}
        if name != "ModelConfig":
            # What the driver completes on a machine without a GPU.
            arguments |= {"use_cpu": True, "bf16": bool(arguments.get("bf16"))}
            arguments = companions(arguments) | arguments
        made.append(cls(**arguments))
    if left:
        raise KeyError(", ".join(sorted(left)))
    return made


def companions(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return what a setting can't be judged without.

    TRL keeps the best checkpoint only where it validates as often as it saves. A case may set
    one without the other; StarForge's own checks refuse such an experiment.
    """
    if not arguments.get("load_best_model_at_end"):
        return {}
    every = arguments.get("save_steps", 500)
    return {"eval_strategy": arguments.get("save_strategy", "steps"), "eval_steps": every}


def arrived(objects: list[Any], path: str) -> Any:
    """Return the value that a native key has in the end."""
    value = next((getattr(one, path) for one in objects if hasattr(one, path)), MISSING)
    return value.value if isinstance(value, enum.Enum) else value


def same(expected: Any, value: Any) -> bool:
    """Compare after upstream's own conversion: one item may stand alone or in a list."""
    if isinstance(value, tuple):
        value = list(value)
    if isinstance(expected, bool) is not isinstance(value, bool):
        return False
    return bool(value in (expected, [expected]) or [value] == expected)


def judge(case: dict[str, Any], names: tuple[str, ...], folder: str) -> dict[str, Any]:
    """Return the outcome of one case."""
    outcome: dict[str, Any] = {"name": case["name"], "ok": False, "checked": 0, "problems": []}
    problems: list[str] = outcome["problems"]
    for argv in case["processes"]:
        drivers = [Path(word).name for word in argv if word.startswith("${RECORD}/driver/")]
        missing = [name for name in drivers if not (HERE / "drivers" / name).is_file()]
        problems += [f"there is no driver {name}" for name in missing or ([] if drivers else ["?"])]
    config = fill(json.loads(case["files"][CONFIG])["config"], folder)
    try:
        objects = build(config, names)
    except Exception as error:
        problems.append(f"{type(error).__name__}: {error}")
        return outcome
    for path, expected in case["expect"].items():
        value = arrived(objects, path)
        if value is MISSING:
            problems.append(f"{path}: TRL has no such key")
        elif not same(expected, value):
            problems.append(f"{path}: {expected!r} arrived as {value!r}")
        outcome["checked"] += 1
    outcome["ok"] = not problems
    return outcome


def main() -> None:
    """Judge the cases of standard input."""
    methods: dict[str, tuple[str, ...]] = runpy.run_path(str(HERE / "contract.py"))["METHODS"]
    cases = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        found = [judge(case, methods[case["method"].partition("/")[2]], folder) for case in cases]
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
