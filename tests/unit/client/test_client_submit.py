"""Submitting: what is uploaded, and that trying again never makes a second job."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from starforge.client.client import Client
from starforge.client.submit import TRIES, submit
from starforge.errors import StarForgeError
from starforge.prepare import Prepared, prepare

ROWS = '{"prompt": "1 + 1 = ?", "completion": "2"}\n' * 8


@pytest.fixture
def prepared(tmp_path: Path) -> Prepared:
    document = {
        "method": "trl/sft",
        "model": "starforge:tiny",
        "data": {"train": "rows.jsonl"},
        "params": {"max_steps": 1, "log_steps": 1},
    }
    (tmp_path / "experiment.yaml").write_text(json.dumps(document))
    (tmp_path / "rows.jsonl").write_text(ROWS)
    found = prepare(tmp_path)
    assert found.plan is not None, [finding.message.en for finding in found.findings]
    return found


class Fake:
    """Keeps blobs; answers POST /jobs with ``failures`` refusals before a job."""

    def __init__(self, failures: int) -> None:
        self.failures = failures
        self.blobs: dict[str, bytes] = {}
        self.requests: list[dict[str, Any]] = []

    def __call__(self, method: str, path: str, _headers: Any, body: bytes) -> tuple[int, Any]:
        digest = path.rsplit("/", 1)[1]
        if method == "HEAD":
            return (200, {}) if digest in self.blobs else (404, b"")
        if method == "PUT":
            self.blobs[digest] = body
            return 201, {}
        self.requests.append(json.loads(body))
        if len(self.requests) <= self.failures:
            return 503, {"error": {"code": "a/b", "message": "no", "hint": None}}
        return 201, {
            "id": "j1", "name": "n", "method": "trl/sft", "state": "queued",
            "created_at": "2026-01-31T00:00:00Z",
        }  # fmt: skip


def test_bundle_and_data_travel_once(peer, prepared: Prepared) -> None:
    fake = Fake(0)
    client = Client(peer(fake).url, "t")
    job = submit(client, prepared, sets=["batch_size=2"], name="n", priority=3)
    assert (job.id, job.state) == ("j1", "queued")
    request = fake.requests[0]
    assert prepared.plan is not None
    assert request["plan_digest"] == prepared.plan.digest()
    assert (request["sets"], request["name"], request["priority"]) == (["batch_size=2"], "n", 3)
    rows = hashlib.sha256(ROWS.encode()).hexdigest()
    assert set(fake.blobs) == {request["bundle"], rows}
    assert all(hashlib.sha256(data).hexdigest() == name for name, data in fake.blobs.items())
    names = {one["name"]: one for one in request["inputs"]}
    assert names["data.train"]["digest"] == rows and names["model"]["kind"] == "builtin"
    sizes = dict(fake.blobs)
    submit(client, prepared)
    assert fake.blobs == sizes, "the same content is the same bundle"


def test_trying_again_keeps_the_key(peer, prepared: Prepared) -> None:
    fake = Fake(2)
    pauses: list[float] = []
    submit(Client(peer(fake).url, "t"), prepared, pause=pauses.append)
    keys = {request["idempotency_key"] for request in fake.requests}
    assert len(fake.requests) == 3 and len(keys) == 1 and keys != {None}
    assert pauses == sorted(pauses) and len(pauses) == 2


def test_a_server_that_stays_away_is_an_error(peer, prepared: Prepared) -> None:
    fake = Fake(99)
    with pytest.raises(StarForgeError):
        submit(Client(peer(fake).url, "t"), prepared, pause=lambda _: None)
    assert len(fake.requests) == TRIES


def test_a_refusal_is_not_tried_again(peer, prepared: Prepared) -> None:
    seen = []

    def answer(method: str, path: str, headers: Any, body: bytes) -> tuple[int, Any]:
        seen.append(method)
        return (
            (404, b"")
            if method == "HEAD"
            else (422, {"error": {"code": "a/b", "message": "no"}, "findings": []})
        )

    with pytest.raises(StarForgeError):
        submit(Client(peer(answer).url, "t"), prepared, pause=lambda _: None)
    assert seen == ["HEAD", "PUT"]
