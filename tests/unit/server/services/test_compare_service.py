"""Two results item by item: what is joined, what is refused, what is said."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.evals.paired import mcnemar
from starforge.server.services.compare import Page, Which, compare, items
from starforge.server.store import attempts, ingest, scores
from starforge.server.store.records import NewScore

PLAIN = {"pack": "1", "limit": None, "harness": "lm-eval"}


@pytest.fixture
def measure(core, add_job):
    """Return a function that keeps a benchmark job's score and per-item outputs."""

    def made(model, rewards, *, benchmark="sums", settings=None, at=1.0, job=None, **more):
        job = job or add_job(name=more.pop("name", "bench"))
        digests = more.pop("digests", True)
        order = more.pop("order", range(len(rewards)))
        rows = [
            {"t": 1.0, "s": place, "benchmark": benchmark, "prompt": f"Say {i}",
             "completion": f"{model} {i}", "reference": str(i), "id": str(i), "reward": rewards[i]}
            | ({"item": f"d{i}"} if digests else {})
            for place, i in enumerate(order)
        ]  # fmt: skip
        data = "".join(json.dumps(row) + "\n" for row in rows).encode()
        attempt = more.pop("attempt", 0)
        ingest.accept(core.db, core.files, ingest.StreamChunk(
            job_id=job.id, attempt=attempt, format="samples", path=f"samples/{benchmark}.jsonl",
            offset=0, data=data, final=True,
        ))  # fmt: skip
        score = NewScore(
            benchmark=benchmark, metric="acc", value=sum(rewards) / len(rewards), stderr=None,
            items=len(rewards), higher_is_better=more.pop("higher", True),
            settings=settings or PLAIN, created_at=at,
        )  # fmt: skip
        with core.db.write() as tx:
            scores.add(tx, job.id, attempt, [score])
            scores.label(tx, job.id, model=model, model_digest=None)
        return job

    return made


def refused(core, *which, **more):
    with pytest.raises(StarForgeError) as caught:
        compare(core, Which(*which, **more))
    assert caught.value.message.zh != caught.value.message.en
    return caught.value


def test_items_are_joined_whatever_their_order(core, measure):
    measure("base", [1, 1, 0, 0, 0, 1])
    job = measure("tuned", [1, 0, 1, 1, 0, 1], order=[5, 3, 1, 0, 2, 4])
    (one,) = compare(core, Which("base", "tuned", flips=2)).comparisons
    assert one.counts.model_dump() == {"both": 2, "only_a": 1, "only_b": 2, "neither": 1}
    assert (one.items, one.a.value, one.b.value, one.b.job) == (6, 0.5, 4 / 6, job.id)
    assert one.difference == pytest.approx(1 / 6) and one.low < 0 < one.high
    assert one.p_value == mcnemar(1, 2) == 1.0
    assert one.flipped == 3 and [flip.prompt for flip in one.flips] == ["Say 1", "Say 2"]
    first = one.flips[0]
    assert (first.a.completion, first.b.completion) == ("base 1", "tuned 1")
    assert (first.a.score, first.b.score, first.reference, first.item) == (1, 0, "1", "d1")
    assert one == compare(core, Which("base", job.id, flips=2)).comparisons[0]


def test_results_of_earlier_versions_are_joined_by_their_ids(core, measure):
    measure("base", [1, 0], digests=False)
    measure("tuned", [0, 1], order=[1, 0])
    (one,) = compare(core, Which("base", "tuned", flips=9)).comparisons
    assert one.counts.only_a == one.counts.only_b == 1
    assert [flip.item for flip in one.flips] == ["/0", "/1"]


def test_scores_that_are_not_right_or_wrong_have_an_interval_only(core, measure):
    measure("base", [0.5, 0.25, 1.0])
    measure("tuned", [0.75, 0.5, 1.0])
    (one,) = compare(core, Which("base", "tuned")).comparisons
    assert one.counts is one.p_value is None
    assert one.difference == pytest.approx(0.5 / 3) and one.low >= 0


