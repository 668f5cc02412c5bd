"""The export check on real folders: what it sees, and what it says of a broken one."""

import json
import shutil
import subprocess

import msgspec
import pytest
from trl_support import TINY, Trial

from starforge import layout
from starforge.frameworks.exporting import export_plan
from starforge.plan import FollowUp

pytestmark = pytest.mark.upstream


@pytest.fixture(scope="module")
def exported(trl_python, tmp_path_factory):
    """Jobs of trl/sft and trl/rm (both with LoRA) that have ended: their plans and outputs."""
    made = {}
    for method in ("sft", "rm"):
        sets = ("lora=true", "lora_targets=[q_proj, v_proj]")
        trial = Trial(tmp_path_factory.mktemp(method), f"trl/{method}")
        job = trial.job("max_steps=1", *sets)
        done = job.run(python=trl_python, model=TINY)
        assert done.returncode == 0, done.stdout[-2000:]
        made[method] = (job.plan, job.folder / "output")
    return made


def check(python, folder, plan, model, *words):
    """Run the driver of the export plan as the runner would; return its end and its rows."""
    for file in plan.files:
        (folder / file.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / file.path).write_text(file.content, "utf-8")
    for name in ("attempt-0", "output"):
        (folder / name).mkdir()
    env = {
        "PATH": "/usr/bin:/bin", "HOME": str(folder), "OMP_NUM_THREADS": "1", "SF_LANG": "en",
        "PYTHONPATH": str(folder / layout.LIB), layout.ENV_ATTEMPT_DIR: str(folder / "attempt-0"),
        layout.ENV_OUTPUT_DIR: str(folder / "output"), "HF_HUB_OFFLINE": "1",
    }  # fmt: skip
    places = {"${PYTHON}": python, "${MODEL}": str(model)}
    argv = [places.get(word, word.replace("${RECORD}", str(folder / layout.RECORD)))
            for word in plan.processes[0].argv]  # fmt: skip
    done = subprocess.run(argv, env=env, check=False, capture_output=True, text=True, timeout=240)
    rows = folder / "attempt-0" / layout.ARTIFACTS
    return done, [
        json.loads(line) for line in rows.read_text().splitlines()
    ] if rows.exists() else []


def follow(plan, **more):
    return export_plan(plan, FollowUp(kind="export", method="trl/export", **more), "a1")


def test_a_language_model_generates(trl_python, exported, tmp_path):
    plan, output = exported["sft"]
    done, (row,) = check(trl_python, tmp_path, follow(plan), output / "model")
    assert done.returncode == 0, done.stderr[-2000:]
    seen = row["meta"]
    assert (seen["architecture"], seen["dtype"], seen["tokens"]) == (
        "LlamaForCausalLM",
        "float32",
        8,
    )
    assert seen["parameters"] > 100_000
    assert json.loads((tmp_path / "output/export.json").read_text()) == seen


def test_an_adapter_generates_on_its_base(trl_python, exported, tmp_path):
    plan, output = exported["sft"]
    done, (row,) = check(trl_python, tmp_path, follow(plan, form="adapter"), output / "model")
    assert done.returncode == 0, done.stderr[-2000:]
    assert (row["meta"]["form"], row["meta"]["tokens"]) == ("adapter", 8)
    # The tiny model that it belongs to was made for the job, and made again for the check.
    config = json.loads((output / "adapter" / "adapter_config.json").read_text())
    assert config["base_model_name_or_path"] == TINY
    assert not (tmp_path / "attempt-0" / "scratch").exists()


def test_an_adapter_of_a_reward_model_scores_as_the_merged_one(trl_python, exported, tmp_path):
    plan, output = exported["rm"]
    found = {}
    for form in ("model", "adapter"):
        (tmp_path / form).mkdir()
        made = follow(plan, form=form, scores=True)
        done, (row,) = check(trl_python, tmp_path / form, made, output / "model")
        assert done.returncode == 0, done.stderr[-2000:]
        found[form] = row["meta"]["score"]
    assert found["adapter"] == pytest.approx(found["model"], abs=1e-4)


def test_an_adapter_whose_base_is_gone_is_told_in_one_line(trl_python, exported, tmp_path):
    plan, output = exported["sft"]
    shutil.copytree(output, tmp_path / "moved")
    file = tmp_path / "moved" / "adapter" / "adapter_config.json"
    file.write_text(file.read_text().replace(TINY, str(tmp_path / "gone")))
    (tmp_path / "check").mkdir()
    made = follow(plan, form="adapter")
    done, rows = check(trl_python, tmp_path / "check", made, tmp_path / "moved" / "model")
    assert (done.returncode, rows) == (1, [])
    assert done.stderr.splitlines()[-1].startswith("error: the exported model can't be used")


def test_a_reward_model_scores(trl_python, exported, tmp_path):
    plan, output = exported["rm"]
    done, (row,) = check(trl_python, tmp_path, follow(plan, scores=True), output / "model")
    assert done.returncode == 0, done.stderr[-2000:]
    assert isinstance(row["meta"]["score"], float)
    assert "tokens" not in row["meta"]


def test_a_language_model_is_no_reward_model(trl_python, exported, tmp_path):
    plan, output = exported["sft"]
    done, rows = check(trl_python, tmp_path, follow(plan, scores=True), output / "model")
    assert (done.returncode, rows) == (1, [])
    assert "the exported folder lacks weights: score.weight" in done.stderr


def test_no_adapter_is_told(trl_python, exported, tmp_path):
    plan, output = exported["rm"]
    shutil.copytree(output / "model", tmp_path / "alone" / "model")
    made = follow(plan, form="adapter")
    done, _ = check(trl_python, tmp_path, made, tmp_path / "alone" / "model")
    assert done.stderr.splitlines()[-1].startswith("error: the job trained no adapter")


def test_the_plan_is_one_of_the_frameworks_runtime(exported):
    plan, _ = exported["sft"]
    made = follow(plan)
    assert made.runtime == plan.runtime
    assert made.resources.gpus == 0
    assert msgspec.convert(msgspec.to_builtins(made), type(made)) == made
