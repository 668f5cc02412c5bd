"""``sf sweep``: try values of parameters."""

from __future__ import annotations

from typing import Any, Literal

import click

from starforge.cli.base import Group, argument, json_option, option, set_option
from starforge.cli.complete import complete_experiment
from starforge.cli.experiment import EXPERIMENT
from starforge.cli.output import print_json, say
from starforge.cli.session import open_client
from starforge.lang import t

SWEEP = (
    "A sweep on the server: its id, the start of one, or a name (the newest).",
    "服务上的搜索：ID、ID 开头或名字（取最新的）。",
)
LOWER = ("loss", "perplexity", "error")  # metrics of these names are better when lower


class _Sweep(Group):
    """``sf sweep EXP`` is short for ``sf sweep run EXP``."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Take what is no command for an experiment."""
        if args and args[0] not in self.commands:
            args = ["run", *args]
        return super().resolve_command(ctx, args)


@click.group(
    "sweep",
    cls=_Sweep,
    text=(
        "Try values of parameters: all combinations, random draws, or what a search (TPE) learns "
        "from the trials before.\n\nEvery trial is an ordinary job. `sf sweep EXP` is short for "
        "`sf sweep run EXP`.",
        "尝试多组参数取值：全部组合、随机抽取，或由 TPE 根据已有结果逐步选择。\n\n"
        "每次尝试都是一个普通任务。`sf sweep EXP` 是 `sf sweep run EXP` 的简写。",
    ),
    examples=[
        (
            "sf sweep my-sft --grid learning_rate=1e-5,3e-5 --metric train/loss",
            ("all values", "逐个尝试"),
        ),
        ("sf sweep best my-sft", ("the best trial", "最好的一次")),
    ],
)
def sweep() -> None:
    """Everything happens in the commands."""


@sweep.command(
    "run",
    text=(
        "Start a sweep.\n\nEvery combination, and both ends of every range, is checked before "
        "anything starts. The server goes on alone. A trial that fails is not repeated, unless "
        "its machine failed.",
        "启动搜索。\n\n启动之前会检查每一种组合以及每个范围的两端；之后由服务独自推进。"
        "失败的尝试不会重跑，除非是机器故障。",
    ),
    examples=[
        (
            "sf sweep my-grpo --grid learning_rate=1e-6,3e-6 --grid beta=0.01,0.1 "
            "--metric train/reward",
            ("four trials", "四次尝试"),
        ),
        (
            "sf sweep my-sft --random 8 --space learning_rate=1e-6..1e-4:log "
            "--metric train/loss --jobs 2",
            ("eight draws, two at once", "抽取八组，同时跑两组"),
        ),
        (
            "sf sweep my-sft --tpe 12 --space learning_rate=1e-6..1e-4:log "
            "--metric train/loss --early-stop",
            ("a search that ends bad trials early", "边学边选，提前结束差的尝试"),
        ),
    ],
)
@argument("experiment", EXPERIMENT, metavar="EXP", shell_complete=complete_experiment)
@option("--grid", multiple=True, metavar="NAME=A,B",
        text=("Values to combine with all others. May be repeated.",
              "与其他取值逐一组合，可重复使用。"))  # fmt: skip
@option("--random", "count", type=click.IntRange(1, 500), metavar="N",
        text=("Draw so many from --space.", "从 --space 中抽取几组。"))  # fmt: skip
@option("--tpe", type=click.IntRange(1, 500), metavar="N",
        text=("Have TPE choose so many from --space, each from what those before it came to.",
              "由 TPE 从 --space 中逐个选择几组，每次都参考已有结果。"))  # fmt: skip
@option("--space", multiple=True, metavar="NAME=LOW..HIGH[:log]",
        text=("A range, or values A,B. May be repeated.",
              "一个范围，或若干取值 A,B，可重复使用。"))  # fmt: skip
@option("--seed", type=int, default=0, show_default=True, metavar="N",
        text=("The same seed draws the same.", "种子相同，抽取的结果就相同。"))  # fmt: skip
@option("--metric", required=True, metavar="METRIC",
        text=("Whose last value decides.", "以该指标的最后一个值为准。"))  # fmt: skip
