"""Stop, resume, retry, delete; lists and their refusals; imports."""

import json

import pytest

from starforge.errors import StarForgeError
from starforge.i18n import Text
from starforge.plan import CheckpointPlan
from starforge.server.services import importer, jobs
from starforge.server.store import attempts
from starforge.server.store import jobs as store
from starforge.server.store.records import JobChange, JobFilter
from starforge.wire.jobs import ImportRequest


def end(core, job, state="failed"):
    with core.db.write() as tx:
        store.change(tx, job.id, JobChange(state=state, ended_at=9.0, message=Text("a", "b")))
        return store.get(tx, job.id)


def refusal(what, *args, **kwargs):
    with pytest.raises(StarForgeError) as refused:
        what(*args, **kwargs)
    return refused.value.code


def test_only_an_ended_job_can_be_resumed_or_retried(core, add_job):
    job = add_job()
    assert refusal(jobs.resume, core, job) == "job/not-ended"
    assert refusal(jobs.retry, core, job) == "job/not-ended"
    assert refusal(jobs.delete, core, job, force=False) == "job/not-ended"
    job = end(core, job)
    assert refusal(jobs.resume, core, job) == "job/no-checkpoint"


def test_resume_queues_a_new_attempt_and_clears_the_old_end(core, add_job):
    job = end(core, add_job())
    (core.settings.job_dir(job.id) / "output" / "checkpoints" / "5").mkdir(parents=True)
    jobs.resume(core, job)
    with core.db.read() as tx:
        found, tries = store.get(tx, job.id), attempts.of_job(tx, job.id)
    assert (found.state, found.desired, found.ended_at, found.message) == (
        "queued", "run", None, None,
    )  # fmt: skip
    assert [(one.number, one.state, one.resume) for one in tries] == [
        (0, "queued", False), (1, "queued", True),
    ]  # fmt: skip
    assert refusal(jobs.resume, core, found) == "job/not-ended"


def test_not_every_method_can_be_resumed(core, add_job, make_plan):
    fixed = CheckpointPlan(format="x", pattern="output/*", resumable=False)
    job = end(core, add_job(make_plan(checkpoints=fixed)))
    assert refusal(jobs.resume, core, job) == "job/not-resumable"
    job = end(core, add_job(), "succeeded")
    assert refusal(jobs.resume, core, job) == "job/already-succeeded"


def test_retry_keeps_the_old_output_aside(core, add_job):
    job = end(core, add_job())
    folder = core.settings.job_dir(job.id)
    (folder / "output" / "old").write_text("x")
    jobs.retry(core, job)
    assert (folder / "output-0" / "old").read_text() == "x"
    with core.db.read() as tx:
        assert store.get(tx, job.id).current_attempt == 1


def test_delete_leaves_nothing(core, add_job):
    job = end(core, add_job())
    other = add_job()
    jobs.delete(core, job, force=False)
    assert not core.settings.job_dir(job.id).exists()
    assert core.settings.job_dir(other.id).exists()
    assert refusal(jobs.find, core, job.id) == "job/not-found"
    (core.settings.jobs / ".new-x").mkdir()
    (core.settings.jobs / ".deleted-x").mkdir()
    jobs.clean_leftovers(core)
    assert [one.name for one in core.settings.jobs.iterdir()] == [other.id]


def test_lists_refuse_what_they_do_not_know(core, add_job):
    for name in ("a", "b", "c"):
        add_job(name=name)
    page = jobs.page(core, JobFilter(), "en", sort="name", number=1, size=2)
    assert ([one.name for one in page.jobs], page.total) == (["a", "b"], 3)
    page = jobs.page(core, JobFilter(), "en", sort="-name", number=2, size=2)
    assert [one.name for one in page.jobs] == ["a"]
    bad = {"sort": "-created_at", "number": 1, "size": 1}
    assert refusal(jobs.page, core, JobFilter(states=["done"]), "en", **bad) == "request/bad-state"
    assert refusal(jobs.page, core, JobFilter(), "en", **{**bad, "sort": "color"}) == (
        "request/bad-sort"
    )
    assert jobs.page(core, JobFilter(), "en", sort="name", number=-5, size=10**9).total == 3


def test_an_import_takes_what_is_there_and_its_end(core, tmp_path):
    folder = tmp_path / "run"
    (folder / "metrics").mkdir(parents=True)
    rows = [{"t": 1.0 * n, "s": n, "v": {"loss": 1.0}} for n in range(3)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / "metrics" / "report-0-1.jsonl").write_text(text)
    (folder / "run.json").write_text('{"name": "mine"}')
    (folder / "status.json").write_text('{"state": "failed", "reason": "x", "ended_at": 7.0}')
    job = jobs.find(core, importer.import_folder(core, ImportRequest(path=str(folder))))
    assert (job.name, job.state, job.ended_at) == ("mine", "failed", 7.0)
    again = importer.import_folder(core, ImportRequest(path=str(folder), name="other"))
    assert again == job.id
    (folder / "metrics" / "report-0-1.jsonl").write_text(text * 2)
    assert importer.import_folder(core, ImportRequest(path=str(folder))) != job.id
    whole = tmp_path / "job"
    folder.rename(whole.with_name("tmp"))
    whole.mkdir()
    whole.with_name("tmp").rename(whole / "attempt-0")
    assert importer.import_folder(core, ImportRequest(path=str(whole)))
    empty = tmp_path / "empty"
    empty.mkdir()
    for path, code in ((empty, "import/nothing"), (tmp_path / "no", "import/no-folder")):
        assert refusal(importer.import_folder, core, ImportRequest(path=str(path))) == code
    assert refusal(importer.import_folder, core, ImportRequest(path="x")) == "import/no-folder"
