import json

import pytest

from starforge.server.store import attempts, ingest, samples
from starforge.server.store.ingest import StreamChunk


def row(step, text, reward=None, **more):
    return {"t": 1.0, "s": step, "prompt": f"q{step}", "completion": text, "reward": reward, **more}


@pytest.fixture
def put(db, files, job_id):
    with db.write() as tx:
        attempts.create(tx, job_id, resume=True)

    def write(*rows, attempt=0, path="samples/a.jsonl"):
        data = b"".join(json.dumps(each).encode() + b"\n" for each in rows)
        chunk = StreamChunk(
            job_id=job_id, attempt=attempt, path=path, format="samples", offset=0, data=data
        )
        assert ingest.accept(db, files, chunk) == len(data)

    return write


@pytest.fixture
def ask(db, files, job_id):
    def page(**how):
        with db.read() as tx:
            rows = {"search", "group", "truncated"} & how.keys()
            asked = {name: how.pop(name) for name in rows}
            return samples.page(tx, files, job_id, wanted=samples.Wanted(**asked), **how)

    return page


def texts(page):
    return [sample.data["completion"] for sample in page.rows]


def test_rows_come_back_whole(put, ask):
    put(row(3, "中文 answer", 0.5, rewards={"format": 1.0}, group="g1", mine=[1]))
    (sample,) = ask().rows
    assert (sample.step, sample.reward, sample.attempt, sample.path) == (
        3, 0.5, 0, "samples/a.jsonl",
    )  # fmt: skip
    assert sample.data["completion"] == "中文 answer"
    assert (sample.data["rewards"], sample.data["mine"]) == ({"format": 1.0}, [1])


def test_rows_sort_and_page(put, ask):
    put(row(1, "a", 0.5), row(1, "b", None), row(2, "c", 0.9), row(3, "d", -1.0))
    assert texts(ask(sort="step")) == ["a", "b", "c", "d"]
    assert texts(ask()) == ["d", "c", "a", "b"]
    assert texts(ask(sort="reward")) == ["d", "a", "c", "b"]
    assert texts(ask(sort="-reward", limit=2, offset=1)) == ["a", "d"]
    assert ask(limit=1).total == 4
    assert texts(ask(step=1)) == ["a", "b"]


@pytest.mark.parametrize("sort", ["step", "-step", "reward", "-reward"])
def test_search_keeps_the_order(put, ask, sort):
    put(*(row(n % 4, f"Answer {n}", (n * 7) % 5 if n % 3 else None) for n in range(30)))
    every = texts(ask(sort=sort, limit=100))
    found = ask(sort=sort, search="aNSWER 1", limit=5, offset=2)
    wanted = [text for text in every if text.startswith("Answer 1")]
    assert (texts(found), found.total) == (wanted[2:7], len(wanted))


def test_search_looks_into_messages_and_escaped_text(put, ask):
    put(
        row(1, [{"role": "assistant", "content": "你好"}]),
        row(2, "x", reference="secret \u4f60\u597d"),
        row(3, "y", note="你好"),
    )
    assert [sample.step for sample in ask(search="你好").rows] == [2, 1]


def test_rows_are_chosen_and_sorted_by_what_they_say(put, ask):
    put(
        row(1, "a", group=0, length=7, truncated=False),
        row(1, "b", group=1, length=16, truncated=True),
        row(2, "c", group=1, length=9, truncated=False),
        row(2, "d", group="x", truncated=True),
        row(3, "e"),
    )
    assert texts(ask(truncated=True)) == ["d", "b"]
    assert texts(ask(truncated=False, sort="-length")) == ["c", "a"]
    assert texts(ask(group="1", sort="step")) == ["b", "c"]
    assert texts(ask(group="x")) == ["d"]
    assert texts(ask(group="None")) == []
    assert texts(ask(group="1", truncated=True, search="B", step=1)) == ["b"]
    # Without a length a row comes last, whichever way.
    assert texts(ask(sort="length")) == ["a", "c", "b", "d", "e"]
    assert texts(ask(sort="-length", limit=2, offset=1)) == ["c", "a"]


def test_later_attempts_win(put, ask, db, job_id):
    put(row(1, "a1"), row(2, "a2"), row(3, "a3"))
    put(row(2, "b2"), row(4, "b4"), attempt=1)
    assert texts(ask(sort="step")) == ["a1", "b2", "b4"]
    assert texts(ask(sort="step", attempt=0)) == ["a1", "a2", "a3"]
    assert texts(ask(search="a")) == ["a1"]
    with db.read() as tx:
        assert samples.steps(tx, job_id) == [1, 2, 3, 4]


def test_rewards_that_are_no_numbers_come_last(put, ask):
    put(row(1, "nan", float("nan")), row(1, "inf", float("inf")), row(1, "one", 1.0))
    assert texts(ask(sort="-reward")) == ["inf", "one", "nan"]


def test_a_job_without_samples(ask, db, job_id):
    assert ask().rows == []
    assert ask(search="x").total == 0
    with db.read() as tx:
        assert samples.steps(tx, job_id) == []
