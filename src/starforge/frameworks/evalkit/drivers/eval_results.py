"""Write what lm-eval found: rows for the board, questions with answers, and all of it raw."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path
from typing import Any

import lm_eval
from eval_settings import item_digest, make_settings
from job_files import append_row, attempt_dir, declare_artifact, say

from starforge import layout

HARNESS = "lm-eval"


def keep(
    benchmark: dict[str, Any],
    results: dict[str, Any],
    config: dict[str, Any],
    chat_template: str | None,
    output: Path,
) -> None:
    """Keep everything of one benchmark's results."""
    name = benchmark["name"]
    raw = output / "results" / f"{name}.json"
    raw.parent.mkdir(parents=True, exist_ok=True)
    whole = {key: value for key, value in results.items() if key != "samples"}
    raw.write_text(json.dumps(whole, indent=1, default=str, ensure_ascii=False), "utf-8")
    declare_artifact(raw, "report", f"lm-eval-{name}")
    for row in score_rows(benchmark, results, config, chat_template):
        append_row(attempt_dir() / layout.SCORES / "scores.jsonl", row)
    write_samples(benchmark, results)


def score_rows(
    benchmark: dict[str, Any],
    results: dict[str, Any],
    config: dict[str, Any],
    chat_template: str | None,
) -> list[dict[str, Any]]:
    """Return one row a metric and filter, the primary one first."""
    task = task_name(benchmark)
    figures = results["results"][task]
    primary = (benchmark["primary"]["metric"], benchmark["primary"]["filter"])
    better = results.get("higher_is_better", {}).get(task, {})
    rows = []
    for key, value in figures.items():
        metric, _, filter_name = key.partition(",")
        if not filter_name or metric.endswith("_stderr") or not is_number(value):
            continue
        stderr = figures.get(f"{metric}_stderr,{filter_name}")
        rows.append({
            "benchmark": benchmark["name"], "metric": metric, "value": float(value),
            "stderr": float(stderr) if is_number(stderr) else None,
            "items": items_of(results, task),
            "higher_is_better": better.get(metric) is not False,
            "primary": (metric, filter_name) == primary,
            "settings": settings_of(benchmark, results, config, chat_template, filter_name),
            "t": time.time(),
        })  # fmt: skip
    rows.sort(key=lambda row: not row["primary"])
    for row in rows[:1]:
        spread = f" ± {row['stderr']:.4f}" if row["stderr"] is not None else ""
        shown = f"{row['value']:.4f}{spread}"
        say("{name}: {metric} {shown} on {items} items", "{name}：{metric} {shown}（{items} 题）",
            name=benchmark["name"], metric=row["metric"], shown=shown,
            items=row["items"])  # fmt: skip
    return rows


def task_name(benchmark: dict[str, Any]) -> str:
    """Return the name under which lm-eval reports the benchmark."""
    if benchmark.get("rows"):
        return str(benchmark["name"])
    return str(benchmark["hub"]["task"])


def leaves(results: dict[str, Any], task: str) -> list[str]:
    """Return the tasks below a group, or the task itself."""
    parts = results.get("group_subtasks", {}).get(task) or []
    return [leaf for part in parts for leaf in leaves(results, part)] or [task]


def items_of(results: dict[str, Any], task: str) -> int | None:
    """Return how many items were scored."""
    counts = results.get("n-samples", {})
    found = [counts[leaf]["effective"] for leaf in leaves(results, task) if leaf in counts]
    return sum(found) if found else None


def settings_of(
    benchmark: dict[str, Any],
    results: dict[str, Any],
    config: dict[str, Any],
    chat_template: str | None,
    filter_name: str,
) -> dict[str, Any]:
    """Return the settings of a score, from what the harness says it did."""
    leaf = leaves(results, task_name(benchmark))[0]
    did = results.get("configs", {}).get(leaf, {})
    decoding = did.get("generation_kwargs") if did.get("output_type") == "generate_until" else None
    return make_settings(
        pack=benchmark["settings"], harness=HARNESS, harness_version=lm_eval.__version__,
        few_shot=results.get("n-shot", {}).get(leaf), limit=config.get("limit"),
        seed=benchmark["seed"], few_shot_seed=benchmark["few_shot_seed"],
        chat_template=chat_template,
        system_prompt=config.get("system_instruction"),
        as_turns=config.get("fewshot_as_multiturn", True),
        decoding=json.loads(json.dumps(decoding, default=str)), filter_name=filter_name,
    )  # fmt: skip


def write_samples(benchmark: dict[str, Any], results: dict[str, Any]) -> None:
    """Write questions and answers after the primary filter; ``s`` counts the items from 0."""
    path = attempt_dir() / layout.SAMPLES / f"{benchmark['name']}.jsonl"
    primary, now, index = benchmark["primary"], time.time(), 0
    for task, samples in sorted(results.get("samples", {}).items()):
        filters = {sample.get("filter", "none") for sample in samples}
        chosen = primary["filter"] if primary["filter"] in filters else min(filters, default="none")
        for sample in samples:
            if sample.get("filter", "none") != chosen:
                continue
            append_row(path, sample_row(benchmark["name"], task, sample, primary["metric"])
                       | {"t": now, "s": index})  # fmt: skip
            index += 1


def sample_row(name: str, task: str, sample: dict[str, Any], metric: str) -> dict[str, Any]:
    """Return one item: what was asked, what came back, what was wanted, and the score."""
    arguments = sample.get("arguments") or {}
    if isinstance(arguments, dict):
        arguments = [list(one.values()) for one in arguments.values()]
    prompt = str(arguments[0][0]) if arguments else ""
    answers = [one[0] for one in sample.get("resps") or []]
    doc = sample.get("doc") or {}
    row: dict[str, Any] = {
        "benchmark": name, "prompt": prompt,
        "reference": str(sample.get("target", "")), "id": str(doc.get("id", sample["doc_id"])),
        "item": item_digest(doc),
    }  # fmt: skip
    if task != name:
        row["task"] = task
    if answers and isinstance(answers[0], list | tuple):
        row |= chosen_choice(arguments, answers, sample.get("target"))
    else:
        row["completion"] = str(answers[0]) if answers else ""
        filtered = sample.get("filtered_resps") or [None]
        row["extracted"] = None if filtered[0] is None else str(filtered[0])
    score = sample.get(metric)
    if is_number(score) or isinstance(score, bool):
        row["reward"] = float(score)
    return row


def chosen_choice(arguments: list[Any], answers: list[Any], target: Any) -> dict[str, Any]:
    """Return the likeliest choice of a multiple-choice item, and the right one as text."""
    choices = [str(one[1]).strip() for one in arguments]
    scores = [float(one[0]) for one in answers[: len(choices)]]
    best = max(range(len(scores)), key=scores.__getitem__)
    found: dict[str, Any] = {"completion": choices[best], "choices": choices}
    index = int(target) if str(target).lstrip("-").isdigit() else -1
    if 0 <= index < len(choices):
        found["reference"] = choices[index]
    return found


def is_number(value: Any) -> bool:
    """Say whether a figure is a usable number (lm-eval writes ``N/A`` for none)."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return hasattr(value, "dtype") and math.isfinite(float(value))
    return math.isfinite(value)
