"""What an ended attempt left."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.plan import InputRef
from starforge.server.services import models, outputs, records
from starforge.server.services.folders import SMALL, folder_digest, folder_size
from starforge.server.store import artifacts, events, registry, scores
from starforge.server.store.records import NewScore


@pytest.fixture
def made(core, add_job):
    job = add_job(name="tuned")
    folder = core.settings.job_dir(job.id)
    model = folder / "output" / "model"
    model.mkdir()
    (model / "config.json").write_text('{"architectures": ["LlamaForCausalLM"]}')
    (model / "model.safetensors").write_bytes(b"w" * 100)
    return job, folder


def declare(folder, *rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "attempt-0" / "artifacts.jsonl").write_text(text + "not json\n[1]\n")


def known(core, job):
    with core.db.read() as tx:
        return {(one.kind, one.path): one for one in artifacts.of_job(tx, job.id)}


def test_declared_outputs_are_recorded_inside_the_job_only(core, made, tmp_path):
    job, folder = made
    (tmp_path / "secret").write_text("x")
    (folder / "output" / "link").symlink_to(tmp_path / "secret")
    declare(
        folder,
        {"kind": "model", "path": str(folder / "output" / "model"), "name": "final"},
        {"kind": "file", "path": "output/model/config.json"},
        {"kind": "file", "path": "../../token"},
        {"kind": "file", "path": "output/link"},
        {"kind": "file", "path": str(tmp_path / "secret")},
        {"kind": "file", "path": "output/nothing"},
        {"kind": "file", "path": ""},
    )
    outputs.collect(core, job.id, 0, succeeded=True)
    outputs.collect(core, job.id, 0, succeeded=True)  # a crash in between: all again
    found = known(core, job)
    assert set(found) == {("model", "output/model"), ("file", "output/model/config.json")}
    assert found["model", "output/model"].size == folder_size(folder / "output" / "model")
    with core.db.read() as tx:
        rows = registry.models(tx, name="tuned").rows
        refused = [one for one in events.after(tx, job_id=job.id) if one.kind == "outputs"]
    assert [(row.version, row.job_id, row.architecture) for row in rows] == [
        (1, job.id, "LlamaForCausalLM")
    ]
    assert len(refused) >= 5


def test_checkpoints_count_as_outputs_and_a_failed_job_registers_no_model(core, made):
    job, folder = made
    (folder / "output" / "checkpoints" / "step-2").mkdir(parents=True)
    declare(folder, {"kind": "model", "path": "output/model"})
    outputs.collect(core, job.id, 0, succeeded=False)
    assert ("checkpoint", "output/checkpoints/step-2") in known(core, job)
    with core.db.read() as tx:
        assert registry.models(tx).total == 0


def test_scores_get_the_model_they_are_about(core, add_job, make_plan):
    ref = InputRef(name="model", kind="hub", location="org/name")
    job = add_job(make_plan(inputs=[ref]), experiment={"model": "org/name"})
    score = NewScore(
        benchmark="b", metric="acc", value=0.5, stderr=None, items=1, higher_is_better=True,
        settings={}, created_at=1.0,
    )  # fmt: skip
    with core.db.write() as tx:
        scores.add(tx, job.id, 0, [score])
    outputs.collect(core, job.id, 0, succeeded=True)
    with core.db.read() as tx:
        assert scores.of_job(tx, job.id)[0].model == "org/name"


def test_a_jobs_model_is_its_export_then_its_newest_checkpoint(core, made, add_job):
    job, folder = made
    declare(folder, {"kind": "model", "path": "output/model"})
    outputs.collect(core, job.id, 0, succeeded=True)
    assert models.folder_of_job(core, job.id) == folder / "output" / "model"
    ref = InputRef(name="model", kind="job", location="tuned")
    assert models.resolve(core, ref) == str(folder / "output" / "model")
    registered = InputRef(name="model", kind="registry", location="tuned@1")
    assert models.resolve(core, registered) == str(folder / "output" / "model")

    other = add_job(name="half")
    with pytest.raises(StarForgeError) as none:
        models.folder_of_job(core, other.id)
    assert none.value.code == "job/no-model"
    checkpoint = core.settings.job_dir(other.id) / "output" / "checkpoints" / "7"
    checkpoint.mkdir(parents=True)
    (checkpoint / "config.json").write_text("{}")
    assert models.folder_of_job(core, other.id) == checkpoint


def test_model_folders_must_be_there_and_whole(core, tmp_path):
    for location, code in (
        ("relative", "model/not-found"),
        (str(tmp_path / "no"), "model/not-found"),
        (str(tmp_path), "model/broken"),
    ):
        with pytest.raises(StarForgeError) as refused:
            models.resolve(core, InputRef(name="model", kind="path", location=location))
        assert refused.value.code == code
    for kind in ("hub", "builtin"):
        assert models.resolve(core, InputRef(name="model", kind=kind, location="x")) == "x"


def test_digests_tell_trained_weights_apart(tmp_path):
    def folder(name, weights):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text("{}")
        (tmp_path / name / "model.safetensors").write_bytes(weights)
        return folder_digest(tmp_path / name)

    size = SMALL + 10
    first = folder("a", b"a" * size)
    assert folder("b", b"a" * size) == first
    assert folder("c", b"a" * (size - 1) + b"b") != first  # same size, other weights
    assert folder("d", b"a" * (size + 1)) != first


def test_only_what_is_public_of_a_job_can_be_fetched(core, made):
    job, folder = made
    (folder / "attempt-0" / "launch.json").write_text("{}")
    (folder / "attempt-0" / "runner.log").write_text("x")
    for path, allowed in (
        ("output/model/config.json", True),
        ("attempt-0/runner.log", True),
        ("attempt-0/launch.json", False),
        ("output", False),
        ("../../token", False),
        ("/etc/passwd", False),
        ("output/\0", False),
    ):
        assert (records.public_file(core, job.id, path) is not None) is allowed, path


@pytest.mark.parametrize(
    ("name", "kept"),
    [("a", "a"), ("my run@2: x/y", "my-run-2-x-y"), ("中文 名", "中文-名"), ("", "model")],
)
def test_a_jobs_name_becomes_a_name_models_can_have(name, kept):
    assert models.registry_name(name) == kept
