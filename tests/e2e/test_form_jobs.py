"""A job made from a form on a real server: run, cloned, compared, taken home and run again."""

import hashlib
import json
import os
import subprocess
import sys

import pytest
from e2e_harness import send, wait_ended

pytestmark = pytest.mark.e2e

SCRIPT = 'python -m starforge.report log loss=0.5 --step 2\ncat "$STARFORGE_DATA_TRAIN"\n'
ROWS = b'{"q": 1}\n{"q": 2}\n'


def sf(server, *arguments, cwd):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STARFORGE_", "SF_"))}
    return subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", *arguments], cwd=cwd,
        env=kept | {"STARFORGE_HOME": str(server.home), "SF_LANG": "en"},
        capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def post(client, path, body):
    return client.http.request("POST", path, body=body).json()


def test_from_the_form_to_a_clone_of_one_s_own(server, client, tmp_path):
    digest = hashlib.sha256(ROWS).hexdigest()
    client.blobs.put(digest, ROWS)
    form = {
        "name": "form", "method": "custom/custom", "map": {"q": "prompt"},
        "data": {"train": {"digest": digest, "file": "q.jsonl"}},
        "params": {"script": "train.sh", "total_steps": 4},
        "files": {"train.sh": {"text": SCRIPT}, "train.py": None},
    }  # fmt: skip
    made = post(client, "/experiments", form)
    plan = post(client, "/plan", made["request"])
    assert plan["ok"], plan["findings"]
    body = {**made["request"], "name": "第一", "plan_digest": plan["plan_digest"]}
    job = wait_ended(client, post(client, "/jobs", body)["id"])
    assert (job.state, job.message) == ("succeeded", job.message)
    assert (job.progress.step, job.progress.total) == (2, 4)
    assert '{"prompt":1}' in "".join(line.text for line in client.jobs.logs(job.id).lines).replace(
        " ", ""
    )

    clone = post(client, "/experiments", {**form, "base": job.id, "name": "clone",
                                          "params": {"script": "train.sh", "total_steps": 2},
                                          "files": {}})  # fmt: skip
    body = {**clone["request"], "name": "clone", "cloned_from": job.id}
    second = wait_ended(client, post(client, "/jobs", body)["id"])
    assert (second.state, second.cloned_from) == ("succeeded", job.id)
    config = client.jobs.config(second.id, against=job.id)
    assert config.parent == job.id and config.against is not None
    assert [(one.key, one.value, one.other) for one in config.against.differences] == [
        ("total_steps", 2, 4)
    ]

    lab = tmp_path / "lab"
    assert sf(server, "init", str(lab), cwd=tmp_path).returncode == 0
    taken = sf(server, "job", "experiment", "clone", "--json", cwd=lab)
    folder = lab / "experiments" / "clone"
    assert json.loads(taken.stdout)["folder"] == str(folder), taken.stderr
    assert (folder / "data" / "q.jsonl").read_bytes() == ROWS
    assert (folder / "train.sh").stat().st_mode & 0o100
    again = sf(server, "job", "experiment", "clone", cwd=lab)
    assert again.returncode == 1 and "is there already" in again.stderr
    third = wait_ended(client, send(client, folder).id)
    assert third.state == "succeeded" and third.plan_digest == second.plan_digest
