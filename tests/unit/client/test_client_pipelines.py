"""What is sent for a pipeline: all of it in one request of bounded size."""

import json

import pytest

from starforge.client import pipelines
from starforge.client import submit as submitting
from starforge.lab.source import SourceState
from starforge.pipelines.examine import examine


class Server:
    """Keeps what it is sent."""

    def __init__(self):
        self.blobs = self.pipelines = self
        self.kept = {}
        self.requests = []

    def has(self, digest):
        return digest in self.kept

    def put(self, digest, content):
        self.kept[digest] = content

    def put_file(self, digest, path):
        self.kept[digest] = path.read_bytes()

    def create(self, request):
        self.requests.append(request)
        return "made"


@pytest.fixture
def examined(tmp_path):
    lab = tmp_path / "lab"
    for name in ("a", "b"):
        folder = lab / "experiments" / name
        folder.mkdir(parents=True)
        (folder / "train.sh").write_text(f"echo {name}\n")
        (folder / "experiment.yaml").write_text(json.dumps({"method": "custom/custom"}))
    (lab / "rows.jsonl").write_text('{"text": "x"}\n')
    (lab / "starforge.yaml").write_text("name: lab\n")
    file = lab / "pipelines" / "p" / "pipeline.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(
        "stages:\n  a: {experiment: a, data: {train: rows.jsonl}}\n"
        "  b: {experiment: b, init_from: a, set: {total_steps: 3}}\n"
    )
    found = examine(file, tmp_path / "work")
    assert found.ok
    return found


def test_everything_travels_at_once(examined):
    server = Server()
    assert pipelines.run(server, examined, fresh=True, key="k") == "made"
    (request,) = server.requests
    assert (request.name, request.fresh, request.idempotency_key) == ("p", True, "k")
    assert request.text == examined.file.read_text()
    first, second = (one.job for one in request.stages)
    assert second.replace == {"model": "stage:a"}
    assert second.sets == ["total_steps=3"]
    assert {first.bundle, second.bundle, first.inputs[0].digest} == set(server.kept)
    for one in request.stages:
        assert one.job.plan_digest == examined.stages[one.name].prepared.plan.digest()


def test_large_changes_are_cut_so_that_the_request_stays_small(examined, monkeypatch):
    state = SourceState(commit="c", dirty=True, diff="+" * 1_000_000)
    monkeypatch.setattr(submitting, "source_state", lambda _: state)
    monkeypatch.setattr(pipelines, "MAX_DIFFS", 1000)
    server = Server()
    pipelines.run(server, examined)
    for one in server.requests[0].stages:
        assert (len(one.job.source["diff"]), one.job.source["truncated"]) == (500, True)
    assert len(server.requests[0].model_dump_json()) < 20_000
