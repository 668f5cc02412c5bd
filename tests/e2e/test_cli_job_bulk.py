"""``sf job stop``, ``edit`` and ``delete`` with several jobs at once."""

import json
import os
import subprocess
import sys

import pytest
from e2e_harness import send, wait_ended, wait_state

pytestmark = pytest.mark.e2e


def sf(server, *arguments):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("STARFORGE_", "SF_"))}
    return subprocess.run(
        [sys.executable, "-m", "starforge.cli.main", *arguments],
        env=kept | {"STARFORGE_HOME": str(server.home), "SF_LANG": "en"},
        capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def test_several_jobs_at_once(server, client, experiment):
    ids = [send(client, experiment("sleep 60\n", name)).id for name in ("one", "two")]
    wait_state(client, ids[0], "running")

    edited = sf(server, "job", "edit", *ids, "--tag", "keep", "--description", "说明", "--json")
    assert [one["tags"] for one in json.loads(edited.stdout)] == [["keep"], ["keep"]]
    one = sf(server, "job", "edit", "one", "--untag", "keep", "--name", "第一", "--json")
    assert (json.loads(one.stdout)["name"], json.loads(one.stdout)["tags"]) == ("第一", [])
    assert sf(server, "job", "edit", *ids, "--name", "same").returncode == 2
    assert sf(server, "job", "edit", ids[0]).returncode == 2

    stopped = sf(server, "job", "stop", ids[0], "nope", ids[1])
    assert stopped.returncode == 1
    assert "there is no job `nope`" in stopped.stderr
    assert len(stopped.stdout.splitlines()) == 2
    for ident in ids:
        wait_ended(client, ident)
    deleted = sf(server, "job", "delete", *ids, "--json")
    assert [row["id"] for row in json.loads(deleted.stdout)] == ids
    assert sf(server, "job", "delete", ids[0]).returncode == 1
