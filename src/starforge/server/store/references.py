"""Which uploaded contents the database refers to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import zstandard
from sqlalchemy import select

from starforge.server.store.database import Tx
from starforge.server.store.tables import datasets, job_specs, pipeline_stages, sweeps

_AT_ONCE = 100  # rows in memory


class _Input(msgspec.Struct):
    digest: str | None = None


class _Plan(msgspec.Struct):
    """The part of a plan that refers to contents; the rest is passed over."""

    inputs: list[_Input] = []


def blob_references(tx: Tx) -> Iterator[str]:
    """Yield the sha256 of every blob that a dataset, job, stage or sweep refers to.

    One may come several times. Among them may be digests of what lies elsewhere.
    """
    yield from tx.execute(select(datasets.c.digest)).scalars()
    specs = select(job_specs.c.bundle, job_specs.c.plan).execution_options(yield_per=_AT_ONCE)
    for bundle, packed in tx.execute(specs):
        if bundle:
            yield bundle
        plan = msgspec.json.decode(zstandard.decompress(packed), type=_Plan)
        yield from (one.digest for one in plan.inputs if one.digest)
    for table in (pipeline_stages, sweeps):
        for request in tx.execute(select(table.c.request)).scalars():
            yield from _of_request(request)


def _of_request(request: dict[str, Any]) -> Iterator[str]:
    found = [request.get("bundle"), *(one.get("digest") for one in request.get("inputs") or [])]
    yield from (digest for digest in found if digest)
