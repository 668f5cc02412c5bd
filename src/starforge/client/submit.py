"""Submit a prepared experiment: upload what the server lacks, then create the job once."""

from __future__ import annotations

import getpass
import time
import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from starforge.errors import ExitCode, StarForgeError
from starforge.lab.bundle import Bundle, pack
from starforge.lab.source import source_state
from starforge.wire.findings import Input
from starforge.wire.jobs import JobDetail, SubmitRequest

if TYPE_CHECKING:
    from starforge.client.client import Client
    from starforge.prepare import Prepared

T = TypeVar("T")
TRIES = 5


def submit(
    client: Client,
    prepared: Prepared,
    *,
    sets: Sequence[str] = (),
    profile: str | None = None,
    name: str | None = None,
    priority: int | None = None,
    key: str | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> JobDetail:
    """Send ``prepared`` (which must be ``ok``) and return its job.

    The job is created with an idempotency key, so trying again after a lost answer never
    makes a second one; ``key`` lets a caller keep it across processes. The server plans
    again and refuses (409) when its plan is not the one prepared here.
    """
    sending = make_request(
        prepared, sets=sets, profile=profile, name=name, priority=priority, key=key
    )

    def send() -> JobDetail:
        upload(client, prepared, sending)
        return client.jobs.submit(sending.request)

    return persistently(send, pause)


class Sending(NamedTuple):
    """A request to run a job, and the bundle it names."""

    request: SubmitRequest
    bundle: Bundle


def make_request(
    prepared: Prepared,
    *,
    sets: Sequence[str] = (),
    profile: str | None = None,
    replace: Mapping[str, str] | None = None,
    name: str | None = None,
    priority: int | None = None,
    key: str | None = None,
) -> Sending:
    """Return what asks a server for the job of ``prepared``, which must be ``ok``."""
    assert prepared.plan is not None and prepared.context is not None
    bundle = pack(prepared.files)
    experiment = prepared.context.experiment
    source = source_state(experiment.folder)
    lab_root = prepared.context.lab_root
    request = SubmitRequest(
        bundle=bundle.sha256,
        sets=list(sets),
        profile=profile,
        inputs=_inputs(prepared),
        replace=dict(replace or {}),
        name=name or experiment.name,
        priority=priority,
        plan_digest=prepared.plan.digest(),
        method=prepared.plan.method,
        recipe_digest=prepared.plan.recipe_digest,
        idempotency_key=key or uuid.uuid4().hex,
        source=None if source is None else msgspec.to_builtins(source),
        lab=str(lab_root) if lab_root else None,
        owner=account(),
    )
    return Sending(request, bundle)


def upload(client: Client, prepared: Prepared, sending: Sending) -> None:
    """Send the bundle and the data, unless the server has them."""
    if not client.blobs.has(sending.bundle.sha256):
        client.blobs.put(sending.bundle.sha256, sending.bundle.data)
    _upload_data(client, prepared)


def account() -> str | None:
    """Return the name of the account that submits."""
    try:
        return getpass.getuser()[:100]
    except (OSError, KeyError):  # an account without a name
        return None


def _inputs(prepared: Prepared) -> list[Input]:
    assert prepared.plan is not None
    inputs = []
    for ref in prepared.plan.inputs:
        fields: dict[str, Any] = msgspec.to_builtins(ref)
        inputs.append(Input(**fields))
    return inputs


def _upload_data(client: Client, prepared: Prepared) -> None:
    assert prepared.context is not None
    for source in prepared.context.data.values():
        if source.path is not None and source.ref.digest is not None:
            client.blobs.put_file(source.ref.digest, source.path)


def persistently(send: Callable[[], T], pause: Callable[[float], None] = time.sleep) -> T:
    """Try again while the server is out of reach for a moment; everything sent is repeatable."""
    for attempt in range(1, TRIES + 1):
        try:
            return send()
        except StarForgeError as error:
            if error.exit_code != ExitCode.UNREACHABLE or attempt == TRIES:
                raise
            pause(min(0.5 * 2**attempt, 5.0))
    raise AssertionError  # the last try returns or raises
