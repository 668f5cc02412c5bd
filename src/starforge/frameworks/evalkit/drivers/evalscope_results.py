"""Write what evalscope found: rows for the board, questions with answers."""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import evalscope
from eval_settings import item_digest, make_settings, short
from evalscope.api.metric.semantics import MetricIdentity
from evalscope.metrics.semantics.naming import canonicalize_producer_identity
from evalscope_config import Settings
from evalscope_pack import ITEM
from job_files import JobError, append_row, attempt_dir, declare_artifact, say

from starforge import layout
from starforge.lang import t

HARNESS = "evalscope"
ROUNDING = 1e-3  # evalscope rounds what it reports


class Run(NamedTuple):
    """What ran: evalscope's task and report, and the pack it was given unless it has its own."""

    task: Any
    report: Any
    pack: Any


def keep(
    benchmark: dict[str, Any], run: Run, settings: Settings, chat_template: str | None
) -> None:
    """Keep everything of one benchmark's results."""
    name, report, work = benchmark["name"], run.report, Path(run.task.work_dir)
    if not getattr(report, "metrics", None):
        raise JobError(
            t("evalscope scored no item of {name}", "evalscope 没有给 {name} 的任何题目评出分数",
              name=name)
        )  # fmt: skip
    for file in sorted((work / "reports").rglob("*.json")):
        declare_artifact(file, "report", f"evalscope-{name}")
    reviews = list(read_reviews(work, run.task.datasets[0]))
    did = settings_of(benchmark, run, settings, chat_template)
    for row in score_rows(benchmark, report, reviews, did):
        append_row(attempt_dir() / layout.SCORES / "scores.jsonl", row)
    write_samples(benchmark, reviews)


def read_reviews(work: Path, dataset: str) -> Iterator[dict[str, Any]]:
    """Yield the scored items of all subsets of a benchmark, in the order they were given out."""
    for file in sorted((work / "reviews").rglob("*.jsonl")):
        rows = [json.loads(line) for line in file.open("rb")]
        for row in sorted(rows, key=lambda one: one["index"]):
            yield row | {"subset": file.stem.removeprefix(f"{dataset}_")}


def score_rows(
    benchmark: dict[str, Any], report: Any, reviews: list[dict[str, Any]], did: dict[str, Any]
) -> list[dict[str, Any]]:
    """Return one row a metric of the report, the primary one first."""
    rows = []
    for metric in report.metrics:
        identity, direction = metric.identity, metric.semantics.direction
        key = key_of(identity, reviews)
        value, stderr = exact(metric.score, values_of(key, reviews))
        rows.append({
            "benchmark": benchmark["name"], "metric": named(identity, key, benchmark),
            "value": value, "stderr": stderr, "items": metric.num,
            "higher_is_better": getattr(direction, "value", direction) != "lower",
            "primary": identity == report.primary_metric_identity,
            "settings": did | {"filter": str(identity.dimensions.get("filter", "none"))},
            "t": time.time(),
        })  # fmt: skip
    rows.sort(key=lambda row: not row["primary"])
    spread = f" ± {rows[0]['stderr']:.4f}" if rows[0]["stderr"] is not None else ""
    say("{name}: {metric} {shown} on {items} items", "{name}：{metric} {shown}（{items} 题）",
        name=benchmark["name"], metric=rows[0]["metric"],
        shown=f"{rows[0]['value']:.4f}{spread}", items=rows[0]["items"])  # fmt: skip
    return rows


def named(identity: MetricIdentity, key: str | None, benchmark: dict[str, Any]) -> str:
    """Return a metric's name on the board.

    A pack's own metric is called as packs call it, whatever evalscope makes of the name.
    """
    if key is not None and benchmark.get("rows"):
        metric, _, filter_name = key.partition("@")
        return metric if filter_name else "acc"  # choices: evalscope's only metric of them
    if identity.aggregation == "pass_at_k":
        return f"pass@{identity.dimensions.get('k')}"
    return str(identity.name)


def key_of(identity: MetricIdentity, reviews: list[dict[str, Any]]) -> str | None:
    """Return the name that a metric of the report has in the items' scores, if it is there."""
    wanted = identity.name, identity.dimensions.get("filter", "")
    for key in {key: None for review in reviews for key in score_of(review)["value"]}:
        metric, _, filter_name = key.partition("@")
        plain = canonicalize_producer_identity(metric, "mean").name
        if wanted in ((metric, filter_name), (plain, filter_name)):
            return key
    return None


