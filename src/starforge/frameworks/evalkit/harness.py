"""What the chosen harness can't do: settings of the other one, benchmarks it has no form of."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from starforge.checks.benchmarks import (
    EVALSCOPE,
    HARNESS,
    TASKS,
    chosen_names,
    chosen_packs,
    harness_of,
    has_own_items,
    pack_roots,
)
from starforge.errors import StarForgeError
from starforge.evals.library import find_pack
from starforge.evals.pack import Pack
from starforge.findings import Finding, rule
from starforge.frameworks.evalkit.drivers.evalscope_config import PREFIX, UNDERSTOOD
from starforge.i18n import Text
from starforge.lab.context import PrepareContext

NOT_OF_HARNESS = rule(
    "eval/not-of-harness", "error",
    title=Text("The chosen harness can't do this", "所选评测框架不支持该设置"),
    message=Text("`{key}` can't be used with `harness: {harness}`: {reason.en}",
                 "`harness: {harness}` 时不能使用 `{key}`：{reason.zh}"),
    hint=Text("remove it, or set `harness: {other}`", "请去掉它，或设 `harness: {other}`"),
    why=Text("It would change nothing, and the score would not be what was asked for.",
             "它不会生效，得到的分数也就不是想要的那个。"),
    bad="params: {benchmarks: [basics], harness: evalscope, bootstrap_rounds: 10}",
    good="params: {benchmarks: [basics], harness: evalscope}",
)  # fmt: skip
NOT_WITH_HARNESS = rule(
    "eval/not-with-harness", "error",
    title=Text("Benchmark that the chosen harness has not", "所选评测框架没有该评测"),
    message=Text("`{name}` can't be run with `harness: {harness}`: {reason.en}",
                 "`harness: {harness}` 无法运行 `{name}`：{reason.zh}"),
    hint=Text("set `harness: {other}`, or leave the benchmark out",
              "请设 `harness: {other}`，或去掉该评测包"),
    why=Text("There is no way to ask or to score it.", "没有办法提问或打分。"),
    bad="harness: evalscope with a pack of your own that scores perplexity",
    good="harness: lm-eval",
)  # fmt: skip

DATASET_ARGS = rule(
    "eval/dataset-args", "error",
    title=Text("Options of a benchmark that is not run", "为没有运行的评测设置了选项"),
    message=Text("`evalscope.dataset_args` names `{name}`, which none of the benchmarks chosen is",
                 "`evalscope.dataset_args` 中的 `{name}` 不属于所选的任何评测包"),
    hint=Text("evalscope's own benchmarks chosen here: {known}",
              "此处选用的 evalscope 自带评测：{known}"),
    why=Text("evalscope would never read them.", "evalscope 不会读取这些选项。"),
    bad="benchmarks: [gsm8k] with dataset_args: {mmlu: {few_shot_num: 0}}",
    good="benchmarks: [gsm8k] with dataset_args: {gsm8k: {few_shot_num: 0}}",
)  # fmt: skip

_OF_LM_EVAL = Text("it is a setting of lm-eval", "它是 lm-eval 的设置")
_OF_EVALSCOPE = Text("it is a setting of evalscope", "它是 evalscope 的设置")
_REASONS = {
    "bootstrap_iters": Text("its standard errors come from a formula, nothing is resampled",
                            "它的标准误由公式算出，不做重采样"),
}  # fmt: skip
_EXAMPLES = Text("its own benchmarks show their first examples, inside one message",
                 "它自带的评测总是取最前面的示例，并写在同一条消息里")  # fmt: skip
_ASKED = frozenset({"generate_until", "multiple_choice"})


def check_harness(context: PrepareContext) -> Iterator[Finding]:
    """Yield what the chosen harness can't do of what the user set and chose."""
    yield from _settings(context)
    for name in chosen_names(context):
        try:
            pack = find_pack(name, pack_roots(context))
        except StarForgeError:
            continue  # told by the checks of the benchmarks themselves
        yield from _benchmark(context, pack)
    if harness_of(context) == EVALSCOPE:
        yield from _dataset_args(context)


