"""Compare two jobs or models benchmark by benchmark, item by item."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import msgspec

from starforge.errors import StarForgeError
from starforge.evals import paired
from starforge.i18n import Text
from starforge.server.core import Core
from starforge.server.services import compare_answers, compare_items, compare_sides
from starforge.server.services.compare_sides import Results
from starforge.server.store.database import Tx
from starforge.server.store.records import Score
from starforge.wire import compare as wire
from starforge.wire.base import BothTexts

SEED = 0


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


class Page(NamedTuple):
    """Which items to look at: of an outcome, with words in them, from ``offset`` on."""

    show: wire.Shown = "flipped"
    search: str | None = None
    offset: int = 0
    limit: int = 20


def compare(core: Core, which: Which) -> wire.Compared:
    """Return the comparisons; :class:`StarForgeError` when none can be made."""
    found: list[wire.Comparison] = []
    refused: dict[str, StarForgeError] = {}
    unequal: list[_Chosen] = []
    with core.db.read() as tx:
        sides = [compare_sides.results(core, tx, ref) for ref in (which.a, which.b)]
        shared, left_out = _shared(which, *sides)
        for name in shared:
            try:
                chosen = _choose(name, *sides)
                if chosen.differs and not which.anyway:
                    unequal.append(chosen)
                    raise _not_equal([chosen])
                found.append(_comparison(core, tx, chosen, which.flips))
            except StarForgeError as error:
                refused[name] = error
    if not found:
        raise _not_equal(unequal) if len(unequal) == len(shared) else next(iter(refused.values()))
    return wire.Compared(
        comparisons=found,
        left_out=left_out,
        refused=[_refusal(name, error) for name, error in refused.items()],
    )


def items(core: Core, which: Which, page: Page) -> wire.ItemPage:
    """Return items of a comparison of one benchmark, whether settings are equal or not."""
    assert which.benchmark is not None
    with core.db.read() as tx:
        sides = [compare_sides.results(core, tx, ref) for ref in (which.a, which.b)]
        (name,), _ = _shared(which, *sides)
        chosen = _choose(name, *sides)
        joined = compare_items.join(core, tx, chosen.a, chosen.b)
    found = list(compare_answers.chosen(
        joined.pairs, show=page.show, search=page.search,
        higher_is_better=chosen.a.higher_is_better,
    ))  # fmt: skip
    shown = found[page.offset : page.offset + page.limit]
    return wire.ItemPage(items=[compare_answers.answers(*one) for one in shown], total=len(found))


def _refusal(name: str, error: StarForgeError) -> wire.NotCompared:
    said, hint = error.message, error.hint
    return wire.NotCompared(
        benchmark=name,
        code=error.code,
        message=BothTexts(en=said.en, zh=said.zh),
        hint=BothTexts(en=hint.en, zh=hint.zh) if hint else None,
    )


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
    """Return the newest pair with equal settings, of the same seed if there is one.

    Where none has equal settings it is the newest pair.
    """
    pairs = [(one, other) for one in a[name] for other in b[name] if one.job_id != other.job_id]
    if not pairs:
        raise StarForgeError(
            "compare/same-job",
            Text("both are job {job}: there is nothing to compare", "两者都是任务 {job}，无从对比")
            .format(job=a[name][0].job_id),
            status=409,
        )  # fmt: skip
    equal = [pair for pair in pairs if not differences(*pair)]
    if not equal:
        return _Chosen(*pairs[0], differences(*pairs[0]))
    same = [pair for pair in equal if _seed(pair[0]) == _seed(pair[1])]
    return _Chosen(*(same or equal)[0], {})


def _seed(score: Score) -> Any:
    return score.settings.get("seed")


def differences(a: Score, b: Score) -> Differences:
    """Return the settings that are not equal, by name, each with both values.

    The seed of sampling is none: other seeds are other runs of the same, and of two models
    even the same seed draws other answers.
    """
    ours, theirs = ({"metric": one.metric, **one.settings, "seed": None} for one in (a, b))
    return {
        key: [ours.get(key), theirs.get(key)]
        for key in sorted(ours.keys() | theirs.keys())
        if ours.get(key) != theirs.get(key)
    }


def _not_equal(unequal: list[_Chosen]) -> StarForgeError:
    """Refuse results that were taken in different ways."""
    said = "; ".join(
        f"{one.a.benchmark}: "
        + ", ".join(f"{key} {_short(a)} / {_short(b)}" for key, (a, b) in one.differs.items())
        for one in unequal
    )
    return StarForgeError(
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
    flipped = list(compare_answers.chosen(
        joined.pairs, show="flipped", search=None, higher_is_better=a.higher_is_better
    ))  # fmt: skip
    return wire.Comparison(
        benchmark=a.benchmark,
        metric=a.metric,
        higher_is_better=a.higher_is_better,
        a=_side(a, found.mean_a),
        b=_side(b, found.mean_b),
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
        flips=[compare_answers.answers(*one) for one in flipped[: max(0, flips)]],
    )


def _side(score: Score, mean: float) -> wire.ComparedSide:
    seed = _seed(score)
    return wire.ComparedSide(
        model=score.model or f"job:{score.job_id}",
        job=score.job_id,
        value=mean,
        seed=seed if isinstance(seed, int) else None,
    )
