"""The items of a comparison as a person reads them: who did better, what was asked and said."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from starforge.server.services.compare_items import Pair, Row
from starforge.wire import compare as wire

MOST_TEXT = 20_000  # characters of a prompt or an answer that are sent
_SEARCHED = ("prompt", "reference", "completion", "extracted")


def outcome(pair: Pair, *, higher_is_better: bool) -> wire.Outcome:
    """Say who did better on an item; of equal scores, whether both are fully right."""
    a, b = float(pair.a["reward"]), float(pair.b["reward"])
    if a != b:
        return "only_b" if (b > a) == higher_is_better else "only_a"
    return "both" if a == (1.0 if higher_is_better else 0.0) else "neither"


def chosen(
    pairs: Sequence[Pair], *, show: wire.Shown, search: str | None, higher_is_better: bool
) -> Iterator[tuple[Pair, wire.Outcome]]:
    """Yield the items of an outcome in which the words stand, in their order."""
    words = (search or "").casefold()
    flipped = ("only_a", "only_b")
    for pair in pairs:
        came = outcome(pair, higher_is_better=higher_is_better)
        wanted = show in ("all", came) or (show == "flipped" and came in flipped)
        if wanted and (not words or _has(pair, words)):
            yield pair, came


def _has(pair: Pair, words: str) -> bool:
    texts = (_whole(row.get(name)) for row in (pair.a, pair.b) for name in _SEARCHED)
    return words in pair.item.casefold() or any(words in (t or "").casefold() for t in texts)


def answers(pair: Pair, came: wire.Outcome) -> wire.ItemAnswers:
    """Return an item with both answers."""
    return wire.ItemAnswers(
        item=pair.item,
        outcome=came,
        prompt=_text(pair.a.get("prompt")),
        reference=_text(pair.a.get("reference")),
        a=_answer(pair.a),
        b=_answer(pair.b),
    )


def _answer(row: Row) -> wire.Answer:
    return wire.Answer(
        completion=_text(row.get("completion")),
        extracted=_text(row.get("extracted")),
        score=float(row["reward"]),
    )


def _text(value: Any) -> str | None:
    text = _whole(value)
    return None if text is None else text[:MOST_TEXT]


def _whole(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
