"""``sf reward``: try an experiment's reward on real rows, and measure it."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from starforge.cli.base import Group, argument, json_option, option, set_option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.checks.reward_signature import Signature
    from starforge.lab.context import PrepareContext

SIZES = (1, 8, 64)
WIDTH = 60  # letters of a prompt or completion that a table shows

_completions = option(
    "--completions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    text=(
        "Completions to score, as JSON lines: `completion`, and `prompt` of its row.",
        "要打分的回答，JSON Lines：`completion`，以及所属行的 `prompt`。",
    ),
)


@click.group(
    "reward",
    cls=Group,
    text=(
        "Try the reward of an experiment.\n\nIt runs as in a job: in a process of its own, by "
        "the interpreter of the runtime where that is installed, with its time limit.",
        "试用实验的奖励函数。\n\n运行方式与任务中相同：在单独的进程里，"
        "使用已安装的运行环境的解释器，并受其时限约束。",
    ),
    examples=(
        ("sf reward try my-grpo -n 8", ("scores of eight answers", "八个回答的得分")),
        ("sf reward bench my-grpo", ("how fast it is", "测速")),
    ),
)
def reward() -> None:
    """Group of commands."""


@reward.command(
    "try",
    text=(
        "Show the scores of completions on real rows.\n\nWithout --completions each row is "
        "given a right answer (from its answer column) in one of the usual forms, and a wrong "
        "one. A judge is asked, if the reward has one.",
        "显示若干回答在真实数据行上的得分。\n\n不给 --completions 时，"
        "每行配一个常见写法的正确回答（取自答案列）和一个错误回答。"
        "如果奖励使用评判模型，会真的去询问。",
    ),
    examples=(
        ("sf reward try my-grpo -n 8", ("eight answers", "八个回答")),
        (
            "sf reward try my-grpo --completions samples.jsonl --json",
            ("your own answers, for a script", "给自己的回答打分，供脚本使用"),
        ),
    ),
)
@argument("experiment", EXPERIMENT, metavar="EXP", shell_complete=complete_experiment)
@option(
    "-n",
    "count",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    metavar="N",
    text=("How many completions.", "回答的个数。"),
)
@_completions
@set_option
@json_option
def try_(
    *, experiment: str, count: int, completions: Path | None, sets: tuple[str, ...], as_json: bool
) -> None:
    """JSON is ``{file, seconds, rows: [{prompt, completion, parts, total}]}``."""
    from starforge.cli.output import print_json

    found = _found(experiment, sets, as_json=as_json)
    batch = found.batch(count, completions)
    outcome = found.run(batch)
    rows = [
        {"prompt": prompt, "completion": completion, "parts": parts, "total": total}
        for prompt, completion, parts, total in zip(
            batch["prompts"], batch["completions"], outcome["parts"], outcome["rewards"],
            strict=True,
        )
    ]  # fmt: skip
    if as_json:
        print_json({"file": found.name, "seconds": outcome["seconds"], "rows": rows})
    else:
        _show(rows, outcome["seconds"])


@reward.command(
    "bench",
    text=(
        "Measure how fast the reward is.\n\nCalls with 1, 8 and 64 completions; the first call, "
        "which may load something, does not count.",
        "测量奖励函数的速度。\n\n分别以 1、8、64 个回答调用；首次调用可能要加载内容，不计入。",
    ),
    examples=(("sf reward bench my-grpo", ("calls and rows a second", "每秒调用数与行数")),),
)
@argument("experiment", EXPERIMENT, metavar="EXP", shell_complete=complete_experiment)
@_completions
@set_option
@json_option
def bench(
    *, experiment: str, completions: Path | None, sets: tuple[str, ...], as_json: bool
) -> None:
    """JSON is ``{file, first_seconds, sizes: [{size, calls, calls_per_second, ...}]}``."""
    from starforge.cli.output import print_json

    found = _found(experiment, sets, as_json=as_json)
    batch = found.batch(SIZES[-1], completions) | {"sizes": list(SIZES)}
    outcome = found.run(batch)
    measured = [_speed(size, outcome["calls"][str(size)]) for size in SIZES]
    if as_json:
        print_json({"file": found.name, "first_seconds": outcome["seconds"], "sizes": measured})
    else:
        _show_speeds(measured, outcome["seconds"])


class _Found(NamedTuple):
    """An experiment's reward file, and what it needs."""

    context: PrepareContext
    path: Path
    name: str
    signature: Signature | None

    def batch(self, count: int, completions: Path | None) -> dict[str, Any]:
        from starforge.checks.reward_try import batch_of, given_pairs, own_pairs

        if completions is None:
            return batch_of(own_pairs(self.context, self.signature, count))
        return batch_of(given_pairs(self.context, self.signature, completions, count))

    def run(self, batch: dict[str, Any]) -> dict[str, Any]:
        """Call the reward; raises :class:`StarForgeError` when it fails."""
        from starforge.checks.reward import trial_python
        from starforge.checks.reward_run import run_trial
        from starforge.checks.reward_signature import time_limit
        from starforge.checks.reward_try import LOADING, UNLIMITED

        limit = time_limit(self.path) or UNLIMITED
        python = trial_python(self.context)
        outcome = run_trial(self.path, batch, limit + LOADING, python=python, judge=True)
        if outcome.get("late") or outcome.get("seconds", 0.0) > limit:
            raise _late(self.name, limit)
        if "problem" in outcome:
            raise _fails(self.path, self.name, outcome, self.context.recipe.runtime)
        return outcome