def test_other_settings_are_refused_unless_wanted(core, measure):
    measure("base", [1, 0, 1], settings=PLAIN | {"limit": 3})
    measure("tuned", [1, 1, 0, 1])
    error = refused(core, "base", "tuned")
    assert error.code == "compare/settings" and "limit 3 / null" in error.message.en
    (one,) = compare(core, Which("base", "tuned", anyway=True)).comparisons
    assert (one.items, one.missing_a, one.missing_b) == (3, 1, 0)
    assert one.differs == {"limit": [3, None]}


def test_of_several_results_the_newest_with_equal_settings_count(core, measure):
    old = measure("base", [1, 0], at=1.0)
    measure("base", [1, 1], settings=PLAIN | {"limit": 2}, at=5.0)
    measure("tuned", [0, 1], at=2.0)
    newest = measure("tuned", [1, 1], at=3.0)
    (one,) = compare(core, Which("base", "tuned")).comparisons
    assert (one.a.job, one.b.job) == (old.id, newest.id)


def test_the_seed_of_sampling_is_no_setting(core, measure):
    measure("base", [1, 0], settings=PLAIN | {"seed": 1}, at=1.0)
    other = measure("base", [1, 1], settings=PLAIN | {"seed": 2}, at=2.0)
    third = measure("tuned", [0, 1], settings=PLAIN | {"seed": 3}, at=3.0)
    (one,) = compare(core, Which("base", "tuned")).comparisons
    assert (one.a.job, one.b.job, one.differs) == (other.id, third.id, {})
    assert (one.a.seed, one.b.seed) == (2, 3)
    measure("tuned", [1, 1], settings=PLAIN | {"seed": 1}, at=1.0)
    (one,) = compare(core, Which("base", "tuned")).comparisons
    assert one.a.seed == one.b.seed == 1
    examples = {"few_shot": 2, "few_shot_seed": 1}
    measure("base", [1, 0], benchmark="shots", settings=PLAIN | examples)
    measure("tuned", [1, 0], benchmark="shots", settings=PLAIN | examples | {"few_shot_seed": 2})
    assert "few_shot_seed 1 / 2" in refused(core, "base", "tuned", benchmark="shots").message.en


def test_what_cannot_be_compared_does_not_hide_what_can(core, measure):
    measure("base", [1, 0])
    measure("base", [1, 0], benchmark="other", settings=PLAIN | {"harness": "evalscope"})
    measure("tuned", [0, 1])
    measure("tuned", [0, 1], benchmark="other")
    found = compare(core, Which("base", "tuned"))
    assert [one.benchmark for one in found.comparisons] == ["sums"]
    (other,) = found.refused
    assert (other.benchmark, other.code) == ("other", "compare/settings")
    assert 'harness "evalscope" / "lm-eval"' in other.message.en and "--anyway" in other.hint.zh
    every = compare(core, Which("base", "tuned", anyway=True))
    assert len(every.comparisons) == 2 and every.refused == []


def test_items_are_looked_at_by_outcome_by_words_and_in_pages(core, measure):
    measure("base", [1, 1, 0, 0, 0, 1])
    measure("tuned", [1, 0, 1, 1, 0, 1])
    which = Which("base", "tuned", "sums")

    def shown(**page):
        found = items(core, which, Page(**page))
        return found.total, [one.prompt for one in found.items]

    assert shown() == (3, ["Say 1", "Say 2", "Say 3"])
    assert shown(show="only_a") == (1, ["Say 1"])
    assert shown(show="only_b", offset=1) == (2, ["Say 3"])
    assert shown(show="both") == (2, ["Say 0", "Say 5"])
    assert shown(show="neither") == (1, ["Say 4"])
    assert shown(show="all", limit=2, offset=4) == (6, ["Say 4", "Say 5"])
    assert shown(search="TUNED 2") == (1, ["Say 2"])
    assert shown(search="nothing") == (0, []) and shown(offset=9) == (3, [])
    (one,) = items(core, which, Page(show="only_a")).items
    assert (one.outcome, one.a.completion, one.b.score) == ("only_a", "base 1", 0)


