"""Removes uploads that nothing came of: forms never submitted, what deleted jobs had.

Content is removed when nothing in the database refers to it and nobody asked for it for some
days. Whoever is about to refer to content asks for it first (``BlobStore.use``), so it is safe
between an upload and the job that is made of it.
"""

from __future__ import annotations

import threading

import structlog

from starforge.server.core import Core
from starforge.server.store.references import blob_references

log = structlog.get_logger("starforge.control")

FIRST = 300.0  # seconds after the start, when jobs and people have had their turn
EVERY = 6 * 3600.0
DAY = 86_400.0


class Collecting:
    """Runs :func:`collect` now and then in a thread until closed."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="collecting", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop before the next content."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(timeout=10)

    def _run(self) -> None:
        pause = FIRST
        while not self._closed.wait(pause):
            pause = EVERY
            try:
                collect(self._core, self._closed)
            except Exception:
                log.exception("collecting failed")


def collect(core: Core, closed: threading.Event | None = None) -> int:
    """Remove what nothing refers to and nobody wants any more; return how many contents."""
    core.blobs.clean(older_than=DAY)
    age = core.settings.keep_uploads * DAY
    if not age:
        return 0
    # First what is old, then what is referred to: what became old meanwhile isn't looked at.
    unwanted = set(core.blobs.unused(age))
    if unwanted:
        with core.db.read() as tx:
            for digest in blob_references(tx):
                unwanted.discard(digest)
                if not unwanted:
                    break
    removed = 0
    for digest in sorted(unwanted):
        if closed is not None and closed.is_set():
            break
        removed += core.blobs.discard(digest, age)
    if removed:
        log.info("unused uploads removed", count=removed)
    return removed
