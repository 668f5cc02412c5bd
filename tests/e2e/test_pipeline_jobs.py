"""Pipelines on a real server: what waits for what, gates, kills, stops, and nothing twice."""

import json
import time

import pytest
import yaml
from e2e_harness import wait_ended, wait_for, wait_state, write_experiment

from starforge.client.pipelines import run
from starforge.errors import StarForgeError
from starforge.pipelines.examine import examine
from starforge.wire.pipelines import ENDED

pytestmark = pytest.mark.e2e

MODEL = """
mkdir -p "$STARFORGE_OUTPUT_DIR/model"
echo '{"architectures": ["LlamaForCausalLM"], "model_type": "llama"}' \
  > "$STARFORGE_OUTPUT_DIR/model/config.json"
"$STARFORGE_PYTHON" -c '
import os
from starforge import report
report.init()
report.log_artifact(os.environ["STARFORGE_OUTPUT_DIR"] + "/model", kind="model")
report.finish()
'
"""
SCORE = """
"$STARFORGE_PYTHON" -c '
import os
from starforge import report
report.init()
report.log_score("own", "acc", {value}, stderr=0.1)
report.finish()
'
"""


@pytest.fixture
def lab(tmp_path):
    """A lab; ``lab(stages, **scripts)`` writes experiments and examines the pipeline of them.

    Every script notes its run in ``lab.ran()``.
    """

    class Lab:
        root = tmp_path / "lab"
        log = tmp_path / "ran"

        def __call__(self, stages, **scripts):
            self.root.mkdir(exist_ok=True)
            (self.root / "starforge.yaml").write_text("name: lab\n")
            for name, script in scripts.items():
                note = f'echo "{name}" >> {self.log}\n'
                folder = self.root / "experiments"
                write_experiment(folder, note + script, name)
            file = self.root / "pipelines" / "p" / "pipeline.yaml"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(yaml.safe_dump({"stages": stages}, sort_keys=False))
            self.count = getattr(self, "count", 0) + 1
            found = examine(file, tmp_path / f"work{self.count}")
            assert found.ok, [finding.message.en for finding in found.findings]
            return found

        def ran(self):
            return self.log.read_text().split() if self.log.exists() else []

    return Lab()


def ended(client, ident, patience=60.0):
    def look():
        found = client.pipelines.get(ident)
        return found if found.state in ENDED else None

    return wait_for(look, patience)


def states(found):
    return {stage.name: stage.state for stage in found.stages}


def test_results_go_from_stage_to_stage(client, lab):
    examined = lab(
        {
            "rows": {"experiment": "rows"},
            "base": {"experiment": "base"},
            "tuned": {
                "experiment": "tuned", "init_from": "base",
                "data_from": {"train": "rows:made/r.jsonl"},
                "gate": ["own.acc >= 0.5", "own.acc better than base by 2 se"],
            },
        },
        rows='mkdir -p "$STARFORGE_OUTPUT_DIR/made"; '
             'echo \'{"text": "x"}\' > "$STARFORGE_OUTPUT_DIR/made/r.jsonl"',
        base=MODEL + SCORE.format(value=0.2),
        tuned='test -f "$STARFORGE_MODEL/config.json" && grep -q x "$STARFORGE_DATA_TRAIN"'
              + SCORE.format(value=0.6),
    )  # fmt: skip
    made = run(client, examined)
    assert states(made) == {"rows": "waiting", "base": "waiting", "tuned": "waiting"}
    done = ended(client, made.id)
    assert (done.state, states(done)) == ("succeeded", dict.fromkeys(states(made), "succeeded"))
    _, base, tuned = done.stages
    assert tuned.needs == ["base", "rows"]
    assert [one.met for one in tuned.verdicts] == [True, True]
    assert tuned.verdicts[1].bound == pytest.approx(0.2 + 2 * (0.02**0.5))
    job = client.jobs.get(tuned.job_id)
    assert (job.name, job.pipeline, job.stage) == ("p-tuned", made.id, "tuned")
    assert (job.parent, job.model) == (base.job_id, f"job:{base.job_id}")
    assert sorted(lab.ran()) == ["base", "rows", "tuned"]


def test_a_gate_that_is_not_met_ends_what_waits_and_says_the_numbers(client, lab):
    examined = lab(
        {
            "score": {"experiment": "score", "gate": "own.acc >= 0.5"},
            "more": {"experiment": "more", "needs": ["score"]},
            "aside": {"experiment": "aside"},
        },
        score=SCORE.format(value=0.4), more="true", aside="true",
    )  # fmt: skip
    done = ended(client, run(client, examined).id)
    assert done.state == "failed"
    assert states(done) == {"score": "gate_failed", "more": "skipped", "aside": "succeeded"}
    assert "own.acc = 0.4 ± 0.1 is not >= 0.5" in done.message
    assert client.jobs.get(done.stages[0].job_id).state == "succeeded"
    assert "more" not in lab.ran()
    # With a gate it reaches, the same measurement counts: only what never ran is run.
    examined = lab(
        {
            "score": {"experiment": "score", "gate": "own.acc >= 0.3"},
            "more": {"experiment": "more", "needs": ["score"]},
            "aside": {"experiment": "aside"},
        }
    )
    again = ended(client, run(client, examined).id)
    assert again.state == "succeeded"
    assert [stage.reused for stage in again.stages] == [True, False, True]
    assert again.stages[0].job_id == done.stages[0].job_id
    fresh = ended(client, run(client, examined, fresh=True).id)
    assert not any(stage.reused for stage in fresh.stages)
    assert sorted(lab.ran()) == ["aside", "aside", "more", "more", "score", "score"]


