"""Weights of 16 bit that the optimizer changes in place: small steps are rounded away.

A number of ``bits`` significant bits with 2^e <= |w| < 2^(e+1) has neighbours 2^(e+1-bits) away.
Rounded to the nearest, a step is lost when it is not larger than half of that, 2^(e-bits): for
bfloat16 (8 bits) that is |w|/512 to |w|/256. A step of Adam has about the size of the learning
rate (exactly so the first one; later ones are rather smaller), so a rate moves no weight larger
than 512 times itself. What is lost does not add up: each step starts from the rounded weight.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from statistics import NormalDist

import msgspec
import numpy

from starforge.checks import rules_training as rules
from starforge.checks.files import read_object
from starforge.checks.weights import Sample, sample_weights
from starforge.findings import Finding
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

BITS = {"bfloat16": 8, "bf16": 8, "float16": 11, "fp16": 11}  # significant bits
NAMES = {"bf16": "bfloat16", "fp16": "float16"}
USUAL = 0.02  # standard deviation of the weights of a model that can't be looked at
# Share of the weights that a whole step of the learning rate does not move. From here on it is
# said: of a job that learns well with 69 % (SmolLM2 at 2e-4) it is not.
MOSTLY = 0.75
# Optimizers whose step is about as large as the learning rate.
_STEPS_OF_RATE = ("adam", "paged_adam", "ademamix", "paged_ademamix", "lion", "paged_lion")


class InPlace(msgspec.Struct, frozen=True, kw_only=True):
    """Weights of ``dtype`` without float32 copies, that are changed at ``rate`` a step.

    ``key`` is the native key that decides about ``dtype``; ``fix`` says what to set instead.
    """

    dtype: str
    key: str
    optimizer: str
    rate: object
    fix: Text


def lost_share(sample: Sample, step: float, bits: int) -> float:
    """Return the share of weights (0 to 1) that stay as they are when ``step`` is added."""
    total = sum(count for count, _ in sample)
    lost = 0.0
    for count, sizes in sample:
        exponent = numpy.frexp(sizes)[1] - 1  # of the power of two at or below
        lost += count * float(numpy.mean(numpy.ldexp(1.0, exponent - bits) >= step))
    return lost / total


def dtype_in_config(folder: Path | None) -> str | None:
    """Return the type of the weights that a model's config.json names."""
    config = read_object(folder / "config.json") if folder is not None else {}
    inner = config.get("text_config")
    for said in (config, inner if isinstance(inner, dict) else {}):
        found = said.get("dtype") or said.get("torch_dtype")
        if found:
            return str(found)
    return None


def check_rounding(context: PrepareContext, held: InPlace | None) -> list[Finding]:
    """Return the warning about a rate that 16-bit weights don't feel.

    Random models (``starforge:tiny``) are for trials and left alone.
    """
    if held is None or held.dtype not in BITS:
        return []
    builtin = context.model is not None and context.model.kind == "builtin"
    rate = held.rate
    if builtin or isinstance(rate, bool) or not isinstance(rate, int | float) or rate <= 0:
        return []
    if not held.optimizer.lower().startswith(_STEPS_OF_RATE):
        return []
    folder = context.model_path
    sample = sample_weights(folder) if folder is not None and folder.is_dir() else []
    share = lost_share(sample or _usual(), rate, BITS[held.dtype])
    if share < MOSTLY:
        return []
    model = context.experiment.model
    whose = Text(f"weights of the usual size ({USUAL})", f"一般大小（{USUAL}）的权重中")
    if sample:
        whose = Text(f"the weights of {model}", f"{model} 的权重中")
    return [
        rules.ROUNDED_AWAY.at(
            context.config.at(held.key), dtype=NAMES.get(held.dtype, held.dtype), rate=rate,
            share=f"{min(share, 0.999):.1%}".replace(".0%", "%"), whose=whose, fix=held.fix,
        )
    ]  # fmt: skip


@lru_cache(maxsize=1)
def _usual() -> Sample:
    normal = NormalDist(0.0, USUAL)
    sizes = [normal.inv_cdf(0.5 + (i + 0.5) / 4000) for i in range(2000)]
    return [(1, numpy.array(sizes))]
