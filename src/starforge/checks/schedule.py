"""What happens when in a training job, against how long it lasts and the disk it fills.

A framework says what it does as a :class:`Schedule`; the rules are the same for all.
"""

from __future__ import annotations

import math
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import msgspec

from starforge.checks import rules_training as rules
from starforge.checks.model import parameter_count
from starforge.errors import StarForgeError
from starforge.findings import Finding
from starforge.home import starforge_home
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.lab.values import parse_size

ENV_SPACE = "STARFORGE_CHECKPOINT_SPACE"
SPACE = 50e9  # bytes of checkpoints worth a warning, unless the variable says otherwise
ADAM = 8  # bytes a parameter of Adam's two moments in 32 bit
MASTER = 4  # bytes a parameter of a 32-bit copy of weights that are 16 bit themselves
HALF = ("bfloat16", "float16", "bf16", "fp16")


class Interval(msgspec.Struct, frozen=True):
    """Something that is done every ``every`` steps; ``key`` is the native path that says so.

    Below 1 it is a share of the training, as in transformers; 0, less, or ``None``: never.
    """

    key: str
    every: float | None

    def steps(self, total: int | None) -> int | None:
        """Return the interval in steps, ``None`` for never or when it can't be known."""
        if not isinstance(self.every, int | float) or self.every <= 0:
            return None
        if self.every >= 1:
            return int(self.every)
        return None if total is None else max(1, math.ceil(self.every * total))


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What one checkpoint holds, in bytes a parameter of the model.

    ``weights`` are of all parameters, ``optimizer`` of the trained ones. ``lora``: only
    adapters are trained, so their optimizer states count for nothing. ``models`` are the
    models of about this size that are saved (a critic is one more). ``export`` are bytes of a
    folder in Hugging Face's format that is written beside, of the policy only.
    """

    weights: int
    optimizer: int
    lora: bool = False
    models: int = 1
    export: int = 0

    @property
    def bytes_a_parameter(self) -> int:
        """Bytes a parameter of the model that a checkpoint takes on disk."""
        states = self.weights + (0 if self.lora else self.optimizer)
        return states * self.models + self.export


class Schedule(msgspec.Struct, frozen=True, kw_only=True):
    """How long a job trains, and what it does on the way.

    ``total`` is ``None`` when only the running job knows it. ``save_last``: the last step is
    saved whatever ``save`` says. ``kept``: checkpoints that stay, ``None`` for all of them.
    ``validates``: validation happens at other times, too (before, after, every epoch).
    ``best``: the best checkpoint stays beside those of ``kept``; ``exports``: at most so many
    more of the checkpoint's ``export`` folders stay than checkpoints.
    """

    total: int | None
    save: Interval
    checkpoint: Checkpoint
    save_last: bool = False
    kept: int | None = None
    keep_key: str = ""
    best: bool = False
    exports: int = 0
    validate: Interval | None = None
    validates: bool = False
    warmup: Interval | None = None
    log: Interval | None = None


def check_schedule(context: PrepareContext, schedule: Schedule) -> Iterator[Finding]:
    """Yield the findings about a training job's schedule."""
    yield from _too_late(context, schedule)
    yield from _disk(context, schedule)


def _too_late(context: PrepareContext, schedule: Schedule) -> Iterator[Finding]:
    config, total = context.config, schedule.total
    if not total:
        return
    warmup, log = schedule.warmup, schedule.log
    if warmup is not None and (warmup.every or 0) >= 1 and (warmup.every or 0) >= total:
        yield rules.WARMUP.at(
            config.at(warmup.key), name=_name(context, warmup.key), warmup=warmup.every, total=total
        )
    if log is not None and (log.steps(total) or 0) > total:
        yield rules.FEW_LOGS.at(
            config.at(log.key), name=_name(context, log.key), every=log.every, total=total
        )
    save = schedule.save.steps(total)
    chosen = config.is_set_by_user(schedule.save.key)
    if save is not None and save > total and chosen and not schedule.save_last:
        key = schedule.save.key
        yield rules.NO_CHECKPOINT.at(
            config.at(key), name=_name(context, key), every=save, total=total
        )
    yield from _never_validated(context, schedule, total)