def test_branches_run_at_the_same_time(servers, lab, tmp_path):
    client = servers(STARFORGE_CPUS="2").start().client()
    meet = f"touch {tmp_path}/$0; until test -e {tmp_path}/a -a -e {tmp_path}/b; do sleep 0.05; done"  # fmt: skip # noqa: E501
    examined = lab(
        {"a": {"experiment": "a"}, "b": {"experiment": "b"}},
        a=meet.replace("$0", "a"), b=meet.replace("$0", "b"),
    )  # fmt: skip
    done = ended(client, run(client, examined).id)
    assert done.state == "succeeded"


def test_a_failed_stage_is_tried_again_as_often_as_it_may(client, lab, tmp_path):
    flaky = f"echo x >> {tmp_path}/tries; test $(wc -l < {tmp_path}/tries) -ge 3"
    examined = lab(
        {
            "flaky": {"experiment": "flaky", "retries": 2},
            "bad": {"experiment": "bad", "retries": 1},
            "after": {"experiment": "after", "needs": "bad"},
        },
        flaky=flaky, bad="exit 3", after="true",
    )  # fmt: skip
    done = ended(client, run(client, examined).id)
    assert states(done) == {"flaky": "succeeded", "bad": "failed", "after": "skipped"}
    assert [stage.attempt for stage in done.stages] == [2, 1, 0]
    assert sorted(lab.ran()) == ["bad"] * 2 + ["flaky"] * 3
    # What failed gets another try, what succeeded stays.
    (lab.root / "experiments").rename(lab.root / "gone")
    client.pipelines.resume(done.id)
    done = ended(client, done.id)
    assert (done.state, states(done)["bad"]) == ("failed", "failed")
    assert sorted(lab.ran()) == ["bad"] * 3 + ["flaky"] * 3


def test_killed_at_many_moments_nothing_is_lost_or_done_twice(servers, lab):
    server = servers().start()
    short = "sleep 0.3"
    examined = lab(
        {
            "a": {"experiment": "a"},
            "b": {"experiment": "b", "init_from": "a"},
            "c": {"experiment": "c", "init_from": "a"},
            "d": {"experiment": "d", "needs": ["b", "c"]},
        },
        a=MODEL + short, b=short, c=short, d=short,
    )  # fmt: skip
    made = run(server.client(), examined, key="once")
    for pause in (0.0, 0.2, 0.5, 0.9, 1.3, 0.1, 0.7):
        server.kill()
        server.start()
        time.sleep(pause)
    client = server.client()
    assert run(client, examined, key="once").id == made.id
    done = ended(client, made.id)
    assert (done.state, set(states(done).values())) == ("succeeded", {"succeeded"})
    assert client.jobs.page().total == 4
    assert sorted(lab.ran()) == ["a", "b", "c", "d"]
    assert client.pipelines.page().total == 1


def test_a_stop_ends_what_runs_and_a_resume_goes_on(servers, lab, tmp_path):
    server = servers().start()
    client = server.client()
    go = tmp_path / "go"
    examined = lab(
        {
            "first": {"experiment": "first"},
            "slow": {"experiment": "slow", "needs": ["first"]},
            "last": {"experiment": "last", "needs": ["slow"]},
        },
        first="true", slow=f"test -e {go} || exec sleep 300", last="true",
    )  # fmt: skip
    made = run(client, examined)
    wait_for(lambda: client.pipelines.get(made.id).stages[1].state == "running")
    wait_state(client, client.pipelines.get(made.id).stages[1].job_id, "running")
    with pytest.raises(StarForgeError, match="still runs"):
        client.pipelines.resume(made.id)
    assert client.pipelines.stop(made.id).state in ("stopping", "stopped")
    server.kill()
    server.start()
    client = server.client()
    done = ended(client, made.id)
    assert done.state == "stopped"
    assert states(done) == {"first": "succeeded", "slow": "stopped", "last": "skipped"}
    go.touch()
    client.pipelines.resume("p")
    done = ended(client, made.id)
    assert (done.state, set(states(done).values())) == ("succeeded", {"succeeded"})
    assert lab.ran() == ["first", "slow", "slow", "last"]
    with pytest.raises(StarForgeError, match="succeeded"):
        client.pipelines.resume(made.id)


def test_what_another_stage_did_not_leave_is_said(client, lab):
    examined = lab(
        {
            "rows": {"experiment": "rows"},
            "use": {"experiment": "use", "data_from": {"train": "rows:rows.jsonl"}},
            "model": {"experiment": "model", "init_from": "rows"},
        },
        rows="true", use="true", model="true",
    )  # fmt: skip
    done = ended(client, run(client, examined).id)
    assert states(done) == {"rows": "succeeded", "use": "failed", "model": "failed"}
    assert "left no file output/rows.jsonl" in done.stages[1].message
    assert "has left no model" in done.stages[2].message
    assert wait_ended(client, done.stages[0].job_id).state == "succeeded"


def test_nothing_of_a_refused_pipeline_is_kept(client, lab):
    examined = lab({"a": {"experiment": "a"}}, a="true")
    text = examined.file.read_text()
    examined.file.write_text(text.replace("experiment: a", "experiment: a\n    needs: [b]"))
    with pytest.raises(StarForgeError, match="error"):
        run(client, examined)
    assert client.pipelines.page().total == 0
    assert client.jobs.page().total == 0
    assert json.loads(client.http.request("GET", "/pipelines").content)["pipelines"] == []
