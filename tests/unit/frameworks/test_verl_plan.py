"""The plans of verl methods: upstream's own command, what follows from resources, CPU profiles."""

import ast
import json
import subprocess
import sys

import pytest

from starforge.frameworks import get
from starforge.frameworks.verl import cpu

REWARD = {"reward.py": "def reward(prompts, completions):\n    return [0.0] * len(completions)\n"}
PROMPTS = [{"prompt": f"{i} + 1 = ?", "answer": str(i + 1)} for i in range(8)]
SMALL = {"prompts_per_step": 4, "mini_batch_size": 4, "batch_size": 2, "group_size": 4}


@pytest.fixture
def plan_of(make_context):
    def plan(method="verl/grpo", params=None, **keys):
        if method != "verl/sft":
            keys.setdefault("train", PROMPTS)
            params = {**SMALL, **(params or {})}
        if method not in ("verl/sft", "verl/distillation"):
            keys = {"reward": "reward.py", "files": REWARD, **keys}
        if method == "verl/distillation":
            keys.setdefault("teacher", "starforge:tiny")
        keys.setdefault("resources", "gpu:1")
        return get("verl").plan(make_context(method=method, params=params or {}, **keys))

    return plan


def upstream(plan):
    argv = plan.processes[0].argv
    return argv[argv.index("--") + 1 :]


def test_the_official_command_stands_behind_the_driver(plan_of):
    plan = plan_of()
    (process,) = plan.processes
    assert process.argv[:2] == ["${PYTHON}", "${RECORD}/driver/verl_run.py"]
    words = upstream(plan)
    assert words[:2] == ["-m", "verl.trainer.main_ppo"]
    assert "algorithm.adv_estimator=grpo" in words
    assert "actor_rollout_ref.model.path='${MODEL}'" in words
    assert "actor_rollout_ref.rollout.name=vllm" in words
    assert "+ray_kwargs.ray_init.address=local" in words
    assert "++reward.custom_reward_function.reward_kwargs={file:'${CODE}/reward.py'}" in words
    assert words[-2:] == ["hydra.run.dir='${ATTEMPT}/hydra'", "hydra.output_subdir=null"]
    assert not any("placeholder" in word or "None" in word for word in words)
    assert process.env["VERL_FILE_LOGGER_PATH"] == "${ATTEMPT}/verl-metrics.jsonl"


def test_only_what_differs_from_upstream_is_written(plan_of):
    words = upstream(plan_of(params={"temperature": 1.0, "kl_coef": 0.01}))
    assert "actor_rollout_ref.actor.kl_loss_coef=0.01" in words
    assert not any(word.startswith("actor_rollout_ref.rollout.temperature") for word in words)


def test_supervised_fine_tuning_starts_by_torchrun(make_context, plan_of):
    words = upstream(plan_of("verl/sft", train=None or [
        {"messages": [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]}
    ] * 8, params={"global_batch_size": 8}, resources="gpu:4"))  # fmt: skip
    assert words[:7] == [
        "-m", "torch.distributed.run", "--standalone", "--nnodes=1", "--nproc_per_node=4",
        "-m", "verl.trainer.sft_trainer",
    ]  # fmt: skip
    assert "trainer.n_gpus_per_node=4" in words


@pytest.mark.parametrize(("profile", "gpus"), [("gpu:1", 1), ("gpu:4", 4)])
def test_numbers_follow_from_resources(plan_of, profile, gpus):
    plan = plan_of(resources=profile)
    assert f"trainer.n_gpus_per_node={gpus}" in upstream(plan)
    assert f"+ray_kwargs.ray_init.num_gpus={gpus}" in upstream(plan)
    assert plan.config["trainer"]["n_gpus_per_node"] == gpus
    assert "trainer.device=cpu" not in upstream(plan)
    assert plan.runtime.device == "cuda"


def test_a_teacher_has_gpus_of_its_own(plan_of):
    plan = plan_of("verl/distillation", params={"teacher_gpus": 2}, resources="gpu:6")
    words = upstream(plan)
    assert "trainer.n_gpus_per_node=4" in words
    assert "distillation.n_gpus_per_node=2" in words
    assert "distillation.nnodes=1" in words
    assert "+ray_kwargs.ray_init.num_gpus=6" in words
    assert "distillation.teacher_models.teacher_model.model_path='${TEACHER}'" in words
    assert plan.processes[0].argv[10:12] == ["--teacher", "${TEACHER}"]
    assert [ref.name for ref in plan.inputs] == ["model", "teacher", "data.train"]


def test_dapos_penalty_ends_at_the_length_limit(plan_of):
    words = upstream(plan_of("verl/dapo", {"max_completion_tokens": 300, "overlong_buffer": 60}))
    assert "+reward.reward_kwargs.max_resp_len=300" in words
    assert "+reward.reward_kwargs.overlong_buffer_cfg.len=60" in words
    assert "reward.reward_manager.name=dapo" in words


