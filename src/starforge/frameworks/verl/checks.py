"""Cross-field rules read from the pinned verl: what it refuses when a job starts, or drops."""

from __future__ import annotations

from collections.abc import Iterator

from starforge.checks.rounding import check_rounding
from starforge.checks.schedule import check_schedule
from starforge.checks.sequences import check_fits
from starforge.findings import Finding, Location
from starforge.frameworks.verl import rules
from starforge.frameworks.verl.batches import check_batches, check_gpus
from starforge.frameworks.verl.cpu import settings_for
from starforge.frameworks.verl.exclusive import check_exclusive
from starforge.frameworks.verl.losses import check_losses
from starforge.frameworks.verl.precision import in_place
from starforge.frameworks.verl.schedule import schedule
from starforge.frameworks.verl.settings import is_sft, on_cpu
from starforge.i18n import Text
from starforge.lab.context import PrepareContext
from starforge.lab.resolve import same
from starforge.lab.values import shown

VALIDATE_EVERY = "trainer.test_freq"
VALIDATE_FIRST = "trainer.val_before_train"
SAVE_EVERY = "trainer.save_freq"


def check(context: PrepareContext) -> list[Finding]:
    """Return the findings that only hold for this pin."""
    parts = [check_batches, check_gpus, _validation, _saving, _cpu]
    if not is_sft(context):
        parts += [check_losses, check_exclusive, _rollout]
    found = [finding for part in parts for finding in part(context)]
    if any(one.code == rules.UNEVEN.code for one in found):
        # A group of one often is why the batch does not divide; that comes first.
        found = [one for one in found if one.code != rules.LONE_GROUP.code]
    for held in in_place(context):
        found += check_rounding(context, held)
    return found + list(check_schedule(context, schedule(context)))


def _validation(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    every, first = config.get(VALIDATE_EVERY), config.get(VALIDATE_FIRST)
    # A missing file has its own finding; here it counts as asked for.
    there = "validation" in context.experiment.data
    for key, wanted in ((VALIDATE_EVERY, (every or 0) > 0), (VALIDATE_FIRST, bool(first))):
        if wanted and not there:
            yield rules.NO_VALIDATION.at(config.at(key), name=_name(context, key))
    # The supervised trainer always validates at the last step.
    if there and not is_sft(context) and (every or 0) <= 0 and not first:
        yield rules.UNUSED_VALIDATION.at(context.at("data.validation"))


def _saving(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    if is_sft(context):
        for key in (VALIDATE_EVERY, SAVE_EVERY):
            if config.get(key) == 0:
                yield rules.ZERO_INTERVAL.at(config.at(key), name=_name(context, key))
    elif (config.get(SAVE_EVERY) or 0) <= 0:
        yield rules.NOT_SAVED.at(config.at(SAVE_EVERY), value=config.get(SAVE_EVERY))


def _rollout(context: PrepareContext) -> Iterator[Finding]:
    config = context.config
    lengths = ("data.max_prompt_length", "data.max_response_length")
    yield from check_fits(context, "actor_rollout_ref.rollout.max_model_len", lengths)
    engine = config.get("actor_rollout_ref.rollout.name")
    if engine != "vllm":
        yield rules.ENGINE.at(config.at("actor_rollout_ref.rollout.name"), engine=engine)
    filters = config.get("algorithm.filter_groups.enable")
    if filters and context.reward is not None and context.reward.model is not None:
        yield rules.FILTER_MODEL.at(context.at("reward"))


def _cpu(context: PrepareContext) -> Iterator[Finding]:
    if not on_cpu(context):
        return
    config = context.config
    for setting in settings_for(context.recipe.algorithm):
        given = _given(context, setting.path)
        holder = setting.path.rpartition(".")[0]
        chosen = config.is_set_by_user(setting.path) or (
            given is not None and config.is_set_by_user(holder)
        )
        if chosen and not same(given, setting.value):
            yield rules.CPU_SETTING.at(
                _place(context, setting.path), name=_name(context, setting.path),
                value=shown(setting.value), reason=setting.reason,
            )  # fmt: skip
    if is_sft(context):
        return
    if config.get("actor_rollout_ref.model.lora_rank"):
        at = config.at("actor_rollout_ref.model.lora_rank")
        yield rules.CPU_LIMIT.at(at, what=Text("LoRA in reinforcement learning", "强化学习的 LoRA"))
    if context.reward is not None and context.reward.model is not None:
        yield rules.CPU_LIMIT.at(context.at("reward"), what=Text("a reward model", "奖励模型"))


def _place(context: PrepareContext, path: str) -> Location:
    """Return where a key, or the mapping that holds it, is written."""
    own = context.config.at(path)
    return own if own.line else context.config.at(path.rpartition(".")[0])


def _given(context: PrepareContext, path: str) -> object:
    """Return what a key, or an entry of the mapping that holds it, is set to."""
    values = context.config.values
    if path in values:
        return values[path]
    parent, _, last = path.rpartition(".")
    holder = values.get(parent)
    return holder.get(last) if isinstance(holder, dict) else None


def _name(context: PrepareContext, path: str) -> str:
    """Return the published name of a key, or the key."""
    return next((p.name for p in context.recipe.parameters if p.path == path), path)
