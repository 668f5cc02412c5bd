"""Submission with the real lab and catalog: what is refused, and what lies in the folder."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.lab.bundle import pack
from starforge.prepare import prepare
from starforge.server.errors import FindingsError
from starforge.server.services import datasets, preparation
from starforge.server.services.submit import submit
from starforge.server.store import attempts, jobs
from starforge.wire.datasets import DatasetCreate
from starforge.wire.findings import Input, PrepareRequest
from starforge.wire.jobs import SubmitRequest

ROWS = b'{"text": "a"}\n{"text": "b"}\n'


@pytest.fixture
def experiment(tmp_path):
    def write(**keys):
        folder = tmp_path / "exp"
        folder.mkdir(exist_ok=True)
        (folder / "train.sh").write_text("echo hi\n")
        (folder / "train.sh").chmod(0o755)
        (folder / "helper").mkdir(exist_ok=True)
        (folder / "helper" / "x.py").write_text("x = 1\n")
        (folder / "experiment.yaml").write_text(json.dumps({"method": "custom/custom", **keys}))
        return folder

    return write


def upload(core, folder, prepared):
    bundle = pack(prepared.files)
    core.blobs.put([bundle.data], digest=bundle.sha256)
    for source in prepared.context.data.values():
        if source.path is not None:
            core.blobs.put_file(source.path)
    return bundle.sha256


def request(core, folder, **more):
    prepared = prepare(folder)
    inputs = []
    if prepared.plan is not None:
        import msgspec

        inputs = [Input(**msgspec.to_builtins(ref)) for ref in prepared.plan.inputs]
        more.setdefault("plan_digest", prepared.plan.digest())
    return SubmitRequest(bundle=upload(core, folder, prepared), inputs=inputs, **more)


def test_a_submission_fills_the_folder_and_queues(core, experiment):
    folder = experiment(data={"train": "rows.jsonl"}, tags=["t"], description="about", priority=3)
    (folder / "rows.jsonl").write_bytes(ROWS)
    asked = request(core, folder, name="mine", source={"commit": "abc", "dirty": True, "diff": "d"})
    job_id, is_new = submit(core, asked, "zh")
    assert is_new
    job_dir = core.settings.job_dir(job_id)
    assert (job_dir / "data" / "train.jsonl").read_bytes() == ROWS
    assert (job_dir / "code" / "helper" / "x.py").read_text() == "x = 1\n"
    assert (job_dir / "code" / "train.sh").stat().st_mode & 0o100
    assert not (job_dir / "code" / "experiment.yaml").exists()
    assert not (job_dir / "code" / "rows.jsonl").exists()
    assert (job_dir / "record" / "experiment" / "experiment.yaml").is_file()
    assert json.loads((job_dir / "record" / "source.json").read_text())["diff"] == "d"
    assert (job_dir / "lib" / "starforge" / "report.py").is_file()
    assert json.loads((job_dir / "record" / "plan.json").read_text())["method"] == "custom/custom"
    with core.db.read() as tx:
        job = jobs.get(tx, job_id)
        assert attempts.get(tx, job_id, 0).state == "queued"
    assert (job.name, job.state, job.priority, job.tags) == ("mine", "queued", 3, ["t"])
    assert job.plan.digest() == job.plan_digest == asked.plan_digest
    assert (job.source.commit, job.source.dirty) == ("abc", True)
    assert job.experiment["lang"] == "zh"
    assert [one.name for one in core.settings.jobs.iterdir()] == [job_id]


def test_data_of_a_job_are_its_own_copy(core, experiment):
    folder = experiment(data={"train": "rows.jsonl"})
    (folder / "rows.jsonl").write_bytes(ROWS)
    asked = request(core, folder)
    job_id, _ = submit(core, asked, "en")
    target = core.settings.job_dir(job_id) / "data" / "train.jsonl"
    target.chmod(0o644)
    target.write_bytes(b"a job overwrote it")
    assert core.blobs.path(asked.inputs[0].digest).read_bytes() == ROWS


def test_the_same_key_answers_the_same_job_even_when_nothing_else_fits(core, experiment):
    folder = experiment()
    job_id, _ = submit(core, request(core, folder, idempotency_key="k"), "en")
    other = SubmitRequest(bundle="0" * 64, idempotency_key="k", plan_digest="1" * 64)
    assert submit(core, other, "en") == (job_id, False)


def nothing_was_queued(core):
    with core.db.read() as tx:
        assert jobs.page(tx).total == 0
    assert list(core.settings.jobs.iterdir()) == []


def test_errors_are_refused_with_every_finding(core, experiment):
    folder = experiment(metod="x", params={"script": "nowhere.sh"})
    with pytest.raises(FindingsError) as refused:
        submit(core, request(core, folder), "en")
    assert refused.value.status == 422
    assert len([one for one in refused.value.findings if one.severity == "error"]) >= 2
    nothing_was_queued(core)


def test_a_plan_other_than_the_printed_one_is_refused(core, experiment):
    with pytest.raises(StarForgeError) as refused:
        submit(core, request(core, experiment(), plan_digest="0" * 64), "en")
    assert (refused.value.code, refused.value.status) == ("submit/plan-differs", 409)
    assert refused.value.detail["plan"]["method"] == "custom/custom"
    nothing_was_queued(core)


def test_inputs_that_were_not_sent_are_findings(core, experiment):
    folder = experiment(data={"train": "rows.jsonl"})
    (folder / "rows.jsonl").write_bytes(ROWS)
    asked = request(core, folder)
    for inputs in ([], [asked.inputs[0].model_copy(update={"digest": "0" * 64})]):
        with pytest.raises(FindingsError) as refused:
            submit(core, asked.model_copy(update={"inputs": inputs}), "en")
        assert refused.value.findings[0].code == "input/not-uploaded"
    nothing_was_queued(core)


def test_registered_data_and_jobs_are_looked_up(core, experiment):
    core.blobs.put([ROWS])
    digest = core.blobs.put([ROWS])
    datasets.create(core, DatasetCreate(name="d", digest=digest))
    folder = experiment(data={"train": "dataset:d"}, model="job:nowhere")
    bundle = upload(core, folder, prepare(folder))
    with preparation.prepared(core, PrepareRequest(bundle=bundle)) as made:
        shown = preparation.validation(made, "en")
    assert [(one.code, one.key) for one in shown.findings if one.severity == "error"] == [
        ("input/unresolved", "model")
    ]
    folder = experiment(data={"train": "dataset:d"})
    bundle = upload(core, folder, prepare(folder))
    job_id, _ = submit(core, SubmitRequest(bundle=bundle), "en")
    with core.db.read() as tx:
        ref = jobs.get(tx, job_id).plan.inputs[0]
    assert (ref.location, ref.digest, ref.rows) == ("d@1", digest, 2)
    assert (core.settings.job_dir(job_id) / "data" / "train.jsonl").read_bytes() == ROWS


def test_what_never_fits_or_has_no_runtime_is_refused(core, experiment):
    for profile, code in (("cpu:999", "submit/never-fits"), ("gpu:999", "submit/never-fits")):
        folder = experiment(resources=profile)
        with pytest.raises(StarForgeError) as refused:
            submit(core, request(core, folder), "en")
        assert refused.value.code == code
    nothing_was_queued(core)


def test_a_bundle_that_is_missing_or_damaged_is_one_clear_error(core):
    digest = core.blobs.put([b"no bundle"])
    for bundle, code in (("0" * 64, "blob/not-found"), (digest, "bundle/damaged")):
        with pytest.raises(StarForgeError) as refused:
            submit(core, SubmitRequest(bundle=bundle), "en")
        assert refused.value.code == code
    nothing_was_queued(core)


def test_a_plan_answers_its_digest(core, experiment):
    folder = experiment()
    prepared = prepare(folder)
    bundle = upload(core, folder, prepared)
    with preparation.prepared(core, PrepareRequest(bundle=bundle)) as made:
        shown = preparation.planned(made, "en")
    assert shown.ok and shown.plan_digest == prepared.plan.digest()
    assert shown.plan["processes"][0]["role"] == "trainer"


def test_columns_are_renamed_in_the_folder_of_the_job(core, experiment):
    folder = experiment(data={"train": "rows.jsonl", "map": {"text": "content"}})
    (folder / "rows.jsonl").write_bytes(ROWS)
    asked = request(core, folder)
    job_id, _ = submit(core, asked, "en")
    target = core.settings.job_dir(job_id) / "data" / "train.jsonl"
    assert target.read_bytes() == b'{"content":"a"}\n{"content":"b"}\n'
    assert core.blobs.path(asked.inputs[0].digest).read_bytes() == ROWS