def _found(experiment: str, sets: tuple[str, ...], *, as_json: bool) -> _Found:
    from starforge.checks.reward import check_reward
    from starforge.checks.reward_signature import reward_path, signature_of
    from starforge.cli.experiment import refuse
    from starforge.cli.findings_view import print_findings
    from starforge.cli.output import print_json
    from starforge.client.catalogs import connected_catalog
    from starforge.lab.lab import find_experiment
    from starforge.prepare import prepare

    catalog, _ = connected_catalog()
    folder = find_experiment(experiment)
    prepared = prepare(folder, sets=sets, catalog=catalog)
    if prepared.context is None:
        refuse(prepared, as_json=as_json)
        raise click.exceptions.Exit(1)
    path = reward_path(prepared.context)
    errors = [one for one in prepared.findings if one.severity == "error"]
    said = [one for one in errors if one.at.file is None and sets]
    if path is None:
        said += [one for one in errors if one.at.key == "reward"]
        if not said:
            raise _no_file(experiment, prepared.context)
    said += check_reward(prepared.context)
    wrong = [finding.to_public() for finding in said]
    if wrong:
        if as_json:
            print_json({"ok": False, "findings": wrong})
        else:
            print_findings(wrong, [folder], err=True)
        raise click.exceptions.Exit(1)
    assert path is not None  # else something was said of it
    name = path.relative_to(folder.absolute()).as_posix()
    return _Found(prepared.context, path, name, signature_of(prepared.context))


def _show(rows: list[dict[str, Any]], seconds: float) -> None:
    from starforge.cli.output import note, number, print_table

    names = list(dict.fromkeys(name for row in rows for name in row["parts"]))
    print_table(
        [t("prompt", "提示"), t("completion", "回答"), *names, t("reward", "奖励")],
        [
            (_short(row["prompt"]), _short(row["completion"]),
             *(number(row["parts"].get(name)) for name in names), number(row["total"]))
            for row in rows
        ],
        right=range(2, len(names) + 3),
    )  # fmt: skip
    note(t("{count} completions in {seconds:.2f} s", "{count} 个回答，用时 {seconds:.2f} 秒",
           count=len(rows), seconds=seconds))  # fmt: skip


