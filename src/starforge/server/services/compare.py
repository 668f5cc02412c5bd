"""Compare two jobs or models benchmark by benchmark, item by item."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import msgspec

from starforge.errors import StarForgeError
from starforge.evals import paired
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import compare_items, compare_sides
from starforge.server.services.compare_items import Pair, Row
from starforge.server.services.compare_sides import Results
from starforge.server.store.database import Tx
from starforge.server.store.records import Score
from starforge.wire import compare as wire

SEED = 0
MOST_TEXT = 20_000  # characters of a prompt or an answer that are sent


class Which(NamedTuple):
    """What to compare: two references, one benchmark or all that both have, how many flips.

    ``anyway`` accepts settings that are not equal.
    """

    a: str
    b: str
    benchmark: str | None = None
    anyway: bool = False
    flips: int = 0


Differences = dict[str, list[Any]]


class _Chosen(NamedTuple):
    a: Score
    b: Score
    differs: Differences


def compare(core: Core, which: Which) -> wire.Compared:
    """Return the comparisons; :class:`StarForgeError` for what can't be compared."""
    with core.db.read() as tx:
        sides = [compare_sides.results(core, tx, ref) for ref in (which.a, which.b)]
        shared, left_out = _shared(which, *sides)
        chosen = [_choose(name, *sides) for name in shared]
        if not which.anyway:
            _require_equal(chosen)
        found = [_comparison(core, tx, one, which.flips) for one in chosen]
    return wire.Compared(comparisons=found, left_out=left_out)


def _shared(which: Which, a: Results, b: Results) -> tuple[list[str], list[str]]:
    """Return the benchmarks to compare and those that only one of the two has."""
    shared = sorted(a.keys() & b.keys())
    if which.benchmark is not None:
        if which.benchmark in shared:
            return [which.benchmark], []
        shared = []
    if shared:
        return shared, sorted(a.keys() ^ b.keys())
    said = [f"{ref}: {', '.join(sorted(of))}" for ref, of in ((which.a, a), (which.b, b))]
    raise StarForgeError(
        "compare/no-benchmark",
        Text("the two share no score of {name}", "两者没有共同的 {name} 得分")
        .format(name=which.benchmark)
        if which.benchmark
        else Text("the two were scored on no benchmark in common", "两者没有共同的评测"),
        Text("; ".join(said), "；".join(said)),
        status=409,
    )  # fmt: skip


def _choose(name: str, a: Results, b: Results) -> _Chosen:
    """Return the newest pair with equal settings, else the newest one."""
    pairs = [(one, other) for one in a[name] for other in b[name] if one.job_id != other.job_id]
    if not pairs:
        raise StarForgeError(
            "compare/same-job",
            Text("both are job {job}: there is nothing to compare", "两者都是任务 {job}，无从对比")
            .format(job=a[name][0].job_id),
            status=409,
        )  # fmt: skip
    for one, other in pairs:
        if not differences(one, other):
            return _Chosen(one, other, {})
    return _Chosen(*pairs[0], differences(*pairs[0]))


def differences(a: Score, b: Score) -> Differences:
    """Return the settings that are not equal, by name, each with both values."""
    ours, theirs = ({"metric": one.metric, **one.settings} for one in (a, b))
    return {
        key: [ours.get(key), theirs.get(key)]
        for key in sorted(ours.keys() | theirs.keys())
        if ours.get(key) != theirs.get(key)
    }


def _require_equal(chosen: list[_Chosen]) -> None:
    """Refuse results that were taken in different ways."""
    unequal = [one for one in chosen if one.differs]
    if not unequal:
        return
    said = "; ".join(
        f"{one.a.benchmark}: "
        + ", ".join(f"{key} {_short(a)} / {_short(b)}" for key, (a, b) in one.differs.items())
        for one in unequal
    )
    raise StarForgeError(
        "compare/settings",
        Text("the settings of the two are not equal: {said}", "两者的评测设置不同：{said}")
        .format(said=said),
        Text("score both in the same way, choose another benchmark with `--pack`, or compare "
             "them all the same with `--anyway`",
             "请用相同设置评测两者，或用 `--pack` 选择其他评测，或用 `--anyway` 强行对比"),
        status=409,
    )  # fmt: skip


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _comparison(core: Core, tx: Tx, chosen: _Chosen, flips: int) -> wire.Comparison:
    a, b, differs = chosen
    joined = compare_items.join(core, tx, a, b)
    first = [float(pair.a["reward"]) for pair in joined.pairs]
    second = [float(pair.b["reward"]) for pair in joined.pairs]
    found = paired.compare(first, second, seed=SEED, higher_is_better=a.higher_is_better)
    counts = found.counts
    flipped = [pair for pair in joined.pairs if pair.a["reward"] != pair.b["reward"]]
    return wire.Comparison(
        benchmark=a.benchmark,
        metric=a.metric,
        higher_is_better=a.higher_is_better,
        a=wire.ComparedSide(model=_model(a), job=a.job_id, value=found.mean_a),
        b=wire.ComparedSide(model=_model(b), job=b.job_id, value=found.mean_b),
        items=found.items,
        missing_a=joined.missing_a,
        missing_b=joined.missing_b,
        difference=found.difference,
        stderr=found.stderr,
        low=found.low,
        high=found.high,
        level=paired.LEVEL,
        rounds=paired.ROUNDS,
        seed=SEED,
        counts=None if counts is None else wire.ItemCounts(**msgspec.structs.asdict(counts)),
        p_value=found.p_value,
        differs=differs,
        flipped=len(flipped),
        flips=[_flip(pair) for pair in flipped[: max(0, flips)]],
    )


def _model(score: Score) -> str:
    return score.model or f"job:{score.job_id}"


def _flip(pair: Pair) -> wire.Flip:
    return wire.Flip(
        item=pair.item,
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
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text[:MOST_TEXT]
