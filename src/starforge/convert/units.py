"""Conversions between the parameters of frameworks that count in different units.

Each takes what the source says to common terms and writes it in the target's; the note
shows the arithmetic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from starforge.convert.porting import Port
from starforge.convert.units_loss import advantages, clipping, divergence
from starforge.i18n import Text

_ENDLESS = 1_000_000  # NeMo-RL writes "no limit" so


def _same(text: str) -> Text:
    """Return arithmetic, which reads the same in every language."""
    return Text(text, text)


def duration(port: Port) -> None:
    """Epochs and steps: TRL and NeMo-RL write "no limit" as -1 and 1000000."""
    port.seen |= {"epochs", "max_steps"}
    epochs, limit = port.get("epochs"), port.get("max_steps")
    limited = isinstance(limit, int) and 0 < limit < _ENDLESS
    if epochs is not None and not port.put("epochs", epochs):
        whole = math.ceil(epochs)
        port.put("epochs", whole, _same(f"⌈{epochs:g}⌉ = {whole}"))
    if not limited:
        return
    if port.has("max_steps"):
        port.put("max_steps", limit)
        _enough_epochs(port, int(limit))
        return
    rows = _rows_a_step(port) * int(limit)
    if port.rows is None or not port.has("max_rows"):
        port.lost("max_steps", Text(f"{port.target.name} counts epochs only",
                                    f"{port.target.name} 只按轮数计"))  # fmt: skip
        return
    count = max(1, math.ceil(rows / port.rows))
    kept = math.ceil(rows / count)
    port.put("epochs", count)
    said = _same(f"{limit} × {_rows_a_step(port)} / {count} = {kept}")
    port.put("max_rows", kept, said)
    port.seen.add("max_rows")


def _enough_epochs(port: Port, limit: int) -> None:
    """Raise epochs where the target ends with the epochs even before ``max_steps``."""
    if port.rows is None or port.source.framework == port.target.framework:
        return
    if port.target.framework == "trl":  # counts steps beyond the epochs, too
        return
    a_epoch = max(1, port.rows // max(1, _rows_a_step(port)))
    needed = math.ceil(limit / a_epoch)
    if needed > (port.params.get("epochs") or port.start("epochs") or 1):
        port.put("epochs", needed, _same(f"⌈{limit} / {a_epoch}⌉ = {needed}"))


def _rows_a_step(port: Port) -> int:
    """Return how many rows (prompts, for reinforcement) one step takes."""
    batch, group = _samples(port), int(port.get("group_size", 1))
    if _reinforced(port):
        return int(_prompts(port) or max(1, batch // group))
    return max(1, batch)


def _reinforced(port: Port) -> bool:
    return port.source.data.kind in ("verifiable", "prompts")


def _prompts(port: Port) -> int | None:
    """Return the prompts that are sampled for one step."""
    if port.get("prompts_per_step") is not None:
        return int(port.values["prompts_per_step"])
    group = int(port.get("group_size", 1))
    made = port.get("generation_batch_size")
    if made is not None:
        return max(1, int(made) // group)
    batch = _samples(port) * int(port.get("steps_per_generation") or 1)
    return max(1, batch // group) if port.source.framework == "trl" else None


def _samples(port: Port) -> int:
    """Return the rows, or completions, of one optimizer step over all GPUs."""
    if port.get("global_batch_size") is not None:
        return int(port.values["global_batch_size"])
    if port.get("mini_batch_size") is not None:
        return int(port.values["mini_batch_size"]) * int(port.get("group_size", 1))
    micro = int(port.get("batch_size", 1))
    return micro * int(port.get("gradient_accumulation", 1)) * port.gpus


def batch(port: Port) -> None:
    """The rows of one optimizer step, counted in prompts (verl), rows, or rows per GPU (TRL)."""
    port.seen |= {"batch_size", "gradient_accumulation", "global_batch_size", "mini_batch_size",
                  "generation_batch_size", "steps_per_generation", "prompts_per_step"}  # fmt: skip
    samples, group = _samples(port), int(port.get("group_size", 1))
    micro = port.get("batch_size")
    prompts = _prompts(port) if _reinforced(port) else None
    if prompts is not None:
        port.put("prompts_per_step", prompts, _prompts_said(port, prompts, group))
    if port.has("mini_batch_size"):
        size = max(1, samples // group)
        said = _same(f"{samples} / {group} = {size}")
        port.put("mini_batch_size", size, None if _is_kept(port, "mini_batch_size", size) else said)
    if port.has("global_batch_size"):
        kept = _is_kept(port, "global_batch_size", samples)
        port.put("global_batch_size", samples, None if kept else _samples_said(port, samples))
    if isinstance(micro, int):
        port.put("batch_size", _divisor(samples, micro, port.gpus))
    if port.has("gradient_accumulation"):
        _accumulate(port, samples, prompts, group)


def _is_kept(port: Port, name: str, value: Any) -> bool:
    return bool(port.values.get(name) == value)


def _prompts_said(port: Port, prompts: int, group: int) -> Text | None:
    if _is_kept(port, "prompts_per_step", prompts):
        return None
    return _same(f"{prompts * group} / {group} = {prompts}")


def _samples_said(port: Port, samples: int) -> Text:
    if port.get("mini_batch_size") is not None:
        group = port.get("group_size", 1)
        return _same(f"{port.values['mini_batch_size']} × {group} = {samples}")
    micro, times = port.get("batch_size", 1), port.get("gradient_accumulation", 1)
    return _same(f"{micro} × {times} × {port.gpus} = {samples}")


def _divisor(samples: int, micro: int, gpus: int) -> int:
    """Return the largest pass of at most ``micro`` rows that a GPU's share is made of."""
    share = max(1, samples // gpus)
    return next(size for size in range(min(micro, share), 0, -1) if share % size == 0)


def _accumulate(port: Port, samples: int, prompts: int | None, group: int) -> None:
    """Write TRL's form: rows of a pass on one GPU, times passes, times GPUs."""
    own = port.get("batch_size")
    micro = _divisor(samples, own if isinstance(own, int) else samples, port.gpus)
    port.put("batch_size", micro)
    times = max(1, samples // (micro * port.gpus))
    kept = _is_kept(port, "gradient_accumulation", times)
    said = _same(f"{samples} / ({micro} × {port.gpus}) = {times}")
    port.put("gradient_accumulation", times, None if kept else said)
    if prompts is not None and prompts * group != samples * 1:
        whole = prompts * group
        port.put("generation_batch_size", whole, _same(f"{prompts} × {group} = {whole}"))


def warmup(port: Port) -> None:
    """Warm-up: a share of all steps (OpenRLHF), steps (TRL; below 1 a share), or either (verl)."""
    port.seen |= {"warmup_steps", "warmup_ratio"}
    steps, share = port.get("warmup_steps"), port.get("warmup_ratio")
    if steps is not None and 0 < steps < 1:
        steps, share = None, steps
    if steps is not None and steps < 0:
        steps = None
    if steps:
        _warmup_steps(port, steps)
    elif share is not None and not (port.put("warmup_ratio", share) or share == 0):
        if port.target.framework != "trl" or not port.put("warmup_steps", share):
            _share_as_steps(port, share)
    elif share is None or share == 0:
        _no_warmup(port)


def _warmup_steps(port: Port, steps: float) -> None:
    if port.has("warmup_steps"):
        port.put("warmup_steps", int(steps))
    elif port.steps and port.has("warmup_ratio"):
        share = round(steps / port.steps, 6)
        port.put("warmup_ratio", share, _same(f"{steps:g} / {port.steps} = {share:g}"))
    else:
        port.lost("warmup_steps", _no_counterpart(port))


def _share_as_steps(port: Port, share: float) -> None:
    if port.steps and port.has("warmup_steps"):
        steps = round(share * port.steps)
        port.put("warmup_steps", steps, _same(f"{share:g} × {port.steps} = {steps}"))
    else:
        port.lost("warmup_ratio", _no_counterpart(port))


def _no_warmup(port: Port) -> None:
    for name in ("warmup_ratio", "warmup_steps"):
        if port.has(name) and (port.start(name) or 0) > 0:
            port.put(name, 0)


def _no_counterpart(port: Port) -> Text:
    return Text(f"{port.target.name} has no counterpart", f"{port.target.name} 没有对应项")


def lengths(port: Port) -> None:
    """Prompt and answer apart (verl), or both together (OpenRLHF, NeMo-RL)."""
    port.seen |= {"max_prompt_tokens", "max_model_tokens"}
    prompt, answer = port.get("max_prompt_tokens"), port.get("max_completion_tokens")
    whole = port.get("max_model_tokens")
    if isinstance(answer, str):  # NeMo-RL: as long as the whole
        answer = whole
        port.seen.add("max_completion_tokens")
    if isinstance(whole, int) and port.has("max_model_tokens"):
        port.put("max_model_tokens", whole)
    elif isinstance(prompt, int) and isinstance(answer, int) and port.has("max_model_tokens"):
        total = prompt + answer
        port.put("max_model_tokens", total, _same(f"{prompt} + {answer} = {total}"))
    if isinstance(prompt, int) and port.has("max_prompt_tokens"):
        port.put("max_prompt_tokens", prompt)
    elif isinstance(whole, int) and port.has("max_prompt_tokens"):
        left = whole - answer if isinstance(answer, int) and answer < whole else whole
        port.put("max_prompt_tokens", left, _same(f"{whole} - {whole - left} = {left}"))
    elif isinstance(prompt, int) and not port.has("max_model_tokens"):
        port.lost("max_prompt_tokens", _no_counterpart(port))


def adapters(port: Port) -> None:
    """LoRA: a switch (TRL, NeMo-RL), or a rank above 0 (verl, OpenRLHF)."""
    port.seen |= {"lora", "lora_rank"}
    rank = int(port.get("lora_rank", 0) or 0)
    always = port.source.name.endswith("-lora")
    on = always or (port.values["lora"] is True if "lora" in port.values else rank > 0)
    if port.has("lora"):
        port.put("lora", on)
        if on:
            port.put("lora_rank", rank)
    elif port.has("lora_rank"):
        port.put("lora_rank", rank if on or port.target.name.endswith("-lora") else 0)
    elif on:
        port.lost("lora_rank", _no_counterpart(port))
        port.lost("lora", _no_counterpart(port))
    if not on:
        port.seen |= {"lora_alpha", "lora_dropout", "lora_targets"} - port.user


def betas(port: Port) -> None:
    """Adam's two constants: one list, or two parameters (TRL)."""
    port.seen |= {"adam_betas", "adam_beta1", "adam_beta2"}
    pair = port.get("adam_betas")
    if pair is None and port.get("adam_beta1") is not None:
        pair = [port.values["adam_beta1"], port.values["adam_beta2"]]
    if not isinstance(pair, list):
        return
    if port.has("adam_betas"):
        port.put("adam_betas", pair)
    elif port.has("adam_beta1"):
        port.put("adam_beta1", pair[0])
        port.put("adam_beta2", pair[1])
    else:
        port.lost("adam_betas", _no_counterpart(port))


def periods(port: Port) -> None:
    """Saving and validating every N steps; off is -1, 0, or a strategy (TRL)."""
    for name, switch in (
        ("save_steps", "save_strategy"),
        ("validation_steps", "validation_strategy"),
    ):
        port.seen |= {name, switch}
        if name not in port.user and switch not in port.user:
            continue
        every, strategy = port.get(name), port.get(switch)
        off = strategy == "no" or (strategy is None and (every is None or every <= 0))
        if off:
            done = port.put(switch, "no") or port.put(name, -1) or port.put(name, 0)
        elif strategy == "epoch" and not port.has(switch):
            done = False
        else:
            done = port.put(name, every)
            if port.has(switch):
                port.put(switch, strategy or "steps")
        if not done:
            port.lost(name, _no_counterpart(port))
            port.lost(switch, _no_counterpart(port))


def sampling(port: Port) -> None:
    """No limit on ``top_k`` is -1 (verl), 0 (TRL) or nothing (NeMo-RL)."""
    port.seen.add("top_k")
    limit = port.get("top_k")
    if not isinstance(limit, int) or limit <= 0:
        _ = port.put("top_k", port.start("top_k"))
    elif not port.put("top_k", limit):
        port.lost("top_k", _no_counterpart(port))


CONVERSIONS: tuple[Callable[[Port], None], ...] = (
    batch, duration, warmup, lengths, adapters, betas, clipping, divergence, advantages,
    periods, sampling,
)  # fmt: skip
