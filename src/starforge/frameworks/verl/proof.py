"""Prove plans: Hydra composes them, and verl's own validation and classes take the result.

Reads a JSON list of cases (see ``starforge.proofs.cases.Case``) and writes a JSON list of
outcomes on the last line. It runs inside the runtime and stands alone (no import of
starforge). Values are compared twice: as they stand in the composed configuration, and as
they arrive in the dataclasses that verl's workers are given.
"""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import json
import re
import runpy
import sys
import tempfile
from pathlib import Path
from typing import Any

CONFIGS = {"verl.trainer.main_ppo": "ppo_trainer", "verl.trainer.sft_trainer": "sft_trainer_engine"}
# Sections that become dataclasses, by configuration.
SECTIONS = {
    "ppo_trainer": ["actor_rollout_ref.actor", "actor_rollout_ref.rollout", "algorithm"],
    "sft_trainer_engine": ["engine", "optim", "checkpoint"],
}  # fmt: skip
MISSING = object()


class RefusedError(Exception):
    """The plan's command is not one that verl takes."""


def fill(word: str, model: Path) -> str:
    """Put something harmless in the place of every ``${PLACEHOLDER}``; a model is a real one."""

    def place(found: re.Match[str]) -> str:
        name = found[1]
        return str(model) if name in ("MODEL", "TEACHER", "REWARD") else f"/proof/{name.lower()}"

    return re.sub(r"\$\{([A-Z]+)\}", place, word)


def command(argv: list[str], model: Path) -> tuple[str, list[str]]:
    """Return verl's module and its overrides from the argv of a plan."""
    words = [fill(word, model) for word in argv[argv.index("--") + 1 :]]
    modules = [i for i, word in enumerate(words) if i and words[i - 1] == "-m" and word in CONFIGS]
    if len(modules) != 1:
        raise RefusedError(f"not one of verl's entry points: {' '.join(words[:6])}")
    return words[modules[0]], words[modules[0] + 1 :]


class Prover:
    """Composes and validates; imports verl once."""

    def __init__(self) -> None:
        self.hydra: Any = importlib.import_module("hydra")
        self.omega: Any = importlib.import_module("omegaconf").OmegaConf
        parser = importlib.import_module("hydra.core.override_parser.overrides_parser")
        self.parser: Any = parser.OverridesParser.create()
        self.config: Any = importlib.import_module("verl.utils.config")
        self.needs: Any = importlib.import_module("verl.trainer.ppo.utils")
        verl: Any = importlib.import_module("verl")
        self.folder = str(Path(verl.__file__).parent / "trainer" / "config")

    def compose(self, module: str, words: list[str]) -> Any:
        """Return the configuration that ``python -m module words`` would start with."""
        self.parser.parse_overrides(words)
        own = [word for word in words if not word.startswith("hydra.")]
        with self.hydra.initialize_config_dir(self.folder, version_base=None):
            return self.hydra.compose(CONFIGS[module], overrides=own)

    def objects(self, module: str, config: Any) -> dict[str, Any]:
        """Return the dataclasses by section; raises what verl raises at the start of a job."""
        sections = list(SECTIONS[CONFIGS[module]])
        if module == "verl.trainer.main_ppo":
            critic = self.needs.need_critic(config)
            self.config.validate_config(
                config=config,
                use_reference_policy=self.needs.need_reference_policy(config),
                use_critic=critic,
            )
            sections += ["critic"] if critic else []
            sections += ["distillation"] if config.distillation.enabled else []
        made = {}
        for section in sections:
            part = self.omega.select(config, section)
            made[section] = self.config.omega_conf_to_dataclass(part)
        return made

    def arrived(self, config: Any, objects: dict[str, Any], path: str) -> list[Any]:
        """Return the value of a key wherever it stands in the end."""
        found = []
        value = self.omega.select(config, path, default=MISSING, throw_on_missing=False)
        if value is not MISSING:
            found.append(self.omega.to_container(value) if self.omega.is_config(value) else value)
        for section, made in objects.items():
            if path.startswith(section + "."):
                inner = attribute(made, path[len(section) + 1 :].split("."))
                if inner is not MISSING:
                    found.append(self._plain(inner))
        return found

    def _plain(self, value: Any) -> Any:
        return self.omega.to_container(value) if self.omega.is_config(value) else value


def attribute(made: Any, names: list[str]) -> Any:
    """Follow names through dataclasses and mappings; ``MISSING`` where they end."""
    for name in names:
        if dataclasses.is_dataclass(made) or not hasattr(made, "keys"):
            made = getattr(made, name, MISSING)
        else:
            made = made.get(name, MISSING)
        if made is MISSING:
            break
    return made


def same(expected: Any, value: Any) -> bool:
    """Compare values, not their kinds of lists; a mapping may hold more than was set."""
    if isinstance(expected, dict) and hasattr(value, "keys"):
        return all(key in value and same(item, value[key]) for key, item in expected.items())
    if isinstance(expected, list) and isinstance(value, list | tuple):
        pairs = zip(expected, value, strict=False)
        return len(expected) == len(value) and all(same(a, b) for a, b in pairs)
    if isinstance(expected, bool) is not isinstance(value, bool):
        return False
    if isinstance(expected, str) is not isinstance(value, str):
        return False
    return bool(expected == value)


def judge(prover: Prover, case: dict[str, Any], model: Path) -> dict[str, Any]:
    """Return the outcome of one case."""
    outcome: dict[str, Any] = {"name": case["name"], "ok": False, "checked": 0, "problems": []}
    problems: list[str] = outcome["problems"]
    try:
        (argv,) = case["processes"]
        module, words = command(argv, model)
        config = prover.compose(module, words)
        objects = prover.objects(module, config)
    except Exception as error:
        problems.append(f"{type(error).__name__}: {' '.join(str(error).split())}")
        return outcome
    for path, expected in case["expect"].items():
        values = prover.arrived(config, objects, path)
        if not values:
            problems.append(f"{path}: verl has no such key")
        problems += [
            f"{path}: {expected!r} arrived as {value!r}"
            for value in values
            if not same(expected, value)
        ]
        outcome["checked"] += 1
    outcome["ok"] = not problems
    return outcome


def main() -> None:
    """Judge the cases of standard input; what verl prints goes to standard error."""
    cases = json.load(sys.stdin)
    here = Path(__file__).parent
    # The critic's class reads the model's own files: the tiny model of the drivers will do.
    tiny = runpy.run_path(str(here.parent / "_drivers" / "tiny_model.py"))
    named = runpy.run_path(str(here / "drivers" / "verl_vllm_name.py"))
    with contextlib.redirect_stdout(sys.stderr), tempfile.TemporaryDirectory() as folder:
        model = tiny["ensure"](Path(folder) / "model")
        named["name_vllm"](Path(folder) / "names")
        sys.path.append(str(Path(folder) / "names"))
        prover = Prover()
        found = [judge(prover, case, model) for case in cases]
    sys.stdout.write("\n" + json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
