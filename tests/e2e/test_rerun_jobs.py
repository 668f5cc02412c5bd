"""The record of a job: exported, run again here and on another server, refused when damaged."""

import json
import os
import subprocess
import sys
import zipfile

import pytest
from e2e_harness import send, wait_ended

pytestmark = pytest.mark.e2e

SCRIPT = """python3 -c '
from starforge import report
for step in range(1, 6):
    report.log({"loss": 1 / step})
'
wc -l < "$STARFORGE_OUTPUT_DIR/../data/train.jsonl" > "$STARFORGE_OUTPUT_DIR/rows"
"""


def sf(server, *arguments, code=0):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STARFORGE_", "SF_"))}
    done = subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", *arguments],
        env=kept | {"STARFORGE_HOME": str(server.home), "SF_LANG": "en"},
        capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done


def points(client, job):
    return client.jobs.metrics(job, name=["loss"])["loss"].model_dump(exclude={"time"})


def test_the_same_job_again_here_and_elsewhere(servers, experiment, tmp_path):
    here, there = servers("here").start(), servers("there").start()
    client, other = here.client(), there.client()
    folder = experiment(SCRIPT, "first", data={"train": "rows.jsonl"})
    (folder / "rows.jsonl").write_text('{"text": "a"}\n{"text": "b"}\n')
    first = send(client, folder)
    assert wait_ended(client, first.id).state == "succeeded"

    file = tmp_path / "first.sfrecord"
    said = json.loads(sf(here, "job", "record", first.id, "-o", str(file), "--json").stdout)
    assert (said["job"], said["plan_digest"]) == (first.id, first.plan_digest)
    assert "is there already" in sf(here, "job", "record", first.id, "-o", str(file), code=1).stderr

    again = json.loads(sf(here, "job", "rerun", first.id, "--json", "--key", "k").stdout)
    twice = json.loads(sf(here, "job", "rerun", first.id, "--json", "--key", "k").stdout)
    assert again["id"] == twice["id"] != first.id
    away = json.loads(sf(there, "job", "rerun", str(file), "--name", "away", "--json").stdout)
    assert away["name"] == "away"
    for whose, job in ((client, again["id"]), (other, away["id"])):
        done = wait_ended(whose, job)
        assert (done.state, done.rerun_of) == ("succeeded", first.id)
        assert done.plan_digest == first.plan_digest
        assert b"".join(whose.jobs.file(job, "output/rows")).strip() == b"2"
        assert points(whose, job) == points(client, first.id)


def test_rows_of_a_dataset_travel_in_the_file(servers, experiment, tmp_path):
    here, there = servers("here").start(), servers("there").start()
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"text": "a"}\n')
    sf(here, "dataset", "add", "mine", str(rows))
    folder = experiment(SCRIPT, "first", data={"train": "dataset:mine@1"})
    made = json.loads(sf(here, "submit", str(folder), "--json").stdout)
    file = tmp_path / "first.sfrecord"
    sf(here, "job", "record", made["id"], "-o", str(file))
    away = sf(there, "job", "rerun", str(file), "--json")
    assert "lacks the recorded datasets" in away.stderr
    client = there.client()
    done = wait_ended(client, json.loads(away.stdout)["id"])
    assert b"".join(client.jobs.file(done.id, "output/rows")).strip() == b"1"


def test_another_plan_is_refused_with_what_differs(servers, experiment, tmp_path):
    server = servers("home").start()
    first = send(server.client(), experiment("true\n", "first"))
    file = tmp_path / "a.sfrecord"
    sf(server, "job", "record", first.id, "-o", str(file))
    forged = tmp_path / "b.sfrecord"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(forged, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "record.json":
                index = json.loads(data)
                index["plan_digest"] = "0" * 64
                index["plan"]["resources"]["cpus"] = 7
                data = json.dumps(index).encode()
            new.writestr(name, data)
    refused = sf(server, "job", "rerun", str(forged), code=1)
    assert "not the one" in refused.stderr and "cpus" in refused.stderr
    assert "--anyway" in refused.stderr
    sf(server, "job", "rerun", str(forged), "--anyway")


@pytest.mark.parametrize("how", ["text", "no-index", "newer", "bad-blob", "no-blob"])
def test_what_is_no_record(servers, experiment, tmp_path, how):
    server = servers("home").start()
    first = send(server.client(), experiment("true\n", "first"))
    file, bad = tmp_path / "a.sfrecord", tmp_path / "bad.sfrecord"
    sf(server, "job", "record", first.id, "-o", str(file))
    other = servers("other").start()  # lacks the blobs, so the file's own are sent
    if how == "text":
        bad.write_text("hello")
    else:
        with zipfile.ZipFile(file) as old, zipfile.ZipFile(bad, "w") as new:
            for name in old.namelist():
                data = old.read(name)
                if how == "no-index" and name == "record.json":
                    continue
                if how == "newer" and name == "record.json":
                    data = json.dumps({**json.loads(data), "format": 99}).encode()
                if how == "no-blob" and name.startswith("blobs/"):
                    continue
                if how == "bad-blob" and name.startswith("blobs/"):
                    data += b"!"
                new.writestr(name, data)
    done = sf(other, "job", "rerun", str(bad), code=1)
    assert "Traceback" not in done.stderr and done.stderr.startswith("error:")
    assert other.client().jobs.page().total == 0


def test_an_imported_job_has_nothing_to_run_again(servers, tmp_path):
    server = servers("home").start()
    run = tmp_path / "run"
    (run / "metrics").mkdir(parents=True)
    (run / "metrics" / "a.jsonl").write_text('{"t":1,"s":1,"v":{"loss":1}}\n')
    imported = json.loads(sf(server, "job", "import", str(run), "--json").stdout)
    refused = sf(server, "job", "rerun", imported["id"], code=1)
    assert "was not submitted" in refused.stderr
