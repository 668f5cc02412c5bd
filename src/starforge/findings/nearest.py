"""The nearest right name for a wrong one: "did you mean ...?"."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from functools import lru_cache

_LONGEST = 100  # longer words are no slips, and comparing them takes quadratic time


def nearest(word: str, candidates: Iterable[str], count: int = 3) -> list[str]:
    """Return up to ``count`` candidates that ``word`` is probably meant to be, best first.

    Letters' case and ``-``, ``_`` and spaces do not matter. Dotted names match by their
    last part too, and names that share most of their words are near even when a word was
    dropped (``max_seq_length`` and ``max_length``). Initials count too (``lr``). Names that
    are one letter away are the only ones then: nothing else is as likely.
    """
    if len(word) > _LONGEST:
        return []
    candidates = list(candidates)
    slips = [other for other in candidates if _is_slip(_plain(word), _plain(other))]
    scored = [(_similarity(word, other), other) for other in slips or candidates]
    close = sorted((s for s in scored if s[0] >= 0.7), key=lambda s: (-s[0], s[1]))
    return [other for _, other in close[:count]]


@lru_cache(maxsize=1 << 14)
def _plain(name: str) -> str:
    return re.sub(r"[-_\s]+", "_", name.strip().lower())


def _is_slip(a: str, b: str) -> bool:
    """Say whether one letter was added, left out, replaced or swapped with its neighbour."""
    short, long = (a, b) if len(a) <= len(b) else (b, a)
    more = len(long) - len(short)
    half = len(short) // 2
    if more > 1 or len(short) < 3 or a == b:
        return False
    # One slip leaves one of the halves as it is (but for a swap in the very middle).
    if short[: half - 1] != long[: half - 1] and short[half + 1 :] != long[half + 1 + more :]:
        return False
    first = next((at for at, (x, y) in enumerate(zip(short, long, strict=False)) if x != y), None)
    if first is None:
        return True
    if more:
        return short[first:] == long[first + 1 :]
    swapped = short[first : first + 2] == long[first : first + 2][::-1]
    return short[first + 1 :] == long[first + 1 :] or (
        swapped and short[first + 2 :] == long[first + 2 :]
    )


def _similarity(word: str, other: str) -> float:
    a, b = _plain(word), _plain(other)
    if a == b:
        return 1.0
    if _is_slip(a, b):
        return max(0.75, difflib.SequenceMatcher(None, a, b).ratio())
    score = difflib.SequenceMatcher(None, a, b).ratio()
    last_a, last_b = a.rsplit(".", 1)[-1], b.rsplit(".", 1)[-1]
    if "." in a or "." in b:
        tail = difflib.SequenceMatcher(None, last_a, last_b).ratio()
        score = max(score, 0.95 * tail if tail >= 0.8 else 0.0)
    if last_a == "".join(part[:1] for part in last_b.split("_")) and len(last_a) > 1:
        return max(score, 0.9)
    words_a, words_b = set(last_a.split("_")), set(last_b.split("_"))
    if len(last_a) > 3 and words_a < words_b:
        score = max(score, 0.72)
    if len(words_a) > 1 and len(words_b) > 1:
        shared = len(words_a & words_b) / max(len(words_a), len(words_b))
        if words_a <= words_b or words_b <= words_a:
            shared += 0.15
        score = max(score, shared)
    return score
