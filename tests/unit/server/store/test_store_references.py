from tests_store_support import make_job, make_plan

from starforge.plan import InputRef
from starforge.server.store import jobs, registry
from starforge.server.store.references import blob_references


def test_jobs_and_datasets_refer_to_their_contents(db):
    rows = InputRef(name="data.train", kind="blob", location="r" * 64, digest="r" * 64)
    hub = InputRef(name="model", kind="hub", location="some/model")
    with db.write() as tx:
        for number in range(150):  # more than are read at once
            plan = make_plan(inputs=[rows, hub])
            jobs.create(tx, make_job(plan=plan, bundle=f"{number:064d}"))
        jobs.create(tx, make_job())
        registry.add_dataset(
            tx, "d", digest="d" * 64, rows=1, size=1, columns=[], filename="d.jsonl"
        )
    with db.read() as tx:
        found = list(blob_references(tx))
    assert set(found) == {"r" * 64, "d" * 64, *(f"{number:064d}" for number in range(150))}
