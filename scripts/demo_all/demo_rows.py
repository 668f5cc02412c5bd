"""The methods that a machine without a GPU can carry, each as small as it may be."""

from __future__ import annotations

from typing import NamedTuple

SCORE = '{{"benchmark": "basics", "limit": 3, "max_new_tokens": 8, "resources": "{profile}"}}'


class Case(NamedTuple):
    """One job: ``name`` in the table, its method, and the settings that keep it short.

    ``sets`` must leave several checkpoints before the end, so that there is a middle to kill
    it in. ``scored`` is false for reward models, which give no answers.
    """

    name: str
    method: str
    sets: tuple[str, ...] = ()
    scored: bool = True
    exported: bool = True


class Chain(NamedTuple):
    """Jobs in a row, each on the model of the one before it.

    With ``learns`` the last one, on the data of the first, must begin at a lower loss.
    """

    name: str
    jobs: tuple[Case, ...]
    learns: bool = False


_TRL = ("max_steps=60", "save_steps=2")
_SUPERVISED = ("epochs=8", "save_steps=2")  # of OpenRLHF: 16 steps
_RL = ("epochs=2", "save_steps=1")  # of OpenRLHF: 4 steps
_VERL = ("max_steps=3", "save_steps=1")

TRAINING = (
    *(Case(f"trl/{name}", f"trl/{name}", _TRL, scored=name != "rm")
      for name in ("sft", "dpo", "grpo", "rm", "kto", "rloo", "opsd")),
    Case("verl/sft", "verl/sft", ("max_steps=6", "epochs=6", "save_steps=1")),
    Case("verl/sft (2 ranks)", "verl/sft",
         ("max_steps=6", "epochs=6", "save_steps=1", "processes=2")),
    *(Case(f"verl/{name}", f"verl/{name}", _VERL)
      for name in ("grpo", "dapo", "ppo", "rloo", "reinforce-baseline", "remax", "distillation")),
    *(Case(f"openrlhf/{name}", f"openrlhf/{name}", _SUPERVISED, scored=name != "rm")
      for name in ("sft", "dpo", "rm")),
    *(Case(f"openrlhf/{name}", f"openrlhf/{name}", _RL)
      for name in ("grpo", "ppo", "reinforce-baseline")),
    Case("custom/custom", "custom/custom", scored=False, exported=False),
)  # fmt: skip
CHAINS = (
    Chain("trl/sft > openrlhf/dpo > verl/grpo", (
        Case("chain 1", "trl/sft", ("max_steps=8",)),
        Case("chain 2", "openrlhf/dpo"),
        Case("chain 3", "verl/grpo", ("max_steps=1",)),
    )),
    Chain("trl/sft (LoRA) > trl/sft", (
        Case("chain lora 1", "trl/sft", ("max_steps=30", "lora_rank=8", "learning_rate=0.01")),
        Case("chain lora 2", "trl/sft", ("max_steps=4",)),
    ), learns=True),
)  # fmt: skip
HARNESSES = ("lm-eval", "evalscope")


def names() -> list[str]:
    """Return what ``--only`` may name, in the order of the table."""
    rows = [case.name for case in TRAINING] + [chain.name for chain in CHAINS]
    return rows + [f"evalkit/{name}" for name in HARNESSES]
