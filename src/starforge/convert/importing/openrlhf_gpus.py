"""How many GPUs an OpenRLHF launch of reinforcement learning takes in all."""

from __future__ import annotations

from typing import Any

from starforge.convert.importing.model import Note, Upstream
from starforge.i18n import Text

_DEFAULT = 8  # upstream's, for every model


def gpus_of(upstream: Upstream) -> tuple[int, Note | None]:
    """Return the number of GPUs, and a note when models had different numbers of them.

    With ``train.colocate_all`` everything shares the actor's GPUs; otherwise every group of
    models that share has its own, and so have vLLM's engines.
    """
    held = ["actor"]
    if float(upstream.value("algo.kl.init_coef", 0.01) or 0) > 0:
        held.append("ref")
    if upstream.method == "openrlhf/ppo":
        held.append("critic")
    if upstream.reward is not None and upstream.reward.style == "model":
        held.append("reward")
    engines = _number(upstream, "vllm.num_engines", 0)
    rollout = engines * _number(upstream, "vllm.tensor_parallel_size", 1)
    if upstream.value("train.colocate_all"):
        own = _count(upstream, "actor")
        separate = bool(upstream.value("train.async_enable"))
        return own + (rollout if separate else 0), None
    groups = _groups(upstream, held)
    counts = [max(_count(upstream, name) for name in group) for group in groups]
    note = None
    if len(set(counts)) > 1:
        said = ", ".join(f"{'+'.join(g)}={n}" for g, n in zip(groups, counts, strict=True))
        note = Note(
            kind="changed", what=said,
            why=Text("groups of models get equal numbers of GPUs here",
                     "这里各组模型分到的 GPU 数相同"),
        )  # fmt: skip
    return sum(counts) + rollout, note


def _groups(upstream: Upstream, held: list[str]) -> list[list[str]]:
    pairs = []
    if upstream.value("train.colocate_actor_ref"):
        pairs.append(["actor", "ref"])
    if upstream.value("train.colocate_critic_reward"):
        pairs.append(["critic", "reward"])
    joined = [pair for pair in pairs if set(pair) <= set(held)]
    together = {name for pair in joined for name in pair}
    return joined + [[name] for name in held if name not in together]


def _count(upstream: Upstream, role: str) -> int:
    return _number(upstream, f"{role}.num_gpus_per_node", _DEFAULT)


def _number(upstream: Upstream, path: str, default: int) -> int:
    value: Any = upstream.value(path, default)
    return int(value) if str(value).isdigit() else default
