"""``job:ID@...``: which checkpoint of a job is meant."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.lab.inputs import parse_model
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab, new_experiment
from starforge.prepare import prepare
from starforge.server.services import ingest, models
from starforge.server.services.preparation import ServerResolver
from starforge.server.store import attempts
from starforge.server.store.records import AttemptChange
from starforge.wire.findings import Input

LOSSES = {2: 3.0, 4: 1.0, 6: 2.0}


@pytest.fixture
def job(core, add_job, make_plan):
    """A job of trl/sft with three checkpoints, a validation loss of each, and a final model."""
    from starforge.plan import CheckpointPlan, Stream

    places = CheckpointPlan(
        format="hf", pattern="output/checkpoints/checkpoint-*", final="output/model"
    )
    streams = [Stream(format="report", path="metrics/*.jsonl")]
    made = add_job(make_plan(method="trl/sft", checkpoints=places, metrics=streams))
    job_dir = core.settings.job_dir(made.id)
    for name in ("model", *(f"checkpoints/checkpoint-{step}" for step in LOSSES)):
        (job_dir / "output" / name).mkdir(parents=True)
        (job_dir / "output" / name / "config.json").write_text("{}")
    (job_dir / "output/checkpoints/checkpoint-8").mkdir()  # not whole
    with core.db.write() as tx:
        attempts.change(tx, made.id, 0, AttemptChange(state="running"))
    return made


def measure(core, job, losses):
    folder = core.settings.job_dir(job.id) / "attempt-0"
    (folder / "metrics").mkdir()
    rows = [{"t": 1.0, "s": s, "v": {"validation/loss": value}} for s, value in losses.items()]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "metrics/main.jsonl").write_text(text)
    ingest.drain(core, job.id, 0, folder)


@pytest.mark.parametrize(
    ("which", "folder"),
    [("", "model"), ("@last", "model"), ("@step-2", "checkpoints/checkpoint-2"),
     ("@best", "checkpoints/checkpoint-4")],
)  # fmt: skip
def test_which_export_is_meant(core, job, which, folder):
    measure(core, job, LOSSES)
    found = models.folder_of_job(core, job.id + which)
    assert found == core.settings.job_dir(job.id) / "output" / folder


def test_a_step_that_is_not_there_lists_those_that_are(core, job):
    with pytest.raises(StarForgeError) as caught:
        models.folder_of_job(core, f"{job.id}@step-8")
    assert caught.value.code == "job/no-export"
    assert "last, step-2, step-4, step-6" in caught.value.hint.en


@pytest.mark.parametrize(
    ("method", "places"),
    [
        ("verl/sft", ("global_step_*", "global_step_{}/huggingface")),
        ("verl/grpo", ("global_step_*", "global_step_{}/actor/huggingface")),
        ("openrlhf/sft", ("global_step*", "global_step{}_hf")),
        ("openrlhf/grpo", ("_actor/global_step*", "global_step{}_hf")),
    ],
)
def test_models_that_upstream_wrote_with_its_checkpoints(core, add_job, make_plan, method, places):
    """Folders as verl and OpenRLHF write them: shards, and on request a model besides."""
    from starforge.plan import CheckpointPlan, Stream

    pattern, beside = places
    checkpoints = CheckpointPlan(
        format="own", pattern=f"output/checkpoints/{pattern}", final="output/model"
    )
    streams = [Stream(format="report", path="metrics/*.jsonl")]
    plan = make_plan(method=method, framework=method.partition("/")[0], checkpoints=checkpoints,
                     metrics=streams)  # fmt: skip
    made = add_job(plan)
    root = core.settings.job_dir(made.id) / "output" / "checkpoints"
    for step in (2, 4, 6):
        (root / pattern.replace("*", str(step))).mkdir(parents=True)
        if step == 6:  # verl always writes config and tokenizer, the weights when asked
            continue
        model = root / beside.format(step)
        model.mkdir(parents=True)
        (model / "config.json").write_text("{}")
        if step != 4:
            (model / "model.safetensors").write_bytes(b"")
    with core.db.write() as tx:
        attempts.change(tx, made.id, 0, AttemptChange(state="running"))
    found = root / beside.format(2)
    assert models.folder_of_job(core, f"{made.id}@step-2") == found
    assert models.folder_of_job(core, made.id) == found  # no final model: the newest whole one
    with pytest.raises(StarForgeError) as caught:
        models.folder_of_job(core, f"{made.id}@step-4")
    assert "last, step-2" in caught.value.hint.en
    (found / "model.safetensors").unlink()
    with pytest.raises(StarForgeError) as caught:
        models.folder_of_job(core, f"{made.id}@step-2")
    way = "hf_model" if method.startswith("verl") else "save_hf: true"
    assert way in caught.value.hint.en and way in caught.value.hint.zh


@pytest.mark.parametrize("losses", [{}, {3: 0.5}])
def test_without_a_measurement_none_is_best(core, job, losses):
    if losses:
        measure(core, job, losses)
    with pytest.raises(StarForgeError) as caught:
        models.folder_of_job(core, f"{job.id}@best")
    assert caught.value.code == "job/no-best"
    assert "validation/loss" in caught.value.message.zh


@pytest.mark.parametrize(
    ("written", "location"),
    [("job:a1@best", "a1@best"), ("job:my-sft@step-20", "my-sft@step-20"), ("job:x", "x")],
)
def test_references_with_a_choice(tmp_path, written, location):
    assert parse_model(written, tmp_path, None).location == location


@pytest.mark.parametrize("written", ["job:a@", "job:a@worst", "job:a@step-", "job:@best"])
def test_malformed_choices(tmp_path, written):
    assert parse_model(written, tmp_path, None) is None


@pytest.mark.parametrize("method", ["openrlhf/dpo", "verl/grpo"])
def test_any_framework_goes_on_from_any_other(core, job, tmp_path, method):
    init_lab(tmp_path / "lab")
    recipe = core.catalog.recipe(method)
    folder = new_experiment(Lab(tmp_path / "lab"), "next", recipe, core.catalog, lang="en")
    file = folder / "experiment.yaml"
    file.write_text(file.read_text().replace("starforge:tiny", f"job:{job.id}"))
    data = folder / "data" / "train.jsonl"
    digest = core.blobs.put_file(data)
    sent = [Input(name="data.train", kind="blob", location=digest, digest=digest)]
    done = prepare(folder, resolver=ServerResolver(core, folder, sent), catalog=core.catalog)
    assert done.plan is not None, done.findings
    model = core.settings.job_dir(job.id) / "output" / "model"
    assert models.locations(core, done.plan) == {"model": str(model)}
