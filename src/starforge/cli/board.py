"""The board as a table: models by benchmarks, only equal settings in one column."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from starforge.cli.output import number, print_table, say, style, visible
from starforge.lang import t
from starforge.wire.board import Contamination, Score


class Column(NamedTuple):
    """Scores that may be compared: one benchmark, one measure, equal settings.

    ``measure`` is the metric and the filter it was taken after; ``settings`` are JSON, without
    the seed.
    """

    benchmark: str
    measure: str
    settings: str


def print_board(scores: Sequence[Score]) -> None:
    """Print the newest score of each model in each column.

    Results of one benchmark under other settings stand in columns of their own, numbered,
    with what differs below the table.
    """
    columns = _columns(scores)
    cells: dict[tuple[str, Column], Score] = {}
    for score in sorted(scores, key=lambda one: one.created_at):
        cells[score.model, _column(score)] = score
    models = _ranked(sorted({score.model for score in scores}), columns, cells)
    labels = _labels(scores, models)
    titles = _titles(columns)
    best = {column: _best(column, cells) for column in columns}

    def row(model: str) -> list[str]:
        found = (_cell(cells.get((model, column)), best[column]) for column in columns)
        return [labels[model], *found]

    head = [t("model", "模型"), *(titles[column] for column in columns)]
    print_table(head, [row(model) for model in models])
    if any(best.values()):
        say(t("* best of its column", "* 该列最好"))
    if any(score.runs for score in cells.values()):
        say(t("± after several runs: deviation from run to run; else: standard error",
              "多次运行的 ± 是各次之间的标准差，其余是标准误"))  # fmt: skip
    _explain(columns, titles, cells)


def _long(model: str, short: str) -> str:
    job = model.removeprefix("job:").partition("@")[0]
    return f"{short} ({job})" if model.startswith("job:") and short != model else model


def _column(score: Score) -> Column:
    taken_after = score.settings.get("filter")
    plain = taken_after in (None, "none")
    measure = score.metric if plain else f"{score.metric} ({taken_after})"
    return Column(score.benchmark, measure, json.dumps(_but_seed(score), sort_keys=True))


def _but_seed(score: Score) -> dict[str, Any]:
    return {key: value for key, value in score.settings.items() if key != "seed"}


def _value(score: Score) -> float | None:
    """Return what counts: the mean of several runs."""
    return score.runs.mean if score.runs else score.value


def _labels(scores: Sequence[Score], models: Sequence[str]) -> dict[str, str]:
    """Name jobs as they are called and folders by their last part, where that is clear.

    `--json` has the ids and the whole paths.
    """
    called = {score.model: score.model_name for score in scores}
    short = {model: _short(model, called.get(model)) for model in models}
    taken = list(short.values())
    return {
        model: name if taken.count(name) == 1 else _long(model, name)
        for model, name in short.items()
    }


def _short(model: str, job_name: str | None) -> str:
    if job_name is not None:
        return visible(job_name) + "".join(model.partition("@")[1:])
    return model.rstrip("/").rpartition("/")[2] if model.startswith("/") else model


def _columns(scores: Sequence[Score]) -> list[Column]:
    """Return the columns by benchmark and measure, the settings used last first."""
    newest: dict[Column, Any] = {}
    for score in scores:
        column = _column(score)
        newest[column] = max(newest.get(column, score.created_at), score.created_at)
    by_date = sorted(newest, key=lambda column: newest[column], reverse=True)
    return sorted(by_date, key=lambda column: (column.benchmark, column.measure))


def _titles(columns: Sequence[Column]) -> dict[Column, str]:
    titles: dict[Column, str] = {}
    seen: dict[tuple[str, str], int] = {}
    for column in columns:
        pair = (column.benchmark, column.measure)
        seen[pair] = seen.get(pair, 0) + 1
        suffix = f" #{seen[pair]}" if seen[pair] > 1 else ""
        titles[column] = f"{column.benchmark}\n{column.measure}{suffix}"
    return titles


def _best(column: Column, cells: dict[tuple[str, Column], Score]) -> Score | None:
    """Return the best of a column with more than one model."""
    cell = [one for (_, of), one in cells.items() if of == column]
    found = [one for one in cell if _value(one) is not None]
    if len(found) < 2:
        return None
    sign = 1 if found[0].higher_is_better else -1
    return max(found, key=lambda one: sign * (_value(one) or 0.0))


def _ranked(
    models: Sequence[str], columns: Sequence[Column], cells: dict[tuple[str, Column], Score]
) -> list[str]:
    """Order models by the first column they have, the best first."""

    def rank(model: str) -> tuple[int, float]:
        for index, column in enumerate(columns):
            score = cells.get((model, column))
            value = _value(score) if score is not None else None
            if score is not None and value is not None:
                return index, -value if score.higher_is_better else value
        return len(columns), 0.0

    return sorted(models, key=rank)


def _cell(score: Score | None, best: Score | None) -> str:
    if score is None:
        return ""
    spread = score.runs.deviation if score.runs else score.stderr
    error = f" ±{number(spread, 2)}" if spread is not None else ""
    items = f" n={score.items}" if score.items is not None else ""
    date = score.created_at.astimezone().strftime(" %m-%d")
    line = f"{number(_value(score))}{error}{items}{date}{' *' if score is best else ''}"
    times = t("mean of {n} runs", "{n} 次运行的均值", n=len(score.runs.jobs)) if score.runs else ""
    seen = seen_text(score.contamination) if _of_job(score) else ""
    return "\n".join(text for text in (line, times, seen) if text)


def _of_job(score: Score) -> bool:
    """Say whether training data is known or could be: of a job's model, not of a hub's."""
    return score.contamination is not None or score.model.startswith("job:")


def seen_text(found: Contamination | None) -> str:
    """Say how many items stand in the training data."""
    if found is None:
        return t("unknown if trained on", "不知是否训练过")
    if not found.seen:
        return t("clean", "未见于训练数据")
    return t("{n} of {all} items in the training data", "训练数据含 {all} 题中的 {n} 题",
             n=found.seen, all=found.items)  # fmt: skip


def _explain(
    columns: Sequence[Column],
    titles: dict[Column, str],
    cells: dict[tuple[str, Column], Score],
) -> None:
    """Say in what settings the columns of one benchmark differ."""
    first: dict[tuple[str, str], Column] = {}
    for column in columns:
        base = first.setdefault((column.benchmark, column.measure), column)
        if base == column:
            continue
        ours, theirs = (_settings(one, cells) for one in (base, column))
        differs = [
            f"{key} {json.dumps(theirs.get(key), ensure_ascii=False)}"
            f" ({json.dumps(ours.get(key), ensure_ascii=False)})"
            for key in sorted({*ours, *theirs})
            if ours.get(key) != theirs.get(key)
        ]
        name = titles[column].replace("\n", " ")
        say(
            style(name, bold=True)
            + t(" has other settings: ", "的设置不同：")
            + ", ".join(differs or ["?"])
        )


def _settings(column: Column, cells: dict[tuple[str, Column], Score]) -> dict[str, Any]:
    return next(_but_seed(score) for (_, of), score in cells.items() if of == column)
