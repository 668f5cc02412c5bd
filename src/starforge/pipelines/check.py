"""What is wrong with a pipeline as a whole: names, cycles, results, gates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from starforge.catalog.models import Recipe
from starforge.checks.benchmarks import TASKS, chosen_packs
from starforge.errors import StarForgeError
from starforge.evals.pack import Pack
from starforge.findings import Finding, nearest
from starforge.i18n import Text
from starforge.lab.assign import did_you_mean
from starforge.lab.context import PrepareContext
from starforge.lab.then import REWARD_ALGORITHM
from starforge.pipelines import rules
from starforge.pipelines.choice import why_not
from starforge.pipelines.graph import find_cycle
from starforge.pipelines.model import Gate, Pipeline, Result, Stage
from starforge.prepare import Prepared

NOTHING = Text("no model", "没有模型")
A_MODEL = Text("a language model", "语言模型")
A_REWARD_MODEL = Text("a reward model", "奖励模型")
_ANY_COLUMNS = Text("any columns", "任意列")
_WRITING = frozenset({"custom", "evalkit"})  # frameworks whose jobs may write files of rows
# Settings of a benchmark job that decide whether two scores may be compared.
_ASKED = ("harness", "limit", "num_fewshot", "system_instruction", "fewshot_as_multiturn",
          "gen_kwargs", "fewshot_random_seed")  # fmt: skip


def check_pipeline(pipeline: Pipeline) -> list[Finding]:
    """Check what needs no stage to be prepared: the names of stages, and cycles."""
    findings = []
    for stage in pipeline.stages.values():
        for key, name in _named(stage):
            if name not in pipeline.stages:
                known = list(pipeline.stages)
                at = pipeline.at_stage(stage.name, key)
                near = did_you_mean(nearest(name, known, count=1))
                findings.append(
                    rules.UNKNOWN_STAGE.at(at, hint=near, name=name, known=", ".join(known))
                )
    known_stages = {
        name: stage
        for name, stage in pipeline.stages.items()
        if all(need in pipeline.stages for _, need in _named(stage))
    }
    cycle = find_cycle(known_stages)
    if cycle:
        findings.append(rules.CYCLE.at(pipeline.at_stage(cycle[0]), path=" → ".join(cycle)))
    return findings


def _named(stage: Stage) -> Iterator[tuple[str, str]]:
    """Yield the stages that a stage names, with the key where it does."""
    yield from (("needs", name) for name in stage.needs)
    yield from ((result.key, result.stage) for result in stage.results.values())
    yield from (("gate", gate.stage) for gate in stage.gates if gate.stage is not None)


def check_stages(pipeline: Pipeline, prepared: Mapping[str, Prepared]) -> list[Finding]:
    """Check what one stage leaves against what another needs, and what gates look at.

    ``prepared`` holds the stages whose method is known.
    """
    findings: list[Finding] = []
    for stage in pipeline.stages.values():
        for what, result in stage.results.items():
            findings += _check_result(pipeline, stage, what, result, prepared)
        for gate in stage.gates:
            findings += _check_gate(pipeline, stage, gate, prepared)
    return findings


def _check_result(
    pipeline: Pipeline, stage: Stage, what: str, result: Result, prepared: Mapping[str, Prepared]
) -> list[Finding]:
    taker, giver = prepared.get(stage.name), prepared.get(result.stage)
    recipe = taker.recipe if taker else None
    if recipe is None:
        return []
    at = pipeline.at_stage(stage.name, result.key)
    if not _takes(recipe, what):
        return [rules.NOT_TAKEN.at(
            at, method=recipe.name, what=what, stage=stage.name, key=result.key
        )]  # fmt: skip
    if giver is None or giver.recipe is None:
        return []
    if what.startswith("data."):
        return [_rows(pipeline, stage, result, recipe, giver)]
    left = _left(giver.recipe)
    wanted = A_REWARD_MODEL if what == "reward" else A_MODEL
    fits = left is None or left == wanted
    # A reward model may be trained further.
    fits = fits or (left == A_REWARD_MODEL and recipe.algorithm == REWARD_ALGORITHM)
    # Any script may take anything.
    if left is not None and not fits and (recipe.framework != "custom" or left == NOTHING):
        return [rules.OUTPUT.at(
            at, stage=result.stage, method=giver.recipe.name, key=result.key, wanted=wanted,
            left=Text(f"leaves {left.en}",
                      "不产出模型" if left == NOTHING else f"产出的是{left.zh}"),
        )]  # fmt: skip
    which = None if result.which in (None, "last") else result.which
    why = why_not(giver, which) if which else None
    return [] if why is None else [rules.NO_CHECKPOINT.at(
        at, stage=result.stage, method=giver.recipe.name, which=which, why=why, key=result.key
    )]  # fmt: skip


def _rows(
    pipeline: Pipeline, stage: Stage, result: Result, recipe: Recipe, giver: Prepared
) -> Finding:
    """Say what can be known of rows that another stage is to write: whether it can write any."""
    assert giver.recipe is not None
    at = pipeline.at_stage(stage.name, result.key)
    reward = giver.context.reward if giver.context is not None else None
    own_code = giver.recipe.framework in _WRITING or (reward is not None and reward.file)
    if not own_code:
        return rules.NO_ROWS.at(
            at, stage=result.stage, method=giver.recipe.name, key=result.key
        )  # fmt: skip
    shapes = ["+".join(shape) for shape in recipe.data.shapes]
    columns = Text(" or ".join(shapes), " 或 ".join(shapes)) if shapes else _ANY_COLUMNS
    return rules.ROWS_UNSURE.at(
        at, stage=result.stage, file=result.path, taker=stage.name, columns=columns
    )


def _takes(recipe: Recipe, what: str) -> bool:
    holder = recipe.data if what.startswith("data.") else recipe
    return bool(getattr(holder, what.removeprefix("data.")) != "none")


def _left(recipe: Recipe) -> Text | None:
    """Return what a method leaves; ``None`` for a script, which may leave anything."""
    if recipe.framework == "custom":
        return None
    if recipe.checkpoint is None or recipe.checkpoint.final is None:
        return NOTHING
    return A_REWARD_MODEL if recipe.algorithm == REWARD_ALGORITHM else A_MODEL


def _check_gate(
    pipeline: Pipeline, stage: Stage, gate: Gate, prepared: Mapping[str, Prepared]
) -> list[Finding]:
    """Check that a gate's score is measured here and in the stage it is compared with."""
    findings = []
    for name in [stage.name, *([gate.stage] if gate.stage else [])]:
        done = prepared.get(name)
        if done is not None and done.context is not None:
            findings += _check_measured(pipeline, stage, gate, name, done.context)
    one = prepared.get(stage.name)
    other = prepared.get(gate.stage) if gate.stage else None
    if findings or one is None or other is None or one.context is None or other.context is None:
        return findings
    differ = _asked_differently(one.context, other.context)
    if differ:
        at = pipeline.at_stage(stage.name, "gate")
        findings.append(rules.GATE_DIFFERS.at(
            at, stage=stage.name, other=gate.stage, benchmark=gate.benchmark,
            what=", ".join(differ),
        ))  # fmt: skip
    return findings


