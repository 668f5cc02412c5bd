"""Read the metric files of an attempt as they grow, each point once."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from starforge.runner.tail import StreamFile, Tail
from starforge.streams import MAX_RECORD, ScalarBatch, decode_scalars

_SCALARS = ("report", "tensorboard")


class MetricFeed:
    """Hands on what is new in the metric files since the last look.

    ``skip(file, data, final)`` may say of a piece of a report how many of its bytes need no
    decoding (0: decode it), which saves nearly all the time where only odd values count.
    """

    def __init__(self, tail: Tail, skip: Callable[[StreamFile, bytes, bool], int]) -> None:
        self._tail = tail
        self._skip = skip
        self._offsets: dict[str, int] = {}
        self._sizes: dict[str, int] = {}

    def new(self, *, to_the_end: bool = False) -> Iterator[tuple[StreamFile, ScalarBatch]]:
        """Yield the new points, file by file.

        One piece a file and look, which bounds the time it takes, unless ``to_the_end``.
        """
        for file in self._tail.scan():
            if file.format not in _SCALARS:
                continue
            if to_the_end or file.size != self._sizes.get(file.path):
                yield from self._pieces(file, to_the_end=to_the_end)

    def _pieces(
        self, file: StreamFile, *, to_the_end: bool
    ) -> Iterator[tuple[StreamFile, ScalarBatch]]:
        while True:
            offset = self._offsets.get(file.path, 0)
            try:
                data = self._tail.read(file.path, offset, MAX_RECORD)
            except OSError:
                return
            final = to_the_end and len(data) < MAX_RECORD
            consumed = self._skip(file, data, final) if file.format == "report" else 0
            series: ScalarBatch = {}
            if not consumed:
                decoded = decode_scalars(file.format, data, base=offset, final=final)
                consumed, series = decoded.consumed, decoded.series
            self._offsets[file.path] = offset + consumed
            if len(data) < MAX_RECORD:
                self._sizes[file.path] = offset + len(data)
            if series:
                yield file, series
            if len(data) < MAX_RECORD or not to_the_end:
                return


def whole_lines(data: bytes, final: bool) -> int:
    """Return how many bytes of ``data`` are whole lines."""
    return len(data) if final else data.rfind(b"\n") + 1
