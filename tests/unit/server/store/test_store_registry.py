import pytest

from starforge.errors import StarForgeError
from starforge.server.store import registry


def add(tx, name, digest, **more):
    return registry.add_dataset(
        tx, name, digest=digest, rows=2, size=10, columns=["prompt"], filename="a.jsonl", **more
    )


def test_versions_count_up_and_equal_content_is_one_version(db):
    with db.write() as tx:
        assert [add(tx, "math", digest).version for digest in ("a", "b", "a")] == [1, 2, 1]
        assert add(tx, "other", "a").version == 1
        assert registry.dataset(tx, "math").digest == "b"
        assert registry.dataset(tx, "math@1").digest == "a"
        assert registry.dataset(tx, "math@v2").columns == ["prompt"]


@pytest.mark.parametrize("ref", ["none", "math@3", "math@x", "math@", "@1", "", "math@99999999999"])
def test_what_is_not_registered_is_named(db, ref):
    with db.write() as tx:
        add(tx, "math", "a")
    with db.read() as tx:
        for find, code in ((registry.dataset, "dataset"), (registry.model, "model")):
            with pytest.raises(StarForgeError) as caught:
                find(tx, ref)
            assert (caught.value.code, caught.value.status) == (f"{code}/not-found", 404)


def test_lists_are_newest_first(db):
    with db.write() as tx:
        for name, digest in [("math", "a"), ("chat", "b"), ("math", "c")]:
            add(tx, name, digest, description="Grade school")
        page = registry.datasets(tx)
        assert [(row.name, row.version) for row in page.rows] == [
            ("math", 2), ("chat", 1), ("math", 1),
        ]  # fmt: skip
        assert registry.datasets(tx, name="math").total == 2
        assert registry.datasets(tx, search="CHA").total == 1
        assert registry.datasets(tx, search="grade", limit=1).total == 3


def test_models_know_their_job(db):
    with db.write() as tx:
        made = registry.add_model(
            tx, "tuned", kind="job", location="job:x", digest="d", size=5, job_id="0123456789"
        )
        assert made.job_id == "0123456789"
        assert registry.model(tx, "tuned@1") == made
        assert registry.models(tx, search="tun").rows == [made]
