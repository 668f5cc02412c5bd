"""``sf bench``: benchmark models and compare their scores."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from starforge.cli.base import Group, argument, json_option, option, set_option
from starforge.cli.bench_compare import compare
from starforge.cli.bench_contamination import contamination
from starforge.cli.bench_new import new
from starforge.cli.output import note, print_json, print_table, say
from starforge.cli.session import open_client
from starforge.cli.shared import key_option, priority_option, watch_option
from starforge.lang import t

if TYPE_CHECKING:
    from starforge.evals import Pack
    from starforge.prepare import Prepared

METHOD = "evalkit/benchmark"
HARNESSES = ("lm-eval", "evalscope")


@click.group(
    "bench",
    cls=Group,
    text=(
        "Benchmark models and compare their scores.\n\nA benchmark is a pack: a folder with "
        "pack.yaml and data. Some come with StarForge, others lie in the lab's `benchmarks/`.",
        "评测模型并对比得分。\n\n评测包是含有 pack.yaml 和数据的文件夹。一部分随 StarForge 提供，"
        "另一部分放在 lab 的 `benchmarks/` 下。",
    ),
    examples=[
        ("sf bench run job:my-sft --benchmark gsm8k --watch", ("score a model", "给模型打分")),
        ("sf bench board", ("compare", "对比得分")),
        ("sf bench compare BASE TUNED", ("item by item", "逐题对比")),
    ],
)
def bench() -> None:
    """Everything happens in the commands."""


@bench.command(
    "ls",
    text=(
        "List the benchmarks: those of StarForge and of this lab. Needs no server.",
        "列出评测包：StarForge 自带的和当前 lab 里的。不需要服务。",
    ),
    examples=[("sf bench ls --json", ("for a script", "供脚本使用"))],
)
@json_option
def ls(as_json: bool) -> None:
    """JSON is a list of ``{name, version, title, description, metric, items, source, ...}``."""
    from starforge.evals import list_packs
    from starforge.lab.lab import find_lab

    lab = find_lab()
    packs = list_packs([lab.root] if lab else [])
    if as_json:
        print_json([_public(pack) for pack in packs])
        return
    print_table(
        [
            t("benchmark", "评测包"),
            t("version", "版本"),
            t("metric", "指标"),
            t("items", "题数"),
            t("from", "来源"),
            t("what it is", "说明"),
        ],
        [
            (
                pack.name,
                pack.version,
                pack.primary.metric,
                pack.items,
                t("this lab", "本 lab") if pack.source == "lab" else "StarForge",
                pack.title.pick(),
            )
            for pack in packs
        ],
        right=(3,),
    )


def _public(pack: Pack) -> dict[str, Any]:
    """Return a pack in the shape of the API, with where its items come from."""
    theirs = pack.evalscope.dataset if pack.evalscope else None
    return {
        "name": pack.name,
        "version": pack.version,
        "title": {"en": pack.title.en, "zh": pack.title.zh},
        "description": {"en": pack.description.en, "zh": pack.description.zh},
        "metric": pack.primary.metric,
        "items": pack.items,
        "source": pack.source,
        "licence": pack.licence,
        "hub": pack.hub.dataset if pack.hub else None,
        "evalscope": theirs,
    }


@bench.command(
    "run",
    text=(
        "Score a model on benchmarks, as a job of evalkit/benchmark.\n\nA model is a folder, a hub "
        "id, model:NAME@VERSION or job:ID.",
        "以 evalkit/benchmark 任务给模型打分。\n\n"
        "模型可以是文件夹、hub 上的 id、model:名字@版本 或 job:ID。",
    ),
    examples=[
        (
            "sf bench run models/SmolLM2 --benchmark gsm8k --limit 100 --watch",
            ("the first 100 items", "只评前 100 题"),
        ),
        (
            "sf bench run job:my-sft --benchmark gsm8k --set few_shot=0",
            ("with other settings", "换一种设置"),
        ),
        (
            "sf bench run job:my-sft --benchmark arithmetic --harness evalscope",
            ("with evalscope", "用 evalscope 评测"),
        ),
    ],
)
@argument("model", ("The model to score.", "要评测的模型。"))
@option(
    "--benchmark",
    "-b",
    "benchmarks",
    multiple=True,
    required=True,
    metavar="NAME",
    text=("A benchmark. May be repeated.", "评测包，可重复使用。"),
)
@option(
    "--limit",
    type=click.IntRange(1),
    metavar="N",
    text=("Only the first N items.", "只评前 N 题。"),
)
@option(
    "--harness",
    type=click.Choice(HARNESSES),
    text=(
        "What asks and scores; lm-eval unless set.",
        "用哪个评测框架，默认 lm-eval。",
    ),
)
@option(
    "--data",
    metavar="FILE",
    text=(
        "Local items, for a benchmark whose data lies on a hub.",
        "用本地题目文件代替 hub 上的数据。",
    ),
)
@option("--profile", metavar="PROFILE", text=("Where to run.", "在何处运行。"))
@option("--name", metavar="NAME", text=("Name of the job.", "任务的名字。"))
@priority_option
@watch_option
@key_option
@option(
    "--repeats",
    type=click.IntRange(1, 100),
    metavar="N",
    text=(
        "Run N jobs with other seeds; the board shows their mean and deviation.",
        "换不同种子运行 N 个任务，看板显示均值和标准差。",
    ),
)
@set_option
@json_option
def run(model: str, watch: bool, as_json: bool, repeats: int | None, **what: Any) -> None:
    """JSON is the job: ``{id, name, state, ...}``; with ``--watch`` as it ended, and a list of
    jobs with ``--repeats``.
    """
    from starforge.cli.experiment import refuse, show_findings
    from starforge.cli.submit import submit_prepared

    sending = {key: what[key] for key in ("sets", "profile", "name", "priority", "key")}
    with tempfile.TemporaryDirectory(prefix="sf-bench-") as temp:
        folder = Path(temp) / _job_name(model, what["benchmarks"])
        if repeats is not None:
            from starforge.cli.bench_repeats import run_repeats

            if watch:
                raise click.UsageError(
                    t(
                        "--watch follows one job: leave it out with --repeats",
                        "--watch 只能观看一个任务，请勿与 --repeats 同用",
                    )
                )
            run_repeats(
                lambda sets: _prepare(folder, model, what | {"sets": (*what["sets"], *sets)}),
                repeats,
                as_json=as_json,
                **sending,
            )
            return
        prepared = _prepare(folder, model, what)
        if prepared.plan is None:
            refuse(prepared, as_json=as_json, hidden=True)
            raise click.exceptions.Exit(1)
        if not as_json:
            show_findings(prepared, err=True, hidden=True)
        with open_client() as client:
            submit_prepared(client, prepared, watch=watch, as_json=as_json, **sending)


def _job_name(model: str, benchmarks: tuple[str, ...]) -> str:
    """Name the experiment after what it scores, in characters a name may have."""
    short = model.removeprefix("job:").removeprefix("model:").rstrip("/").rsplit("/", 1)[-1]
    text = f"{benchmarks[0]}-{short}"
    kept = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in text)
    return kept.strip("._-")[:60] or "bench"


def _prepare(folder: Path, model: str, what: dict[str, Any]) -> Prepared:
    """Write the experiment that scores ``model`` and prepare it within this lab."""
    import json

    from starforge.client.catalogs import connected_catalog
    from starforge.lab.inputs import LocalResolver
    from starforge.lab.lab import find_lab
    from starforge.prepare import prepare

    params: dict[str, Any] = {"benchmarks": list(what["benchmarks"])}
    if what["limit"] is not None:
        params["limit"] = what["limit"]
    if what["harness"] is not None:
        params["harness"] = what["harness"]
    experiment: dict[str, Any] = {
        "method": METHOD,
        "model": _absolute(model),
        "params": params,
    }
    if what["data"] is not None:
        experiment["data"] = {"test": _absolute(what["data"])}
    folder.mkdir(exist_ok=True)
    # JSON is YAML, and quotes whatever needs quoting.
    text = json.dumps(experiment, ensure_ascii=False, indent=2)
    (folder / "experiment.yaml").write_text(text + "\n", encoding="utf-8")
    lab = find_lab()
    resolver = LocalResolver(folder, lab.root if lab else None)
    catalog, _ = connected_catalog()
    return prepare(
        folder, sets=what["sets"], profile=what["profile"], resolver=resolver, catalog=catalog
    )


def _absolute(reference: str) -> str:
    """Make a path that exists absolute: the experiment lies elsewhere for the moment."""
    path = Path(reference).expanduser()
    return str(path.resolve()) if path.exists() else reference


@bench.command(
    "board",
    text=(
        "Compare scores: models by benchmarks.\n\nOnly results with equal settings stand in one "
        "column (pack version, shots, chat template, decoding, filter, harness); others are shown "
        "apart, with what differs.",
        "对比得分：模型 × 评测。\n\n只有设置完全相同的结果才放在同一列"
        "（评测包版本、示例数、对话模板、解码、过滤、评测框架版本），其余另列并说明差异。",
    ),
    examples=[
        ("sf bench board", ("everything", "全部得分")),
        ("sf bench board --benchmark gsm8k --json", ("for a script", "供脚本使用")),
    ],
)
@option("--benchmark", metavar="NAME", text=("Only this benchmark.", "只看该评测。"))
@option("--model", metavar="MODEL", text=("Only this model.", "只看该模型。"))
@json_option
def board(benchmark: str | None, model: str | None, as_json: bool) -> None:
    """JSON is the list of all own scores, newest first; `sf board ls` has the others."""
    with open_client() as client:
        scores = client.board(benchmark=benchmark, model=model)
        others = [] if as_json else client.external(benchmark=benchmark, model=model)
    if as_json:
        print_json(scores)
        return
    if scores:
        from starforge.cli.board import print_board

        print_board(scores)
    else:
        note(
            t(
                "no scores yet: `sf bench run MODEL --benchmark NAME` makes some",
                "还没有得分：用 `sf bench run 模型 --benchmark 名字` 开始评测",
            )
        )
    if others:
        from starforge.cli.board_external import print_external

        say()
        say(t("measured by others, not to be compared", "他人测得，不作直接比较"))
        print_external(others)


bench.add_command(new)
bench.add_command(compare)
bench.add_command(contamination)