def test_a_reward_model_takes_the_place_of_the_file(make_context):
    import msgspec

    from starforge.lab.context import Reward
    from starforge.plan import InputRef

    context = make_context(PROMPTS, method="verl/grpo", params=SMALL, resources="gpu:1")
    model = InputRef(name="reward", kind="job", location="job:abc")
    context = msgspec.structs.replace(context, reward=Reward(model=model))
    words = upstream(get("verl").plan(context))
    assert "reward.reward_model.enable=true" in words
    assert "reward.reward_model.model_path='${REWARD}'" in words
    assert not any(word.startswith("reward.custom_reward_function.path") for word in words)


def test_a_cpu_profile_shows_every_setting_it_changes(plan_of):
    plan = plan_of("verl/ppo", params={"critic_batch_size": 2}, resources="cpu:2")
    pins = {one.path: one.value for one in plan.differs if one.source == "pin"}
    for setting in (*cpu.RL, *cpu.CRITIC):
        if setting.path in pins:
            assert pins[setting.path] == setting.value
        else:
            holder, _, entry = setting.path.rpartition(".")
            default = plan.config
            for part in setting.path.split("."):
                default = default[part]
            assert default == setting.value or pins[holder][entry] == setting.value
    env = plan.processes[0].env
    assert env["VERL_PLATFORM"] == "cpu"
    assert "starforge_verl_cpu" in env["VERL_USE_EXTERNAL_MODULES"]
    paths = {file.path for file in plan.files}
    assert "record/driver/starforge_verl_cpu.py" in paths


def test_a_gpu_profile_has_nothing_of_the_cpu(plan_of):
    plan = plan_of()
    text = json.dumps(plan.processes[0].argv) + json.dumps(plan.processes[0].env)
    assert "verl_cpu" not in text
    assert "VERL_PLATFORM" not in text
    assert not any("cpu" in file.path for file in plan.files)


def test_every_cpu_setting_has_a_reason_in_both_languages():
    for setting in (*cpu.SFT, *cpu.RL, *cpu.CRITIC, *cpu.TEACHER):
        assert setting.reason.en
        assert setting.reason.zh


def test_values_of_the_plan_are_those_of_its_command(plan_of):
    plan = plan_of(resources="gpu:2", params={"kl_in_loss": True})
    assert plan.parameters["kl_in_loss"] is True
    assert plan.config["actor_rollout_ref"]["actor"]["use_kl_loss"] is True
    assert [d.path for d in plan.differs] == sorted(d.path for d in plan.differs)


def test_steps_are_known_only_when_nothing_can_change_them(plan_of):
    assert plan_of(params={"max_steps": 3}).total_steps == 3
    assert plan_of(params={"epochs": 2}).total_steps is None  # long prompts are filtered out
    assert plan_of(params={"epochs": 2, "filter_long_prompts": False}).total_steps == 4


def test_without_validation_data_verl_still_gets_a_file(plan_of):
    assert "data.val_files='${ATTEMPT}/data/train.parquet'" in upstream(plan_of())
    words = upstream(plan_of(validation=PROMPTS[:2], params={"validation_steps": 2}))
    assert "data.val_files='${ATTEMPT}/data/validation.parquet'" in words


def test_supervised_ranks_on_a_cpu_are_as_many_as_asked_for(plan_of):
    plan = plan_of("verl/sft", {"processes": 2}, resources="cpu:2")
    assert "--nproc_per_node=2" in upstream(plan)
    assert "trainer.n_gpus_per_node=2" in upstream(plan)
    assert plan.processes[0].env["OMP_NUM_THREADS"] == "1"
    plan = plan_of("verl/sft", resources="cpu:2")
    assert "--nproc_per_node=1" in upstream(plan)
    assert plan.processes[0].env["OMP_NUM_THREADS"] == "2"
    assert "--nproc_per_node=2" in upstream(plan_of("verl/sft", resources="gpu:2"))


def test_verl_deletes_no_checkpoint_and_the_driver_knows_how_many_stay(plan_of):
    for method in ("verl/sft", "verl/ppo"):
        plan = plan_of(method, {"save_limit": 3})
        (config,) = (json.loads(f.content) for f in plan.files if f.path == "record/config.json")
        assert config["keep"] == 3
        modules = plan.processes[0].env["VERL_USE_EXTERNAL_MODULES"].split(",")
        assert "starforge_verl_checkpoints" in modules


def test_drivers_import_nothing_that_does_not_travel_with_them(plan_of):
    files = {f.path: f for f in plan_of("verl/grpo", resources="cpu:2").files}
    drivers = {p.split("/")[-1].removesuffix(".py") for p in files if "driver/" in p}
    library = {
        p.removeprefix("lib/starforge/").split("/")[0].removesuffix(".py")
        for p in files
        if "lib/" in p
    }
    runtime = {"torch", "transformers", "verl", "vllm", "ray", "pyarrow", "peft", "tokenizers",
               "torchdata"}  # fmt: skip
    for path, file in files.items():
        if "driver/" not in path:
            continue
        for node in ast.walk(ast.parse(file.content)):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module]
                if node.module == "starforge":
                    assert {a.name for a in node.names} <= library
                    continue
            for name in names:
                top = name.split(".")[0]
                if top == "starforge":
                    assert name.split(".")[1] in library
                else:
                    assert top in drivers | runtime or top in sys.stdlib_module_names


def test_planning_imports_no_framework():
    code = (
        "import sys; import starforge.frameworks.verl; "
        "print([m for m in ('torch', 'verl', 'ray', 'hydra') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