def test_where_less_is_better_the_lower_score_wins_an_item(core, measure):
    measure("base", [0, 3, 2, 1], higher=False)
    measure("tuned", [0, 1, 2, 4], higher=False)
    found = items(core, Which("base", "tuned", "sums"), Page(show="all"))
    assert [one.outcome for one in found.items] == ["both", "only_b", "neither", "only_a"]


def test_every_benchmark_of_both_is_compared(core, measure):
    job = measure("base", [1, 0])
    measure("base", [1], benchmark="a", job=job)
    measure("base", [1], benchmark="mine", job=job)
    other = measure("tuned", [1, 0])
    measure("tuned", [0], benchmark="a", job=other)
    found = compare(core, Which("base", "tuned"))
    assert [one.benchmark for one in found.comparisons] == ["a", "sums"]
    assert found.left_out == ["mine"]
    assert found.comparisons[0].low is None
    found = compare(core, Which("base", "tuned", benchmark="sums"))
    assert [one.benchmark for one in found.comparisons] == ["sums"]
    error = refused(core, "base", "tuned", benchmark="mine")
    assert error.code == "compare/no-benchmark" and "tuned: a, sums" in error.hint.en


def test_a_job_stands_for_the_model_it_made(core, measure, add_job):
    trained = add_job(name="my-sft")
    measure("base", [1, 0])
    output = core.settings.job_dir(trained.id) / "output"

    def bench(part):
        return add_job(experiment={"models": {"model": str(output / part)}})

    scored = measure(f"job:{trained.id[:9]}", [1, 1], job=bench("model"))
    step = bench("checkpoints/step-2")
    chosen = measure("job:my-sft@step-2", [0, 0], at=9.0, job=step)
    measure("job:another", [0, 0], job=add_job(experiment={"models": {"model": "/elsewhere"}}))
    for ref in ("my-sft", "job:my-sft", trained.id, f"job:{trained.id[:9]}"):
        assert compare(core, Which("base", ref)).comparisons[0].b.job == scored.id
    assert refused(core, "base", trained.id[:5]).code == "job/ambiguous"
    measure(f"job:{trained.id[:5]}", [1, 1], job=bench("model"), at=5.0)
    assert compare(core, Which("base", f"job:{trained.id[:5]}")).comparisons[0].b.value == 1.0
    assert compare(core, Which("base", "job:my-sft@step-2")).comparisons[0].b.job == chosen.id


def test_the_attempt_that_measured_counts(core, measure):
    job = measure("base", [0, 0])
    with core.db.write() as tx:
        attempts.create(tx, job.id, resume=False)
    measure("base", [1, 0], job=job, attempt=1)
    measure("tuned", [1, 1])
    assert compare(core, Which("base", "tuned")).comparisons[0].a.value == 0.5


def test_what_cannot_be_compared_is_refused(core, measure, add_job):
    job = measure("base", [1, 0])
    assert refused(core, "base", "nobody").code == "compare/no-scores"
    assert refused(core, "base", add_job(name="queued").id).code == "compare/no-scores"
    assert refused(core, "base", job.id).code == "compare/same-job"
    measure("other", [1], benchmark="else")
    assert refused(core, "base", "other").code == "compare/no-benchmark"
    bare = add_job(name="bare")
    with core.db.write() as tx:
        scores.add(tx, bare.id, 0, [NewScore(
            benchmark="sums", metric="acc", value=0.5, stderr=None, items=2,
            higher_is_better=True, settings=PLAIN, created_at=1.0,
        )])  # fmt: skip
    assert refused(core, "base", bare.id).code == "compare/no-items"