def _check_measured(
    pipeline: Pipeline, stage: Stage, gate: Gate, measuring: str, context: PrepareContext
) -> list[Finding]:
    at = pipeline.at_stage(stage.name, "gate")
    score = f"{gate.benchmark}.{gate.metric}"
    if context.recipe.framework == "custom":
        return [rules.GATE_UNSURE.at(at, stage=measuring, metric=score)]
    chosen = _packs(context)
    if chosen is None:
        return []
    packs = {pack.name: pack for pack in chosen}
    pack = packs.get(gate.benchmark)
    metrics = None if pack is None else _metrics(pack)
    if pack is not None and (metrics is None or gate.metric in metrics):
        sure = gate.metric == pack.primary.metric or metrics is not None
        return [] if sure else [rules.GATE_UNSURE.at(at, stage=measuring, metric=score)]
    known = [f"{one.name}.{metric}" for one in packs.values()
             for metric in _metrics(one) or [one.primary.metric]]  # fmt: skip
    hint = did_you_mean(nearest(score, known, count=1))
    if not known:
        hint = Text("put the gate on a stage with `benchmark`", "请把门槛写在含 `benchmark` 的阶段")
    return [rules.GATE_METRIC.at(
        at, hint=hint, stage=measuring, metric=score, known=", ".join(known)
    )]  # fmt: skip


def _packs(context: PrepareContext) -> list[Pack] | None:
    """Return the benchmarks of a stage; ``None`` when one is wrong, which has its own finding."""
    if TASKS not in context.config.values:
        return []
    try:
        return chosen_packs(context)
    except StarForgeError:
        return None


def _metrics(pack: Pack) -> list[str] | None:
    """Return the metrics a pack says it measures; ``None`` when only its harness knows."""
    listed = (pack.task or {}).get("metric_list")
    if not isinstance(listed, list):
        return None
    names = [str(one["metric"]) for one in listed if isinstance(one, dict) and "metric" in one]
    return list(dict.fromkeys([pack.primary.metric, *names]))


def _asked_differently(one: PrepareContext, other: PrepareContext) -> list[str]:
    """Return the settings in which two benchmark stages differ."""
    if one.recipe.framework == "custom" or other.recipe.framework == "custom":
        return []
    differ = [path for path in _paths(one) if one.config.get(path) != other.config.get(path)]
    items = [context.data["test"].ref.digest if "test" in context.data else None
             for context in (one, other)]  # fmt: skip
    return [one.config.origin(path).parameter or path for path in differ] + (
        ["data.test"] if items[0] != items[1] else []
    )


def _paths(context: PrepareContext) -> list[str]:
    """Return the keys that decide what is asked."""
    return [path for path in context.config.values
            if any(path == key or path.startswith(f"{key}.") for key in _ASKED)]  # fmt: skip
