"""Open the client a command talks through, and act on its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starforge.cli.output import note, print_json

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.wire.jobs import JobDetail


def open_client() -> Client:
    """Return a client of the configured or embedded server; starts the latter when needed."""
    from starforge.client.embedded import connect

    return connect(notify=note)


def print_job(job: JobDetail, text: str, *, as_json: bool) -> None:
    """Print what became of a job: ``{id, name, state, ...}`` or a line."""
    if as_json:
        print_json(job)
    else:
        from starforge.cli.output import say

        say(text)
