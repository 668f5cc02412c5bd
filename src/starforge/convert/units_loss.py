"""Conversions of the loss of reinforcement learning: clipping, distance to the reference."""

from __future__ import annotations

from starforge.convert.porting import Port
from starforge.i18n import Text


def clipping(port: Port) -> None:
    """The clip range: two parameters, or one number and one pair (OpenRLHF)."""
    port.seen |= {"clip_low", "clip_high", "clip_range", "clip_low_high"}
    low, high = port.get("clip_low"), port.get("clip_high")
    pair, single = port.get("clip_low_high"), port.get("clip_range")
    if isinstance(pair, list):
        low, high = pair
    elif single is not None:
        low = high = single
    if low is None:
        return
    high = low if high is None else high
    if port.has("clip_range"):
        if low == high:
            port.put("clip_range", low)
        else:
            text = f"[{low}, {high}]"
            port.put("clip_low_high", [low, high], Text(text, text))
    elif port.has("clip_low"):
        port.put("clip_low", low)
        port.put("clip_high", high)


def divergence(port: Port) -> None:
    """KL to the reference: switches for loss and reward (verl), or a coefficient above 0.

    TRL's is in the loss for GRPO; OpenRLHF chooses with ``kl_in_loss``, NeMo-RL with
    ``kl_in_reward``.
    """
    names = {"kl_coef", "kl_in_loss", "kl_in_reward", "kl_reward_coef", "kl_reward_estimator"}
    port.seen |= names
    if port.source.data.kind != "verifiable":
        for name in names & port.user:
            port.seen.discard(name)
        return
    in_loss, in_reward, coef = _said(port)
    if port.target.framework == "verl":
        port.put("kl_in_loss", in_loss)
        port.put("kl_in_reward", in_reward)
        if in_loss:
            port.put("kl_coef", coef)
        if in_reward:
            port.put("kl_reward_coef", coef)
        return
    value = coef if in_loss or in_reward else 0.0
    if not port.put("kl_coef", value):
        port.lost("kl_coef", Text("no such parameter", "没有这个参数"))
        return
    if value == 0:
        return
    if not (port.put("kl_in_loss", in_loss) or port.put("kl_in_reward", in_reward)) and in_reward:
        why = Text("the distance is part of the loss there", "那里把 KL 计入损失")
        port.lost("kl_in_reward", why)


def _said(port: Port) -> tuple[bool, bool, float]:
    """Return whether the penalty is in the loss, in the reward, and its coefficient."""
    coef = float(port.get("kl_coef", 0.0))
    if port.source.framework == "verl":
        in_loss, in_reward = bool(port.get("kl_in_loss")), bool(port.get("kl_in_reward"))
        if in_reward and not in_loss:
            coef = float(port.get("kl_reward_coef", 0.0))
        return in_loss, in_reward, coef
    on = coef > 0
    if "kl_in_loss" in port.values:
        in_loss = bool(port.values["kl_in_loss"])
        return on and in_loss, on and not in_loss, coef
    in_reward = bool(port.values.get("kl_in_reward"))
    return on and not in_reward, on and in_reward, coef


def advantages(port: Port) -> None:
    """Division by the group's spread: a switch, or its opposite (OpenRLHF)."""
    port.seen |= {"normalize_advantages", "no_std_norm"}
    if "normalize_advantages" in port.values:
        divided = bool(port.values["normalize_advantages"])
    elif "no_std_norm" in port.values:
        divided = not port.values["no_std_norm"]
    else:
        return
    if port.put("normalize_advantages", divided):
        return
    if not port.put("no_std_norm", not divided):
        why = Text("no counterpart", "没有对应项")
        port.lost("normalize_advantages", why)
        port.lost("no_std_norm", why)