@option("--goal", type=click.Choice(["max", "min"]),
        text=("What is better; min for a loss, else max.",
              "怎样算更好；损失类默认 min，其余默认 max。"))  # fmt: skip
@option("--jobs", type=click.IntRange(1, 1000), default=1, show_default=True, metavar="N",
        text=("At most so many at once.", "最多同时运行几个任务。"))  # fmt: skip
@option("--early-stop", is_flag=True,
        text=("End bad trials early, by successive halving: at each rung a trial goes on if it is "
              "among the best third of those that came there.",
              "用逐次减半法提前结束差的尝试：每到一个比较点，"
              "处于前三分之一的才继续。"))  # fmt: skip
@option("--factor", type=click.IntRange(2, 100), metavar="N",
        text=("With --early-stop: one of N goes on (default 3), and each rung lies N times as far "
              "as the one before.",
              "配合 --early-stop：每 N 次只继续 1 次（默认 3），"
              "下一个比较点的步数是上一个的 N 倍。"))  # fmt: skip
@option("--first-rung", type=click.IntRange(1), metavar="STEP",
        text=("With --early-stop: the step of the first rung (default: so that two lie before the "
              "end).",
              "配合 --early-stop：第一个比较点的步数（默认使结束前有两个比较点）。"))  # fmt: skip
@set_option
@option("--profile", metavar="PROFILE", text=("Instead of `resources`.", "替换 `resources`。"))
@option("--name", metavar="NAME",
        text=("Name of the sweep (else the experiment's).",
              "搜索的名字（默认用实验的名字）。"))  # fmt: skip
@option("--key", metavar="KEY",
        text=("Start at most once under this key.", "同一个 KEY 至多启动一次。"))  # fmt: skip
@json_option
def run(
    *,
    experiment: str,
    goal: Literal["max", "min"] | None,
    as_json: bool,
    **what: Any,
) -> None:
    """JSON is the sweep: ``{id, name, state, trials: [...], ...}``."""
    from starforge.cli.experiment import prepare_named, refuse, show_findings
    from starforge.client.sweeps import run as send

    tried = _tried(**{key: what.pop(key) for key in ("grid", "count", "tpe", "space", "seed")})
    early = _early_stop(**{key: what.pop(key) for key in ("early_stop", "factor", "first_rung")})
    prepared = prepare_named(experiment, what["sets"], what["profile"], launch=True)
    if prepared.plan is None:
        refuse(prepared, as_json=as_json)
        raise click.exceptions.Exit(1)
    if not as_json:
        show_findings(prepared, err=True)
    if goal is None:
        goal = "min" if any(word in what["metric"] for word in LOWER) else "max"
    with open_client() as client:
        made = send(client, prepared, **tried, early_stop=early, goal=goal, **what)
    if as_json:
        print_json(made)
        return
    say(t("sweep {id} ({name}): {n} trials", "搜索 {id}（{name}）：共 {n} 次尝试",
          id=made.id, name=made.name, n=made.planned))  # fmt: skip
    say(t("look: `sf sweep show {id}`", "查看：`sf sweep show {id}`", id=made.id))


def _tried(
    grid: tuple[str, ...], count: int | None, tpe: int | None, space: tuple[str, ...], seed: int
) -> dict[str, Any]:
    """Return the trials and what else is to be checked before, or the search that finds them."""
    from starforge.sweeps import space as spaces

    asked = [bool(grid), count is not None, tpe is not None]
    if sum(asked) != 1 or bool(space) == bool(grid):
        raise click.UsageError(
            t("give one of: --grid; --random N with --space; --tpe N with --space",
              "请使用其中一种：--grid；--random N 加 --space；--tpe N 加 --space")
        )  # fmt: skip
    if grid:
        return {"trials": spaces.grid(grid)}
    found = spaces.space(space)
    if tpe is not None:
        spaces.require_size(found, tpe)
        return {"search": {"space": list(space), "count": tpe, "seed": seed}}
    assert count is not None
    return {"trials": spaces.draws(found, count, seed), "probes": spaces.probes(found)}


