"""Templates really run, on the tiny model with TRL and lm-eval: from base to score."""

import pytest
import yaml
from e2e_harness import Server, end, wait_for

from starforge.catalog.load import load_catalog
from starforge.client.pipelines import run
from starforge.lab.lab import Lab
from starforge.lab.scaffold import init_lab
from starforge.pipelines.examine import examine
from starforge.pipelines.templates import new_pipeline
from starforge.wire.pipelines import ENDED

pytestmark = pytest.mark.upstream

PATIENCE = 600.0


@pytest.fixture
def server(tmp_path, trl_python, evalkit_python):
    made = Server(tmp_path / "home", {"OMP_NUM_THREADS": "1"})
    places = made.home / "catalog" / "runtimes.yaml"
    places.parent.mkdir(parents=True)
    made.home.chmod(0o700)
    places.write_text(f"trl: {{python: {trl_python}}}\nevalkit: {{python: {evalkit_python}}}\n")
    made.start()
    yield made
    end(made)


@pytest.fixture
def shortened(tmp_path):
    """Create a pipeline of a template with few steps and few questions; return what is sent."""
    init_lab(tmp_path / "lab")
    lab = Lab(tmp_path / "lab")

    def make(template):
        folder = new_pipeline(lab, "p", template, load_catalog())[-1]
        file = folder / "pipeline.yaml"
        written = yaml.safe_load(file.read_text("utf-8"))
        for stage in written["stages"].values():
            stage["set"] = {"limit": 4} if "benchmark" in stage else {"max_steps": 2}
        file.write_text(yaml.safe_dump(written, sort_keys=False), "utf-8")
        return examine(file, tmp_path / "work")

    return make


@pytest.mark.parametrize(
    ("template", "trained", "score"),
    [
        ("sft-dpo-benchmark", "dpo", ("basics", "acc")),
        ("sft-grpo-benchmark", "grpo", ("arithmetic", "exact_match")),
    ],
)
def test_a_template_runs_to_its_end(server, shortened, template, trained, score):
    client = server.client()
    made = run(client, shortened(template))

    def ended():
        found = client.pipelines.get(made.id)
        return found if found.state in ENDED else None

    done = wait_for(ended, PATIENCE, pause=0.5)
    stages = {stage.name: stage for stage in done.stages}
    assert {name: one.state for name, one in stages.items()} == dict.fromkeys(
        ("base-score", "sft", trained, "score"), "succeeded"
    ), done.message
    assert client.jobs.get(stages[trained].job_id).model == f"job:{stages['sft'].job_id}"
    for name in ("base-score", "score"):
        assert [(one.benchmark, one.metric) for one in stages[name].scores] == [score]
        assert stages[name].scores[0].items == 4
    (verdict,) = stages["score"].verdicts
    assert verdict.met
    # The model that was scored is the one that was trained: its weights are others.
    assert client.jobs.get(stages["score"].job_id).model == f"job:{stages[trained].job_id}"
    weights = [
        server.home / "jobs" / stages[name].job_id / "output" / "model" / "model.safetensors"
        for name in ("sft", trained)
    ]
    assert weights[0].read_bytes() != weights[1].read_bytes()
