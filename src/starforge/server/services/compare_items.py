"""The items of two results, joined: the same question, whatever its place in the file."""

from __future__ import annotations

from typing import Any, NamedTuple

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.store import samples
from starforge.server.store.database import Tx
from starforge.server.store.records import Score

EVERYTHING = 10_000_000
Row = dict[str, Any]


class Pair(NamedTuple):
    """One item as both answered it."""

    item: str
    a: Row
    b: Row


class Joined(NamedTuple):
    """The items of both, in the order of ``a``, and how many of the other each lacks."""

    pairs: list[Pair]
    missing_a: int
    missing_b: int


def join(core: Core, tx: Tx, a: Score, b: Score) -> Joined:
    """Join the per-item outputs of two results; :class:`StarForgeError` when there are none."""
    rows_a, rows_b = (_scored(core, tx, score) for score in (a, b))
    # Results of earlier versions have no digests of their items.
    digests = all("item" in row for row in (*rows_a, *rows_b))
    keyed_a, keyed_b = _keyed(rows_a, digests), _keyed(rows_b, digests)
    pairs = [
        Pair(key[0], row, keyed_b[key]) for key, row in keyed_a.items() if key in keyed_b
    ]  # fmt: skip
    if not pairs:
        raise StarForgeError(
            "compare/other-items",
            Text("the two have no item of {name} in common", "两者在 {name} 中没有相同的题目")
            .format(name=a.benchmark),
            status=409,
        )  # fmt: skip
    return Joined(pairs, len(keyed_b) - len(pairs), len(keyed_a) - len(pairs))


def _scored(core: Core, tx: Tx, score: Score) -> list[Row]:
    """Return the items of a result that have a score, in their order."""
    page = samples.page(
        tx, core.files, score.job_id, attempt=score.attempt, sort="step", limit=EVERYTHING
    )
    found = [
        one.data | {"reward": one.reward}
        for one in page.rows
        if one.data.get("benchmark") == score.benchmark and one.reward is not None
        and one.reward - one.reward == 0
    ]  # fmt: skip
    if found:
        return found
    raise StarForgeError(
        "compare/no-items",
        Text("job {job} kept no scored items of {name}", "任务 {job} 没有保留 {name} 的逐题得分")
        .format(job=score.job_id, name=score.benchmark),
        Text("only results of `sf bench run` can be compared item by item",
             "只有 `sf bench run` 的结果才能逐题对比"),
        status=409,
    )  # fmt: skip


def _keyed(rows: list[Row], digests: bool) -> dict[tuple[str, int], Row]:
    """Give every row a key; an item that stands there twice is told apart by its turn."""
    found: dict[tuple[str, int], Row] = {}
    turns: dict[str, int] = {}
    for row in rows:
        name = str(row["item"]) if digests else f"{row.get('task', '')}/{row.get('id', '')}"
        turn = turns[name] = turns.get(name, -1) + 1
        found[name, turn] = row
    return found