def _early_stop(
    early_stop: bool, factor: int | None, first_rung: int | None
) -> dict[str, Any] | None:
    """Return what was chosen of an early end of bad trials; ``None`` when there is none."""
    given = {"factor": factor, "first": first_rung}
    chosen = {key: value for key, value in given.items() if value is not None}
    if early_stop:
        return chosen
    if chosen:
        raise click.UsageError(
            t("--factor and --first-rung go with --early-stop",
              "--factor 和 --first-rung 需与 --early-stop 同用")
        )  # fmt: skip
    return None


@sweep.command(
    "ls",
    text=("List the sweeps of the server, newest first.", "列出服务上的搜索，最新的在前。"),
    examples=[("sf sweep ls --json", ("for a script", "供脚本使用"))],
)
@option("--limit", type=click.IntRange(1, 200), default=20, metavar="N",
        text=("How many at most.", "最多显示几条。"))  # fmt: skip
@json_option
def ls(limit: int, as_json: bool) -> None:
    """JSON is a list of ``{id, name, state, counts, best, ...}``."""
    from starforge.cli.sweep_view import print_list

    with open_client() as client:
        found = client.sweeps.newest(limit)
    if as_json:
        print_json(found)
    else:
        print_list(found)


@sweep.command(
    "show",
    text=("Show a sweep: its trials, their parameters and values.",
          "查看一次搜索：各次尝试、它们的参数和结果。"),
    examples=[("sf sweep show my-sft", ("the newest of `my-sft`", "`my-sft` 最近一次搜索"))],
)  # fmt: skip
@argument("name", SWEEP, metavar="SWEEP")
@json_option
def show(name: str, as_json: bool) -> None:
    """JSON is ``{id, name, state, best, trials: [{number, parameters, value, ...}], ...}``."""
    from starforge.cli.sweep_view import print_sweep

    with open_client() as client:
        found = client.sweeps.get(name)
    if as_json:
        print_json(found)
    else:
        print_sweep(found)


@sweep.command(
    "best",
    text=("Show the best trial so far. Exits with 1 while there is none.",
          "显示目前最好的一次尝试。还没有时退出码为 1。"),
    examples=[("sf sweep best my-sft --json", ("for a script", "供脚本使用"))],
)  # fmt: skip
@argument("name", SWEEP, metavar="SWEEP")
@json_option
def best(name: str, as_json: bool) -> None:
    """JSON is the trial: ``{number, parameters, value, job_id, ...}``, or null."""
    from starforge.cli.sweep_view import print_best

    with open_client() as client:
        found = client.sweeps.get(name)
    one = next((trial for trial in found.trials if trial.number == found.best), None)
    if as_json:
        print_json(one)
    else:
        print_best(found, one)
    if one is None:
        raise click.exceptions.Exit(1)


@sweep.command(
    "resume",
    text=("Go on with a sweep that was stopped.\n\nTrials that ended by themselves are not run "
          "again; those that were stopped are.",
          "继续一次被停止的搜索。\n\n自行结束的尝试不会重跑，被停止的会重新运行。"),
    examples=[("sf sweep resume my-sft", ("go on", "继续"))],
)  # fmt: skip
@argument("name", SWEEP, metavar="SWEEP")
@json_option
def resume(name: str, as_json: bool) -> None:
    """JSON is the sweep."""
    from starforge.cli.sweep_view import print_state

    with open_client() as client:
        print_state(client.sweeps.resume(name), as_json=as_json)


@sweep.command(
    "stop",
    text=("Stop a sweep: running trials are asked to stop, no more are started.",
          "停止搜索：正在运行的尝试会收到停止请求，不再启动新的。"),
    examples=[("sf sweep stop my-sft", ("stop it", "停止"))],
)  # fmt: skip
@argument("name", SWEEP, metavar="SWEEP")
@json_option
def stop(name: str, as_json: bool) -> None:
    """JSON is the sweep."""
    from starforge.cli.sweep_view import print_state

    with open_client() as client:
        print_state(client.sweeps.stop(name), as_json=as_json)
