"""Whether a scored model was trained on what it was asked: followed through the jobs."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.server.services import board, contamination, outputs
from starforge.server.store import ingest, jobs, scores
from starforge.server.store.records import NewScore

TASK = {"doc_to_text": "Q: {{question}}\nA:"}
ITEMS = [{"question": f"How many legs do {n} spiders have together?"} for n in range(2, 6)]


def lines(*rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def world(core, add_job):
    class World:
        def trained(self, *prompts, model="org/base", data=True):
            """Add a job that trained on prompts; return where its model lies."""
            self.job = add_job(name="sft", experiment={"models": {"model": model}})
            folder = core.settings.job_dir(self.job.id)
            if data:
                (folder / "data").mkdir()
                rows = lines(*({"prompt": one, "completion": "x"} for one in prompts))
                (folder / "data/train.jsonl").write_text("not json\n" + rows)
            return str((folder / "output/model").resolve())

        def scored(self, model, *, rows=ITEMS, count=4, few_shot=0, prompts=()):
            about = {"model": "job:sft", "models": {"model": model}}
            job = add_job(name="bench", experiment=about)
            record = core.settings.job_dir(job.id) / "record"
            (record / "packs").mkdir(parents=True)
            (record / "packs/legs.jsonl").write_text(lines(*rows))
            place = "${RECORD}/packs/legs.jsonl" if rows else None
            known = {"name": "legs", "rows": place, "task": TASK, "hub": None}
            (record / "config.json").write_text(json.dumps({"benchmarks": [known]}))
            data = lines(*({"s": n, "t": 1, "benchmark": "legs", "prompt": one, "completion": ""}
                           for n, one in enumerate(prompts)))  # fmt: skip
            ingest.accept(core.db, core.files, ingest.StreamChunk(
                job_id=job.id, attempt=0, format="samples", path="samples/legs.jsonl",
                offset=0, data=data.encode(), final=True,
            ))  # fmt: skip
            with core.db.write() as tx:
                scores.add(tx, job.id, 0, [NewScore(
                    benchmark="legs", metric="acc", value=0.5, stderr=None, items=count,
                    higher_is_better=True, settings={"few_shot": few_shot}, created_at=1.0,
                )])  # fmt: skip
            return job

    return World()


def found(core, job):
    (one,) = contamination.of(core, job)
    return (one.found.seen, one.found.items) if one.found else one.reason.en


def test_items_are_counted_and_shown_beside_the_score(core, world):
    model = world.trained(ITEMS[1]["question"], "Else?", f"Q: {ITEMS[3]['question']}\nA:")
    job = world.scored(model)
    outputs.collect(core, job.id, 0, succeeded=True)
    (score,) = board.scores(core, benchmark=None, model=None)
    assert (score.contamination.seen, score.contamination.items) == (2, 4)
    assert score.model == "job:sft"
    assert found(core, world.job) == (2, 4), "asked by the job that trained"


def test_only_what_was_asked_counts(core, world):
    model = world.trained(ITEMS[0]["question"], ITEMS[3]["question"])
    assert found(core, world.scored(model, count=2)) == (1, 2)


def test_the_jobs_before_count_too(core, world):
    first = world.trained(ITEMS[0]["question"])
    assert found(core, world.scored(world.trained("Else?", model=first))) == (1, 4)
    assert found(core, world.scored(world.trained("Else?"))) == (0, 4)


def test_items_of_a_hub_are_known_by_their_prompts(core, world):
    question = "Say: how many wheels do seven hundred and twelve old red buses have now"
    model = world.trained(question)
    asked = [f"Question: {question}\nAnswer:", "Question: how many?\nAnswer:"]
    assert found(core, world.scored(model, rows=[], prompts=asked)) == (1, 2)
    said = found(core, world.scored(model, rows=[], prompts=asked, few_shot=5))
    assert "items are not known" in said


@pytest.mark.parametrize("model", ["org/base", "/somewhere/else", None])
def test_models_that_no_job_made_are_unknown(core, world, model):
    job = world.scored(model)
    assert "training data is not known" in found(core, job)
    outputs.collect(core, job.id, 0, succeeded=True)
    assert board.scores(core, benchmark=None, model=None)[0].contamination is None


def test_one_unknown_link_makes_it_unknown(core, world):
    without = world.trained(data=False)
    assert "not known" in found(core, world.scored(world.trained("x", model=without)))
    gone = str(core.settings.job_dir("2gone00000") / "output/model")
    assert "not known" in found(core, world.scored(world.trained("x", model=gone)))


def test_large_data_waits_until_it_is_asked_for(core, world, monkeypatch):
    monkeypatch.setattr(contamination, "AT_ONCE", 10)
    job = world.scored(world.trained(ITEMS[0]["question"]))
    contamination.keep(core, job.id)
    with core.db.read() as tx:
        assert scores.of_job(tx, job.id)[0].seen is None
    assert found(core, job) == (1, 4)
    with core.db.read() as tx:
        assert scores.of_job(tx, job.id)[0].seen == 1


def test_a_job_without_scores_is_refused(core, world):
    world.trained("x")
    with core.db.read() as tx:
        job = jobs.get(tx, world.job.id)
    with pytest.raises(StarForgeError) as caught:
        contamination.of(core, job)
    assert caught.value.code == "compare/no-scores"
