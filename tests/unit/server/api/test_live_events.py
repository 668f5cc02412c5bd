"""The stream of all changes: what it tells of pipelines and sweeps."""

import asyncio
import json

import pytest

from starforge.server.api.follow import all_events
from starforge.server.services.tasks import Tasks
from starforge.server.store import pipelines, sweeps
from starforge.server.store.pipelines import NewPipeline
from starforge.server.store.sweeps import NewSweep, NewTrial


@pytest.fixture
def pipeline(core):
    new = NewPipeline(
        name="math", text="stages: {}", fresh=False, lang="en", lab=None, owner="me",
        idempotency_key=None,
    )  # fmt: skip
    with core.db.write() as tx:
        return pipelines.create(tx, new, [])


@pytest.fixture
def sweep(core):
    new = NewSweep(
        name="rates", method="custom/custom", metric="score", goal="max", jobs=1, request={},
        lang="en", idempotency_key=None,
    )  # fmt: skip
    with core.db.write() as tx:
        return sweeps.create(tx, new, [NewTrial({"x": "1"}, ""), NewTrial({"x": "2"}, "")])


def read(core, *messages):
    """Publish (kind, id) while somebody listens; return the events that were sent."""

    async def listen():
        stream = all_events(core, Tasks(core.bus), "en")
        assert (await anext(stream)).startswith(b":")
        waiting = asyncio.ensure_future(anext(stream))
        while not core.bus._subscriptions:
            await asyncio.sleep(0)
        for kind, ident in messages:
            core.bus.publish(kind, data=ident)
        core.bus.close()
        return [await waiting, *[one async for one in stream]]

    found = []
    for one in asyncio.run(listen()):
        event, data = one.decode().strip().split("\n")
        found.append((event.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return found


def test_pipelines_and_sweeps_come_as_lists_show_them(core, pipeline, sweep):
    first, second = read(core, ("pipeline", pipeline), ("sweep", sweep))
    assert first[0] == "pipeline"
    assert (first[1]["id"], first[1]["name"], first[1]["state"]) == (pipeline, "math", "running")
    assert "text" not in first[1]
    assert second[0] == "sweep"
    assert (second[1]["id"], second[1]["counts"]) == (sweep, {"waiting": 2})
    assert "trials" not in second[1]


def test_what_is_gone_is_passed_over(core, sweep):
    assert [kind for kind, _ in read(core, ("pipeline", "nope"), ("sweep", sweep))] == ["sweep"]
