"""Read metric curves: whole, windowed, or down to buckets."""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from starforge.server.store.database import Tx


class Curve(msgspec.Struct, frozen=True, kw_only=True):
    """Equally long columns, in order of step.

    Without buckets one entry is one point (``minimum == maximum == value``, count 1).
    With buckets an entry is a run of points: step, time and attempt of its last point,
    ``value`` the mean of its finite values (NaN when there is none), ``count`` all its
    points, ``nonfinite`` those that are NaN or infinite.
    """

    step: NDArray[np.int64]
    time: NDArray[np.float64]
    value: NDArray[np.float64]
    attempt: NDArray[np.int32]
    minimum: NDArray[np.float64]
    maximum: NDArray[np.float64]
    last: NDArray[np.float64]
    count: NDArray[np.int64]
    nonfinite: NDArray[np.int64]


def read(
    tx: Tx,
    job_id: str,
    names: Collection[str] | None = None,
    *,
    buckets: int | None = None,
    lo: float | None = None,
    hi: float | None = None,
    x: Literal["step", "time"] = "step",
    attempt: int | None = None,
    merged: bool = True,
) -> dict[str, Curve]:
    """Return curves by name (unknown names are left out).

    ``lo`` and ``hi`` (inclusive, in units of ``x``) choose a window; ``buckets`` is the
    most entries wanted. ``attempt`` picks one attempt; otherwise ``merged`` lets later
    attempts win, and ``merged=False`` gives the points of all attempts.
    """
    raise NotImplementedError
