"""Prove plans with NeMo-RL's own configuration classes, from a checkout.

Reads a JSON list of cases on standard input and writes a JSON list of outcomes (see
``starforge.proofs``). Runs by itself, in any interpreter with omegaconf, hydra-core and
pydantic; ``STARFORGE_NEMO_RL_SRC`` (or the first argument) names the checkout. Upstream's
``load_config`` composes ``record/config.yaml``, its ``MasterConfig`` validates it, and every
expected value is looked up in what comes out.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

HARMLESS = {
    "STARFORGE_MODEL": "/proof/model", "STARFORGE_TEACHER": "/proof/teacher",
    "STARFORGE_CODE": "/proof/code", "STARFORGE_ATTEMPT_DIR": "/proof/attempt",
    "STARFORGE_OUTPUT_DIR": "/proof/output",
}  # fmt: skip
# Upstream's script -> the module whose MasterConfig it validates with, and whether it makes
# the arithmetic of `${mul:...}` known.
SCRIPTS = {
    "examples/run_sft.py": ("nemo_rl.algorithms.sft", True),
    "examples/run_dpo.py": ("nemo_rl.algorithms.dpo", False),
    "examples/run_rm.py": ("nemo_rl.algorithms.rm", False),
    "examples/run_grpo.py": ("nemo_rl.algorithms.grpo", True),
    "examples/run_ppo.py": ("nemo_rl.algorithms.ppo", True),
    "examples/run_distillation.py": ("nemo_rl.algorithms.distillation", True),
}
CONFIG = "record/config.yaml"


def prove(case: dict[str, Any], checkout: Path, folder: Path) -> dict[str, Any]:
    """Return the outcome of one case."""
    problems: list[str] = []
    checked = 0
    try:
        tree = compose(case, checkout, folder)
        for path, wanted in case["expect"].items():
            checked += 1
            problems += compare(path, wanted, tree)
    except Exception as error:  # whatever upstream raises is the finding
        problems.append(f"{type(error).__name__}: {' '.join(str(error).split())}")
    return {"name": case["name"], "ok": not problems, "checked": checked, "problems": problems}


def compose(case: dict[str, Any], checkout: Path, folder: Path) -> dict[str, Any]:
    """Compose and validate a case's configuration as upstream's script does."""
    argv = [word for process in case["processes"] for word in process]
    script = next(word for word in argv if word in SCRIPTS)
    if not (checkout / script).is_file():
        raise FileNotFoundError(f"{script} is not in the checkout")
    rest = argv[argv.index(script) + 1 :]
    if rest != ["--config", "${RECORD}/config.yaml"]:
        raise ValueError(f"unexpected arguments: {rest}")
    file = folder / "config.yaml"
    file.write_text(case["files"][CONFIG], "utf-8")
    module, arithmetic = SCRIPTS[script]
    tools = importlib.import_module("nemo_rl.utils.config")
    omegaconf = importlib.import_module("omegaconf").OmegaConf
    omegaconf.clear_resolvers()
    if arithmetic:
        tools.register_omegaconf_resolvers()
    plain = omegaconf.to_container(tools.load_config(file), resolve=True)
    master = importlib.import_module(module).MasterConfig(**plain)
    return dict(master.model_dump())


def compare(path: str, wanted: Any, tree: dict[str, Any]) -> list[str]:
    """Return what is wrong with the value at ``path``."""
    node: Any = tree
    for name in path.split("."):
        if not isinstance(node, dict) or name not in node:
            return [] if wanted is None else [f"{path}: did not arrive"]
        node = node[name]
    return [] if same(wanted, node) else [f"{path}: {wanted!r} arrived as {node!r}"]


def same(wanted: Any, found: Any) -> bool:
    """Compare after upstream's conversion; of a mapping every item meant must be there."""
    if isinstance(wanted, dict) and isinstance(found, dict):
        return all(key in found and same(value, found[key]) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, (list, tuple)):
        pairs = zip(wanted, found, strict=False)
        return len(wanted) == len(found) and all(same(one, other) for one, other in pairs)
    if isinstance(wanted, bool) is not isinstance(found, bool):
        return False
    return bool(wanted == found)


def main() -> None:
    """Prove all cases of standard input."""
    place = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("STARFORGE_NEMO_RL_SRC", "")
    checkout = Path(place).absolute()
    if not place or not (checkout / "nemo_rl").is_dir():
        sys.exit("set STARFORGE_NEMO_RL_SRC to a checkout of NeMo-RL")
    os.environ |= {"NEMO_RL_HOME": str(checkout), **HARMLESS}
    importlib.import_module("stand_ins").prepare(checkout)
    cases = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder:
        # Upstream prints notes of its own; the answer is the last line.
        outcomes = [prove(case, checkout, Path(folder)) for case in cases]
    print(json.dumps(outcomes))  # noqa: T201


if __name__ == "__main__":
    main()