def _dataset_args(context: PrepareContext) -> Iterator[Finding]:
    path = f"{PREFIX}dataset_args"
    given = context.config.get(path)
    hub = [pack for pack in _known_packs(context) if not has_own_items(context, pack)]
    known = [pack.evalscope.dataset for pack in hub if pack.evalscope and pack.evalscope.dataset]
    for name in given if isinstance(given, dict) else ():
        if name not in known:
            yield DATASET_ARGS.at(context.config.at(path), name=name, known=", ".join(known) or "-")


def _settings(context: PrepareContext) -> Iterator[Finding]:
    config, harness = context.config, harness_of(context)
    for path in sorted(config.origins):
        if not config.is_set_by_user(path):
            continue
        theirs = path.startswith(PREFIX)
        if harness != EVALSCOPE and theirs:
            yield _not_of(context, path, _OF_EVALSCOPE)
        elif harness == EVALSCOPE and not theirs:
            reason = _unable(context, path, config.get(path))
            if reason is not None:
                yield _not_of(context, path, reason)


def _unable(context: PrepareContext, path: str, value: Any) -> Text | None:
    """Return why evalscope can't do with a value of a key of lm-eval's, if it can't."""
    if path not in UNDERSTOOD:
        return _REASONS.get(path, _OF_LM_EVAL)
    if path == "batch_size" and not isinstance(value, int):
        return Text("it takes a number only, and looks for no size itself",
                    "它只接受数字，不会自动寻找批次大小")  # fmt: skip
    if path == "model_args.think_end_token" and isinstance(value, int):
        return Text("it takes the token's text only", "它只接受该词元的文本")
    examples = path in ("fewshot_random_seed", "fewshot_as_multiturn")
    if examples and any(not has_own_items(context, pack) for pack in _known_packs(context)):
        return _EXAMPLES
    return None


def _known_packs(context: PrepareContext) -> list[Pack]:
    try:
        return chosen_packs(context)
    except StarForgeError:
        return []


def _benchmark(context: PrepareContext, pack: Pack) -> Iterator[Finding]:
    if harness_of(context) != EVALSCOPE:
        only = pack.evalscope is not None and pack.hub is None and pack.task is None
        reason = Text("lm-eval has no task for it", "lm-eval 没有对应的任务") if only else None
    elif has_own_items(context, pack):
        reason = _form(pack.task or {})
    else:
        known = pack.evalscope is not None and pack.evalscope.dataset is not None
        rows = pack.task is not None and pack.hub is None  # told to bring its items
        none = Text("evalscope has no benchmark for it", "evalscope 没有对应的评测")
        reason = None if known or rows else none
    if reason is not None:
        yield NOT_WITH_HARNESS.at(context.config.at(TASKS), name=pack.name, reason=reason,
                                  harness=harness_of(context), other=_other(context))  # fmt: skip


def _form(task: dict[str, Any]) -> Text | None:
    """Return why evalscope can't ask or score a pack's own task, if it can't."""
    asked = task.get("output_type", "generate_until")
    if asked not in _ASKED:
        return Text(f"it asks for nothing but a likelihood ({asked})", f"它只计算似然（{asked}）")
    if task.get("repeats", 1) != 1:
        return Text("it repeats every question", "它要求每道题重复多次")
    for metric in task.get("metric_list") or []:
        summed = metric.get("aggregation", "mean") if isinstance(metric, dict) else "mean"
        if summed != "mean" and asked != "multiple_choice":
            return Text(f"`{metric['metric']}` is not the mean of a score of each item",
                        f"`{metric['metric']}` 不是逐题得分的平均值")  # fmt: skip
    return None


def _not_of(context: PrepareContext, path: str, reason: Text) -> Finding:
    origin = context.config.origin(path)
    return NOT_OF_HARNESS.at(
        context.config.at(path), key=origin.parameter or path, reason=reason,
        harness=harness_of(context), other=_other(context),
    )  # fmt: skip


def _other(context: PrepareContext) -> str:
    choices = ("lm-eval", EVALSCOPE)
    return choices[context.config.get(HARNESS) == choices[0]]