def _short(value: Any) -> str:
    if isinstance(value, list):
        value = value[-1].get("content", "") if value and isinstance(value[-1], dict) else value
    text = " ".join(str(value).split())
    return text if len(text) <= WIDTH else text[: WIDTH - 1] + "…"


def _speed(size: int, seconds: list[float]) -> dict[str, Any]:
    ordered = sorted(seconds)
    total = max(sum(ordered), 1e-9)
    high = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return {
        "size": size,
        "calls": len(ordered),
        "calls_per_second": len(ordered) / total,
        "rows_per_second": size * len(ordered) / total,
        "p50_ms": 1000 * statistics.median(ordered),
        "p95_ms": 1000 * high,
    }


def _show_speeds(measured: list[dict[str, Any]], first: float) -> None:
    from starforge.cli.output import note, print_table

    print_table(
        [t("batch", "批大小"), t("calls", "调用次数"), t("calls/s", "调用/秒"),
         t("rows/s", "行/秒"), "p50 ms", "p95 ms"],
        [
            (one["size"], one["calls"], f"{one['calls_per_second']:.1f}",
             f"{one['rows_per_second']:.1f}", f"{one['p50_ms']:.2f}", f"{one['p95_ms']:.2f}")
            for one in measured
        ],
        right=range(6),
    )  # fmt: skip
    note(t("the first call took {seconds:.2f} s", "首次调用用时 {seconds:.2f} 秒", seconds=first))


def _no_file(experiment: str, context: PrepareContext) -> Exception:
    from starforge.errors import StarForgeError
    from starforge.i18n import Text

    if context.recipe.reward == "none":
        method = context.recipe.name
        message = Text(f"{experiment} is of {method}, which takes no reward",
                       f"{experiment} 使用 {method}，该方法不使用奖励")  # fmt: skip
        hint = Text("`sf methods` lists the methods; those that sample answers take one",
                    "用 `sf methods` 查看各方法；会采样回答的方法才使用奖励")  # fmt: skip
    else:
        model = context.reward is not None
        message = Text(f"{experiment} is rewarded by a model, which only a job can ask" if model
                       else f"{experiment} has no reward file",
                       f"{experiment} 由奖励模型打分，只有任务能调用它" if model
                       else f"{experiment} 没有奖励文件")  # fmt: skip
        hint = Text("name a Python file as `reward` in experiment.yaml",
                    "请在 experiment.yaml 的 `reward` 中写一个 Python 文件")  # fmt: skip
    return StarForgeError("reward/no-file", message, hint)


def _late(name: str, limit: float) -> Exception:
    from starforge.errors import StarForgeError
    from starforge.i18n import Text

    return StarForgeError(
        "reward/late",
        Text(f"{name} took longer than {limit:g} seconds for one call (TIME_LIMIT)",
             f"{name} 的一次调用超过了 {limit:g} 秒（TIME_LIMIT）"),
        Text("a job would end here: make it faster, or raise TIME_LIMIT in the file",
             "任务会在此结束：请加快它，或在文件中调大 TIME_LIMIT"),
    )  # fmt: skip


def _fails(path: Path, name: str, outcome: dict[str, Any], runtime: str) -> Exception:
    from starforge.checks.reward_problems import problem_of
    from starforge.errors import StarForgeError
    from starforge.i18n import Text

    problem, hint = problem_of(outcome["problem"], path.name)
    line = outcome.get("line")
    where = Text(f"{name}:{line}" if line else name, f"{name}:{line}" if line else name)
    if "module" in outcome and runtime != "none":
        hint = Text(f"the runtime may have it: `sf runtime install {runtime}`",
                    f"运行环境里可能有它：`sf runtime install {runtime}`")  # fmt: skip
    return StarForgeError(
        "reward/fails",
        Text(f"{where.en}: {problem.en}", f"{where.zh}：{problem.zh}"),
        hint,
    )
