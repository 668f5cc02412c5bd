"""Learning rates of the wrong order: for all weights or for LoRA, by what is learned from."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from starforge.checks import rules_training as rules
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

# Native switches of LoRA, for methods that pin it or publish only its rank.
_LORA_KEYS = (
    "use_peft", "policy.dtensor_cfg.lora_cfg.enabled", "policy.megatron_cfg.peft.enabled",
    "actor_rollout_ref.model.lora_rank", "model.lora_rank", "ds.lora.rank",
)  # fmt: skip


class Rates(msgspec.Struct, frozen=True):
    """Rates that are in order (``low`` to ``high``), and those that are usual."""

    low: float
    high: float
    usual: str


class Family(msgspec.Struct, frozen=True):
    """The rates of a family of methods, for all weights and for LoRA."""

    name: Text
    full: Rates
    lora: Rates


# Rates from the default files and guides of the four frameworks. The ends are about half an
# order beyond what is usual: a warning is for the wrong order, not for a matter of taste.
SUPERVISED = Family(
    Text("supervised training", "监督训练"),
    full=Rates(1e-8, 1.5e-4, "1e-6 - 5e-5"), lora=Rates(4e-5, 3e-3, "1e-4 - 5e-4"),
)  # fmt: skip
PREFERENCE = Family(
    Text("preference training", "偏好训练"),
    full=Rates(1e-9, 5e-5, "5e-7 - 1e-5"), lora=Rates(2e-6, 5e-4, "5e-6 - 1e-4"),
)  # fmt: skip
REWARD_MODEL = Family(
    Text("reward models", "奖励模型训练"),
    full=Rates(1e-8, 3e-4, "1e-6 - 1e-4"), lora=Rates(1e-5, 3e-3, "1e-4 - 1e-3"),
)  # fmt: skip
REINFORCEMENT = Family(
    Text("reinforcement learning", "强化学习"),
    full=Rates(1e-9, 4e-5, "5e-7 - 5e-6"), lora=Rates(3e-6, 5e-4, "1e-5 - 1e-4"),
)  # fmt: skip
DISTILLATION = Family(
    Text("distillation", "蒸馏"),
    full=Rates(1e-9, 1.5e-4, "1e-6 - 2e-5"), lora=Rates(3e-6, 1e-3, "1e-5 - 2e-4"),
)  # fmt: skip
_BY_DATA = {
    "instruction": SUPERVISED, "preference": PREFERENCE, "binary": PREFERENCE,
    "verifiable": REINFORCEMENT, "prompts": DISTILLATION,
}  # fmt: skip


def uses_lora(context: PrepareContext) -> bool:
    """Say whether only adapters are trained."""
    if context.parameter("lora"):
        return True
    return any(context.config.get(key) for key in _LORA_KEYS)


def family_of(context: PrepareContext) -> Family | None:
    """Return the rates of a method; ``None`` for one whose learning is not known."""
    if context.recipe.algorithm == "rm":
        return REWARD_MODEL
    return _BY_DATA.get(context.recipe.data.kind)


def check_learning_rate(context: PrepareContext) -> Iterator[Finding]:
    """Yield the warning about a rate of the wrong order. Random models can't be spoiled."""
    value, family = context.parameter("learning_rate"), family_of(context)
    builtin = context.model is not None and context.model.kind == "builtin"
    if not isinstance(value, int | float) or value <= 0 or builtin or family is None:
        return
    lora = uses_lora(context)
    rates, others = (family.lora, family.full) if lora else (family.full, family.lora)
    if rates.low <= value <= rates.high:
        return
    high = value > rates.high
    what = Text(f"{family.name.en} with LoRA", f" LoRA {family.name.zh}")
    if not lora:
        what = Text(f"{family.name.en} of all weights", f"全参{family.name.zh}")
    other = Text("", "")
    if others.low <= value <= others.high:
        other = Text(
            "; this one is for training all weights" if lora else "; this one is for LoRA",
            "；这个值适用于全参训练" if lora else "；这个值适用于 LoRA",
        )
    yield rules.LEARNING_RATE.at(
        context.config.at_parameter("learning_rate"), value=value, kind=what, other=other,
        side=Text("high", "偏高") if high else Text("low", "偏低"), usual=rates.usual,
    )  # fmt: skip
