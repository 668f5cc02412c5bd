"""Find the training command in what a script runs, whatever launches it."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from starforge.convert.importing.model import Launch
from starforge.convert.shell import Arg, Command

# Modules and scripts of each framework, its older names included.
MODULES = {
    "verl.trainer.main_ppo": "verl",
    "verl.trainer.sft_trainer": "verl",
    "verl.trainer.sft_trainer_ray": "verl",
    "verl.trainer.fsdp_sft_trainer": "verl",
    "recipe.dapo.main_dapo": "verl",
    "recipe.dapo.src.main_dapo": "verl",
}
_OPENRLHF = re.compile(r"openrlhf\.cli\.(train_\w+)")
_TRL_MODULE = re.compile(r"trl\.scripts\.(\w+)")
SCRIPTS = {
    "main_ppo.py": "verl", "main_dapo.py": "verl", "fsdp_sft_trainer.py": "verl",
    "sft_trainer.py": "verl",
    "train_sft.py": "openrlhf", "train_dpo.py": "openrlhf", "train_rm.py": "openrlhf",
    "train_ppo_ray.py": "openrlhf", "train_ppo.py": "openrlhf", "train_kto.py": "openrlhf",
    "train_kd.py": "openrlhf",
    "sft.py": "trl", "dpo.py": "trl", "grpo.py": "trl", "kto.py": "trl", "rloo.py": "trl",
    "reward.py": "trl", "reward_modeling.py": "trl", "distillation.py": "trl", "gkd.py": "trl",
    "run_grpo.py": "nemo-rl", "run_sft.py": "nemo-rl", "run_dpo.py": "nemo-rl",
    "run_ppo.py": "nemo-rl", "run_rm.py": "nemo-rl", "run_distillation.py": "nemo-rl",
    "run_grpo_math.py": "nemo-rl", "run_distillation_math.py": "nemo-rl",
}  # fmt: skip
_MODULE_FLAGS = ("-m", "--module")
_RUNNERS = re.compile(
    r"(?:.*/)?(?:python[\d.]*|torchrun|deepspeed|accelerate|uv|ray|srun|trl|bash|sh|env|nohup)"
)


class Scanned(msgspec.Struct, frozen=True, kw_only=True):
    """The training commands of a script, and the others."""

    launches: list[Launch]
    others: list[Command]


def scan(commands: list[Command]) -> Scanned:
    """Sort commands into training launches and the rest."""
    launches, others = [], []
    for command in commands:
        found = find_launch(command)
        if found is None:
            others.append(command)
        else:
            launches.append(found)
    return Scanned(launches=launches, others=others)


def find_launch(command: Command) -> Launch | None:
    """Return the launch that a command is, ``None`` when it trains nothing we know."""
    words = [one.text for one in command.args]
    # A plan's placeholder for its interpreter is a runner, too.
    runs = words and (_RUNNERS.fullmatch(words[0]) or words[0].endswith((".py", "${PYTHON}")))
    if not runs:
        return None
    for place, word in enumerate(words):
        found = _entry(words, place)
        if found is not None:
            framework, entry, width = found
            file = command.folder / word
            return Launch(
                framework=framework, entry=entry, args=command.args[place + width :],
                before=command.args[:place], folder=command.folder, env=command.env,
                script=file if word.endswith(".py") and _is_file(file) else None,
            )  # fmt: skip
    return None


def _entry(words: list[str], place: int) -> tuple[str, str, int] | None:
    """Return framework, entry and number of words, when an entry point stands at ``place``."""
    word = words[place]
    if word in MODULES:
        return MODULES[word], word, 1
    if _OPENRLHF.fullmatch(word):
        return "openrlhf", word, 1
    if match := _TRL_MODULE.fullmatch(word):
        return "trl", f"trl {match[1]}", 1
    following = words[place + 1] if place + 1 < len(words) else ""
    if Path(word).name == "trl" and following and not following.startswith("-"):
        return "trl", f"trl {following}", 2
    name = Path(word).name
    if name in SCRIPTS and (place == 0 or words[place - 1] not in _MODULE_FLAGS):
        framework = SCRIPTS[name]
        return framework, f"trl {name.removesuffix('.py')}" if framework == "trl" else name, 1
    return None


def flag_value(args: list[Arg], *names: str) -> str | None:
    """Return the last value given to one of the flags, as ``--x v`` or ``--x=v``."""
    found = None
    for place, one in enumerate(args):
        name, equals, value = one.text.partition("=")
        name = name.replace("_", "-")
        if name in {other.replace("_", "-") for other in names}:
            if equals:
                found = value
            elif place + 1 < len(args):
                found = args[place + 1].text
    return found


def launcher_gpus(launch: Launch) -> int | None:
    """Return how many processes the launcher starts, where it says so."""
    given = flag_value(launch.before, "--nproc_per_node", "--num_processes", "--num_gpus")
    if given is not None and given.isdigit():
        return int(given)
    include = flag_value(launch.before, "--include")
    if include and ":" in include:
        return len(include.rpartition(":")[2].split(","))
    visible = launch.env.get("CUDA_VISIBLE_DEVICES")
    return len([one for one in visible.split(",") if one.strip()]) if visible else None


def launcher_nodes(launch: Launch) -> int:
    """Return on how many machines the launcher runs."""
    given = flag_value(launch.before, "--nnodes", "--num_nodes", "--num_machines")
    return int(given) if given is not None and given.isdigit() else 1


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:
        return False
