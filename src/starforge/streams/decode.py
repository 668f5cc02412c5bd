"""The two decoders by name of format."""

from __future__ import annotations

from starforge.streams import alerts, report, samples, scores, tensorboard
from starforge.streams.model import Decoded, DecodedRows


def decode_scalars(fmt: str, data: bytes, *, base: int = 0, final: bool = False) -> Decoded:
    """Decode the whole records of a ``tensorboard`` or ``report`` stream.

    ``data`` begins at the first byte not yet consumed, which is byte ``base`` of the stream
    (notes count from the stream's start). ``final``: no more bytes will come, so a last line
    without a newline is a record. Damage never raises; it is skipped and noted.

    Raises:
        ValueError: ``fmt`` has no scalars.
    """
    if fmt == "tensorboard":
        return tensorboard.decode(data, base=base)
    if fmt == "report":
        return report.decode(data, base=base, final=final)
    raise ValueError(f"{fmt!r} is not a format of scalars")


def decode_rows(fmt: str, data: bytes, *, base: int = 0, final: bool = False) -> DecodedRows:
    """Decode the whole records of a ``samples``, ``scores`` or ``alerts`` stream.

    See `decode_scalars`.

    Raises:
        ValueError: ``fmt`` has no rows.
    """
    if fmt == "samples":
        return samples.decode(data, base=base, final=final)
    if fmt == "scores":
        return scores.decode(data, base=base, final=final)
    if fmt == "alerts":
        return alerts.decode(data, base=base, final=final)
    raise ValueError(f"{fmt!r} is not a format of rows")