def _never_validated(context: PrepareContext, schedule: Schedule, total: int) -> Iterator[Finding]:
    validate = schedule.validate
    if validate is None or schedule.validates or "validation" not in context.experiment.data:
        return
    every = validate.steps(total)
    if every is not None and every > total:
        at = context.config.at(validate.key)
        yield rules.NEVER_VALIDATED.at(
            at, name=_name(context, validate.key), every=every, total=total
        )


def checkpoints_kept(schedule: Schedule) -> int | None:
    """Return how many checkpoints lie on the disk at the end, ``None`` when it can't be known."""
    total, every, kept = schedule.total, schedule.save.steps(schedule.total), schedule.kept
    if every is None:
        return 1 if schedule.save_last else 0
    if total is None:
        return kept
    count = total // every + (1 if schedule.save_last and total % every else 0)
    return count if kept is None else min(count, kept)


def _disk(context: PrepareContext, schedule: Schedule) -> Iterator[Finding]:
    folder, kept = context.model_path, checkpoints_kept(schedule)
    count = (kept or 0) + schedule.best
    parameters = parameter_count(folder) if folder is not None else 0
    one = schedule.checkpoint
    each = parameters * one.bytes_a_parameter
    more = schedule.exports * parameters * one.export
    whole = count * each + more
    if whole <= space():
        return
    yield rules.MANY_CHECKPOINTS.at(
        context.config.at(schedule.save.key),
        count=count, each=f"{each / 1e9:.1f}", total=f"{whole / 1e9:.0f}",
        more=f" + {schedule.exports} × {parameters * one.export / 1e9:.1f} GB" if more else "",
        sum=_sum(parameters, one), room=_room(starforge_home(), whole),
        limit=_name(context, schedule.keep_key), every=_name(context, schedule.save.key),
    )  # fmt: skip


def _sum(parameters: int, one: Checkpoint) -> Text:
    """Write out how the size of one checkpoint comes about."""
    billions = f"{parameters / 1e9:.2f}".rstrip("0").rstrip(".")
    with_optimizer = not one.lora and one.optimizer > 0
    english, chinese = f"{one.weights} bytes of weights", f"权重 {one.weights} 字节"
    if with_optimizer:
        english = f"({english} + {one.optimizer} of the optimizer)"
        chinese = f"（{chinese} + 优化器 {one.optimizer} 字节）"
    models = f" × {one.models}" if one.models > 1 else ""
    english, chinese = f"{english}{models}", f"{chinese}{models}"
    if one.export:
        english = f"({english} + {one.export} of the exported model)"
        chinese = f"（{chinese} + 导出模型 {one.export} 字节）"
    return Text(f"{billions} billion parameters × {english}", f"{billions}B 参数 × {chinese}")


def space() -> float:
    """Return the bytes of checkpoints from which a job is warned of.

    Raises :class:`StarForgeError` when ``STARFORGE_CHECKPOINT_SPACE`` is no size.
    """
    written = os.environ.get(ENV_SPACE, "").strip()
    size = parse_size(int(written) if written.isdecimal() else written) if written else SPACE
    if size is None:
        raise StarForgeError(
            "settings/size",
            Text(f"{ENV_SPACE}={written} is not a size", f"{ENV_SPACE}={written} 不是有效的大小"),
            Text("write for example 500GB", "请写成例如 500GB"),
        )
    return size


def _room(place: Path, needed: float) -> Text:
    """Say how much this machine has free, where that is less than needed.

    It is only told: where the job will run is another question.
    """
    there = next((one for one in (place, *place.parents) if one.exists()), None)
    try:
        free = shutil.disk_usage(there).free if there is not None else None
    except OSError:
        free = None
    if free is None or free >= needed:
        return Text("", "")
    return Text(f"; this machine has {free / 1e9:.0f} GB free",
                f"；本机剩余 {free / 1e9:.0f} GB")  # fmt: skip


def _name(context: PrepareContext, path: str) -> str:
    """Return the published name of a key, or the key."""
    return next((p.name for p in context.recipe.parameters if p.path == path), path)
