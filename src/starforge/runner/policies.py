"""Policies that end a running job: a loss that is no number, and the time limit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from starforge.runner.launch import PolicySpec
from starforge.runner.tail import StreamFile, Tail
from starforge.streams import MAX_RECORD, ScalarBatch, decode_scalars

# A report without any of these has finite numbers only (but for numerals of 300 digits, which
# nobody writes), and finding that out is a hundred times faster than decoding it.
_ODD = (b"NaN", b"Infinity", b"e+", b"E")


@dataclass(frozen=True)
class NotFinite:
    """A watched metric that stopped being a finite number."""

    name: str
    value: float
    step: int


class NanWatch:
    """Reads the metric files as they grow and looks for NaN and infinity.

    A metric is watched when its native or canonical name is in ``nan_metrics``; with that
    list empty, when the last part of its name is ``loss``.
    """

    def __init__(self, tail: Tail, policy: PolicySpec) -> None:
        self._tail = tail
        self._enabled = policy.nan_loss
        self._watched = frozenset(policy.nan_metrics)
        self._offsets: dict[str, int] = {}
        self._sizes: dict[str, int] = {}

    def look(self, *, to_the_end: bool = False) -> NotFinite | None:
        """Read what is new and return the first find.

        One piece a file and look, which bounds the time it takes, unless ``to_the_end``.
        """
        if not self._enabled:
            return None
        for file in self._tail.scan():
            if file.format not in ("report", "tensorboard"):
                continue
            if to_the_end or file.size != self._sizes.get(file.path):
                found = self._read(file, to_the_end=to_the_end)
                if found is not None:
                    return found
        return None

    def _read(self, file: StreamFile, *, to_the_end: bool) -> NotFinite | None:
        while True:
            offset = self._offsets.get(file.path, 0)
            try:
                data = self._tail.read(file.path, offset, MAX_RECORD)
            except OSError:
                return None
            final = to_the_end and len(data) < MAX_RECORD
            consumed = _plain(data, final=final) if file.format == "report" else 0
            found = None
            if not consumed:
                decoded = decode_scalars(file.format, data, base=offset, final=final)
                consumed = decoded.consumed
                found = self._search(decoded.series, file)
            self._offsets[file.path] = offset + consumed
            if found is not None:
                return found
            if len(data) < MAX_RECORD:
                self._sizes[file.path] = offset + len(data)
                return None
            if not to_the_end:
                return None

    def _search(self, series: ScalarBatch, file: StreamFile) -> NotFinite | None:
        for name, columns in series.items():
            if self._is_watched(name, file):
                for step, value in zip(columns.steps, columns.values, strict=True):
                    if not math.isfinite(value):
                        return NotFinite(name, value, step)
        return None

    def _is_watched(self, name: str, file: StreamFile) -> bool:
        if self._watched:
            return name in self._watched or file.names.get(name) in self._watched
        return name.rsplit("/", 1)[-1] == "loss"


def _plain(data: bytes, *, final: bool) -> int:
    """Return the bytes of whole lines of a report if they hold finite numbers only, else 0."""
    if any(word in data for word in _ODD):
        return 0
    return len(data) if final else data.rfind(b"\n") + 1