def values_of(key: str | None, reviews: list[dict[str, Any]]) -> list[float]:
    """Return the items' scores of one metric."""
    found = (score_of(review)["value"].get(key) for review in reviews)
    return [float(value) for value in found if value is not None]


def exact(reported: float, values: list[float]) -> tuple[float, float | None]:
    """Return a score and its standard error, from the items.

    evalscope gives no standard error. Where the items' plain mean is not what it reports
    (weighted means), its figure stands without one.
    """
    if not values or abs(statistics.fmean(values) - reported) > ROUNDING:
        return float(reported), None
    if len(values) == 1:
        return values[0], None
    return statistics.fmean(values), statistics.stdev(values) / math.sqrt(len(values))


def score_of(review: dict[str, Any]) -> dict[str, Any]:
    """Return the scores of one item."""
    found: dict[str, Any] = review["sample_score"]["score"]
    return found


def settings_of(
    benchmark: dict[str, Any], run: Run, settings: Settings, chat_template: str | None
) -> dict[str, Any]:
    """Return the settings of a score, from what evalscope was asked to do."""
    asking, task, pack = settings.asking, run.task, run.pack
    decoding = task.generation_config.model_dump(
        include={
            "max_tokens",
            "do_sample",
            "temperature",
            "top_p",
            "top_k",
            "stop_seqs",
            "extra_body",
        },
        exclude_none=True,
    )
    if not decoding.get("do_sample"):
        decoding = {key: decoding[key] for key in decoding if key in
                    ("max_tokens", "do_sample", "stop_seqs", "extra_body")}  # fmt: skip
    version = dict(benchmark["settings"])
    if pack is None:
        from evalscope.api.registry import get_benchmark

        meta = get_benchmark(task.datasets[0], task).benchmark_meta
        shots, version["version"] = meta.few_shot_num, meta.evaluation_version
    else:
        shots = pack.shots
    # What the user changed of evalscope's own benchmark is another benchmark.
    changed = {} if pack is not None else settings.dataset_args.get(task.datasets[0], {})
    options = {"options": short(changed)} if changed else {}
    return options | make_settings(
        pack=version, harness=HARNESS, harness_version=evalscope.__version__, few_shot=shots,
        limit=settings.task.get("limit"), seed=settings.task.get("seed"),
        chat_template=chat_template, system_prompt=asking["system_prompt"],
        as_turns=asking["as_turns"] and pack is not None and not pack.is_choice,
        decoding=decoding, filter_name="none",
        # evalscope's own benchmarks show their first examples, whatever the seed.
        few_shot_seed=asking["few_shot_seed"] if pack is not None else None,
    )  # fmt: skip


def write_samples(benchmark: dict[str, Any], reviews: list[dict[str, Any]]) -> None:
    """Write questions and answers; ``s`` counts the items from 0."""
    path = attempt_dir() / layout.SAMPLES / f"{benchmark['name']}.jsonl"
    now = time.time()
    for index, review in enumerate(reviews):
        append_row(path, sample_row(benchmark["name"], review) | {"t": now, "s": index})


def sample_row(name: str, review: dict[str, Any]) -> dict[str, Any]:
    """Return one item: what was asked, what came back, what was wanted, and the score."""
    whole = review["sample_score"]
    score, asked = whole["score"], [m for m in review["messages"] if m["role"] != "assistant"]
    about = whole.get("sample_metadata") or {}
    prompt = "\n\n".join(text_of(message) for message in asked)
    row: dict[str, Any] = {
        "benchmark": name,
        "prompt": prompt,
        "completion": score.get("prediction") or "",
        "extracted": score.get("extracted_prediction"),
        "reference": ", ".join(review.get("target") or []),
        "id": str(about.get("id", review["index"])),
        # evalscope's own benchmarks don't hand their items on: what is asked stands for them.
        "item": about.get(ITEM) or item_digest([review["subset"], prompt, review.get("target")]),
    }
    if review["subset"] != "default":
        row["task"] = review["subset"]
    value = score["value"].get(score.get("main_score_name") or next(iter(score["value"]), ""))
    if value is not None:
        row["reward"] = float(value)
    return row


def text_of(message: dict[str, Any]) -> str:
    """Return a message's text; its content is one or a list of parts."""
    content = message["content"]
    if isinstance(content, str):
        return content
    return "".join(str(part.get("text", "")) for part in content)
