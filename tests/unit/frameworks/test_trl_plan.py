"""The plan of trl/sft: processes, files, streams; the same wherever it is made."""

import json
import subprocess
import sys
from pathlib import PurePosixPath

import pytest

from starforge.errors import StarForgeError
from starforge.frameworks import get
from starforge.frameworks.base import names


def plan_of(context):
    return get("trl").plan(context)


def test_one_process_on_a_cpu(make_context):
    plan = plan_of(make_context(params={"max_steps": 4}, resources="cpu:2"))
    (process,) = plan.processes
    assert process.role == "trainer"
    assert process.argv == [
        "${PYTHON}", "${RECORD}/driver/sft.py", "--config", "${RECORD}/config.json",
        "--model", "${MODEL}", "--data", "${DATA}", "--output", "${OUTPUT}",
    ]  # fmt: skip
    assert process.env["OMP_NUM_THREADS"] == "2"
    assert process.env["TENSORBOARD_LOGGING_DIR"] == "${ATTEMPT}/tensorboard"
    assert plan.runtime.device == "cpu"
    assert plan.total_steps == 4
    assert plan.primary_metrics == ["train/loss", "validation/loss"]
    assert plan.policies.nan_metrics == ["train/loss", "validation/loss"]
    assert plan.checkpoints.final == "output/model"
    assert [ref.name for ref in plan.inputs] == ["model", "data.train"]


def test_torchrun_over_several_gpus(make_context):
    plan = plan_of(make_context(resources="gpu:4"))
    (process,) = plan.processes
    assert process.argv[:6] == [
        "${PYTHON}", "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "4",
    ]  # fmt: skip
    assert process.argv[6] == "${RECORD}/driver/sft.py"
    assert plan.runtime.device == "cuda"


def test_the_drivers_config_holds_what_differs(make_context):
    context = make_context(params={"learning_rate": 1e-4}, config={"tf32": True}, validation=[{}])
    files = {file.path: file for file in plan_of(context).files}
    job = json.loads(files["record/config.json"].content)
    assert job["data"] == {"train": "train.jsonl", "validation": "validation.jsonl"}
    assert job["config"]["learning_rate"] == 1e-4
    assert job["config"]["tf32"] is True
    assert job["config"]["output_dir"] == "${OUTPUT}/checkpoints"
    assert job["config"]["report_to"] == "tensorboard"
    assert job["config"]["logging_nan_inf_filter"] is False
    assert "weight_decay" not in job["config"]
    drivers = {path for path in files if path.startswith("record/driver/")}
    assert {"record/driver/sft.py", "record/driver/tiny_model.py"} <= drivers


TASKS = [{"prompt": f"{i} + 1 =", "answer": f"{i + 1}"} for i in range(8)]
REWARD = {"files": {"reward.py": "def reward(prompts, completions): ..."}, "reward": "reward.py"}
CONTEXTS = {
    "sft": {},
    "dpo": {"train": [{"prompt": "a", "chosen": "b", "rejected": "c"}]},
    "rm": {"train": [{"prompt": "a", "chosen": "b", "rejected": "c"}]},
    "kto": {"train": [{"prompt": "a", "completion": "b", "label": True}]},
    "grpo": {"train": TASKS, **REWARD},
    "rloo": {"train": TASKS, **REWARD},
    "opsd": {"train": [{"prompt": "a"}], "teacher": "starforge:tiny"},
}


def test_a_reward_file_and_a_teacher_go_to_the_driver(make_context):
    (process,) = plan_of(make_context(method="trl/grpo", **CONTEXTS["grpo"])).processes
    assert process.argv[-2:] == ["--reward", "${CODE}/reward.py"]
    plan = plan_of(make_context(method="trl/opsd", **CONTEXTS["opsd"]))
    assert plan.processes[0].argv[-2:] == ["--teacher", "${TEACHER}"]
    assert [ref.name for ref in plan.inputs] == ["model", "teacher", "data.train"]


@pytest.mark.parametrize(
    ("params", "steps"),
    [
        # 8 prompts; 8 completions of 4 a prompt: 2 prompts a step, 4 steps an epoch.
        ({"batch_size": 8, "group_size": 4, "epochs": 1}, 4),
        ({"batch_size": 8, "group_size": 4, "epochs": 2.5}, 10),
        ({"batch_size": 4, "gradient_accumulation": 2, "group_size": 4, "epochs": 1}, 4),
        ({"batch_size": 8, "group_size": 4, "epochs": 1, "updates_per_batch": 3}, 12),
        ({"batch_size": 8, "steps_per_generation": 2, "group_size": 4, "epochs": 1}, 4),
        ({"batch_size": 12, "group_size": 4, "epochs": 1}, 2),  # the last two prompts are left out
        ({"batch_size": 8, "group_size": 4, "max_steps": 7}, 7),
    ],
)
def test_steps_of_a_method_that_samples(make_context, params, steps):
    plan = plan_of(make_context(method="trl/grpo", params=params, **CONTEXTS["grpo"]))
    assert plan.total_steps == steps


@pytest.mark.parametrize("method", CONTEXTS)
def test_drivers_import_nothing_that_does_not_travel_with_them(make_context, method):
    import ast

    files = {
        f.path: f for f in plan_of(make_context(method=f"trl/{method}", **CONTEXTS[method])).files
    }
    drivers = {
        p.removeprefix("record/driver/").removesuffix(".py") for p in files if "driver/" in p
    }
    library = {p.removeprefix("lib/starforge/").removesuffix(".py") for p in files if "lib/" in p}
    runtime = {"torch", "transformers", "trl", "datasets", "peft", "accelerate", "tokenizers",
               "math_verify", "reasoning_gym"}  # fmt: skip
    for path, file in files.items():
        if not path.endswith(".py") or file.content is None:
            continue
        for node in ast.walk(ast.parse(file.content)):
            names: list[str] = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                module = str(node.module)
                names = [f"{module}.{a.name}" if module == "starforge" else module
                         for a in node.names]  # fmt: skip
            for name in names:
                top, _, rest = name.partition(".")
                if top == "starforge":
                    module = rest.replace(".", "/")
                    found = {module, f"{module}/__init__", str(PurePosixPath(module).parent)}
                    assert found & library, (path, name)
                else:
                    assert top in drivers | runtime | sys.stdlib_module_names, (path, name)


def test_the_library_works_in_a_bare_python(make_context, tmp_path):
    for file in plan_of(make_context()).files:
        if file.path.startswith("lib/"):
            (tmp_path / file.path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / file.path).write_text(file.content, "utf-8")
    code = "from starforge import report; import starforge; print(starforge.__file__)"
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(tmp_path / "lib")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert str(tmp_path) in done.stdout


def test_metric_names_lead_from_upstream_to_canonical(make_context):
    (stream,) = [s for s in plan_of(make_context()).metrics if s.format == "tensorboard"]
    assert stream.names["eval/loss"] == "validation/loss"
    assert "train/loss" not in stream.names  # the same name already


def test_the_same_experiment_gives_the_same_plan(make_context):
    one, two = (plan_of(make_context(params={"max_steps": 4})) for _ in range(2))
    assert one.digest() == two.digest()
    assert plan_of(make_context(params={"max_steps": 5})).digest() != one.digest()


def test_frameworks_are_found_by_their_modules():
    assert {"custom", "trl"} <= set(names())
    assert "base" not in names()
    with pytest.raises(StarForgeError) as caught:
        get("trll")
    assert "trl" in caught.value.hint.en
    with pytest.raises(StarForgeError):
        get("planfiles")
