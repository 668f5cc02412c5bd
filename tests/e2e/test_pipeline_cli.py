"""``sf pipeline`` against a real server: run, watch, list, show, stop and resume."""

import json
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner
from e2e_harness import wait_for, write_experiment

from starforge.cli.root import root
from starforge.lang import set_lang

pytestmark = pytest.mark.e2e


@pytest.fixture
def sf(server, tmp_path, monkeypatch):
    """Run ``sf`` in a lab with the experiments ``fine`` and ``waits``; stdout and exit code."""
    lab = tmp_path / "lab"
    write_experiment(lab / "experiments", "sleep 2", "fine")
    waits = f"test -e {tmp_path}/go || exec sleep 300"
    write_experiment(lab / "experiments", waits, "waits")
    (lab / "starforge.yaml").write_text("name: lab\n")
    monkeypatch.setenv("STARFORGE_URL", server.url)
    monkeypatch.setenv("STARFORGE_TOKEN", server.token)
    monkeypatch.setenv("STARFORGE_HOME", str(server.home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("SF_LANG", "en")
    monkeypatch.chdir(lab)

    def run(*args, code=0):
        done = CliRunner().invoke(root, list(args))
        set_lang(None)  # what --lang chose
        assert done.exit_code == code, done.output
        return done.stdout

    return run


def write(name, stages):
    file = Path("pipelines") / name / "pipeline.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(yaml.safe_dump({"stages": stages}, sort_keys=False))


def test_a_pipeline_is_watched_to_its_end(sf):
    write("two", {"a": {"experiment": "fine"}, "b": {"experiment": "fine", "needs": "a"}})
    shown = sf("pipeline", "run", "two", "--watch")
    assert shown.index("a: succeeded") < shown.index("b: running") < shown.index("b: succeeded")
    found = json.loads(sf("pipeline", "show", "two", "--json"))
    assert found["state"] == "succeeded"
    assert found["id"] in sf("pipeline", "ls")
    assert found["stages"][0]["job_id"] in sf("pipeline", "show", found["id"])
    assert "共 2 个，2 个成功" in sf("pipeline", "ls", "--lang", "zh")
    again = json.loads(sf("pipeline", "run", "two", "--watch", "--json"))
    assert [stage["reused"] for stage in again["stages"]] == [True, True]
    assert "(earlier)" in sf("pipeline", "show", "two")
    job = json.loads(sf("job", "show", found["stages"][1]["job_id"], "--json"))
    assert (job["pipeline"], job["stage"]) == (found["id"], "b")
    assert f"{found['id']} / b" in sf("job", "show", job["id"])


def test_a_gate_that_is_not_met_is_the_exit_code(sf):
    write("gated", {"a": {"experiment": "fine", "gate": "own.acc >= 1"},
                    "b": {"experiment": "fine", "needs": "a"}})  # fmt: skip
    shown = sf("pipeline", "run", "gated", "--watch", code=1)
    assert "no own.acc was measured" in shown
    assert "b: skipped" in shown


def test_stop_and_resume(sf, tmp_path):
    write("slow", {"a": {"experiment": "waits"}})
    made = json.loads(sf("pipeline", "run", "slow", "--json"))

    def state():
        return json.loads(sf("pipeline", "show", made["id"], "--json"))["stages"][0]["state"]

    wait_for(lambda: state() == "running")
    assert "pipeline" in sf("pipeline", "stop", "slow")
    shown = sf("pipeline", "show", "slow", "--watch", code=1)
    assert "a: stopped" in shown
    (tmp_path / "go").touch()
    assert "a: succeeded" in sf("pipeline", "resume", "slow", "--watch")
    sf("pipeline", "resume", "slow", code=1)
    sf("pipeline", "show", "nope", code=1)
